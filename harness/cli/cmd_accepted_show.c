#include "cli/command.h"

#include <math.h>
#include <string.h>

#include "baseline/find.h"
#include "reports/report.h"
#include "results/accepted_file.h"

struct input {
    const char *name; /* NULL: list the files */
    const struct sg_format *format;
};

static const struct sg_column file_columns[] = {{.title = "accepted numbers", .name = "file"}};

static const struct sg_column row_columns[] = {
    {.title = "gpu"},
    {.title = "family"},
    {.title = "case"},
    {.title = "variant", .key = true},
    {.title = "metric"},
    {.title = "accepted", .name = "value", .right = true, .key = true, .number = true},
    {.title = "unit", .programs = true},
    {.title = "status"},
    {.title = "tolerance",
     .meaning = "what the row can resolve",
     .right = true,
     .number = true,
     .unit = "%"},
    {.title = "expect",
     .meaning = "the accepted outcome, unless it is ok and as fast as its baseline variant"},
    {.title = "reason"},
    {.title = "origin", .meaning = "runs and GPUs", .programs = true},
};

static const struct sg_column fact_columns[] = {
    {.title = "gpu"}, {.title = "fact"}, {.title = "value"}};

static void add_number(struct sg_sheet *sheet, double value, const char *unit)
{
    if (isnan(value))
        sg_sheet_cell(sheet, NULL);
    else
        sg_sheet_value(sheet, value, unit);
}

static void add_row(struct sg_sheet *sheet, const struct sg_accepted_file *file, size_t index)
{
    const struct sg_value value = sg_value_of(&file->table, &file->table.rows[index]);
    const struct sg_accepted *accepted = &file->accepted[index];
    const char *expect = sg_table_string(&file->table, accepted->expect);
    sg_sheet_row(sheet, *expect ? SG_YELLOW : SG_ASIDE);
    sg_sheet_cells(sheet, file->gpu, SG_NAMES(value), value.metric);
    add_number(sheet, value.has & SG_HAS_VALUE ? value.value : NAN, value.unit);
    sg_sheet_cells(sheet, value.unit, sg_status_word(value.status));
    add_number(sheet, 100.0 * accepted->tolerance, "%");
    sg_sheet_cells(sheet, strcmp(expect, "regressed") == 0 ? "slower" : expect,
                   sg_table_string(&file->table, accepted->reason),
                   sg_table_string(&file->table, accepted->origin));
}

static void add_facts(struct sg_sheet *sheet, const struct sg_accepted_file *file)
{
    static const char *const facts[] = {"gpu",           "suite",         "date", "driver",
                                        "cuda",          "commit",        "l2",   "time_source",
                                        "accepted_runs", "accepted_units"};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        const char *value = sg_env_get(&file->env, facts[i]);
        if (!value || !*value)
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cells(sheet, file->gpu, facts[i], value);
    }
}

static enum sg_code add_file(struct sg_document *document, const char *path, const char *gpu,
                             struct sg_err *err)
{
    struct sg_accepted_suite suite = {.path = NULL};
    if (sg_accepted_suite_read(path, &suite, err) != SG_SUCCESS)
        return err->code;
    size_t gating = 0, count = 0;
    struct sg_sheet *rows =
        sg_document_sheet(document, "rows", SG_COLUMNS(row_columns), SG_FOR_ALL);
    struct sg_sheet *facts =
        sg_document_sheet(document, "facts", SG_COLUMNS(fact_columns), SG_FOR_ALL);
    for (size_t k = 0; k < suite.count; k++) {
        const struct sg_accepted_file *file = &suite.items[k];
        if (*gpu && strcmp(gpu, file->gpu) != 0)
            continue;
        count += file->table.count;
        for (size_t i = 0; i < file->table.count; i++)
            if (file->accepted[i].gate) {
                gating++;
                add_row(rows, file, i);
            }
        add_facts(facts, file);
    }
    sg_document_notef(document, SG_FOR_ALL, "%s: %zu of %zu rows gate", path, gating, count);
    if (sg_accepted_suite_check_seal(&suite, err) != SG_SUCCESS)
        sg_document_note(document, SG_FOR_ALL,
                         "warning: changed after it was accepted, or without a digest");
    return err->code;
}

static enum sg_code add_list(struct sg_document *document, struct sg_err *err)
{
    SG_SCOPED(sg_names) paths = {0};
    if (sg_accepted_files(&paths, err) == SG_SUCCESS) {
        struct sg_sheet *sheet =
            sg_document_sheet(document, "files", SG_COLUMNS(file_columns), SG_FOR_ALL);
        for (size_t i = 0; i < paths.count; i++) {
            sg_sheet_row(sheet, SG_ASIDE);
            sg_sheet_cell(sheet, paths.items[i]);
        }
        if (paths.count == 0)
            sg_document_note(document, SG_FOR_ALL,
                             "no accepted numbers yet; `solgate accept RUN` makes some");
    }
    return err->code;
}

/* Shows numbers that were changed by hand, but fails. */
static void show(const struct input *in, struct sg_err *err)
{
    struct sg_document document = {.name = "accepted show"};
    SG_SCOPED(sg_text) path = {0}, gpu = {0};
    if (!in->name)
        add_list(&document, err);
    else if (sg_accepted_path(in->name, &path, &gpu, err) == SG_SUCCESS)
        add_file(&document, path.data, sg_text_string(&gpu), err);
    if (document.count > 0)
        sg_print_document(&document, in->format, err->code == SG_SUCCESS ? err : SG_IGNORED);
}

int sg_cmd_accepted_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {SG_FORMAT_OPTION(struct input)};
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(SG_BASELINE_FORMS, struct input, name, .optional = true)},
        .summary = "Shows the rows of accepted numbers that gate and where they come from; without "
                   "an argument, lists all. The exit code is 3 if numbers were changed after they "
                   "were accepted.",
        .notes = "Example: solgate accepted show h200/smoke",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        show(&in, err);
    return 0;
}
