/*
 * The host half of the module blockscaled_gemm: what its table of cases promises, and what every
 * variant says of every case before there is a device. Skipped where the module is not built.
 */
#include <stdio.h>

#include "check.h"
#include "blockscaled_gemm/gemm_plan.h"
#include "family_module.h"

static const struct sg_module *module;

static struct gemm_plan plan_of(const struct sg_case *c)
{
    const struct gemm_tile tile = {.m = (int)c->dim[GEMM_TILE_M],
                                   .n = (int)c->dim[GEMM_TILE_N],
                                   .ctas = (int)c->dim[GEMM_CTAS],
                                   .dtype = c->dtype};
    return gemm_plan_of(GEMM_HOPPER, tile, GEMM_GREEDY);
}

static int64_t blocks_of_k(const struct sg_case *c)
{
    const int64_t block = GEMM_ROW_BYTES / (c->dtype == SG_E4M3 ? 1 : 2);
    return (c->dim[GEMM_K] + block - 1) / block;
}

/* A case whose summary tells of stages has as many blocks of k as that, by the rule. */
TEST(edges_are_at_the_stages_of_the_rule)
{
    static const struct {
        const char *summary;
        int more;
    } rows[] = {{"a block of k less than stages", -1},
                {"as many blocks of k as stages", 0},
                {"a block of k more than stages", 1}};
    int found[COUNT(rows)][2] = {{0}};
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        for (size_t j = 0; j < COUNT(rows); j++)
            if (strcmp(c->summary, rows[j].summary) == 0) {
                if (blocks_of_k(c) != plan_of(c).ab + rows[j].more)
                    fail_msg("%s: \"%s\", but %lld blocks of k and %d stages", c->name, c->summary,
                             (long long)blocks_of_k(c), plan_of(c).ab);
                found[j][c->dtype == SG_E4M3]++;
            }
    }
    for (size_t j = 0; j < COUNT(rows); j++)
        assert_true(found[j][0] >= 2 && found[j][1] >= 2);
}

struct expected {
    const char *name;
    double read_bytes, write_bytes, flop;
    uint64_t sfa, sfb;
};

static const struct expected works[] = {
    {"m8192_n8192_k1024_t256x128_bf16", 2.0 * 2 * 8192 * 1024, 2.0 * 8192 * 8192,
     2.0 * 8192 * 8192 * 1024, 0, 0},
    {"m8192_n8192_k1024_t256x128_e4m3", 2.0 * 8192 * 1024 + 4 * (8.0 * 8192 + 64 * 8),
     2.0 * 8192 * 8192, 2.0 * 8192 * 8192 * 1024, 65536, 512},
    {"m4100_n3000_k1040_t256x128_e4m3", (4100.0 + 3000) * 1040 + 4 * (9.0 * 4100 + 24 * 9),
     2.0 * 4100 * 3000, 2.0 * 4100 * 3000 * 1040, 36900, 288},
    {"m4_n8_k16_t128x128_e4m3", 12.0 * 16 + 4 * (4 + 1), 2.0 * 4 * 8, 2.0 * 4 * 8 * 16, 4, 4},
};

TEST(work_counts_every_scale_once)
{
    for (size_t i = 0; i < COUNT(works); i++) {
        const struct expected *e = &works[i];
        const struct sg_case *c = family_case(module, e->name);
        struct sg_buffer buffers[SG_MAX_BUFFERS];
        const struct sg_work work = module->family->work(c);
        const size_t count = module->family->layout(c, buffers);
        if (work.read_bytes != e->read_bytes || work.write_bytes != e->write_bytes ||
            work.flop[c->dtype] != e->flop)
            fail_msg("%s: reads %.17g, writes %.17g, %.17g flop", e->name, work.read_bytes,
                     work.write_bytes, work.flop[c->dtype]);
        assert_int_equal(count, e->sfa ? GEMM_BUFFERS : GEMM_SFA);
        assert_int_equal(buffers[GEMM_D].dtype, SG_BF16);
        if (e->sfa && (buffers[GEMM_SFA].count != e->sfa || buffers[GEMM_SFB].count != e->sfb))
            fail_msg("%s: %llu scales of A, %llu of B", e->name,
                     (unsigned long long)buffers[GEMM_SFA].count,
                     (unsigned long long)buffers[GEMM_SFB].count);
    }
}

