#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/judge.h"

struct counter {
    char name[64];
    double value;
};

/* Takes the first "name=value" off a list; false at the end of the list. */
static bool next_counter(const char **list, struct counter *counter)
{
    const size_t length = strcspn(*list, "= ");
    char *end = NULL;
    if ((*list)[length] != '=')
        return false;
    snprintf(counter->name, sizeof(counter->name), "%.*s", (int)length, *list);
    counter->value = strtod(*list + length + 1, &end);
    *list = end + strspn(end, " ");
    return true;
}

/* NaN: the name is not in the list. */
static double value_in(const char *list, const char *name)
{
    struct counter counter;
    while (next_counter(&list, &counter))
        if (strcmp(counter.name, name) == 0)
            return counter.value;
    return NAN;
}

/* The rule for accepted counters: an exact counter may have a band. */
static bool is_change(const struct sg_catalogue *catalogue, const char *name, double before,
                      double after)
{
    const struct sg_metric *metric = catalogue ? sg_catalogue_find(catalogue, name) : NULL;
    const double band = metric ? fmax(metric->floor, metric->floor_ratio * fabs(before)) : 0;
    return !(fabs(after - before) <= band);
}

/* Same module, driver and CUDA? Unknown modules count as the same. */
static bool is_same_code(const struct sg_history *history, const struct sg_history_series *series,
                         size_t night, size_t other)
{
    static const char *const facts[] = {"driver", "cuda"};
    bool is_same =
        sg_series_row(history, series, night)->code == sg_series_row(history, series, other)->code;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        is_same &= strcmp(sg_night_fact(history, night, facts[i]),
                          sg_night_fact(history, other, facts[i])) == 0;
    return is_same;
}

/* The last nightly run before `night` with the counter; SG_NO_NIGHT: none. */
static size_t night_with(const struct sg_history *history, const struct sg_history_series *series,
                         size_t night, struct counter *counter)
{
    while (night-- > 0) {
        const struct sg_night_row *row = sg_series_row(history, series, night);
        counter->value =
            row ? value_in(sg_intern_pool_string(history->pool, row->counters), counter->name)
                : NAN;
        if (!isnan(counter->value))
            return night;
    }
    return SG_NO_NIGHT;
}

/* Has the counter never differed between two runs of the same code, up to this run? */
static bool is_steady(const struct sg_history *history, const struct sg_history_series *series,
                      size_t night, struct counter counter)
{
    const bool is_known = sg_series_row(history, series, night)->code != 0;
    struct counter earlier = counter;
    for (size_t n = 0, before; is_known || n < SG_COUNTER_NIGHTS;
         n++, night = before, counter = earlier) {
        before = night_with(history, series, night, &earlier);
        if (before == SG_NO_NIGHT)
            return true;
        if (earlier.value != counter.value && is_same_code(history, series, night, before))
            return false;
    }
    return true;
}

void sg_night_counter_changes(const struct sg_history *history,
                              const struct sg_history_series *series,
                              const struct sg_catalogue *catalogue, size_t night,
                              struct sg_names *changes)
{
    const struct sg_night_row *row = sg_series_row(history, series, night);
    struct counter now;
    if (!row)
        return;
    for (const char *list = sg_intern_pool_string(history->pool, row->counters);
         next_counter(&list, &now);) {
        struct counter before = now;
        const size_t then = night_with(history, series, night, &before);
        if (then != SG_NO_NIGHT && is_change(catalogue, now.name, before.value, now.value) &&
            (row->code == 0 || !is_same_code(history, series, night, then)) &&
            is_steady(history, series, then, before))
            sg_names_addf(changes, "%s %.9g -> %.9g", now.name, before.value, now.value);
    }
}
