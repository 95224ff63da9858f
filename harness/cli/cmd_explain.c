#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "baseline/load.h"
#include "cli/where_collect.h"
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "exec/readable_name.h"
#include "import/gather.h"
#include "reports/report.h"
#include "reports/tables/explain.h"
#include "results/item_filter.h"
#include "results/run_reader.h"

struct explain_options {
    const char *run, *of;             /* FAMILY/CASE, or FAMILY/CASE/VARIANT without a candidate */
    const char *baseline, *candidate; /* NULL: `of` names the variant */
    const char *against; /* run to compare the variant with; NULL: the accepted numbers */
    bool limits, ncu, where, verbose;
    const struct sg_format *format;
};

/* ---- the item ---- */

/* The names in `of`. */
struct item {
    char family[64], case_[128];
    const char *variant; /* points into `of`; NULL: not given */
};

static enum sg_code split(const struct explain_options *options, struct item *item,
                          struct sg_err *err)
{
    const char *first = strchr(options->of, '/'), *second = first ? strchr(first + 1, '/') : NULL;
    const size_t family = first ? (size_t)(first - options->of) : 0;
    const size_t case_ = first ? (second ? (size_t)(second - first - 1) : strlen(first + 1)) : 0;
    const bool is_variant = options->baseline == NULL;
    if (family == 0 || family >= sizeof(item->family) || case_ == 0 ||
        case_ >= sizeof(item->case_) || (second != NULL) != is_variant)
        return sg_fail(err, SG_BAD_USAGE, options->of, "expected %s",
                       is_variant ? "FAMILY/CASE/VARIANT, or FAMILY/CASE BASELINE CANDIDATE"
                                  : "FAMILY/CASE, such as matvec/r4096_c4096_f32");
    *item = (struct item){.variant = second ? second + 1 : NULL};
    memcpy(item->family, options->of, family);
    memcpy(item->case_, first + 1, case_);
    return SG_SUCCESS;
}

static enum sg_code check_known(const struct sg_run *run, const char *family, const char *case_,
                                const char *variant, struct sg_err *err)
{
    struct sg_filters filters = {0};
    struct sg_err why = {0}; /* its `where` names an option, so it is rewritten */
    sg_names_add(&filters.families, family);
    sg_names_add(&filters.cases, case_);
    sg_names_add(&filters.variants, variant);
    if (sg_filters_check_table(&filters, &run->table, run->folder, &why) != SG_SUCCESS)
        sg_fail(err, why.code, run->folder, "%s", why.message);
    else if (!sg_table_find(&run->table, family, case_, variant, "status"))
        sg_fail(err, SG_BAD_USAGE, run->folder, "no %s/%s/%s in this run", family, case_, variant);
    return err->code;
}

/* ---- the command ---- */

/* True for options that need only the run, not the accepted numbers. */
static bool is_alone(const struct explain_options *options)
{
    return options->limits || options->ncu || options->where;
}

/* `ncu -k` takes a kernel name without arguments, which is in the row `note`. */
static enum sg_code refuse_imported(const struct sg_run *run, const struct item *item,
                                    struct sg_err *err)
{
    const struct sg_row *note = sg_table_find(&run->table, SG_NAMES(*item), "note");
    const char *what = note ? sg_table_string(&run->table, note->message) : "",
               *grid = strstr(what, ", grid ");
    SG_SCOPED(sg_text) symbol = {0}, readable = {0}, kernel = {0};
    sg_text_add_bytes(&symbol, what, grid ? (size_t)(grid - what) : 0);
    sg_add_readable_name(&readable, sg_text_string(&symbol));
    sg_add_kernel_word(&kernel, grid            ? sg_text_string(&readable)
                                : item->variant ? item->variant
                                                : "NAME");
    return sg_fail(err, SG_BAD_USAGE, run->folder,
                   "an imported kernel is launched by its program: `ncu --set full -k %s PROGRAM`",
                   kernel.data);
}

