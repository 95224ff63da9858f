#include "cli/cmd_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history_commits.h"
#include "results/kernel_commit.h"
#include "util/csv_reader.h"
#include "util/escape.h"

#define INDENT 15 /* of what stands behind the word of a finding */

struct input {
    struct sg_history_look look;
    const char *group;
    struct sg_catalogue catalogue;
};

static const char *day(const struct sg_history *history, size_t night)
{
    return sg_night_fact(history, night, SG_NIGHT_DATE);
}

static const char *item_name(const struct sg_judgement *j, const struct sg_history_finding *finding)
{
    return sg_intern_pool_string(j->history->pool, j->series[finding->series].item);
}

static void add_place(struct sg_text *out, const struct sg_judgement *j, const struct sg_history_finding *finding)
{
    const struct sg_series_step *step = &finding->step;
    if (finding->found == SG_FOUND_OFF) {
        sg_text_addf(out, " on %s", day(j->history, step->at));
    } else if (finding->found == SG_FOUND_CREEP) {
        sg_text_addf(out, " since %s", sg_night_label(j->history, step->earliest - 1).text);
    } else {
        sg_text_addf(out, " from %s on", sg_night_label(j->history, step->at).text);
        if (step->earliest < step->latest)
            sg_text_addf(out, " (%s to %s)", sg_night_label(j->history, step->earliest).text,
                         sg_night_label(j->history, step->latest).text);
        sg_text_addf(out, ", found %s", sg_night_label(j->history, step->found).text);
    }
}

/* The command that decides, where the step lies between two commits and its item
 * has the three names of one of ours. How another project is built only its user knows. */
static void add_decider(struct sg_text *out, const char *item, const struct sg_step_commits *commits)
{
    const char *variant = strrchr(item, '/');
    if (!variant || !commits->are_known)
        return;
    sg_text_addf(out, "%*sA/B: solgate ab --commits=%s..%s %.*s --variant=%s --out=AB%s\n", INDENT, "", commits->before, commits->after,
                 (int)strcspn(item, "/"), item, variant + 1, commits->are_foreign ? SG_FOREIGN_BUILD : "");
}

/* None of what is no step. */
static struct sg_step_commits commits_of(const struct sg_judgement *j, const struct sg_history_finding *finding)
{
    if (!sg_found_has_step(finding->found))
        return (struct sg_step_commits){.before = "", .after = ""};
    return sg_step_commits_of(j->history, &j->series[finding->series], &finding->step);
}

static void add_text_finding(struct sg_text *out, const struct sg_judgement *j, const struct sg_history_finding *finding, const char *repo)
{
    struct sg_text line = {0};
    const struct sg_step_commits commits = commits_of(j, finding);
    sg_text_add(&line, item_name(j, finding));
    if (sg_found_has_step(finding->found)) {
        sg_text_addf(&line, " %s ", sg_history_kind_word(finding->kind));
        sg_add_step_change(&line, &finding->step);
        add_place(&line, j, finding);
        sg_add_step_commits(&line, &commits);
    }
    if (finding->detail.length > 0) {
        sg_text_add(&line, " ");
        sg_add_terminal(&line, finding->detail.data);
    }
    if (finding->informs)
        sg_text_add(&line, " (informs)");
    sg_text_addf(out, "  %-12s ", sg_history_found_word(finding->found));
    sg_add_wrapped(out, line.data, INDENT, INDENT);
    sg_text_add(out, "\n");
    const bool is_suspect = finding->found >= SG_FOUND_SLOWER && finding->found <= SG_FOUND_OFF;
    if (repo && (is_suspect || finding->found == SG_FOUND_REGRESSED))
        sg_add_commits(out, repo, &commits);
    if (is_suspect && !finding->informs)
        add_decider(out, item_name(j, finding), &commits);
    sg_text_release(&line);
}

static void add_csv_number(struct sg_text *out, double ln)
{
    sg_text_add(out, ",");
    if (!isnan(ln))
        sg_text_add_number(out, expm1(ln), 6);
}

