#include "cli/command.h"

#include <math.h>
#include <string.h>

#include "baseline/load.h"
#include "cli/explain_where.h"
#include "cli/where_collect.h"
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "exec/readable_name.h"
#include "import/gather.h"
#include "plan/knobs.h"
#include "reports/report.h"
#include "reports/tables/ranking.h"
#include "results/item_filter.h"
#include "results/run_reader.h"
#include "results/terms.h"
#include "util/options.h"

#define SG_LIMIT_SHOWN 1.0 /* % */
#define SG_MOVED_MAX   256 /* most counters shown; metrics.ini has fewer */

struct explain_options {
    const char *run, *of;             /* FAMILY/CASE, or FAMILY/CASE/VARIANT without a candidate */
    const char *baseline, *candidate; /* NULL: `of` names the variant */
    const char *against; /* run to compare the variant with; NULL: the accepted numbers */
    bool limits, ncu, where;
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
    SG_SCOPED(sg_filters) filters = {0};
    struct sg_err why = {0}; /* names an option in `where`, so it is rewritten */
    sg_names_add(&filters.families, family);
    sg_names_add(&filters.cases, case_);
    sg_names_add(&filters.variants, variant);
    if (sg_filters_check_table(&filters, &run->table, run->folder, &why) != SG_SUCCESS)
        sg_fail(err, why.code, run->folder, "%s", why.message);
    else if (!sg_table_find(&run->table, family, case_, variant, "status"))
        sg_fail(err, SG_BAD_USAGE, run->folder, "no %s/%s/%s in this run", family, case_, variant);
    return err->code;
}

/* ---- the first line ---- */

/* `side`: SG_WAS or SG_IS. */
static const struct sg_table *table_of(const struct sg_diagnosed *what, int side)
{
    return side == SG_WAS ? what->then : what->now;
}

static const char *variant_of(const struct sg_diagnosed *what, int side)
{
    return side == SG_WAS ? what->other : what->variant;
}

static const struct sg_row *row_of(const struct sg_diagnosed *what, int side, const char *metric)
{
    return sg_table_find(table_of(what, side), what->family, what->case_, variant_of(what, side),
                         metric);
}

/* Are both sides the same variant of the same run? */
static bool is_one(const struct sg_diagnosed *what)
{
    return what->then == what->now && strcmp(what->other, what->variant) == 0;
}

