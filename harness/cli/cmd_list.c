#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "cli/command.h"
#include "plan/module_list.h"
#include "plan/plan.h"
#include "plan/suite.h"
#include "reports/tables/text_table.h"
#include "util/csv_reader.h"
#include "util/options.h"
#include "util/paths.h"

#define COLUMNS_MAX 10

/* What is listed: a header, and cells row by row. */
struct sheet {
    const char *const *header; /* NULL-terminated */
    size_t columns;
    struct sg_names cells;
    /* A terminal is narrow: */
    const char *const *csv_only; /* NULL-terminated, or NULL: columns that text leaves out */
    bool below;                  /* the last column stands below its row */
};

struct input {
    unsigned what; /* index in `lists` */
    bool csv;
    struct sg_names modules;
    struct sg_names patterns; /* of names: the argument */
    struct sg_filters filters;
};

static void begin_sheet(struct sheet *sheet, const char *const *header)
{
    sheet->header = header;
    while (header[sheet->columns])
        sheet->columns++;
}

static void add_cell(struct sheet *sheet, const char *cell)
{
    sg_names_add(&sheet->cells, cell);
}

static void add_number(struct sheet *sheet, double number)
{
    struct sg_text text = {0};
    sg_text_addf(&text, "%.9g", number);
    add_cell(sheet, text.data);
    sg_text_release(&text);
}

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

static void add_family(struct sheet *sheet, const struct sg_listed_family *f)
{
    add_cell(sheet, f->name);
    add_cell(sheet, f->device);
    add_number(sheet, (double)f->case_count);
    add_number(sheet, (double)f->variant_count);
    add_cell(sheet, f->dims);
    add_cell(sheet, f->summary);
}

static void add_cases(struct sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->case_count; i++) {
        add_cell(sheet, f->name);
        add_cell(sheet, f->cases[i].name);
        add_cell(sheet, f->cases[i].dtype);
        add_cell(sheet, f->cases[i].shape);
        add_cell(sheet, f->cases[i].summary);
    }
}

static void add_variants(struct sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++) {
        add_cell(sheet, f->name);
        add_cell(sheet, f->variants[i].name);
        add_cell(sheet, sg_role_word(f->variants[i].role));
        add_cell(sheet, sg_status_word(f->variants[i].expect));
        add_cell(sheet, f->variants[i].summary);
    }
}

static enum sg_code list_modules(const struct input *in, struct sheet *sheet, void (*add)(struct sheet *, const struct sg_listed_family *),
                                 struct sg_err *err)
{
    struct sg_module_list listing = {0};
    if (load_modules(&in->modules, &listing, err) == SG_SUCCESS)
        for (size_t i = 0; i < listing.count; i++)
            add(sheet, &listing.families[i]);
    sg_module_list_release(&listing);
    return err->code;
}

static enum sg_code list_families(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"name", "device", "cases", "variants", "dims", "summary", NULL};
    begin_sheet(sheet, header);
    return list_modules(in, sheet, add_family, err);
}

static enum sg_code list_cases(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"family", "name", "dtype", "shape", "summary", NULL};
    begin_sheet(sheet, header);
    return list_modules(in, sheet, add_cases, err);
}

static enum sg_code list_variants(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"family", "name", "role", "expect", "summary", NULL};
    begin_sheet(sheet, header);
    return list_modules(in, sheet, add_variants, err);
}

static void add_knobs(struct sheet *sheet, const struct sg_listed_family *f)
{
    for (size_t i = 0; i < f->variant_count; i++) {
        for (size_t k = 0; k < f->variants[i].knob_count; k++) {
            const struct sg_listed_knob *knob = &f->variants[i].knob[k];
            struct sg_text values = {0};
            for (size_t v = 0; v < knob->count; v++)
                sg_text_addf(&values, "%s%" PRId64, v ? " " : "", knob->value[v]);
            add_cell(sheet, f->name);
            add_cell(sheet, f->variants[i].name);
            add_cell(sheet, knob->name);
            add_cell(sheet, sg_text_string(&values));
            add_cell(sheet, knob->summary);
            sg_text_release(&values);
        }
    }
}

static enum sg_code list_knobs(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"family", "variant", "name", "values", "summary", NULL};
    begin_sheet(sheet, header);
    return list_modules(in, sheet, add_knobs, err);
}

