/*
 * The host half of the module bsr_gemm: what its table of cases promises, and what every variant
 * says of every case before there is a device. Skipped where the module is not built.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "bsr_gemm/bsr_pattern.h"
#include "family_module.h"

static const struct sg_module *module;

TEST(work_is_that_of_the_blocks)
{
    static const struct {
        const char *sentence, *name;
        double flop, read_bytes, write_bytes;
        uint64_t blocks; /* elements of col */
    } rows[] = {
        {"half of the blocks, all of B", "m8192_n8192_k8192_uniform50", 8192.0 * 8192 * 8192,
         2 * (8192.0 * 4096 + 8192.0 * 8192) + 4.0 * (2048 + 65), 2.0 * 8192 * 8192, 2048},
        {"no block: row pointers are read, zeros written", "m1024_n512_k1024_none", 0, 4.0 * 9,
         2.0 * 1024 * 512, 1},
        {"what blocks have beyond m and k is no work", "m129_n136_k129_all", 2.0 * 129 * 136 * 129,
         2 * (129.0 * 129 + 129.0 * 136) + 4.0 * 7, 2.0 * 129 * 136, 4},
        {"one element of A", "m1_n8_k1_all", 2.0 * 8, 2 * (1.0 + 8) + 4.0 * 3, 2.0 * 8, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_case *c = family_case(module, rows[i].name);
        const struct sg_work work = module->family->work(c);
        struct sg_buffer buffers[SG_MAX_BUFFERS];
        assert_int_equal(module->family->layout(c, buffers), BSR_BUFFERS);
        if (work.flop[SG_F16] != rows[i].flop || work.read_bytes != rows[i].read_bytes ||
            work.write_bytes != rows[i].write_bytes)
            fail_msg("%s: %.17g flop, reads %.17g, writes %.17g", rows[i].sentence,
                     work.flop[SG_F16], work.read_bytes, work.write_bytes);
        assert_int_equal(buffers[BSR_COL].count, rows[i].blocks);
        assert_int_equal(buffers[BSR_A].count, rows[i].blocks * BSR_BLOCK * BSR_BLOCK);
    }
}

/* Every index of both buffers is written, and the place behind them is
 * not; a case lets itself be laid out. */
TEST(every_index_of_every_case_is_filled)
{
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        struct sg_buffer buffers[SG_MAX_BUFFERS];
        struct sg_reason why = {""};
        void *host[BSR_BUFFERS] = {NULL};
        if (!bsr_check(c, &why))
            fail_msg("%s: %s", c->name, why.text);
        module->family->layout(c, buffers);
        for (int j = BSR_ROW_PTR; j <= BSR_COL; j++) {
            int32_t *indices = host[j] = sg_alloc(buffers[j].count + 1, sizeof(*indices));
            for (uint64_t at = 0; at <= buffers[j].count; at++)
                indices[at] = -1;
        }
        module->family->fill(&(struct sg_fill_request){.c = c, .seed = 1, .host = host});
        for (int j = BSR_ROW_PTR; j <= BSR_COL; j++) {
            for (uint64_t at = 0; at <= buffers[j].count; at++)
                if ((((const int32_t *)host[j])[at] == -1) != (at == buffers[j].count))
                    fail_msg("%s: %s[%llu] is %d", c->name, buffers[j].name, (unsigned long long)at,
                             ((const int32_t *)host[j])[at]);
            free(host[j]);
        }
    }
}

/* Each pattern has a case, and one is ragged; names are those of the shapes. */
TEST(the_table_has_every_pattern)
{
    size_t found[BSR_PATTERNS] = {0}, ragged = 0;
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        char shape[64];
        snprintf(shape, sizeof(shape), "m%lld_n%lld_k%lld_", (long long)c->dim[BSR_M],
                 (long long)c->dim[BSR_N], (long long)c->dim[BSR_K]);
        assert_memory_equal(c->name, shape, strlen(shape));
        found[c->dim[BSR_PATTERN]]++;
        ragged +=
            c->dim[BSR_M] % BSR_BLOCK && c->dim[BSR_N] % BSR_BLOCK && c->dim[BSR_K] % BSR_BLOCK;
    }
    for (size_t i = 0; i < BSR_PATTERNS; i++)
        assert_true(found[i] > 0);
    assert_true(ragged > 1);
}

TEST(every_variant_answers_for_every_case)
{
    family_answers_for_every_case(module);
}

TEST(variants_run_where_they_are_right)
{
    static const struct family_place places[] = {
        {"rows that start anywhere", "baseline", "m512_n508_k512_uniform50", false},
        {"no block at all", "baseline", "m1024_n512_k1024_none", true},
        {"ragged", "baseline", "m1000_n520_k1000_uniform50", true},
    };
    family_runs_where_it_is_right(module, places, COUNT(places));
}

int main(void)
{
    module = family_module("bsr_gemm");
    if (!module) {
        printf("skipped: %s\n", dlerror());
        return FAMILY_MODULE_SKIPPED;
    }
    return check_run("tests", NULL, NULL);
}
