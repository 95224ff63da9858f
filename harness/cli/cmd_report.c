#include "cli/cmd_report.h"

#include <stdio.h>

#include "ab/ab.h"
#include "cli/command.h"
#include "cli/judged_run.h"
#include "reports/tables/headline.h"
#include "results/parts.h"

/* Shared by all runs of a report. */
struct shared {
    const struct sg_report_request *request;
    struct sg_catalogue catalogue;
};

/* One run, with everything that its part of the report borrows. */
struct loaded {
    struct sg_judged_run judged;
    struct sg_sol_table gaps;
    struct sg_err not_judged; /* why the run cannot be compared with accepted numbers */
    struct sg_err no_gap;     /* why there are no speed-of-light figures */
    struct sg_samples samples;
    bool is_gate; /* of `solgate ab`, with a stored verdict */
};

static struct sg_judge_request judge_request(struct shared *shared)
{
    return (struct sg_judge_request){.filters = &shared->request->filters,
                                     .catalogue = &shared->catalogue,
                                     .night = shared->request->night};
}

/* Compares a run without accepted numbers against an empty file, so that candidates are still
 * judged against their baseline variants. */
static enum sg_code judge_without_accepted(struct shared *shared, struct loaded *loaded,
                                           struct sg_err *err)
{
    const struct sg_judge_request request = judge_request(shared);
    struct sg_accepted_file nothing = {.env = loaded->judged.against.run.env};
    sg_judge_against(&request, &nothing, &loaded->judged, err);
    sg_table_release(&nothing.table);
    return err->code;
}

static enum sg_code read_run(struct shared *shared, const char *path, struct loaded *loaded,
                             struct sg_err *err)
{
    const struct sg_against_sides sides = {.run = path, .baseline = shared->request->baseline};
    if (sg_against_load(&sides, &shared->catalogue, &loaded->judged.against, &loaded->not_judged) ==
        SG_SUCCESS)
        return SG_SUCCESS;
    /* Without accepted numbers the report is still written, unless the user named them. */
    if (shared->request->baseline || loaded->not_judged.code != SG_NOT_COMPARABLE)
        return sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s",
                       loaded->not_judged.message);
    return sg_run_read(path, &loaded->judged.against.run, err);
}

/* Uses the verdict that `solgate ab` stored, because a gate has no accepted numbers. Old gates have
 * no stored verdict. */
static enum sg_code judge_gate(const struct shared *shared, struct loaded *loaded,
                               struct sg_err *err)
{
    const struct sg_run *run = &loaded->judged.against.run;
    loaded->is_gate = sg_run_is_gate(&run->env) &&
                      sg_filters_are_empty(&shared->request->filters) &&
                      sg_ab_has_verdict(run->folder);
    if (loaded->is_gate) {
        loaded->judged.comparison = (struct sg_comparison){0};
        sg_ab_read_verdict(run->folder, &run->env, &loaded->judged.comparison, err);
    }
    return err->code;
}

static enum sg_code judge(struct shared *shared, struct loaded *loaded, struct sg_err *err)
{
    const struct sg_judge_request request = judge_request(shared);
    const struct sg_run *run = &loaded->judged.against.run;
    if (sg_refusals_make(&run->table, &run->env, shared->request->spec, &loaded->judged.refusals,
                         err) != SG_SUCCESS)
        return err->code;
    if (loaded->not_judged.code == SG_SUCCESS)
        sg_judge_against(&request, &loaded->judged.against.baseline, &loaded->judged,
                         &loaded->not_judged);
    if (loaded->not_judged.code == SG_NOT_COMPARABLE)
        return judge_without_accepted(shared, loaded, err) == SG_SUCCESS
                   ? judge_gate(shared, loaded, err)
                   : err->code;
    if (loaded->not_judged.code != SG_SUCCESS)
        sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s",
                loaded->not_judged.message);
    return err->code;
}

