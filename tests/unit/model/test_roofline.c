/* The speed-of-light model by hand, the published table of a grouped GEMM to its last
 * digit, and gap tables of small runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/roofline.h"
#include "results/row_kind.h"

/* 1e12 flop/s of f32, 1e13 of bf16, nothing else; 1e12 B/s: a flop or a byte a picosecond. */
static struct sg_gpu_spec round_gpu(void)
{
    static char key[] = "round";
    struct sg_gpu_spec spec = {
        .key = key, .dram_bytes_per_s = 1e12, .l2_bytes = 1e7, .sm_count = 1, .sm_clock_hz = 1e9};
    spec.flop_per_s[SG_F32] = 1e12;
    spec.flop_per_s[SG_BF16] = 1e13;
    return spec;
}

TEST(the_longest_term_binds)
{
    static const struct {
        const char *name;
        double f32, bf16, read, write, time_ns;
        bool memory_bound;
        enum sg_dtype dtype;
    } rows[] = {
        {"bytes both ways add up", 0, 0, 3e6, 1e6, 4000, true, SG_DTYPE_COUNT},
        {"arithmetic over bytes", 5e6, 0, 1e6, 1e6, 5000, false, SG_F32},
        {"bytes over arithmetic", 1e6, 0, 1e6, 1e6, 2000, true, SG_F32},
        {"a tie is the memory's", 2e6, 0, 1e6, 1e6, 2000, true, SG_F32},
        {"two formats: the slower one, not the sum", 3e6, 4e7, 0, 0, 4000, false, SG_BF16},
        {"two formats: not the larger count", 3e6, 2e7, 0, 0, 3000, false, SG_F32},
        {"no bytes at all", 1e6, 0, 0, 0, 1000, false, SG_F32},
    };
    const struct sg_gpu_spec spec = round_gpu();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_work work = {.read_bytes = rows[i].read, .write_bytes = rows[i].write};
        struct sg_err err = {0};
        struct sg_sol sol;
        work.flop[SG_F32] = rows[i].f32;
        work.flop[SG_BF16] = rows[i].bf16;
        assert_int_equal(sg_sol_model(&work, &spec, "f/c/v", &sol, &err), SG_SUCCESS);
        if (fabs(sol.time_ns - rows[i].time_ns) > 1e-9 * rows[i].time_ns ||
            sol.memory_bound != rows[i].memory_bound || sol.dtype != rows[i].dtype)
            fail_msg("%s: %g ns, memory %d, dtype %d", rows[i].name, sol.time_ns, sol.memory_bound,
                     sol.dtype);
        const double bytes = rows[i].read + rows[i].write;
        if (bytes == 0)
            assert_true(isnan(sol.intensity));
        else
            assert_true(fabs(sol.intensity - (rows[i].f32 + rows[i].bf16) / bytes) < 1e-12);
    }
}

TEST(work_that_has_no_speed_of_light_is_refused)
{
    static const struct {
        const char *name;
        double f32, e2m1, read, write;
        const char *part;
    } rows[] = {
        {"a format without a peak is named", 0, 1, 0, 0, "flop_per_s.e2m1"},
        {"even where bytes would bind", 1, 1, 1e9, 0, "e2m1"},
        {"no work at all", 0, 0, 0, 0, "no work"},
        {"negative bytes", 0, 0, -1, 2, "work_read_bytes"},
        {"infinite bytes", 0, 0, 0, INFINITY, "work_write_bytes"},
        {"flop that are no number", NAN, 0, 1, 1, "f32"},
        {"more flop a byte than a double holds", 1e300, 0, 1e-300, 0,
         "1e+300 flop over 1e-300 bytes: expected a finite intensity"},
        {"more than a double holds", 1e308, 0, 1, 1, "finite"},
    };
    const struct sg_gpu_spec spec = round_gpu();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_work work = {.read_bytes = rows[i].read, .write_bytes = rows[i].write};
        struct sg_err err = {0};
        struct sg_sol sol;
        work.flop[SG_F32] = rows[i].f32;
        work.flop[SG_E2M1] = rows[i].e2m1;
        if (i + 1 == COUNT(rows))
            work.flop[SG_BF16] = 1e308;
        if (sg_sol_model(&work, &spec, "f/c/v", &sol, &err) != SG_BAD_INPUT ||
            !strstr(err.message, rows[i].part))
            fail_msg("%s: code %d, '%s'", rows[i].name, err.code, err.message);
    }
}

