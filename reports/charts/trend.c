/* A series of nights: values with intervals, the levels between steps, and
 * what changed on the machine's side. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/charts/charts.h"
#include "stats/statistics.h"
#include "util/number_format.h"

#define WIDTH        980.0
#define HEIGHT       380.0
#define KEY_PIXELS   190.0
#define DAY_S        86400.0
#define INTERVAL     1.96
#define ROOM         0.08 /* of the range, below */
#define HEAD         0.30 /* of the range, above: for the words of marks */
#define LEAST_RANGE  0.4  /* percent */
#define GPUS_NAMED   6
#define MARK_LINES   3 /* that words of marks of one kind take in turn, for they may be near each other */
#define UUID_SHOWN   8
#define DRIVER_SHOWN 16
#define STEP_WORDS   "#c62828"
#define ACCEPT_WORDS "#2e7d32"
#define DRIVER_WORDS "#6a1b9a"
#define GPU_WORDS    "#757575"

struct trend {
    const struct sg_judgement *judgement;
    const struct sg_history_series *series;
    const struct sg_history *history;
    size_t nights;
    double *level;  /* owned; ln, of the steps so far, by night */
    double *offset; /* owned; ln, of what is on one scale: values of one kind on one machine */
    unsigned *gpu;  /* owned; by night, from 0 */
    struct sg_names gpus;
};

/* Of "2026-11-23T18:03:37Z", from the first of them on; 0 for what is no number. */
static int two_digits(const char *at)
{
    return isdigit((unsigned char)at[0]) && isdigit((unsigned char)at[1]) ? 10 * (at[0] - '0') + at[1] - '0' : 0;
}

