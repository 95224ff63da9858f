/* May a row decide: is its time fit for a verdict, does its pair with an accepted build decide? */
#include <string.h>

#include "compare/compare_internal.h"
#include "results/identity.h"
#include "results/parts.h"
#include "stats/run_limits.h"

bool sg_row_is_measured(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && row->value > 0.0;
}

/* True only if both sides are quoted: a time measured here is never judged without its interval. */
bool sg_are_quoted(const struct sg_joining *joining)
{
    return sg_env_is_quoted(joining->in->run_env) && sg_env_is_quoted(&joining->in->accepted->env);
}

/* Does the row have an interval, from enough processes to be trusted? */
bool sg_row_has_interval(const struct sg_row *row)
{
    return (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH) && (row->has & SG_HAS_SE) &&
           row->low > 0.0 && row->high >= row->low && row->n >= SG_PROCESSES_MIN;
}

static bool is_in_interval(const struct sg_row *row)
{
    return !((row->has & SG_HAS_LOW) && row->value < row->low) &&
           !((row->has & SG_HAS_HIGH) && row->value > row->high);
}

/* A change of role changes what the row is measured against: a baseline has absolute times, all
 * other variants have ratios. */
static bool is_other_role(const struct sg_joining *joining)
{
    const char *was = sg_side_message(&joining->then, "role");
    return was && !sg_side_has_role(&joining->now, was);
}

/* A ratio is refused if either of its two times is refused. NULL: neither is. */
static const char *refused(struct sg_joining *joining, const struct sg_row *row)
{
    const struct sg_refusals *refusals = joining->in->refusals;
    if (!refusals || refusals->count == 0)
        return NULL;
    const struct sg_value names = sg_value_of(joining->in->run, row);
    const struct sg_refusal *own = sg_refusals_find(refusals, SG_NAMES(names));
    const char *partner = sg_row_partner(joining->in->run, row);
    const struct sg_refusal *other =
        partner ? sg_refusals_find(refusals, names.family, names.case_, partner) : NULL;
    if (own || !other)
        return own ? own->why : NULL;
    return sg_reason(joining->comparison, "its baseline %s is impossible: %s", partner, other->why);
}

static const char *why_run_unfit(struct sg_joining *joining, const struct sg_row *row)
{
    const struct sg_env *env = joining->in->run_env;
    const struct sg_row *l2 = sg_side_row(&joining->now, "l2_state");
    if (!sg_row_is_measured(row))
        return "no value, or not a valid time: see its row in run.csv";
    if (!sg_are_quoted(joining) && !sg_row_has_interval(row))
        return "fewer than 5 processes, or no interval: run it again with processes = 5 or more";
    if (!sg_env_get(env, "time_source") && sg_env_get(&joining->in->accepted->env, "time_source"))
        return "env.csv has no time_source, but the accepted numbers have one: not comparable";
    if (!is_in_interval(row))
        return "its value is outside of its interval: see its row in run.csv";
    if (is_other_role(joining))
        return "its role differs from the accepted role: accept the run again if that is intended";
    const char *words[] = {joining->other_case, sg_env_why_invalid(env),
                           sg_side_message(&joining->now, SG_UNFIT_METRIC), refused(joining, row)};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i])
            return words[i];
    return l2 && l2->status != SG_OK ? "the L2 was not in the declared state, or the kernel skips "
                                       "work: see l2_state in run.csv"
                                     : NULL;
}

const char *sg_why_unfit(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const char *why = why_run_unfit(joining, pair->now);
    if (why || !pair->then)
        return why;
    if (!sg_row_is_measured(pair->then) ||
        (!sg_are_quoted(joining) && !sg_row_has_interval(pair->then)))
        return "the accepted number has no value, no interval, or fewer than 5 processes: accept "
               "it again";
    return is_in_interval(pair->then)
               ? NULL
               : "the accepted number is outside of its interval: accept it again";
}

/* Both builds read the current files. If those differ from the files at acceptance, neither side of
 * the pair is what was accepted. */
bool sg_reads_other_files(const struct sg_joining *joining)
{
    return sg_identity_other_files(sg_side_message(&joining->now, SG_IDENTITY_METRIC),
                                   sg_side_message(&joining->then, SG_IDENTITY_METRIC));
}

/* The files may differ from the accepted ones: then the pair alone must not judge. */
static bool reads_unknown_files(const struct sg_joining *joining)
{
    return sg_identity_unknown_files(sg_side_message(&joining->now, SG_IDENTITY_METRIC)) ||
           sg_identity_unknown_files(sg_side_message(&joining->then, SG_IDENTITY_METRIC));
}

bool sg_is_paired(const struct sg_joining *joining)
{
    const struct sg_row *build = sg_side_row(&joining->now, SG_BUILD_RATIO_METRIC);
    return build && build->status == SG_OK && !sg_reads_other_files(joining);
}

bool sg_is_informational(const struct sg_joining *joining, const char *metric)
{
    const struct sg_side *now = &joining->now;
    if (!joining->asks_builds || !sg_side_is_there(now))
        return false;
    const char *family = sg_table_string(now->table, now->table->rows[now->from].family);
    const bool suite_gates = sg_fact_get(joining->in->run_env, "gate", SG_OF(family)) != NULL;
    if (sg_side_has_role(now, "vendor") && !suite_gates)
        return true;
    if (!sg_is_paired(joining) || reads_unknown_files(joining) ||
        strcmp(metric, SG_BUILD_RATIO_METRIC) == 0)
        return false;
    return strcmp(metric, "time_ratio") == 0 || !(sg_side_has_role(now, "baseline") && suite_gates);
}
