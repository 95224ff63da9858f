/* Is the run judged by the terms that were accepted? */
#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/terms.h"

/* A looser term fails the run until it is accepted. A tighter one is named, and fails nothing: it
 * lets nothing pass that failed before. */
static void add(struct sg_joining *joining, struct sg_finding *finding, enum sg_term_change change, const char *was, const char *is)
{
    finding->accepted = SG_OTHER_TERMS;
    finding->gates = change == SG_TERM_LOOSER;
    sg_finding_why(finding, "%s is '%.120s', accepted '%.120s': %s", finding->metric, is, was,
                   finding->gates ? "fails until the run is accepted anew" : "tighter, and fails nothing");
    sg_finding_add(joining->comparison, finding);
}

static void describe(const struct sg_value *value, struct sg_text *out)
{
    if (value->has & SG_HAS_VALUE)
        sg_text_add_number(out, value->value, 9);
    else
        sg_text_add(out, value->message);
}

void sg_judge_term(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    static const struct sg_value nothing = {.message = "not there"};
    const struct sg_value was = sg_value_of(&joining->baseline->table, pair->then),
                          is = pair->now ? sg_value_of(joining->run, pair->now) : nothing;
    const enum sg_term_change change = sg_term_compare(was.metric, &was, &is);
    /* Of a variant that failed no terms are found out, nor what is not there before they were. */
    if (change == SG_TERM_SAME || joining->other_case[0] || (!pair->now && sg_side_status(&joining->now) != SG_OK))
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    struct sg_text a = {0}, b = {0};
    describe(&was, &a);
    describe(&is, &b);
    add(joining, &finding, change, sg_text_string(&a), sg_text_string(&b));
    sg_text_release(&a);
    sg_text_release(&b);
}

static void take(void *context, const char *key, enum sg_term_change change, const char *was, const char *is)
{
    struct sg_joining *joining = context;
    const char *suite = sg_env_get(joining->run_env, "suite");
    struct sg_finding finding = sg_finding_of(joining, &(struct sg_row_pair){.now = &joining->run->rows[0]});
    finding.family = suite ? suite : "";
    finding.case_ = "suite";
    finding.variant = "terms";
    finding.metric = key;
    finding.unit = "";
    finding.is = NAN;
    add(joining, &finding, change, was, is);
}

void sg_judge_terms_of_run(struct sg_joining *joining)
{
    const struct sg_env *was = &joining->baseline->env, *is = joining->run_env;
    const char *now = sg_env_get(is, "suite"), *then = sg_env_get(was, "suite");
    /* Whoever names numbers of another suite is told that they are. */
    if (joining->baseline->path && now && then && strcmp(now, then) == 0)
        sg_terms_compare_env(was, is, take, joining);
}
