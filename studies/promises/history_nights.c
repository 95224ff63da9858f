/*
 * Nights of a suite in plain lines, made and judged; studies/history_simulation.py drives
 * both.
 *
 *     history_nights make GPUS SERIES SEED   365 nights of simulated launches and measured spreads
 *     history_nights judge usual|few [pairs] reads nights, and prints what `solgate history check`
 *                                            lists on each; pairs: of ratios to an accepted build
 *
 * A line of a night, the series in order: series night gpu driver value se again again_se. value:
 * ln of the ratio that its processes read; again: what as many read in the same night, if they are
 * asked. A row that is off and asks for an A/B is so measured again, night by night.
 *
 * Lines of what is found:
 *     step SERIES FOUND AT CHANGE LOW HIGH   its night, place, size (ln, 95 %); of those that count
 *     off SERIES NIGHT Z                     a single night that asks for an A/B
 *     creep SERIES LOW                       on the last night
 *     again COUNT                            rows that were measured again
 *     r R                                    correlation of nights, on the last one
 *     unwatched COUNT                        series that are too thin to find a step
 *
 * Launches, rounds and processes of `make` are those of simulated_source.h, ten processes a night
 * in eight settings. What is added from night to night is measured: the spreads between GPUs and
 * between runs on one GPU are those of nine rows of docs/validation.md ("Between GPUs of one
 * model").
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/judge.h"
#include "simulated_source.h"
#include "stats/change_point.h"
#include "util/random.h"
#include "util/text.h"

#define NIGHTS    365
#define PROCESSES 10
#define GPUS_MAX  32

/* ---- make ---- */

/* sd between GPUs, and between runs of one GPU, percent. */
static const double spreads[][2] = {{1.12, 0.10}, {1.10, 0.15},   {0.96, 0.09},
                                    {0.92, 0.11}, {0.76, 0.08},   {0.80, 0.23},
                                    {0.28, 0.12}, {0.008, 0.005}, {0.06, 0.06}};
#define SPREADS (sizeof(spreads) / sizeof(spreads[0]))

/* What so many processes read of a ratio of 1. */
static struct sg_estimate measure(enum sg_setting setting, uint64_t seed)
{
    const double ratio = 1;
    const size_t only = 0;
    struct sg_simulated_source source = sg_simulated_setting(setting, seed);
    source.ratio = &ratio;
    const struct sg_measurer measurer = sg_simulated_measurer(&source);
    struct sg_sequential_pair pair = {
        .tolerance = source.tolerance / 2}; /* rounds of a run have half the noise of a gate's */
    struct sg_sequential engine = {.pairs = &pair, .count = 1, .lambda = 1};
    for (unsigned process = 0; process < PROCESSES; process++)
        measurer.measure(measurer.context, process, &only, 1, &engine, &(struct sg_err){0});
    return sg_abba_estimate(pair.y, PROCESSES);
}

static void make_series(unsigned number, unsigned gpus, uint64_t seed)
{
    struct sg_shown name = {0};
    snprintf(name.text, sizeof(name.text), "%u", number);
    uint64_t random = sg_simulate_seed(seed, name.text);
    const double *spread = spreads[number % SPREADS];
    const enum sg_setting setting = (enum sg_setting)(number % SG_SETTING_COUNT);
    double gpu[GPUS_MAX];
    for (unsigned i = 0; i < gpus; i++)
        gpu[i] = spread[0] / 100 * sg_random_normal(&random);
    for (unsigned night = 0; night < NIGHTS; night++) {
        const struct sg_estimate read = measure(setting, sg_random_next(&random)),
                                 again = measure(setting, sg_random_next(&random));
        const double day = spread[1] / 100 * sg_random_normal(&random);
        const unsigned of = night * 7 % gpus;
        printf("%u %u %u 0 %.9g %.3g %.9g %.3g\n", number, night, of, read.mean + day + gpu[of],
               read.se, again.mean + day + gpu[of], again.se);
    }
}

/* ---- judge ---- */

struct line {
    unsigned series, night, gpu, driver;
    double value, se, again, again_se;
    bool is_again;
};

struct lines {
    struct line *items;
    size_t count, capacity;
};

static struct lines read_lines(void)
{
    struct lines lines = {0};
    struct line line = {0};
    while (scanf("%u %u %u %u %lf %lf %lf %lf", &line.series, &line.night, &line.gpu, &line.driver,
                 &line.value, &line.se, &line.again, &line.again_se) == 8)
        *SG_APPEND(lines.items, lines.count, lines.capacity) = line;
    return lines;
}

static int by_night(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->night != b->night)
        return a->night < b->night ? -1 : 1;
    return (a->series > b->series) - (a->series < b->series);
}

static void begin_night(const struct line *line, struct sg_history *history)
{
    char word[32];
    struct sg_env *facts = &sg_history_begin_night(history)->facts;
    snprintf(word, sizeof(word), "2026-%02u-%02u", 1 + line->night / 31, 1 + line->night % 31);
    sg_env_set(facts, SG_NIGHT_DATE, word);
    snprintf(word, sizeof(word), "gpu%u", line->gpu);
    sg_env_set(facts, SG_NIGHT_UNIT, word);
    snprintf(word, sizeof(word), "%u", line->driver);
    sg_env_set(facts, "driver", word);
}

