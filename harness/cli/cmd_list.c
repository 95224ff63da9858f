#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "cli/command.h"
#include "plan/module_list.h"
#include "plan/plan.h"
#include "plan/suite.h"
#include "reports/report.h"
#include "util/options.h"
#include "util/paths.h"

struct input {
    unsigned what; /* index in `lists` */
    const struct sg_format *format;
    struct sg_names modules;
    struct sg_names patterns; /* of names: the argument */
    struct sg_filters filters;
};

static const struct sg_column families_columns[] = {
    {.title = "name"}, {.title = "device"},  {.title = "cases", .number = true}, {.title = "variants", .number = true},
    {.title = "dims"}, {.title = "summary"},
};
static const struct sg_column cases_columns[] = {
    {.title = "family"}, {.title = "name"}, {.title = "dtype"}, {.title = "shape"}, {.title = "summary"},
};
static const struct sg_column variants_columns[] = {
    {.title = "family"}, {.title = "name"}, {.title = "role"}, {.title = "expect"}, {.title = "summary"},
};
static const struct sg_column knobs_columns[] = {
    {.title = "family"}, {.title = "variant"}, {.title = "name"}, {.title = "values"}, {.title = "summary"},
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
    {.title = "name"}, {.title = "families"}, {.title = "l2"}, {.title = "processes"}, {.title = "title"},
};

static bool is_kernel_module(const char *name)
{
    return strncmp(name, "libsg_", 6) == 0;
}

/* Modules given, then those built with solgate whose file name is not that of a given one. */
static enum sg_code load_modules(const struct sg_names *given, struct sg_module_list *listing, struct sg_err *err)
{
    struct sg_names all = {0}, names = {0};
    struct sg_text folder = {0};
    for (size_t i = 0; i < given->count; i++)
        sg_names_add(&all, given->items[i]);
    if (sg_path_of_module(&folder, "", err) == SG_SUCCESS)
        sg_list_files(folder.data, ".so", &names, err);
    for (size_t i = 0; i < names.count; i++) {
        bool replaced = false;
        for (size_t g = 0; g < given->count; g++) {
            const char *slash = strrchr(given->items[g], '/');
            replaced |= strcmp(slash ? slash + 1 : given->items[g], names.items[i]) == 0;
        }
        if (is_kernel_module(names.items[i]) && !replaced)
            sg_names_addf(&all, "%s%s", folder.data, names.items[i]);
    }
    sg_names_release(&names);
    sg_text_release(&folder);
    if (err->code == SG_SUCCESS)
        sg_module_list_add((const char *const *)all.items, all.count, listing, err);
    sg_names_release(&all);
    return err->code;
}

static void add_family(struct sg_sheet *sheet, const struct sg_listed_family *f)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cell(sheet, f->name);
    sg_sheet_cell(sheet, f->device);
    sg_sheet_number(sheet, (double)f->case_count);
    sg_sheet_number(sheet, (double)f->variant_count);
    sg_sheet_cell(sheet, f->dims);
    sg_sheet_cell(sheet, f->summary);
}

static void add_cases(struct sg_sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->case_count; i++) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, f->name);
        sg_sheet_cell(sheet, f->cases[i].name);
        sg_sheet_cell(sheet, f->cases[i].dtype);
        sg_sheet_cell(sheet, f->cases[i].shape);
        sg_sheet_cell(sheet, f->cases[i].summary);
    }
}

static void add_variants(struct sg_sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, f->name);
        sg_sheet_cell(sheet, f->variants[i].name);
        sg_sheet_cell(sheet, sg_role_word(f->variants[i].role));
        sg_sheet_cell(sheet, sg_status_word(f->variants[i].expect));
        sg_sheet_cell(sheet, f->variants[i].summary);
    }
}