/* Prints the command lines that launch the item under ncu and under compute-sanitizer. */
static enum sg_code print_launches(const struct sg_run *run, const struct item *item,
                                   struct sg_err *err)
{
    SG_SCOPED(sg_text) lines = {0}, launch = {0};
    SG_SCOPED(sg_names) words = {0};
    if (sg_worker_words(run, item->family, "launch", &words, err) == SG_SUCCESS) {
        sg_names_addf(&words, "--item=%s/%s/%s", SG_NAMES(*item));
        for (size_t i = 0; i < words.count; i++) {
            sg_text_add(&launch, " ");
            sg_text_add_word(&launch, words.items[i]);
            const char *file = strchr(words.items[i], '=');
            if (strncmp(words.items[i], "--module=", 9) == 0 && access(file + 1, F_OK) != 0)
                sg_text_addf(&lines, "# %s is not there: build it first\n", file + 1);
        }
        sg_text_add(&lines, "# 3>/dev/null drops the messages of the worker to solgate\n");
        sg_text_addf(&lines, "ncu --set full --import-source yes -o %s.%s.%s%s 3>/dev/null\n",
                     SG_NAMES(*item), launch.data);
        sg_text_addf(&lines, "compute-sanitizer --tool memcheck%s 3>/dev/null\n", launch.data);
        sg_print(&lines, err);
    }
    return err->code;
}

/* Loads a variant and its accepted numbers, or the same variant in another run. */
static enum sg_code load_accepted(const struct explain_options *options, const struct item *item,
                                  struct sg_catalogue *catalogue, struct sg_against *loaded,
                                  struct sg_err *err)
{
    const struct sg_against_sides sides = {.run = options->run, .baseline = options->against};
    if (sg_against_load(&sides, catalogue, loaded, err) != SG_SUCCESS ||
        sg_check_comparable(&loaded->run.env, &loaded->baseline.env, loaded->baseline.path, err) !=
            SG_SUCCESS)
        return err->code;
    if (check_known(&loaded->run, SG_NAMES(*item), err) == SG_SUCCESS &&
        !sg_table_find(&loaded->baseline.table, SG_NAMES(*item), "status"))
        sg_fail(err, SG_BAD_USAGE, loaded->baseline.path, "no %s/%s/%s in it", SG_NAMES(*item));
    return err->code;
}

static enum sg_code load(const struct explain_options *options, const struct item *item,
                         struct sg_catalogue *catalogue, struct sg_against *loaded,
                         struct sg_err *err)
{
    const char *candidate = item->variant ? item->variant : options->candidate;
    const bool is_accepted = item->variant && !is_alone(options);
    if ((is_accepted ? load_accepted(options, item, catalogue, loaded, err)
                     : sg_run_read(options->run, &loaded->run, err)) != SG_SUCCESS)
        return err->code;
    sg_table_add_raw_counters(&loaded->run.table, catalogue);
    if (!item->variant &&
        check_known(&loaded->run, item->family, item->case_, options->baseline, err) != SG_SUCCESS)
        return err->code;
    return check_known(&loaded->run, item->family, item->case_, candidate, err);
}

static enum sg_code add_where(struct sg_document *document, const struct sg_run *run,
                              const struct sg_diagnosed *what, struct sg_err *err)
{
    const char *const was[] = {what->family, what->case_, what->other};
    const char *const is[] = {SG_NAMES(*what)};
    const char *const *const name[] = {strcmp(what->other, what->variant) != 0 ? was : NULL, is};
    struct sg_pc_samples samples = {0};
    if (sg_where_collect(run, name, &samples, err) == SG_SUCCESS)
        sg_add_where(document, what, name, &samples);
    return err->code;
}

static enum sg_code explain(const struct explain_options *options, struct sg_err *err)
{
    struct sg_against loaded = {0};
    struct sg_catalogue catalogue = {0};
    struct sg_document document = {.name = "explain"};
    struct item item = {.variant = NULL};

