#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd_builds.h"
#include "cli/cmd_doctor.h"
#include "cli/cmd_history.h"
#include "cli/cmd_report.h"
#include "reports/page.h"
#include "reports/tables/headline.h"
#include "reports/tables/next_steps.h"
#include "cli/command.h"
#include "cli/judged_run.h"
#include "nightly/decide.h"
#include "plan/suite.h"
#include "results/parts.h"
#include "results/units.h"
#include "schedule/gpus.h"
#include "schedule/run_on_gpus.h"
#include "stats/decision.h"
#include "stats/sequential.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"

#define NIGHTS_FOLDER "out/nights"
#define NIGHT_FILE    "night.txt" /* in the folder of a nightly run, written last */

struct input {
    struct sg_names suites;
    struct sg_suite *loaded; /* parallel to `suites` */
    const char *out, *history;
    double budget_s; /* 0: no limit */
    bool all;
    bool is_comment;      /* Markdown instead of text */
    const char *measured; /* a run that is judged in place of being measured; NULL: none */
    struct sg_run_options run;
};

struct night {
    const struct input *in;
    struct sg_history_query history; /* its folder is NULL: no history is kept */
    struct sg_text folder;           /* of this run, in the folder of nightly runs */
    struct sg_env gpu_facts;         /* what the driver says of the GPU; empty: there is none */
    struct sg_rebuilder rebuilder;
    struct sg_text text;         /* text below the verdict */
    struct sg_text pairing;      /* for each suite with unpaired rows the command that pairs them */
    size_t printed;              /* bytes of `text` already printed to stderr */
    struct sg_document verdicts; /* the same, without the steps that were taken */
    struct sg_catalogue catalogue;
    struct sg_nightly_total total;
    struct sg_headline history_found;
    double deadline_s;
};

/* ---- output ---- */

/* Prints early results to stderr while the nightly run continues; not on a terminal, where stdout
 * repeats them. */
static void print_new_text(struct night *night)
{
    if (isatty(STDERR_FILENO) && isatty(STDOUT_FILENO))
        return;
    fputs(sg_text_string(&night->text) + night->printed, stderr);
    night->printed = night->text.length;
}

/* Notes a failed step: the nightly run continues, but its exit code counts. */
static void note_failure(struct night *night, const char *step, const struct sg_err *failure)
{
    if (failure->code == SG_SUCCESS)
        return;
    SG_FORMATTED(words, "%s: ", step);
    sg_add_terminal_failure(&words, failure);
    sg_text_addf(&night->text, "%s\n", words.data);
    sg_document_note(&night->verdicts, SG_FOR_PEOPLE, words.data);
    sg_headline_fail(&night->total.headline, sg_exit_code(failure->code), words.data);
}

/* A part of a suite is neither kept in the history nor reported. */
static bool is_part(const struct input *in)
{
    return in->run.filters.shards.of > 0;
}

/* ---- steps of a suite ---- */

#define TRENDS_MOST 12 /* on the page of a nightly run */

struct suite {
    struct night *night;
    struct sg_text run; /* its folder */
    struct sg_run_options options;
    struct sg_run_outcome outcome;
    struct sg_judge_request request;
    struct sg_judged_run judged;
    struct sg_night_items items;
    struct sg_night_terms terms;
    struct sg_report_history open; /* of its history */
};

static enum sg_code measure(struct suite *suite, struct sg_err *err)
{
    suite->outcome = (struct sg_run_outcome){.exit_code = SG_EXIT_DONE};
    if (suite->night->in->measured) {
        sg_text_addf(&suite->outcome.summary, "%s was measured before\n", suite->run.data);
        return SG_SUCCESS;
    }
    return sg_run_on_gpus(&suite->options, &suite->outcome, err);
}

static bool is_late(const struct night *night)
{
    return night->deadline_s > 0 && sg_monotonic_s() >= night->deadline_s;
}

/* Judges the run against its accepted numbers, and its spread against the history. A history that
 * cannot be read fails later, when the run is added. */
