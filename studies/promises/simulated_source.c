#include "simulated_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/statistics.h"
#include "util/random.h"

const char *sg_setting_what(enum sg_setting setting)
{
    static const char *const whats[] = {
#define X(constant, what) what,
        SG_SETTING_TABLE(X)
#undef X
    };
    return whats[setting];
}

struct sg_simulated_source sg_simulated_setting(enum sg_setting setting, uint64_t seed)
{
    struct sg_simulated_source source = {
        .options = sg_simulate_defaults,
        .seed = seed,
        .baseline = {.time_ns = 74000, .clock_exponent = 1},
        .blocks = SG_BLOCKS_DEFAULT,
        .launches = 4,
        .tolerance = 0.005,
    };
    switch (setting) {
    case SG_SETTING_MEMORY:
        source.baseline.clock_exponent = 0;
        break;
    case SG_SETTING_SHORT:
        source.baseline.time_ns = 10000;
        source.baseline.noise = 0.008;
        break;
    case SG_SETTING_ROUGH:
        source.baseline.time_ns = 15000;
        source.baseline.noise = 0.03;
        break;
    case SG_SETTING_APART:
        source.options.process_sd = 0.0015;
        break;
    case SG_SETTING_COARSE:
        source.options.tick_ns = 32;
        source.baseline.time_ns = 5000;
        break;
    case SG_SETTING_SPIKY:
        source.options.spike_chance = 0.01;
        break;
    case SG_SETTING_WANDERING:
        source.options.clock_sd = 0.05;
        break;
    default:
        break;
    }
    return source;
}

/* One process measuring one pair. */
struct process {
    const struct sg_simulated_source *source;
    unsigned number;
    double ratio;
    struct sg_simulator simulator;
};

static struct process begin(const struct sg_simulated_source *source, unsigned number, size_t pair)
{
    struct process process = {.source = source, .number = number, .ratio = source->ratio[pair]};
    char name[64];
    snprintf(name, sizeof(name), "%u/%zu", number, pair);
    uint64_t random = sg_simulate_seed(source->seed, name);
    sg_simulator_init(&process.simulator, &source->options, random);
    if (source->state_share > 0 && sg_random_unit(&random) < source->state_share)
        process.ratio *= 1 + source->state;
    return process;
}

/* As in the time pass: a batch with a spike is done once more, and the
 * second one counts whatever it holds. */
static void batch(struct process *process, bool candidate, unsigned position, double *ns)
{
    const unsigned launches = process->source->launches;
    struct sg_simulated_batch what = {.what = process->source->baseline,
                                      .side = candidate,
                                      .position = position,
                                      .launches = launches};
    if (candidate)
        what.what.time_ns *= process->ratio;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        sg_simulate_batch(&process->simulator, &what, ns);
        if (sg_abba_spikes(ns, launches) == 0)
            return;
    }
}

static bool is_baab(const struct process *process, unsigned block)
{
    return process->source->order == SG_IN_TURNS &&
           sg_abba_coin(process->source->seed, process->number, block);
}

static void warm_up(struct process *process, double *ns)
{
    const bool candidate_first = process->number % 2 == 1;
    batch(process, candidate_first, 0, ns);
    batch(process, !candidate_first, 0, ns);
}

/* One block; returns the mean time of its launches. */
static double do_block(struct process *process, unsigned block, double *ns, double *log_ratio)
{
    const bool baab = is_baab(process, block);
    double batches[SG_BLOCK_BATCHES];
    for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++) {
        batch(process, sg_abba_is_candidate(baab, position), position, ns);
        batches[position] = sg_mean(ns, process->source->launches);
    }
    *log_ratio = sg_abba_block(batches, baab);
    return sg_mean(batches, SG_BLOCK_BATCHES);
}

/* The log ratios of the blocks of one process: how many there are. */
static unsigned simulate_blocks(const struct sg_simulated_source *source, unsigned process,
                                size_t pair, double noise, double *blocks)
{
    const struct sg_pilot pilot = {.least = source->blocks,
                                   .launches = source->launches,
                                   .noise = noise,
                                   .most_ms = SG_PILOT_MS_GATE};
    struct process under_way = begin(source, process, pair);
    double *ns = sg_alloc(source->launches, sizeof(*ns)), pilot_ns = 0;
    unsigned count = source->blocks;
    warm_up(&under_way, ns);
    for (unsigned block = 0; block < count; block++) {
        const double block_ns = do_block(&under_way, block, ns, &blocks[block]);
        if (block < SG_PILOT_BLOCKS)
            pilot_ns += block_ns / SG_PILOT_BLOCKS;
        if (block + 1 == SG_PILOT_BLOCKS)
            count = sg_abba_block_count(&pilot, blocks, pilot_ns);
    }
    free(ns);
    return count;
}

static enum sg_code measure(void *context, unsigned process, const size_t *pairs, size_t count,
                            struct sg_sequential *engine, struct sg_err *err)
{
    const struct sg_simulated_source *source = context;
    double *blocks = sg_alloc(SG_BLOCKS_MAX, sizeof(*blocks));
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const double noise =
            sg_gate_noise(engine->pairs[pairs[i]].tolerance, engine->pairs[pairs[i]].even);
        const unsigned done = simulate_blocks(source, process, pairs[i], noise, blocks);
        sg_sequential_take(engine, pairs[i], sg_abba_value(blocks, done));
    }
    free(blocks);
    return SG_SUCCESS;
}

struct sg_measurer sg_simulated_measurer(struct sg_simulated_source *source)
{
    return (struct sg_measurer){.context = source, .measure = measure};
}
