#include "results/counter_repeats.h"

#include <math.h>
#include <string.h>

#include "stats/statistics.h"
#include "util/names.h"

/* A noisy counter has changed if it differs by more than this many sd between accepted runs. */
#define COUNTER_SDS 3.0
/* One-sided. A row may have 25 noisy counters: then one row in twenty names an unchanged
 * counter. */
#define SPREAD_TAIL 0.001

/* Prefixes of a list of counts: of a noisy counter, and of an exact one. */
static const char *const lists[] = {"each: ", "does not repeat: "};

size_t sg_counter_repeats_item(size_t count, size_t launch)
{
    const size_t turn = launch / count, at = launch % count;
    return turn % 2 == 0 ? at : count - 1 - at;
}

static bool all_equal(const struct sg_counter_repeats *repeats)
{
    for (size_t i = 1; i < repeats->count; i++)
        if (repeats->value[i] != repeats->value[0])
            return false;
    return true;
}

void sg_counter_repeats_summarise(const struct sg_counter_repeats *repeats, struct sg_value *value)
{
    double sorted[SG_REPEATS_MAX];
    memcpy(sorted, repeats->value, repeats->count * sizeof(*sorted));
    value->value = sg_median(sorted, repeats->count);
    value->n = (uint32_t)repeats->count;
    value->has = SG_HAS_VALUE | SG_HAS_N;
    if (repeats->count < 2)
        return;
    value->low = value->high = repeats->value[0];
    for (size_t i = 1; i < repeats->count; i++) {
        value->low = fmin(value->low, repeats->value[i]);
        value->high = fmax(value->high, repeats->value[i]);
    }
    value->has |= SG_HAS_LOW | SG_HAS_HIGH;
}

void sg_counter_repeats_add_message(struct sg_text *out, const struct sg_counter_repeats *repeats,
                                    bool exact)
{
    if (all_equal(repeats))
        return;
    sg_text_add(out, lists[exact]);
    for (size_t i = 0; i < repeats->count; i++) {
        sg_text_add(out, i > 0 ? " " : "");
        sg_text_add_number(out, repeats->value[i], 9);
    }
}

bool sg_counter_has_range(const struct sg_row *row)
{
    const uint8_t range = SG_HAS_LOW | SG_HAS_HIGH;
    return (row->has & range) == range;
}

double sg_counter_floor(const struct sg_row *row, const struct sg_metric *metric)
{
    return metric ? fmax(metric->floor, metric->floor_ratio * fabs(row->value)) : 0.0;
}

bool sg_counter_is_non_repeatable(const struct sg_row *row, const struct sg_metric *metric)
{
    return (!metric || metric->klass == SG_EXACT) && sg_counter_has_range(row) &&
           row->high - row->low > sg_counter_floor(row, metric);
}

static bool read_list(const char *list, struct sg_counter_repeats *repeats)
{
    SG_SCOPED(sg_names) numbers = {0};
    sg_names_add_split(&numbers, list, ' ');
    bool is_list = numbers.count <= SG_REPEATS_MAX;
    repeats->count = numbers.count;
    for (size_t i = 0; i < numbers.count && is_list; i++)
        is_list = sg_parse_double(numbers.items[i], false, &repeats->value[i]);
    return is_list;
}

bool sg_counter_repeats_read(const struct sg_table *table, const struct sg_row *row,
                             struct sg_counter_repeats *repeats)
{
    const char *message = sg_table_string(table, row->message);
    if (!sg_counter_has_range(row) || row->n > SG_REPEATS_MAX)
        return false;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strncmp(message, lists[i], strlen(lists[i])) == 0)
            return read_list(message + strlen(lists[i]), repeats) && repeats->count == row->n;
    if (row->low < row->high)
        return false;
    for (repeats->count = 0; repeats->count < row->n; repeats->count++)
        repeats->value[repeats->count] = row->value;
    return true;
}

bool sg_counter_repeats_subtract(const struct sg_counter_repeats *a,
                                 const struct sg_counter_repeats *b,
                                 struct sg_counter_repeats_difference *difference)
{
    double each[SG_REPEATS_MAX];
    const size_t n = a->count;
    if (n < 2 || n != b->count)
        return false;
    for (size_t i = 0; i < n; i++)
        each[i] = b->value[i] - a->value[i];
    difference->mean = sg_mean(each, n);
    difference->spread =
        sg_t_quantile(1.0 - SPREAD_TAIL, (double)n - 1.0) * sg_sd(each, n) / sqrt((double)n);
    return true;
}

/* Distance from a row's value to its highest or lowest count; NaN: no range. */
static double reach(const struct sg_row *row, bool up)
{
    if (!sg_counter_has_range(row))
        return NAN;
    return up ? row->high - row->value : row->value - row->low;
}

double sg_counter_spread(const struct sg_row *then, const struct sg_row *now,
                         const struct sg_accepted *accepted)
{
    const bool up = now->value > then->value;
    const double was = reach(then, up);
    const double is = reach(now, !up);
    const double own = (isnan(was) ? is : was) + (isnan(is) ? was : is);
    const double between = accepted && isfinite(accepted->sd_day)
                               ? COUNTER_SDS * accepted->sd_day * fabs(then->value)
                               : NAN;
    return fmax(own, between); /* fmax ignores a NaN */
}
