/* stats/clock_model.h: what the batches say of the clock, and how far a time is shifted by it. */
#include "check.h"
#include "near.h"
#include "stats/clock_model.h"
#include "util/random.h"

TEST(clock_shifts)
{
    const double f0 = 1.7e9;
    static const struct {
        const char *sentence;
        double f, f0, beta, ln, sd;
    } rows[] = {
        {"the same clock", 1, 1, 1.0, 0, 0},
        {"bound by the clock, 10 % faster", 1.1, 1, 1.0, 0.0953101798, 0.00953101798},
        {"bound by memory, 10 % faster", 1.1, 1, 0.0, 0, 0.00953101798},
        {"beta not known", 1.1, 1, NAN, 0.0476550899, 0.0285930539},
        {"clock not known", NAN, 1, 1.0, 0, SG_NO_CLOCK_SD},
        {"accepted clock not known", 1, NAN, 1.0, 0, SG_NO_CLOCK_SD},
        {"clock of 0 is not known", 0, 1, 1.0, 0, SG_NO_CLOCK_SD},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_clock_shift shift =
            sg_clock_shift_of(rows[i].f * f0, rows[i].f0 * f0, rows[i].beta);
        assert_near(rows[i].sentence, shift.ln, rows[i].ln, 1e-9);
        assert_near(rows[i].sentence, shift.sd, rows[i].sd, 1e-9);
    }
}

/* A clock of 5 processes of 96 batches: how far it wanders (sd, ln), how alike neighbours are,
 * and how badly it is read (sd, ln). */
struct clock {
    double wander, memory, misread;
};

/* Time follows the clock by beta, plus noise of processes and batches. */
static struct sg_clock_fit fit_of_clock(double beta, const struct clock *c, double sd_process,
                                        double day, uint64_t seed)
{
    enum { PROCESSES = 5, BATCHES = 96, RUNS = 2 };
    struct sg_batch_point points[RUNS * PROCESSES * BATCHES];
    uint64_t random = seed;
    size_t count = 0;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t process = 0; process < PROCESSES; process++) {
            const double level = sd_process * sg_random_normal(&random) + (double)run * day;
            double clock = c->wander * sg_random_normal(&random);
            for (size_t batch = 0; batch < BATCHES; batch++) {
                clock = c->memory * clock +
                        sqrt(1 - c->memory * c->memory) * c->wander * sg_random_normal(&random);
                points[count++] = (struct sg_batch_point){
                    .run = run,
                    .process = process,
                    .ns = 10000 * exp(level - beta * clock + 0.0005 * sg_random_normal(&random)),
                    .hz = 1.7e9 * exp(clock + c->misread * sg_random_normal(&random)),
                };
            }
        }
    return sg_clock_fit_of(points, count);
}

#define MEMORY                                                                         \
    0.95 /* of the H200's clock from batch to batch, about: studies/promises/simulation.md \
          */

static struct sg_clock_fit fit_of(double beta, double wander, double sd_process, double day)
{
    return fit_of_clock(beta, &(struct clock){.wander = wander, .memory = MEMORY}, sd_process, day,
                        11);
}

TEST(slopes)
{
    static const struct {
        const char *sentence;
        double beta, wander, day, found; /* found NaN: not known */
    } rows[] = {
        {"bound by the clock", 1.0, 0.02, 0, 1.0},
        {"bound by memory", 0.0, 0.02, 0, 0.0},
        {"in between", 0.4, 0.02, 0, 0.4},
        {"days that differ do not bend the slope", 0.4, 0.02, 0.05, 0.4},
        {"more than 1 is 1", 1.3, 0.02, 0, 1.0},
        {"less than 0 is 0", -0.3, 0.02, 0, 0.0},
        {"a clock that stands still tells nothing", 1.0, 0.0, 0, NAN},
        {"a clock that moves too little tells nothing", 1.0, 0.0001, 0, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_clock_fit fit = fit_of(rows[i].beta, rows[i].wander, 0.0005, rows[i].day);
        if (isnan(rows[i].found) != isnan(fit.beta))
            fail_msg("%s: beta %g +- %g", rows[i].sentence, fit.beta, fit.beta_se);
        if (!isnan(fit.beta))
            assert_near(rows[i].sentence, fit.beta, rows[i].found, 0.02);
    }
}

/* 200 times each; beta is 1. */
TEST(a_clock_that_is_read_badly_has_no_slope)
{
    static const struct {
        const char *sentence;
        struct clock clock;
        size_t least, most; /* how many have a slope */
        double slope;       /* of those, about; NaN: there is none */
    } rows[] = {
        {"a clock that moves by 0.1 %, read with an error of 0.05 %",
         {0.001, MEMORY, 0.0005},
         0,
         4,
         NAN},
        {"by 0.5 %, of which the error is a tenth", {0.005, MEMORY, 0.0005}, 190, 200, 0.99},
        {"by 0.3 %, read without an error", {0.003, MEMORY, 0}, 190, 200, 0.99},
        {"one that jumps in every batch, with the time", {0.005, 0, 0}, 190, 200, 1.0},
        {"one that jumps so little that the time may not follow", {0.0003, 0, 0}, 0, 4, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t known = 0;
        double sum = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            const struct sg_clock_fit fit = fit_of_clock(1.0, &rows[i].clock, 0.0005, 0, seed);
            known += !isnan(fit.beta);
            sum += isnan(fit.beta) ? 0 : fit.beta;
        }
        print_message("%s: %zu of 200 have a slope, %.3f on average\n", rows[i].sentence, known,
                      known ? sum / (double)known : NAN);
        if (known < rows[i].least || known > rows[i].most)
            fail_msg("%s: %zu of 200 have a slope", rows[i].sentence, known);
        if (!isnan(rows[i].slope))
            assert_near(rows[i].sentence, sum / (double)known, rows[i].slope, 0.02);
    }
}

TEST(the_spread_of_processes_is_free_of_the_clock)
{
    const struct sg_clock_fit fit = fit_of(1.0, 0.02, 0.003, 0.05);
    assert_int_equal(fit.processes, 10);
    assert_near("f0", fit.f0, 1.7e9, 2e7);
    assert_true(fit.sd_process > 0.0015 &&
                fit.sd_process < 0.006); /* 8 degrees of freedom around 0.003; not 0.02, not 0.05 */
    const struct sg_clock_fit none = sg_clock_fit_of(NULL, 0);
    assert_true(isnan(none.beta) && isnan(none.f0) && isnan(none.sd_process));
}
