/* How many of the regressed rows are probably false: for triage, after every row has its
 * verdict. */
#include <math.h>
#include <stdlib.h>

#include "compare/compare_internal.h"
#include "stats/statistics.h"

static bool is_judged_by_time(const struct sg_finding *finding)
{
    return finding->gates && sg_verdict_row(finding->accepted)->says != SG_SAYS_NOTHING &&
           isfinite(finding->se);
}

/* One-sided p value of the null hypothesis "no slower than the tolerance", with the standard error
 * and degrees of freedom of the row's verdict. */
static double p_of(const struct sg_finding *finding)
{
    const double beyond = log1p(finding->change) - log1p(finding->tolerance);
    return finding->se > 0.0 ? sg_t_cdf(-beyond / finding->se, finding->df)
                             : (beyond > 0.0 ? 0.0 : 1.0);
}

void sg_add_false_discovery_rates(struct sg_comparison *comparison)
{
    double *p = sg_alloc(comparison->count, sizeof(*p)),
           *q = sg_alloc(comparison->count, sizeof(*q));
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (is_judged_by_time(&comparison->findings[i]))
            p[count++] = p_of(&comparison->findings[i]);
    if (count > 0)
        sg_benjamini_hochberg(p, count, p);
    count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        q[i] = is_judged_by_time(&comparison->findings[i]) ? p[count++] : NAN;
    comparison->q = q;
}
