/*
 * What the modules of matrices state of their cases before there is a device: flop and bytes, which
 * no verification checks, and an answer of every variant for every case. Skipped where no module is
 * built.
 */
#include <stdio.h>

#include "check.h"
#include "family_module.h"

static const struct {
    const char *sentence, *family, *name;
    double flop, read_bytes, write_bytes;
} rows[] = {
    {"bf16 has no scales", "blockscaled_gemm", "m8192_n8192_k1024_t256x128_bf16",
     2.0 * 8192 * 8192 * 1024, 2.0 * 2 * 8192 * 1024, 2.0 * 8192 * 8192},
    {"every scale counts once", "blockscaled_gemm", "m8192_n8192_k1024_t256x128_e4m3",
     2.0 * 8192 * 8192 * 1024, 2.0 * 8192 * 1024 + 4 * (8.0 * 8192 + 64 * 8), 2.0 * 8192 * 8192},
    {"scales of a part of a block", "blockscaled_gemm", "m4100_n3000_k1040_t256x128_e4m3",
     2.0 * 4100 * 3000 * 1040, (4100.0 + 3000) * 1040 + 4 * (9.0 * 4100 + 24 * 9),
     2.0 * 4100 * 3000},
    {"tokens and weights are read once, results written once", "group_gemm",
     "g8_m1024_n4096_k7168_bf16", 2.0 * 1024 * 4096 * 7168, 2.0 * (1024 + 8 * 4096) * 7168,
     2.0 * 1024 * 4096},
    {"guard rows are no work", "group_gemm", "g6_m101_n512_k200_empty_guard_bf16",
     2.0 * 101 * 512 * 200, 2.0 * (101 + 2 * 512) * 200, 2.0 * 101 * 512},
    {"e4m3 is a byte; a scale is four for 128 of a row, or 128x128 weights", "group_gemm",
     "g8_m1024_n4096_k7168_e4m3", 2.0 * 1024 * 4096 * 7168,
     (1024 + 8 * 4096) * 7168 + 4.0 * 56 * (1024 + 8 * 32), 2.0 * 1024 * 4096},
    {"half of the blocks, all of B", "bsr_gemm", "m8192_n8192_k8192_uniform50",
     8192.0 * 8192 * 8192, 2 * (8192.0 * 4096 + 8192.0 * 8192) + 4.0 * (2048 + 65),
     2.0 * 8192 * 8192},
    {"no block: row pointers are read, zeros written", "bsr_gemm", "m1024_n512_k1024_none", 0,
     4.0 * 9, 2.0 * 1024 * 512},
    {"what blocks have beyond m and k is no work", "bsr_gemm", "m129_n136_k129_all",
     2.0 * 129 * 136 * 129, 2 * (129.0 * 129 + 129.0 * 136) + 4.0 * 7, 2.0 * 129 * 136},
};

TEST(work_is_that_of_the_case)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_module *module = family_module(rows[i].family);
        if (!module)
            continue;
        const struct sg_case *c = family_case(module, rows[i].name);
        const struct sg_work work = module->family->work(c);
        double flop = 0;
        for (size_t d = 0; d < COUNT(work.flop); d++)
            flop += work.flop[d];
        if (flop != rows[i].flop || work.read_bytes != rows[i].read_bytes ||
            work.write_bytes != rows[i].write_bytes)
            fail_msg("%s: %.17g flop, reads %.17g, writes %.17g", rows[i].sentence, flop,
                     work.read_bytes, work.write_bytes);
    }
}

TEST(every_variant_answers_for_every_case)
{
    static const char *const families[] = {"blockscaled_gemm", "group_gemm", "bsr_gemm", "matvec"};
    for (size_t i = 0; i < COUNT(families); i++) {
        const struct sg_module *module = family_module(families[i]);
        if (module)
            family_answers_for_every_case(module);
    }
}

int main(void)
{
    if (!family_module("matvec")) {
        printf("skipped: %s\n", dlerror());
        return FAMILY_MODULE_SKIPPED;
    }
    return check_run("tests", NULL, NULL);
}
