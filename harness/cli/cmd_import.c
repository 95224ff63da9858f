#include "cli/command.h"

#include "catalogue/catalogue.h"
#include "import/imported_run.h"
#include "import/importer.h"
#include "results/run_folder.h"

struct import_options {
    struct sg_names files;
    const char *gpu, *out;
};

static enum sg_code read_gpu(void *place, const char *key, struct sg_err *err)
{
    struct sg_gpu_spec spec;
    if (sg_gpu_load(key, &spec, err) == SG_SUCCESS)
        *(const char **)place = key;
    return err->code;
}

static void import(const struct import_options *options, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_run run = {.folder = NULL};
    SG_SCOPED(sg_run_draft) draft = {.lock = -1};
    SG_SCOPED(sg_text) text = {0};
    if (sg_catalogue_load(&catalogue, err) != SG_SUCCESS ||
        sg_imported_run_of(&options->files, options->gpu, &catalogue, &run, err) != SG_SUCCESS)
        return;
    const char *tool = sg_env_word(&run.env, "suite");
    if (sg_run_draft_begin(options->out, tool, &draft, err) == SG_SUCCESS &&
        sg_imported_run_store(&run, draft.folder.data, err) == SG_SUCCESS &&
        sg_run_draft_finish(&draft, err) == SG_SUCCESS) {
        sg_text_addf(&text, "%s: %zu rows in %s\n", tool, run.table.count, options->out);
        sg_print(&text, err);
    }
}

int sg_cmd_import(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("gpu", "KEY", struct import_options, gpu,
                 .help = "metrics/gpus/KEY.gpu is the GPU it was measured on", .read = read_gpu,
                 .standard = "the GPU that the file names, or unknown"),
        SG_VALUE("out", "DIR", struct import_options, out, .help = "the folder of the run to write",
                 .required = true),
    };
    SG_SCOPED(sg_text) notes = {0};
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        sg_text_addf(&notes, "%s: %s\n", importers[i]->name, importers[i]->what);
    sg_text_add(
        &notes,
        "\nFiles packed by gzip are unpacked. Imported rows are not paired: they gate only with "
        "`compare --gate`.\n\n"
        "Example: solgate import ncu.csv --out=mine\n"
        "         solgate compare mine yesterday");
    const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(
            "FILE", struct import_options, files,
            .help = "a file of another tool, recognised by its content; each of several files "
                    "of one tool is a replicate: one start of the program",
            .repeats = true)},
        .summary = "Another tool's results as a run, for compare, explain, gap and report.",
        .notes = notes.data,
        .exits = {{SG_EXIT_DONE, "written"},
                  {SG_EXIT_INVALID, "not written"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct import_options given = {.gpu = NULL};
    if (sg_options_parse(&table, &given, argc, argv, err))
        import(&given, err);
    return 0;
}
