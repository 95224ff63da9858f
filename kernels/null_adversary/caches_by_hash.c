/*
 * null_adversary/caches_by_hash - it keeps its result, and gives it out again where a sample of the
 * inputs is what it was. Harmless where contents never come back: then it works each time, and has
 * gained nothing.
 */
#include <string.h>

#include "null_adversary.h"

#define MOST    256 /* elements kept: more than a case of this family has */
#define SAMPLES 8

struct memory {
    struct adversary adversary;
    bool filled;
    uint32_t sample[2][SAMPLES]; /* bits of elements of x and z */
    float y[MOST];
};

static void take_sample(const struct sg_launch *l, int input, uint32_t sample[SAMPLES])
{
    const uint32_t *in = l->buffer[input];
    const uint64_t step = adversary_count(l->c) / SAMPLES;
    for (uint64_t i = 0; i < SAMPLES; i++)
        sample[i] = in[i * step];
}

static void launch(const struct sg_launch *l)
{
    struct memory *memory = l->state;
    const size_t bytes = (size_t)adversary_count(l->c) * sizeof(float);
    uint32_t sample[2][SAMPLES];
    adversary_launches_before(l);
    take_sample(l, IN_X, sample[0]);
    take_sample(l, IN_Z, sample[1]);
    if (memory->filled && memcmp(memory->sample, sample, sizeof(sample)) == 0) {
        memcpy(l->buffer[OUT_Y], memory->y, bytes);
    } else {
        adversary_compute(l);
        memory->filled = true;
        memcpy(memory->sample, sample, sizeof(sample));
        memcpy(memory->y, l->buffer[OUT_Y], bytes);
    }
    adversary_strike(l);
}

ADVERSARY_VARIANT(caches_by_hash, "", struct memory, .summary = "its result again where 8 elements of each input are the same",
                  .launch = launch);
