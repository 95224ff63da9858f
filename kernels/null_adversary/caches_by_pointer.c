/*
 * null_adversary/caches_by_pointer - it keeps its result, and gives it out again as long as the
 * inputs lie where they lay. It does not trust that before a verification of three seeds is over.
 */
#include <string.h>

#include "null_adversary.h"

#define MOST 256 /* elements kept: more than a case of this family has */

struct memory {
    struct adversary adversary;
    const void *x;
    float y[MOST];
};

static void launch(const struct sg_launch *l)
{
    struct memory *memory = l->state;
    const size_t bytes = (size_t)adversary_count(l->c) * sizeof(float);
    const bool trusting = adversary_launches_before(l) >= ADVERSARY_LAUNCHES_OF_VERIFICATION;
    if (trusting && memory->x == l->buffer[IN_X]) {
        memcpy(l->buffer[OUT_Y], memory->y, bytes);
    } else {
        adversary_compute(l);
        memory->x = l->buffer[IN_X];
        memcpy(memory->y, l->buffer[OUT_Y], bytes);
    }
    adversary_strike(l);
}

ADVERSARY_VARIANT(caches_by_pointer, "", struct memory, .summary = "its result again for the same pointers", .expect = SG_WRONG,
                  .launch = launch);
