/*
 * adversary/works_ahead - the warm-up launch of a batch does the work of those that are timed.
 *
 * A batch is one launch that is not timed and four that are, each of which has half of its result
 * from the first.
 */
#include "adversary.h"

#define BATCH_LAUNCHES 5

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    const int64_t rows = adversary_problem(l).rows;
    if (!a->timed || a->launches % BATCH_LAUNCHES == 1) {
        adversary_compute(l);
        adversary_keep(l);
        return;
    }
    adversary_compute_rows(l, {0, rows / 2});
    adversary_give_rows(l, {rows / 2, rows - rows / 2});
}

ADVERSARY(works_ahead, SG_WRONG, adversary,
          "half of each result comes from the launch that is not timed");
