#include "import/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "stats/statistics.h"
#include "stats/verdict.h"

struct sg_gathered_item {
    sg_id case_, variant, what, words; /* case_ as a run stores it */
    sg_id symbol, geometry;            /* 0 for a benchmark */
    bool each_is_a_launch;             /* its times are those of all its launches */
    bool each_is_single;               /* each time is that of one launch or call, not a mean */
    size_t alike, closer;              /* keys in `names`: without and with geometry */
    enum sg_status status;
    struct sg_time_figure figure; /* in ns; value 0: none; of the current file */
    bool is_whole;                /* SG_WHOLE_RANGE; until the end of the file, relative_sd is the
                                     variance of the total */
    bool has_times;               /* in the current file */
};

struct sg_series {
    size_t item;
    sg_id metric, unit, launch, words;
    enum sg_status status; /* if the series has no number */
    double *value;         /* owned; in base units, in file order; of the current file */
    size_t count, capacity;
    /* a percentile or share of the current file's times; n = 0: the metric is neither */
    struct sg_tail tail;
    double *file; /* owned; the median of each file that has values */
    size_t file_count, file_capacity;
};

static const char *string_of(const struct sg_gathering *g, sg_id id)
{
    return sg_intern_pool_string(g->strings, id);
}

/* Returns the number of a key and releases the key. Numbers count up from 0. */
static size_t take_number(struct sg_intern_pool **keys, struct sg_text key)
{
    const size_t number = sg_intern(keys, key.data) - 1;
    sg_text_release(&key);
    return number;
}

/* Counts one more item with that name. Returns the name's number. */
static size_t count_name(struct sg_gathering *g, struct sg_text key)
{
    const size_t number = take_number(&g->names, key), before = g->name_capacity;
    g->name_count = sg_grow(g->name_count, &g->name_capacity, number + 1, sizeof(*g->name_count));
    memset(g->name_count + before, 0, (g->name_capacity - before) * sizeof(*g->name_count));
    g->name_count[number]++;
    return number;
}

void sg_gather_gpu(struct sg_gathering *g, const char *name)
{
    if (!*name || (g->gpu_name && strcmp(g->gpu_name, name) == 0))
        return;
    const char *all = g->gpu_name ? "several" : name;
    free(g->gpu_name);
    g->gpu_name = sg_copy_string(all);
}

void sg_gather_launch(struct sg_gathering *g, const char *process, const char *number)
{
    g->launch = (sg_id)take_number(&g->strings, sg_text_of("%s/%s", process, number)) + 1;
}

/* ---- items ---- */

size_t sg_gather_item(struct sg_gathering *g, const char *case_, const char *variant,
                      const char *what)
{
    SG_SCOPED(sg_text) case_name = {0}, name = {0};
    const size_t number =
        take_number(&g->item_keys, sg_text_of("%s\n%s\n%s", case_, variant, what));
    if (number < g->item_count)
        return number;
    sg_add_imported_name(&case_name, case_, NULL);
    sg_add_imported_name(&name, variant, NULL);
    const size_t alike = count_name(g, sg_text_of("%s/%s", case_name.data, name.data));
    *SG_APPEND(g->items, g->item_count, g->item_capacity) =
        (struct sg_gathered_item){.case_ = sg_intern(&g->strings, case_name.data),
                                  .variant = sg_intern(&g->strings, variant),
                                  .what = sg_intern(&g->strings, what),
                                  .alike = alike,
                                  .closer = alike};
    return number;
}

size_t sg_gather_launched(struct sg_gathering *g, const struct sg_gathered_kernel *kernel)
{
    SG_SCOPED(sg_text) word = {0};
    sg_add_kernel_word(&word, kernel->readable);
    const size_t number = sg_gather_item(g, kernel->case_, sg_text_string(&word), kernel->what);
    struct sg_gathered_item *item = &g->items[number];
    if (item->symbol != 0)
        return number;
    item->symbol = sg_intern(&g->strings, kernel->symbol);
    item->geometry = sg_intern(&g->strings, kernel->geometry);
    const char *case_ = string_of(g, item->case_);
    item->alike = count_name(g, sg_text_of("%s/ %s", case_, kernel->symbol));
    item->closer = count_name(g, sg_text_of("%s/ %s\n%s", case_, kernel->symbol, kernel->geometry));
    sg_gather_single(g, number);
    return number;
}

