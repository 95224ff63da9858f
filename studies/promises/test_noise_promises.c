/* device/null/noise_model.h: the same seed gives the same bytes; each fault of the source is as
 * large as it is asked to be; the defaults look like H200. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/null/noise_model.h"
#include "stats/abba.h"
#include "stats/statistics.h"

#define BATCHES   2000
#define LAUNCHES  4
#define BLOCKS    24
#define PROCESSES 200

static const struct sg_simulate_options quiet = {
    .clock_hz = 2e9, .ramp_batches = 1, .spike_factor = 1};

/* ln of the mean of each of BATCHES batches to one side. */
static void simulate_often(const struct sg_simulate_options *options,
                           const struct sg_simulation *what, uint64_t seed, double *log_ns,
                           double *clock)
{
    struct sg_simulator simulator;
    sg_simulator_init(&simulator, options, seed);
    for (unsigned i = 0; i < BATCHES; i++) {
        double ns[LAUNCHES];
        const struct sg_simulated_batch batch = {
            .what = *what, .position = i % SG_BLOCK_BATCHES, .launches = LAUNCHES};
        clock[i] = sg_simulate_batch(&simulator, &batch, ns);
        log_ns[i] = log(sg_mean(ns, LAUNCHES));
    }
}

TEST(same_seed_same_bytes)
{
    static double a[BATCHES], b[BATCHES], clock[BATCHES];
    const struct sg_simulation what = {.time_ns = 74000, .clock_exponent = 1};
    simulate_often(&sg_simulate_defaults, &what, 3, a, clock);
    simulate_often(&sg_simulate_defaults, &what, 3, b, clock);
    assert_memory_equal(a, b, sizeof(a));
    simulate_often(&sg_simulate_defaults, &what, 4, b, clock);
    assert_memory_not_equal(a, b, sizeof(a));
}

TEST(seeds_have_names)
{
    assert_true(sg_simulate_seed(1, "0/null/tiny/ok") == sg_simulate_seed(1, "0/null/tiny/ok"));
    assert_true(sg_simulate_seed(1, "0/null/tiny/ok") != sg_simulate_seed(2, "0/null/tiny/ok"));
    assert_true(sg_simulate_seed(1, "0/null/tiny/ok") != sg_simulate_seed(1, "1/null/tiny/ok"));
    /* Process 1 of one run is not process 2 of its neighbour. */
    for (int digit = '0'; digit < '8'; digit++)
        assert_true(sg_simulate_seed(1, (char[]){(char)digit, 0}) !=
                    sg_simulate_seed(2, (char[]){(char)(digit ^ 3), 0}));
}

/* One fault at a time: what the spread of ln(batch) comes to. */
TEST(spreads)
{
    static const struct {
        const char *sentence;
        struct sg_simulate_options change; /* only its non-zero members count */
        struct sg_simulation what;
        double sd, slack;
    } rows[] = {
        ROW("nothing asked for, nothing moves", LIST(.launch_sd = 0), LIST(.time_ns = 1000), 0,
            1e-12),
        ROW("launches vary, a batch is the mean of four", LIST(.launch_sd = 0.02),
            LIST(.time_ns = 1000), 0.01, 0.0006),
        ROW("a variant's own noise replaces the default", LIST(.launch_sd = 0.02),
            LIST(.time_ns = 1000, .noise = 0.04), 0.02, 0.0012),
        ROW("a drift of the clock moves what follows the clock",
            LIST(.clock_sd = 0.01, .clock_memory = 0.5), LIST(.time_ns = 1000, .clock_exponent = 1),
            0.01, 0.0008),
        ROW("and half of it what follows it half", LIST(.clock_sd = 0.01, .clock_memory = 0.5),
            LIST(.time_ns = 1000, .clock_exponent = 0.5), 0.005, 0.0004),
        ROW("and nothing else", LIST(.clock_sd = 0.01, .clock_memory = 0.5), LIST(.time_ns = 1000),
            0, 1e-12),
        ROW("steps of the clock, half of the time",
            LIST(.clock_step = 0.0076, .clock_step_chance = 0.5),
            LIST(.time_ns = 1000, .clock_exponent = 1), 0.0038, 0.0002),
        ROW("a coarse tick, halfway between two", LIST(.launch_sd = 0.01, .tick_ns = 32),
            LIST(.time_ns = 656), 0.0122, 0.0008),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static double log_ns[BATCHES], clock[BATCHES];
        struct sg_simulate_options options = rows[i].change;
        options.clock_hz = quiet.clock_hz;
        options.ramp_batches = quiet.ramp_batches;
        options.spike_factor = quiet.spike_factor;
        simulate_often(&options, &rows[i].what, 11, log_ns, clock);
        const double sd = sg_sd(log_ns, BATCHES);
        if (fabs(sd - rows[i].sd) > rows[i].slack)
            fail_msg("%s: sd %.5f, should be %.5f", rows[i].sentence, sd, rows[i].sd);
        const double mean = sg_mean(log_ns, BATCHES) - log(rows[i].what.time_ns);
        if (fabs(mean) > 0.005)
            fail_msg("%s: the mean is off by %.5f", rows[i].sentence, mean);
    }
}

