#include "cli/measure_ceilings.h"

#include <libgen.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "model/sol_table.h"
#include "plan/coverage.h"
#include "plan/suite.h"
#include "results/accepted_place.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "run/run.h"
#include "util/file.h"
#include "util/options.h"

#define SUITE "ceiling"
#define JOBS  1 /* buffers of 1 GB: one verification at a time */

static const char *suite_of(const struct sg_ceilings_request *request)
{
    return request->suite ? request->suite : SUITE;
}

/* The run's summary is printed only in text format, to keep other formats machine-readable. */
static enum sg_code run_suite(const struct sg_ceilings_request *request, const char *folder,
                              const struct sg_format *format, int *exit_code, struct sg_err *err)
{
    struct sg_run_outcome outcome = {.exit_code = *exit_code};
    const struct sg_run_options options = {.suite = suite_of(request),
                                           .out = folder,
                                           .gpu = request->gpu,
                                           .seed = SG_SEED_DEFAULT,
                                           .jobs = JOBS};
    if (sg_run_suite(&options, &outcome, err) == SG_SUCCESS && format == sg_format_find("text"))
        sg_print(&outcome.summary, err);
    *exit_code = outcome.exit_code;
    return err->code;
}

/* Does the run name its GPU? */
static bool of_unit(const struct sg_ceilings *ceilings)
{
    return sg_is_name(ceilings->gpu_uuid_hash);
}

/* Refuses a run whose GPU is not known, unless the ceilings are for the model. The simulated GPU is
 * exempt: there is only one. */
static enum sg_code check_unit(const struct sg_ceilings_request *request,
                               const struct sg_ceilings *ceilings, const char *folder,
                               struct sg_err *err)
{
    if (request->of_model || of_unit(ceilings) || strcmp(ceilings->gpu, SG_NULL_GPU) == 0)
        return SG_SUCCESS;
    SG_SCOPED(sg_text) path = sg_text_of("%s/env.csv", folder), word = {0};
    sg_text_add_word(&word, folder);
    return sg_fail(err, SG_BAD_INPUT, path.data,
                   "gpu_uuid_hash: expected the hash of the run's GPU, found '%s'; `solgate doctor "
                   "--ceilings --suite=%s --from=%s --model` keeps its "
                   "ceilings for every GPU of the model",
                   sg_show_string(ceilings->gpu_uuid_hash).text, suite_of(request), word.data);
}

/* A file that cannot be read may be edited by a user, or from a newer solgate, so it is not
 * replaced. */
static enum sg_code read_before(const char *path, struct sg_ceilings *before, struct sg_err *err)
{
    struct sg_err why = {0};
    if (access(path, F_OK) != 0 || sg_ceilings_read(path, before, &why) == SG_SUCCESS)
        return SG_SUCCESS;
    return sg_fail(err, why.code, why.where,
                   "%s; an unreadable file is not replaced: fix or remove it", why.message);
}

/* Writes the ceilings for one GPU, or for its model if requested or if the GPU has no id. *before:
 * the replaced ceilings. */
static enum sg_code store(const struct sg_ceilings_request *request,
                          const struct sg_ceilings *ceilings, struct sg_text *path,
                          struct sg_ceilings *before, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    if (sg_accepted_place_new(&folder, err) == SG_SUCCESS) {
        sg_ceilings_place(folder.data, ceilings->gpu,
                          !request->of_model && of_unit(ceilings) ? ceilings->gpu_uuid_hash : NULL,
                          path);
        read_before(path->data, before, err);
        SG_FREED char *copy = sg_copy_string(path->data);
        if (err->code == SG_SUCCESS && sg_make_folders(dirname(copy), err) == SG_SUCCESS)
            sg_ceilings_write(path->data, ceilings, err);
    }
    return err->code;
}

static const struct sg_column columns[] = {
    {.title = "ceiling", .meaning = "what binds"},
    {.title = "unit", .programs = true, .meaning = "unit of measured, before and peak"},
    {.title = "measured", .number = true, .meaning = "the best of any variant that is right"},
    {.title = "before", .number = true, .meaning = "the ceiling in the file until now"},
    {.title = "peak", .number = true, .meaning = "the peak in metrics/gpus"},
    {.title = "of peak", .name = "of_peak", .right = true, .meaning = "measured over peak"},
    {.title = "reached by", .name = "reached_by", .meaning = "family, case and variant"},
};

/* 0: not measured, or not known. */
static void add_amount(struct sg_sheet *sheet, double amount, const char *unit)
{
    sg_sheet_value(sheet, amount > 0 ? amount : NAN, unit);
}

