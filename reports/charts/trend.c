/*
 * A series of nightly runs: values with intervals, the levels between steps, and changes of the
 * machine.
 */
#define _GNU_SOURCE /* strptime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/charts/charts.h"
#include "results/kernel_commit.h"
#include "stats/statistics.h"
#include "util/number_format.h"

#define NIGHTS_LEAST 3 /* fewer show no trend */
#define DAY_S        86400.0
#define INTERVAL     1.96
#define ROOM         0.08  /* share of the time that is left free at the sides */
#define LEAST_DAYS   0.001 /* the axis is given to gnuplot with nine digits */
#define GPUS_NAMED   6
#define MARKS_MOST   40
#define COMMIT_SHOWN 7
#define UUID_SHOWN   8
#define DRIVER_SHOWN 16
#define LEVEL_COLOUR 0x212121
enum { STEP_COLOUR = 0xc62828, ACCEPT_COLOUR = 0x2e7d32, DRIVER_COLOUR = 0x6a1b9a };
/* the last one for unnamed GPUs */
static const int gpu_colours[GPUS_NAMED + 1] = {0x1565c0, 0xef6c00, 0x00838f, 0xad1457,
                                                0x9e9d24, 0x5d4037, 0x9e9e9e};

/* A vertical line with a number, whose words are in the key. */
struct mark {
    double day;
    int colour;
    char words[64];
};

struct trend {
    const struct sg_judgement *judgement;
    const struct sg_history_series *series;
    const struct sg_history *history;
    size_t nights;
    double *level;  /* owned; ln, sum of the steps so far, by run */
    double *offset; /* owned; ln, of each scale: values of one kind on one machine */
    double zero;    /* ln, less offset: the accepted build, else the accepted level */
    unsigned *gpu;  /* owned; by run, from 0 */
    struct sg_names gpus;
    struct mark marks[MARKS_MOST];
    size_t mark_count;
    bool has_accepted; /* some level was accepted */
};

/* Days since 1970, with the time of day if the date has one. */
static double day_of(const struct sg_history *history, size_t night)
{
    const char *date = sg_night_fact(history, night, SG_NIGHT_DATE);
    struct tm day = {0};
    if (!strptime(date, SG_UTC_TIME, &day)) {
        day = (struct tm){0};
        strptime(date, "%Y-%m-%d", &day);
    }
    return (double)timegm(&day) / DAY_S;
}

static void find_levels(struct trend *t)
{
    const struct sg_series_steps *steps = &t->series->steps;
    double level = 0;
    for (size_t night = 0, next = 0; night < t->nights; night++) {
        for (; next < steps->count && steps->steps[next].at <= night; next++)
            level += isnan(steps->steps[next].change) ? 0 : steps->steps[next].change;
        t->level[night] = level;
    }
}

/* Offset of each scale above the steps: the median of its runs. */
static void find_offsets(struct trend *t)
{
    SG_FREED double *values = sg_alloc(t->nights, sizeof(*values));
    for (unsigned level = 0; level < t->series->joined; level++) {
        size_t n = 0;
        for (size_t night = 0; night < t->nights; night++)
            if (t->series->values[night].joined == level && !isnan(t->series->values[night].value))
                values[n++] = t->series->values[night].value - t->level[night];
        t->offset[level] = n > 0 ? sg_median(values, n) : 0;
    }
}

/* Sets the zero to the accepted build of the last run; without accepted builds, to the level that
 * was accepted last, or that of the first runs. */
static void find_zero(struct trend *t)
{
    const struct sg_series_steps *steps = &t->series->steps;
    for (size_t i = 0; i < steps->count; i++)
        if (sg_is_settled(t->series->decided[steps->steps[i].at]))
            t->zero = t->level[steps->steps[i].at];
    for (size_t night = 0; night < t->nights; night++)
        if (!isnan(t->series->values[night].value) && t->series->kinds[night] == SG_OF_BUILD)
            t->zero = t->series->shift[night] - t->offset[t->series->values[night].joined];
}

static void find_gpus(struct trend *t)
{
    for (size_t night = 0; night < t->nights; night++) {
        const char *name = sg_night_fact(t->history, night, "gpu_uuid_hash");
        size_t i = 0;
        while (i < t->gpus.count && strcmp(t->gpus.items[i], name) != 0)
            i++;
        if (i == t->gpus.count)
            sg_names_add(&t->gpus, name);
        t->gpu[night] = (unsigned)i;
    }
}

/* "": not known. */
static const char *commit_of(const struct trend *t, size_t night)
{
    char family[80];
    const char *item = sg_intern_pool_string(t->history->pool, t->series->item);
    snprintf(family, sizeof(family), "%.*s", (int)strcspn(item, "/"), item);
    return sg_kernel_commit(&t->history->nights[night].facts, family);
}

