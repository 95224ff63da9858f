/*
 * null/polls - right and as fast as the baseline, but every other launch finds a flag not yet set
 * and looks again: an exact counter that does not repeat, and one that is made of shared-memory
 * accesses which only some launches have.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_note_polling(null_launches_before(l) % 2 == 0);
    null_launch(l);
}

SG_VARIANT(null, polls) = {
    .summary = "right, counts other instructions in every other launch",
    .deterministic = true,
    .prepare = null_prepare_counter,
    .launch = launch,
    .finish = null_finish_counter,
};