    if (split(options, &item, err) != SG_SUCCESS ||
        sg_catalogue_load(&catalogue, err) != SG_SUCCESS ||
        load(options, &item, &catalogue, &loaded, err) != SG_SUCCESS)
        return err->code;
    const bool is_accepted = item.variant && !is_alone(options);
    struct sg_diagnosed what = {
        .catalogue = &catalogue,
        .gpu = sg_diagnosed_gpu_of(&loaded.run.env),
        .then = is_accepted ? &loaded.baseline.table : &loaded.run.table,
        .now = &loaded.run.table,
        .accepted = is_accepted ? loaded.baseline.accepted : NULL,
        .family = item.family,
        .case_ = item.case_,
        .other = item.variant ? item.variant : options->baseline,
        .variant = item.variant ? item.variant : options->candidate,
    };
    sg_diagnose_added(&what);
    if (item.variant && !is_accepted)
        sg_document_notef(&document, SG_FOR_ALL, "%s/%s/%s", SG_NAMES(item));
    else
        sg_add_explain_headline(&document, &what, is_accepted ? loaded.baseline.path : what.other);
    if ((options->ncu || options->where) && sg_env_is_imported(&loaded.run.env))
        return refuse_imported(&loaded.run, &item, err);
    if (options->ncu) {
        print_launches(&loaded.run, &item, err);
        return err->code;
    }
    if (!options->where)
        sg_add_explanation(&document, &what, options->limits, options->verbose);
    else if (add_where(&document, &loaded.run, &what, err) != SG_SUCCESS)
        return err->code;
    return sg_print_document(&document, options->format, err);
}

static enum sg_code check(const struct explain_options *given, struct sg_err *err)
{
    if (given->baseline && !given->candidate)
        return sg_fail(err, SG_BAD_USAGE, "explain",
                       "expected a CANDIDATE after BASELINE %s, found none", given->baseline);
    if (given->baseline && (given->against || given->limits || given->ncu))
        return sg_fail(
            err, SG_BAD_USAGE, "explain",
            "--against, --limits and --ncu need FAMILY/CASE/VARIANT, found two variants");
    return SG_SUCCESS;
}

int sg_cmd_explain(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("against", "BASELINE", struct explain_options, against,
                 .help =
                     "a file of accepted numbers or another run, in place of the accepted numbers",
                 .without = "limits"),
        SG_FLAG("limits", struct explain_options, limits,
                .help = "for one variant: where its cycles go, and how busy its units are"),
        SG_FLAG("ncu", struct explain_options, ncu,
                .help = "for one variant: the commands that launch it under ncu, and under "
                        "compute-sanitizer",
                .without = "against"),
        SG_FLAG("where", struct explain_options, where,
                .help = "the instructions that take the time, by samples of waiting warps; missing "
                        "samples are taken on the GPU of the run",
                .without = "against"),
        SG_FLAG("verbose", struct explain_options, verbose, .help = "say what each counter means"),
        SG_FORMAT_OPTION(struct explain_options),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct explain_options, run, .help = SG_RUN_HELP),
                      SG_ARGUMENT("FAMILY/CASE", struct explain_options, of,
                                  .help = "such as matvec/r4096_c4096_f32"),
                      SG_ARGUMENT("BASELINE", struct explain_options, baseline,
                                  .help = "a variant of the case", .optional = true),
                      SG_ARGUMENT("CANDIDATE", struct explain_options, candidate,
                                  .help = "another variant of the case", .optional = true)},
        .usage = "RUN FAMILY/CASE BASELINE CANDIDATE\nRUN FAMILY/CASE/VARIANT "
                 "[--against=BASELINE|--limits|--ncu]\nRUN FAMILY/CASE "
                 "BASELINE CANDIDATE --where",
        .summary =
            "Why one variant of a case is slower than another, or than its accepted numbers: "
            "causes with their points of the added time, and where that time is; the counters that "
            "changed, exact ones by their ratio before noisy ones; then the facts of both builds.",
        .notes = "A variant that failed has no counters that explain anything: its status is shown "
                 "instead.\n\n"
                 "Examples: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads\n"
                 "solgate explain night/ matvec/r4096_c4096_f32/scalar_loads --against=yesterday/",
        .exits = {{SG_EXIT_DONE, "done, whatever the numbers are"},
                  {SG_EXIT_INVALID, "invalid, not comparable, or not written"},
                  {SG_EXIT_USAGE, NULL},
                  {SG_EXIT_NO_GPU, "--where takes samples, and there is no GPU"},
                  {SG_EXIT_INTERRUPTED, NULL}},
    };
    struct explain_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err) && check(&given, err) == SG_SUCCESS)
        explain(&given, err);
    return 0;
}