static const struct {
    const char *sentence, *name;
    double rel_rms, rel_max; /* 0: any */
} tolerances[] = {
    {"bf16 is held to its rounding", "m8192_n8192_k1024_t256x128_bf16", 2e-3, 0},
    {"e4m3 is held to the rounding of its bf16", "m8192_n8192_k1024_t256x128_e4m3", 2e-3, 0},
    {"one accumulator may lose some", "m4096_n4096_k16384_t256x128_e4m3_loose", 1e-2, 0.1},
    {"few outputs may all be rounded badly", "m4_n8_k16_t128x128_e4m3", 1.05 / 256, 1.05 / 256},
};

TEST(tolerances_are_those_of_the_output)
{
    for (size_t i = 0; i < COUNT(tolerances); i++) {
        const struct sg_tolerance t =
            module->family->tolerance(family_case(module, tolerances[i].name));
        if (t.rel_rms != tolerances[i].rel_rms ||
            (tolerances[i].rel_max > 0 && t.rel_max != tolerances[i].rel_max))
            fail_msg("%s: rms %g, max %g", tolerances[i].sentence, t.rel_rms, t.rel_max);
    }
}

TEST(every_variant_answers_for_every_case)
{
    family_answers_for_every_case(module);
}

#define BLOCKS  "m4096_n4096_k16384_t256x128_e4m3"
#define UNIFORM "m4096_n4096_k16384_t256x128_e4m3_uniform"
#define LOOSE   "m4096_n4096_k16384_t256x128_e4m3_loose"

static const struct family_place places[] = {
    {"the vendor's bf16 is not its e4m3", "cublaslt", BLOCKS, false},
    {"there are none in bf16", "cublaslt_fp8_block", "m8192_n8192_k1024_t256x128_bf16", false},
    {"rows of scales that are not aligned are refused", "cublaslt_fp8_block",
     "m2099_n1992_k208_t128x128_e4m3", false},
    {"one scale a matrix is wrong for scales of blocks", "cublaslt_fp8_tensor", BLOCKS, false},
    {"and right where they are uniform", "cublaslt_fp8_tensor", UNIFORM, true},
    {"fast accumulation is too bad for the output's rounding", "cublaslt_fp8_fast", UNIFORM, false},
    {"and good enough where more is allowed", "cublaslt_fp8_fast", LOOSE, true},
    {"where it is held to the output's rounding it is wrong", "no_promotion", UNIFORM, true},
    {"but not for small k, where it cannot be told", "no_promotion",
     "m4096_n7168_k2048_t256x128_e4m3_uniform", false},
    {"and scales of blocks are another matter", "no_promotion", BLOCKS, false},
    {"a misread layout shows in scales that differ", "wrong_scale_layout", BLOCKS, true},
    {"not in uniform ones", "wrong_scale_layout", UNIFORM, false},
    {"nor in one block of k, where both layouts are one", "wrong_scale_layout",
     "m4096_n2304_k128_t256x128_e4m3", false},
    {"block sums of 256 columns spill", "spill_mild", "m4096_n4096_k16384_t256x256_e4m3", true},
    {"accumulators are those of bf16", "acc2_always", "m4096_n4096_k16384_t256x256_e4m3", false},
    {"on wide tiles only", "acc2_spill", "m4096_n4096_k16384_t256x128_bf16", false},
    {"5 + 4 fit narrow tiles of e4m3", "smem_5ab_4c", BLOCKS, true},
    {"and not wide ones", "smem_5ab_4c", "m4096_n4096_k16384_t256x256_e4m3", false},
    {"which overflow", "smem_5ab_4c_overflow", "m4096_n4352_k640_t256x256_e4m3", true},
    {"from the fifth block of k on", "smem_5ab_4c_overflow", "m4096_n4352_k512_t256x256_e4m3",
     false},
    {"f16 adds nothing", "store_global", "m8192_n8192_k1024_t256x128_f16", false},
    {"rows of e4m3 start at multiples of 16 of k", "baseline", "m512_n512_k136_t256x256_e4m3",
     false},
    {"rows of A's scales at multiples of 4 of m", "baseline", "m2099_n1992_k208_t128x128_e4m3",
     false},
    {"the baseline knows all of them: blocks", "baseline", BLOCKS, true},
};

