#include "results/unit_health.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/statistics.h"

const char *sg_health_word(enum sg_health health)
{
    static const char *const words[] = {SG_HEALTH_TABLE(SG_WORD)};
    return words[health];
}

/* Is the reading too old for the newest? A date that is none counts as new. */
static bool is_old(const char *date, const char *newest)
{
    char then[16], now[16];
    time_t from = 0, to = 0;
    snprintf(then, sizeof(then), "%.10s", date);
    snprintf(now, sizeof(now), "%.10s", newest);
    return sg_parse_day(then, &from) && sg_parse_day(now, &to) &&
           difftime(to, from) > SG_HEALTH_NIGHTS * SG_DAY_S;
}

static int by_unit(const void *left, const void *right)
{
    const struct sg_unit *a = left, *b = right;
    const int model = strcmp(a->model, b->model), name = strcmp(a->name, b->name);
    return model != 0 ? model : name != 0 ? name : strcmp(a->date, b->date);
}

static double figure_of(const struct sg_unit *unit, enum sg_drift_kind kind)
{
    return kind == SG_DRIFT_CHAIN ? unit->chain_cycles : unit->copy_ns;
}

/* Median of the readings [from, to) of one GPU; NaN: none has the figure. */
static double median_of(const struct sg_unit *readings, size_t from, size_t to,
                        enum sg_drift_kind kind, double *scratch)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (figure_of(&readings[i], kind) > 0)
            scratch[n++] = figure_of(&readings[i], kind);
    return n > 0 ? sg_median(scratch, n) : NAN;
}

/* Compares the last reading of a GPU with the medians of all others. */
static void compare(const double *medians, size_t count, size_t at, enum sg_drift_kind kind,
                    struct sg_unit_health *gpu, double *scratch)
{
    const double last = figure_of(&gpu->unit, kind);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i != at && medians[i] > 0)
            scratch[n++] = medians[i];
    gpu->siblings = n > gpu->siblings ? n : gpu->siblings;
    gpu->change[kind] = gpu->sd[kind] = NAN;
    if (n < SG_SIBLINGS_LEAST || !(last > 0))
        return;
    const double median = sg_median(scratch, n);
    gpu->change[kind] = last / median - 1;
    gpu->sd[kind] = sg_robust_sd(scratch, n) / median;
}

static bool is_unread(const struct sg_unit_health *gpu)
{
    return isnan(gpu->change[SG_DRIFT_CHAIN]) && isnan(gpu->change[SG_DRIFT_COPY]);
}

static enum sg_health judge(const struct sg_unit_health *gpu)
{
    const double all = (double)(gpu->unit.processes + gpu->unit.dropped);
    if (gpu->unit.lost[0])
        return SG_LOST_GPU;
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
        if (gpu->change[kind] > sg_drift_references[kind].limit &&
            gpu->change[kind] > SG_HEALTH_SD * gpu->sd[kind])
            return SG_SLOW_GPU;
    if ((double)gpu->unit.dropped > SG_HEALTH_DROPPED * all)
        return SG_UNSTEADY_GPU;
    return is_unread(gpu) ? SG_THIN : SG_HEALTHY;
}

/* Drops old readings of one model, and returns how many are left. */
static size_t keep_new(struct sg_unit *readings, size_t count)
{
    const char *newest = "";
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        newest = sg_later_date(newest, readings[i].date);
    for (size_t i = 0; i < count; i++)
        if (!is_old(readings[i].date, newest))
            readings[kept++] = readings[i];
    return kept;
}

/* Judges the GPUs of one model, whose readings are sorted. `numbers` has room for three each. */
static size_t judge_model(struct sg_unit *readings, size_t count, double *numbers,
                          struct sg_unit_health *gpus)
{
    double *median[SG_DRIFT_COUNT] = {numbers, numbers + count}, *scratch = numbers + 2 * count;
    const size_t kept = keep_new(readings, count);
    size_t n = 0;
    for (size_t from = 0, to; from < kept; from = to, n++) {
        for (to = from + 1; to < kept && strcmp(readings[to].name, readings[from].name) == 0;)
            to++;
        for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
            median[kind][n] = median_of(readings, from, to, kind, scratch);
        const size_t last = to - 1;
        gpus[n] = (struct sg_unit_health){.unit = readings[last]};
        for (size_t i = from; i < last; i++)
            sg_unit_add_counts(&gpus[n].unit, &readings[i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
            compare(median[kind], n, i, kind, &gpus[i], scratch);
        gpus[i].health = judge(&gpus[i]);
    }
    return n;
}

size_t sg_unit_health_of(const struct sg_unit *given, size_t count, struct sg_unit_health *gpus)
{
    SG_FREED struct sg_unit *readings = sg_alloc(count + 1, sizeof(*readings));
    SG_FREED double *numbers = sg_alloc(3 * count + 1, sizeof(*numbers));
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        readings[i] = given[i];
        readings[i].model = given[i].model ? given[i].model : "";
        readings[i].date = given[i].date ? given[i].date : "";
    }
    qsort(readings, count, sizeof(*readings), by_unit);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && strcmp(readings[to].model, readings[from].model) == 0;)
            to++;
        n += judge_model(readings + from, to - from, numbers, gpus + n);
    }
    return n;
}

static void add_share(struct sg_text *out, double ratio, bool is_change)
{
    if (isnan(ratio))
        sg_text_add(out, "-");
    else if (is_change)
        sg_text_addf(out, "%+.2f %%", 100 * ratio);
    else
        sg_text_addf(out, "%.2g", 100 * ratio);
}

void sg_unit_health_describe(const struct sg_unit_health *gpu, struct sg_text *out)
{
    if (gpu->unit.lost[0])
        sg_text_addf(out, "%s; ", gpu->unit.lost);
    if (gpu->health == SG_UNSTEADY_GPU)
        sg_text_addf(out, "%" PRIu64 " of %" PRIu64 " processes dropped; ", gpu->unit.dropped,
                     gpu->unit.processes + gpu->unit.dropped);
    if (gpu->siblings < SG_SIBLINGS_LEAST) {
        sg_text_addf(out, "%zu other GPU%s of its model, %d needed", gpu->siblings,
                     SG_PLURAL(gpu->siblings), SG_SIBLINGS_LEAST);
        return;
    }
    if (is_unread(gpu)) {
        sg_text_add(out, "its last run timed neither chain nor copy");
        return;
    }
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++) {
        sg_text_addf(out, "%s%s ", kind > 0 ? ", " : "", sg_drift_references[kind].word);
        add_share(out, gpu->change[kind], true);
    }
    sg_text_addf(out, " relative to the median of %zu GPUs (sd ", gpu->siblings);
    add_share(out, gpu->sd[SG_DRIFT_CHAIN], false);
    sg_text_add(out, " and ");
    add_share(out, gpu->sd[SG_DRIFT_COPY], false);
    sg_text_add(out, " %)");
}