/* Restricts all tables and charts to the selected items. */
static enum sg_code pick_items(const struct shared *shared, const char *path, struct loaded *loaded,
                               struct sg_err *err)
{
    const struct sg_filters *filters = &shared->request->filters;
    struct sg_table *table = &loaded->judged.against.run.table;
    if (!sg_filters_are_empty(filters) &&
        sg_filters_check_table(filters, table, path, err) == SG_SUCCESS)
        sg_filters_apply(filters, table, NULL);
    return err->code;
}

/* Reads samples only for regressed rows. Without readable samples a chart is missing; the run's
 * digest detects samples of another run. */
static void read_samples(struct loaded *loaded)
{
    loaded->samples = (struct sg_samples){0};
    if (loaded->judged.comparison.by_verdict[SG_REGRESSED] > 0 &&
        sg_run_read_samples(loaded->judged.against.run.folder, &loaded->samples, SG_IGNORED) !=
            SG_SUCCESS)
        loaded->samples.count = 0;
}

static enum sg_code find_gaps(const struct shared *shared, struct loaded *loaded,
                              struct sg_err *err)
{
    const char *asked = shared->request->spec;
    const struct sg_run *run = &loaded->judged.against.run;
    if (sg_sol_table_make(&run->table, &run->env, asked, false, &loaded->gaps, &loaded->no_gap) !=
            SG_SUCCESS &&
        asked)
        sg_fail(err, loaded->no_gap.code, loaded->no_gap.where, "%s", loaded->no_gap.message);
    return err->code;
}

static struct sg_report_part part_of(struct shared *shared, const char *path,
                                     const struct loaded *loaded)
{
    const bool judged = loaded->not_judged.code == SG_SUCCESS,
               has_gap = loaded->no_gap.code == SG_SUCCESS;
    const struct sg_judge_request request = judge_request(shared);
    struct sg_report_part part = {
        .samples = &loaded->samples,
        .input = sg_judged_report(&loaded->judged, &request),
        .gaps = has_gap ? &loaded->gaps : NULL,
        .why_not = judged || loaded->is_gate ? NULL : loaded->not_judged.message,
        .why_no_gap = has_gap ? NULL : loaded->no_gap.message,
    };
    part.input.path = path;
    part.input.note = shared->request->note;
    part.input.filters = NULL; /* the run has only the selected items by now */
    if (!judged)
        part.input.accepted = NULL;
    return part;
}

/* Writes the report, then fails if the subject's accepted numbers are not comparable, such as those
 * of another GPU. */
static void write_report(const struct shared *shared, const struct loaded *loaded,
                         const struct sg_report_part *parts, struct sg_err *err)
{
    const struct sg_report_request *request = shared->request;
    const struct sg_report report = {
        .folder = request->out,
        .parts = parts,
        .part_count = request->runs.count,
        .history = request->history,
        .tables_only = request->tables_only,
    };
    if (sg_report_write(&report, err) == SG_SUCCESS && loaded->judged.against.baseline.path &&
        loaded->not_judged.code != SG_SUCCESS)
        sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s",
                loaded->not_judged.message);
}