static enum sg_code list_modules(const struct input *in, struct sg_sheet *sheet,
                                 void (*add)(struct sg_sheet *, const struct sg_listed_family *), struct sg_err *err)
{
    struct sg_module_list listing = {0};
    if (load_modules(&in->modules, &listing, err) == SG_SUCCESS)
        for (size_t i = 0; i < listing.count; i++)
            add(sheet, &listing.families[i]);
    sg_module_list_release(&listing);
    return err->code;
}

static enum sg_code list_families(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    return list_modules(in, sheet, add_family, err);
}

static enum sg_code list_cases(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    return list_modules(in, sheet, add_cases, err);
}

static enum sg_code list_variants(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    return list_modules(in, sheet, add_variants, err);
}

static void add_knobs(struct sg_sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++) {
        for (size_t k = 0; k < f->variants[i].knob_count; k++) {
            const struct sg_listed_knob *knob = &f->variants[i].knob[k];
            struct sg_text values = {0};
            for (size_t v = 0; v < knob->count; v++)
                sg_text_addf(&values, "%s%" PRId64, v ? " " : "", knob->value[v]);
            sg_sheet_row(sheet, SG_ASIDE);
            sg_sheet_cell(sheet, f->name);
            sg_sheet_cell(sheet, f->variants[i].name);
            sg_sheet_cell(sheet, knob->name);
            sg_sheet_take(sheet, &values);
            sg_sheet_cell(sheet, knob->summary);
        }
    }
}

static enum sg_code list_knobs(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    return list_modules(in, sheet, add_knobs, err);
}

/* The chips that differ from "*": "GB202=absent GA100=name". */
static void add_exceptions(struct sg_sheet *sheet, const struct sg_metric *metric)
{
    struct sg_text text = {0};
    for (size_t i = 0; i < metric->key_count; i++) {
        const struct sg_metric_key *name = &metric->keys[i];
        if (strcmp(name->chip, "*") != 0)
            sg_text_addf(&text, "%s%s=%s", text.length ? " " : "", name->chip, name->key ? name->key : "absent");
    }
    sg_sheet_take(sheet, &text);
}

static enum sg_code list_metrics(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    (void)in;
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.count && err->code == SG_SUCCESS; i++) {
        const struct sg_metric *metric = &catalogue.metrics[i];
        const char *cupti = metric->source->by_chip ? sg_metric_key(metric, "*") : NULL;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, metric->name);
        sg_sheet_cell(sheet, metric->unit);
        sg_sheet_cell(sheet, sg_better_word(metric->better));
        sg_sheet_cell(sheet, sg_metric_class_word(metric->klass));
        sg_sheet_number(sheet, metric->floor);
        sg_sheet_number(sheet, metric->floor_ratio);
        sg_sheet_cell(sheet, metric->source->word);
        sg_sheet_cell(sheet, cupti);
        add_exceptions(sheet, metric);
        sg_sheet_cell(sheet, metric->meaning);
    }
    sg_catalogue_release(&catalogue);
    return err->code;
}

static enum sg_code list_groups(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    (void)in;
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.group_count && err->code == SG_SUCCESS; i++) {
        const struct sg_group *group = &catalogue.groups[i];
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, group->name);
        sg_sheet_number(sheet, (double)group->count);
        sg_sheet_cell(sheet, group->title);
        sg_sheet_cell(sheet, group->read);
    }
    sg_catalogue_release(&catalogue);
    return err->code;
}

static enum sg_code add_gpu(struct sg_sheet *sheet, const char *key, struct sg_err *err)
{
    struct sg_gpu_spec spec = {0};
    if (sg_gpu_load(key, &spec, err) == SG_SUCCESS) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, key);
        sg_sheet_cell(sheet, spec.name);
        sg_sheet_cell(sheet, spec.chip);
        sg_sheet_number(sheet, spec.sm_count);
        sg_sheet_number(sheet, spec.sm_clock_hz);
        sg_sheet_number(sheet, spec.dram_bytes_per_s);
        sg_sheet_number(sheet, spec.l2_bytes);
        sg_sheet_cell(sheet, spec.source);
    }
    sg_gpu_release(&spec);
    return err->code;
}