TEST(variants_run_where_they_are_right)
{
    family_runs_where_it_is_right(module, places, COUNT(places));
}

#define PAIR_BF16 {256, 128, 2}, SG_BF16
#define PAIR_E4M3 {256, 128, 2}, SG_E4M3

static const struct {
    const char *sentence;
    int64_t m, n, k;
    int64_t tile[3]; /* tile_m, tile_n, ctas */
    enum sg_dtype dtype;
    const char *reason; /* NULL: it runs */
} shapes[] = {
    {"any shape with aligned rows runs", 3, 8, 8, PAIR_BF16, NULL},
    {"e4m3 wants more of it", 4, 8, 16, PAIR_E4M3, NULL},
    {"no rows", 0, 8, 8, PAIR_BF16, "m is 0, expected 1 to 2^31 - 1"},
    {"nothing to add up", 8, 8, 0, PAIR_BF16, "k is 0, expected 1 to 2^31 - 1"},
    {"m of 2^31", INT64_C(1) << 31, 8, 8, PAIR_BF16, "m is 2147483648, expected 1 to 2^31 - 1"},
    {"what would be 2^32 + 8 in 32 bits is not 8", (INT64_C(1) << 32) + 8, 8, 8, PAIR_BF16,
     "m is 4294967304, expected 1 to 2^31 - 1"},
    {"2^31 - 1 of one is no more than it is", INT32_MAX, 8, 8, PAIR_BF16, NULL},
    {"tiles that 32 bits do not count", INT64_C(1) << 30, INT64_C(1) << 30, 8, PAIR_BF16,
     "m = 1073741824 by n = 1073741824 are 35184372088832 tiles, expected at most 268435456"},
    {"rows of A and B", 8, 8, 12, PAIR_BF16,
     "k is 12, expected a multiple of 8: the copy engine wants rows that start at multiples of 16 "
     "bytes"},
    {"rows of D", 8, 12, 16, PAIR_E4M3,
     "n is 12, expected a multiple of 8: the copy engine wants rows that start at multiples of 16 "
     "bytes"},
    {"rows of scales", 6, 8, 16, PAIR_E4M3,
     "m is 6, expected a multiple of 4: the copy engine wants rows that start at multiples of 16 "
     "bytes"},
    {"a type that there is no kernel for",
     8,
     8,
     8,
     {256, 128, 2},
     SG_I8,
     "no kernel for elements of type 8 and tiles of 256x128 by 2 blocks"},
};

/* By all variants with kernels of the family: none may agree to what another one refuses for its
 * shape, or divide by a tile of nothing. */
TEST(shapes_that_cannot_be_are_named)
{
    static const char *const plain[] = {"baseline", "stages_2", "stages_3", "grid_per_tile"};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct sg_case c = {.name = "case",
                            .dim = {shapes[i].m, shapes[i].n, shapes[i].k},
                            .dtype = shapes[i].dtype};
        memcpy(&c.dim[GEMM_TILE_M], shapes[i].tile, sizeof(shapes[i].tile));
        for (size_t v = 0; v < COUNT(plain); v++) {
            struct sg_reason why = {""};
            const bool runs = family_variant(module, plain[v])->supports(&c, &why);
            if (runs != !shapes[i].reason || strcmp(why.text, runs ? "" : shapes[i].reason) != 0)
                fail_msg("%s: %s says: %s", shapes[i].sentence, plain[v], why.text);
        }
        for (size_t v = 0; v < module->variant_count; v++) {
            const struct sg_variant *variant = module->variants[v].variant;
            struct sg_reason why = {""};
            if (variant->role != SG_VENDOR && shapes[i].reason && variant->supports(&c, &why))
                fail_msg("%s: %s agrees", shapes[i].sentence, module->variants[v].name);
        }
    }
}

int main(void)
{
    module = family_module("blockscaled_gemm");
    if (!module) {
        printf("skipped: %s\n", dlerror());
        return FAMILY_MODULE_SKIPPED;
    }
    return check_run("tests", NULL, NULL);
}
