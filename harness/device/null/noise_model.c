#include "device/null/noise_model.h"

#include <math.h>

#include "util/random.h"

const struct sg_simulate_options sg_simulate_defaults = {
    .launch_sd = 0.003,
    .clock_hz = 1.98e9,
    .clock_sd = 0.010,
    .clock_memory = 0.98,
    .clock_step = 0.0076,
    .clock_step_chance = 0.05,
    .ramp = 0.03,
    .ramp_batches = 6,
    .first_position = 0.0005,
    .process_sd = 0.0003,
    .spike_chance = 1e-4,
    .spike_factor = 8,
    .tick_ns = 1,
};

void sg_simulator_init(struct sg_simulator *simulator, const struct sg_simulate_options *options,
                       uint64_t seed)
{
    *simulator = (struct sg_simulator){.options = *options, .random = seed};
    /* process_sd describes the difference; each side has half of its variance. */
    for (size_t side = 0; side < 2; side++)
        simulator->offset[side] =
            options->process_sd * sqrt(0.5) * sg_random_normal(&simulator->random);
    simulator->drift = options->clock_sd * sg_random_normal(&simulator->random);
}

static double next_log_clock(struct sg_simulator *s)
{
    const struct sg_simulate_options *o = &s->options;
    const double memory = o->clock_memory;
    s->drift =
        memory * s->drift + sqrt(1 - memory * memory) * o->clock_sd * sg_random_normal(&s->random);
    if (sg_random_unit(&s->random) < o->clock_step_chance)
        s->stepped = !s->stepped;
    return s->drift - (s->stepped ? o->clock_step : 0);
}

static double one_launch(struct sg_simulator *s, const struct sg_simulation *what,
                         double log_factor)
{
    const struct sg_simulate_options *o = &s->options;
    const double sd = what->noise > 0 ? what->noise : o->launch_sd;
    /* The mean of a log-normal is above its median; the true time is the mean. */
    double ns = what->time_ns * exp(log_factor + sd * sg_random_normal(&s->random) - sd * sd / 2);
    if (sg_random_unit(&s->random) < o->spike_chance)
        ns *= o->spike_factor;
    if (o->tick_ns > 0)
        ns = fmax(1, round(ns / o->tick_ns)) * o->tick_ns;
    return ns;
}

double sg_simulate_batch(struct sg_simulator *simulator, const struct sg_simulated_batch *batch,
                         double *ns)
{
    const struct sg_simulate_options *o = &simulator->options;
    const double log_clock = next_log_clock(simulator);
    double log_factor =
        simulator->offset[batch->side ? 1 : 0] - batch->what.clock_exponent * log_clock;
    log_factor += o->ramp * exp(-(double)simulator->batches / o->ramp_batches);
    if (batch->position == 0)
        log_factor += o->first_position;
    for (unsigned i = 0; i < batch->launches; i++)
        ns[i] = one_launch(simulator, &batch->what, log_factor);
    simulator->batches++;
    return o->clock_hz * exp(log_clock);
}

uint64_t sg_simulate_seed(uint64_t seed, const char *name)
{
    /* Mixes the seed first: seeds are small and names begin with digits, and 1 ^ '2' is 2 ^ '1'. */
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ sg_random_next(&seed);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return sg_random_next(&hash);
}