static void add(struct sg_table *run, const char *variant, const char *metric, const char *unit,
                double value)
{
    const struct sg_value row = {
        .family = "f",
        .case_ = "c",
        .variant = variant,
        .metric = metric,
        .unit = unit,
        .value = value,
        .has = SG_HAS_VALUE,
        .status = SG_OK,
    };
    sg_table_add(run, &row);
}

static void add_status(struct sg_table *run, const char *variant, enum sg_status status)
{
    const struct sg_value row = {
        .family = "f", .case_ = "c", .variant = variant, .metric = "status", .status = status};
    sg_table_add(run, &row);
}

static void add_measured(struct sg_table *run, const char *variant, double time_ns)
{
    add_status(run, variant, SG_OK);
    add(run, variant, "work_flop_f32", "flop", 2e6);
    add(run, variant, "work_read_bytes", "B", 3e6);
    add(run, variant, "work_write_bytes", "B", 1e6);
    add(run, variant, "time", "ns", time_ns);
    add(run, variant, "l2_hit_rate", "%", 50);
}

/* A run in the making and its gap table. */
struct gapped {
    struct sg_table run;
    struct sg_ceilings ceilings;
    struct sg_gap *gaps;
    size_t count;
    struct sg_err err;
};

static void gapped_init(struct gapped *g)
{
    *g = (struct gapped){.gaps = NULL};
    g->run = (struct sg_table){0};
}

static void gapped_make(struct gapped *g)
{
    const struct sg_gpu_spec spec = round_gpu();
    if (sg_table_sort(&g->run, &g->err) == SG_SUCCESS)
        sg_gap_table(&g->run, &(struct sg_gap_order){.spec = &spec, .ceilings = &g->ceilings},
                     &g->gaps, &g->count, &g->err);
}

/* The line of a variant; one of zeros, which no test expects, when there is none. */
static struct sg_gap line_of(const struct gapped *g, const char *variant)
{
    for (size_t i = 0; i < g->count; i++) {
        if (strcmp(g->gaps[i].variant, variant) == 0)
            return g->gaps[i];
    }
    return (struct sg_gap){0};
}

static void gapped_release(struct gapped *g)
{
    free(g->gaps);
    sg_table_release(&g->run);
}

TEST(a_measured_variant_has_gap_and_rates)
{
    static const struct {
        const char *variant;
        double time_ns, gap;
    } rows[] = {{"at_the_limit", 4000, 1}, {"slow", 5000, 1.25}, {"fast", 3999, 0.99975}};
    struct gapped g;
    gapped_init(&g);
    for (size_t i = COUNT(rows); i-- > 0;)
        add_measured(&g.run, rows[i].variant, rows[i].time_ns);
    gapped_make(&g);
    assert_int_equal(g.count, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_gap gap = line_of(&g, rows[i].variant);
        assert_true(fabs(gap.gap - rows[i].gap) < 1e-12);
        assert_int_equal(gap.status, SG_OK);
        assert_true(fabs(gap.flop_per_s * gap.time_ns - 2e15) < 1);
        assert_true(fabs(gap.bytes_per_s * gap.time_ns - 4e15) < 1);
        assert_true(gap.sol.memory_bound && gap.sol.time_ns == 4000);
    }
    gapped_release(&g);
}

static void add_ratio(struct sg_table *run, const char *variant, double ratio, const char *message)
{
    const struct sg_value row = {.family = "f",
                                 .case_ = "c",
                                 .variant = variant,
                                 .metric = "time_ratio",
                                 .unit = "1",
                                 .value = ratio,
                                 .low = ratio - 0.01,
                                 .high = ratio + 0.02,
                                 .has = SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH,
                                 .status = SG_OK,
                                 .message = message};
    sg_table_add(run, &row);
}

