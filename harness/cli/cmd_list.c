#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "cli/child.h"
#include "cli/command.h"
#include "plan/module_list.h"
#include "plan/suite.h"
#include "reports/report.h"
#include "results/message.h"
#include "util/paths.h"

struct input {
    unsigned what; /* index into `lists` */
    const struct sg_format *format;
    struct sg_names modules;
    struct sg_names patterns; /* patterns of names, from the argument */
};

static const struct sg_column families_columns[] = {
    {.title = "name"},
    {.title = "device"},
    {.title = "cases", .number = true},
    {.title = "variants", .number = true},
    {.title = "dims"},
    {.title = "summary"},
};
static const struct sg_column cases_columns[] = {
    {.title = "family"}, {.title = "name"},    {.title = "dtype"},
    {.title = "shape"},  {.title = "summary"},
};
static const struct sg_column variants_columns[] = {
    {.title = "family"}, {.title = "name"},    {.title = "role"},
    {.title = "expect"}, {.title = "summary"},
};
static const struct sg_column knobs_columns[] = {
    {.title = "family"}, {.title = "variant"}, {.title = "name"},
    {.title = "values"}, {.title = "summary"},
};
static const struct sg_column kernels_columns[] = {
    {.title = "family"},
    {.title = "name"},
    {.title = "images",
     .meaning = "architectures that the module was built for; one row for each machine code"},
    {.title = "registers", .number = true, .unit = "register"},
    {.title = "stack", .number = true, .unit = "B"},
    {.title = "shared", .number = true, .unit = "B", .meaning = "static"},
    {.title = "spills",
     .number = true,
     .unit = "B",
     .meaning = "stores and loads of spilled registers"},
    {.title = "instructions", .number = true, .unit = "inst"},
    {.title = "notes", .meaning = "numbers of the compiler's notes"},
    {.title = "mangled", .spare = true},
};
static const struct sg_column metrics_columns[] = {
    {.title = "name"},
    {.title = "unit"},
    {.title = "better"},
    {.title = "class"},
    {.title = "floor", .spare = true, .number = true},
    {.title = "floor_ratio", .spare = true, .number = true},
    {.title = "source"},
    {.title = "cupti", .spare = true},
    {.title = "cupti_exceptions", .spare = true},
    {.title = "meaning"},
};
static const struct sg_column groups_columns[] = {
    {.title = "name"},
    {.title = "metrics", .number = true},
    {.title = "title"},
    {.title = "read"},
};
static const struct sg_column gpus_columns[] = {
    {.title = "key"},
    {.title = "name"},
    {.title = "chip"},
    {.title = "sm_count", .number = true},
    {.title = "sm_clock_hz", .number = true, .unit = "Hz"},
    {.title = "dram_bytes_per_s", .number = true, .unit = "B/s"},
    {.title = "l2_bytes", .number = true, .unit = "B"},
    {.title = "source"},
};
static const struct sg_column suites_columns[] = {
    {.title = "name"},      {.title = "families"}, {.title = "l2"},
    {.title = "processes"}, {.title = "title"},
};

/* The given modules; none given: those built with solgate, in `built`. */
static const struct sg_names *modules_of(const struct input *in, struct sg_names *built,
                                         struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    SG_SCOPED(sg_text) folder = {0};
    if (in->modules.count > 0)
        return &in->modules;
    if (sg_path_of_module(&folder, "", err) == SG_SUCCESS)
        sg_list_files(folder.data, ".so", &names, err);
    for (size_t i = 0; i < names.count; i++)
        if (strncmp(names.items[i], "libsg_", 6) == 0)
            sg_names_addf(built, "%s%s", folder.data, names.items[i]);
    return built;
}

struct listing;
struct list {
    const char *name;
    const struct sg_column *columns;
    size_t column_count;
    enum sg_code (*fill)(struct listing *, struct sg_err *);
    void (*add_family)(struct listing *, const struct sg_listed_family *);         /* modules */
    enum sg_code (*add_file)(struct listing *, const char *name, struct sg_err *); /* a folder */
    const char *folder, *ending;
};

/* A list under construction; rows that do not match are left out. */
struct listing {
    const struct input *in;
    const struct list *list;
    struct sg_sheet *sheet;
    size_t all;       /* number of rows, including those left out */
    const char *lack; /* why a column is empty, or NULL */
};

/* Begins a row with its names if a pattern matches one of them, or `FAMILY/NAME`. Returns false if
 * no pattern matches. */
