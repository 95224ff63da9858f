/* The causes of recorded runs of an H200 (tests/data/h200), as they were found by hand from the
 * kernels and their counters. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "near.h"
#include "reports/tables/ranking.h"
#include "results/run_reader.h"

struct recorded {
    struct sg_catalogue catalogue;
    struct sg_run run;
};

static void open_run(const char *name, struct recorded *recorded)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_text) path = {0};
    *recorded = (struct recorded){0};
    sg_text_addf(&path, "data/h200/%s", name);
    if (sg_catalogue_load(&recorded->catalogue, &err) != SG_SUCCESS ||
        sg_run_read(path.data, &recorded->run, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
}

static void close_run(struct recorded *recorded)
{
    sg_run_release(&recorded->run);
}

static void find(const struct recorded *recorded, const char *family, const char *case_,
                 const char *other, const char *variant, struct sg_causes *causes)
{
    struct sg_diagnosed what = {
        .catalogue = &recorded->catalogue,
        .gpu = sg_diagnosed_gpu_of(&recorded->run.env),
        .then = &recorded->run.table,
        .now = &recorded->run.table,
        .family = family,
        .case_ = case_,
        .other = other,
        .variant = variant,
    };
    sg_diagnose_added(&what);
    *causes = (struct sg_causes){.against = ""};
    sg_find_causes_of(&what, causes);
}

static const struct row {
    const char *run, *family, *case_, *other, *variant;
    const char *begins; /* of the first cause as it is printed */
    double share;       /* of the added time, at least; 0: it has no points */
} rows[] = {
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_gaps25", "baseline", "row_order",
     "imbalance between SMs: +", 0.8},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_power25", "baseline", "row_order",
     "imbalance between SMs: +", 0.8},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_dense_row5", "baseline", "row_order",
     "imbalance between SMs: +", 0.8},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_gaps25", "baseline", "block_per_row",
     "imbalance between SMs: +", 0.9},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_dense_row5", "baseline", "block_per_row",
     "imbalance between SMs: +", 0.9},
    {"bsr_gemm", "bsr_gemm", "m2048_n512_k2048_uniform25", "baseline", "block_per_row",
     "too few blocks: +", 0.8},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_gaps25", "half2_vec4", "transposed_b",
     "bank conflicts of loads: +", 0.7},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_gaps25", "baseline", "half2_vec4",
     "more instructions: +", 0.9},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_gaps25", "baseline", "cusparse",
     "more instructions: +", 0.9},
    {"bsr_gemm", "bsr_gemm", "m8192_n8192_k8192_uniform50", "baseline", "cublaslt_dense",
     "more work of the tensor pipe: +", 0.8},
    {"slow", "matvec", "r2048_c2048_f32", "vec16_rows", "block_reduce", "barriers: +", 0.35},
    {"slow", "matvec", "r2048_c2048_f32", "vec16_rows", "warp_per_row",
     "fewer bytes in flight, or slower loads: +", 0.7},
    {"slow", "matvec", "r2048_c2048_f32", "vec16_rows", "scalar_loads", "narrower loads: +", 0.6},
    {"slow", "matvec", "r2048_c2048_f32", "vec16_rows", "uncoalesced", "too few blocks: +", 0.5},
    {"slow", "matvec", "r1000_c1003_bf16", "vec16_rows", "scalar_loads", "narrower loads: up to ",
     0},
    {"slow", "reference", "fma_chain_50us", "pinned", "pinned_2pct", "more instructions: +", 0.6},
    {"slow", "reference", "stream_copy_256mib", "pinned", "pinned_2pct", "more stores: up to ", 0},
};

TEST(the_first_cause_is_the_one_that_was_found_by_hand)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct recorded recorded;
        struct sg_causes causes;
        SG_SCOPED(sg_text) text = {0};
        open_run(row->run, &recorded);
        find(&recorded, row->family, row->case_, row->other, row->variant, &causes);
        if (causes.found.count > 0)
            sg_add_cause(&text, &causes, &causes.found.cause[0]);
        if (strncmp(sg_text_string(&text), row->begins, strlen(row->begins)) != 0)
            fail_msg("%s/%s: %s, and not %s", row->case_, row->variant, sg_text_string(&text),
                     row->begins);
        if (row->share > 0 &&
            !(causes.found.cause[0].points >= row->share * causes.found.split.added))
            fail_msg("%s/%s has a smaller share: %s", row->case_, row->variant, text.data);
        close_run(&recorded);
    }
}