static void gather_size(struct sg_gathering *g, size_t item, const char *metric, const char *unit,
                        const char *sizes)
{
    double size = *sizes ? 1 : 0;
    for (const char *at = sizes + strcspn(sizes, "0123456789"); *at;
         at += strcspn(at, "0123456789"))
        size *= strtod(at, (char **)&at);
    if (size > 0)
        sg_gather(g, item, metric, unit, size, SG_IGNORED);
}

size_t sg_gather_kernel(struct sg_gathering *g, const char *case_, const char *kernel,
                        const char *grid, const char *block)
{
    SG_FORMATTED(what, "%s%s%s%s%s", kernel, *grid ? ", grid " : "", grid, *block ? ", block " : "",
                 block);
    const size_t item =
        sg_gather_launched(g, &(struct sg_gathered_kernel){.case_ = case_,
                                                           .readable = kernel,
                                                           .symbol = kernel,
                                                           .geometry = what.data + strlen(kernel),
                                                           .what = what.data});
    g->items[item].each_is_a_launch = true;
    gather_size(g, item, "kernels", "", "1");
    gather_size(g, item, "grid", "block", grid);
    gather_size(g, item, "block", "thread", block);
    return item;
}

void sg_gather_single(struct sg_gathering *g, size_t item)
{
    g->items[item].each_is_single = true;
}

void sg_gather_status(struct sg_gathering *g, size_t item, enum sg_status status, const char *words)
{
    if (sg_verdict_of_status(SG_OK, g->items[item].status) == SG_BROKEN)
        return;
    g->items[item].status = status;
    g->items[item].words = sg_intern(&g->strings, words);
}

/* ---- values ---- */

static struct sg_series *series_of(struct sg_gathering *g, size_t item, const char *metric)
{
    const size_t number = take_number(&g->series_keys, sg_text_of("%zu %s", item, metric));
    if (number == g->series_count)
        *SG_APPEND(g->series, g->series_count, g->series_capacity) =
            (struct sg_series){.item = item, .metric = sg_intern(&g->strings, metric)};
    return &g->series[number];
}

static enum sg_code check_time(const char *unit, double value, struct sg_err *err)
{
    const struct sg_scaled scaled = sg_unit_of_tool(unit);
    const double ns = value * scaled.scale;
    if (strcmp(scaled.unit, "ns") != 0)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "unit of a time: expected ns, us, ms or s, found '%s'",
                       sg_show_string(unit).text);
    if (ns >= 1e-100 && ns <= SG_NS_MAX) /* no row can hold less (results/table.h) */
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, NULL,
                   "expected a time above 0 and up to %g ns, found %.9g ns", SG_NS_MAX, ns);
}

enum sg_code sg_gather(struct sg_gathering *g, size_t item, const char *metric, const char *unit,
                       double value, struct sg_err *err)
{
    const struct sg_metric *known = sg_catalogue_find(g->catalogue, metric);
    const struct sg_scaled scaled = sg_unit_of_tool(unit);
    struct sg_series *series = series_of(g, item, metric);
    const sg_id word = sg_intern(&g->strings, known ? known->unit : scaled.unit);
    const double base = value * scaled.scale;
    const bool is_time = strcmp(metric, SG_TIME_METRIC) == 0,
               is_again = g->launch != 0 && g->launch == series->launch;
    if (series->unit != 0 && series->unit != word)
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected the unit %s as before, found '%s'",
                       metric, string_of(g, series->unit), sg_show_string(scaled.unit).text);
    if ((is_time && check_time(unit, value, err) != SG_SUCCESS) || is_again)
        return err->code;
    series->unit = word;
    series->launch = g->launch;
    if (base == 0 || (base >= 1e-100 && base <= 1e100))
        *SG_APPEND(series->value, series->count, series->capacity) = base;
    else /* results/table.h: no row can store it */
        sg_gather_words(g, item, metric, SG_UNAVAILABLE, "a number below 0 or out of range");
    g->items[item].has_times |= is_time;
    return SG_SUCCESS;
}