static bool begin(struct listing *listing, const char *first, const char *second, const char *third)
{
    const struct sg_names *patterns = &listing->in->patterns;
    const char *const names[] = {first, second, third};
    SG_SCOPED(sg_text) path = {0};
    bool is_wanted = patterns->count == 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && names[i]; i++) {
        sg_text_addf(&path, "%s%s", i > 0 ? "/" : "", names[i]);
        is_wanted =
            is_wanted || sg_names_match(patterns, names[i]) || sg_names_match(patterns, path.data);
    }
    listing->all++;
    if (!is_wanted)
        return false;
    sg_sheet_row(listing->sheet, SG_ASIDE);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && names[i]; i++)
        sg_sheet_cell(listing->sheet, names[i]);
    return true;
}

/* ---- modules ---- */

static void add_family(struct listing *listing, const struct sg_listed_family *f)
{
    if (!begin(listing, f->name, NULL, NULL))
        return;
    sg_sheet_cell(listing->sheet, f->device);
    sg_sheet_numbers(listing->sheet, (double)f->case_count, (double)f->variant_count);
    sg_sheet_cells(listing->sheet, f->dims, f->summary);
}

static void add_cases(struct listing *listing, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->case_count; i++)
        if (begin(listing, f->name, f->cases[i].name, NULL))
            sg_sheet_cells(listing->sheet, f->cases[i].dtype, f->cases[i].shape,
                           f->cases[i].summary);
}

static void add_variants(struct listing *listing, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++)
        if (begin(listing, f->name, f->variants[i].name, NULL))
            sg_sheet_cells(listing->sheet, sg_role_word(f->variants[i].role),
                           sg_status_word(f->variants[i].expect), f->variants[i].summary);
}

static void add_knobs(struct listing *listing, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++)
        for (size_t k = 0; k < f->variants[i].knob_count; k++) {
            const struct sg_listed_knob *knob = &f->variants[i].knob[k];
            if (!begin(listing, f->name, f->variants[i].name, knob->name))
                continue;
            struct sg_text *values = sg_sheet_open(listing->sheet);
            for (size_t v = 0; v < knob->count; v++)
                sg_text_addf(values, "%s%" PRId64, v ? " " : "", knob->value[v]);
            sg_sheet_cell(listing->sheet, knob->summary);
        }
}

static enum sg_code list_modules(struct listing *listing, struct sg_err *err)
{
    struct sg_module_list modules = {0};
    SG_SCOPED(sg_names) built = {0};
    const struct sg_names *names = modules_of(listing->in, &built, err);
    if (err->code == SG_SUCCESS)
        sg_module_list_add((const char *const *)names->items, names->count, &modules, err);
    for (size_t i = 0; i < modules.count && err->code == SG_SUCCESS; i++)
        listing->list->add_family(listing, &modules.families[i]);
    return err->code;
}

/* Kernels of one module, and the output of cuobjdump for them. */
struct kernels {
    struct listing *listing;
    const char *usage;
};

/* Finds a kernel's resource usage for `sm` ("": any) in cuobjdump's output, which has one section
 * per object; NULL: not found. */
static const char *find_usage(const char *usage, const char *sm, const char *mangled)
{
    SG_FORMATTED(arch, "arch = %s\n", sm);
    SG_FORMATTED(name, "Function %s:", mangled);
    for (const char *part = *sm ? strstr(usage, arch.data) : usage; part;
         part = strstr(part + 1, arch.data)) {
        const char *function = strstr(part, name.data),
                   *end = *sm ? strstr(part + 1, "arch = ") : NULL;
        if (function && (!end || function < end))
            return function;
    }
    return NULL;
}

/* The number of one kernel after `word` in "REG:40 STACK:0 SHARED:1024"; NaN: none. */
static double usage_of(const char *function, const char *word)
{
    const char *end = function ? strstr(function + 1, "Function ") : NULL,
               *at = function ? strstr(function, word) : NULL;
    return at && (!end || at < end) ? strtod(at + strlen(word), NULL) : NAN;
}

/* Adds one row for each architecture that has machine code. */
static enum sg_code add_kernel(void *context, const struct sg_message *m, struct sg_err *err)
{
    const struct kernels *kernels = context;
    struct sg_sheet *sheet = kernels->listing->sheet;
    const bool is_kernel = m->kind == SG_MESSAGE_KERNEL;
    const char *sm = is_kernel ? strstr(m->images, "sm_") : NULL;
    const bool has_several = sm && strstr(sm + 1, "sm_");
    (void)err;
    for (bool again = is_kernel; again && begin(kernels->listing, m->name[0], m->kernel, NULL);
         again = has_several && sm) {
        SG_SCOPED(sg_text) code = {0};
        if (has_several)
            sg_text_add_bytes(&code, sm, strcspn(sm, " "));
        const char *usage = find_usage(kernels->usage, sg_text_string(&code), m->mangled);
        sg_sheet_cell(sheet, has_several ? code.data : m->images);
        sg_sheet_numbers(sheet, usage_of(usage, "REG:"), usage_of(usage, "STACK:"),
                         usage_of(usage, "SHARED:"), m->spill_store_bytes + m->spill_load_bytes,
                         m->instructions);
        sg_sheet_cells(sheet, m->notes, m->mangled);
        sm = sm ? strstr(sm + 1, "sm_") : NULL;
    }
    return SG_SUCCESS;
}

