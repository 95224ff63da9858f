/*
 * reference/pinned - the kernels whose times are kept as this GPU's record.
 *
 * The baseline, and a guard: a run whose times of it left the record says nothing about other kernels either.
 */
#include "reference.cuh"

static void launch(const struct sg_launch *l)
{
    reference_launch(l, 0);
}

SG_VARIANT(reference, pinned) = {
    .summary = "the work of the record",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = launch,
};
