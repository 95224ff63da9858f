#include "cli/command.h"

#include <string.h>

#include "catalogue/catalogue.h"
#include "import/importer.h"
#include "results/message.h"
#include "results/run_reader.h"
#include "util/file.h"
#include "util/options.h"

#define TOLERANCE "0.05" /* of unpaired times: clocks and days are in them */

struct import_options {
    const struct sg_importer *importer;
    const char *file, *gpu, *out;
};

static enum sg_code read_tool(void *place, const char *name, struct sg_err *err)
{
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    SG_SCOPED(sg_text) known = {0};
    for (size_t i = 0; i < count; i++) {
        sg_text_addf(&known, "%s%s", i > 0 ? ", " : "", importers[i]->name);
        if (strcmp(importers[i]->name, name) == 0)
            *(const struct sg_importer **)place = importers[i];
    }
    if (!*(const struct sg_importer **)place)
        sg_fail(err, SG_BAD_USAGE, NULL, "expected one of: %s; found '%s'", known.data, sg_show_string(name).text);
    return err->code;
}

static enum sg_code read_gpu(void *place, const char *key, struct sg_err *err)
{
    struct sg_gpu_spec spec;
    if (sg_gpu_load(key, &spec, err) == SG_SUCCESS)
        *(const char **)place = key;
    sg_gpu_release(&spec);
    return err->code;
}

/* What importers add is not checked before, and has to be what a reader of run.csv takes. */
static enum sg_code check_rows(const char *file, const struct sg_table *table, struct sg_err *err)
{
    for (size_t i = 0; i < table->count && err->code == SG_SUCCESS; i++) {
        struct sg_value value = sg_value_of(table, &table->rows[i]);
        const struct sg_message message = sg_value_message(&value);
        struct sg_err bad = {0};
        if (sg_take_value(&message, &value, &bad) != SG_SUCCESS)
            sg_row_fail(err, file, table, &table->rows[i], "%s", bad.message);
    }
    return err->code;
}

/* A run that was measured by another program: it has no samples, and cannot be accepted. */
static enum sg_code write_run(const struct import_options *options, const struct sg_table *table, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {.count = 0};
    SG_SCOPED(sg_text) rows = {0}, facts = {0};
    sg_text_addf(&rows, "%s/run.csv", options->out);
    sg_text_addf(&facts, "%s/env.csv", options->out);
    const char *const pairs[][2] = {{"schema", "1"},
                                    {"state", "finished"},
                                    {"suite", options->importer->name},
                                    {"date", sg_utc_now(SG_UTC_TIME).text},
                                    {"gpu", options->gpu ? options->gpu : "unknown"},
                                    {"tolerance", TOLERANCE},
                                    {"time_source", "quoted"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        sg_env_set(&env, pairs[i][0], pairs[i][1]);
    if (sg_make_folders(options->out, err) == SG_SUCCESS && sg_table_write(rows.data, table, err) == SG_SUCCESS &&
        sg_run_seal(options->out, &env, err) == SG_SUCCESS)
        sg_env_write(facts.data, &env, err);
    return err->code;
}

static void import(const struct import_options *options, struct sg_err *err)
{
    struct sg_table table;
    SG_SCOPED(sg_text) out = {0};
    sg_table_init(&table);
    if (options->importer->read(options->file, &table, err) == SG_SUCCESS && sg_table_sort(&table, err) == SG_SUCCESS &&
        check_rows(options->file, &table, err) == SG_SUCCESS && write_run(options, &table, err) == SG_SUCCESS) {
        sg_text_addf(&out, "%zu rows in %s\n", table.count, options->out);
        sg_print(&out, err);
    }
    sg_table_release(&table);
}

int sg_cmd_import(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        {.name = "gpu",
         .arg = "KEY",
         SG_INTO(struct import_options, gpu),
         .read = read_gpu,
         .help = "metrics/gpus/KEY.gpu is the GPU it was measured on",
         .standard = "unknown"},
        {.name = "out", .arg = "DIR", SG_INTO(struct import_options, out), .required = true, .help = "the folder of the run to write"},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "TOOL", SG_INTO(struct import_options, importer), .read = read_tool, .help = "whose file it is"},
        {.name = "FILE", SG_INTO(struct import_options, file), .help = "what that tool wrote"},
        {0},
    };
    SG_SCOPED(sg_text) notes = {0};
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        sg_text_addf(&notes, "%s: %s\n", importers[i]->name, importers[i]->what);
    sg_text_add(&notes, "\nExample: solgate import google_benchmark bench.csv --out=bench\n"
                        "         solgate compare bench bench_of_yesterday");
    const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Another tool's results as a run, for compare, gap and report.",
        .notes = notes.data,
        .exits = {{SG_EXIT_DONE, "written"}, {SG_EXIT_INVALID, "not written"}, {SG_EXIT_USAGE, NULL}},
    };
    struct import_options given = {.file = NULL};
    if (sg_options_parse(&table, &given, argc, argv, err))
        import(&given, err);
    return 0;
}
