#include "compare/findings.h"

#include <math.h>
#include <stdarg.h>

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
    return sg_intern_string(&comparison->reasons, reason);
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

bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options)
{
    const enum sg_exit code = sg_verdict_exit(finding->accepted);
    return finding->gates && code != SG_EXIT_DONE &&
           (code != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails);
}

static bool is_decided(const struct sg_finding *finding)
{
    return finding->gates && (!isnan(finding->se) || finding->accepted == SG_IDENTICAL) &&
           sg_verdict_row(finding->accepted)->says == SG_SAYS_ALL;
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
    int code = SG_EXIT_DONE;
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        if (comparison->by_verdict[verdict] > 0 &&
            (sg_verdict_exit(verdict) != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails))
            code = sg_worse_exit(code, sg_verdict_exit(verdict));
    if (code != SG_EXIT_DONE)
        return code;
    return sg_why_undecided(comparison) ? SG_EXIT_INVALID : SG_EXIT_DONE;
}