static enum sg_code judge(struct suite *suite, struct sg_err *err)
{
    struct night *night = suite->night;
    suite->items = (struct sg_night_items){0};
    if (night->history.folder)
        sg_history_find_items(&night->history, suite->run.data, &suite->items);
    suite->terms = (struct sg_night_terms){
        .max_processes = is_late(night) ? 0 : SG_SEQUENTIAL_PROCESSES_MAX, .items = &suite->items};
    return sg_judge_run(&suite->request, &suite->judged, err);
}

/* Re-measures open rows in the same run, and judges them again. */
static enum sg_code confirm(struct suite *suite, struct sg_err *err)
{
    struct sg_run_options *options = &suite->options;
    const bool late = is_late(suite->night);
    sg_nightly_open_items(&suite->judged.comparison, &suite->items, &options->more);
    options->resume = true;
    if (options->more.count > 0 && late)
        sg_text_addf(&suite->night->text,
                     "open items, not re-measured because the time budget was exhausted: %zu\n",
                     options->more.count);
    else if (options->more.count > 0)
        sg_text_addf(&suite->night->text, "open items, re-measured with up to %d processes: %zu\n",
                     SG_SEQUENTIAL_PROCESSES_MAX, options->more.count);
    if (options->more.count > 0 && !late && measure(suite, err) == SG_SUCCESS)
        judge(suite, err);
    return err->code;
}

static void fail_run(struct suite *suite, int exit_code)
{
    SG_FORMATTED(words, "%s: the run found: %s", suite->options.suite,
                 sg_exit_meaning((enum sg_exit)exit_code));
    sg_headline_fail(&suite->night->total.headline, exit_code, words.data);
}

static void add_verdicts(struct suite *suite)
{
    struct night *night = suite->night;
    struct sg_comparison *comparison = &suite->judged.comparison;
    struct sg_headline headline = {0};
    const struct sg_report_input input = sg_judged_report(&suite->judged, &suite->request);
    struct sg_document document = {.name = "compare"};
    sg_nightly_add_moved(comparison, &suite->outcome.checked);
    if (suite->outcome.checked.length > 0)
        sg_text_addf(&night->text, "%s\n", suite->outcome.checked.data);
    night->total.unspread += sg_nightly_judge(comparison, &suite->items);
    sg_document_of_comparison(&document, &input);
    sg_format_find("text")->document(&document, false, &night->text);
    sg_document_take(&night->verdicts, &document);
    sg_headline_of(&input, &headline);
    sg_add_pairing_step(&input, "\nto pair every row in the next nightly run: ", &night->pairing);
    sg_headline_merge(&night->total.headline, &headline);
    fail_run(suite, sg_nightly_run_exit(suite->outcome.exit_code, headline.exit_code,
                                        comparison->by_verdict[SG_WAIVED]));
}

/* Without accepted numbers, reports what the run itself found. */
static void add_unjudged(struct suite *suite, const struct sg_err *why)
{
    sg_text_add(&suite->night->text, sg_text_string(&suite->outcome.summary));
    sg_document_note(&suite->night->verdicts, SG_FOR_PEOPLE,
                     sg_text_string(&suite->outcome.summary));
    note_failure(suite->night, "compare", why);
    fail_run(suite, suite->outcome.exit_code);
}

static bool is_red(const struct sg_comparison *comparison, const char *item)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        SG_FORMATTED(name, "%s/%s/%s", SG_NAMES(finding));
        if (sg_class_of(&finding) == SG_RED && strcmp(name.data, item) == 0)
            return true;
    }
    return false;
}

static void add_trends(void *context, const char *group, const struct sg_judgement *judgement)
{
    struct suite *suite = context;
    for (size_t s = 0; s < judgement->count && suite->open.trends.count < TRENDS_MOST; s++)
        if (sg_history_is_found(judgement, s) ||
            is_red(&suite->judged.comparison, sg_history_item(judgement, s)))
            sg_chart_trend(judgement, group, s, &suite->open.trends);
}

static void keep(struct suite *suite)
{
    struct night *night = suite->night;
    struct sg_err failure = {0};
    SG_SCOPED(sg_text) group = {0};
    struct sg_history_wanted wanted = {.folder = night->history.folder};
    struct sg_history_checked checked;
    sg_history_check_begin(&night->history, &checked);
    checked.also = add_trends;
    checked.context = suite;
    sg_history_add_run(&night->history, suite->run.data, &group, &night->text, &failure);
    wanted.group = group.data;
    if (failure.code == SG_SUCCESS &&
        sg_history_each(&wanted, sg_history_check_one, &checked, &failure) == SG_SUCCESS)
        sg_format_find("text")->document(&checked.document, false, &night->text);
    suite->open.document = checked.document;
    note_failure(night, "history", &failure);
    sg_headline_merge(&night->history_found, &checked.headline);
}