static enum sg_code add_suite(struct sg_sheet *sheet, const char *name, struct sg_err *err)
{
    struct sg_suite suite = {0};
    if (sg_suite_load(name, &suite, err) == SG_SUCCESS) {
        struct sg_text families = {0};
        for (size_t i = 0; i < suite.family_count; i++)
            sg_text_addf(&families, "%s%s", i ? " " : "", suite.families[i].name);
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, suite.name);
        sg_sheet_take(sheet, &families);
        sg_sheet_cell(sheet, sg_l2_word(suite.l2));
        if (suite.is_sequential)
            sg_sheet_cell(sheet, SG_SUITE_AUTO);
        else
            sg_sheet_number(sheet, suite.processes);
        sg_sheet_cell(sheet, suite.title);
    }
    sg_suite_release(&suite);
    return err->code;
}

/* One row a file of a folder of the home: its name without the ending is handed to `add`. */
static enum sg_code list_folder(const char *relative, const char *ending, struct sg_sheet *sheet,
                                enum sg_code (*add)(struct sg_sheet *, const char *, struct sg_err *), struct sg_err *err)
{
    struct sg_text folder = {0};
    struct sg_names names = {0};
    if (sg_path_in_home(&folder, relative, err) == SG_SUCCESS)
        sg_list_files(folder.data, ending, &names, err);
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++) {
        names.items[i][strlen(names.items[i]) - strlen(ending)] = '\0';
        add(sheet, names.items[i], err);
    }
    sg_names_release(&names);
    sg_text_release(&folder);
    return err->code;
}

static enum sg_code list_gpus(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    (void)in;
    return list_folder("metrics/gpus", ".gpu", sheet, add_gpu, err);
}

static enum sg_code list_suites(const struct input *in, struct sg_sheet *sheet, struct sg_err *err)
{
    (void)in;
    return list_folder("kernels/suites", ".suite", sheet, add_suite, err);
}

enum { NOWHERE, FIRST, SECOND }; /* a column */

/*
 * What can be listed; how many of its first columns are names; where those of families,
 * cases and variants stand. What has a column of families is of modules, the others of
 * text files, which no module adds to.
 */
#define LISTS(X)                             \
    X(families, 1, FIRST, NOWHERE, NOWHERE)  \
    X(cases, 2, FIRST, SECOND, NOWHERE)      \
    X(variants, 2, FIRST, NOWHERE, SECOND)   \
    X(knobs, 3, FIRST, NOWHERE, SECOND)      \
    X(metrics, 1, NOWHERE, NOWHERE, NOWHERE) \
    X(groups, 1, NOWHERE, NOWHERE, NOWHERE)  \
    X(gpus, 1, NOWHERE, NOWHERE, NOWHERE)    \
    X(suites, 1, NOWHERE, NOWHERE, NOWHERE)

static const struct list {
    const char *name;
    const struct sg_column *columns;
    size_t column_count;
    enum sg_code (*list)(const struct input *in, struct sg_sheet *sheet, struct sg_err *err);
    size_t names, family, case_, variant;
} lists[] = {
#define X(name, names, family, case_, variant) {#name, SG_COLUMNS(name##_columns), list_##name, names, family, case_, variant},
    LISTS(X)
#undef X
};

/* ---- which rows ---- */

struct filter {
    const char *option;
    const struct sg_names *patterns;
    size_t from, to; /* columns, of which one must match */
};
#define FILTERS 4

static void filters_of(const struct input *in, struct filter filters[FILTERS])
{
    const struct list *list = &lists[in->what];
    const struct filter all[FILTERS] = {
        {"--family", &in->filters.families, list->family - 1, list->family},
        {"--case", &in->filters.cases, list->case_ - 1, list->case_},
        {"--variant", &in->filters.variants, list->variant - 1, list->variant},
        {"list", &in->patterns, 0, list->names},
    };
    memcpy(filters, all, sizeof(all));
}

