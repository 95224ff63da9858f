/* What cannot be: limits from both sides, what the L2 leaves to DRAM, the clock,
 * counters, and what is not known. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/physics.h"
#include "reports/report.h"

#define MB 1e6

/* 1e12 flop/s of f32 at 1 GHz and 1e13 of bf16 at 2 GHz, nothing else; 1e12 B/s: a flop or
 * a byte a picosecond. 8 MB of L2. */
static struct sg_gpu_spec round_gpu(void)
{
    static char key[] = "round";
    struct sg_gpu_spec spec = {.key = key,
                               .dram_bytes_per_s = 1e12,
                               .l2_bytes = 8 * MB,
                               .sm_count = 1,
                               .sm_clock_hz = 1e9};
    spec.flop_per_s[SG_F32] = 1e12;
    spec.flop_per_s[SG_BF16] = 1e13;
    spec.flop_clock_hz[SG_BF16] = 2e9;
    return spec;
}

/* One variant of which nothing is known but what a row of a test says. */
struct known {
    const char *sentence;
    double f32, bf16, read, write; /* work */
    double time_ns, clock_hz;      /* 0: the clock was not measured */
    bool declared;
    enum sg_l2 l2;
    double ceiling; /* B/s; 0: none */
    enum sg_l2 ceiling_l2;
    enum sg_physics_finding finding;
    double needed_ns;
    enum sg_bound bound;
};

static struct sg_evidence evidence_of(const struct known *known)
{
    struct sg_evidence e = {.work = {.read_bytes = known->read, .write_bytes = known->write},
                            .time_ns = known->time_ns,
                            .sm_clock_hz = known->clock_hz > 0 ? known->clock_hz : NAN,
                            .dram_read_bytes = NAN};
    e.work.flop[SG_F32] = known->f32;
    e.work.flop[SG_BF16] = known->bf16;
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        e.pipe[pipe] = NAN;
    return e;
}

static void check(const struct known *known, const struct sg_gpu_spec *spec)
{
    const struct sg_evidence e = evidence_of(known);
    const struct sg_ceilings ceilings = {.dram_bytes_per_s = known->ceiling,
                                         .l2 = known->ceiling_l2};
    const struct sg_limits limits = {.spec = spec,
                                     .ceilings = &ceilings,
                                     .l2 = known->l2,
                                     .l2_declared = known->declared,
                                     .l2_bytes = NAN};
    const struct sg_physics physics = sg_physics_judge(&e, &limits);
    if (physics.finding != known->finding)
        fail_msg("%s: found '%s'", known->sentence, sg_physics_words(physics.finding));
    if (physics.finding != SG_TOO_FAST)
        return;
    if (physics.found != known->time_ns || fabs(physics.needed - known->needed_ns) > 1e-6 ||
        physics.bound != known->bound)
        fail_msg("%s: %g ns, needed %g, by bound %d", known->sentence, physics.found,
                 physics.needed, physics.bound);
}