/* Days since 1970, with the time of day. */
static double day_of(const struct sg_history *history, size_t night)
{
    const char *date = sg_night_fact(history, night, SG_NIGHT_DATE);
    char day[] = "0000-00-00";
    time_t seconds = 0;
    snprintf(day, sizeof(day), "%.10s", date);
    sg_parse_day(day, &seconds);
    const double s = strlen(date) >= sizeof("2026-11-23T18:03:37") - 1
                         ? 3600.0 * two_digits(date + 11) + 60.0 * two_digits(date + 14) + two_digits(date + 17)
                         : 0;
    return ((double)seconds + s) / DAY_S;
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

/* What each scale lies above the steps: the median of its nights. */
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

static double percent(double ln)
{
    return 100 * expm1(ln);
}

static void take(struct sg_chart *chart, double value)
{
    chart->y_low = fmin(chart->y_low, value);
    chart->y_high = fmax(chart->y_high, value);
}

/* y POINT day low high gpu */
static void add_points(const struct trend *t, struct sg_chart *chart)
{
    for (size_t night = 0; night < t->nights; night++) {
        const struct sg_night_value *value = &t->series->values[night];
        if (isnan(value->value))
            continue;
        const double at = value->value - t->offset[value->joined], half = value->se > 0 ? INTERVAL * value->se : 0;
        sg_line_begin(chart, percent(at), SG_LINE_POINT);
        sg_line_numbers(chart, day_of(t->history, night), percent(at - half), percent(at + half),
                        t->gpu[night] < GPUS_NAMED ? t->gpu[night] : GPUS_NAMED);
        take(chart, percent(at - half));
        take(chart, percent(at + half));
    }
}

/* y SPAN day days is_accepted: the level between two steps. A night by itself has one too: without
 * any gnuplot 5.4 dies of SIGSEGV. */
static void add_spans(const struct trend *t, struct sg_chart *chart)
{
    const struct sg_series_steps *steps = &t->series->steps;
    bool is_accepted = false;
    for (size_t i = 0, from = 0; i <= steps->count; i++) {
        const size_t to = i < steps->count ? steps->steps[i].at : t->nights - 1;
        if (to > from || t->nights == 1) {
            sg_line_begin(chart, percent(t->level[from]), SG_LINE_SPAN);
            sg_line_numbers(chart, day_of(t->history, from), day_of(t->history, to) - day_of(t->history, from), is_accepted);
        }
        from = to;
        is_accepted = i < steps->count ? sg_is_settled(t->series->decided[steps->steps[i].at]) : is_accepted;
    }
}

/* y MARK day colour words: a line from top to bottom, with its words at height y of ten. */
static void add_mark(struct sg_chart *chart, double day, double height, const char *colour, const char *words)
{
    sg_line_begin(chart, height, SG_LINE_MARK);
    sg_line_numbers(chart, day, (double)strtol(colour + 1, NULL, 16));
    sg_line_word(chart, words);
}

static void add_step_marks(const struct trend *t, struct sg_chart *chart)
{
    for (size_t i = 0; i < t->series->steps.count; i++) {
        const struct sg_series_step *step = &t->series->steps.steps[i];
        const int decided = t->series->decided[step->at];
        SG_SCOPED(sg_text) words = {0};
        if (!step->counts)
            continue;
        if (!isnan(step->change))
            sg_add_change(&words, expm1(step->since));
        if (decided > 0)
            sg_text_addf(&words, " %s", sg_decided_word(decided));
        add_mark(chart, day_of(t->history, step->at), (double)(i % 2), sg_is_settled(decided) ? ACCEPT_WORDS : STEP_WORDS,
                 sg_text_string(&words));
    }
}

/* The first night of each driver, or of each GPU while there are few; those of a
 * fleet may change on different nights. */
static void add_machine_marks(const struct trend *t, const char *key, const char *colour, double line, struct sg_chart *chart)
{
    SG_SCOPED(sg_names) seen = {0};
    for (size_t night = 0; night < t->nights && seen.count < GPUS_NAMED; night++) {
        const char *value = sg_night_fact(t->history, night, key);
        if (sg_names_have(&seen, value))
            continue;
        SG_SCOPED(sg_text) words = {0};
        sg_text_addf(&words, "new %s %.*s", *key == 'd' ? "driver" : "GPU", *key == 'd' ? DRIVER_SHOWN : UUID_SHOWN, value);
        if (seen.count > 0)
            add_mark(chart, day_of(t->history, night), line + (double)((seen.count - 1) % MARK_LINES), colour, words.data);
        sg_names_add(&seen, value);
    }
}

/* In its order of colours. */
static void add_gpu_legend(const struct trend *t, struct sg_chart *chart)
{
    for (size_t i = 0; i < t->gpus.count && i < GPUS_NAMED; i++)
        sg_text_addf(&chart->legend, "%sGPU_%.*s", i > 0 ? " " : "", UUID_SHOWN, *t->gpus.items[i] ? t->gpus.items[i] : "unknown");
    if (t->gpus.count > GPUS_NAMED)
        sg_text_add(&chart->legend, " other_GPUs");
}

static void choose_axes(const struct trend *t, struct sg_chart *chart)
{
    const double room = fmax(ROOM * (chart->y_high - chart->y_low), LEAST_RANGE / 2);
    chart->y_high += fmax(HEAD * (chart->y_high - chart->y_low), room);
    chart->y_low -= room;
    const double first = day_of(t->history, 0), last = day_of(t->history, t->nights - 1);
    const double beside = last > first ? fmin(ROOM * (last - first), 1) : 1;
    chart->x_low = first - beside;
    chart->x_high = last + beside;
}

/* The names of files hold no slash. */
static void name_files(const char *item, struct sg_chart *chart)
{
    snprintf(chart->name, sizeof(chart->name), "trend_%.*s", (int)sizeof(chart->name) - 8, item);
    for (char *at = chart->name; *at; at++)
        if (*at == '/')
            *at = '-';
}

void sg_chart_trend(const struct sg_judgement *judgement, size_t series, struct sg_chart *chart)
{
    const struct sg_history *history = judgement->history;
    struct trend t = {.judgement = judgement,
                      .series = &judgement->series[series],
                      .history = history,
                      .nights = history->count,
                      .level = sg_alloc(history->count, sizeof(double)),
                      .offset = sg_alloc(judgement->series[series].joined + 1, sizeof(double)),
                      .gpu = sg_alloc(history->count, sizeof(unsigned))};
    const char *item = sg_intern_pool_string(history->pool, t.series->item);
    static const char *const axes[] = {[SG_OF_BUILD] = "ratio of builds, against the first nights",
                                       [SG_OF_RATIO] = "ratio, against the first nights",
                                       [SG_OF_TIME] = "time at one clock, against the first nights"};
    *chart = (struct sg_chart){.script = "trend.gp",
                               .title = item,
                               .axis = axes[t.series->kind],
                               .read = "A point is a night with its 95 % interval, less what its GPU and driver differ by.",
                               .left = 110,
                               .right = KEY_PIXELS,
                               .top = 56,
                               .bottom = 94,
                               .width = WIDTH,
                               .height = HEIGHT};
    name_files(item, chart);
    find_levels(&t);
    find_offsets(&t);
    find_gpus(&t);
    add_spans(&t, chart);
    add_points(&t, chart);
    add_step_marks(&t, chart);
    add_machine_marks(&t, "driver", DRIVER_WORDS, 2, chart);
    add_machine_marks(&t, "gpu_uuid_hash", GPU_WORDS, 3, chart);
    add_gpu_legend(&t, chart);
    choose_axes(&t, chart);
    sg_names_release(&t.gpus);
    free(t.gpu);
    free(t.offset);
    free(t.level);
}