static void add_csv_finding(struct sg_text *out, const struct sg_judgement *j, const struct sg_history_finding *finding, const char *group)
{
    const bool has_step = sg_found_has_step(finding->found);
    sg_text_addf(out, "%s,%s,%s,%s", group, item_name(j, finding), has_step ? sg_history_kind_word(finding->kind) : "",
                 sg_history_found_word(finding->found));
    add_csv_number(out, has_step ? finding->step.change : NAN);
    add_csv_number(out, has_step ? finding->step.low : NAN);
    add_csv_number(out, has_step ? finding->step.high : NAN);
    const size_t nights[] = {finding->step.at, finding->step.earliest, finding->step.latest, finding->step.found};
    for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++)
        sg_text_addf(out, ",%s", has_step ? day(j->history, nights[i]) : "");
    const struct sg_step_commits commits = commits_of(j, finding);
    sg_text_add(out, ",");
    sg_csv_add_field(out, commits.before);
    sg_text_add(out, ",");
    sg_csv_add_field(out, commits.after);
    sg_text_addf(out, ",%s,", finding->informs ? "yes" : "no");
    sg_csv_add_field(out, sg_text_string(&finding->detail));
    sg_text_add(out, "\n");
}

static void add_head(struct sg_text *out, const struct sg_judgement *j, const char *group)
{
    const struct sg_history *history = j->history;
    const size_t last = history->count - 1;
    const char *gpu = sg_night_fact(history, last, "gpu_uuid_hash"), *driver = sg_night_fact(history, last, "driver");
    sg_text_addf(out, "%s: %zu nights, %.10s to %.10s, %zu series", group, history->count, day(history, 0), day(history, last), j->count);
    sg_text_add(out, *gpu ? "; last on " : "");
    sg_add_terminal(out, gpu);
    sg_text_add(out, *driver ? ", driver " : "");
    sg_add_terminal(out, driver);
    sg_text_add(out, j->is_bad[last] ? "; many series are off in both directions: single ones are not listed\n" : "\n");
}

/* A finding of no item, for which the group is not green. */
static void add_invalid(struct sg_text *out, const struct sg_history_look *in, const char *group, const char *why, int *exit_code)
{
    if (in->csv) {
        sg_text_addf(out, "%s,,,invalid,,,,,,,,,,no,", group);
        sg_csv_add_field(out, why);
    } else {
        sg_text_addf(out, "  %-12s ", "invalid");
        sg_add_wrapped(out, why, INDENT, INDENT);
    }
    sg_text_add(out, "\n");
    *exit_code = sg_worse_exit(*exit_code, SG_EXIT_INVALID);
}

/* Has the last night no number, where others have? */
static bool is_blank(const struct sg_judgement *j)
{
    bool has_any = false;
    for (size_t s = 0; s < j->count; s++)
        for (size_t night = 0; night < j->history->count; night++) {
            const bool has_value = !isnan(j->series[s].values[night].value);
            if (has_value && night + 1 == j->history->count)
                return false;
            has_any |= has_value;
        }
    return has_any;
}

/* What leaves open what the last night would have shown. */
static void add_last_night(struct sg_text *out, const struct sg_history_look *in, const struct sg_judgement *j, const char *group,
                           int *exit_code)
{
    const char *unfit = sg_night_fact(j->history, j->history->count - 1, SG_NIGHT_UNFIT);
    const struct sg_night *last = &j->history->nights[j->history->count - 1];
    struct sg_text why = {0};
    if (*unfit) {
        sg_text_add(&why, "the last night; its times are not judged: ");
        sg_add_terminal(&why, unfit);
    } else if (last->from == last->to || is_blank(j)) {
        sg_text_addf(&why, "the last night has no %s", last->from == last->to ? "items" : "times");
    }
    if (why.length > 0)
        add_invalid(out, in, group, why.data, exit_code);
    sg_text_release(&why);
}

static void judge_group(const struct sg_history_look *in, const struct sg_history *history, const char *group, struct sg_text *out,
                        int *exit_code)
{
    struct sg_judgement judgement = {0};
    sg_history_judge(history, &in->rule, &judgement);
    if (!in->csv)
        add_head(out, &judgement, group);
    add_last_night(out, in, &judgement, group, exit_code);
    for (size_t i = 0; i < judgement.finding_count; i++)
        if (in->csv)
            add_csv_finding(out, &judgement, &judgement.findings[i], group);
        else
            add_text_finding(out, &judgement, &judgement.findings[i], in->repo);
    *exit_code = sg_worse_exit(*exit_code, (int)sg_judgement_exit(&judgement));
    sg_judgement_release(&judgement);
}

