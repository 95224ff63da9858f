/*
 * The host half of the module group_gemm: what its table of cases promises, and what every variant
 * says of every case before there is a device. Skipped where the module is not built.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "family_module.h"
#include "group_gemm/group_layout.h"
#include "model/gemm_work.h"

static const struct sg_module *module;

/* Elements of a matrix. */
#define BY(rows, columns) ((uint64_t)(rows) * (columns))

static const struct {
    const char *sentence, *name;
    double flop, read_bytes, write_bytes;
    uint64_t
        count[GROUP_BUFFERS]; /* elements: of a, b, d, and where there are scales of sfa, sfb */
    enum sg_use use;          /* of D */
} works[] = {
    {"tokens and weights are read once, results written once",
     "g8_m1024_n4096_k7168_bf16",
     2.0 * 1024 * 4096 * 7168,
     2.0 * (1024 + 8 * 4096) * 7168,
     2.0 * 1024 * 4096,
     {BY(1024, 7168), BY(8 * 4096, 7168), BY(1024, 4096)},
     SG_OUTPUT},
    {"guard rows are no work, and have contents",
     "g6_m101_n512_k200_empty_guard_bf16",
     2.0 * 101 * 512 * 200,
     2.0 * (101 + 2 * 512) * 200,
     2.0 * 101 * 512,
     {BY(101, 200), BY(6 * 512, 200), BY(101 + 48, 512)},
     SG_INOUT},
    {"e4m3 is a byte, and a scale four for 128 of a row of tokens and 128x128 of weights",
     "g8_m1024_n4096_k7168_e4m3",
     2.0 * 1024 * 4096 * 7168,
     (1024 + 8 * 4096) * 7168 + 4.0 * 56 * (1024 + 8 * 32),
     2.0 * 1024 * 4096,
     {BY(1024, 7168), BY(8 * 4096, 7168), BY(1024, 4096), BY(56, 1024), BY(8 * 32, 56)},
     SG_OUTPUT},
};

TEST(work_is_that_of_the_groups_with_rows)
{
    for (size_t i = 0; i < COUNT(works); i++) {
        const struct sg_case *c = family_case(module, works[i].name);
        const struct sg_work work = module->family->work(c);
        struct sg_buffer buffers[SG_MAX_BUFFERS];
        const size_t count = module->family->layout(c, buffers);
        if (work.flop[c->dtype] != works[i].flop || work.read_bytes != works[i].read_bytes ||
            work.write_bytes != works[i].write_bytes)
            fail_msg("%s: reads %.17g, writes %.17g, %.17g flop", works[i].sentence,
                     work.read_bytes, work.write_bytes, work.flop[c->dtype]);
        assert_int_equal(count, works[i].count[GROUP_SFA] > 0 ? GROUP_BUFFERS : GROUP_SFA);
        for (size_t j = 0; j < count; j++)
            if (buffers[j].count != works[i].count[j])
                fail_msg("%s: %llu elements of %s", works[i].sentence,
                         (unsigned long long)buffers[j].count, buffers[j].name);
        assert_int_equal(buffers[GROUP_D].use, works[i].use);
    }
}

/* `solgate sol` has the same of a case from its shape alone; it knows no groups without rows. */
TEST(work_is_that_of_the_shape)
{
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        const struct sg_work work = module->family->work(c);
        const struct sg_dtype_name in = {.dtype = c->dtype,
                                         .block = gemm_has_scales(c) ? GEMM_SCALE_BLOCK : 0};
        struct sg_text m = {0}, n = {0}, k = {0}, rows = {0}, shape = {0};
        for (int g = 0; g < group_sizes_of(c)->count; g++)
            if (group_sizes_of(c)->m[g] > 0)
                sg_text_addf(&m, "%s%lld",
                             m.length > 0 ? "," : "m=", (long long)group_sizes_of(c)->m[g]);
        sg_text_addf(&n, "n=%lld", (long long)c->dim[GROUP_N]);
        sg_text_addf(&k, "k=%lld", (long long)c->dim[GROUP_K]);
        sg_text_addf(&rows, "scale_rows=%d", GEMM_SCALE_BLOCK);
        const char *const words[] = {m.data, n.data, k.data, rows.data, "scale_bytes=4"};
        struct sg_work expected;
        struct sg_err err = {0};
        const enum sg_code code =
            sg_gemm_work(words, COUNT(words), &in, SG_BF16, &expected, &shape, &err);
        sg_text_release(&m);
        sg_text_release(&n);
        sg_text_release(&k);
        sg_text_release(&rows);
        sg_text_release(&shape);
        if (code != SG_SUCCESS)
            fail_msg("%s: %s", c->name, err.message);
        if (work.flop[c->dtype] != expected.flop[c->dtype] ||
            work.read_bytes != expected.read_bytes || work.write_bytes != expected.write_bytes)
            fail_msg("%s: reads %.17g bytes, by its shape %.17g", c->name, work.read_bytes,
                     expected.read_bytes);
    }
}

/* Every scale of both buffers is written, and the place behind them is not. */
static void fill_fits(const struct sg_case *c, const struct sg_buffer *buffers)
{
    void *host[GROUP_BUFFERS] = {NULL};
    for (int j = GROUP_SFA; j <= GROUP_SFB; j++) {
        float *scales = host[j] = sg_alloc(buffers[j].count + 1, sizeof(*scales));
        for (uint64_t i = 0; i <= buffers[j].count; i++)
            scales[i] = -1;
    }
    module->family->fill(&(struct sg_fill_request){.c = c, .seed = 1, .host = host});
    for (int j = GROUP_SFA; j <= GROUP_SFB; j++) {
        const float *scales = host[j];
        for (uint64_t i = 0; i <= buffers[j].count; i++)
            if ((scales[i] == -1) != (i == buffers[j].count))
                fail_msg("%s: %s[%llu] is %g", c->name, buffers[j].name, (unsigned long long)i,
                         (double)scales[i]);
        free(host[j]);
    }
}