static void add_ceiling(struct sg_sheet *sheet, size_t i, struct sg_ceilings *ceilings,
                        struct sg_ceilings *before, double peak)
{
    const double reached = *sg_ceiling_value(ceilings, i), was = *sg_ceiling_value(before, i);
    const char *unit = sg_ceiling_unit(i);
    if (!(reached > 0) && !(was > 0))
        return;
    sg_sheet_row(sheet, reached > 0 ? SG_ASIDE : SG_YELLOW);
    sg_sheet_cells(sheet, sg_ceiling_word(i), unit);
    add_amount(sheet, reached, unit);
    add_amount(sheet, was, unit);
    add_amount(sheet, peak, unit);
    struct sg_text *share = sg_sheet_open(sheet);
    if (reached > 0 && peak > 0)
        sg_text_addf(share, "%.1f %%", 100 * reached / peak);
    sg_sheet_cell(sheet, ceilings->from[i]);
}

static void add_table(struct sg_document *document, const struct sg_gpu_spec *spec,
                      struct sg_ceilings *ceilings, struct sg_ceilings *before)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "ceilings", SG_COLUMNS(columns), SG_FOR_ALL);
    add_ceiling(sheet, 0, ceilings, before, spec->dram_bytes_per_s);
    for (size_t d = 0; d < SG_DTYPE_COUNT; d++)
        add_ceiling(sheet, 1 + d, ceilings, before, spec->flop_per_s[d]);
    add_ceiling(sheet, SG_CEILING_LAUNCH, ceilings, before, 0);
}

static enum sg_code check_name(const struct sg_suite *suite, const struct sg_run *run,
                               struct sg_err *err)
{
    const char *found = sg_env_get(&run->env, "suite");
    if (!found)
        return sg_env_fail(err, &run->env, "suite",
                           "the key is missing: the suite of the run is not known");
    if (strcmp(found, suite->name) != 0)
        return sg_env_fail(
            err, &run->env, "suite",
            "expected %s, found '%s'; --suite=SUITE takes the ceilings of another suite's run",
            suite->name, sg_show_string(found).text);
    return SG_SUCCESS;
}

/* Only a complete run of the ceiling suite gives ceilings. */
static enum sg_code check_run(const struct sg_ceilings_request *request, const struct sg_run *run,
                              struct sg_err *err)
{
    struct sg_suite suite = {0};
    SG_FORMATTED(table, "%s/run.csv", run->folder);
    if (sg_suite_load(suite_of(request), &suite, err) == SG_SUCCESS &&
        check_name(&suite, run, err) == SG_SUCCESS)
        sg_coverage_check(&suite, &run->table, table.data, err);
    return err->code;
}

static enum sg_code take_run(const struct sg_ceilings_request *request, const char *folder,
                             const struct sg_format *format, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    struct sg_sol_table gaps = {0};
    struct sg_ceilings ceilings = {0}, before = {0};
    SG_SCOPED(sg_text) place = {0};
    struct sg_document document = {.name = "doctor"};
    if (sg_run_read(folder, &run, err) != SG_SUCCESS ||
        check_run(request, &run, err) != SG_SUCCESS ||
        sg_sol_table_of_peaks(&run.table, &run.env, &gaps, err) != SG_SUCCESS ||
        sg_ceilings_of_gaps(gaps.items, gaps.count, &run.env, &ceilings, err) != SG_SUCCESS ||
        check_unit(request, &ceilings, folder, err) != SG_SUCCESS ||
        store(request, &ceilings, &place, &before, err) != SG_SUCCESS)
        return err->code;
    sg_document_notef(&document, SG_FOR_ALL, "ceilings of %s%s%s, with a %s L2, from %s",
                      ceilings.gpu_name, of_unit(&ceilings) ? ", GPU " : "",
                      of_unit(&ceilings) ? ceilings.gpu_uuid_hash : "", sg_l2_word(ceilings.l2),
                      folder);
    add_table(&document, &gaps.spec, &ceilings, &before);
    if (sg_ceilings_any(&before) && before.l2 != ceilings.l2)
        sg_document_notef(&document, SG_FOR_ALL, "the previous ones were measured with a %s L2",
                          sg_l2_word(before.l2));
    sg_document_notef(&document, SG_FOR_ALL, "written to %s, where gap and report find them",
                      place.data);
    return sg_print_document(&document, format, err);
}

enum sg_code sg_ceilings_measure(const struct sg_ceilings_request *request,
                                 const struct sg_format *format, int *exit_code, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    *exit_code = 0;
    if (sg_choose_folder(request->from ? request->from : request->out, "out/" SUITE "-", &folder,
                         err) != SG_SUCCESS)
        return err->code;
    if (request->from ||
        run_suite(request, sg_text_string(&folder), format, exit_code, err) == SG_SUCCESS)
        take_run(request, sg_text_string(&folder), format, err);
    return err->code;
}