TEST(a_pair_stands_on_the_time_of_its_baseline)
{
    static const struct {
        const char *variant, *message;
        double measured_ns, ratio; /* ratio 0: none */
        double time_ns, low_ns;    /* low_ns 0: none */
    } rows[] = {
        {"base", "base", 8000, 1.001, 8000, 0},
        {"measured_faster_paired_slower", "base", 7900, 1.016, 8128, 8048},
        {"of_a_partner_without_a_time", "lost", 7000, 1.2, 7000, 0},
        {"of_a_message_that_names_none", "", 7000, 1.2, 7000, 0},
        {"not_paired", NULL, 6000, 0, 6000, 0},
    };
    struct gapped g;
    gapped_init(&g);
    add_status(&g.run, "lost", SG_HANG);
    for (size_t i = 0; i < COUNT(rows); i++) {
        add_measured(&g.run, rows[i].variant, rows[i].measured_ns);
        if (rows[i].ratio > 0)
            add_ratio(&g.run, rows[i].variant, rows[i].ratio, rows[i].message);
    }
    gapped_make(&g);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_gap gap = line_of(&g, rows[i].variant);
        const bool has_low = rows[i].low_ns > 0;
        if (fabs(gap.time_ns - rows[i].time_ns) > 1e-6 || gap.measured_ns != rows[i].measured_ns ||
            isnan(gap.low_ns) == has_low || (has_low && fabs(gap.low_ns - rows[i].low_ns) > 1e-6) ||
            fabs(gap.gap - rows[i].time_ns / 4000) > 1e-9)
            fail_msg("%s: %g ns [%g, %g], %gx", rows[i].variant, gap.time_ns, gap.low_ns,
                     gap.high_ns, gap.gap);
    }
    gapped_release(&g);
}