static double value_of(const struct sg_row *row)
{
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

/* Ratios are relative to the family's baseline variant; two other variants are compared through
 * their ratios. */
static void add_headline(struct sg_document *document, const struct sg_diagnosed *what,
                         const char *against)
{
    struct sg_text line = {0};
    const char *partner = sg_shared_partner(what);
    sg_text_addf(&line, "%s/%s: %s against %s", what->family, what->case_, what->variant, against);
    if (!isnan(what->added) && (partner || what->then != what->now)) {
        sg_text_add(&line, ", time ");
        sg_add_change(&line, what->added);
        if (partner && strcmp(partner, what->other) != 0)
            sg_text_addf(&line, ", by what each is to %s", partner);
    }
    sg_document_take_note(document, SG_FOR_ALL, &line);
}

/* Adds a line that says why a side failed. Returns false if the side is ok. */
static bool add_failure(struct sg_document *document, const struct sg_diagnosed *what, int side)
{
    const struct sg_row *row = row_of(what, side, "status");
    if (!row || row->status == SG_OK)
        return false;
    const char *why = sg_table_string(table_of(what, side), row->message);
    sg_document_notef(document, SG_FOR_ALL, "%s/%s/%s: %s%s%s", what->family, what->case_,
                      variant_of(what, side), sg_status_word((enum sg_status)row->status),
                      *why ? ": " : "", why);
    return true;
}

/* ---- both sides: counters and facts ---- */

static const struct sg_column cause_columns[] = {
    {.title = "cause"},
    {.title = "points",
     .number = true,
     .meaning = "of the time of the baseline; empty: the time is not split"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
    {.title = "evidence", .programs = true, .meaning = "what there is more of"},
    {.title = "how", .programs = true, .meaning = "it takes time"},
    {.title = "try", .programs = true},
};
static const struct sg_column place_columns[] = {
    {.title = "place", .meaning = "where the added time is"},
    {.title = "points",
     .number = true,
     .meaning = "of the time of the baseline; they add up to what is added"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
};
static const struct sg_column limit_columns[] = {
    {.title = "place"},
    {.title = "kind", .meaning = "of the time, which adds up to 100 %; or how busy a unit is"},
    {.title = "share", .number = true, .unit = "%", .meaning = "of the cycles"},
};
static const struct sg_column counter_columns[] = {
    {.title = "counter"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "difference", .right = true, .meaning = "turn by turn, where both were counted so"},
    {.title = "meaning", .programs = true, .meaning = "of the counter"},
};
static const struct sg_column fact_columns[] = {
    {.title = "before it runs", .name = "fact"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "what it is", .name = "meaning"},
};

static void add_sides(struct sg_sheet *sheet, const char *name, const char *unit, double was,
                      double is)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, name, unit);
    sg_sheet_value(sheet, was, unit);
    sg_sheet_value(sheet, is, unit);
}

static void add_points(struct sg_sheet *sheet, double points, double error)
{
    sg_add_points(sg_sheet_open(sheet), points, true);
    sg_add_points(sg_sheet_open(sheet), error, false);
}

static void add_cause(struct sg_sheet *sheet, const struct sg_causes *causes,
                      const struct sg_cause *cause)
{
    SG_SCOPED(sg_text) evidence = {0};
    sg_sheet_row(sheet, SG_ASIDE);
    sg_add_cause_name(sg_sheet_open(sheet), causes, cause);
    add_points(sheet, cause->points, cause->error);
    sg_add_evidence(&evidence, causes, cause);
    sg_sheet_cells(sheet, evidence.data, cause->mechanism ? cause->mechanism->says : NULL,
                   cause->mechanism ? cause->mechanism->try_ : NULL);
    if (cause->mechanism)
        sg_sheet_below(sheet, cause->mechanism->says);
    if (cause->mechanism && strlen(sg_text_string(&evidence)) > 0)
        sg_sheet_take_below(sheet, &evidence);
    if (cause->mechanism) {
        struct sg_text words = {0};
        sg_text_addf(&words, "try: %s", cause->mechanism->try_);
        sg_sheet_take_below(sheet, &words);
    }
}

/* Largest first; differences below 1 % of the added time are left out. */
static void add_places(struct sg_document *document, const struct sg_found *found)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "places", SG_COLUMNS(place_columns), SG_FOR_ALL);
    bool shown[SG_PLACE_COUNT] = {false};
    for (int at = 0; at >= 0;) {
        at = -1;
        for (int i = 0; i < SG_PLACE_COUNT; i++)
            if (!shown[i] && fabs(found->split.points[i]) >= 0.01 * fabs(found->split.added) &&
                (at < 0 || fabs(found->split.points[i]) > fabs(found->split.points[at])))
                at = i;
        if (at < 0 || found->split.why_not)
            return;
        shown[at] = true;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, sg_places[at].name);
        add_points(sheet, found->split.points[at], found->error[at]);
    }
}

static void add_causes(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "causes", SG_COLUMNS(cause_columns), SG_FOR_ALL);
    struct sg_text words = {0};
    struct sg_causes causes = {.against = ""};
    sg_find_causes_of(what, &causes);
    for (size_t i = 0; i < causes.found.count; i++)
        add_cause(sheet, &causes, &causes.found.cause[i]);
    if (causes.found.count == 0)
        sg_add_no_cause(&words, &causes);
    else if (causes.found.split.why_not)
        sg_text_addf(&words,
                     "The time is not split by places, because %s: each of these may be all of it.",
                     causes.found.split.why_not);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    add_places(document, &causes.found);
}

static void add_counters(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "counters", SG_COLUMNS(counter_columns), SG_FOR_ALL);
    SG_FREED struct sg_moved *moved = sg_alloc(SG_MOVED_MAX, sizeof(*moved));
    const size_t count = sg_diagnose(what, moved, SG_MOVED_MAX);
    struct sg_text words = {0};
    for (size_t i = 0; i < count; i++) {
        add_sides(sheet, moved[i].metric->name, moved[i].metric->unit, moved[i].was, moved[i].is);
        sg_add_difference(sg_sheet_open(sheet), &moved[i]);
        sg_sheet_cell(sheet, moved[i].metric->meaning);
        sg_sheet_below(sheet, moved[i].metric->meaning);
    }
    if (sg_diagnose_all(what, moved) == 0)
        sg_text_add(
            &words,
            "no counter moved: both sides have none in common (solgate run --metrics=default)");
    sg_document_take_note(document, SG_FOR_ALL, &words);
    sg_add_non_repeatable(&words, what);
    sg_document_take_note(document, SG_FOR_ALL, &words);
}

static void add_fact(struct sg_sheet *sheet, const struct sg_diagnosed *what, const char *name,
                     const char *unit, const char *meaning)
{
    add_sides(sheet, name, unit, value_of(row_of(what, SG_WAS, name)),
              value_of(row_of(what, SG_IS, name)));
    sg_sheet_cell(sheet, meaning);
}

