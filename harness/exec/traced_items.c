#include "exec/traced_items.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "exec/readable_name.h"
#include "stats/statistics.h"

#define NO_ROW SIZE_MAX

bool sg_traced_is_whole(const struct sg_traced_item *item)
{
    return *item->symbol == '\0';
}

enum sg_code sg_traced_filter_make(const char *range, const char *kernel,
                                   struct sg_traced_filter *filter, struct sg_err *err)
{
    char said[128];
    *filter = (struct sg_traced_filter){.range = range};
    const int why = kernel ? regcomp(&filter->kernel, kernel, REG_EXTENDED | REG_NOSUB) : 0;
    filter->has_kernel = kernel && why == 0;
    if (why == 0)
        return SG_SUCCESS;
    regerror(why, &filter->kernel, said, sizeof(said));
    return sg_fail(err, SG_BAD_USAGE, "--kernel", "expected a regular expression, found '%s': %s",
                   sg_show_string(kernel).text, said);
}

bool sg_traced_is_wanted(const struct sg_traced_filter *filter, const char *range,
                         const char *symbol)
{
    SG_SCOPED(sg_text) readable = {0};
    if (filter->range && fnmatch(filter->range, range, 0) != 0)
        return false;
    sg_add_readable_name(&readable, symbol);
    return !filter->has_kernel || regexec(&filter->kernel, symbol, 0, NULL, 0) == 0 ||
           regexec(&filter->kernel, sg_text_string(&readable), 0, NULL, 0) == 0;
}

static void add_case(const struct sg_traced_items *items, const char *range, struct sg_text *name)
{
    if (items->label)
        sg_text_addf(name, "%s%s%s", items->label, *range ? "_" : "", range);
    else
        sg_text_add(name, *range ? range : SG_NO_RANGE);
}

static const char *keep(struct sg_traced_items *items, const char *string)
{
    struct sg_intern_pool **strings = &items->gathering->strings;
    return sg_intern_string(strings, string);
}

/* Returns the item of this key; adds it if it is new. */
static struct sg_traced_item *item_of(struct sg_traced_items *items, const char *key,
                                      const char *range, const char *case_)
{
    const size_t number = sg_intern(&items->keys, key) - 1;
    if (number == items->count)
        *SG_APPEND(items->items, items->count, items->capacity) =
            (struct sg_traced_item){.range = range ? keep(items, range) : NULL,
                                    .case_ = keep(items, case_),
                                    .symbol = "",
                                    .geometry = "",
                                    .row = NO_ROW,
                                    .whole = number,
                                    .partner = SG_NO_PARTNER};
    return &items->items[number];
}

/* Returns the item for all kernels of a range; NULL: of the program. */
static size_t find_whole(struct sg_traced_items *items, const char *range, const char *case_)
{
    SG_FORMATTED(key, "%s\n%s", range ? "range" : "program", case_);
    return (size_t)(item_of(items, key.data, range, case_) - items->items);
}

size_t sg_traced_row(struct sg_traced_items *items, struct sg_traced_item *item)
{
    if (item->row == NO_ROW)
        item->row = sg_gather_item(
            items->gathering, item->case_, item->range ? SG_WHOLE_RANGE : SG_WHOLE_PROGRAM,
            item->range ? "all kernels of the range" : "all kernels of the program");
    return item->row;
}

/* Adds only facts that timing records and counted launches both have. */
static void add_key(const char *case_, const char *symbol, const struct sg_trace_series_key *key,
                    struct sg_text *text)
{
    sg_text_addf(text, "%s\n%s\n%u %u %u %u %u %u %u", case_, symbol, key->grid[0], key->grid[1],
                 key->grid[2], key->block[0], key->block[1], key->block[2], key->dynamic_shared);
}

