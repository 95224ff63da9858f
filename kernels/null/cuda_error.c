/*
 * null/cuda_error - it faults while it runs, as with an address that is not mapped.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    (void)l;
    null_fault();
}

SG_VARIANT(null, cuda_error) = {
    .summary = "faults while it runs",
    .expect = SG_CUDA_ERROR,
    .launch = launch,
};
