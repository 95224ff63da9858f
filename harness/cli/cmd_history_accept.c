#include "cli/cmd_history.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "stats/decision.h"
#include "util/escape.h"

/* Dated by the clock, but never before what was decided until now: the last one counts. */
static enum sg_code decide(const char *folder, const char *group, const struct sg_history *history, struct sg_decision_row row,
                           struct sg_err *err)
{
    struct sg_text path = {0};
    const struct sg_shown now = sg_utc_now(SG_UTC_TIME);
    row.date = sg_later_date(now.text, history->decision_count > 0 ? history->decisions[history->decision_count - 1].date : NULL);
    sg_history_decide(folder, group, &row, &path, err);
    sg_text_release(&path);
    return err->code;
}

/* ---- accept ---- */

struct input {
    const char *folder, *group, *series, *night, *reason;
};

static enum sg_code read_night(void *place, const char *found, struct sg_err *err)
{
    if (!sg_night_is_date(found))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a date such as 2026-11-20, found '%s'", sg_show(found, strlen(found)).text);
    *(const char **)place = found;
    return SG_SUCCESS;
}

/* Items of the history that the name or pattern is of; none where
 * it has no night from that date on. */
static size_t count_matches(const struct input *in, const struct sg_history *history)
{
    size_t count = 0;
    struct sg_intern_pool *seen = NULL;
    if (history->count == 0 || strcmp(sg_night_fact(history, history->count - 1, SG_NIGHT_DATE), in->night) < 0)
        return 0;
    for (size_t i = 0; i < history->rows.count; i++) {
        const char *name = sg_intern_pool_string(history->pool, history->rows.items[i].name);
        count += fnmatch(in->series, name, 0) == 0 && sg_intern_pool_is_news(&seen, name);
    }
    sg_intern_pool_free(seen);
    return count;
}

static enum sg_code accept_in(const struct input *in, const char *group, struct sg_text *out, size_t *accepted, struct sg_err *err)
{
    struct sg_history history = {0};
    const struct sg_decision_row row = {
        .night = in->night, .series = in->series, .decision = SG_STEP_ACCEPTED, .reason = in->reason, .source = ""};
    size_t count = 0;
    if (sg_history_load(in->folder, group, NULL, &history, err) == SG_SUCCESS)
        count = count_matches(in, &history);
    if (count > 0 && decide(in->folder, group, &history, row, err) == SG_SUCCESS)
        sg_text_addf(out, "%s: accepted in %zu series from %s on\n", group, count, in->night);
    *accepted += count;
    sg_history_release(&history);
    return err->code;
}

static enum sg_code accept_all(const struct input *in, struct sg_err *err)
{
    struct sg_names groups = {0};
    struct sg_text out = {0};
    size_t accepted = 0;
    sg_history_choose(in->folder, in->group, &groups, err);
    for (size_t i = 0; i < groups.count && err->code == SG_SUCCESS; i++)
        accept_in(in, groups.items[i], &out, &accepted, err);
    if (err->code == SG_SUCCESS && accepted == 0)
        sg_fail(err, SG_BAD_INPUT, in->folder, "expected a series that is in the history on %s or later, found none called '%s'", in->night,
                sg_show(in->series, strlen(in->series)).text);
    if (err->code == SG_SUCCESS)
        sg_print(&out, err);
    sg_text_release(&out);
    sg_names_release(&groups);
    return err->code;
}

