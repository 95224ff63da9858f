/* Verdicts of times, and the sentence of each. */
#include <math.h>

#include "compare/compare_internal.h"

void sg_finding_take(struct sg_finding *finding, const struct sg_decision *decision, double se,
                     double df)
{
    finding->accepted = decision->verdict;
    finding->change = decision->change;
    finding->low = decision->low;
    finding->high = decision->high;
    finding->se = se;
    finding->df = df;
}

void sg_describe_time_verdict(struct sg_comparison *comparison, struct sg_finding *finding,
                              const char *against, const char *keep)
{
    const double percent = 100.0 * finding->change, tolerance = 100.0 * finding->tolerance;
    const bool is_energy = sg_row_is_energy(finding->metric);
    if (finding->accepted == SG_WITHIN)
        finding->why = sg_reason(comparison, "within %.3g %% of %s", tolerance, against);
    else if (finding->accepted == SG_IMPROVED)
        finding->why = sg_reason(comparison, "%.3g %% %s than %s%s", -percent,
                                 is_energy ? "less energy" : "faster", against, keep);
    else if (finding->accepted == SG_REGRESSED)
        finding->why = sg_reason(comparison, "%.3g %% %s than %s (tolerance %.3g %%)%s", percent,
                                 is_energy ? "more energy" : "slower", against, tolerance,
                                 finding->change < finding->resolution ? SG_READS_HIGH : "");
}

void sg_refuse_gate(struct sg_finding *finding, const char *why)
{
    finding->accepted = SG_NOT_GATED;
    finding->why = why;
}

void sg_describe_unresolved(struct sg_comparison *comparison, struct sg_finding *finding,
                            const char *also)
{
    const double change = 100.0 * finding->change, most = 100.0 * finding->high;
    const bool is_few = finding->processes < SG_WITHIN_PROCESSES &&
                        fabs(finding->low) < finding->tolerance &&
                        finding->high < finding->tolerance;
    finding->accepted = SG_UNRESOLVED;
    finding->shared =
        is_few ? sg_reason(comparison,
                           "%u processes may all miss a slow state: a row needs %d to be within",
                           finding->processes, SG_WITHIN_PROCESSES)
               : sg_reason(comparison, "the noise of %u processes", finding->processes);
    if (is_few)
        finding->why = sg_reason(comparison,
                                 "%+.3g %%, at most %+.3g %%, but %u processes may all miss a slow "
                                 "state: it needs %d to be within%s",
                                 change, most, finding->processes, SG_WITHIN_PROCESSES, also);
    else
        finding->why =
            sg_reason(comparison,
                      "cannot resolve %.3g %%: %+.3g %%, and up to %+.3g %% may be hidden in the "
                      "noise of %u processes%s",
                      100.0 * finding->tolerance, change, most, finding->processes, also);
}