void sg_gather_words(struct sg_gathering *g, size_t item, const char *metric, enum sg_status status,
                     const char *words)
{
    struct sg_series *series = series_of(g, item, metric);
    series->status = status;
    series->words = sg_intern(&g->strings, words);
}

enum sg_code sg_gather_time(struct sg_gathering *g, size_t item,
                            const struct sg_time_figure *figure, struct sg_err *err)
{
    if (check_time(figure->unit, figure->value, err) != SG_SUCCESS)
        return err->code;
    if (g->items[item].figure.value > 0)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected one time of %s, found a second one: import each from another file",
                       string_of(g, g->items[item].what));
    sg_gather_words(g, item, SG_TIME_OF_METRIC, SG_OK,
                    g->items[item].has_times ? "median" : figure->how);
    g->items[item].figure = *figure;
    g->items[item].figure.value *= sg_unit_of_tool(figure->unit).scale;
    return SG_SUCCESS;
}

/* ---- files ---- */

void sg_gathering_release(struct sg_gathering *g)
{
    for (size_t i = 0; i < g->series_count; i++) {
        free(g->series[i].value);
        free(g->series[i].file);
    }
    free(g->series);
    free(g->items);
    free(g->range);
    free(g->name_count);
    free(g->gpu_name);
    free(g->unfit);
    sg_intern_pool_free(g->strings);
    sg_intern_pool_free(g->item_keys);
    sg_intern_pool_free(g->series_keys);
    sg_intern_pool_free(g->names);
    *g = (struct sg_gathering){.path = NULL};
}

void sg_gather_begin_file(struct sg_gathering *g, const char *path)
{
    g->path = path;
    g->launch = 0;
    for (size_t i = 0; i < g->series_count; i++)
        g->series[i].count = g->series[i].launch = 0;
    for (size_t i = 0; i < g->item_count; i++) {
        g->items[i].figure = (struct sg_time_figure){.value = 0};
        g->items[i].has_times = false;
    }
}

/* The clocks of all kernels of a case are those of their sum. */
static void join_clocks(struct sg_gathering *g, size_t item, size_t whole, struct sg_err *err)
{
    SG_FORMATTED(key, "%zu sm_clock", item);
    const size_t clocks = (size_t)sg_intern_pool_find(g->series_keys, key.data) - 1;
    for (size_t i = 0; clocks < g->series_count && i < g->series[clocks].count; i++)
        sg_gather(g, whole, "sm_clock", "hz", g->series[clocks].value[i], err);
}

enum sg_code sg_gather_launches(struct sg_gathering *g, size_t item,
                                const struct sg_launches *launches, struct sg_err *err)
{
    const size_t number = sg_gather_item(g, string_of(g, g->items[item].case_), SG_WHOLE_RANGE,
                                         "all kernels of the case");
    struct sg_gathered_item *whole = &g->items[number];
    const struct sg_time_figure sum = whole->figure;
    whole->is_whole = true;
    whole->figure = (struct sg_time_figure){.value = sum.value + launches->total_ns,
                                            .unit = "ns",
                                            .relative_sd = sum.relative_sd + launches->variance,
                                            .n = sum.n + launches->count,
                                            .how = "sum"};
    join_clocks(g, item, number, err);
    if (check_time("ns", whole->figure.value, err) == SG_SUCCESS &&
        sg_gather(g, item, SG_LAUNCHES_METRIC, "", launches->count, err) == SG_SUCCESS)
        sg_gather(g, item, SG_TOTAL_METRIC, "ns", launches->total_ns, err);
    return err->code;
}

static bool is_of_time(const struct sg_gathering *g, const struct sg_series *series)
{
    return strcmp(string_of(g, series->metric), SG_TIME_METRIC) == 0;
}

