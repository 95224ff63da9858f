#include "results/unit_health.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/validity.h"
#include "stats/statistics.h"

#define MAD_TO_SD 1.4826022185056018

const char *sg_health_word(enum sg_health health)
{
    static const char *const words[] = {SG_HEALTH_TABLE(SG_WORD)};
    return words[health];
}

/* Is the reading too old for the newest? A date that is none counts as new. */
static bool is_old(const char *date, const char *newest)
{
    char then[16] = "", now[16] = "";
    time_t from = 0, to = 0;
    memcpy(then, date, strnlen(date, strlen("2026-11-20")));
    memcpy(now, newest, strnlen(newest, strlen("2026-11-20")));
    return sg_parse_day(then, &from) && sg_parse_day(now, &to) &&
           difftime(to, from) > SG_HEALTH_NIGHTS * SG_DAY_S;
}

static int by_unit(const void *left, const void *right)
{
    const struct sg_unit_reading *a = left, *b = right;
    const int order = strcmp(a->unit->name, b->unit->name);
    return order != 0 ? order : strcmp(a->date, b->date);
}

static double figure_of(const struct sg_unit *unit, enum sg_drift_kind kind)
{
    return kind == SG_DRIFT_CHAIN ? unit->chain_cycles : unit->copy_ns;
}

/* Median of the readings [from, to) of one GPU; NaN: none has the figure. */
static double median_of(const struct sg_unit_reading *readings, size_t from, size_t to,
                        enum sg_drift_kind kind, double *scratch)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (figure_of(readings[i].unit, kind) > 0)
            scratch[n++] = figure_of(readings[i].unit, kind);
    return n > 0 ? sg_median(scratch, n) : NAN;
}

/* The last reading of a GPU over the median of all others, - 1. */
static double against(const double *medians, size_t count, size_t gpu, double last, double *sd,
                      size_t *siblings, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i != gpu && medians[i] > 0)
            scratch[n++] = medians[i];
    *siblings = n;
    *sd = NAN;
    if (n < SG_SIBLINGS_LEAST || !(last > 0))
        return NAN;
    const double median = sg_median(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] / median - 1);
    *sd = MAD_TO_SD * sg_median(scratch, n);
    return last / median - 1;
}

static bool is_slow(double change, double sd, enum sg_drift_kind kind)
{
    return change > sg_drift_references[kind].limit && change > SG_HEALTH_SD * sd;
}

static enum sg_health judge(const struct sg_unit_health *gpu)
{
    const double all = (double)(gpu->unit.processes + gpu->unit.dropped);
    if (gpu->unit.lost[0])
        return SG_LOST_GPU;
    if (is_slow(gpu->chain, gpu->chain_sd, SG_DRIFT_CHAIN) ||
        is_slow(gpu->copy, gpu->copy_sd, SG_DRIFT_COPY))
        return SG_SLOW_GPU;
    if ((double)gpu->unit.dropped > SG_HEALTH_DROPPED * all)
        return SG_UNSTEADY_GPU;
    return isnan(gpu->chain) && isnan(gpu->copy) ? SG_THIN : SG_HEALTHY;
}

/* Joins the readings [from, to) of one GPU. */
static struct sg_unit_health join(const struct sg_unit_reading *readings, size_t from, size_t to)
{
    struct sg_unit_health gpu = {
        .unit = *readings[to - 1].unit, .last = readings[to - 1].date, .readings = to - from};
    for (size_t i = from; i + 1 < to; i++) {
        gpu.unit.processes += readings[i].unit->processes;
        gpu.unit.dropped += readings[i].unit->dropped;
        gpu.unit.events |= readings[i].unit->events;
        gpu.unit.events_known |= readings[i].unit->events_known;
    }
    return gpu;
}

/* Sorts the readings that count, and returns how many they are. */
static size_t keep_new(struct sg_unit_reading *readings, size_t count)
{
    const char *newest = "";
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        newest = sg_later_date(newest, readings[i].date);
    for (size_t i = 0; i < count; i++)
        if (!is_old(readings[i].date, newest))
            readings[kept++] = readings[i];
    if (kept > 0)
        qsort(readings, kept, sizeof(*readings), by_unit);
    return kept;
}

size_t sg_unit_health_of(const struct sg_unit_reading *given, size_t count,
                         struct sg_unit_health *gpus)
{
    SG_FREED struct sg_unit_reading *readings = sg_alloc(count + 1, sizeof(*readings));
    SG_FREED double *numbers = sg_alloc(3 * count + 1, sizeof(*numbers));
    double *median[SG_DRIFT_COUNT] = {numbers, numbers + count}, *scratch = numbers + 2 * count;
    memcpy(readings, given, count * sizeof(*readings));
    const size_t kept = keep_new(readings, count);
    size_t n = 0;
    for (size_t from = 0, to; from < kept; from = to) {
        for (to = from;
             to < kept && strcmp(readings[to].unit->name, readings[from].unit->name) == 0;)
            to++;
        for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
            median[kind][n] = median_of(readings, from, to, kind, scratch);
        gpus[n++] = join(readings, from, to);
    }
    for (size_t i = 0; i < n; i++) {
        size_t of_copy;
        gpus[i].copy = against(median[SG_DRIFT_COPY], n, i, gpus[i].unit.copy_ns, &gpus[i].copy_sd,
                               &of_copy, scratch);
        gpus[i].chain = against(median[SG_DRIFT_CHAIN], n, i, gpus[i].unit.chain_cycles,
                                &gpus[i].chain_sd, &gpus[i].siblings, scratch);
        gpus[i].siblings = of_copy > gpus[i].siblings ? of_copy : gpus[i].siblings;
        gpus[i].health = judge(&gpus[i]);
    }
    return n;
}

void sg_unit_health_describe(const struct sg_unit_health *gpu, struct sg_text *out)
{
    if (gpu->unit.lost[0])
        sg_text_addf(out, "%s; ", gpu->unit.lost);
    if (gpu->health == SG_UNSTEADY_GPU)
        sg_text_addf(out, "%llu of %llu processes dropped; ", (unsigned long long)gpu->unit.dropped,
                     (unsigned long long)gpu->unit.processes + gpu->unit.dropped);
    if (gpu->siblings < SG_SIBLINGS_LEAST)
        sg_text_addf(out, "%zu other GPU%s of its model, %d needed", gpu->siblings,
                     SG_PLURAL(gpu->siblings), SG_SIBLINGS_LEAST);
    else if (isnan(gpu->chain) && isnan(gpu->copy))
        sg_text_add(out, "its last run timed neither chain nor copy");
    else
        sg_text_addf(
            out,
            "chain %+.2f %%, copy %+.2f %% relative to the median of %zu GPUs (sd %.2g and "
            "%.2g %%)",
            100 * gpu->chain, 100 * gpu->copy, gpu->siblings, 100 * gpu->chain_sd,
            100 * gpu->copy_sd);
}
