/* How many of a night's regressed rows are to be expected false: for triage, after every row has its verdict. */
#include <math.h>
#include <stdlib.h>

#include "compare_parts.h"
#include "stats.h"

static bool is_judged_by_time(const struct sg_finding *finding)
{
    const bool is_decided = finding->accepted == SG_WITHIN || finding->accepted == SG_IMPROVED || finding->accepted == SG_REGRESSED ||
                            finding->accepted == SG_INCONCLUSIVE;
    return finding->gates && is_decided && finding->processes > 1 && isfinite(finding->change) && finding->low > -1.0 &&
           isfinite(finding->high);
}

/*
 * One-sided p of a row that is no slower than its tolerance, read off its interval as one of this run's processes alone. Where more is
 * known (a spread that was accepted) the degrees of freedom are more: then p is too large, wherever it is below the interval's level.
 */
static double p_of(struct sg_joining *joining, const struct sg_finding *finding)
{
    const double df = finding->processes - 1.0;
    const double half = 0.5 * (log1p(finding->high) - log1p(finding->low));
    const double beyond = log1p(finding->change) - log1p(finding->tolerance);
    const double se = half / sg_bounds_at_df(&joining->bounds, df).interval;
    return se > 0.0 ? sg_t_cdf(-beyond / se, df) : (beyond > 0.0 ? 0.0 : 1.0);
}

void sg_triage(struct sg_joining *joining)
{
    struct sg_comparison *comparison = joining->comparison;
    double *p = sg_alloc(comparison->count, sizeof(*p)), *adjusted = sg_alloc(comparison->count, sizeof(*adjusted));
    size_t *finding = sg_alloc(comparison->count, sizeof(*finding)), count = 0;
    comparison->q = sg_alloc(comparison->count, sizeof(*comparison->q));
    for (size_t i = 0; i < comparison->count; i++) {
        comparison->q[i] = NAN;
        if (!is_judged_by_time(&comparison->findings[i]))
            continue;
        p[count] = p_of(joining, &comparison->findings[i]);
        finding[count++] = i;
    }
    if (count > 0)
        sg_benjamini_hochberg(p, count, adjusted);
    for (size_t i = 0; i < count; i++)
        comparison->q[finding[i]] = adjusted[i];
    free(p);
    free(adjusted);
    free(finding);
}