static size_t gather_kernel(struct sg_traced_items *items, const char *case_, const char *symbol,
                            const struct sg_trace_series_key *key)
{
    SG_SCOPED(sg_text) what = {0}, readable = {0}, stable = {0}, geometry = {0};
    sg_add_readable_name(&readable, symbol);
    sg_add_stable_symbol(&stable, symbol);
    sg_text_addf(&geometry, "grid (%u, %u, %u), block (%u, %u, %u)", key->grid[0], key->grid[1],
                 key->grid[2], key->block[0], key->block[1], key->block[2]);
    sg_text_addf(&what, "%s, %s, %u registers, %u + %u B shared, %u B local", symbol, geometry.data,
                 key->registers, key->static_shared, key->dynamic_shared, key->local_bytes);
    return sg_gather_launched(items->gathering,
                              &(struct sg_gathered_kernel){.case_ = case_,
                                                           .readable = sg_text_string(&readable),
                                                           .symbol = sg_text_string(&stable),
                                                           .geometry = geometry.data,
                                                           .what = what.data});
}

static struct sg_traced_item *find_kernel(struct sg_traced_items *items, const char *range,
                                          const char *symbol, const struct sg_trace_series_key *key)
{
    SG_SCOPED(sg_text) case_ = {0}, text = {0}, geometry = {0};
    add_case(items, range, &case_);
    add_key(case_.data, symbol, key, &text);
    const size_t whole = find_whole(items, range, case_.data);
    struct sg_traced_item *item = item_of(items, text.data, range, case_.data);
    if (item->row != NO_ROW)
        return item;
    sg_text_addf(&geometry, SG_GEOMETRY_WORDS, key->grid[0], key->grid[1], key->grid[2],
                 key->block[0], key->block[1], key->block[2], key->dynamic_shared);
    item->symbol = keep(items, symbol);
    item->geometry = keep(items, geometry.data);
    item->row = gather_kernel(items, case_.data, symbol, key);
    item->whole = whole;
    return item;
}

static enum sg_code gather_facts(struct sg_gathering *gathering, size_t item,
                                 const struct sg_trace_series_key *key, struct sg_err *err)
{
    const double grid = (double)key->grid[0] * key->grid[1] * key->grid[2],
                 block = (double)key->block[0] * key->block[1] * key->block[2];
    const struct {
        const char *metric, *unit;
        double value;
    } facts[] = {{"kernels", "", 1},
                 {"grid", "block", grid},
                 {"block", "thread", block},
                 {"registers", "", key->registers},
                 {"shared_static", "B", key->static_shared},
                 {"shared_dynamic", "B", key->dynamic_shared},
                 {"local_memory", "B", key->local_bytes}};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && err->code == SG_SUCCESS; i++)
        sg_gather(gathering, item, facts[i].metric, facts[i].unit, facts[i].value, err);
    return err->code;
}

static void gather_code(struct sg_gathering *gathering, size_t item,
                        const struct sg_trace_name *symbol)
{
    if (symbol->codes == 0)
        return;
    SG_FORMATTED(words, "%016llx", (unsigned long long)symbol->code);
    if (symbol->codes > 1)
        sg_text_addf(&words, ", of %llu modules", (unsigned long long)symbol->codes);
    sg_gather_words(gathering, item, SG_CODE_METRIC, SG_OK, words.data);
}

static void add_to_whole(struct sg_traced_item *whole, const struct sg_trace_series *series)
{
    whole->launches += series->count;
    whole->total_ns += sg_trace_steady_ns(series);
}