/* The chips that differ from "*": "GB202=absent GA100=name". */
static void add_exceptions(struct sheet *sheet, const struct sg_metric *metric)
{
    struct sg_text text = {0};
    sg_text_add(&text, "");
    for (size_t i = 0; i < metric->cupti_count; i++) {
        const struct sg_chip_name *name = &metric->cupti[i];
        if (strcmp(name->chip, "*") != 0)
            sg_text_addf(&text, "%s%s=%s", text.length ? " " : "", name->chip, name->cupti ? name->cupti : "absent");
    }
    add_cell(sheet, text.data);
    sg_text_release(&text);
}

static enum sg_code list_metrics(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"name",   "unit",  "better",           "class",   "floor", "floor_ratio",
                                         "source", "cupti", "cupti_exceptions", "meaning", NULL};
    static const char *const csv_only[] = {"floor", "floor_ratio", "cupti", "cupti_exceptions", NULL};
    (void)in;
    begin_sheet(sheet, header);
    sheet->csv_only = csv_only;
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.count && err->code == SG_SUCCESS; i++) {
        const struct sg_metric *metric = &catalogue.metrics[i];
        const char *cupti = sg_metric_cupti(metric, "*");
        add_cell(sheet, metric->name);
        add_cell(sheet, metric->unit);
        add_cell(sheet, sg_better_word(metric->better));
        add_cell(sheet, sg_metric_class_word(metric->klass));
        add_number(sheet, metric->floor);
        add_number(sheet, metric->floor_ratio);
        add_cell(sheet, sg_source_word(metric->source));
        add_cell(sheet, cupti ? cupti : "");
        add_exceptions(sheet, metric);
        add_cell(sheet, metric->meaning);
    }
    sg_catalogue_release(&catalogue);
    return err->code;
}

static enum sg_code list_groups(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"name", "metrics", "title", "read", NULL};
    (void)in;
    begin_sheet(sheet, header);
    sheet->below = true;
    struct sg_catalogue catalogue = {0};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < catalogue.group_count && err->code == SG_SUCCESS; i++) {
        const struct sg_group *group = &catalogue.groups[i];
        add_cell(sheet, group->name);
        add_number(sheet, (double)group->count);
        add_cell(sheet, group->title);
        add_cell(sheet, group->read);
    }
    sg_catalogue_release(&catalogue);
    return err->code;
}

static enum sg_code add_gpu(struct sheet *sheet, const char *key, struct sg_err *err)
{
    struct sg_gpu_spec spec = {0};
    if (sg_gpu_load(key, &spec, err) == SG_SUCCESS) {
        add_cell(sheet, key);
        add_cell(sheet, spec.name);
        add_cell(sheet, spec.chip);
        add_number(sheet, spec.sm_count);
        add_number(sheet, spec.sm_clock_hz);
        add_number(sheet, spec.dram_bytes_per_s);
        add_number(sheet, spec.l2_bytes);
        add_cell(sheet, spec.source);
    }
    sg_gpu_release(&spec);
    return err->code;
}

static enum sg_code add_suite(struct sheet *sheet, const char *name, struct sg_err *err)
{
    struct sg_suite suite = {0};
    if (sg_suite_load(name, &suite, err) == SG_SUCCESS) {
        struct sg_text families = {0};
        sg_text_add(&families, "");
        for (size_t i = 0; i < suite.family_count; i++)
            sg_text_addf(&families, "%s%s", i ? " " : "", suite.families[i].name);
        add_cell(sheet, suite.name);
        add_cell(sheet, families.data);
        add_cell(sheet, sg_l2_word(suite.l2));
        if (suite.is_sequential)
            add_cell(sheet, SG_SUITE_AUTO);
        else
            add_number(sheet, suite.processes);
        add_cell(sheet, suite.title);
        sg_text_release(&families);
    }
    sg_suite_release(&suite);
    return err->code;
}

/* One row a file of a folder of the home: its name without the ending is handed to `add`. */
static enum sg_code list_folder(const char *relative, const char *ending, struct sheet *sheet,
                                enum sg_code (*add)(struct sheet *, const char *, struct sg_err *), struct sg_err *err)
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

static enum sg_code list_gpus(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"key", "name", "chip", "sm_count", "sm_clock_hz", "dram_bytes_per_s", "l2_bytes", "source", NULL};
    (void)in;
    begin_sheet(sheet, header);
    sheet->below = true;
    return list_folder("metrics/gpus", ".gpu", sheet, add_gpu, err);
}