/* As measured on: what the later processes read where they differ, else what all do. */
static void set_ratio(const struct line *line, bool is_pair, struct sg_night_row *row)
{
    double *ratio = is_pair ? &row->build_ratio : &row->ratio;
    float *se = is_pair ? &row->build_ratio_se : &row->ratio_se;
    const bool differs =
        sg_abba_differ(&(struct sg_estimate){.mean = line->value, .se = line->se},
                       &(struct sg_estimate){.mean = line->again, .se = line->again_se});
    *ratio = exp(!line->is_again ? line->value
                 : differs       ? line->again
                                 : (line->value + line->again) / 2);
    *se = !line->is_again ? line->se
          : differs       ? line->again_se
                          : hypot(line->se, line->again_se) / 2;
}

static void make_history(const struct lines *lines, bool are_pairs, struct sg_history *history)
{
    *history = (struct sg_history){0};
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        char name[32];
        if (i == 0 || lines->items[i - 1].night != line->night)
            begin_night(line, history);
        struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
        snprintf(name, sizeof(name), "s%u", line->series);
        row.name = sg_intern(&history->pool, name);
        row.status = sg_intern(&history->pool, "ok");
        if (are_pairs)
            row.build = sg_intern(&history->pool, "00000000000000b1");
        set_ratio(line, are_pairs, &row);
        sg_history_add_row(history, &row);
    }
}

static unsigned number_of(const struct sg_judgement *j, size_t series)
{
    return (unsigned)strtoul(sg_intern_pool_string(j->history->pool, j->series[series].item) + 1,
                             NULL, 10);
}

static bool asks(const struct sg_judgement *j, const struct sg_outlier *off, double caution)
{
    return off->z >= SG_SCAN_SUSPECT + caution && off->change >= SG_HISTORY_TOLERANCE &&
           !j->is_bad[off->night];
}

/* Of each series the first row that asks and was measured once; later nights may change by it. */
static size_t measure_again(const struct lines *lines, const struct sg_judgement *j, double caution)
{
    size_t count = 0;
    for (size_t s = 0; s < j->count; s++)
        for (size_t i = 0; i < j->series[s].steps.off_count; i++) {
            const struct sg_outlier *off = &j->series[s].steps.off[i];
            struct line *line = &lines->items[j->series[s].row[off->night]];
            if (!asks(j, off, caution) || line->is_again || isnan(line->again))
                continue;
            line->is_again = true;
            count++;
            break;
        }
    return count;
}

static void print_found(const struct lines *lines, const struct sg_judgement *j, double caution)
{
    size_t again = 0;
    for (size_t s = 0; s < j->count; s++) {
        const struct sg_series_steps *steps = &j->series[s].steps;
        for (size_t i = 0; i < steps->count; i++)
            if (steps->steps[i].counts)
                printf("step %u %zu %zu %.6g %.6g %.6g\n", number_of(j, s), steps->steps[i].found,
                       steps->steps[i].at, steps->steps[i].change, steps->steps[i].low,
                       steps->steps[i].high);
        for (size_t i = 0; i < steps->off_count; i++)
            if (asks(j, &steps->off[i], caution))
                printf("off %u %zu %.3g\n", number_of(j, s), steps->off[i].night, steps->off[i].z);
        if (steps->creep_low > 2 * SG_HISTORY_TOLERANCE)
            printf("creep %u %.6g\n", number_of(j, s), steps->creep_low);
    }
    for (size_t i = 0; i < lines->count; i++)
        again += lines->items[i].is_again;
    printf("again %zu\nr %.3f\nunwatched %zu\n", again, j->correlation[j->history->count - 1],
           j->thin);
}

static void judge(bool usual_alarms, bool are_pairs)
{
    struct lines lines = read_lines();
    const struct sg_history_rule rule = {.tolerance = SG_HISTORY_TOLERANCE,
                                         .usual_alarms = usual_alarms};
    const double caution = usual_alarms ? 0 : SG_SCAN_FEW;
    if (lines.count > 0)
        qsort(lines.items, lines.count, sizeof(*lines.items), by_night);
    for (bool is_done = lines.count == 0; !is_done;) {
        struct sg_history history;
        struct sg_judgement judgement;
        make_history(&lines, are_pairs, &history);
        sg_history_judge(&history, &rule, &judgement);
        is_done = measure_again(&lines, &judgement, caution) == 0;
        if (is_done)
            print_found(&lines, &judgement, caution);
    }
    free(lines.items);
}

int main(int argc, char **argv)
{
    uint64_t gpus = 0, series = 0, seed = 0;
    if ((argc == 3 || (argc == 4 && strcmp(argv[3], "pairs") == 0)) &&
        strcmp(argv[1], "judge") == 0 &&
        (strcmp(argv[2], "usual") == 0 || strcmp(argv[2], "few") == 0)) {
        judge(*argv[2] == 'u', argc == 4);
        return 0;
    }
    if (argc != 5 || strcmp(argv[1], "make") != 0 || !sg_parse_u64(argv[2], &gpus) ||
        !sg_parse_u64(argv[3], &series) || !sg_parse_u64(argv[4], &seed) || gpus < 1 ||
        gpus > GPUS_MAX) {
        fputs("history_nights: expected make GPUS SERIES SEED, GPUS from 1 to 32, or judge "
              "usual|few [pairs]\n",
              stderr);
        return 4;
    }
    for (unsigned i = 0; i < series; i++)
        make_series(i, (unsigned)gpus, seed);
    return 0;
}
