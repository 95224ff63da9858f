/*
 * adversary/caches_by_pointer - it keeps its result and gives it out again as long as the pointers
 * are the same.
 *
 * It begins after the verification. Honest caches of tensor maps look like this.
 */
#include "adversary.h"

#define TRUSTED 10 /* launches: whole batches, behind any verification */

namespace
{
struct state : adversary {
    const void *w;
};
} // namespace

static void launch(const struct sg_launch *l)
{
    struct state *s = adversary_begin<state>(l);
    if (s->launches > TRUSTED && s->w == l->buffer[MATVEC_W]) {
        adversary_give(l);
        return;
    }
    adversary_compute(l);
    adversary_keep(l);
    s->w = l->buffer[MATVEC_W];
}

ADVERSARY(caches_by_pointer, SG_WRONG, state, "its result again for the same pointers");
