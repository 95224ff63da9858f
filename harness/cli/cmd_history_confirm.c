#include "cli/cmd_history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/refusals.h"
#include "reports/report.h"
#include "results/kernel_commit.h"
#include "results/settings.h"
#include "stats/aa_check.h"
#include "stats/decision.h"

struct input {
    const char *folder, *group, *run;
    struct sg_history_rule rule;
    const struct sg_format *format;
};

struct confirm {
    const struct sg_run *run;
    const struct sg_refusals *refusals;
    const struct sg_history_rule *rule;
    const struct sg_judgement *judgement; /* of the current group */
    const char *group;
    struct sg_sheet *sheet;
    size_t refused; /* number of steps that this A/B cannot decide */
};

static const struct sg_column columns[] = {
    {.title = "group", .meaning = "GPU model and suite"},
    {.title = "series", .meaning = "FAMILY/CASE/VARIANT"},
    {.title = "step", .meaning = "with its 95 % interval"},
    {.title = "A/B",
     .name = "ab",
     .meaning = "ratio - 1 that the A/B reads",
     .number = true,
     .unit = "1"},
    {.title = "result", .meaning = "confirmed, refuted, not settled or refused"},
    {.title = "detail"},
};

/* ---- does the A/B belong to the step? ---- */

static const char *build_at(const struct sg_judgement *j, const struct sg_history_series *series,
                            size_t night)
{
    const struct sg_night_row *row = sg_series_row(j->history, series, night);
    return row ? sg_intern_pool_string(j->history->pool, row->code) : "";
}

/* Are the two sides the modules measured in the runs before and after the step? */
static bool are_its_builds(const struct sg_env *ab, const struct sg_judgement *j,
                           const struct sg_history_finding *finding)
{
    const struct sg_history_series *series = &j->series[finding->series];
    const size_t before = sg_step_night_before(series, &finding->step);
    return before != SG_NO_NIGHT &&
           strcmp(build_at(j, series, before), sg_env_word(ab, "baseline_code")) == 0 &&
           strcmp(build_at(j, series, finding->step.latest), sg_env_word(ab, "candidate_code")) ==
               0;
}

/* A setting in which the A/B and the nightly run differ; NULL: none. Settings that the run lacks
 * are ignored. */
static const char *differing_fact(const struct sg_env *ab, const struct sg_judgement *j,
                                  size_t night)
{
    const char *keys[1 + SG_SETTING_COUNT] = {"time_source"};
    const size_t count = 1 + sg_settings_keys(SG_MUST_EQUAL, keys + 1);
    for (size_t i = 0; i < count; i++) {
        const char *of_night = sg_night_fact(j->history, night, keys[i]);
        const struct sg_setting *setting = sg_setting_find(keys[i]);
        const bool is_known = *of_night || (setting && setting->uses & SG_IF_SET);
        if (is_known && strcmp(of_night, sg_env_word(ab, keys[i])) != 0)
            return keys[i];
    }
    return NULL;
}

/* Appends why the A/B does not belong to the step; nothing if it does. */
static void add_foreign(const struct confirm *c, const struct sg_history_finding *finding,
                        struct sg_text *why)
{
    const struct sg_judgement *j = c->judgement;
    const struct sg_env *ab = &c->run->env;
    const struct sg_step_commits step =
        sg_step_commits_of(j->history, &j->series[finding->series], &finding->step);
    const char *baseline = sg_env_word(ab, "baseline_commit"),
               *candidate = sg_env_word(ab, "candidate_commit");
    const char *fact = differing_fact(ab, j, finding->step.at);
    const bool are_commits = step.are_known && sg_is_same_commit(step.before, baseline) &&
                             sg_is_same_commit(step.after, candidate);
    if (fact)
        sg_text_addf(why, "its %s is '%s', but '%s' in the nightly run", fact,
                     sg_env_word(ab, fact), sg_night_fact(j->history, finding->step.at, fact));
    else if (!are_commits && !are_its_builds(ab, j, finding))
        sg_text_addf(why, "its commits are '%s' and '%s', but the step lies between '%s' and '%s'",
                     baseline, candidate, step.before, step.after);
}

/* ---- results of the A/B ---- */

/* The ratio row of a variant that is ok and whose time is plausible; NULL: none. */
static const struct sg_row *find_ratio(const struct confirm *c, const char *family,
                                       const char *case_, const char *variant)
{
    const struct sg_table *table = &c->run->table;
    const struct sg_row *status = sg_table_find(table, family, case_, variant, "status");
    const struct sg_row *row = sg_table_find(table, family, case_, variant, "time_ratio");
    const bool is_right =
        status && status->status == SG_OK && !sg_refusals_find(c->refusals, family, case_, variant);
    return is_right && row && row->has & SG_HAS_VALUE && row->status == SG_OK && row->value > 0
               ? row
               : NULL;
}

