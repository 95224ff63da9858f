#include "exec/traced_items.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/readable_name.h"
#include "results/row_kind.h"
#include "stats/statistics.h"

struct sg_traced_item {
    double *ns; /* owned; durations in this start */
    size_t count, capacity;
    uint64_t launches; /* in this start */
    double total_ns;   /* sum over all launches of this start */
    bool is_timed, in_graph, is_whole;
    bool *has;    /* owned; which counters have a value; NULL: none so far */
    sg_id symbol; /* in the gathering's strings */
};

#define NO_ITEM 0
#define SEVERAL SIZE_MAX
struct sg_traced_launch {
    size_t item; /* item number + 1 */
};

void sg_traced_items_release(struct sg_traced_items *items)
{
    for (size_t i = 0; i < items->capacity; i++) {
        free(items->item[i].ns);
        free(items->item[i].has);
    }
    free(items->item);
    free(items->launch);
    sg_intern_pool_free(items->launches);
    *items = (struct sg_traced_items){.gathering = NULL};
}

static struct sg_traced_item *item_at(struct sg_traced_items *items, size_t number)
{
    const size_t before = items->capacity;
    items->item = sg_grow(items->item, &items->capacity, number + 1, sizeof(*items->item));
    memset(items->item + before, 0, (items->capacity - before) * sizeof(*items->item));
    return &items->item[number];
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

void sg_traced_filter_release(struct sg_traced_filter *filter)
{
    if (filter->has_kernel)
        regfree(&filter->kernel);
    filter->has_kernel = false;
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

size_t sg_traced_gather(struct sg_gathering *gathering, const char *case_, const char *symbol,
                        const char *geometry, const char *more)
{
    SG_SCOPED(sg_text) what = {0}, readable = {0}, stable = {0};
    sg_add_readable_name(&readable, symbol);
    sg_add_stable_symbol(&stable, symbol);
    sg_text_addf(&what, "%s, %s%s", symbol, geometry, more);
    return sg_gather_launched(gathering,
                              &(struct sg_gathered_kernel){.case_ = case_,
                                                           .readable = sg_text_string(&readable),
                                                           .symbol = sg_text_string(&stable),
                                                           .geometry = geometry,
                                                           .what = what.data});
}

static size_t find_item(const struct sg_traced_items *items, const struct sg_trace_series_key *key,
                        const char *range, const char *symbol)
{
    SG_SCOPED(sg_text) case_ = {0}, geometry = {0}, more = {0};
    add_case(items, range, &case_);
    sg_text_addf(&geometry, "grid (%u, %u, %u), block (%u, %u, %u)", key->grid[0], key->grid[1],
                 key->grid[2], key->block[0], key->block[1], key->block[2]);
    sg_text_addf(&more, ", %u registers, %u + %u B shared, %u B local", key->registers,
                 key->static_shared, key->dynamic_shared, key->local_bytes);
    return sg_traced_gather(items->gathering, case_.data, symbol, geometry.data, more.data);
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
    SG_SCOPED(sg_text) words = {0};
    if (symbol->codes == 0)
        return;
    sg_text_addf(&words, "%016llx", (unsigned long long)symbol->code);
    if (symbol->codes > 1)
        sg_text_addf(&words, ", of %llu modules", (unsigned long long)symbol->codes);
    sg_gather_words(gathering, item, SG_CODE_METRIC, SG_OK, words.data);
}

/* Key of a launch: only facts that timing records and counted launches both have. */
static struct sg_traced_launch *launch_of(struct sg_traced_items *items,
                                          const struct sg_trace *trace,
                                          const struct sg_trace_series_key *key)
{
    SG_SCOPED(sg_text) text = {0};
    sg_text_addf(&text, "%s\n%s\n%u %u %u %u %u %u %u", trace->names[key->range]->text,
                 trace->names[key->symbol]->text, key->grid[0], key->grid[1], key->grid[2],
                 key->block[0], key->block[1], key->block[2], key->dynamic_shared);
    const size_t number = sg_intern(&items->launches, text.data), before = items->launch_capacity;
    items->launch =
        sg_grow(items->launch, &items->launch_capacity, number + 1, sizeof(*items->launch));
    memset(items->launch + before, 0, (items->launch_capacity - before) * sizeof(*items->launch));
    return &items->launch[number];
}

static void name_launch(struct sg_traced_items *items, const struct sg_trace *trace,
                        const struct sg_trace_series_key *key, size_t item)
{
    struct sg_traced_launch *launch = launch_of(items, trace, key);
    launch->item = launch->item == NO_ITEM || launch->item == item + 1 ? item + 1 : SEVERAL;
    items->item[item].is_timed = true;
    items->item[item].in_graph |= key->in_graph != 0;
    items->item[item].symbol =
        sg_intern(&items->gathering->strings, trace->names[key->symbol]->text);
}

static void add_to_whole(struct sg_traced_items *items, const char *range,
                         const struct sg_trace_series *series)
{
    SG_SCOPED(sg_text) case_ = {0};
    add_case(items, range, &case_);
    const size_t whole[] = {sg_gather_item(items->gathering, items->label, SG_WHOLE_PROGRAM,
                                           "all kernels of the program"),
                            *range ? sg_gather_item(items->gathering, case_.data, SG_WHOLE_RANGE,
                                                    "all kernels of the range")
                                   : SIZE_MAX};
    for (size_t i = 0; i < 2 && whole[i] != SIZE_MAX; i++) {
        struct sg_traced_item *item = item_at(items, whole[i]);
        item->is_whole = true;
        item->launches += series->count;
        item->total_ns += sg_trace_steady_ns(series);
    }
}

static enum sg_code add_series(struct sg_traced_items *items, const struct sg_trace *trace,
                               const struct sg_trace_series *series,
                               const struct sg_traced_filter *filter, struct sg_err *err)
{
    const char *range = trace->names[series->key.range]->text,
               *symbol = trace->names[series->key.symbol]->text;
    if (!sg_traced_is_wanted(filter, range, symbol))
        return SG_SUCCESS;
    const size_t number = find_item(items, &series->key, range, symbol);
    struct sg_traced_item *item = item_at(items, number);
    for (size_t i = 0; i < sg_trace_samples(series); i++)
        *SG_APPEND(item->ns, item->count, item->capacity) = (double)series->sample_ns[i];
    item->launches += series->count;
    item->total_ns += sg_trace_steady_ns(series);
    if (items->label)
        add_to_whole(items, range, series);
    name_launch(items, trace, &series->key, number);
    gather_code(items->gathering, number, trace->names[series->key.symbol]);
    return gather_facts(items->gathering, number, &series->key, err);
}

enum sg_code sg_traced_items_add(struct sg_traced_items *items, const struct sg_trace *trace,
                                 const struct sg_traced_filter *filter, struct sg_err *err)
{
    for (size_t i = 0; i < trace->series_count && err->code == SG_SUCCESS; i++)
        add_series(items, trace, trace->series[i], filter, err);
    return err->code;
}

static enum sg_code end_item(struct sg_gathering *gathering, size_t number,
                             struct sg_traced_item *item, bool is_one_of_many, double sm_clock,
                             struct sg_err *err)
{
    if (is_one_of_many && item->count > 0) {
        item->ns[0] = sg_median(item->ns, item->count);
        item->count = 1;
    }
    if (item->is_whole && item->launches > 0)
        *SG_APPEND(item->ns, item->count, item->capacity) = item->total_ns;
    for (size_t i = 0; i < item->count && err->code == SG_SUCCESS; i++)
        sg_gather(gathering, number, SG_TIME_METRIC, "ns", item->ns[i], err);
    if (err->code == SG_SUCCESS && item->launches > 0) {
        if (!item->is_whole) {
            sg_gather(gathering, number, SG_LAUNCHES_METRIC, "", (double)item->launches, err);
            sg_gather(gathering, number, SG_TOTAL_METRIC, "ns", item->total_ns, err);
        }
        if (sm_clock > 0)
            sg_gather(gathering, number, "sm_clock", "Hz", sm_clock, err);
    }
    item->count = 0;
    item->launches = 0;
    item->total_ns = 0;
    return err->code;
}

enum sg_code sg_traced_items_end_start(struct sg_traced_items *items, bool is_one_of_many,
                                       double sm_clock, struct sg_err *err)
{
    for (size_t i = 0; i < items->capacity && err->code == SG_SUCCESS; i++)
        end_item(items->gathering, i, &items->item[i], is_one_of_many, sm_clock, err);
    return err->code;
}

/* ---- counters ---- */

/* Finds the item of the whole range, or a timed item. False: the launch is dropped. */
static bool find_counted(struct sg_traced_items *items, const struct sg_trace *trace,
                         const struct sg_trace_series_key *key, size_t *item)
{
    if (key->symbol == 0) {
        SG_SCOPED(sg_text) case_ = {0};
        add_case(items, trace->names[key->range]->text, &case_);
        *item = sg_gather_item(items->gathering, case_.data, SG_WHOLE_RANGE,
                               "all kernels of the range, counted as one");
        return true;
    }
    const size_t found = launch_of(items, trace, key)->item;
    if (found == NO_ITEM || found == SEVERAL)
        return false;
    *item = found - 1;
    return true;
}

enum sg_code sg_traced_items_add_counts(struct sg_traced_items *items, const struct sg_trace *trace,
                                        const struct sg_metric *const *metrics, size_t count,
                                        struct sg_err *err)
{
    for (size_t i = 0; i < trace->counts_count && err->code == SG_SUCCESS; i++) {
        const struct sg_trace_counts *counts = trace->counts[i];
        size_t item;
        if (sg_trace_values(counts) != count)
            return sg_fail(err, SG_BAD_INPUT, NULL, "expected %zu values of a launch, found %zu",
                           count, sg_trace_values(counts));
        if (!find_counted(items, trace, &counts->key, &item))
            continue;
        bool **has = &item_at(items, item)->has;
        *has = *has ? *has : sg_alloc(count + 1, sizeof(**has));
        for (size_t k = 0; k < count && err->code == SG_SUCCESS; k++)
            if (!isnan(counts->value[k])) {
                (*has)[k] = true;
                sg_gather(items->gathering, item, metrics[k]->name, "", counts->value[k], err);
            }
    }
    return err->code;
}

static const char *why_not_counted(const struct sg_traced_item *item, const char *symbol,
                                   const struct sg_names *stuck)
{
    if (sg_names_have(stuck, symbol))
        return "did not end while counted: it waits for another kernel";
    if (item->in_graph)
        return "launched by a graph";
    if (strncmp(symbol, "nccl", 4) == 0 || strstr(symbol, "nvshmem"))
        return "left out: it waits for other GPUs";
    return "not chosen, launched in another way when counted, or not told from another kernel of "
           "its name and geometry";
}

/* Reports counters without a value, for a kernel or range that has others. */
static void say_missing(struct sg_traced_items *items, size_t number, size_t count)
{
    const bool *has = items->item[number].has;
    size_t missing = 0;
    SG_SCOPED(sg_text) why = {0};
    for (size_t k = 0; k < count; k++)
        missing += !has[k];
    sg_text_addf(&why,
                 "%zu of %zu counters: they have no value here, take a launch each, or several "
                 "passes, which a range cannot have",
                 missing, count);
    if (missing > 0)
        sg_gather_words(items->gathering, number, SG_COUNT_METRIC, SG_UNAVAILABLE, why.data);
}

void sg_traced_items_end_counts(struct sg_traced_items *items, size_t count, bool of_ranges,
                                const struct sg_names *stuck)
{
    for (size_t i = 0; i < items->capacity; i++) {
        const struct sg_traced_item *item = &items->item[i];
        if (item->has)
            say_missing(items, i, count);
        else if (item->is_timed && !of_ranges)
            sg_gather_words(
                items->gathering, i, SG_COUNT_METRIC, SG_UNAVAILABLE,
                why_not_counted(
                    item, sg_intern_pool_string(items->gathering->strings, item->symbol), stuck));
    }
}