static bool keeps(const struct filter *filter, const struct sg_sheet *sheet, size_t row)
{
    bool match = filter->patterns->count == 0;
    for (size_t i = filter->from; i < filter->to && !match; i++)
        match = sg_names_match(filter->patterns, sg_sheet_at(sheet, row, i));
    return match;
}

/* The rows of `all` that were asked for. */
static enum sg_code pick_rows(const struct input *in, const struct sg_sheet *all, struct sg_sheet *picked, struct sg_err *err)
{
    struct filter filters[FILTERS];
    filters_of(in, filters);
    for (size_t i = 0; i < FILTERS; i++)
        if (filters[i].patterns->count > 0 && filters[i].to == NOWHERE)
            return sg_fail(err, SG_BAD_USAGE, "list", "%s cannot go with %s", filters[i].option, lists[in->what].name);
    for (size_t row = 0; row < all->row_count; row++) {
        bool is_wanted = true;
        for (size_t i = 0; i < FILTERS; i++)
            is_wanted = is_wanted && keeps(&filters[i], all, row);
        if (!is_wanted)
            continue;
        sg_sheet_row(picked, SG_ASIDE);
        for (size_t i = 0; i < all->column_count; i++)
            sg_sheet_cell(picked, sg_sheet_at(all, row, i));
    }
    if (picked->row_count == 0 && all->row_count > 0)
        sg_fail(err, SG_BAD_USAGE, "list", "no row of %s has such names; without a pattern all are listed", lists[in->what].name);
    return err->code;
}

static enum sg_code list(const struct input *in, struct sg_err *err)
{
    const struct list *what = &lists[in->what];
    if (in->modules.count > 0 && what->family == NOWHERE)
        return sg_fail(err, SG_BAD_USAGE, "list", "--module adds families, cases, variants and knobs: it cannot go with %s", what->name);
    struct sg_document document = {.name = "list"};
    struct sg_sheet all, *picked = sg_document_sheet(&document, what->name, what->columns, what->column_count, SG_FOR_ALL);
    sg_sheet_init(&all, what->columns, what->column_count);
    if (what->list(in, &all, err) == SG_SUCCESS && pick_rows(in, &all, picked, err) == SG_SUCCESS)
        sg_print_document(&document, in->format, err);
    sg_sheet_release(&all);
    sg_document_release(&document);
    return err->code;
}

int sg_cmd_list(int argc, char **argv, struct sg_err *err)
{
#define X(name, names, family, case_, variant) "|" #name
    static const char *const names = &("" LISTS(X))[1];
#undef X
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION(struct input),
        {.name = "module",
         .arg = "FILE",
         SG_INTO(struct input, modules),
         .repeats = true,
         .help = "a kernel module beside those built with solgate"},
        SG_FILTER_OPTIONS(struct input, filters, "only such variants"),
        {0},
    };
    const struct sg_option arguments[] = {
        {.name = names, SG_INTO(struct input, what), .optional = true},
        {.name = "PATTERN", SG_INTO(struct input, patterns), .optional = true, .repeats = true},
        {0},
    };
    const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary =
            "What there is to run, to measure and to compare with. Families, cases, variants and their knobs are asked of the kernel "
            "modules beside solgate; the rest is read from its text files. Text leaves out what a terminal has no room for; CSV has "
            "every column.",
        .notes = "With a PATTERN only rows are listed of which a name matches it: of the family, the case, the variant, the metric.\n\n"
                 "Examples:\n"
                 "  solgate list metrics 'l1_*'\n"
                 "  solgate list cases matvec --case='r64*' --format=csv",
        .exits = {{SG_EXIT_DONE, "listed"}, {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        list(&in, err);
    sg_names_release(&in.modules);
    sg_names_release(&in.patterns);
    sg_filters_release(&in.filters);
    return 0;
}
