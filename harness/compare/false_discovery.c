/* How many of a night's regressed rows are to be expected false: for triage,
 * after every row has its verdict. */
#include <math.h>
#include <stdlib.h>

#include "compare/compare_internal.h"
#include "stats/statistics.h"

static bool is_judged_by_time(const struct sg_finding *finding)
{
    const bool is_decided = finding->accepted == SG_WITHIN || finding->accepted == SG_IMPROVED || finding->accepted == SG_REGRESSED ||
                            finding->accepted == SG_INCONCLUSIVE || finding->accepted == SG_UNRESOLVED;
    return finding->gates && is_decided && isfinite(finding->se);
}

/* One-sided p of a row that is no slower than its tolerance, by the error and the
 * degrees of freedom of its verdict. */
static double p_of(const struct sg_finding *finding)
{
    const double beyond = log1p(finding->change) - log1p(finding->tolerance);
    return finding->se > 0.0 ? sg_t_cdf(-beyond / finding->se, finding->df) : (beyond > 0.0 ? 0.0 : 1.0);
}

void sg_add_false_discovery_rates(struct sg_comparison *comparison)
{
    double *p = NULL;
    size_t *finding = NULL, count = 0, p_capacity = 0, finding_capacity = 0; /* of those that are judged by time: few among counters */
    comparison->q = sg_alloc(comparison->count, sizeof(*comparison->q));
    for (size_t i = 0; i < comparison->count; i++) {
        comparison->q[i] = NAN;
        const struct sg_finding judged = sg_finding_at(comparison, i);
        if (!is_judged_by_time(&judged))
            continue;
        p = sg_grow(p, &p_capacity, count + 1, sizeof(*p));
        finding = sg_grow(finding, &finding_capacity, count + 1, sizeof(*finding));
        p[count] = p_of(&judged);
        finding[count++] = i;
    }
    double *adjusted = sg_alloc(count, sizeof(*adjusted));
    if (count > 0)
        sg_benjamini_hochberg(p, count, adjusted);
    for (size_t i = 0; i < count; i++)
        comparison->q[finding[i]] = adjusted[i];
    free(p);
    free(adjusted);
    free(finding);
}