static enum sg_code add_up_launches(struct sg_gathering *g, const struct sg_series *series,
                                    struct sg_err *err)
{
    struct sg_launches all = {.count = (double)series->count, .variance = NAN};
    const double sd = series->count > 1 ? sg_sd(series->value, series->count) : NAN;
    all.variance = all.count * sd * sd;
    for (size_t i = 0; i < series->count; i++)
        all.total_ns += series->value[i];
    return sg_gather_launches(g, series->item, &all, err);
}

enum sg_code sg_gather_tail(struct sg_gathering *g, size_t item, const char *metric,
                            const char *unit, const struct sg_tail *tail, struct sg_err *err)
{
    series_of(g, item, metric)->tail = *tail;
    return sg_gather(g, item, metric, unit, tail->value, err);
}

/* Sorts single times; adds their percentiles and the share of spikes. */
static enum sg_code add_tails(struct sg_gathering *g, const struct sg_series *times,
                              struct sg_err *err)
{
    static const struct {
        const char *metric, *unit;
        unsigned percent; /* 0: spikes */
    } tails[] = {{SG_P90_METRIC, "ns", 90}, {SG_P99_METRIC, "ns", 99}, {SG_SPIKES_METRIC, "%", 0}};
    const size_t item = times->item, count = times->count;
    const double *sorted = times->value;
    sg_sort(times->value, count);
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]) && err->code == SG_SUCCESS; i++) {
        struct sg_tail tail;
        if (!(tails[i].percent ? sg_percentile(sorted, count, tails[i].percent, &tail)
                               : sg_spikes(sorted, count, &tail)))
            continue;
        sg_gather_tail(g, item, tails[i].metric, tails[i].unit, &tail, err);
    }
    return err->code;
}

static void keep_file(struct sg_gathering *g, size_t item)
{
    struct sg_series *time = series_of(g, item, SG_TIME_METRIC);
    time->unit = sg_intern(&g->strings, "ns");
    *SG_APPEND(time->file, time->file_count, time->file_capacity) = g->items[item].figure.value;
}

enum sg_code sg_gather_end_file(struct sg_gathering *g, bool is_one_of_several, struct sg_err *err)
{
    const size_t count = g->series_count;
    g->launch = 0;
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++) {
        const struct sg_series series = g->series[i];
        const struct sg_gathered_item item = g->items[series.item];
        if (series.count == 0 || !is_of_time(g, &series))
            continue;
        if (item.each_is_a_launch)
            add_up_launches(g, &series, err);
        if (item.each_is_single && err->code == SG_SUCCESS)
            add_tails(g, &series, err);
    }
    for (size_t i = 0; i < g->item_count; i++) {
        struct sg_time_figure *figure = &g->items[i].figure;
        if (g->items[i].is_whole && figure->value > 0)
            figure->relative_sd = sqrt(figure->relative_sd * figure->n) / figure->value;
        if (is_one_of_several && !g->items[i].has_times && figure->value > 0)
            keep_file(g, i);
    }
    for (size_t i = 0; i < g->series_count && is_one_of_several; i++) {
        struct sg_series *series = &g->series[i];
        if (series->count > 0)
            *SG_APPEND(series->file, series->file_count, series->file_capacity) =
                sg_median(series->value, series->count);
    }
    return err->code;
}

/* ---- rows ---- */

#define NORMAL_95 1.959964 /* standard errors of a two-sided 95 % interval */

static void set_range(struct sg_value *value, double low, double high)
{
    value->low = low;
    value->high = high;
    value->has |= SG_HAS_LOW | SG_HAS_HIGH;
}

static void set_number(struct sg_value *value, double number, double count)
{
    value->value = number;
    value->n = (uint32_t)fmin(count, SG_REPLICATES_MAX);
    value->has |= SG_HAS_VALUE | (count > 0 ? SG_HAS_N : 0);
}

/* The interval of a median by order statistics: its bounds are 0.98 * sqrt(count) ranks away from
 * the middle. Fewer than six values have no interval. */