TEST(no_limit_is_below_the_launch)
{
    static const struct {
        double launch_ns, limit_ns;
        const char *bound;
    } rows[] = {{0, 4000, "memory"}, {3999, 4000, "memory"}, {5000, 5000, "launch"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gapped g;
        gapped_init(&g);
        g.ceilings.launch_ns = rows[i].launch_ns;
        add_measured(&g.run, "v", 10000);
        gapped_make(&g);
        const struct sg_gap gap = line_of(&g, "v");
        assert_true(gap.limit_ns == rows[i].limit_ns && gap.sol.time_ns == 4000);
        assert_true(fabs(gap.gap - 10000 / rows[i].limit_ns) < 1e-12 && gap.of_peak == 0.4);
        assert_string_equal(sg_gap_bound(&gap), rows[i].bound);
        gapped_release(&g);
    }
}

TEST(a_limit_of_guessed_work_is_named_so)
{
    const struct sg_gap gap = {.kind = SG_GUESSED_WORK, .sol = {.memory_bound = true}};
    assert_string_equal(sg_gap_bound(&gap), "guessed memory");
}

/* Counters of a kernel, of which 2 MB go to and from DRAM, 2000 ns at the peak. */
struct counts {
    const char *metric;
    double value;
};

static void add_counts(struct sg_table *run, const char *variant, const struct counts *counts)
{
    add_status(run, variant, SG_OK);
    add(run, variant, "time", "ns", 10000);
    add(run, variant, "dram_read_bytes", "B", 1.5e6);
    add(run, variant, "dram_write_bytes", "B", 5e5);
    for (size_t i = 0; i < 5 && counts[i].metric; i++)
        add(run, variant, counts[i].metric, strncmp(counts[i].metric, "pipe", 4) ? "inst" : "%",
            counts[i].value);
}

TEST(counted_work_has_a_limit_of_what_takes_longest)
{
    static const struct {
        const char *sentence;
        struct counts counts[5];
        double flop, limit_ns; /* 0: no line */
        const char *bound;
    } rows[] = {
        {"bytes", {{"ffma", 1e5}}, 2e5, 2000, "memory"},
        {"a multiply-add is two flop",
         {{"fadd", 1e6}, {"fmul", 1e6}, {"ffma", 1e6}},
         4e6,
         4000,
         "f32"},
        {"pairs", {{"ffma", 0}, {"fops2", 2e6}, {"ffma2", 1e6}}, 6e6, 6000, "f32"},
        {"the tensor pipe",
         {{"ffma", 0}, {"tensor_bf16", 3e7}, {"pipe_tensor", 80}},
         3e7,
         3000,
         "bf16"},
        {"a busy unit", {{"ffma", 1e5}, {"pipe_xu", 50}, {"pipe_fma", 40}}, 2e5, 5000, "XU"},
        {"a unit that is less busy", {{"ffma", 1e5}, {"pipe_xu", 10}}, 2e5, 2000, "memory"},
        {"no opcodes", {{"pipe_xu", 50}}, 0, 0, ""},
        {"a tensor pipe without counters", {{"ffma", 1e5}, {"pipe_tensor", 80}}, 0, 0, ""},
        {"a format without a peak", {{"ffma", 1e5}, {"tensor_i8", 1e9}}, 0, 0, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gapped g;
        gapped_init(&g);
        add_counts(&g.run, "k", rows[i].counts);
        gapped_make(&g);
        const struct sg_gap gap = line_of(&g, "k");
        if (g.err.code != SG_SUCCESS || g.count != (rows[i].limit_ns > 0) ||
            fabs(gap.limit_ns - rows[i].limit_ns) > 1e-9 * rows[i].limit_ns ||
            (g.count > 0 &&
             (gap.kind != SG_COUNTED_WORK || sg_work_flop(&gap.counted) != rows[i].flop ||
              fabs(gap.of_peak - rows[i].limit_ns / 10000) > 1e-12 ||
              strcmp(sg_gap_bound(&gap), rows[i].bound) != 0)))
            fail_msg("%s: %zu lines, %g ns, bound by %s: %s", rows[i].sentence, g.count,
                     gap.limit_ns, g.count > 0 ? sg_gap_bound(&gap) : "", g.err.message);
        gapped_release(&g);
    }
}

TEST(declared_work_stays_next_to_what_was_counted)
{
    static const struct counts counts[5] = {{"ffma", 1.5e6}, {"pipe_xu", 100}};
    struct gapped g;
    gapped_init(&g);
    add_measured(&g.run, "a", 8000);
    add_counts(&g.run, "b", counts);
    gapped_make(&g);
    const struct sg_gap gap = line_of(&g, "b");
    assert_int_equal(g.count, 2);
    assert_true(gap.kind == SG_DECLARED_WORK && gap.limit_ns == 4000 && gap.is_counted);
    assert_true(sg_work_flop(&gap.counted) == 3e6 && sg_work_bytes(&gap.counted) == 2e6);
    assert_false(line_of(&g, "a").is_counted);
    gapped_release(&g);
}

TEST(a_range_is_the_sum_of_its_counted_kernels)
{
    static const struct counts xu[5] = {{"ffma", 1e5}, {"pipe_xu", 50}}, bytes[5] = {{"ffma", 1e5}};
    static const struct {
        const char *variant;
        const struct counts *counts;
        double launches;
    } rows[] = {{"a", xu, 3}, {"b", bytes, 10}, {"graph", NULL, 4}};
    struct gapped g;
    gapped_init(&g);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].counts)
            add_counts(&g.run, rows[i].variant, rows[i].counts);
        add(&g.run, rows[i].variant, SG_LAUNCHES_METRIC, "1", rows[i].launches);
        add(&g.run, rows[i].variant, SG_TOTAL_METRIC, "ns", rows[i].launches * 10000);
    }
    gapped_make(&g);
    const struct sg_gap whole = line_of(&g, SG_WHOLE_RANGE);
    assert_int_equal(g.count, 3);
    assert_true(whole.time_ns == 130000 && fabs(whole.limit_ns - (3 * 5000 + 10 * 2000)) < 1e-6);
    assert_true(fabs(whole.of_range - 13.0 / 17) < 1e-12 && sg_work_bytes(&whole.work) == 26e6);
    assert_true(fabs(line_of(&g, "a").of_range - 3.0 / 13) < 1e-12);
    assert_string_equal(sg_gap_bound(&whole), "memory");
    gapped_release(&g);
}