enum sg_code sg_history_check_group(const struct sg_history_look *in, const char *group, struct sg_text *out, int *exit_code,
                                    struct sg_err *err)
{
    struct sg_history history = {0};
    if (sg_history_load(in->folder, group, NULL, &history, err) == SG_SUCCESS) {
        if (history.count > 0)
            judge_group(in, &history, group, out, exit_code);
        else if (!in->csv)
            sg_text_addf(out, "%s: no nights\n", group);
        for (size_t i = 0; i < history.misdated.count; i++)
            add_invalid(out, in, group, history.misdated.items[i], exit_code);
    }
    sg_history_release(&history);
    return err->code;
}

const char *sg_history_outcome(int exit_code)
{
    return exit_code == SG_EXIT_DONE           ? "nothing is open"
           : exit_code == SG_EXIT_INCONCLUSIVE ? "suspects; an interleaved A/B decides (solgate history confirm -h)"
                                               : sg_exit_meaning((enum sg_exit)exit_code);
}

static int check_all(struct input *in, struct sg_err *err)
{
    struct sg_names groups = {0};
    struct sg_text out = {0};
    int exit_code = SG_EXIT_DONE;
    in->look.rule.catalogue = &in->catalogue;
    if (sg_catalogue_load(&in->catalogue, err) == SG_SUCCESS)
        sg_history_choose(in->look.folder, in->group, &groups, err);
    if (in->look.csv)
        sg_text_add(&out,
                    "group,series,of,found,change,low,high,night,earliest,latest,found_on,commit_before,commit_after,informs,detail\n");
    for (size_t i = 0; i < groups.count && err->code == SG_SUCCESS; i++)
        sg_history_check_group(&in->look, groups.items[i], &out, &exit_code, err);
    if (err->code == SG_SUCCESS && !in->look.csv)
        sg_text_addf(&out, "history: %s\n", sg_history_outcome(exit_code));
    if (err->code == SG_SUCCESS)
        sg_print(&out, err);
    sg_text_release(&out);
    sg_names_release(&groups);
    sg_catalogue_release(&in->catalogue);
    return exit_code;
}

int sg_history_check(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, look.folder),
        SG_GROUP_OPTION(struct input),
        SG_HISTORY_RULE_OPTIONS(struct input, look.rule),
        {.name = "repo",
         .arg = "DIR",
         SG_INTO(struct input, look.repo),
         .help = "a git repository: list the commits of each step",
         .standard = ""},
        {.name = "format", .arg = "text|csv", SG_INTO(struct input, look.csv), .help = "how it is written"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .summary = "Looks for steps and slow creep in every series of a history, and prints what is open on its last night.",
        .notes = "A night's value is the ratio of a variant to its accepted build where they were paired (`build`), else to its baseline "
                 "(`ratio`), else its time at one clock, where no night has such a ratio. Beside ratios, times inform only. Another GPU, "
                 "driver or accepted build is another level of a series: nights are compared inside of levels. A step that is in the "
                 "accepted build of the last night is settled.\n\n"
                 "No step fails anything by itself: `solgate history confirm` takes the interleaved A/B that decides, `solgate history "
                 "accept` a step to live with.\n\n"
                 "Example: solgate history check --repo=.",
        .exits =
            {
                {SG_EXIT_DONE, "nothing is open"},
                {SG_EXIT_REGRESSED, "a step that an A/B confirmed and nobody accepted"},
                {SG_EXIT_INCONCLUSIVE, "a step, creep or a night that an A/B is to decide"},
                {SG_EXIT_INVALID, "a night was changed, cut short or misdated, or the last one has no items or no valid times"},
                {SG_EXIT_USAGE, NULL},
                {SG_EXIT_UNDECLARED, "a variant was ok, is not on the last night of its GPU, and nobody accepted that"},
            },
    };
    struct input in = {.look = {.folder = sg_history_folder(), .rule.tolerance = SG_HISTORY_TOLERANCE}};
    return sg_options_parse(&table, &in, argc, argv, err) ? check_all(&in, err) : 0;
}
