#include "cli/measure_ceilings.h"

#include <string.h>
#include <unistd.h>

#include "model/sol_table.h"
#include "plan/coverage.h"
#include "plan/suite.h"
#include "reports/report.h"
#include "reports/sheet.h"
#include "results/accepted_place.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "run/run.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/options.h"

#define SUITE "ceiling"
#define JOBS  1 /* buffers of a gigabyte: one verification at a time */

static const char *suite_of(const struct sg_ceilings_request *request)
{
    return request->suite ? request->suite : SUITE;
}

static enum sg_code run_suite(const struct sg_ceilings_request *request, const char *folder, int *exit_code, struct sg_err *err)
{
    struct sg_run_outcome outcome = {.exit_code = *exit_code};
    const struct sg_run_options options = {
        .suite = suite_of(request), .out = folder, .gpu = request->gpu, .seed = SG_SEED_DEFAULT, .jobs = JOBS};
    if (sg_run_suite(&options, &outcome, err) == SG_SUCCESS)
        sg_print(&outcome.summary, err);
    *exit_code = outcome.exit_code;
    sg_run_outcome_release(&outcome);
    return err->code;
}

/* Does the run say which GPU it was of? */
static bool of_unit(const struct sg_ceilings *ceilings)
{
    return sg_is_name(ceilings->gpu_uuid_hash);
}

/* One GPU that nobody can name must not speak for its model, unless somebody says so.
 * There is but one that is simulated. */
static enum sg_code check_unit(const struct sg_ceilings_request *request, const struct sg_ceilings *ceilings, const char *folder,
                               struct sg_err *err)
{
    if (request->of_model || of_unit(ceilings) || strcmp(ceilings->gpu, SG_NULL_GPU) == 0)
        return SG_SUCCESS;
    struct sg_text path = {0}, word = {0};
    sg_text_addf(&path, "%s/env.csv", folder);
    sg_text_add_word(&word, folder);
    sg_fail(err, SG_BAD_INPUT, path.data,
            "gpu_uuid_hash: expected which GPU this was, found '%s'; `solgate doctor --ceilings --suite=%s --from=%s --model` keeps its "
            "ceilings for every GPU of the model",
            sg_show(ceilings->gpu_uuid_hash, strlen(ceilings->gpu_uuid_hash)).text, suite_of(request), word.data);
    sg_text_release(&path);
    sg_text_release(&word);
    return err->code;
}

/* What is there and cannot be read may be somebody's work, or of a newer solgate. */
static enum sg_code read_before(const char *path, struct sg_ceilings *before, struct sg_err *err)
{
    struct sg_err why = {0};
    if (access(path, F_OK) != 0 || sg_ceilings_read(path, before, &why) == SG_SUCCESS)
        return SG_SUCCESS;
    return sg_fail(err, why.code, why.where, "%s; it is not replaced as long as it cannot be read: mend or remove it", why.message);
}

/* One GPU's, unless all of the model is meant, or times are simulated. *before:
 * those that they take the place of. */
static enum sg_code store(const struct sg_ceilings_request *request, const struct sg_ceilings *ceilings, struct sg_text *path,
                          struct sg_ceilings *before, struct sg_err *err)
{
    struct sg_text folder = {0};
    if (sg_accepted_place_new(&folder, err) == SG_SUCCESS) {
        sg_ceilings_place(folder.data, ceilings->gpu, !request->of_model && of_unit(ceilings) ? ceilings->gpu_uuid_hash : NULL, path);
        read_before(path->data, before, err);
        char *slash = strrchr(path->data, '/');
        *slash = '\0';
        if (err->code == SG_SUCCESS)
            sg_make_folders(path->data, err);
        *slash = '/';
        if (err->code == SG_SUCCESS)
            sg_ceilings_write(path->data, ceilings, err);
    }
    sg_text_release(&folder);
    return err->code;
}

struct line {
    const char *word, *unit, *from;
    double reached, before, peak; /* 0: not measured, or there is none */
};

static void add_amount(struct sg_text *out, double amount, const char *unit)
{
    if (amount > 0)
        sg_add_value(out, amount, unit);
}

static void add_line(struct sg_sheet *grid, const struct line *line)
{
    struct sg_text reached = {0}, before = {0}, peak = {0}, share = {0};
    if (!(line->reached > 0) && !(line->before > 0))
        return;
    add_amount(&reached, line->reached, line->unit);
    add_amount(&before, line->before, line->unit);
    add_amount(&peak, line->peak, line->unit);
    if (line->reached > 0 && line->peak > 0)
        sg_text_addf(&share, "%.1f %%", 100 * line->reached / line->peak);
    const char *const cells[] = {line->word,
                                 sg_text_string(&reached),
                                 sg_text_string(&before),
                                 sg_text_string(&peak),
                                 sg_text_string(&share),
                                 line->from ? line->from : ""};
    sg_sheet_row(grid, line->reached > 0 ? SG_ASIDE : SG_YELLOW);
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
        sg_sheet_cell(grid, cells[i]);
    sg_text_release(&reached);
    sg_text_release(&before);
    sg_text_release(&peak);
    sg_text_release(&share);
}