int sg_history_accept(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
        SG_GROUP_OPTION(struct input),
        {.name = "night",
         .arg = "DATE",
         SG_INTO(struct input, night),
         .read = read_night,
         .required = true,
         .help = "the first night after the step, as check prints it"},
        {.name = "reason",
         .arg = "TEXT",
         SG_INTO(struct input, reason),
         .read = sg_read_reason,
         .required = true,
         .help = "why it is accepted"},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "SERIES", SG_INTO(struct input, series), .help = "FAMILY/CASE/VARIANT, or a pattern such as 'matvec/*'"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Accepts a step: what is measured from that night on is the level that later nights are compared with.",
        .notes =
            "Written as one file into DIR/<gpu>/<suite>/steps/; to take it back, remove the file.\n\n"
            "Example: solgate history accept matvec/r64_c64_f32/warp_per_row --night=2026-11-12 --reason='fewer registers, more checks'",
        .exits = {{SG_EXIT_DONE, "accepted"}, {SG_EXIT_INVALID, "not written"}, {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.folder = sg_history_folder()};
    if (sg_options_parse(&table, &in, argc, argv, err))
        accept_all(&in, err);
    return 0;
}

/* ---- confirm ---- */

struct confirm_input {
    const char *folder, *group, *run;
    struct sg_history_rule rule;
};

struct confirm {
    const struct confirm_input *in;
    const struct sg_run *run;
    const char *group;
    struct sg_text *out;
    size_t *matched;
};

/* The A/B against the step: is more than half of it there? Both ends of the
 * interval decide; false: neither does. */
static bool settle(const struct sg_table *table, const struct sg_row *row, double step, enum sg_step_decision *decision)
{
    const struct sg_bounds bounds = sg_bounds_at_look(row->n);
    const double mean = log(row->value), half = bounds.regressed * sg_row_errors_of(table, row).se;
    if (isnan(half))
        return false;
    *decision = mean - half > step / 2 ? SG_STEP_CONFIRMED : SG_STEP_REFUTED;
    return mean - half > step / 2 || mean + half < step / 2;
}

static const struct sg_row *find_ratio(const struct sg_run *run, const char *item)
{
    struct sg_names part = {0};
    const struct sg_row *row = NULL;
    char *parts = sg_copy_string(item), *rest = parts;
    for (const char *name; (name = strsep(&rest, "/")) != NULL;)
        sg_names_add(&part, name);
    if (part.count == 3)
        row = sg_table_find(&run->table, part.items[0], part.items[1], part.items[2], "time_ratio");
    sg_names_release(&part);
    free(parts);
    return row && row->has & SG_HAS_VALUE && row->status == SG_OK && row->value > 0 ? row : NULL;
}

static enum sg_code confirm_finding(const struct confirm *c, const struct sg_judgement *j, const struct sg_history_finding *finding,
                                    struct sg_err *err)
{
    const char *item = sg_intern_pool_string(j->history->pool, j->series[finding->series].item);
    const struct sg_row *ratio = find_ratio(c->run, item);
    enum sg_step_decision decision = SG_STEP_REFUTED;
    if (!ratio)
        return SG_SUCCESS;
    ++*c->matched;
    const bool is_settled = settle(&c->run->table, ratio, finding->step.since, &decision);
    sg_text_addf(c->out, "%s: %s: step ", c->group, item);
    sg_add_step_change(c->out, &finding->step);
    sg_text_addf(c->out, ", the A/B reads %+.2f %%: %s\n", 100 * (ratio->value - 1),
                 is_settled ? sg_step_decision_word(decision) : "not settled; measure it with a finer --tolerance");
    if (!is_settled)
        return SG_SUCCESS;
    struct sg_text reason = {0};
    sg_text_addf(&reason, "A/B of %u processes: %+.3f %%", ratio->n, 100 * (ratio->value - 1));
    const char *digest = sg_env_get(&c->run->env, SG_DIGEST_KEY);
    const struct sg_decision_row row = {.night = sg_night_fact(j->history, finding->step.at, SG_NIGHT_DATE),
                                        .series = item,
                                        .decision = decision,
                                        .reason = reason.data,
                                        .source = digest ? digest : ""};
    decide(c->in->folder, c->group, j->history, row, err);
    sg_text_release(&reason);
    return err->code;
}

static enum sg_code confirm_group(const struct confirm *c, struct sg_err *err)
{
    struct sg_history history = {0};
    struct sg_judgement judgement = {0};
    if (sg_history_load(c->in->folder, c->group, NULL, &history, err) != SG_SUCCESS || history.count == 0)
        goto out;
    sg_history_judge(&history, &c->in->rule, &judgement);
    for (size_t i = 0; i < judgement.finding_count && err->code == SG_SUCCESS; i++) {
        const enum sg_history_found found = judgement.findings[i].found;
        if (found == SG_FOUND_SLOWER || found == SG_FOUND_CREEP || found == SG_FOUND_OFF)
            confirm_finding(c, &judgement, &judgement.findings[i], err);
    }
out:
    sg_judgement_release(&judgement);
    sg_history_release(&history);
    return err->code;
}

/* "[MODULE.so:]family/variant" without its module. */
static const char *variant_of(const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key), *colon = value ? strrchr(value, ':') : NULL;
    return colon ? colon + 1 : value ? value : "";
}

