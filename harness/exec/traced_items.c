#include "exec/traced_items.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "exec/readable_name.h"

#define NO_RANGE "all" /* the case of launches in no range */

struct sg_traced_item {
    double *ns; /* owned; of this start */
    size_t count, capacity;
    uint64_t launches, total_ns; /* of this start */
};

void sg_traced_items_release(struct sg_traced_items *items)
{
    for (size_t i = 0; i < items->capacity; i++)
        free(items->item[i].ns);
    free(items->item);
    *items = (struct sg_traced_items){.gathering = NULL};
}

static struct sg_traced_item *item_at(struct sg_traced_items *items, size_t number)
{
    const size_t before = items->capacity;
    items->item = sg_grow(items->item, &items->capacity, number + 1, sizeof(*items->item));
    memset(items->item + before, 0, (items->capacity - before) * sizeof(*items->item));
    return &items->item[number];
}

static bool is_wanted(const struct sg_traced_filter *filter, const char *range, const char *symbol, const char *readable)
{
    return (!filter->range || fnmatch(filter->range, range, 0) == 0) &&
           (!filter->kernel || regexec(filter->kernel, symbol, 0, NULL, 0) == 0 || regexec(filter->kernel, readable, 0, NULL, 0) == 0);
}

static size_t find_item(struct sg_gathering *gathering, const struct sg_trace_series_key *key, const char *range, const char *symbol,
                        const char *readable)
{
    SG_SCOPED(sg_text) what = {0}, word = {0};
    sg_text_addf(&what, "%s, grid (%u, %u, %u), block (%u, %u, %u), %u registers, %u + %u B shared, %u B local", symbol, key->grid[0],
                 key->grid[1], key->grid[2], key->block[0], key->block[1], key->block[2], key->registers, key->static_shared,
                 key->dynamic_shared, key->local_bytes);
    sg_add_kernel_word(&word, readable);
    return sg_gather_item(gathering, *range ? range : NO_RANGE, sg_text_string(&word), what.data);
}

static enum sg_code gather_facts(struct sg_gathering *gathering, size_t item, const struct sg_trace_series_key *key, struct sg_err *err)
{
    const double grid = (double)key->grid[0] * key->grid[1] * key->grid[2], block = (double)key->block[0] * key->block[1] * key->block[2];
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

static void gather_code(struct sg_gathering *gathering, size_t item, const struct sg_trace_name *symbol)
{
    SG_SCOPED(sg_text) words = {0};
    if (symbol->codes == 0)
        return;
    sg_text_addf(&words, "%016llx", (unsigned long long)symbol->code);
    if (symbol->codes > 1)
        sg_text_addf(&words, ", of %llu modules", (unsigned long long)symbol->codes);
    sg_gather_words(gathering, item, SG_CODE_METRIC, SG_OK, words.data);
}

static enum sg_code add_series(struct sg_traced_items *items, const struct sg_trace *trace, const struct sg_trace_series *series,
                               const struct sg_traced_filter *filter, struct sg_err *err)
{
    const char *range = trace->names[series->key.range]->text, *symbol = trace->names[series->key.symbol]->text;
    SG_SCOPED(sg_text) readable = {0};
    sg_add_readable_name(&readable, symbol);
    if (!is_wanted(filter, range, symbol, sg_text_string(&readable)))
        return SG_SUCCESS;
    const size_t number = find_item(items->gathering, &series->key, range, symbol, sg_text_string(&readable));
    struct sg_traced_item *item = item_at(items, number);
    for (size_t i = 0; i < sg_trace_samples(series); i++)
        *SG_APPEND(item->ns, item->count, item->capacity) = (double)series->sample_ns[i];
    item->launches += series->count;
    item->total_ns += series->total_ns;
    gather_code(items->gathering, number, trace->names[series->key.symbol]);
    return gather_facts(items->gathering, number, &series->key, err);
}

enum sg_code sg_traced_items_add(struct sg_traced_items *items, const struct sg_trace *trace, const struct sg_traced_filter *filter,
                                 struct sg_err *err)
{
    for (size_t i = 0; i < trace->series_count && err->code == SG_SUCCESS; i++)
        add_series(items, trace, trace->series[i], filter, err);
    return err->code;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static enum sg_code end_item(struct sg_gathering *gathering, size_t number, struct sg_traced_item *item, bool is_one_of_many,
                             struct sg_err *err)
{
    if (is_one_of_many && item->count > 0) {
        qsort(item->ns, item->count, sizeof(*item->ns), by_size);
        item->ns[0] = (item->ns[item->count / 2] + item->ns[(item->count - 1) / 2]) / 2;
        item->count = 1;
    }
    for (size_t i = 0; i < item->count && err->code == SG_SUCCESS; i++)
        sg_gather(gathering, number, SG_TIME_METRIC, "ns", item->ns[i], err);
    if (err->code == SG_SUCCESS && item->launches > 0) {
        sg_gather(gathering, number, SG_LAUNCHES_METRIC, "", (double)item->launches, err);
        sg_gather(gathering, number, SG_TOTAL_METRIC, "ns", (double)item->total_ns, err);
    }
    item->count = 0;
    item->launches = item->total_ns = 0;
    return err->code;
}

enum sg_code sg_traced_items_end_start(struct sg_traced_items *items, bool is_one_of_many, struct sg_err *err)
{
    for (size_t i = 0; i < items->capacity && err->code == SG_SUCCESS; i++)
        end_item(items->gathering, i, &items->item[i], is_one_of_many, err);
    return err->code;
}
