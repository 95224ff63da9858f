/*
 * reference/pinned_2pct - two hundredths more of the same work.
 *
 * The second truth: with pinned and pinned_1pct it gives the slope of measured against true change.
 */
#include "reference.cuh"

static void launch(const struct sg_launch *l)
{
    reference_launch(l, 2);
}

SG_VARIANT(reference, pinned_2pct) = {
    .summary = "2 % more iterations or bytes than pinned",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};