/* Of two builds of one variant: what a candidate and its baseline
 * differ by says nothing of a step. */
static enum sg_code check_gate(const struct sg_run *run, const char *path, struct sg_err *err)
{
    const char *baseline = variant_of(&run->env, "baseline"), *candidate = variant_of(&run->env, "candidate");
    if (!sg_run_is_gate(&run->env) || sg_env_why_invalid(&run->env))
        return sg_fail(err, SG_NOT_COMPARABLE, path, "expected a valid run of `solgate ab`");
    if (strcmp(baseline, candidate) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, path, "expected an A/B of two builds of one variant, found '%s' against '%s'",
                       sg_show(candidate, strlen(candidate)).text, sg_show(baseline, strlen(baseline)).text);
    return SG_SUCCESS;
}

static bool is_of_gpu(const char *group, const char *gpu)
{
    const size_t length = gpu ? strlen(gpu) : 0;
    return length > 0 && strncmp(group, gpu, length) == 0 && group[length] == '/';
}

static enum sg_code confirm_all(const struct confirm_input *in, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_names groups = {0};
    struct sg_text out = {0};
    size_t matched = 0;
    if (sg_run_read(in->run, &run, err) != SG_SUCCESS || check_gate(&run, in->run, err) != SG_SUCCESS ||
        sg_history_choose(in->folder, in->group, &groups, err) != SG_SUCCESS)
        goto out;
    for (size_t i = 0; i < groups.count && err->code == SG_SUCCESS; i++)
        if (is_of_gpu(groups.items[i], sg_env_get(&run.env, "gpu")))
            confirm_group(&(struct confirm){.in = in, .run = &run, .group = groups.items[i], .out = &out, .matched = &matched}, err);
    if (err->code == SG_SUCCESS && matched == 0)
        sg_text_add(&out, "nothing that is open in this history is in that run\n");
    sg_print(&out, err);
out:
    sg_text_release(&out);
    sg_names_release(&groups);
    sg_run_release(&run);
    return err->code;
}

int sg_history_confirm(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct confirm_input, folder),
        SG_GROUP_OPTION(struct confirm_input),
        SG_HISTORY_RULE_OPTIONS(struct confirm_input, rule),
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "RUN",
         SG_INTO(struct confirm_input, run),
         .help = "the folder of a run of `solgate ab` of one variant, built from the commits before and after the step"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Settles what `solgate history check` has open by an interleaved A/B of the commits: confirmed where the A/B finds more "
                   "than half of the step, refuted where it finds less, each by its 99 % interval.",
        .notes =
            "A step that is confirmed is `regressed` until it is accepted or undone. One that is refuted is the machine's: nights from "
            "there on are compared with one another. What is open is judged by the --tolerance and --alarms that `check` was given.\n\n"
            "Example: solgate history confirm out/ab-20261120",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct confirm_input in = {.folder = sg_history_folder(), .rule.tolerance = SG_HISTORY_TOLERANCE};
    if (sg_options_parse(&table, &in, argc, argv, err))
        confirm_all(&in, err);
    return 0;
}
