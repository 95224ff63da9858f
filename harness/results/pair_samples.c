#include "results/pair_samples.h"

#include <math.h>
#include <stdlib.h>

#include "results/samples.h"
#include "stats/statistics.h"
#include "util/text.h"

/* Log-ratios of the first `count` blocks; returns the mean time of a launch in them. */
static double read_blocks(const struct sg_pair_samples *visits, uint64_t seed, double *blocks, size_t count)
{
    double sum_ns = 0;
    for (size_t b = 0; b < count; b++) {
        const struct sg_sample *first = &visits->items[b * SG_BLOCK_VISITS];
        double ns[SG_BLOCK_VISITS];
        for (size_t i = 0; i < SG_BLOCK_VISITS; i++) {
            ns[i] = first[i].ns;
            sum_ns += ns[i];
        }
        blocks[b] = sg_abba_block(ns, sg_abba_coin(seed, first->process, first->block));
    }
    return sum_ns / (double)(count * SG_BLOCK_VISITS);
}

size_t sg_pair_samples_wanted(const struct sg_pair_samples *visits, const struct sg_pilot *pilot, uint64_t seed)
{
    double blocks[SG_PILOT_BLOCKS];
    if (visits->count < (size_t)SG_PILOT_BLOCKS * SG_BLOCK_VISITS)
        return (size_t)pilot->least * SG_BLOCK_VISITS;
    const double launch_ns = read_blocks(visits, seed, blocks, SG_PILOT_BLOCKS);
    return (size_t)sg_abba_block_count(pilot, blocks, launch_ns) * SG_BLOCK_VISITS;
}

static void add_own_visits(const struct sg_pair_samples *visits, struct sg_process_result *result)
{
    double *ns = sg_alloc(visits->count, sizeof(*ns));
    size_t n = 0;
    for (size_t i = 0; i < visits->count; i++) {
        const struct sg_sample *visit = &visits->items[i];
        if (visit->variant != visit->pair)
            continue;
        ns[n++] = visit->ns;
        result->clock_sum += visit->sm_clock;
        result->clock_count += visit->sm_clock > 0;
    }
    result->ln_ns = log(sg_median(ns, n));
    free(ns);
}

struct sg_process_result sg_pair_samples_result(const struct sg_pair_samples *visits, uint64_t seed)
{
    const size_t count = visits->count / SG_BLOCK_VISITS;
    double *blocks = sg_alloc(count, sizeof(*blocks));
    read_blocks(visits, seed, blocks, count);
    struct sg_process_result result = {.ratio = sg_abba_value(blocks, count)};
    free(blocks);
    add_own_visits(visits, &result);
    return result;
}
