/*
 * reference/pinned_1pct - one hundredth more of the same work.
 *
 * A truth to measure against: 1 % more iterations, or 1 % more bytes each way. Time grows by a little less, because the launch itself does
 * not grow; every counter of work grows by 1 %.
 */
#include "reference.cuh"

static void launch(const struct sg_launch *l)
{
    reference_launch(l, 1);
}

SG_VARIANT(reference, pinned_1pct) = {
    .summary = "1 % more iterations or bytes than pinned",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};