TEST(a_time_is_held_against_what_its_work_takes)
{
    static const struct known rows[] = {
        {"bytes at the peak", .read = 10 * MB, .time_ns = 10000, .declared = true},
        {"a little under is a matter of clocks", .read = 10 * MB, .time_ns = 9801,
         .declared = true},
        {"under 98 % is not", .read = 10 * MB, .time_ns = 9799, .declared = true,
         .finding = SG_TOO_FAST, .needed_ns = 10000, .bound = SG_BOUND_DRAM_PEAK},
        {"outputs may stay in a clean L2", .read = 10 * MB, .write = 8 * MB, .time_ns = 9801,
         .declared = true, .l2 = SG_L2_CLEAN},
        {"those that do not fit may not", .read = 10 * MB, .write = 10 * MB, .time_ns = 11000,
         .declared = true, .l2 = SG_L2_CLEAN, .finding = SG_TOO_FAST, .needed_ns = 12000,
         .bound = SG_BOUND_DRAM_PEAK},
        {"only what is written may stay", .read = 20 * MB, .write = 1 * MB, .time_ns = 19000,
         .declared = true, .l2 = SG_L2_CLEAN, .finding = SG_TOO_FAST, .needed_ns = 20000,
         .bound = SG_BOUND_DRAM_PEAK},
        {"in a warm one, too", .read = 8 * MB, .write = 8 * MB, .time_ns = 1, .declared = true,
         .l2 = SG_L2_WARM},
        {"a cold one is full: as much must leave it", .read = 10 * MB, .write = 8 * MB,
         .time_ns = 17000, .declared = true, .finding = SG_TOO_FAST, .needed_ns = 18000,
         .bound = SG_BOUND_DRAM_PEAK},
        {"a copy in one, at 1.21 of the peak", .read = 134 * MB, .write = 134 * MB,
         .time_ns = 268000 / 1.21, .declared = true, .finding = SG_TOO_FAST, .needed_ns = 268000,
         .bound = SG_BOUND_DRAM_PEAK},
        {"outputs alone", .write = 10 * MB, .time_ns = 9801, .declared = true},
        {"one that nobody declared is as full", .read = 10 * MB, .write = 8 * MB, .time_ns = 17000,
         .finding = SG_TOO_FAST, .needed_ns = 18000, .bound = SG_BOUND_DRAM_PEAK},
        {"a clean L2 holds no inputs either", .read = 10 * MB, .time_ns = 9000, .declared = true,
         .l2 = SG_L2_CLEAN, .finding = SG_TOO_FAST, .needed_ns = 10000,
         .bound = SG_BOUND_DRAM_PEAK},
        {"one that nobody declared is taken for cold", .read = 10 * MB, .time_ns = 9000,
         .finding = SG_TOO_FAST, .needed_ns = 10000, .bound = SG_BOUND_DRAM_PEAK},
        {"a warm L2 holds as much as fits", .read = 8 * MB, .time_ns = 1, .declared = true,
         .l2 = SG_L2_WARM},
        {"and not more", .read = 20 * MB, .time_ns = 11000, .declared = true, .l2 = SG_L2_WARM,
         .finding = SG_TOO_FAST, .needed_ns = 12000, .bound = SG_BOUND_DRAM_PEAK},
        {"nor does it compute", .f32 = 10 * MB, .time_ns = 9799, .declared = true, .l2 = SG_L2_WARM,
         .finding = SG_TOO_FAST, .needed_ns = 10000, .bound = SG_BOUND_ARITHMETIC},
        {"the longer of the two", .f32 = 10 * MB, .read = 20 * MB, .time_ns = 15000,
         .declared = true, .finding = SG_TOO_FAST, .needed_ns = 20000, .bound = SG_BOUND_DRAM_PEAK},
        {"a kernel without work", .time_ns = 1e-9, .declared = true},
        {"no time", .read = 10 * MB, .time_ns = NAN, .declared = true},
    };
    const struct sg_gpu_spec spec = round_gpu();
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&rows[i], &spec);
}

TEST(peaks_go_with_the_clock_that_was_measured)
{
    static const struct known rows[] = {
        {"at the clock of the peak", .f32 = 10 * MB, .clock_hz = 1e9, .time_ns = 9801},
        {"at half the clock it takes twice as long", .f32 = 10 * MB, .clock_hz = 0.5e9,
         .time_ns = 19000, .finding = SG_TOO_FAST, .needed_ns = 20000,
         .bound = SG_BOUND_ARITHMETIC},
        {"which is allowed", .f32 = 10 * MB, .clock_hz = 0.5e9, .time_ns = 19601},
        {"above the clock of the peak a time may be shorter", .f32 = 10 * MB, .clock_hz = 2e9,
         .time_ns = 5000},
        {"but not by more", .f32 = 10 * MB, .clock_hz = 2e9, .time_ns = 4899,
         .finding = SG_TOO_FAST, .needed_ns = 5000, .bound = SG_BOUND_ARITHMETIC},
        {"a peak that is stated at another clock", .bf16 = 100 * MB, .clock_hz = 1e9,
         .time_ns = 19000, .finding = SG_TOO_FAST, .needed_ns = 20000,
         .bound = SG_BOUND_ARITHMETIC},
        {"without a clock peaks are what they are stated at", .bf16 = 100 * MB, .time_ns = 9801},
        {"and no more", .bf16 = 100 * MB, .time_ns = 9799, .finding = SG_TOO_FAST,
         .needed_ns = 10000, .bound = SG_BOUND_ARITHMETIC},
        {"two formats at a time", .f32 = 10 * MB, .bf16 = 100 * MB, .clock_hz = 2e9,
         .time_ns = 9801},
        {"DRAM does not follow the SMs", .read = 10 * MB, .clock_hz = 4e9, .time_ns = 9799,
         .finding = SG_TOO_FAST, .needed_ns = 10000, .bound = SG_BOUND_DRAM_PEAK},
    };
    const struct sg_gpu_spec spec = round_gpu();
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&rows[i], &spec);
}