static double percent(const struct trend *t, double ln)
{
    return 100 * expm1(ln - t->zero);
}

/* y POINT day low high colour */
static void add_points(const struct trend *t, struct sg_chart *chart)
{
    for (size_t night = 0; night < t->nights; night++) {
        const struct sg_night_value *value = &t->series->values[night];
        if (isnan(value->value))
            continue;
        const double at = value->value - t->offset[value->joined],
                     half = value->se > 0 ? INTERVAL * value->se : 0;
        sg_line_begin(chart, percent(t, at), SG_LINE_POINT);
        sg_line_numbers(chart, day_of(t->history, night), percent(t, at - half),
                        percent(t, at + half),
                        gpu_colours[t->gpu[night] < GPUS_NAMED ? t->gpu[night] : GPUS_NAMED]);
    }
}

/* y SPAN day days colour: the level between two steps. A single run has one too, because
 * gnuplot 5.4 crashes (SIGSEGV) without any. */
static void add_spans(struct trend *t, struct sg_chart *chart)
{
    const struct sg_series_steps *steps = &t->series->steps;
    bool is_accepted = false;
    for (size_t i = 0, from = 0; i <= steps->count; i++) {
        const size_t to = i < steps->count ? steps->steps[i].at : t->nights - 1;
        t->has_accepted |= is_accepted;
        if (to > from || t->nights == 1) {
            sg_line_begin(chart, percent(t, t->level[from]), SG_LINE_SPAN);
            sg_line_numbers(chart, day_of(t->history, from),
                            day_of(t->history, to) - day_of(t->history, from),
                            is_accepted ? ACCEPT_COLOUR : LEVEL_COLOUR);
        }
        from = to;
        is_accepted =
            i < steps->count ? sg_is_settled(t->series->decided[steps->steps[i].at]) : is_accepted;
    }
}

static void add_mark(struct trend *t, double day, int colour, const char *words)
{
    if (t->mark_count == MARKS_MOST)
        return;
    struct mark *mark = &t->marks[t->mark_count++];
    *mark = (struct mark){.day = day, .colour = colour};
    snprintf(mark->words, sizeof(mark->words), "%s", words);
}

static int by_day(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    return (a->day > b->day) - (a->day < b->day);
}

/* lane MARK day colour number: marks of one nightly run share a number, and neighbours have numbers
 * at two heights. Adds the words of each to the key. */
static void add_marks(struct trend *t, struct sg_chart *chart)
{
    size_t number = 0;
    qsort(t->marks, t->mark_count, sizeof(t->marks[0]), by_day);
    for (size_t i = 0; i < t->mark_count; i++) {
        const struct mark *mark = &t->marks[i];
        number += i == 0 || mark[-1].day != mark->day;
        SG_FORMATTED(words, "%zu", number);
        sg_line_begin(chart, (double)(number % 2), SG_LINE_MARK);
        sg_line_numbers(chart, mark->day, mark->colour);
        sg_line_word(chart, words.data);
        sg_text_addf(&words, ": %s", mark->words);
        sg_chart_key(chart, SG_KEY_DASHES, 1.6, mark->colour, words.data);
    }
}

static void add_step_marks(struct trend *t)
{
    for (size_t i = 0; i < t->series->steps.count; i++) {
        const struct sg_series_step *step = &t->series->steps.steps[i];
        const int decided = t->series->decided[step->at];
        SG_SCOPED(sg_text) words = {0};
        if (!step->counts)
            continue;
        if (!isnan(step->change))
            sg_add_change(&words, expm1(step->since));
        sg_text_addf(&words, "%s%s %.*s", decided > 0 ? " " : "",
                     decided > 0 ? sg_decided_word(decided) : "", COMMIT_SHOWN,
                     commit_of(t, step->at));
        add_mark(t, day_of(t->history, step->at),
                 sg_is_settled(decided) ? ACCEPT_COLOUR : STEP_COLOUR, sg_text_string(&words));
    }
}

/* The first run of each driver; the cards of a fleet may change drivers in different runs. */
static void add_driver_marks(struct trend *t)
{
    SG_SCOPED(sg_names) seen = {0};
    for (size_t night = 0; night < t->nights; night++) {
        const char *driver = sg_night_fact(t->history, night, "driver");
        if (sg_names_have(&seen, driver))
            continue;
        SG_FORMATTED(words, "new driver %.*s", DRIVER_SHOWN, driver);
        if (seen.count > 0)
            add_mark(t, day_of(t->history, night), DRIVER_COLOUR, words.data);
        sg_names_add(&seen, driver);
    }
}