/* Is the row a knob, or a fact that only the family defines? */
static bool is_own(const struct sg_diagnosed *what, int side, const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(table_of(what, side), row);
    return (row->has & SG_HAS_VALUE) && sg_is_reported(row) && !sg_is_term(value.metric) &&
           !sg_catalogue_find(what->catalogue, value.metric);
}

/* For SG_WAS, adds only facts that SG_IS lacks. */
static void add_own_facts(struct sg_sheet *sheet, const struct sg_diagnosed *what, int side)
{
    const struct sg_table *table = table_of(what, side);
    const struct sg_row_range span =
        sg_table_variant(table, what->family, what->case_, variant_of(what, side));
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        const bool is_knob = strncmp(value.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) == 0;
        if (is_own(what, side, &table->rows[i]) &&
            !(side == SG_WAS && row_of(what, SG_IS, value.metric)))
            add_fact(sheet, what, value.metric, value.unit,
                     is_knob ? "how it is set; 0: the variant's default" : value.message);
    }
}

/* Adds all facts that the variants report, changed or not, because readers look for them next. */
static void add_facts(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "facts", SG_COLUMNS(fact_columns), SG_FOR_ALL);
    for (size_t i = 0; i < what->catalogue->count; i++) {
        const struct sg_metric *metric = &what->catalogue->metrics[i];
        if (metric->source->of_code &&
            (row_of(what, SG_WAS, metric->name) || row_of(what, SG_IS, metric->name)))
            add_fact(sheet, what, metric->name, metric->unit, metric->meaning);
    }
    add_own_facts(sheet, what, SG_WAS);
    add_own_facts(sheet, what, SG_IS);
}

/* Adds the messages of a row, if there are any. */
static void add_messages(struct sg_document *document, const struct sg_diagnosed *what, int side)
{
    static const char *const said[][2] = {{"note", ":"}, {"kernels", " launches"}};
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        const struct sg_row *row = row_of(what, side, said[i][0]);
        const char *message = row ? sg_table_string(table_of(what, side), row->message) : "";
        if (row && row->status == SG_OK && *message)
            sg_document_notef(document, SG_FOR_ALL, "%s%s %s", variant_of(what, side), said[i][1],
                              message);
    }
}

/* Adds where one variant spends its cycles, and how busy its units are. */
static void add_limits(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "limits", SG_COLUMNS(limit_columns), SG_FOR_ALL);
    struct sg_versus sides;
    double percent[SG_PLACE_COUNT];
    sg_diagnose_sides(what, &sides);
    sg_place_shares(&sides, SG_IS, percent);
    for (int i = 0; i < SG_PLACE_COUNT; i++) {
        if (!(percent[i] >= SG_LIMIT_SHOWN))
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cells(sheet, sg_places[i].name,
                       i >= SG_AT_TENSOR && i <= SG_AT_L1 ? "busy" : "of the time");
        sg_sheet_value(sheet, percent[i], "%");
    }
    sg_document_note(document, SG_FOR_ALL,
                     sheet->row_count > 0
                         ? "What is of the time adds up to 100 %, without places of under 1 %; "
                           "units are busy at once."
                         : "no cycles were counted of it (solgate run --metrics=default)");
}

static void describe(struct sg_document *document, const struct sg_diagnosed *what, bool limits)
{
    bool failed = add_failure(document, what, SG_WAS);
    if (!is_one(what))
        failed |= add_failure(document, what, SG_IS);
    if (failed) {
        sg_document_note(document, SG_FOR_ALL,
                         "Counters of a variant that is not right explain nothing. What a status "
                         "means and where to look: docs/guide.md, "
                         "\"Statuses\".");
    } else if (limits) {
        add_limits(document, what);
    } else {
        add_causes(document, what);
        add_counters(document, what);
    }
    if (!limits)
        add_facts(document, what);
    add_messages(document, what, SG_WAS);
    if (!is_one(what))
        add_messages(document, what, SG_IS);
}

/* ---- the command ---- */

/* Options that look at one side only, for which the run is enough. */
static bool is_alone(const struct explain_options *options)
{
    return options->limits || options->ncu || options->where;
}