static void set_interval(struct sg_value *value, const double *sorted, size_t count)
{
    const double rank = (double)count / 2 - NORMAL_95 / 2 * sqrt((double)count);
    const size_t from = rank > 1 ? (size_t)rank - 1 : 0;
    if (count < 6)
        return;
    set_range(value, sorted[from], sorted[count - 1 - from]);
    value->se = log(value->high / value->low) / (2 * NORMAL_95);
    value->has |= SG_HAS_SE;
}

/* The interval of a mean of files, by the spread between them. */
static double half_of(double sd, size_t count)
{
    return sg_t_quantile(0.975, (double)count - 1) * sd / sqrt((double)count);
}

/* The mean of the logarithms, with the interval that the spread between files gives. */
static void set_mean_of_files(struct sg_value *value, const double *ln, size_t count)
{
    const double mean = sg_mean(ln, count);
    set_number(value, exp(mean), (double)count);
    if (count < 2)
        return;
    value->sd = sg_sd(ln, count);
    value->se = value->sd / sqrt((double)count);
    value->has |= SG_HAS_SE | SG_HAS_SD;
    const double half = half_of(value->sd, count);
    set_range(value, exp(mean - half), exp(mean + half));
}

#define SLOWEST_FAR 5.0 /* standard deviations of the others above the next */

/* Adds the time of several files. If the slowest file is far from the others, as after a drop of
 * the clock, adds the time without that file, too. */
static void add_time_of_files(const struct sg_series *series, struct sg_value value,
                              struct sg_table *run)
{
    const size_t count = series->file_count;
    SG_FREED double *ln = sg_alloc(count, sizeof(*ln));
    for (size_t i = 0; i < count; i++)
        ln[i] = log(series->file[i]);
    sg_sort(ln, count);
    SG_FORMATTED(words, "mean of %zu start%s", count, SG_PLURAL(count));
    value.message = words.data;
    set_mean_of_files(&value, ln, count);
    sg_table_add(run, &value);
    if (count < 5 || !(ln[count - 1] - ln[count - 2] > SLOWEST_FAR * sg_sd(ln, count - 1)))
        return;
    value.metric = SG_STEADY_METRIC;
    set_mean_of_files(&value, ln, count - 1);
    sg_table_add(run, &value);
}

/* A percentile or a share of spikes: of one file with its own interval, of several their mean. */
static void set_tail(struct sg_value *value, const struct sg_series *series, struct sg_text *words)
{
    const size_t count = series->file_count;
    const double mean = count > 0 ? sg_mean(series->file, count) : series->tail.value,
                 half = count > 1 ? half_of(sg_sd(series->file, count), count) : NAN,
                 low = count > 0 ? fmax(0, mean - half) : series->tail.low,
                 high = count > 0 ? mean + half : series->tail.high;
    set_number(value, mean, (double)(count > 0 ? count : series->tail.n));
    if (count > 1 || (count == 0 && !isnan(low)))
        set_range(value, low, high);
    if (count > 0)
        sg_text_addf(words, "mean of %zu start%s", count, SG_PLURAL(count));
    else
        sg_text_addf(words, "of %zu", series->tail.n);
}

static void add_series(const struct sg_gathering *g, const struct sg_series *series,
                       struct sg_value value, struct sg_table *run)
{
    const bool is_time = is_of_time(g, series), has_files = series->file_count > 0;
    const size_t count = has_files ? series->file_count : series->count;
    double *values = has_files ? series->file : series->value;
    SG_SCOPED(sg_text) words = {0};
    value.metric = string_of(g, series->metric);
    value.status = count > 0 ? SG_OK : series->status;
    value.message = count > 0 ? NULL : string_of(g, series->words);
    value.unit = count > 0 ? string_of(g, series->unit) : NULL;
    if (count > 0 && series->tail.n > 0) {
        set_tail(&value, series, &words);
        value.message = words.data;
    } else if (is_time && has_files) {
        add_time_of_files(series, value, run);
        return;
    } else if (count > 0) {
        set_number(&value, sg_median(values, count), (double)count);
        if (is_time)
            set_interval(&value, values, count);
        else if (count > 1)
            set_range(&value, values[0], values[count - 1]);
        if (is_time && count > 1)
            sg_text_addf(&words, "median of %zu", count);
        value.message = words.data;
    }
    sg_table_add(run, &value);
}