static void report(struct suite *suite)
{
    struct night *night = suite->night;
    struct sg_err failure = {0};
    SG_SCOPED(sg_text) folder = sg_text_of("%s/report", suite->run.data), gnuplot = {0};
    struct sg_report_request request = {.out = folder.data,
                                        .history = night->history.folder ? &suite->open : NULL,
                                        .night = &suite->terms};
    request.tables_only = !sg_program_path(&gnuplot, "gnuplot");
    sg_names_add(&request.runs, suite->run.data);
    if (sg_report_make(&request, &failure)) {
        sg_text_addf(&night->text, "report: %s/index.html\n", folder.data);
        failure.code = failure.code == SG_SYSTEM
                           ? SG_SYSTEM
                           : SG_SUCCESS; /* other codes are verdicts, already in the text */
    }
    note_failure(night, "report", &failure);
}

/* Only a whole run is kept: the missing shards are measured later, on the same day. */
static bool is_whole(const struct suite *suite)
{
    const char *missing = sg_env_get(&suite->judged.against.run.env, SG_MISSING_SHARDS_KEY);
    if (missing)
        sg_text_addf(&suite->night->text,
                     "history: this run is not kept, because shards are missing: %s\n", missing);
    return !missing;
}

static void do_suite(struct suite *suite, struct sg_err *err)
{
    struct night *night = suite->night;
    struct sg_err failure = {0};
    if (measure(suite, &failure) == SG_SUCCESS && !suite->outcome.is_empty &&
        judge(suite, &failure) == SG_SUCCESS && !night->in->measured)
        confirm(suite, &failure);
    if (failure.code == SG_INTERRUPTED) {
        sg_fail(err, failure.code, failure.where, "%s", failure.message);
        return;
    }
    if (suite->outcome.is_empty && night->in->suites.count == 1)
        sg_text_add(&night->total.headline.says, "no case of the suite is in this part");
    if (suite->judged.against.run.folder)
        add_verdicts(suite);
    else if (suite->outcome.summary.length > 0)
        add_unjudged(suite, &failure);
    if (suite->outcome.summary.length ==
        0) { /* the run, or its re-measurement, was not completed */
        note_failure(night, "run", &failure);
        return;
    }
    if (is_part(night->in))
        return;
    if (night->history.folder && is_whole(suite))
        keep(suite);
    report(suite);
}

/* Warns if a suite has fewer processes than a verdict `within` needs: then each row of a changed
 * kernel is re-measured, which takes up to four times as long. */
static void warn_of_few(struct night *night, const struct sg_suite *suite)
{
    const unsigned processes = suite->settings.processes;
    if (suite->family_count > 0 && processes != SG_PROCESSES_AUTO &&
        processes < SG_WITHIN_PROCESSES)
        sg_text_addf(&night->text,
                     "processes = %u: the verdict `within` needs %d, so every row of a kernel that "
                     "changed is re-measured; `processes = %d` "
                     "in the suite is faster\n",
                     processes, SG_WITHIN_PROCESSES, SG_WITHIN_PROCESSES);
}

