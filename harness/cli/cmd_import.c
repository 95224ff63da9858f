#include "cli/command.h"

#include <stdlib.h>

#include "catalogue/catalogue.h"
#include "import/importer.h"
#include "results/message.h"
#include "results/run_reader.h"
#include "util/file.h"
#include "util/options.h"

#define TOLERANCE "0.05" /* of unpaired times: clocks and days are in them */

struct import_options {
    const char *file, *gpu, *out;
};

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
static enum sg_code write_run(const struct import_options *options, const struct sg_imported *imported, const struct sg_table *table,
                              struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {.count = 0};
    SG_SCOPED(sg_text) rows = {0}, facts = {0}, source = {0};
    char *gpu = NULL;
    if (options->gpu)
        gpu = sg_copy_string(options->gpu);
    else if (imported->gpu_name)
        sg_gpu_key_for(imported->gpu_name, &gpu, err);
    sg_text_addf(&rows, "%s/run.csv", options->out);
    sg_text_addf(&facts, "%s/env.csv", options->out);
    sg_text_addf(&source, "%s: %s", imported->importer->name, options->file);
    const char *const pairs[][2] = {{"schema", SG_SCHEMA},
                                    {"state", "finished"},
                                    {"suite", imported->importer->name},
                                    {"source", source.data},
                                    {"date", sg_utc_now(SG_UTC_TIME).text},
                                    {"gpu", gpu && *gpu ? gpu : "unknown"},
                                    {"gpu_name", imported->gpu_name},
                                    {"tolerance", TOLERANCE},
                                    {"time_source", "imported"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (pairs[i][1])
            sg_env_set(&env, pairs[i][0], pairs[i][1]);
    if (err->code == SG_SUCCESS && sg_make_folders(options->out, err) == SG_SUCCESS &&
        sg_table_write(rows.data, table, err) == SG_SUCCESS && sg_run_seal(options->out, &env, err) == SG_SUCCESS)
        sg_env_write(facts.data, &env, err);
    free(gpu);
    return err->code;
}

static void import(const struct import_options *options, struct sg_err *err)
{
    SG_SCOPED(sg_catalogue) catalogue = {0};
    struct sg_imported imported = {.importer = NULL};
    struct sg_table table;
    SG_SCOPED(sg_text) out = {0};
    sg_table_init(&table);
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS &&
        sg_import_read(options->file, &catalogue, &table, &imported, err) == SG_SUCCESS && sg_table_sort(&table, err) == SG_SUCCESS &&
        check_rows(options->file, &table, err) == SG_SUCCESS && write_run(options, &imported, &table, err) == SG_SUCCESS) {
        sg_text_addf(&out, "%s: %zu rows in %s\n", imported.importer->name, table.count, options->out);
        sg_print(&out, err);
    }
    sg_table_release(&table);
    free(imported.gpu_name);
}

int sg_cmd_import(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("gpu", "KEY", struct import_options, gpu, .help = "metrics/gpus/KEY.gpu is the GPU it was measured on", .read = read_gpu,
                 .standard = "the GPU that the file names, or unknown"),
        SG_VALUE("out", "DIR", struct import_options, out, .help = "the folder of the run to write", .required = true),
        {0},
    };
    static const struct sg_option arguments[] = {
        SG_ARGUMENT("FILE", struct import_options, file, .help = "what another tool wrote; which one is found by what is in it"),
        {0},
    };
    SG_SCOPED(sg_text) notes = {0};
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        sg_text_addf(&notes, "%s: %s\n", importers[i]->name, importers[i]->what);
    sg_text_add(&notes, "\nWhat is packed by gzip is unpacked. A row that is imported is not paired and never gates.\n\n"
                        "Example: solgate import ncu.csv --out=mine\n"
                        "         solgate compare mine yesterday");
    const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Another tool's results as a run, for compare, explain, gap and report.",
        .notes = notes.data,
        .exits = {{SG_EXIT_DONE, "written"}, {SG_EXIT_INVALID, "not written"}, {SG_EXIT_USAGE, NULL}},
    };
    struct import_options given = {.file = NULL};
    if (sg_options_parse(&table, &given, argc, argv, err))
        import(&given, err);
    return 0;
}