struct sg_traced_item *sg_traced_items_add_series(struct sg_traced_items *items, const char *range,
                                                  const struct sg_trace *trace,
                                                  const struct sg_trace_series *series)
{
    const struct sg_trace_name *symbol = trace->names[series->key.symbol];
    const size_t program = items->label ? find_whole(items, NULL, items->label) : 0;
    struct sg_traced_item *item = find_kernel(items, range, symbol->text, &series->key);
    for (size_t i = 0; i < sg_trace_samples(series); i++)
        *SG_APPEND(item->ns, item->count, item->capacity) = (double)series->sample_ns[i];
    for (size_t i = 0; i < sg_trace_latencies(series); i++)
        *SG_APPEND(item->latency_ns, item->latency_count, item->latency_capacity) =
            (double)series->latency_ns[i];
    item->in_graph |= series->key.in_graph != 0;
    item->code = symbol->codes > 0 ? symbol->code : 0;
    item->build =
        (struct sg_traced_build){series->key.registers, symbol->codes == 1 ? symbol->code : 0};
    add_to_whole(item, series);
    add_to_whole(&items->items[item->whole], series);
    if (items->label)
        add_to_whole(&items->items[program], series);
    return item;
}

static enum sg_code add_series(struct sg_traced_items *items, const struct sg_trace *trace,
                               const struct sg_trace_series *series,
                               const struct sg_traced_filter *filter, struct sg_err *err)
{
    const char *range = trace->names[series->key.range]->text,
               *symbol = trace->names[series->key.symbol]->text;
    if (!sg_traced_is_wanted(filter, range, symbol))
        return SG_SUCCESS;
    const size_t row = sg_traced_items_add_series(items, range, trace, series)->row;
    gather_code(items->gathering, row, trace->names[series->key.symbol]);
    return gather_facts(items->gathering, row, &series->key, err);
}

enum sg_code sg_traced_items_add(struct sg_traced_items *items, const struct sg_trace *trace,
                                 const struct sg_traced_filter *filter, struct sg_err *err)
{
    for (size_t i = 0; i < trace->series_count && err->code == SG_SUCCESS; i++)
        add_series(items, trace, trace->series[i], filter, err);
    return err->code;
}

/* With a label the program and its ranges are rows, too. */
static bool is_row(const struct sg_traced_items *items, const struct sg_traced_item *item)
{
    return !sg_traced_is_whole(item) || (items->label && (!item->range || *item->range));
}

#define LATENCIES_LEAST 10

/* Adds the median launch latency of one start of the program. */
static enum sg_code gather_latency(struct sg_gathering *gathering, size_t row,
                                   const struct sg_traced_item *item, struct sg_err *err)
{
    struct sg_tail median;
    if (item->latency_count < LATENCIES_LEAST)
        return err->code;
    sg_sort(item->latency_ns, item->latency_count);
    sg_percentile(item->latency_ns, item->latency_count, 50, &median);
    return sg_gather_tail(gathering, row, SG_LATENCY_METRIC, "ns", &median, err);
}

static enum sg_code end_item(struct sg_traced_items *items, struct sg_traced_item *item,
                             double sm_clock, struct sg_err *err)
{
    const bool is_whole = sg_traced_is_whole(item);
    const size_t row = sg_traced_row(items, item);
    struct sg_gathering *gathering = items->gathering;
    if (is_whole)
        *SG_APPEND(item->ns, item->count, item->capacity) = item->total_ns;
    for (size_t i = 0; i < item->count && err->code == SG_SUCCESS; i++)
        sg_gather(gathering, row, SG_TIME_METRIC, "ns", item->ns[i], err);
    if (err->code == SG_SUCCESS && !is_whole) {
        sg_gather(gathering, row, SG_LAUNCHES_METRIC, "", (double)item->launches, err);
        sg_gather(gathering, row, SG_TOTAL_METRIC, "ns", item->total_ns, err);
        gather_latency(gathering, row, item, err);
    }
    if (err->code == SG_SUCCESS && sm_clock > 0)
        sg_gather(gathering, row, "sm_clock", "Hz", sm_clock, err);
    return err->code;
}

void sg_traced_items_clear(struct sg_traced_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        items->items[i].count = 0;
        items->items[i].latency_count = 0;
        items->items[i].launches = 0;
        items->items[i].total_ns = 0;
    }
}