static void take_suite(struct night *night, size_t number, struct sg_err *err)
{
    struct suite suite = {.night = night, .options = night->in->run};
    const char *name = night->in->suites.items[number];
    const struct sg_suite *loaded = &night->in->loaded[number];
    if (night->in->measured)
        sg_text_add(&suite.run, night->in->measured);
    else
        sg_text_addf(&suite.run, "%s/%s", night->folder.data, loaded->name);
    suite.options.suite = name;
    suite.options.out = suite.run.data;
    suite.options.deadline_s = night->deadline_s;
    suite.options.gpu_facts = sg_env_get(&night->gpu_facts, "gpu_name") ? &night->gpu_facts : NULL;
    suite.options.rebuild = sg_rebuild_once;
    suite.options.rebuild_context = &night->rebuilder;
    if (!night->in->all)
        suite.options.timed_since = night->history.folder ? night->history.folder : "";
    suite.request = (struct sg_judge_request){
        .sides = {.run = suite.run.data}, .catalogue = &night->catalogue, .night = &suite.terms};
    sg_text_add(&night->text, "suite ");
    sg_add_terminal(&night->text, name);
    if (is_late(night)) {
        sg_text_add(&night->text, ": not measured, the time budget was exhausted\n");
        night->total.left_out++;
        sg_headline_fail(&night->total.headline, SG_EXIT_INVALID,
                         "a suite was not measured: the time budget was exhausted");
    } else {
        sg_text_addf(&night->text, ": %s\n", suite.run.data);
        warn_of_few(night, loaded);
        print_new_text(night);
        sg_document_heading(&night->verdicts, SG_FOR_PEOPLE, loaded->name, loaded->name);
        night->total.suites++;
        do_suite(&suite, err);
        night->printed = night->text.length;
    }
}

/* ---- the nightly run ---- */

/* Notes what doctor finds missing or blocked. The findings decide nothing: what cannot be measured
 * has its own verdict. */
static void examine(struct night *night, struct sg_text *lines)
{
    struct sg_document found = {.name = "doctor"};
    sg_doctor_examine(night->in->run.gpu, &found, &night->gpu_facts, SG_IGNORED);
    const struct sg_sheet *sheet = &found.part[0]->sheet;
    for (size_t row = 0; row < sheet->row_count; row++) {
        const char *state = sg_sheet_at(sheet, row, 0);
        if (strcmp(state, "ok") != 0)
            sg_text_addf(lines, "doctor: %-8s %s\n", state,
                         sg_sheet_at(sheet, row, sheet->column_count - 1));
    }
}

/* Writes the file of the nightly run last: if the file exists, the run is complete. */
static enum sg_code finish(struct night *night, struct sg_err *err)
{
    struct sg_headline *headline = &night->total.headline, *found = &night->history_found;
    SG_SCOPED(sg_text) path = {0}, counts = {0}, out = {0};
    if (night->history.folder && !is_part(night->in)) {
        night->total.history = sg_history_outcome(found->exit_code);
        /* The rows of the history are series; they were not counted as rows of the run. */
        memset(found->count, 0, sizeof(found->count));
        if (found->exit_code != SG_EXIT_INCONCLUSIVE)
            sg_headline_merge(headline, found);
        else if (headline->next.length == 0)
            sg_text_add(&headline->next, found->next.data);
    }
    sg_nightly_counts(&night->total, &counts);
    sg_headline_add_lines(&out, headline, counts.data);
    sg_text_add(&out, sg_text_string(&night->text));
    if (night->pairing.length > 0)
        sg_text_addf(&out, "%s\n", night->pairing.data + 1);
    sg_text_addf(&path, "%s/" NIGHT_FILE, night->folder.data);
    if (sg_write_file(path.data, out.data, out.length, err) != SG_SUCCESS || !night->in->is_comment)
        return err->code == SG_SUCCESS ? sg_print(&out, err) : err->code;
    struct sg_document comment = {.name = "nightly", .is_comment = true};
    sg_document_first_lines(&comment, SG_FOR_MARKDOWN, headline, sg_headline_class(headline),
                            counts.data);
    sg_document_take(&comment, &night->verdicts);
    return sg_print_document(&comment, sg_format_find("markdown"), err);
}

/* Locks the GPU, if its driver or SOLGATE_NULL_UNIT names it. */
static enum sg_code hold_gpu(const struct night *night, struct sg_err *err)
{
    const char *hash = sg_env_get(&night->gpu_facts, "gpu_uuid_hash"),
               *simulated = getenv(SG_NULL_UNIT_VARIABLE);
    SG_SCOPED(sg_text) unit = {0};
    if (!hash && simulated)
        sg_text_add_bytes(&unit, simulated, strcspn(simulated, "@"));
    else if (hash)
        sg_text_add(&unit, hash);
    return unit.length > 0 ? sg_unit_hold(unit.data, err) : err->code;
}