static void add_table(const struct sg_gpu_spec *spec, const struct sg_ceilings *ceilings, const struct sg_ceilings *before,
                      struct sg_text *out)
{
    static const struct sg_column column[] = {
        {.title = "ceiling", .meaning = "what binds"},
        {.title = "measured", .meaning = "the best of any variant that is right", .right = true},
        {.title = "before", .meaning = "what the file had until now", .right = true},
        {.title = "peak", .meaning = "of metrics/gpus", .right = true},
        {.title = "of peak", .meaning = "measured over peak", .right = true},
        {.title = "reached by", .meaning = "family, case and variant"},
    };
    struct sg_sheet grid;
    sg_sheet_init(&grid, column, sizeof(column) / sizeof(column[0]));
    add_line(&grid, &(struct line){.word = "dram",
                                   .unit = "B/s",
                                   .from = ceilings->from[0],
                                   .reached = ceilings->dram_bytes_per_s,
                                   .before = before->dram_bytes_per_s,
                                   .peak = spec->dram_bytes_per_s});
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++)
        add_line(&grid, &(struct line){.word = sg_dtype_word(d),
                                       .unit = "flop/s",
                                       .from = ceilings->from[1 + d],
                                       .reached = ceilings->flop_per_s[d],
                                       .before = before->flop_per_s[d],
                                       .peak = spec->flop_per_s[d]});
    add_line(&grid, &(struct line){.word = "launch",
                                   .unit = "ns",
                                   .from = ceilings->from[SG_CEILING_LAUNCH],
                                   .reached = ceilings->launch_ns,
                                   .before = before->launch_ns});
    sg_sheet_text(&grid, false, out);
    sg_sheet_release(&grid);
}

static enum sg_code check_name(const struct sg_suite *suite, const struct sg_run *run, struct sg_err *err)
{
    const char *found = sg_env_get(&run->env, "suite");
    if (!found)
        return sg_env_fail(err, &run->env, "suite", "the key is missing: what did this run measure?");
    if (strcmp(found, suite->name) != 0)
        return sg_env_fail(err, &run->env, "suite", "expected %s, found '%s'; --suite=SUITE takes the ceilings of another suite's run",
                           suite->name, sg_show(found, strlen(found)).text);
    return SG_SUCCESS;
}

/* The best of other kernels, or of some of these, is no ceiling. */
static enum sg_code check_run(const struct sg_ceilings_request *request, const struct sg_run *run, struct sg_err *err)
{
    struct sg_suite suite;
    struct sg_text table = {0};
    sg_text_addf(&table, "%s/run.csv", run->folder);
    if (sg_suite_load(suite_of(request), &suite, err) == SG_SUCCESS && check_name(&suite, run, err) == SG_SUCCESS)
        sg_coverage_check(&suite, &run->table, table.data, err);
    sg_suite_release(&suite);
    sg_text_release(&table);
    return err->code;
}

static enum sg_code take_run(const struct sg_ceilings_request *request, const char *folder, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_sol_table gaps = {0};
    struct sg_ceilings ceilings = {0}, before = {0};
    struct sg_text place = {0}, out = {0};
    if (sg_run_read(folder, &run, err) != SG_SUCCESS || check_run(request, &run, err) != SG_SUCCESS ||
        sg_sol_table_of_peaks(&run.table, &run.env, &gaps, err) != SG_SUCCESS ||
        sg_ceilings_of_gaps(gaps.items, gaps.count, &run.env, &ceilings, err) != SG_SUCCESS ||
        check_unit(request, &ceilings, folder, err) != SG_SUCCESS || store(request, &ceilings, &place, &before, err) != SG_SUCCESS)
        goto out;
    sg_text_add(&out, "ceilings of ");
    sg_add_terminal(&out, ceilings.gpu_name);
    sg_text_addf(&out, "%s%s, with a %s L2, from %s\n", of_unit(&ceilings) ? ", GPU " : "",
                 of_unit(&ceilings) ? ceilings.gpu_uuid_hash : "", sg_l2_word(ceilings.l2), folder);
    add_table(&gaps.spec, &ceilings, &before, &out);
    if (sg_ceilings_any(&before) && before.l2 != ceilings.l2)
        sg_text_addf(&out, "those before were measured with a %s L2\n", sg_l2_word(before.l2));
    sg_text_addf(&out, "written to %s, where gap and report find them\n", place.data);
    sg_print(&out, err);
out:
    sg_text_release(&place);
    sg_text_release(&out);
    sg_ceilings_release(&ceilings);
    sg_ceilings_release(&before);
    sg_sol_table_release(&gaps);
    sg_run_release(&run);
    return err->code;
}

enum sg_code sg_ceilings_measure(const struct sg_ceilings_request *request, int *exit_code, struct sg_err *err)
{
    struct sg_text folder = {0};
    *exit_code = 0;
    if (request->from)
        sg_text_add(&folder, request->from);
    else if (request->out)
        sg_text_add(&folder, request->out);
    else
        sg_run_default_folder(SUITE, &folder);
    if (request->from || run_suite(request, sg_text_string(&folder), exit_code, err) == SG_SUCCESS)
        take_run(request, sg_text_string(&folder), err);
    sg_text_release(&folder);
    return err->code;
}