/* Register counts are only in the machine code, which the toolkit's cuobjdump reads. */
static enum sg_code list_kernels(struct listing *listing, struct sg_err *err)
{
    SG_SCOPED(sg_names) built = {0};
    const struct sg_names *given = modules_of(listing->in, &built, err);
    for (size_t i = 0; i < given->count && err->code == SG_SUCCESS; i++) {
        SG_SCOPED(sg_names) words = {0};
        SG_SCOPED(sg_text) usage = {0}, program = {0};
        sg_names_add_split(&words, "cuobjdump --dump-resource-usage", ' ');
        sg_names_add(&words, given->items[i]);
        if (sg_program_path(&program, words.items[0]))
            sg_child_run(&words, &usage);
        else
            listing->lack = "registers, stack and shared memory: cuobjdump is not on PATH";
        sg_module_describe(given->items[i], add_kernel,
                           &(struct kernels){listing, sg_text_string(&usage)}, err);
    }
    return err->code;
}

/* ---- files ---- */

/* Appends the chips that differ from "*": "GB202=absent GA100=name". */
static void add_exceptions(struct sg_text *out, const struct sg_metric *metric)
{
    const char *before = "";
    for (size_t i = 0; i < metric->key_count; i++) {
        const struct sg_metric_key *name = &metric->keys[i];
        if (strcmp(name->chip, "*") == 0)
            continue;
        sg_text_addf(out, "%s%s=%s", before, name->chip, name->key ? name->key : "absent");
        before = " ";
    }
}

static enum sg_code list_metrics(struct listing *listing, struct sg_err *err)
{
    struct sg_sheet *sheet = listing->sheet;
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.count; i++) {
        const struct sg_metric *metric = &catalogue.metrics[i];
        if (!begin(listing, metric->name, NULL, NULL))
            continue;
        sg_sheet_cells(sheet, metric->unit, sg_better_word(metric->better),
                       sg_metric_class_word(metric->klass));
        sg_sheet_numbers(sheet, metric->floor, metric->floor_ratio);
        sg_sheet_cells(sheet, metric->source->word,
                       metric->source->by_chip ? sg_metric_key(metric, "*") : NULL);
        add_exceptions(sg_sheet_open(sheet), metric);
        sg_sheet_cell(sheet, metric->meaning);
    }
    return err->code;
}

static enum sg_code list_groups(struct listing *listing, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.group_count; i++) {
        const struct sg_group *group = &catalogue.groups[i];
        if (!begin(listing, group->name, NULL, NULL))
            continue;
        sg_sheet_number(listing->sheet, (double)group->count);
        sg_sheet_cells(listing->sheet, group->title, group->read);
    }
    return err->code;
}

static enum sg_code add_gpu(struct listing *listing, const char *key, struct sg_err *err)
{
    struct sg_sheet *sheet = listing->sheet;
    struct sg_gpu_spec spec = {0};
    if (sg_gpu_load(key, &spec, err) == SG_SUCCESS && begin(listing, key, NULL, NULL)) {
        sg_sheet_cells(sheet, spec.name, spec.chip);
        sg_sheet_numbers(sheet, spec.sm_count, spec.sm_clock_hz, spec.dram_bytes_per_s,
                         spec.l2_bytes);
        sg_sheet_cell(sheet, spec.source);
    }
    return err->code;
}

static enum sg_code add_suite(struct listing *listing, const char *name, struct sg_err *err)
{
    struct sg_sheet *sheet = listing->sheet;
    struct sg_suite suite = {0};
    if (sg_suite_load(name, &suite, err) == SG_SUCCESS && begin(listing, suite.name, NULL, NULL)) {
        struct sg_text *families = sg_sheet_open(sheet);
        for (size_t i = 0; i < suite.family_count; i++)
            sg_text_addf(families, "%s%s", i ? " " : "", suite.families[i].name);
        if (suite.program_count > 0)
            sg_text_addf(families, "%s" SG_EXEC_FAMILY, suite.family_count ? " " : "");
        sg_sheet_cell(sheet, sg_l2_word(suite.settings.l2));
        if (suite.settings.processes == SG_PROCESSES_AUTO)
            sg_sheet_cell(sheet, SG_AUTO);
        else
            sg_sheet_number(sheet, suite.settings.processes);
        sg_sheet_cell(sheet, suite.title);
    }
    return err->code;
}