/* An SM of the round GPU holds 64 warps: of 256 threads a block, 75 % of them are 6 blocks. */
TEST(waves_are_blocks_over_those_that_all_sms_hold)
{
    static const struct {
        const char *sentence;
        double grid, block, occupancy, kernels, sm_count, waves; /* NaN: not there, or not known */
    } rows[] = {
        {"one and a half", 90, 256, 75, 1, 10, 1.5},
        {"warps are whole", 80, 225, 100, 1, 10, 1},
        {"of several kernels nobody knows", 90, 256, 75, 2, 10, NAN},
        {"of another GPU neither", 90, 256, 75, 1, 0, NAN},
        {"without an occupancy neither", 90, 256, NAN, 1, 10, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_gpu_spec spec = round_gpu();
        struct gapped g;
        gapped_init(&g);
        spec.sm_warps = 64;
        add_measured(&g.run, "v", 10000);
        add(&g.run, "v", "grid", "block", rows[i].grid);
        add(&g.run, "v", "block", "thread", rows[i].block);
        if (!isnan(rows[i].occupancy))
            add(&g.run, "v", "occupancy_theoretical", "%", rows[i].occupancy);
        add(&g.run, "v", "kernels", "1", rows[i].kernels);
        assert_int_equal(sg_table_sort(&g.run, &g.err), SG_SUCCESS);
        const struct sg_gap_order order = {
            .spec = &spec, .ceilings = &g.ceilings, .sm_count = rows[i].sm_count};
        assert_int_equal(sg_gap_table(&g.run, &order, &g.gaps, &g.count, &g.err), SG_SUCCESS);
        const double waves = line_of(&g, "v").waves;
        if (isnan(waves) != isnan(rows[i].waves) || fabs(waves - rows[i].waves) > 1e-12)
            fail_msg("%s: %g", rows[i].sentence, waves);
        gapped_release(&g);
    }
}

/* 4000 ns by bytes, 2000 ns by arithmetic; both ceilings are lower than the peaks. */
TEST(what_is_reached_is_a_share_of_the_peak_and_of_the_ceiling)
{
    static const struct {
        const char *name;
        double dram, f32; /* ceilings; 0: not measured */
        double of_measured;
    } rows[] = {
        {"nothing measured, nothing said", 0, 0, NAN},
        {"memory binds at the ceilings as at the peaks", 0.8e12, 0.9e12, 0.5},
        {"the ceiling of what does not bind is not asked for", 0.8e12, 0, 0.5},
        {"arithmetic binds at the ceilings, if slow enough", 0.8e12, 0.25e12, 0.8},
        {"a ceiling of arithmetic that does not bind is none of memory", 0, 0.9e12, NAN},
        {"one that binds alone is enough", 0, 0.25e12, 0.8},
        {"a ceiling may be beaten", 0.25e12, 0, 1.6},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gapped g;
        gapped_init(&g);
        g.ceilings.dram_bytes_per_s = rows[i].dram;
        g.ceilings.flop_per_s[SG_F32] = rows[i].f32;
        add_measured(&g.run, "v", 10000);
        gapped_make(&g);
        const struct sg_gap gap = line_of(&g, "v");
        if (fabs(gap.of_peak - 0.4) > 1e-12 ||
            isnan(gap.of_measured) != isnan(rows[i].of_measured) ||
            fabs(gap.of_measured - rows[i].of_measured) > 1e-12)
            fail_msg("%s: %g of the peak, %g of the ceiling, expected %g", rows[i].name,
                     gap.of_peak, gap.of_measured, rows[i].of_measured);
        gapped_release(&g);
    }
}

/* Half of the blocks are there: a dense kernel that takes 8 us would need 4 us for them. */
TEST(a_sparse_kernel_is_held_against_a_dense_one)
{
    struct gapped g;
    gapped_init(&g);
    add_measured(&g.run, "sparse", 5000);
    add_measured(&g.run, "dense", 8000);
    add(&g.run, "dense", SG_DENSITY_METRIC, "1", 0.5);
    add_measured(&g.run, "slower_dense", 9000);
    add(&g.run, "slower_dense", SG_DENSITY_METRIC, "1", 0.5);
    add_status(&g.run, "broken", SG_CRASH);
    gapped_make(&g);
    assert_int_equal(g.err.code, SG_SUCCESS);
    assert_true(fabs(line_of(&g, "sparse").of_dense - 0.8) < 1e-12);
    assert_true(fabs(line_of(&g, "dense").of_dense - 0.5) < 1e-12);
    assert_true(fabs(line_of(&g, "slower_dense").of_dense - 4.0 / 9) < 1e-12);
    assert_true(isnan(line_of(&g, "broken").of_dense));
    assert_true(isnan(line_of(&g, "sparse").density));
    gapped_release(&g);
    /* One that was not timed is none. */
    gapped_init(&g);
    add_measured(&g.run, "sparse", 5000);
    add_status(&g.run, "dense", SG_OK);
    add(&g.run, "dense", SG_DENSITY_METRIC, "1", 0.5);
    gapped_make(&g);
    assert_true(isnan(line_of(&g, "sparse").of_dense));
    gapped_release(&g);
}

TEST(a_density_is_a_share)
{
    static const double wrong[] = {0, -0.5, 1.01, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(wrong) + 1; i++) {
        struct gapped g;
        gapped_init(&g);
        add_measured(&g.run, "dense", 8000);
        add(&g.run, "dense", SG_DENSITY_METRIC, i < COUNT(wrong) ? "1" : "%",
            i < COUNT(wrong) ? wrong[i] : 0.5);
        gapped_make(&g);
        assert_int_equal(g.err.code, SG_BAD_INPUT);
        assert_non_null(strstr(g.err.message,
                               i < COUNT(wrong) ? "over 0 and at most 1" : "expected the unit 1"));
        gapped_release(&g);
    }
}

TEST(a_variant_that_failed_has_a_line_with_the_work_of_its_case)
{
    struct gapped g;
    gapped_init(&g);
    add_status(&g.run, "broken", SG_CRASH);
    add_measured(&g.run, "fine", 8000);
    gapped_make(&g);
    assert_int_equal(g.count, 2);
    const struct sg_gap broken = line_of(&g, "broken");
    assert_int_equal(broken.status, SG_CRASH);
    assert_true(isnan(broken.time_ns) && isnan(broken.gap) && isnan(broken.flop_per_s) &&
                isnan(broken.bytes_per_s));
    assert_true(broken.sol.time_ns == 4000);
    assert_true(line_of(&g, "fine").gap == 2);
    gapped_release(&g);
}

TEST(a_case_that_says_no_work_has_no_line)
{
    struct gapped g;
    gapped_init(&g);
    add(&g.run, "v", "time", "ns", 1000);
    gapped_make(&g);
    assert_int_equal(g.count, 0);
    assert_int_equal(g.err.code, SG_SUCCESS);
    gapped_release(&g);
}

TEST(a_run_that_cannot_be_is_refused_with_the_row)
{
    static const struct {
        const char *name, *metric, *unit;
        double value;
        const char *part;
    } rows[] = {
        {"a time of 0", "time", "ns", 0, "over 0"},
        {"a negative time", "time", "ns", -5, "over 0"},
        {"a time that is none", "time", "ns", NAN, "over 0, found nan"},
        {"a time in another unit", "time", "us", 5, "unit ns"},
        {"a time that makes a rate infinite", "time", "ns", 1e-300, "finite"},
        {"work in another unit", "work_flop_bf16", "1", 5, "unit flop"},
        {"work in a format that there is none of", "work_flop_nvfp4", "flop", 5,
         "e2m1 i32 i8; found 'work_flop_nvfp4'"},
        {"work of another kind", "work_atomics", "1", 5, "found 'work_atomics'"},
        {"work in a format without a peak", "work_flop_i8", "flop", 5, "flop_per_s.i8"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gapped g;
        gapped_init(&g);
        add(&g.run, "v", "work_read_bytes", "B", 1e6);
        add(&g.run, "v", rows[i].metric, rows[i].unit, rows[i].value);
        gapped_make(&g);
        const bool named =
            strcmp(g.err.where, "f/c/v") == 0 || strncmp(g.err.message, "f/c/v ", 6) == 0;
        if (g.err.code != SG_BAD_INPUT || !strstr(g.err.message, rows[i].part) || !named)
            fail_msg("%s: code %d at '%s', '%s'", rows[i].name, g.err.code, g.err.where,
                     g.err.message);
        assert_true(g.count == 0 && g.gaps == NULL);
        gapped_release(&g);
    }
}
