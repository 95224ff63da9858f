#include "cli/cmd_history.h"

#include <math.h>
#include <string.h>

#include "reports/tables/headline.h"
#include "results/kernel_commit.h"
#include "util/number_format.h"

struct input {
    struct sg_history_query query;
    struct sg_catalogue catalogue;
    const char *group;
    const struct sg_format *format;
};

static const struct sg_column columns[] = {
    {.title = "group", .meaning = "GPU model and suite", .names = true},
    {.title = "series", .meaning = "FAMILY/CASE/VARIANT", .key = true, .names = true},
    {.title = "of", .meaning = "kind of the values: build, ratio or time", .spare = true},
    {.title = "found", .key = true, .names = true},
    {.title = "change", .meaning = "ratio - 1", .programs = true, .number = true, .unit = "1"},
    {.title = "low",
     .meaning = "of its 95 % interval",
     .programs = true,
     .number = true,
     .unit = "1"},
    {.title = "high", .programs = true, .number = true, .unit = "1"},
    {.title = "night", .meaning = "the first one after the step", .programs = true},
    {.title = "earliest", .programs = true},
    {.title = "latest", .programs = true},
    {.title = "found_on", .programs = true},
    {.title = "commit_before", .programs = true},
    {.title = "commit_after", .programs = true},
    {.title = "informs", .meaning = "yes: does not change the exit code", .programs = true},
    {.title = "detail", .key = true},
};

void sg_history_check_begin(const struct sg_history_query *in, struct sg_history_checked *f)
{
    *f = (struct sg_history_checked){.in = in, .document = {.name = "history check"}};
    f->sheet = sg_document_sheet(&f->document, "findings", SG_COLUMNS(columns), SG_FOR_ALL);
}

/* ---- findings ---- */

/* "since 2026-02-13", of the first nightly run after the step. */
static void add_when(struct sg_text *out, const struct sg_judgement *j,
                     const struct sg_history_finding *finding)
{
    const struct sg_series_step *step = &finding->step;
    if (finding->found == SG_OFF)
        sg_text_addf(out, "on %s", sg_night_fact(j->history, step->at, SG_NIGHT_DATE));
    else
        sg_text_addf(
            out, "since %s",
            sg_night_label(j->history, finding->found == SG_CREEP ? step->earliest - 1 : step->at)
                .text);
}

/* "ratio +1.02 % [+0.90, +1.14] since 2026-02-13, found 2026-02-14; commits abc1234..def5678" */
static void add_step(struct sg_text *out, const struct sg_judgement *j,
                     const struct sg_history_finding *finding,
                     const struct sg_step_commits *commits)
{
    const struct sg_series_step *step = &finding->step;
    sg_text_addf(out, "%s ", sg_history_kind_word(finding->kind));
    sg_add_step_change(out, step);
    sg_text_add(out, " ");
    add_when(out, j, finding);
    if (finding->found != SG_OFF && finding->found != SG_CREEP) {
        if (step->earliest < step->latest)
            sg_text_addf(out, " (%s to %s)", sg_night_label(j->history, step->earliest).text,
                         sg_night_label(j->history, step->latest).text);
        sg_text_addf(out, ", found %s", sg_night_label(j->history, step->found).text);
    }
    sg_add_step_commits(out, commits);
}

/* Adds the `solgate ab` command that decides, if both commits are known and the item has the form
 * FAMILY/CASE/VARIANT. For another project, the user must fill in how it is built. */
static void add_decider(struct sg_text *out, const char *item,
                        const struct sg_step_commits *commits)
{
    const char *variant = strrchr(item, '/');
    if (!variant || !commits->are_known)
        return;
    sg_text_addf(out, "solgate ab --commits=%s..%s %.*s --variant=%s --out=AB%s", commits->before,
                 commits->after, (int)strcspn(item, "/"), item, variant + 1,
                 commits->are_foreign ? SG_FOREIGN_BUILD : "");
}