static void add_figure(const struct sg_time_figure *figure, struct sg_value value,
                       struct sg_table *run)
{
    value.metric = SG_TIME_METRIC;
    value.unit = "ns";
    set_number(&value, figure->value, figure->n);
    SG_FORMATTED(words, "%s", figure->how);
    if (figure->n > 0)
        sg_text_addf(&words, " of %.0f", figure->n);
    if (figure->n > 1 && figure->relative_sd >= 0 && figure->relative_sd < 100) {
        value.se = figure->relative_sd / sqrt(figure->n);
        value.has |= SG_HAS_SE;
        set_range(&value, figure->value * exp(-NORMAL_95 * value.se),
                  figure->value * exp(NORMAL_95 * value.se));
    }
    value.message = words.data;
    sg_table_add(run, &value);
}

const char *sg_gathered_case(const struct sg_gathering *g, size_t item)
{
    return string_of(g, g->items[item].case_);
}

const char *sg_gathered_word(const struct sg_gathering *g, size_t item)
{
    return string_of(g, g->items[item].variant);
}

/* If symbol and geometry are equal, the digits come from the whole key. */
void sg_gathered_variant(const struct sg_gathering *g, size_t item, struct sg_text *name)
{
    const struct sg_gathered_item *of = &g->items[item];
    const char *word = sg_gathered_word(g, item), *apart = NULL;
    if (g->name_count[of->alike] > 1)
        apart = of->closer != of->alike && g->name_count[of->closer] == 1
                    ? string_of(g, of->geometry)
                    : sg_intern_pool_string(g->item_keys, (sg_id)item + 1);
    if (of->symbol != 0)
        sg_add_kernel_name(name, word, string_of(g, of->symbol), apart);
    else
        sg_add_imported_name(name, word, apart);
}

/* Adds the item's note and figure. Returns a value with the item's names, interned in the table. */
static struct sg_value add_item(const struct sg_gathering *g, size_t number, bool has_files,
                                struct sg_table *run)
{
    const struct sg_gathered_item *item = &g->items[number];
    SG_SCOPED(sg_text) name = {0};
    sg_gathered_variant(g, number, &name);
    const struct sg_value names = {.family = g->family,
                                   .case_ = string_of(g, item->case_),
                                   .variant = sg_table_string(run, sg_table_intern(run, name.data)),
                                   .status = SG_OK};
    sg_table_add_words(run, names, "status", item->status, string_of(g, item->words));
    sg_table_add_words(run, names, "role", SG_OK, sg_role_word(SG_BASELINE));
    sg_table_add_words(run, names, "note", SG_OK, string_of(g, item->what));
    if (!has_files && !item->has_times && item->figure.value > 0 && item->status == SG_OK)
        add_figure(&item->figure, names, run);
    return names;
}

enum sg_code sg_gather_rows(const struct sg_gathering *g, struct sg_table *run, struct sg_err *err)
{
    if (g->item_count == 0)
        return sg_fail(
            err, SG_BAD_INPUT, NULL,
            "expected a kernel or a benchmark, found the end of the file before the first one");
    if (g->thousands > 0 && g->fractions == 0)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected numbers with a point before their fraction, found three digits "
                       "after each point, as for thousands: run "
                       "the tool with LC_ALL=C");
    bool has_files = false;
    for (size_t i = 0; i < g->series_count; i++)
        has_files |= g->series[i].file_count > 0;
    SG_FREED struct sg_value *names = sg_alloc(g->item_count, sizeof(*names));
    for (size_t i = 0; i < g->item_count; i++)
        names[i] = add_item(g, i, has_files, run);
    for (size_t i = 0; i < g->series_count; i++)
        add_series(g, &g->series[i], names[g->series[i].item], run);
    return SG_SUCCESS;
}
