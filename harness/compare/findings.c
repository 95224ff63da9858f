#include "compare/findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "stats/decision.h"
#include "util/err.h"
#include "util/text.h"

struct sg_finding sg_finding_none(void)
{
    return (struct sg_finding){
        .was = NAN,
        .is = NAN,
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .se = NAN,
        .df = NAN,
        .tolerance = NAN,
        .resolution = NAN,
        .baseline = SG_VERDICT_COUNT,
        .baseline_change = NAN,
        .baseline_low = NAN,
        .baseline_high = NAN,
        .why = "",
    };
}

static const char *keep(struct sg_comparison *comparison, const char *reason)
{
    return sg_intern_pool_string(comparison->reasons, sg_intern(&comparison->reasons, reason));
}

const char *sg_reason(struct sg_comparison *comparison, const char *format, ...)
{
    SG_SCOPED(sg_text) text = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&text, format, args);
    va_end(args);
    return keep(comparison, sg_text_string(&text));
}

void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding)
{
    comparison->findings = sg_grow(comparison->findings, &comparison->capacity,
                                   comparison->count + 1, sizeof(*comparison->findings));
    sg_finding_put(comparison, comparison->count++, finding);
}

struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index)
{
    return comparison->findings[index];
}

void sg_finding_put(struct sg_comparison *comparison, size_t index,
                    const struct sg_finding *finding)
{
    comparison->findings[index] = *finding;
    comparison->findings[index].why = keep(comparison, finding->why ? finding->why : "");
    comparison->findings[index].shared = finding->shared ? keep(comparison, finding->shared) : NULL;
}

void sg_describe_time_verdict(struct sg_comparison *comparison, struct sg_finding *finding,
                              const char *against, const char *keep)
{
    const double percent = 100.0 * finding->change, allowed = 100.0 * finding->tolerance,
                 speedup = 1.0 / (1.0 + finding->change);
    if (finding->accepted == SG_WITHIN)
        finding->why = sg_reason(comparison, "within %.3g %% of %s", allowed, against);
    else if (finding->accepted == SG_IMPROVED)
        finding->why = sg_reason(comparison, "faster than %s by %.3g %% (speedup %.3fx)%s", against,
                                 -percent, speedup, keep);
    else if (finding->accepted == SG_REGRESSED)
        finding->why = sg_reason(
            comparison, "slower than %s by %.3g %%, allowed are %.3g %% (speedup %.3fx)%s", against,
            percent, allowed, speedup, finding->change < finding->resolution ? SG_READS_HIGH : "");
}

void sg_comparison_release(struct sg_comparison *comparison)
{
    free(comparison->findings);
    sg_intern_pool_free(comparison->reasons);
    free(comparison->q);
    free(comparison->title);
    free(comparison->accepted_path);
    free(comparison->selection);
    free(comparison->unpaired_why);
    *comparison = (struct sg_comparison){0};
}

bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options)
{
    const enum sg_exit code = sg_verdict_exit(finding->accepted);
    return finding->gates && code != SG_EXIT_DONE &&
           (code != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails);
}

static bool is_decided(const struct sg_finding *finding)
{
    return finding->gates && (!isnan(finding->se) || finding->accepted == SG_IDENTICAL) &&
           finding->accepted != SG_UNRESOLVED && finding->accepted != SG_INCONCLUSIVE &&
           finding->accepted != SG_WAIVED;
}

const char *sg_why_undecided(const struct sg_comparison *comparison)
{
    bool decided = comparison->by_verdict[SG_UNRESOLVED] == 0;
    if (!comparison->of_pairs && comparison->judged == 0)
        return "nothing was judged";
    for (size_t i = 0; i < comparison->count && !decided && !comparison->of_imports; i++)
        decided = is_decided(&comparison->findings[i]);
    return decided ? NULL : "none of its times could be decided";
}

int sg_comparison_exit_code(const struct sg_comparison *comparison,
                            const struct sg_compare_options *options)
{
    static const enum sg_exit worst_first[] = {SG_EXIT_UNDECLARED, SG_EXIT_REGRESSED,
                                               SG_EXIT_INVALID, SG_EXIT_INCONCLUSIVE};
    size_t rows[SG_EXIT_UNDECLARED + 1] = {0}; /* by the exit code of their verdict */
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        rows[sg_verdict_exit(verdict)] += comparison->by_verdict[verdict];
    for (size_t i = 0; i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
        if (rows[worst_first[i]] > 0 &&
            (worst_first[i] != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails))
            return (int)worst_first[i];
    return sg_why_undecided(comparison) ? SG_EXIT_INVALID : SG_EXIT_DONE;
}