TEST(ramp_position_and_clock)
{
    static double log_ns[BATCHES], clock[BATCHES];
    struct sg_simulate_options options = quiet;
    const struct sg_simulation what = {.time_ns = 1000};
    options.ramp = 0.03;
    options.ramp_batches = 6;
    simulate_often(&options, &what, 1, log_ns, clock);
    assert_true(fabs(log_ns[0] - log(1000) - 0.03) < 1e-9);
    assert_true(fabs(log_ns[6] - log(1000) - 0.03 / exp(1)) < 1e-9);
    assert_true(fabs(log_ns[200] - log(1000)) < 1e-9);
    options = quiet;
    options.first_position = 0.001;
    simulate_often(&options, &what, 1, log_ns, clock);
    for (unsigned i = 0; i < 8; i++)
        assert_true(fabs(log_ns[i] - log(1000) - (i % SG_BLOCK_BATCHES == 0 ? 0.001 : 0)) < 1e-9);
    assert_true(clock[0] == quiet.clock_hz);
}

/* The value of one process of a pair, as the time pass makes it;
 * *block_sd is the spread of its blocks. */
static double one_process(uint64_t seed, unsigned process, double true_ratio, double clock_exponent,
                          double *block_sd, double *ns_mean)
{
    struct sg_simulator simulator;
    double blocks[BLOCKS], kept[BLOCKS], sum = 0;
    sg_simulator_init(&simulator, &sg_simulate_defaults, sg_simulate_seed(seed + process, "pair"));
    for (unsigned b = 0; b < BLOCKS; b++) {
        const bool baab = sg_abba_coin(seed, process, b);
        double batches[SG_BLOCK_BATCHES];
        for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++) {
            double ns[LAUNCHES];
            const bool candidate = sg_abba_is_candidate(baab, position);
            const struct sg_simulated_batch batch = {
                .what = {.time_ns = candidate ? 74000 * true_ratio : 74000,
                         .clock_exponent = clock_exponent},
                .side = candidate,
                .position = position,
                .launches = LAUNCHES,
            };
            sg_simulate_batch(&simulator, &batch, ns);
            batches[position] = sg_mean(ns, LAUNCHES);
            sum += candidate ? 0 : batches[position];
        }
        kept[b] = blocks[b] = sg_abba_block(batches, baab);
    }
    *block_sd = sg_sd(kept, BLOCKS);
    *ns_mean = sum / (2 * BLOCKS);
    return sg_abba_value(blocks, BLOCKS).y;
}

/* The median over processes, because the few that hold a spike would rule the mean, and real
 * batches with a spike are repeated. Bounds are the range over the pairs measured with cold
 * L2 (studies/promises/simulation.md). */
TEST(defaults_look_like_the_measured_gpu)
{
    static double y[PROCESSES], block_sd[PROCESSES], log_mean[PROCESSES];
    for (unsigned p = 0; p < PROCESSES; p++) {
        y[p] = one_process(1, p, 1, 1, &block_sd[p], &log_mean[p]);
        log_mean[p] = log(log_mean[p]);
    }
    const double sd_y = sg_sd(y, PROCESSES), sd_block = sg_median(block_sd, PROCESSES),
                 sd_time = sg_sd(log_mean, PROCESSES);
    if (sd_y < 0.00012 || sd_y > 0.00135)
        fail_msg("sd of y between processes: %.5f", sd_y);
    if (sd_block < 0.0008 || sd_block > 0.0089)
        fail_msg("sd of the blocks of a process: %.5f", sd_block);
    if (sd_time < 0.002 || sd_time > 0.0125)
        fail_msg("sd of the time between processes: %.5f", sd_time);
    print_message("clock-bound: sd of y %.4f %%, of blocks %.4f %%, of times %.4f %%\n", 100 * sd_y,
                  100 * sd_block, 100 * sd_time);
}

TEST(truth_is_read_back)
{
    static const double ratios[] = {1, 1.0025, 1.01, 1.0214, 0.95};
    for (size_t i = 0; i < COUNT(ratios); i++) {
        double y[PROCESSES], unused;
        for (unsigned p = 0; p < PROCESSES; p++)
            y[p] = one_process(77, p, ratios[i], 1, &unused, &unused);
        const double bias = sg_mean(y, PROCESSES) - log(ratios[i]);
        if (fabs(bias) > 0.0002)
            fail_msg("ratio %g is read with a bias of %.5f", ratios[i], bias);
    }
}
