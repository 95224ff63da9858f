/* How many of the regressed rows are probably false: for triage, after every row has its
 * verdict. */
#include <math.h>

#include "compare/compare_internal.h"
#include "stats/decision.h"
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

static void correct(struct sg_comparison *comparison, const double *p, size_t count)
{
    SG_FREED double *adjusted = sg_alloc(count + 1, sizeof(*adjusted));
    size_t at = 0;
    sg_holm(p, NULL, count, adjusted);
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding *finding = &comparison->findings[i];
        const double own = is_judged_by_time(finding) ? adjusted[at++] : 0;
        if (finding->accepted != SG_REGRESSED || own <= SG_SEQUENTIAL_ERROR)
            continue;
        finding->accepted = SG_INCONCLUSIVE;
        finding->why = sg_reason(comparison,
                                 "slower by %.3g %%, but one of %zu rows looks like this by chance "
                                 "in %.2g of 100 comparisons: more files would decide",
                                 100 * finding->change, count, 100 * own);
    }
}

void sg_add_false_discovery_rates(struct sg_comparison *comparison, bool corrects)
{
    double *p = sg_alloc(comparison->count, sizeof(*p)),
           *q = sg_alloc(comparison->count, sizeof(*q));
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (is_judged_by_time(&comparison->findings[i]))
            p[count++] = p_of(&comparison->findings[i]);
    if (corrects)
        correct(comparison, p, count);
    if (count > 0)
        sg_benjamini_hochberg(p, count, p);
    count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        q[i] = is_judged_by_time(&comparison->findings[i]) ? p[count++] : NAN;
    comparison->q = q;
}