static enum sg_code list_suites(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    static const char *const header[] = {"name", "families", "l2", "processes", "title", NULL};
    (void)in;
    begin_sheet(sheet, header);
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
    enum sg_code (*list)(const struct input *in, struct sheet *sheet, struct sg_err *err);
    size_t names, family, case_, variant;
} lists[] = {
#define X(name, names, family, case_, variant) {#name, list_##name, names, family, case_, variant},
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

static bool keeps(const struct filter *filter, char *const *cells)
{
    bool match = filter->patterns->count == 0;
    for (size_t i = filter->from; i < filter->to && !match; i++)
        match = sg_names_match(filter->patterns, cells[i]);
    return match;
}

/* Takes away the rows that were not asked for. */
static enum sg_code pick_rows(const struct input *in, struct sheet *sheet, struct sg_err *err)
{
    struct filter filters[FILTERS];
    struct sg_names kept = {0};
    filters_of(in, filters);
    for (size_t i = 0; i < FILTERS; i++)
        if (filters[i].patterns->count > 0 && filters[i].to == NOWHERE)
            return sg_fail(err, SG_BAD_USAGE, "list", "%s cannot go with %s", filters[i].option, lists[in->what].name);
    for (size_t row = 0; row < sheet->cells.count; row += sheet->columns) {
        char *const *cells = sheet->cells.items + row;
        bool wanted = true;
        for (size_t i = 0; i < FILTERS; i++)
            wanted = wanted && keeps(&filters[i], cells);
        for (size_t i = 0; i < sheet->columns && wanted; i++)
            sg_names_add(&kept, cells[i]);
    }
    if (kept.count == 0 && sheet->cells.count > 0)
        sg_fail(err, SG_BAD_USAGE, "list", "no row of %s has such names; without a pattern all are listed", lists[in->what].name);
    sg_names_release(&sheet->cells);
    sheet->cells = kept;
    return err->code;
}

static void format_csv(const struct sheet *sheet, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->columns; i++)
        sg_text_addf(out, "%s%s", i ? "," : "", sheet->header[i]);
    sg_text_add(out, "\n");
    for (size_t row = 0; row < sheet->cells.count; row += sheet->columns) {
        for (size_t i = 0; i < sheet->columns; i++) {
            sg_text_add(out, i ? "," : "");
            sg_csv_add_field(out, sheet->cells.items[row + i]);
        }
        sg_text_add(out, "\n");
    }
}

static bool is_one_of(const char *const *titles, const char *title)
{
    for (; titles && *titles; titles++)
        if (strcmp(*titles, title) == 0)
            return true;
    return false;
}

static void format_text(const struct sheet *sheet, struct sg_text *out)
{
    struct sg_text_table_column column[COLUMNS_MAX] = {0};
    struct sg_text_table grid;
    size_t below = sheet->below ? 1 : 0, shown = sheet->columns - below;
    for (size_t i = 0; i < shown; i++)
        column[i] = (struct sg_text_table_column){.title = sheet->header[i], .spare = is_one_of(sheet->csv_only, sheet->header[i])};
    sg_text_table_init(&grid, column, shown);
    for (size_t row = 0; row < sheet->cells.count; row += sheet->columns) {
        sg_text_table_row(&grid, SG_ASIDE);
        for (size_t i = 0; i < shown; i++)
            sg_text_table_cell(&grid, sheet->cells.items[row + i]);
        if (below)
            sg_text_table_below(&grid, sheet->cells.items[row + shown]);
    }
    sg_text_table_text(&grid, false, out);
    sg_text_table_release(&grid);
}

static enum sg_code list(const struct input *in, struct sg_err *err)
{
    if (in->modules.count > 0 && lists[in->what].family == NOWHERE)
        return sg_fail(err, SG_BAD_USAGE, "list", "--module adds families, cases, variants and knobs: it cannot go with %s",
                       lists[in->what].name);
    struct sheet sheet = {0};
    struct sg_text out = {0};
    if (lists[in->what].list(in, &sheet, err) == SG_SUCCESS && pick_rows(in, &sheet, err) == SG_SUCCESS) {
        (in->csv ? format_csv : format_text)(&sheet, &out);
        sg_print(&out, err);
    }
    sg_names_release(&sheet.cells);
    sg_text_release(&out);
    return err->code;
}

int sg_cmd_list(int argc, char **argv, struct sg_err *err)
{
#define X(name, names, family, case_, variant) "|" #name
    static const char *const names = &("" LISTS(X))[1];
#undef X
    static const struct sg_option options[] = {
        {.name = "format", .arg = "text|csv", SG_INTO(struct input, csv), .help = "how it is written"},
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
    struct input in = {.what = 0};
    if (sg_options_parse(&table, &in, argc, argv, err))
        list(&in, err);
    sg_names_release(&in.modules);
    sg_names_release(&in.patterns);
    sg_filters_release(&in.filters);
    return 0;
}