/* Adds a row per file in a folder of solgate's home; `add_file` gets the name without the ending.
 */
static enum sg_code list_folder(struct listing *listing, struct sg_err *err)
{
    const struct list *list = listing->list;
    SG_SCOPED(sg_text) folder = {0};
    SG_SCOPED(sg_names) names = {0};
    if (sg_path_in_home(&folder, list->folder, err) == SG_SUCCESS)
        sg_list_files(folder.data, list->ending, &names, err);
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++) {
        names.items[i][strlen(names.items[i]) - strlen(list->ending)] = '\0';
        list->add_file(listing, names.items[i], err);
    }
    return err->code;
}

/* ---- lists ---- */

#define LIST(word, how, ...)                                                               \
    {                                                                                      \
        .name = #word, .columns = word##_columns,                                          \
        .column_count = sizeof(word##_columns) / sizeof(word##_columns[0]), .fill = (how), \
        __VA_ARGS__                                                                        \
    }
static const struct list lists[] = {
    LIST(families, list_modules, .add_family = add_family),
    LIST(cases, list_modules, .add_family = add_cases),
    LIST(variants, list_modules, .add_family = add_variants),
    LIST(knobs, list_modules, .add_family = add_knobs),
    LIST(kernels, list_kernels),
    LIST(metrics, list_metrics),
    LIST(groups, list_groups),
    LIST(gpus, list_folder, .add_file = add_gpu, .folder = "metrics/gpus", .ending = ".gpu"),
    LIST(suites, list_folder, .add_file = add_suite, .folder = "kernels/suites",
         .ending = ".suite"),
};
#define NAMES "families|cases|variants|knobs|kernels|metrics|groups|gpus|suites"

static enum sg_code list(const struct input *in, struct sg_err *err)
{
    const struct list *what = &lists[in->what];
    const bool is_kernels = what->fill == list_kernels;
    if (in->modules.count > 0 && !is_kernels && what->fill != list_modules)
        return sg_fail(err, SG_BAD_USAGE, "list",
                       "--module has families, cases, variants, knobs and kernels: it cannot be "
                       "combined with %s",
                       what->name);
    struct sg_document document = {.name = "list"};
    struct listing listing = {
        .in = in,
        .list = what,
        .sheet =
            sg_document_sheet(&document, what->name, what->columns, what->column_count, SG_FOR_ALL),
    };
    if (what->fill(&listing, err) == SG_SUCCESS && listing.sheet->row_count == 0 && listing.all > 0)
        sg_fail(err, SG_BAD_USAGE, "list",
                "no row of %s matches the pattern; without a pattern all rows are listed",
                what->name);
    if (is_kernels && listing.all == 0)
        sg_document_note(&document, SG_FOR_ALL,
                         "no kernels for a GPU in these modules; kernels of a module with only PTX "
                         "are not known");
    sg_document_note(&document, SG_FOR_PEOPLE, listing.lack ? listing.lack : "");
    if (err->code == SG_SUCCESS)
        sg_print_document(&document, in->format, err);
    return err->code;
}

int sg_cmd_list(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION(struct input),
        SG_VALUE("module", "FILE", struct input, modules,
                 .help = "a kernel module, in place of those built with solgate", .repeats = true),
    };
    const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(NAMES, struct input, what, .optional = true),
                      SG_ARGUMENT("PATTERN", struct input, patterns, .optional = true,
                                  .repeats = true)},
        .summary = "Lists what can be run, measured and compared with. Families, cases, variants "
                   "and knobs come from the kernel modules next to solgate, the rest from its text "
                   "files. --format=text leaves out columns that do not fit a terminal; "
                   "--format=csv has every column. Registers, stack and shared bytes of kernels "
                   "come from cuobjdump, which must be on PATH.",
        .notes = "PATTERN selects rows by the name of the family, the case, the variant or the "
                 "metric, or by FAMILY/NAME.\n\n"
                 "Examples:\n"
                 "  solgate list metrics 'l1_*'\n"
                 "  solgate list cases 'matvec/r64*' --format=csv",
        .exits = {{SG_EXIT_DONE, "listed"}, {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        list(&in, err);
    return 0;
}