/* 0.8 TB/s measured, where 1 is the peak: at 0.9 of its 12.5 us, not at 0.98 of 10. */
TEST(a_measured_ceiling_is_the_nearer_limit)
{
    static const struct known rows[] = {
        {"beaten by a tenth", .read = 10 * MB, .time_ns = 11251, .declared = true,
         .ceiling = 0.8e12},
        {"beaten by more", .read = 10 * MB, .time_ns = 11249, .declared = true, .ceiling = 0.8e12,
         .finding = SG_TOO_FAST, .needed_ns = 12500, .bound = SG_BOUND_DRAM_CEILING},
        {"one of a clean L2 is the highest there is", .read = 10 * MB, .time_ns = 11249,
         .declared = true, .ceiling = 0.8e12, .ceiling_l2 = SG_L2_CLEAN, .finding = SG_TOO_FAST,
         .needed_ns = 12500, .bound = SG_BOUND_DRAM_CEILING},
        {"one of a cold L2 says nothing of a clean one", .read = 10 * MB, .time_ns = 11249,
         .declared = true, .l2 = SG_L2_CLEAN, .ceiling = 0.8e12},
        {"nor of one that nobody declared", .read = 10 * MB, .time_ns = 11249, .ceiling = 0.8e12},
        {"one above the peak leaves the peak", .read = 10 * MB, .time_ns = 9799, .declared = true,
         .ceiling = 2e12, .finding = SG_TOO_FAST, .needed_ns = 10000, .bound = SG_BOUND_DRAM_PEAK},
        {"a copy has it", .read = 10 * MB, .write = 10 * MB, .time_ns = 22499, .declared = true,
         .ceiling = 0.8e12, .finding = SG_TOO_FAST, .needed_ns = 25000,
         .bound = SG_BOUND_DRAM_CEILING},
        {"a kernel that only writes does not", .write = 10 * MB, .time_ns = 9801, .declared = true,
         .ceiling = 0.8e12},
        {"bytes beyond a warm L2 come at its rate", .read = 18 * MB, .time_ns = 11249,
         .declared = true, .l2 = SG_L2_WARM, .ceiling = 0.8e12, .ceiling_l2 = SG_L2_CLEAN,
         .finding = SG_TOO_FAST, .needed_ns = 12500, .bound = SG_BOUND_DRAM_CEILING},
    };
    const struct sg_gpu_spec spec = round_gpu();
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&rows[i], &spec);
}

TEST(what_is_not_known_is_not_judged)
{
    static const struct known rows[] = {
        {"no spec", .f32 = 10 * MB, .read = 10 * MB, .time_ns = 1},
        {"work that is no number", .f32 = NAN, .read = NAN, .write = NAN, .time_ns = 1},
    };
    const struct sg_gpu_spec spec = round_gpu();
    check(&rows[0], NULL);
    check(&rows[1], &spec);

    struct sg_work work = {.flop[SG_F32] = 1};
    assert_int_equal(sg_physics_lacks(&work, &spec), SG_DTYPE_COUNT);
    work.flop[SG_I8] = 1;
    assert_int_equal(sg_physics_lacks(&work, &spec), SG_I8);
    struct sg_evidence e = evidence_of(&(struct known){.read = 10 * MB, .time_ns = 1});
    e.work.flop[SG_I8] = 1e30;
    const struct sg_ceilings none = {.dram_bytes_per_s = 0};
    const struct sg_physics physics = sg_physics_judge(
        &e, &(struct sg_limits){.spec = &spec, .ceilings = &none, .l2_bytes = NAN});
    assert_true(physics.finding == SG_TOO_FAST &&
                physics.bound == SG_BOUND_DRAM_PEAK); /* its bytes are judged all the same */
}