/* Counts the finding, and keeps it as the headline's if it is the worst. */
static void count(struct sg_history_checked *f, const struct sg_judgement *j,
                  const struct sg_history_finding *finding, const struct sg_step_commits *commits,
                  const char *next)
{
    const struct sg_verdict_row *verdict = sg_verdict_row(finding->found);
    const char *item = sg_history_item(j, finding->series);
    struct sg_headline one = {.exit_code = (int)verdict->exit_code, .verdict = finding->found};
    if (finding->is_informational)
        return;
    sg_headline_count(&one, finding->found, 1);
    sg_text_add(&one.item, item);
    if (verdict->bits & SG_STEPS) {
        one.size = expm1(finding->step.change);
        sg_add_change(&one.says, one.size);
        sg_text_addf(&one.says, " %s ", one.size > 0 ? "slower" : "faster");
        add_when(&one.says, j, finding);
        if (commits->are_known)
            sg_text_addf(&one.says, " (%s..%s)", commits->before, commits->after);
    } else {
        sg_text_addf(&one.says, "%s: %s", verdict->word, sg_text_string(&finding->detail));
    }
    sg_text_add(&one.next, *next ? next : "solgate history show --history=");
    if (!*next) {
        sg_text_add_word(&one.next, f->in->folder);
        sg_text_addf(&one.next, " %s", item);
    }
    if (one.exit_code == SG_EXIT_DONE)
        sg_text_release(&one.item);
    sg_headline_merge(&f->headline, &one);
}

static void add_finding(struct sg_history_checked *f, const struct sg_judgement *j,
                        const struct sg_history_finding *finding)
{
    const struct sg_series_step *step = &finding->step;
    const bool has_step = sg_verdict_row(finding->found)->bits & SG_STEPS;
    const size_t nights[] = {step->at, step->earliest, step->latest, step->found};
    struct sg_step_commits commits = {.before = "", .after = ""};
    struct sg_text detail = {0};
    SG_SCOPED(sg_text) decider = {0};
    if (has_step) {
        commits = sg_step_commits_of(j->history, &j->series[finding->series], step);
        add_step(&detail, j, finding, &commits);
    }
    sg_text_addf(&detail, "%s%s%s", detail.length > 0 && finding->detail.length > 0 ? "; " : "",
                 sg_text_string(&finding->detail), finding->is_informational ? " (info)" : "");
    sg_sheet_row(f->sheet, sg_verdict_row(finding->found)->class_);
    sg_sheet_cells(f->sheet, f->group, sg_history_item(j, finding->series),
                   has_step ? sg_history_kind_word(finding->kind) : "",
                   sg_verdict_word(finding->found));
    sg_sheet_numbers(f->sheet, has_step ? expm1(step->change) : NAN,
                     has_step ? expm1(step->low) : NAN, has_step ? expm1(step->high) : NAN);
    for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++)
        sg_sheet_cell(f->sheet,
                      has_step ? sg_night_fact(j->history, nights[i], SG_NIGHT_DATE) : "");
    sg_sheet_cells(f->sheet, commits.before, commits.after,
                   finding->is_informational ? "yes" : "no");
    sg_sheet_take(f->sheet, &detail);
    if ((sg_verdict_row(finding->found)->bits & SG_PAIRING) && !finding->is_informational)
        add_decider(&decider, sg_history_item(j, finding->series), &commits);
    sg_sheet_below(f->sheet, sg_text_string(&decider));
    count(f, j, finding, &commits, sg_text_string(&decider));
}

/* Adds a reason why the group is not green that belongs to no single item. */
static void add_reason(struct sg_history_checked *f, enum sg_verdict found, const char *why)
{
    const size_t count = sizeof(columns) / sizeof(columns[0]);
    sg_sheet_row(f->sheet, sg_verdict_row(found)->class_);
    for (size_t i = 0; i + 1 < count; i++)
        sg_sheet_cell(f->sheet, i == 0           ? f->group
                                : i == 3         ? sg_verdict_word(found)
                                : i + 2 == count ? "no"
                                                 : NULL);
    sg_sheet_cell(f->sheet, why);
    sg_headline_fail(&f->headline, (int)sg_verdict_exit(found), why);
}

/* Adds the number of rows in which a step could not be found, because their GPUs take turns. */
static void add_thin(struct sg_history_checked *f, const struct sg_judgement *j)
{
    if (j->thin == 0)
        return;
    SG_FORMATTED(why,
                 "%zu of %zu rows cannot be watched: too few nightly runs on each GPU to find a "
                 "step of %.2g %%; `solgate nightly SUITE` with accepted builds compares all GPUs",
                 j->thin, j->count, 100 * j->watched);
    add_reason(f, SG_INCONCLUSIVE, why.data);
}