TEST(every_scale_of_every_case_is_filled)
{
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        struct sg_buffer buffers[SG_MAX_BUFFERS];
        if (module->family->layout(c, buffers) == GROUP_BUFFERS)
            fill_fits(c, buffers);
    }
}

/* What it is called is what it is: a case that says guard has guard rows, one that
 * says empty has groups without rows. */
TEST(cases_are_what_they_are_called)
{
    for (size_t i = 0; i < module->family->case_count; i++) {
        const struct sg_case *c = &module->family->cases[i];
        struct sg_reason why = {""};
        if (!group_check(c, &why))
            fail_msg("%s: %s", c->name, why.text);
        char name[64];
        snprintf(name, sizeof(name), "g%lld_m%lld_n%lld_k%lld_", (long long)c->dim[GROUP_GROUPS],
                 (long long)c->dim[GROUP_M], (long long)c->dim[GROUP_N],
                 (long long)c->dim[GROUP_K]);
        assert_int_equal(strncmp(c->name, name, strlen(name)), 0);
        assert_string_equal(strrchr(c->name, '_'), c->dtype == SG_E4M3 ? "_e4m3" : "_bf16");
        assert_int_equal(strstr(c->name, "_guard") != NULL, c->dim[GROUP_GUARD] > 0);
        assert_int_equal(strstr(c->name, "_empty") != NULL,
                         group_busy(group_sizes_of(c)) < c->dim[GROUP_GROUPS]);
    }
}

TEST(every_variant_answers_for_every_case)
{
    family_answers_for_every_case(module);
}

#define WORK_LOG   "g8_m1024_n4096_k7168_bf16"
#define EMPTY      "g5_m256_n512_k512_empty_bf16"
#define EDGES      "g7_m577_n512_k512_edges_bf16"
#define GUARDED    "g7_m577_n1000_k200_edges_guard_bf16"
#define EQUAL      "g64_m4096_n1024_k1024_bf16"
#define WORK_LOG_8 "g8_m1024_n4096_k7168_e4m3"
#define EMPTY_8    "g5_m256_n512_k512_empty_e4m3"
#define EDGES_8    "g7_m577_n512_k512_edges_e4m3"

static const struct family_place places[] = {
    {"the baseline multiplies the first shape of the work log", "baseline", WORK_LOG, true},
    {"groups without rows", "baseline", EMPTY, true},
    {"groups around a tile", "baseline", EDGES, true},
    {"rows of D start at multiples of 8 of n", "baseline", "g7_m577_n500_k512_refused_bf16", false},
    {"what is written behind a group shows in guard rows", "tail_overwrite", GUARDED, true},
    {"without them the next group writes it again", "tail_overwrite", EDGES, false},
    {"rows that are forgotten keep their poison", "tail_missing", EDGES, true},
    {"not where D has contents", "tail_missing", GUARDED, false},
    {"a walk ends at a group without rows", "hang_empty_group", EMPTY, true},
    {"and where all groups have rows it goes on", "hang_empty_group", EDGES, false},
    {"a stale map shows where a block meets several groups", "stale_tensormap", EQUAL, true},
    {"not where it meets one", "stale_tensormap", EDGES, false},
    {"and groups around a tile, whose rows of scales are padded", "baseline", EDGES_8, true},
    {"rows of A and B at multiples of 16 of k", "baseline", "g7_m577_n512_k136_refused_e4m3",
     false},
    {"faults are the same in e4m3", "tail_overwrite", "g7_m577_n1000_k208_edges_guard_e4m3", true},
    {"the vendor's products take scales whose rows are m long", "cublaslt_graph", WORK_LOG_8, true},
    {"groups without rows are no products", "cublaslt_graph", EMPTY_8, true},
    {"it knows no padded ones", "cublaslt_graph", EDGES_8, false},
    {"without scales any m will do", "cublaslt_graph", EDGES, true},
    {"the vendor's grouped call takes no scales", "cublas_grouped", WORK_LOG_8, false},
};

TEST(variants_run_where_they_are_right)
{
    family_runs_where_it_is_right(module, places, COUNT(places));
}

/* What `prepare` would refuse has no facts: tokens, stages, ctas. */
TEST(knobs_beyond_the_kernels_have_no_facts)
{
    static const struct {
        const char *sentence;
        int64_t knob[SG_MAX_KNOBS];
        bool is_known;
    } rows[] = {
        {"its default", {0}, true},
        {"all that there is", {64, 8, 2}, true},
        {"tokens without a kernel", {96}, false},
        {"more stages than barriers", {0, 9}, false},
        {"tokens that would be 64 in 32 bits", {(INT64_C(1) << 32) + 64}, false},
    };
    const struct sg_variant *baseline = family_variant(module, "baseline");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_fact facts[SG_MAX_FACTS];
        if ((baseline->facts(family_case(module, WORK_LOG), rows[i].knob, facts) > 0) !=
            rows[i].is_known)
            fail_msg("%s", rows[i].sentence);
    }
}

int main(void)
{
    module = family_module("group_gemm");
    if (!module) {
        printf("skipped: %s\n", dlerror());
        return FAMILY_MODULE_SKIPPED;
    }
    return check_run("tests", NULL, NULL);
}