/* The driver may say more of the L2 than the spec. */
TEST(the_larger_l2_counts)
{
    const struct sg_gpu_spec spec = round_gpu();
    const struct sg_ceilings none = {.dram_bytes_per_s = 0};
    struct sg_limits limits = {.spec = &spec,
                               .ceilings = &none,
                               .l2 = SG_L2_WARM,
                               .l2_declared = true,
                               .l2_bytes = 20 * MB};
    const struct sg_evidence e = evidence_of(&(struct known){.read = 20 * MB, .time_ns = 1});
    assert_int_equal(sg_physics_judge(&e, &limits).finding, SG_POSSIBLE);
    limits.l2_bytes = 1 * MB;
    assert_int_equal(sg_physics_judge(&e, &limits).finding, SG_TOO_FAST);
}

TEST(counters_that_contradict_the_work)
{
    static const struct {
        const char *sentence;
        bool declared;
        enum sg_l2 l2;
        double dram_read; /* of 10 MB */
        enum sg_physics_finding finding;
    } rows[] = {
        {"all of the inputs", true, SG_L2_COLD, 10 * MB, SG_POSSIBLE},
        {"more than that", true, SG_L2_COLD, 30 * MB, SG_POSSIBLE},
        {"nine tenths", true, SG_L2_COLD, 9 * MB, SG_POSSIBLE},
        {"less", true, SG_L2_COLD, 8.7 * MB, SG_OTHER_L2},
        {"next to nothing", true, SG_L2_CLEAN, 0, SG_OTHER_L2},
        {"which is right of a warm L2", true, SG_L2_WARM, 0, SG_POSSIBLE},
        {"and of one that nobody declared may be", false, SG_L2_COLD, 0, SG_POSSIBLE},
        {"of a warm one it is wrong to read all", true, SG_L2_WARM, 10 * MB, SG_OTHER_L2},
        {"not counted", true, SG_L2_COLD, NAN, SG_POSSIBLE},
    };
    const struct sg_gpu_spec spec = round_gpu();
    const struct sg_ceilings none = {.dram_bytes_per_s = 0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_limits limits = {.spec = &spec,
                                         .ceilings = &none,
                                         .l2 = rows[i].l2,
                                         .l2_declared = rows[i].declared,
                                         .l2_bytes = 60 * MB};
        struct sg_evidence e = evidence_of(&(struct known){.read = 10 * MB, .time_ns = 1e9});
        e.dram_read_bytes = rows[i].dram_read;
        if (sg_physics_judge(&e, &limits).finding != rows[i].finding)
            fail_msg("%s", rows[i].sentence);
    }
}