/* Says since when half of the rows or more are slower, and what that nightly run has new. */
static void add_together(struct sg_history_checked *f, const struct sg_judgement *j)
{
    static const char *const facts[] = {"driver", "cuda", SG_NIGHT_UNIT, SG_COMMIT_KEY},
                             *const words[] = {"driver", "CUDA", "GPU", "commit"};
    SG_FREED double *rows = sg_alloc(2 * j->history->count, sizeof(*rows));
    double *sum = rows + j->history->count;
    SG_SCOPED(sg_text) is_new = {0};
    size_t since = 0;
    for (size_t i = 0; i < j->finding_count; i++) {
        const struct sg_series_step *step = &j->findings[i].step;
        const enum sg_verdict found = j->findings[i].found;
        const bool is_slower = (sg_verdict_row(found)->bits & SG_STEPS) && step->change > 0;
        for (size_t n = step->earliest; n <= step->latest && is_slower && found != SG_CREEP; n++) {
            sum[n] += step->change;
            rows[n]++;
            since = rows[n] > rows[since] ? n : since;
        }
    }
    if (rows[since] < fmax(2, (double)j->count / 2))
        return;
    const char *gpu = sg_night_fact(j->history, since, SG_NIGHT_UNIT);
    size_t before = since; /* the previous run of the same GPU; of any GPU if that GPU is new */
    while (before-- > 0 && strcmp(sg_night_fact(j->history, before, SG_NIGHT_UNIT), gpu) != 0)
        ;
    before = before < since ? before : since - 1;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        const char *was = sg_night_fact(j->history, before, facts[i]),
                   *is = sg_night_fact(j->history, since, facts[i]);
        if (strcmp(was, is) != 0)
            sg_text_addf(&is_new, "%s %s %s -> %s", is_new.length > 0 ? "," : "That run has a new",
                         words[i], was, is);
    }
    sg_document_notef(&f->document, SG_FOR_ALL,
                      "%s: %.0f of %zu rows are slower since %s, by %.2g %% on average. %s",
                      f->group, rows[since], j->count, sg_night_label(j->history, since).text,
                      100 * expm1(sum[since] / rows[since]),
                      is_new.length > 0 ? is_new.data
                                        : "Driver, CUDA, GPU and commit are as before");
}

/* ---- groups ---- */

static void add_head(struct sg_history_checked *f, const struct sg_judgement *j)
{
    const struct sg_history *history = j->history;
    const size_t last = history->count - 1;
    const char *gpu = sg_night_fact(history, last, SG_NIGHT_UNIT),
               *driver = sg_night_fact(history, last, "driver");
    sg_document_notef(
        &f->document, SG_FOR_PEOPLE, "%s: %zu nightly run%s, %.10s to %.10s, %zu series%s%s%s%s%s",
        f->group, history->count, SG_PLURAL(history->count),
        sg_night_fact(history, 0, SG_NIGHT_DATE), sg_night_fact(history, last, SG_NIGHT_DATE),
        j->count, *gpu ? "; last on " : "", gpu, *driver ? ", driver " : "", driver,
        j->is_bad[last] ? "; many series are off in both directions: single ones are not listed"
                        : "");
    if (history->unread > 0)
        sg_document_notef(&f->document, SG_FOR_PEOPLE,
                          "%zu nightly runs between the first %d and the last %d are not read",
                          history->unread, SG_NIGHTS_FIRST, SG_NIGHTS_LAST);
    if (history->count <= SG_SCAN_REST + SG_SCAN_REST)
        sg_document_notef(&f->document, SG_FOR_PEOPLE,
                          "too few nightly runs to say since when: a step needs %d before it, and "
                          "slow ones after it",
                          SG_SCAN_REST);
    if (j->correlation[last] >= SG_CORRELATION_SHOWN)
        sg_document_notef(&f->document, SG_FOR_PEOPLE, SG_CORRELATION_NOTE, j->correlation[last]);
}

/* Does the last nightly run have no value at all, although earlier runs do? Identical rows need
 * none. */
static bool is_blank(const struct sg_judgement *j)
{
    const size_t last = j->history->count - 1;
    bool has_any = false;
    for (size_t s = 0; s < j->count; s++) {
        const struct sg_night_row *row = sg_series_row(j->history, &j->series[s], last);
        if (!isnan(j->series[s].values[last].value) || (row && sg_night_is_untimed(row)))
            return false;
        has_any |= sg_series_last_value(&j->series[s], last) != SG_NO_NIGHT;
    }
    return has_any;
}

/* Adds why the last nightly run cannot be judged. */
static void add_last_night(struct sg_history_checked *f, const struct sg_judgement *j)
{
    const char *unfit = sg_night_fact(j->history, j->history->count - 1, SG_NIGHT_UNFIT);
    const struct sg_night *last = &j->history->nights[j->history->count - 1];
    SG_SCOPED(sg_text) why = {0};
    if (*unfit)
        sg_text_addf(&why, "the last nightly run; its times are not judged: %s", unfit);
    else if (last->from == last->to || is_blank(j))
        sg_text_addf(&why, "the last nightly run has no %s",
                     last->from == last->to ? "items" : "times");
    if (why.length > 0)
        add_reason(f, SG_INVALID_VALUE, why.data);
}