/* What the kernels do not do. */
static const struct denied {
    const char *run, *variant; /* NULL: any */
    const char *text;
} denied[] = {
    {"group_gemm", "cublaslt_graph", "grid"},
    {"group_gemm", "cublaslt_graph", "blocks"},
    {"bsr_gemm", "half2_vec4", "uncoalesced"},
    {"bsr_gemm", "transposed_b", "uncoalesced"},
    {"bsr_gemm", "cusparse", "uncoalesced"},
    {"bsr_gemm", "cublaslt_dense", "uncoalesced"},
    {"bsr_gemm", "half2_vec4", "bank conflicts"},
    {"bsr_gemm", "block_per_row", "bank conflicts"},
    {"bsr_gemm", "cublaslt_dense", "occupancy"},
    {"slow", "cublas", "shared_"},
    {"slow", "cublas", "is read from L2"},
    {"slow", "block_reduce", "registers ->"},
    {"slow", "warp_per_row", "registers ->"},
    {NULL, NULL, "dram_write"},
    {NULL, NULL, "hit_rate"},
    {NULL, NULL, "108 and more"},
};

static void check_denied(const char *run, const struct sg_diagnosed *what, const char *text)
{
    for (size_t i = 0; i < COUNT(denied); i++) {
        const struct denied *one = &denied[i];
        if ((!one->run || strcmp(one->run, run) == 0) &&
            (!one->variant || strcmp(one->variant, what->variant) == 0) && strstr(text, one->text))
            fail_msg("%s %s/%s against %s: %s", run, what->case_, what->variant, what->other, text);
    }
}

static void check_pair(const char *run, const struct recorded *recorded, const struct sg_row *row,
                       size_t *slower)
{
    const struct sg_value value = sg_value_of(&recorded->run.table, row);
    struct sg_causes causes;
    SG_SCOPED(sg_text) text = {0};
    double sum = 0;
    find(recorded, value.family, value.case_, sg_row_partner(&recorded->run.table, row),
         value.variant, &causes);
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        sum += causes.found.split.points[i];
    assert_near(value.variant, sum, causes.found.split.why_not ? 0 : causes.found.split.added,
                1e-6 * fabs(causes.found.split.added));
    for (size_t i = 0; i < causes.found.count; i++) {
        sg_add_cause(&text, &causes, &causes.found.cause[i]);
        sg_text_add(&text, "\n");
    }
    if (causes.found.count == 0)
        sg_add_no_cause(&text, &causes);
    check_denied(run, &causes.what, sg_text_string(&text));
    *slower += causes.found.count > 0;
}

TEST(no_pair_has_a_cause_that_its_kernels_do_not_have_and_all_points_add_up)
{
    static const struct {
        const char *run;
        size_t explained; /* of its pairs, those that are slower and have a cause */
    } runs[] = {{"bsr_gemm", 44}, {"slow", 19}, {"clean", 19}, {"group_gemm", 27}};
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct recorded recorded;
        size_t explained = 0;
        open_run(runs[i].run, &recorded);
        const sg_id ratio = sg_table_find_id(&recorded.run.table, "time_ratio");
        for (size_t k = 0; k < recorded.run.table.count; k++)
            if (recorded.run.table.rows[k].metric == ratio &&
                sg_row_partner(&recorded.run.table, &recorded.run.table.rows[k]))
                check_pair(runs[i].run, &recorded, &recorded.run.table.rows[k], &explained);
        print_message("%s: %zu pairs have causes\n", runs[i].run, explained);
        assert_int_equal(explained, runs[i].explained);
        close_run(&recorded);
    }
}

TEST(a_launch_of_which_nothing_was_counted_has_no_cause_and_says_so)
{
    struct recorded recorded;
    struct sg_causes causes;
    SG_SCOPED(sg_text) text = {0};
    open_run("group_gemm", &recorded);
    find(&recorded, "group_gemm", "g1_m512_n4096_k4096_bf16", "baseline", "fetch_ahead", &causes);
    assert_true(causes.found.split.added > 30 && causes.found.count == 0);
    sg_add_no_cause(&text, &causes);
    assert_string_equal(sg_text_string(&text),
                        "only its launch was counted, so no cause can be found");
    close_run(&recorded);
}