enum sg_code sg_traced_items_end_start(struct sg_traced_items *items, bool is_one_of_many,
                                       double sm_clock, struct sg_err *err)
{
    for (size_t i = 0; i < items->count && err->code == SG_SUCCESS; i++)
        if (items->items[i].launches > 0 && is_row(items, &items->items[i]))
            end_item(items, &items->items[i], sm_clock, err);
    sg_traced_items_clear(items);
    return err->code == SG_SUCCESS ? sg_gather_end_file(items->gathering, is_one_of_many, err)
                                   : err->code;
}

/* ---- counters ---- */

/* Returns the item of a counted range or of a timed kernel. NULL: the kernel was not timed. */
static struct sg_traced_item *find_counted(struct sg_traced_items *items,
                                           const struct sg_trace *trace,
                                           const struct sg_trace_series_key *key)
{
    const char *range = trace->names[key->range]->text;
    SG_SCOPED(sg_text) case_ = {0}, text = {0};
    add_case(items, range, &case_);
    if (key->symbol == 0)
        return &items->items[find_whole(items, range, case_.data)];
    add_key(case_.data, trace->names[key->symbol]->text, key, &text);
    const sg_id found = sg_intern_pool_find(items->keys, text.data);
    return found == UINT32_MAX ? NULL : &items->items[found - 1];
}

enum sg_code sg_traced_items_add_counts(struct sg_traced_items *items, const struct sg_trace *trace,
                                        const struct sg_metric *const *metrics, size_t count,
                                        struct sg_err *err)
{
    for (size_t i = 0; i < trace->counts_count && err->code == SG_SUCCESS; i++) {
        const struct sg_trace_counts *counts = trace->counts[i];
        if (sg_trace_values(counts) != count)
            return sg_fail(err, SG_BAD_INPUT, NULL, "expected %zu values of a launch, found %zu",
                           count, sg_trace_values(counts));
        struct sg_traced_item *item = find_counted(items, trace, &counts->key);
        if (!item)
            continue;
        item->has = item->has ? item->has : sg_alloc(count + 1, sizeof(*item->has));
        for (size_t k = 0; k < count && err->code == SG_SUCCESS; k++)
            if (!isnan(counts->value[k])) {
                item->has[k] = true;
                sg_gather(items->gathering, sg_traced_row(items, item), metrics[k]->name, "",
                          counts->value[k], err);
            }
    }
    return err->code;
}

static const char *why_not_counted(const struct sg_traced_item *item, const struct sg_names *stuck)
{
    const char *symbol = item->symbol;
    if (sg_names_have(stuck, symbol))
        return "did not end while counted: it waits for another kernel";
    if (item->in_graph)
        return "launched by a graph";
    if (strncmp(symbol, "nccl", 4) == 0 || strstr(symbol, "nvshmem"))
        return "not counted: it waits for other GPUs";
    return "not selected, or launched differently while counted";
}

/* Reports counters without a value, for a kernel or range that has others. */
static void report_missing(const struct sg_traced_items *items, const struct sg_traced_item *item,
                           size_t count)
{
    const bool *has = item->has;
    size_t missing = 0;
    for (size_t k = 0; k < count; k++)
        missing += !has[k];
    SG_FORMATTED(why,
                 "%zu of %zu counters have no value: not available here, or they need several "
                 "launches or passes, but a range runs once",
                 missing, count);
    if (missing > 0)
        sg_gather_words(items->gathering, item->row, SG_COUNT_METRIC, SG_UNAVAILABLE, why.data);
}

void sg_traced_items_end_counts(struct sg_traced_items *items, size_t count, bool of_ranges,
                                const struct sg_names *stuck)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct sg_traced_item *item = &items->items[i];
        if (item->has)
            report_missing(items, item, count);
        else if (!sg_traced_is_whole(item) && !of_ranges)
            sg_gather_words(items->gathering, item->row, SG_COUNT_METRIC, SG_UNAVAILABLE,
                            why_not_counted(item, stuck));
    }
}