enum sg_code sg_history_check_one(void *context, const char *group,
                                  const struct sg_history *history, struct sg_err *err)
{
    struct sg_history_checked *f = context;
    struct sg_judgement judgement = {0};
    f->group = group;
    if (history->count > 0) {
        sg_history_judge(history, &f->in->rule, &judgement);
        add_head(f, &judgement);
        add_last_night(f, &judgement);
        add_together(f, &judgement);
        f->series += judgement.count;
        f->nights += history->count;
        if (f->also)
            f->also(f->context, group, &judgement);
    }
    for (size_t i = 0; i < judgement.finding_count; i++)
        add_finding(f, &judgement, &judgement.findings[i]);
    add_thin(f, &judgement);
    for (size_t i = 0; i < history->misdated.count; i++)
        add_reason(f, SG_INVALID_VALUE, history->misdated.items[i]);
    return err->code;
}

const char *sg_history_outcome(int exit_code)
{
    return exit_code == SG_EXIT_DONE           ? "nothing is open"
           : exit_code == SG_EXIT_INCONCLUSIVE ? "suspects are open, or rows cannot be watched: "
                                                 "`solgate history check` lists them"
                                               : sg_exit_meaning((enum sg_exit)exit_code);
}

bool sg_history_is_found(const struct sg_judgement *judgement, size_t series)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (judgement->findings[i].series == series)
            return true;
    return false;
}

void sg_history_check_lead(struct sg_history_checked *f)
{
    struct sg_headline *headline = &f->headline;
    struct sg_document whole = {.name = f->document.name, .is_comment = true};
    if (headline->exit_code == SG_EXIT_DONE)
        sg_text_addf(&headline->says, "nothing is open in %zu series", f->series);
    SG_FORMATTED(counts, "history: %zu series, %zu nightly run%s; ", f->series, f->nights,
                 SG_PLURAL(f->nights));
    sg_headline_add_counts(&counts, headline, "finding");
    sg_document_first_lines(&whole, SG_FOR_PEOPLE, headline, sg_headline_class(headline),
                            counts.data);
    sg_document_take(&whole, &f->document);
    f->document = whole;
}

static int check_all(struct input *in, struct sg_err *err)
{
    struct sg_history_checked f;
    sg_history_check_begin(&in->query, &f);
    const struct sg_history_wanted wanted = {.folder = in->query.folder, .group = in->group};
    if (sg_catalogue_load(&in->catalogue, err) == SG_SUCCESS &&
        sg_history_each(&wanted, sg_history_check_one, &f, err) == SG_SUCCESS) {
        sg_history_check_lead(&f);
        sg_print_document(&f.document, in->format, err);
    }
    return f.headline.exit_code;
}

int sg_cmd_history_check(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, query.folder),
        SG_GROUP_OPTION(struct input),
        SG_HISTORY_RULE_OPTIONS(struct input, query.rule),
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .summary = "Looks for steps and slow creep in every series of a history, and prints the "
                   "open findings of its last nightly run.",
        .notes = "The value of a nightly run is the ratio of a variant to its accepted build if "
                 "they were paired (`build`), otherwise to its baseline (`ratio`). Without any "
                 "ratio in the series it is the time at one clock. If there are ratios, times are "
                 "only shown. Another GPU, driver or accepted build starts another level of a "
                 "series: runs are compared inside of levels. A step that is in the accepted build "
                 "of the last run is settled.\n\n"
                 "A step alone fails nothing: `solgate history confirm` reads the interleaved A/B "
                 "that decides, `solgate history accept` accepts the step.\n\n"
                 "Example: solgate history check --alarms=usual",
        .exits =
            {
                {SG_EXIT_DONE, "nothing is open"},
                {SG_EXIT_REGRESSED, "a step that an A/B confirmed and that is not accepted"},
                {SG_EXIT_INCONCLUSIVE,
                 "a step, creep or a single run off, which needs an A/B; or rows "
                 "that cannot be watched"},
                {SG_EXIT_INVALID, "a file was changed, cut short or misdated, or the last run has "
                                  "no items or no valid times"},
                {SG_EXIT_USAGE, NULL},
                {SG_EXIT_UNDECLARED, "a variant was ok, is missing from the last run of its GPU, "
                                     "and that is not accepted"},
            },
    };
    struct input in = {
        .query = {.folder = sg_history_folder(),
                  .rule = {.tolerance = SG_HISTORY_TOLERANCE, .catalogue = &in.catalogue}},
        .format = sg_format_find("text")};
    return sg_options_parse(&table, &in, argc, argv, err) ? check_all(&in, err) : 0;
}
