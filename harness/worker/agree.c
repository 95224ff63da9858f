#include "worker/agree.h"

#define SLACK 2.0

static bool is_exact(const struct sg_tolerance *tolerance)
{
    return tolerance->rel_rms == 0 || tolerance->rel_max == 0;
}

void sg_agree_allow(const struct sg_tolerance *tolerance, struct sg_match *match)
{
    match->rel_max = SLACK * tolerance->rel_max;
    match->exact = is_exact(tolerance);
}

bool sg_agree(const struct sg_tolerance *tolerance, const struct sg_mismatch *mismatch)
{
    const double allowed = SLACK * tolerance->rel_rms;
    if (mismatch->nan > 0 || mismatch->wrong > 0)
        return false;
    return is_exact(tolerance) || mismatch->error_squares <= allowed * allowed * mismatch->reference_squares;
}
