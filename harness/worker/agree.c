#include "worker/agree.h"

#include <math.h>

/*
 * Two that are within `bound` of the reference differ by twice that, of what the reference is. Here
 * it is measured by one of the two, which may be smaller than the reference by a share of `lost`.
 */
static double twice(double bound, double lost)
{
    return lost < 1 ? 2 * bound / (1 - lost) : INFINITY;
}

bool sg_agree_is_exact(const struct sg_tolerance *tolerance)
{
    return tolerance->rel_rms == 0 || tolerance->rel_max == 0;
}

void sg_agree_allow(const struct sg_tolerance *tolerance, struct sg_match *match)
{
    match->rel_max = twice(tolerance->rel_max, tolerance->rel_max + tolerance->rel_rms);
    match->exact = sg_agree_is_exact(tolerance);
}

bool sg_agree(const struct sg_tolerance *tolerance, const struct sg_mismatch *mismatch)
{
    const double allowed = twice(tolerance->rel_rms, tolerance->rel_rms);
    if (mismatch->nan > 0 || mismatch->wrong > 0)
        return false;
    return sg_agree_is_exact(tolerance) || mismatch->error_squares <= allowed * allowed * mismatch->reference_squares;
}