/* `ncu -k` takes a kernel name without arguments, which is in the row `note`. */
static enum sg_code refuse_imported(const struct sg_run *run, const struct item *item,
                                    struct sg_err *err)
{
    const struct sg_row *note =
        sg_table_find(&run->table, item->family, item->case_, item->variant, "note");
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

/* Prints the command lines that launch the item under ncu and under compute-sanitizer. The worker's
 * messages on descriptor 3 are not needed. */
static enum sg_code print_launches(const struct sg_run *run, const struct item *item,
                                   struct sg_err *err)
{
    SG_SCOPED(sg_text) lines = {0}, launch = {0};
    SG_SCOPED(sg_names) words = {0};
    if (sg_worker_words(run, item->family, "launch", &words, err) == SG_SUCCESS) {
        sg_names_addf(&words, "--item=%s/%s/%s", item->family, item->case_, item->variant);
        for (size_t i = 0; i < words.count; i++) {
            sg_text_add(&launch, " ");
            sg_text_add_word(&launch, words.items[i]);
        }
        sg_text_addf(&lines, "ncu --set full --import-source yes -o %s.%s.%s%s 3>/dev/null\n",
                     item->family, item->case_, item->variant, launch.data);
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
    if (sg_against_load(options->run, options->against, catalogue, loaded, err) != SG_SUCCESS ||
        sg_check_comparable(&loaded->run.env, &loaded->baseline.env, loaded->baseline.path, err) !=
            SG_SUCCESS)
        return err->code;
    if (!sg_table_find(&loaded->baseline.table, item->family, item->case_, item->variant, "status"))
        sg_fail(err, SG_BAD_USAGE, loaded->baseline.path, "no %s/%s/%s in it", item->family,
                item->case_, item->variant);
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

static enum sg_code explain(const struct explain_options *options, struct sg_err *err)
{
    SG_SCOPED(sg_against) loaded = {0};
    SG_SCOPED(sg_catalogue) catalogue = {0};
    SG_SCOPED(sg_document) document = {.name = "explain"};
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
        sg_document_notef(&document, SG_FOR_ALL, "%s/%s/%s", item.family, item.case_, item.variant);
    else
        add_headline(&document, &what, is_accepted ? loaded.baseline.path : what.other);
    if ((options->ncu || options->where) && sg_env_is_imported(&loaded.run.env))
        return refuse_imported(&loaded.run, &item, err);
    if (options->ncu) {
        print_launches(&loaded.run, &item, err);
        return err->code;
    }
    if (!options->where) {
        describe(&document, &what, options->limits);
    } else if (sg_add_where(&document, &loaded.run, &what, err) != SG_SUCCESS) {
        return err->code;
    }
    return sg_print_document(&document, options->format, err);
}

static enum sg_code check(const struct explain_options *given, struct sg_err *err)
{
    if (given->baseline && !given->candidate)
        return sg_fail(err, SG_BAD_USAGE, "explain",
                       "expected a CANDIDATE behind BASELINE %s, found none", given->baseline);
    if (given->baseline && (given->against || given->limits || given->ncu))
        return sg_fail(
            err, SG_BAD_USAGE, "explain",
            "--against, --limits and --ncu are of FAMILY/CASE/VARIANT, found two variants");
    return SG_SUCCESS;
}

int sg_cmd_explain(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("against", "BASELINE", struct explain_options, against,
                 .help = "a baseline file or another run, in place of the accepted numbers",
                 .without = "limits"),
        SG_FLAG("limits", struct explain_options, limits,
                .help = "of one variant: where its cycles are, and how busy its units"),
        SG_FLAG("ncu", struct explain_options, ncu,
                .help = "of one variant: the commands that launch it under ncu, and under "
                        "compute-sanitizer",
                .without = "against"),
        SG_FLAG("where", struct explain_options, where,
                .help = "at which instructions the time goes, by samples of where warps wait; "
                        "those that the run lacks are taken on its GPU",
                .without = "against"),
        SG_FORMAT_OPTION(struct explain_options),
        {0}};
    static const struct sg_option arguments[] = {
        SG_ARGUMENT("RUN", struct explain_options, run, .help = SG_RUN_HELP),
        SG_ARGUMENT("FAMILY/CASE", struct explain_options, of,
                    .help = "such as matvec/r4096_c4096_f32"),
        SG_ARGUMENT("BASELINE", struct explain_options, baseline, .help = "a variant of the case",
                    .optional = true),
        SG_ARGUMENT("CANDIDATE", struct explain_options, candidate,
                    .help = "another variant of the case", .optional = true),
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .usage = "RUN FAMILY/CASE BASELINE CANDIDATE\nRUN FAMILY/CASE/VARIANT "
                 "[--against=BASELINE|--limits|--ncu]\nRUN FAMILY/CASE "
                 "BASELINE CANDIDATE --where",
        .summary = "Why one variant of a case is slower than another, or than what was accepted of "
                   "it: causes with their points of the added "
                   "time, and the places where it is; which counters moved, exact ones by their "
                   "ratio before noisy ones; then what is known of "
                   "both before they run.",
        .notes = "A variant that failed has no counters that explain anything: its status is shown "
                 "instead.\n\n"
                 "Examples: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads\n"
                 "solgate explain night/ matvec/r4096_c4096_f32/scalar_loads --against=yesterday/",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct explain_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err) && check(&given, err) == SG_SUCCESS)
        explain(&given, err);
    return 0;
}
