#include "results/pair_samples.h"

#include <math.h>

#include "stats/statistics.h"
#include "util/text.h"

/* Fills in the log-ratios of the first `count` blocks; returns the mean time of their launches. */
static double read_blocks(const struct sg_pair_samples *batches, uint64_t seed, double *blocks,
                          size_t count)
{
    double sum_ns = 0;
    for (size_t b = 0; b < count; b++) {
        const struct sg_sample *first = &batches->items[b * SG_BLOCK_BATCHES];
        double ns[SG_BLOCK_BATCHES];
        for (size_t i = 0; i < SG_BLOCK_BATCHES; i++) {
            ns[i] = first[i].ns;
            sum_ns += ns[i];
        }
        blocks[b] = sg_abba_block(ns, sg_abba_coin(seed, first->process, first->block));
    }
    return sum_ns / (double)(count * SG_BLOCK_BATCHES);
}

size_t sg_pair_samples_wanted(const struct sg_pair_samples *batches, const struct sg_pilot *pilot,
                              uint64_t seed)
{
    double blocks[SG_PILOT_BLOCKS];
    if (batches->count < (size_t)SG_PILOT_BLOCKS * SG_BLOCK_BATCHES)
        return (size_t)pilot->least * SG_BLOCK_BATCHES;
    const double launch_ns = read_blocks(batches, seed, blocks, SG_PILOT_BLOCKS);
    return (size_t)sg_abba_block_count(pilot, blocks, launch_ns) * SG_BLOCK_BATCHES;
}

static void add_own_batches(const struct sg_pair_samples *batches, struct sg_process_result *result)
{
    SG_FREED double *ns = sg_alloc(batches->count, sizeof(*ns));
    size_t n = 0, energies = 0;
    for (size_t i = 0; i < batches->count; i++) {
        const struct sg_sample *batch = &batches->items[i];
        if (batch->variant != batch->pair)
            continue;
        ns[n++] = batch->ns;
        result->clock_sum += batch->sm_clock;
        result->clock_count += batch->sm_clock > 0;
        result->ln_joules += batch->energy > 0 ? log(batch->energy) : 0;
        energies += batch->energy > 0;
    }
    result->ln_joules /= (double)energies; /* 0 / 0: NaN */
    result->ln_ns = log(sg_median(ns, n));
}

struct sg_process_result sg_pair_samples_result(const struct sg_pair_samples *batches,
                                                uint64_t seed)
{
    const size_t count = batches->count / SG_BLOCK_BATCHES;
    SG_FREED double *blocks = sg_alloc(count, sizeof(*blocks));
    read_blocks(batches, seed, blocks, count);
    struct sg_process_result result = {.ratio = sg_abba_value(blocks, count)};
    add_own_batches(batches, &result);
    double joules[SG_BLOCK_BATCHES];
    for (size_t i = 0; i < SG_BLOCK_BATCHES; i++)
        joules[i] = batches->items[i].energy;
    result.energy_y = sg_abba_block(joules, sg_abba_coin(seed, batches->items[0].process, 0));
    return result;
}