TEST(pipes_that_did_nothing_contradict_arithmetic)
{
    static const struct {
        const char *sentence;
        double f32, f64;
        double tensor, tc, fma, alu, fp64, xu;
        enum sg_physics_finding finding;
    } rows[] = {
        {"none of them was busy", 1, 0, 0, 0, 0, 0, 0, 0, SG_IDLE_PIPES},
        {"nor need all be there to say so", 1, 0, 0, NAN, 0, 0, NAN, NAN, SG_IDLE_PIPES},
        {"products may be on tensor pipes", 1, 0, 5, 0, 0, 0, 0, 0, SG_POSSIBLE},
        {"on those of another name", 1, 0, 0, 5, 0, 0, 0, 0, SG_POSSIBLE},
        {"or on none of them", 1, 0, 0, 0, 5, 0, 0, 0, SG_POSSIBLE},
        {"as integers", 1, 0, 0, 0, 0, 1e-4, 0, 0, SG_POSSIBLE},
        {"as roots and powers", 1, 0, 0, 0, 0, 0, 0, 5, SG_POSSIBLE},
        {"a pipe that was not counted may have done it", 1, 0, NAN, 0, 0, 0, 0, 0, SG_POSSIBLE},
        {"in double precision that is one more", 0, 1, 0, NAN, 0, 0, NAN, NAN, SG_POSSIBLE},
        {"unless it was counted", 0, 1, 0, NAN, 0, 0, 0, NAN, SG_IDLE_PIPES},
        {"a copy computes nothing", 0, 0, 0, 0, 0, 0, 0, 0, SG_POSSIBLE},
    };
    const struct sg_gpu_spec spec = round_gpu();
    const struct sg_ceilings none = {.dram_bytes_per_s = 0};
    const struct sg_limits limits = {.spec = &spec, .ceilings = &none, .l2_bytes = NAN};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_evidence e = evidence_of(&(struct known){.f32 = rows[i].f32, .time_ns = 1e9});
        e.work.flop[SG_F64] = rows[i].f64;
        e.pipe[SG_PIPE_TENSOR] = rows[i].tensor;
        e.pipe[SG_PIPE_TC] = rows[i].tc;
        e.pipe[SG_PIPE_FMA] = rows[i].fma;
        e.pipe[SG_PIPE_ALU] = rows[i].alu;
        e.pipe[SG_PIPE_FP64] = rows[i].fp64;
        e.pipe[SG_PIPE_XU] = rows[i].xu;
        if (sg_physics_judge(&e, &limits).finding != rows[i].finding)
            fail_msg("%s", rows[i].sentence);
        e.time_ns = NAN;
        assert_int_equal(sg_physics_judge(&e, &limits).finding, SG_POSSIBLE);
    }
}

TEST(a_reason_has_its_numbers)
{
    static const struct {
        struct sg_physics physics;
        const char *words;
    } rows[] = {
        {{SG_TOO_FAST, 38200, 61000, SG_BOUND_ARITHMETIC, 1.755e9, true, SG_L2_COLD},
         "38.20 us for work that takes 61.00 us at 1.755 GHz: "},
        {{SG_TOO_FAST, 38200, 61000, SG_BOUND_ARITHMETIC, 1.83e9, false, SG_L2_COLD},
         "at 1.83 GHz, the clock of the peaks, as none was measured: "},
        {{SG_TOO_FAST, 5, 61000, SG_BOUND_DRAM_PEAK, 4.8e12, false, SG_L2_COLD},
         "5.000 ns for work that takes 61.00 us at 4.80 TB/s, the peak of DRAM: "},
        {{SG_TOO_FAST, 5, 61000, SG_BOUND_DRAM_CEILING, 4.18e12, false, SG_L2_COLD},
         "at 4.18 TB/s, the measured ceiling of DRAM: "},
        {{SG_OTHER_L2, 3e6, 117e6, SG_BOUND_ARITHMETIC, 0, false, SG_L2_CLEAN},
         "read 3.00 MB from DRAM, and its inputs are 117 MB: the kernel skips work, or the L2 held "
         "them, though it is declared clean"},
        {{SG_OTHER_L2, 117e6, 117e6, SG_BOUND_ARITHMETIC, 0, false, SG_L2_WARM},
         "the L2 did not hold them, though it is declared warm"},
        {{SG_IDLE_PIPES, 0, 12.9e9, SG_BOUND_ARITHMETIC, 0, false, SG_L2_COLD},
         "no operation was counted on any pipe that can compute, and the work is 12.9 Gflop"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) text = {0};
        sg_add_physics(&text, &rows[i].physics);
        if (!text.data || !strstr(text.data, rows[i].words))
            fail_msg("'%s' is not in '%s'", rows[i].words, sg_text_string(&text));
    }
    struct sg_text none = {0};
    sg_add_physics(&none, &(struct sg_physics){.finding = SG_POSSIBLE});
    assert_int_equal(none.length, 0);
}
