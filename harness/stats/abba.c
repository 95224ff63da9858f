#include "stats/abba.h"

#include <math.h>
#include <string.h>

#include "stats/statistics.h"
#include "util/random.h"
#include "util/text.h"
#include "util/hypot.h"

/* seconds per batch besides the launches: L2 flushes, stamps, reading times */
#define BATCH_S 0.5e-3
/* time of a launch with fresh inputs and checked outputs, over its own time */
#define LAUNCH_COST 4.0
#define ORDER_LEVEL 0.005 /* two-sided level of the load-order effect */
#define ORDER_LEAST 8     /* fewer fall into two states by order too often by chance */

bool sg_abba_coin(uint64_t seed, unsigned process, unsigned block)
{
    /* Seeds and block numbers are small and alike. One step of the generator between them makes
     * neighbours independent. */
    uint64_t state = seed;
    state = sg_random_next(&state) ^ process;
    state = sg_random_next(&state) ^ block;
    return (sg_random_next(&state) >> 63) != 0;
}

bool sg_abba_is_candidate(bool baab, unsigned position)
{
    const bool outer = position == 0 || position == SG_BLOCK_BATCHES - 1;
    return outer == baab;
}

double sg_abba_block(const double ns[SG_BLOCK_BATCHES], bool baab)
{
    double sum = 0.0;
    for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++)
        sum += sg_abba_is_candidate(baab, position) ? log(ns[position]) : -log(ns[position]);
    return 0.5 * sum;
}

unsigned sg_abba_block_count(const struct sg_pilot *pilot, const double blocks[SG_PILOT_BLOCKS],
                             double launch_ns)
{
    if (pilot->least < SG_PILOT_BLOCKS || !(pilot->noise > 0.0))
        return pilot->least;
    const double error = sg_sd(blocks, SG_PILOT_BLOCKS) / pilot->noise;
    /* Computed from the data and not from a clock: every reader of the same batches must get the
     * same count. */
    const double block_s =
        SG_BLOCK_BATCHES * (BATCH_S + (pilot->launches + 1) * LAUNCH_COST * 1e-9 * launch_ns);
    const double count =
        fmin(fmin(ceil(error * error), SG_BLOCKS_MAX), floor(1e-3 * pilot->most_ms / block_s));
    return count > pilot->least ? (unsigned)count : pilot->least;
}

struct sg_process_value sg_abba_value(double *blocks, size_t n)
{
    const size_t cut = (size_t)(SG_TRIM * (double)n);
    const double y = sg_trimmed_mean(blocks, n, SG_TRIM);
    /* For the error, each block that the mean drops takes the value of the nearest kept one. */
    for (size_t i = 0; i < cut; i++) {
        blocks[i] = blocks[cut];
        blocks[n - 1 - i] = blocks[n - cut - 1];
    }
    return (struct sg_process_value){
        .y = y, .blocks_se = sg_sd(blocks, n) * sqrt((double)n) / (double)(n - 2 * cut)};
}

/* Estimates a mean for each load order. This costs one degree of freedom. The error is scaled
 * for it, because the caller multiplies the error by constants for n - 1 degrees of freedom. */
static void separate_orders(const double *y, size_t n, uint64_t orders,
                            struct sg_estimate *estimate)
{
    const double df = (double)n - 2;
    double count[2] = {0}, mean[2] = {0}, squares = 0;
    for (size_t i = 0; i < n; i++)
        count[orders >> i & 1]++;
    for (size_t i = 0; i < n; i++)
        mean[orders >> i & 1] += y[i] / count[orders >> i & 1];
    for (size_t i = 0; i < n; i++)
        squares += pow(y[i] - mean[orders >> i & 1], 2);
    const double apart = mean[1] - mean[0], se = sqrt(squares / df * (1 / count[0] + 1 / count[1]));
    if (!(2 * sg_t_cdf(-fabs(apart) / se, df) < ORDER_LEVEL))
        return;
    const double tail = 1 - 0.5 * sg_look_level(SG_ALPHA_01);
    estimate->order = apart;
    estimate->mean = 0.5 * (mean[0] + mean[1]);
    estimate->se = 0.5 * se * sg_t_quantile(tail, df) / sg_t_quantile(tail, df + 1);
}

struct sg_estimate sg_abba_estimate_of(const double *processes, size_t n, uint64_t orders)
{
    const double sd = sg_sd(processes, n);
    struct sg_estimate estimate = {
        .mean = sg_mean(processes, n), .se = sd / sqrt((double)n), .sd = sd, .n = (unsigned)n};
    if (n >= ORDER_LEAST)
        separate_orders(processes, n, orders, &estimate);
    const double half = sg_look_constant(SG_ALPHA_05, n) * estimate.se;
    estimate.low = estimate.mean - half;
    estimate.high = estimate.mean + half;
    return estimate;
}

struct sg_estimate sg_abba_estimate(const double *processes, size_t n)
{
    return sg_abba_estimate_of(processes, n, SG_ORDERS_IN_TURN);
}

bool sg_abba_differ(const struct sg_estimate *first, const struct sg_estimate *later)
{
    return fabs(later->mean - first->mean) > SG_DIFFER_SE * sg_hypot(first->se, later->se);
}

double sg_abba_se_of(double low, double high, unsigned n)
{
    if (!(low > 0.0) || !(high >= low) || isinf(high))
        return NAN;
    return (log(high) - log(low)) / (2.0 * sg_look_constant(SG_ALPHA_05, n));
}

unsigned sg_abba_spikes(const double *ns, unsigned n)
{
    if (n == 0)
        return 0;
    SG_FREED double *sorted = sg_alloc(n, sizeof(*sorted));
    memcpy(sorted, ns, n * sizeof(*sorted));
    const double limit = SG_SPIKE_FACTOR * sg_median(sorted, n);
    unsigned spikes = 0;
    for (unsigned i = 0; i < n; i++)
        spikes += ns[i] > limit;
    return spikes;
}