static struct sg_difference difference_of(const struct confirm *c, const struct sg_row *row)
{
    return (struct sg_difference){.mean = log(row->value),
                                  .se = row->se,
                                  .bounds = sg_bounds_of_gate(row->n),
                                  .tolerance = sg_env_tolerance(&c->run->env, "")};
}

/* True if the gate decided the pair, and the baseline shows no difference from itself. */
static bool is_judged(const struct confirm *c, const struct sg_row *row, const struct sg_row *even)
{
    const struct sg_difference of_pair = difference_of(c, row), of_itself = difference_of(c, even);
    const enum sg_verdict verdict = sg_decide(&of_pair).verdict,
                          own = sg_decide(&of_itself).verdict;
    return (verdict == SG_WITHIN || verdict == SG_REGRESSED || verdict == SG_IMPROVED) &&
           (own == SG_WITHIN || own == SG_INCONCLUSIVE);
}

/* Does the A/B show more than half of the step? False if the interval does not decide. */
static bool settle(const struct confirm *c, const struct sg_row *row, double step,
                   enum sg_step_decision *decision)
{
    const struct sg_difference of_pair = difference_of(c, row);
    const double half = of_pair.bounds.regressed * of_pair.se;
    *decision = of_pair.mean - half > step / 2 ? SG_STEP_CONFIRMED : SG_STEP_REFUTED;
    return of_pair.mean - half > step / 2 || of_pair.mean + half < step / 2;
}

static enum sg_code keep_decision(const struct confirm *c, const struct sg_history_finding *finding,
                                  const struct sg_row *ratio, enum sg_step_decision decision,
                                  struct sg_err *err)
{
    const struct sg_history *history = c->judgement->history;
    SG_FORMATTED(reason, "A/B of %u processes: %+.3f %%", ratio->n, 100 * (ratio->value - 1));
    const struct sg_decision_row row = {.night =
                                            sg_night_fact(history, finding->step.at, SG_NIGHT_DATE),
                                        .series = sg_history_item(c->judgement, finding->series),
                                        .decision = decision,
                                        .reason = reason.data,
                                        .source = sg_env_word(&c->run->env, SG_DIGEST_KEY)};
    sg_history_decide(history, row, err);
    return err->code;
}

static enum sg_code take_ratio(struct confirm *c, const struct sg_history_finding *finding,
                               const struct sg_row *ratio, const struct sg_row *even,
                               struct sg_err *err)
{
    struct sg_text why = {0}, step = {0};
    enum sg_step_decision decision = SG_STEP_REFUTED;
    add_foreign(c, finding, &why);
    const bool is_refused = why.length > 0;
    const bool is_settled = !is_refused && even && is_judged(c, ratio, even) &&
                            settle(c, ratio, finding->step.since, &decision);
    c->refused += is_refused;
    sg_add_step_change(&step, &finding->step);
    sg_sheet_row(c->sheet, is_refused                      ? SG_RED
                           : !is_settled                   ? SG_YELLOW
                           : decision == SG_STEP_CONFIRMED ? SG_RED
                                                           : SG_GREEN);
    sg_sheet_cells(c->sheet, c->group, sg_history_item(c->judgement, finding->series));
    sg_sheet_take(c->sheet, &step);
    sg_sheet_number(c->sheet, ratio->value - 1);
    sg_sheet_cell(c->sheet, is_refused   ? "refused"
                            : is_settled ? sg_step_decision_word(decision)
                                         : "not settled");
    sg_text_add(&why, !is_refused && !is_settled ? "measure it with a finer --tolerance" : "");
    sg_sheet_take(c->sheet, &why);
    return is_settled ? keep_decision(c, finding, ratio, decision, err) : err->code;
}

static enum sg_code confirm_finding(struct confirm *c, const struct sg_history_finding *finding,
                                    struct sg_err *err)
{
    char family[64], case_[64], variant[64];
    if (sscanf(sg_history_item(c->judgement, finding->series), "%63[^/]/%63[^/]/%63s", family,
               case_, variant) != 3)
        return SG_SUCCESS;
    const struct sg_row *ratio = find_ratio(c, family, case_, variant);
    const char *partner = sg_row_partner(&c->run->table, ratio);
    return ratio && partner
               ? take_ratio(c, finding, ratio, find_ratio(c, family, case_, partner), err)
               : SG_SUCCESS;
}

static bool is_of_gpu(const char *group, const char *gpu)
{
    const size_t length = strlen(gpu);
    return length > 0 && strncmp(group, gpu, length) == 0 && group[length] == '/';
}