bool sg_report_make(struct sg_report_request *request, struct sg_err *err)
{
    struct shared shared = {.request = request};
    SG_FREED struct loaded *loaded = sg_alloc(request->runs.count, sizeof(*loaded));
    SG_FREED struct sg_report_part *parts = sg_alloc(request->runs.count, sizeof(*parts));
    if (sg_catalogue_load(&shared.catalogue, err) != SG_SUCCESS)
        return false;
    for (size_t i = 0; i < request->runs.count; i++) {
        const char *path = request->runs.items[i];
        if (read_run(&shared, path, &loaded[i], err) != SG_SUCCESS ||
            pick_items(&shared, path, &loaded[i], err) != SG_SUCCESS)
            return false;
        sg_table_add_raw_counters(&loaded[i].judged.against.run.table, &shared.catalogue);
        if (judge(&shared, &loaded[i], err) != SG_SUCCESS ||
            find_gaps(&shared, &loaded[i], err) != SG_SUCCESS)
            return false;
        loaded[i].gaps.path = path;
        read_samples(&loaded[i]);
        parts[i] = part_of(&shared, path, &loaded[i]);
    }
    write_report(&shared, &loaded[0], parts, err);
    const bool is_written = err->code == SG_SUCCESS;
    if (request->verdict && (loaded[0].not_judged.code == SG_SUCCESS || loaded[0].is_gate))
        request->exit_code = sg_add_first_lines(request->verdict, &parts[0].input);
    /* Only these two findings affect the exit code of a report; the first outweighs the second. */
    if (loaded[0].judged.comparison.by_verdict[SG_BROKEN] > 0 ||
        loaded[0].not_judged.code != SG_SUCCESS)
        sg_check_declared(&loaded[0].judged.against.run.table, request->runs.items[0], err);
    if (err->code == SG_SUCCESS)
        sg_refusals_check(&loaded[0].judged.refusals, request->runs.items[0], err);
    return is_written;
}

int sg_cmd_report(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("out", "DIR", struct sg_report_request, out,
                 .help = "the folder to write; made if it is not there",
                 .standard = "report in the folder of the first RUN"),
        SG_VALUE("baseline", "FILE", struct sg_report_request, baseline,
                 .help = "accepted numbers or a run",
                 .standard = "those of the run's GPU, else of its model"),
        SG_FILTER_OPTIONS(struct sg_report_request, filters,
                          "only these variants, and the baselines that they are compared with"),
        SG_BASELINES_OPTION,
        SG_FLAG("tables-only", struct sg_report_request, tables_only,
                .help = "no charts: gnuplot is not needed"),
        SG_FLAG("gate", struct sg_report_request, gates,
                .help = "exit with the verdict, as `solgate compare` does"),
        SG_VALUE("note", "TEXT", struct sg_report_request, note,
                 .help = "printed at the top of every page and on every chart"),
        SG_VALUE("gpu-spec", "KEY", struct sg_report_request, spec, .help = SG_SPEC_HELP,
                 .standard = "the GPU of the run"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct sg_report_request, runs, .help = SG_RUN_HELP,
                                  .repeats = true)},
        .summary = "Writes every table and chart of a run: index.html, report.md, comparison.csv, "
                   "gap.csv, counters.csv, "
                   "and charts/ as PNG and SVG.",
        .notes = "The report is of the first RUN; the others are shown next to it. Without --gate "
                 "the verdict is in the report, not in the exit code, except 5, a variant that is "
                 "not what its source declares, and 3, an impossible time or impossible "
                 "counters.\n\n"
                 "Example: solgate report night/ last_night/",
        .exits = {{SG_EXIT_DONE, "done; with --gate: nothing regressed"},
                  {SG_EXIT_REGRESSED, "with --gate: regressed"},
                  {SG_EXIT_INCONCLUSIVE, "with --gate: inconclusive"},
                  {SG_EXIT_INVALID, "invalid, not comparable, or not written"},
                  {SG_EXIT_USAGE, NULL},
                  {SG_EXIT_UNDECLARED, NULL}},
    };
    SG_SCOPED(sg_text) verdict = {0}, out = {0};
    struct sg_report_request request = {.verdict = &verdict, .exit_code = SG_EXIT_INVALID};
    const bool is_asked = sg_options_parse(&table, &request, argc, argv, err);
    if (is_asked && !request.out) {
        sg_text_addf(&out, "%s/report", request.runs.items[0]);
        request.out = out.data;
    }
    if (is_asked && sg_report_make(&request, err)) {
        printf("%s%s/index.html\n", sg_text_string(&verdict), request.out);
    }
    return request.gates ? request.exit_code : 0;
}