/* Makes a dated folder, whose name differs from a run killed in the same second; a run that was
 * measured is in its folder already. */
static enum sg_code find_folder(const struct input *in, struct sg_text *folder, struct sg_err *err)
{
    SG_FORMATTED(before, "%s/", in->out);
    SG_FREED char *run = in->measured ? sg_copy_string(in->measured) : NULL;
    if (!run)
        return sg_choose_folder(NULL, before.data, folder, err);
    sg_text_add(folder, dirname(run));
    return SG_SUCCESS;
}

/* The history that is given, or the usual one if it is there; NULL: no history is kept. */
static const char *find_history(const char *given)
{
    const char *set = getenv(SG_HISTORY_VARIABLE), *folder = given ? given : sg_history_folder();
    return given || (set && *set) || sg_is_folder(folder) ? folder : NULL;
}

static enum sg_code go_through(struct night *night, struct sg_err *err)
{
    const struct input *in = night->in;
    SG_SCOPED(sg_text) examined = {0};
    if (sg_catalogue_load(&night->catalogue, err) != SG_SUCCESS)
        return err->code;
    if (!in->measured) {
        examine(night, &examined);
        if (in->run.gpus == 0) /* else the first suite locks each of them */
            hold_gpu(night, err);
    }
    if (err->code != SG_SUCCESS || find_folder(in, &night->folder, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&night->text, "nightly run %s, history: %s\n", night->folder.data,
                 night->history.folder ? night->history.folder : "none");
    sg_text_add(&night->text, sg_text_string(&examined));
    for (size_t i = 0; i < in->suites.count && err->code == SG_SUCCESS; i++)
        take_suite(night, i, err);
    return err->code == SG_SUCCESS ? finish(night, err) : err->code;
}

static int nightly(const struct input *in, struct sg_err *err)
{
    struct night night = {
        .in = in,
        .history = {.folder = find_history(in->history),
                    .rule = {.tolerance = SG_HISTORY_TOLERANCE, .catalogue = &night.catalogue}}};
    int lock = -1;
    night.deadline_s = in->budget_s > 0 ? sg_monotonic_s() + in->budget_s : 0;
    night.rebuilder = (struct sg_rebuilder){.out = &night.text, .deadline_s = night.deadline_s};
    if (in->measured ||
        (sg_make_folders(in->out, err) == SG_SUCCESS &&
         sg_lock(in->out, O_DIRECTORY,
                 "another nightly run is under way: a process has locked this folder", &lock,
                 err) == SG_SUCCESS))
        go_through(&night, err);
    close(lock);
    return night.total.headline.exit_code;
}

/* Without a suite, measures everything in the modules. Refuses two suites with one name, which
 * would share a folder. Finds unreadable suites before anything is measured. */
static enum sg_code check_suites(struct input *in, struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    if (in->suites.count == 0 && in->run.modules.count == 0)
        return sg_fail(
            err, SG_BAD_USAGE, "nightly",
            "SUITE is missing: a name of `solgate list suites`, or the path of a .suite file");
    if (in->suites.count == 0)
        sg_names_add(&in->suites, SG_SUITE_OF_MODULES);
    if (in->measured && in->suites.count != 1)
        return sg_fail(err, SG_BAD_USAGE, "--run", "expected the one SUITE of the run, found %zu",
                       in->suites.count);
    in->loaded = sg_alloc(in->suites.count, sizeof(*in->loaded));
    for (size_t i = 0; i < in->suites.count && err->code == SG_SUCCESS; i++) {
        const struct sg_suite *suite = &in->loaded[i];
        sg_suite_load(in->suites.items[i], &in->loaded[i], err);
        if (sg_names_have(&names, suite->name))
            sg_fail(err, SG_BAD_USAGE, "nightly", "expected each suite once, found '%s' twice",
                    suite->name);
        if (in->measured && err->code == SG_SUCCESS)
            sg_check_whole_run(in->measured, suite->name, err);
        sg_names_add(&names, suite->name);
    }
    return err->code;
}

static const char notes[] =
    "Each variant is timed in pairs with the build that its accepted numbers come from "
    "(run --against-accepted). Rows that compare "
    "calls regressed, inconclusive or unresolved are re-measured by new processes, up to "
    "20 in all. A row that is still regressed "
    "gives exit 1. A row that stays inconclusive is a suspect and gives exit 2. So does a "
    "row that is regressed after fewer processes because the time budget was exhausted, "
    "and a row "
    "whose processes differ over three times as much as in ten nightly runs before. Rows "
    "that stay unresolved are listed with what they may hide. They pass, unless no "
    "row of the suite was decided (exit 3).\n\n"
    "SUITE may be left out where a --module is named. Files are written in --out and "
    "--history only; DIR/<date>/" NIGHT_FILE
    " is written last, and begins with the verdict. Nightly runs of several "
    "GPUs may share a history at the same time, but neither --out nor a GPU.\n\n"
    "Example: solgate nightly nightly --out=$HOME/nights --history=$HOME/history "
    "--budget=30m";

int sg_cmd_nightly(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("out", "DIR", struct input, out,
                 .help = "folder of the nightly runs: each is DIR/<date>, with a run and a report "
                         "for each suite",
                 .standard = NIGHTS_FOLDER),
        SG_VALUE("history", "DIR", struct input, history,
                 .help = "history that the run is added to",
                 .standard = "$" SG_HISTORY_VARIABLE ", or ./" SG_HISTORY_FOLDER
                             " if it is there, else none"),
        SG_VALUE("budget", "TIME", struct input, budget_s,
                 .help = "40m, 600s: no step starts that would end later; measured rows are "
                         "judged, the others are not_measured",
                 .read = sg_budget_read, .standard = "none"),
        SG_FLAG("all", struct input, all, .help = "time all rows",
                .standard = "those that changed since they were accepted, and a few to see drift"),
        SG_VALUE("shard", "I/N", struct input, run.filters.shards,
                 .help = "only part I of N of each suite, I from 0, for `solgate merge`: the "
                         "history is read, and nothing is added",
                 .read = sg_shards_read, .standard = ""),
        SG_VALUE("run", "DIR", struct input, measured,
                 .help = "judge this run of SUITE, which `solgate merge` joined, in place of "
                         "measuring; writes DIR/../" NIGHT_FILE,
                 .without = "shard"),
        SG_VALUE("module", "FILE", struct input, run.modules,
                 .help = "a kernel module: adds its family, or replaces the one built with solgate",
                 .repeats = true),
        SG_BASELINES_OPTION,
        SG_BUILDS_OPTION,
        SG_VALUE("format", "text|markdown", struct input, is_comment,
                 .help = "how the verdict is written to stdout; markdown: as a comment"),
        SG_GPUS_OPTION(struct input, run),
        SG_VALUE("seed", "N", struct input, run.seed,
                 .help = "seed of inputs, orders and simulated times"),
        SG_FLAG("allow-shared-gpu", struct input, run.shared_gpu_allowed,
                .help = "let times count even if others use the GPU, or MIG or MPS is on",
                .standard = "they are invalid"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(
            "SUITE", struct input, suites,
            .help = "a name of `solgate list suites`, or the path of a .suite file",
            .repeats = true, .optional = true)},
        .summary = "Runs the suites, compares, re-measures undecided rows, adds to the history, "
                   "reports, and prints one verdict.",
        .notes = notes,
        .exits = {{SG_EXIT_DONE,
                   "every row that gates was judged, and only unresolved rows are open"},
                  {SG_EXIT_REGRESSED, NULL},
                  {SG_EXIT_INCONCLUSIVE, "suspects remain"},
                  {SG_EXIT_INVALID, "invalid, not measured, or not comparable"},
                  {SG_EXIT_USAGE, "command line or input, or another nightly run is under way"},
                  {SG_EXIT_UNDECLARED, NULL},
                  {SG_EXIT_NO_GPU, NULL},
                  {SG_EXIT_INTERRUPTED, NULL}},
    };
    struct input in = {
        .out = NIGHTS_FOLDER,
        .run = {.seed = SG_SEED_DEFAULT, .jobs = SG_JOBS_DEFAULT, .against_accepted = true}};
    int exit_code = 0;
    if (sg_options_parse(&table, &in, argc, argv, err) && check_suites(&in, err) == SG_SUCCESS)
        exit_code = nightly(&in, err);
    return exit_code;
}
