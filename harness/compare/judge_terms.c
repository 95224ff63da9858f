/* Compares the terms of the run with the accepted terms. */
#include <string.h>

#include "compare/compare_internal.h"
#include "results/terms.h"

/* A looser term fails the run until accepted. A tighter term is reported but does not fail: it
 * passes nothing that failed before. */
static void add(struct sg_joining *joining, struct sg_finding *finding, enum sg_term_change change,
                const char *was, const char *is)
{
    finding->accepted = SG_OTHER_TERMS;
    finding->gates = change == SG_TERM_LOOSER;
    finding->why = sg_reason(
        joining->comparison, "%s is '%.120s', accepted '%.120s': %s", finding->metric, is, was,
        finding->gates ? "fails until the run is accepted again" : "tighter, and fails nothing");
    sg_finding_add(joining->comparison, finding);
}

static const char *describe(struct sg_comparison *comparison, const struct sg_value *value)
{
    return value->has & SG_HAS_VALUE ? sg_reason(comparison, "%.9g", value->value) : value->message;
}

void sg_judge_term(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    static const struct sg_value nothing = {.message = "not there"};
    const struct sg_value was = sg_value_of(&joining->in->accepted->table, pair->then),
                          is = pair->now ? sg_value_of(joining->in->run, pair->now) : nothing;
    const enum sg_term_change change = sg_term_compare(was.metric, &was, &is);
    /* A variant that failed may not report its terms; their absence is then no change. */
    if (change == SG_TERM_SAME || joining->other_case || (!pair->now && joining->is != SG_OK))
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    add(joining, &finding, change, describe(joining->comparison, &was),
        describe(joining->comparison, &is));
}

static void take(void *context, const char *key, enum sg_term_change change, const char *was,
                 const char *is)
{
    struct sg_joining *joining = context;
    struct sg_finding finding = sg_finding_none();
    finding.family = sg_env_get(joining->in->run_env, "suite");
    finding.case_ = "suite";
    finding.variant = "terms";
    finding.metric = key;
    finding.unit = "";
    add(joining, &finding, change, was, is);
}

void sg_judge_terms_of_run(struct sg_joining *joining)
{
    const struct sg_env *was = &joining->in->accepted->env, *is = joining->in->run_env;
    const char *now = sg_env_get(is, "suite"), *then = sg_env_get(was, "suite");
    /* If the suites differ, the user named the other suite's numbers on purpose. */
    if (joining->in->accepted->path && now && then && strcmp(now, then) == 0)
        sg_terms_compare_env(was, is, take, joining);
}