/* Adds the GPUs in the order of colours, then the kinds of levels. */
static void add_legend(const struct trend *t, struct sg_chart *chart)
{
    for (size_t i = 0; i < t->gpus.count && i < GPUS_NAMED; i++) {
        SG_FORMATTED(words, "GPU %.*s", UUID_SHOWN,
                     *t->gpus.items[i] ? t->gpus.items[i] : "unknown");
        sg_chart_key(chart, SG_DISC, 0.8, gpu_colours[i], words.data);
    }
    if (t->gpus.count > GPUS_NAMED)
        sg_chart_key(chart, SG_DISC, 0.8, gpu_colours[GPUS_NAMED], "other GPUs");
    sg_chart_key(chart, SG_KEY_LINE, 2, LEVEL_COLOUR, "level");
    if (t->has_accepted)
        sg_chart_key(chart, SG_KEY_LINE, 2, ACCEPT_COLOUR, "accepted level");
}

static void choose_axes(const struct trend *t, struct sg_chart *chart)
{
    const double first = day_of(t->history, 0), last = day_of(t->history, t->nights - 1);
    const double margin = last > first ? fmin(fmax(ROOM * (last - first), LEAST_DAYS), 1) : 1;
    chart->x_low = first - margin;
    chart->x_high = last + margin;
}

/* File names have no slash. Two groups may have the same item. */
static void name_files(const char *item, const struct sg_charts *others, struct sg_chart *chart)
{
    snprintf(chart->name, sizeof(chart->name), "trend_%.*s", (int)sizeof(chart->name) - 16, item);
    for (char *at = chart->name; *at; at++)
        if (*at == '/')
            *at = '-';
    for (size_t i = 0; i < others->count; i++)
        if (strcmp(others->items[i].name, chart->name) == 0) {
            const size_t length = strlen(chart->name);
            snprintf(chart->name + length, sizeof(chart->name) - length, "_%zu", others->count);
        }
}

static struct trend begin(const struct sg_judgement *judgement, size_t series)
{
    const size_t nights = judgement->history->count;
    struct trend t = {.judgement = judgement,
                      .series = &judgement->series[series],
                      .history = judgement->history,
                      .nights = nights,
                      .level = sg_alloc(nights, sizeof(double)),
                      .offset = sg_alloc(judgement->series[series].joined + 1, sizeof(double)),
                      .gpu = sg_alloc(nights, sizeof(unsigned))};
    find_levels(&t);
    find_offsets(&t);
    find_zero(&t);
    return t;
}

void sg_trend_values(const struct sg_judgement *judgement, size_t series, double *percents)
{
    struct trend t = begin(judgement, series);
    for (size_t night = 0; night < t.nights; night++) {
        const struct sg_night_value *value = &t.series->values[night];
        percents[night] =
            isnan(value->value) ? NAN : percent(&t, value->value - t.offset[value->joined]);
    }
}

static bool has_trend(const struct sg_judgement *judgement, size_t series)
{
    size_t count = 0;
    for (size_t night = 0; night < judgement->history->count; night++)
        count += !isnan(judgement->series[series].values[night].value);
    return count >= NIGHTS_LEAST;
}

void sg_chart_trend(const struct sg_judgement *judgement, const char *group, size_t series,
                    struct sg_charts *charts)
{
    static const char *const axes[] = {
        [SG_OF_BUILD] = "time against the accepted build, paired on one GPU",
        [SG_OF_RATIO] = "ratio paired on one GPU, against the accepted level or the first runs",
        [SG_OF_TIME] = "time at one clock, against the accepted level or the first runs"};
    if (!has_trend(judgement, series))
        return;
    struct trend t = begin(judgement, series);
    const char *item = sg_intern_pool_string(t.history->pool, t.series->item);
    struct sg_chart chart = {.script = "trend.gp",
                             .link = "trend",
                             .axis = axes[t.series->kind],
                             .read = "A point is a nightly run with its 95 % interval, corrected "
                                     "for GPU and driver. Higher is slower. Each numbered line is "
                                     "in the key."};
    struct sg_text title = sg_text_of("%s  (%s)", item, group);
    chart.title = chart.own_title = title.data;
    sg_chart_show(&chart, "%zu nightly runs, %zu step%s", t.nights, t.series->steps.count,
                  SG_PLURAL(t.series->steps.count));
    sg_text_addf(&chart.rows, "\n%s\n", item);
    name_files(item, charts, &chart);
    find_gpus(&t);
    add_spans(&t, &chart);
    add_points(&t, &chart);
    choose_axes(&t, &chart);
    add_driver_marks(&t);
    add_step_marks(&t);
    add_legend(&t, &chart);
    add_marks(&t, &chart);
    *SG_APPEND(charts->items, charts->count, charts->capacity) = chart;
}