static enum sg_code confirm_group(void *context, const char *group,
                                  const struct sg_history *history, struct sg_err *err)
{
    struct confirm *c = context;
    struct sg_judgement judgement = {0};
    if (history->count == 0 || !is_of_gpu(group, sg_env_word(&c->run->env, "gpu")))
        return SG_SUCCESS;
    c->group = group;
    c->judgement = &judgement;
    sg_history_judge(history, c->rule, &judgement);
    for (size_t i = 0; i < judgement.finding_count && err->code == SG_SUCCESS; i++)
        if (sg_verdict_row(judgement.findings[i].found)->bits & SG_PAIRING)
            confirm_finding(c, &judgement.findings[i], err);
    return err->code;
}

/* ---- can the A/B decide at all? ---- */

/* Removes the module from "[MODULE.so:]family/variant". */
static const char *variant_of(const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key), *colon = value ? strrchr(value, ':') : NULL;
    return colon ? colon + 1 : value ? value : "";
}

/* Requires a complete and valid gate of two builds of one variant. A candidate compared with its
 * baseline shows nothing about a step, nor does a build compared with itself. */
static enum sg_code check_gate(const struct sg_run *run, const char *path, struct sg_err *err)
{
    const struct sg_env *env = &run->env;
    const char *baseline = variant_of(env, "baseline"), *candidate = variant_of(env, "candidate"),
               *why = sg_env_why_invalid(env);
    double lambda = NAN;
    sg_parse_double(sg_env_word(env, "lambda"), false, &lambda);
    if (!sg_run_is_gate(env) || why)
        return sg_fail(err, SG_NOT_COMPARABLE, path, "expected a valid run of `solgate ab`%s%s",
                       why ? ": " : "", why ? why : "");
    if (strcmp(baseline, candidate) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "expected an A/B of two builds of one variant, found '%s' against '%s'",
                       sg_show_string(candidate).text, sg_show_string(baseline).text);
    if (!sg_is_digest(sg_env_word(env, "baseline_code")) ||
        strcmp(sg_env_word(env, "baseline_code"), sg_env_word(env, "candidate_code")) == 0)
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "expected an A/B of two builds, found one build, '%s', against itself",
                       sg_env_word(env, "candidate_code"));
    if (!sg_env_get(env, SG_DIGEST_KEY) || !(lambda >= 1))
        return sg_fail(
            err, SG_NOT_COMPARABLE, path,
            "expected an A/B with its digest and lambda: it is incomplete, or of an older version");
    if (lambda > SG_LAMBDA_MAX || *sg_env_word(env, "sustained") || *sg_env_word(env, "energy"))
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "expected an A/B without --sustained and --energy whose A/A pairs are even, "
                       "found lambda %g",
                       lambda);
    return SG_SUCCESS;
}

static enum sg_code confirm(const struct input *in, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    struct sg_refusals refusals = {0};
    struct sg_document document = {.name = "history confirm"};
    const struct sg_history_wanted wanted = {.folder = in->folder, .group = in->group, .all = true};
    struct confirm c = {.run = &run,
                        .refusals = &refusals,
                        .rule = &in->rule,
                        .sheet =
                            sg_document_sheet(&document, "steps", SG_COLUMNS(columns), SG_FOR_ALL)};
    if (sg_run_read(in->run, &run, err) == SG_SUCCESS &&
        check_gate(&run, in->run, err) == SG_SUCCESS &&
        sg_refusals_make(&run.table, &run.env, NULL, &refusals, err) == SG_SUCCESS)
        sg_history_each(&wanted, confirm_group, &c, err);
    if (c.sheet->row_count == 0)
        sg_document_note(&document, SG_FOR_ALL, "no open finding of this history is in that run");
    if (err->code == SG_SUCCESS)
        sg_print_document(&document, in->format, err);
    if (c.refused > 0 && c.refused == c.sheet->row_count)
        sg_fail(err, SG_NOT_COMPARABLE, in->run,
                "expected the A/B of an open step: its two commits, or builds, in their order");
    return err->code;
}

int sg_cmd_history_confirm(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
        SG_GROUP_OPTION(struct input),
        SG_HISTORY_RULE_OPTIONS(struct input, rule),
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(
            "RUN", struct input, run,
            .help = "the folder of a run of `solgate ab` of one variant, built from the "
                    "commits before and after the step")},
        .summary = "Settles open findings of `solgate history check` by an interleaved A/B of the "
                   "commits: confirmed if the A/B finds more than half of the step, refuted if it "
                   "finds less, each by its 99 % interval.",
        .notes =
            "RUN is the A/B of the two commits, or of the two builds, around the step, in that "
            "order; any other A/B decides nothing (exit 3). A step that is confirmed is "
            "`regressed` until it is accepted "
            "or undone. A refuted step is a change of the machine: later nightly runs are compared "
            "with one another. Give the same --tolerance and --alarms as to `check`.\n\n"
            "Example: solgate history confirm out/ab-20261120",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.folder = sg_history_folder(),
                       .rule.tolerance = SG_HISTORY_TOLERANCE,
                       .format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        confirm(&in, err);
    return 0;
}
