/*
 * A year of nights of a suite, as CSV on stdout, and what solgate's scan calls in it;
 * history_year.py compares.
 *
 *     history_year data FLEET SEED
 *         SERIES   series,kind,truth,driver_night,night,level,value,se,code,build,pair,pair_se,
 *                                             off: 365 nights a series
 *     history_year scan usual|few             reads that from stdin;
 *                                             series,what,found,place,confirmed: each alarm, in
 *                                             order
 *     history_year pairs usual|few            the same of the pairs with accepted builds, by the
 *                                             code of `solgate history`
 *     history_year alike usual|few            the same, of modules that are not off by themselves
 *
 * Launches, rounds and processes are those of simulated_source.h, 5 processes a night. What is
 * added from night to night is measured: the spreads between GPUs and between runs on one GPU are
 * those of nine rows of docs/validation.md ("Between GPUs of one model"), taken in turns. Not
 * measured but assumed: 2 % of nights are bad (a third of their rows off by eight sd of a night),
 * one row in a hundred besides, and two new drivers a year, each of which moves 30 % of the rows by
 * 0.5 % (sd). FLEET is how many GPUs take the nights by chance.
 *
 * A pair is of 10 processes. On half of the nights the module is a new file, which is 0.05 %
 * (sd) off by itself, as where its code lies would make it. The build of the night before is
 * accepted every 45 nights, and four nights after the step. Rows that are bad are off by eight
 * times 0.05 %. All of this is assumed.
 *
 * confirmed: how many of AB_TRIES simulated A/Bs of two commits that do not differ would confirm
 * the alarm, by the rule of `solgate history confirm`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/judge.h"
#include "simulated_source.h"
#include "stats/bad_nights.h"
#include "stats/change_point.h"
#include "util/random.h"
#include "util/text.h"

#define NIGHTS       365
#define PROCESSES    5
#define FLEET_MAX    32
#define TOLERANCE    0.001 /* the default of `solgate history check` */
#define BAD_NIGHT    0.02
#define BAD_ROW      0.33
#define BAD_ALONE    0.01
#define BAD_SD       8.0 /* in sd of a night */
#define DRIVER_SHARE 0.30
#define DRIVER_SD    0.005
#define PAIRED       10 /* processes of a pair */
#define FILE_SD      0.0005
#define FILE_NEW     0.5 /* of nights */
#define ACCEPT_EVERY 45
#define ACCEPT_AFTER 4 /* nights behind the step */
#define AB_TRIES     10

/* sd between GPUs, and between runs of one GPU, percent. */
static const double spreads[][2] = {{1.12, 0.10}, {1.10, 0.15}, {0.96, 0.09},   {0.92, 0.11}, {0.76, 0.08},
                                    {0.80, 0.23}, {0.28, 0.12}, {0.008, 0.005}, {0.06, 0.06}};
#define SPREADS (sizeof(spreads) / sizeof(spreads[0]))

/* What becomes of a series: half of them nothing. Drifts reach their size in 200 nights. */
static const struct {
    const char *word;
    double size;
    bool drifts;
} kinds[] = {{"clean", 0, false}, {"step_0.5", 0.005, false}, {"clean", 0, false}, {"step_1", 0.01, false},
             {"clean", 0, false}, {"step_2", 0.02, false},    {"clean", 0, false}, {"step_5", 0.05, false},
             {"clean", 0, false}, {"drift_2", 0.02, true}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct year {
    unsigned fleet;
    uint64_t seed, random;
    unsigned gpu[NIGHTS];
    unsigned driver[NIGHTS];
    bool is_bad[NIGHTS];
    unsigned driver_night[2];
};

static void plan_year(struct year *year)
{
    year->random = sg_simulate_seed(year->seed, "year");
    year->driver_night[0] = 90 + (unsigned)(60 * sg_random_unit(&year->random));
    year->driver_night[1] = 230 + (unsigned)(60 * sg_random_unit(&year->random));
    for (unsigned night = 0; night < NIGHTS; night++) {
        /* In the middle of the year one GPU leaves and another one comes. */
        const unsigned gpu = (unsigned)(year->fleet * sg_random_unit(&year->random));
        year->gpu[night] = gpu == 0 && year->fleet > 1 && night >= NIGHTS / 2 ? year->fleet : gpu;
        year->driver[night] = (night >= year->driver_night[0]) + (night >= year->driver_night[1]);
        year->is_bad[night] = sg_random_unit(&year->random) < BAD_NIGHT;
    }
}

/* What so many processes read of a ratio of 1. */
static struct sg_estimate measure(enum sg_setting setting, unsigned count, uint64_t seed)
{
    static double blocks[SG_BLOCKS_MAX];
    const double ratio = 1;
    struct sg_simulated_source source = sg_simulated_setting(setting, seed);
    source.ratio = &ratio;
    double processes[PAIRED];
    for (unsigned process = 0; process < count; process++)
        processes[process] = sg_abba_process(blocks, sg_simulated_blocks(&source, process, 0, blocks));
    return sg_abba_estimate(processes, count);
}

/* Away from the drivers' nights, so that it is known what is found. */
static unsigned draw_truth(const struct year *year, uint64_t *random)
{
    for (;;) {
        const unsigned night = 60 + (unsigned)(240 * sg_random_unit(random));
        if (abs((int)night - (int)year->driver_night[0]) > 20 && abs((int)night - (int)year->driver_night[1]) > 20)
            return night;
    }
}

static double truth_at(size_t kind, unsigned truth, unsigned night)
{
    if (night < truth)
        return 0;
    return kinds[kind].drifts ? kinds[kind].size * fmin(1, (night - truth) / 200.0) : log1p(kinds[kind].size);
}

/* The modules of a series: which one is tonight's, which one is accepted, and
 * by how much each is off by itself. */
struct pairs {
    unsigned code[NIGHTS], accepted[NIGHTS]; /* accepted: the night that the build is of */
    double off[NIGHTS];
};

static void plan_pairs(unsigned truth, bool has_step, uint64_t *random, struct pairs *pairs)
{
    for (unsigned night = 0; night < NIGHTS; night++) {
        const bool is_new = night == 0 || sg_random_unit(random) < FILE_NEW || (has_step && night == truth);
        const bool accepts = night > 0 && (night % ACCEPT_EVERY == 0 || (has_step && night == truth + ACCEPT_AFTER));
        pairs->code[night] = is_new ? night : pairs->code[night - 1];
        pairs->off[night] = is_new ? FILE_SD * sg_random_normal(random) : pairs->off[night - 1];
        pairs->accepted[night] = accepts ? night - 1 : night == 0 ? 0 : pairs->accepted[night - 1];
    }
}

static void print_pair(const struct pairs *pairs, enum sg_setting setting, size_t kind, unsigned truth, unsigned night, bool is_bad,
                       uint64_t *random)
{
    const unsigned of = pairs->accepted[night];
    const struct sg_estimate read = measure(setting, PAIRED, sg_random_next(random));
    const double noise = is_bad ? BAD_SD * FILE_SD * sg_random_normal(random) : 0;
    const double difference = truth_at(kind, truth, night) + pairs->off[night] - truth_at(kind, truth, of) - pairs->off[of];
    printf(",%u,%u,%.9g,%.3g,%.9g\n", pairs->code[night], pairs->code[of], read.mean + noise + difference, read.se,
           pairs->off[night] - pairs->off[of]);
}

static void print_series(const struct year *year, unsigned number)
{
    struct sg_shown name = {0};
    struct pairs pairs;
    snprintf(name.text, sizeof(name.text), "%u", number);
    uint64_t random = sg_simulate_seed(year->seed, name.text);
    const size_t kind = number % KINDS;
    const unsigned truth = draw_truth(year, &random);
    const double *spread = spreads[(number / KINDS) % SPREADS], day = spread[1] / 100;
    const enum sg_setting setting = (enum sg_setting)(number % SG_SETTING_COUNT);
    uint64_t of_pairs = sg_simulate_seed(year->seed + 1, name.text);
    plan_pairs(truth, kinds[kind].size > 0 && !kinds[kind].drifts, &of_pairs, &pairs);
    double gpu[FLEET_MAX + 1], driver[3] = {0};
    for (unsigned i = 0; i <= year->fleet; i++)
        gpu[i] = spread[0] / 100 * sg_random_normal(&random);
    for (unsigned i = 1; i < 3; i++)
        driver[i] = driver[i - 1] + (sg_random_unit(&random) < DRIVER_SHARE ? DRIVER_SD * sg_random_normal(&random) : 0);
    for (unsigned night = 0; night < NIGHTS; night++) {
        const struct sg_estimate read = measure(setting, PROCESSES, sg_random_next(&random));
        const bool is_bad = sg_random_unit(&random) < (year->is_bad[night] ? BAD_ROW : BAD_ALONE);
        const double noise = day * sg_random_normal(&random) * (is_bad ? BAD_SD : 1);
        printf("%u,%s,%u,%u+%u,%u,%u,%.9g,%.3g", number, kinds[kind].word, truth, year->driver_night[0], year->driver_night[1], night,
               year->gpu[night] * 3 + year->driver[night],
               read.mean + gpu[year->gpu[night]] + driver[year->driver[night]] + noise + truth_at(kind, truth, night), read.se);
        print_pair(&pairs, setting, kind, truth, night, is_bad, &of_pairs);
    }
}

/* Does an A/B of the same code, by `solgate ab`'s rule, find more than half of the change? */
static bool is_confirmed(size_t series, double change, uint64_t seed)
{
    const double ratio = 1;
    struct sg_simulated_source source = sg_simulated_setting((enum sg_setting)(series % SG_SETTING_COUNT), seed);
    source.ratio = &ratio;
    const struct sg_measurer measurer = sg_simulated_measurer(&source);
    struct sg_sequential_pair pair = {.tolerance = source.tolerance};
    struct sg_sequential engine = {.pairs = &pair, .count = 1, .lambda = 1};
    if (sg_sequential_run(&engine, &measurer, &(struct sg_err){0}) != SG_SUCCESS)
        abort();
    const double found = change < 0 ? -pair.estimate.mean : pair.estimate.mean;
    return found - sg_bounds_at_look(pair.n).regressed * pair.estimate.se > fabs(change) / 2;
}

static void print_call(size_t series, const char *what, size_t found, size_t place, double change)
{
    struct sg_shown name = {0};
    unsigned confirmed = 0;
    snprintf(name.text, sizeof(name.text), "%zu %s %zu", series, what, found);
    uint64_t random = sg_simulate_seed(1, name.text);
    for (unsigned try = 0; try < AB_TRIES; try++)
        confirmed += is_confirmed(series, change, sg_random_next(&random));
    printf("%zu,%s,%zu,%zu,%u\n", series, what, found, place, confirmed);
}

static void print_calls(size_t series, const struct sg_series_steps *found, double caution, const bool is_bad[NIGHTS])
{
    for (size_t i = 0; i < found->count; i++)
        if (found->steps[i].counts)
            print_call(series, "step", found->steps[i].found, found->steps[i].at, found->steps[i].since);
    for (size_t i = 0; i < found->off_count; i++)
        if (fabs(found->off[i].z) >= SG_SCAN_SUSPECT + caution && fabs(found->off[i].change) >= TOLERANCE && !is_bad[found->off[i].night])
            print_call(series, "suspect", found->off[i].night, found->off[i].night, found->off[i].change);
    if (fabs(found->creep) > TOLERANCE && found->creep_low * found->creep_high > 0)
        print_call(series, "creep", NIGHTS - 1, found->epoch, found->creep);
}

/* A line of the year. */
struct line {
    unsigned night, level, code, build;
    double value, se, pair, pair_se, off;
};

static bool read_line(struct line *line)
{
    char text[256];
    while (fgets(text, sizeof(text), stdin))
        if (sscanf(text, "%*[^,],%*[^,],%*[^,],%*[^,],%u,%u,%lf,%lf,%u,%u,%lf,%lf,%lf", &line->night, &line->level, &line->value, &line->se,
                   &line->code, &line->build, &line->pair, &line->pair_se, &line->off) == 9)
            return line->night < NIGHTS;
    return false;
}

static void scan_ratios(const struct line *year, double caution, struct sg_series_steps *found)
{
    static struct sg_night_value nights[NIGHTS];
    const struct sg_scan_rule rule = {.usual_sd = {SG_SCAN_RATIO_SD}, .tolerance = TOLERANCE, .caution = caution};
    for (size_t i = 0; i < NIGHTS; i++)
        nights[i] = (struct sg_night_value){.value = year[i].value, .se = year[i].se, .level = year[i].level, .joined = year[i].level};
    sg_series_scan(nights, NIGHTS, &rule, found);
}

static sg_id digest_of(struct sg_intern_pool **pool, unsigned code)
{
    struct sg_shown digest = {0};
    snprintf(digest.text, sizeof(digest.text), "%016x", code + 1);
    return sg_intern(pool, digest.text);
}

static void add_night(const struct line *line, struct sg_history *history)
{
    struct sg_shown machine = {0}, date = {0};
    struct sg_night *night = SG_APPEND(history->nights, history->count, history->capacity);
    *night = (struct sg_night){.from = history->rows.count, .to = history->rows.count + 1};
    snprintf(machine.text, sizeof(machine.text), "%u", line->level);
    snprintf(date.text, sizeof(date.text), "2026-%02u-%02u", 1 + line->night / 31, 1 + line->night % 31);
    sg_env_set(&night->facts, "gpu_uuid_hash", machine.text);
    sg_env_set(&night->facts, SG_NIGHT_DATE, date.text);
    *SG_APPEND(history->rows.items, history->rows.count, history->rows.capacity) = (struct sg_night_row){
        .name = sg_intern(&history->pool, "f/c/v"),
        .status = sg_intern(&history->pool, "ok"),
        .code = digest_of(&history->pool, line->code),
        .build = digest_of(&history->pool, line->build),
        .build_ratio = exp(line->pair),
        .build_ratio_se = line->pair_se,
        .ratio = NAN,
        .ratio_se = NAN,
        .time = NAN,
        .time_se = NAN,
        .sm_clock = NAN,
        .beta = NAN,
    };
}

static void scan_pairs(const struct line *year, double caution, struct sg_series_steps *found)
{
    struct sg_history history = {0};
    struct sg_judgement judgement;
    for (size_t i = 0; i < NIGHTS; i++)
        add_night(&year[i], &history);
    sg_history_judge(&history, &(struct sg_history_rule){.tolerance = TOLERANCE, .has_few = caution > 0}, &judgement);
    *found = judgement.series[0].steps;
    judgement.series[0].steps = (struct sg_series_steps){0};
    sg_judgement_release(&judgement);
    sg_history_release(&history);
}

enum what { RATIOS, PAIRS, PAIRS_ALIKE, WHATS };

static void scan_year(enum what what, struct line *year, double caution, struct sg_series_steps *found)
{
    for (size_t i = 0; i < NIGHTS && what == PAIRS_ALIKE; i++)
        year[i].pair -= year[i].off;
    (what == RATIOS ? scan_ratios : scan_pairs)(year, caution, found);
}

/* Of stdin, whose series are numbered from 0. */
static bool scan_all(enum what what, double caution)
{
    static struct line year[NIGHTS];
    static bool is_bad[NIGHTS];
    struct sg_series_steps *found = NULL;
    size_t count = 0, capacity = 0;
    struct line line = {0};
    while (read_line(&line)) {
        year[line.night] = line;
        if (line.night == NIGHTS - 1)
            scan_year(what, year, caution, SG_APPEND(found, count, capacity));
    }
    sg_bad_nights(found, count, NIGHTS, is_bad);
    puts("series,what,found,place,confirmed");
    for (size_t i = 0; i < count; i++) {
        print_calls(i, &found[i], caution, is_bad);
        sg_series_steps_release(&found[i]);
    }
    free(found);
    return line.night == NIGHTS - 1;
}

static enum what what_of(const char *word)
{
    static const char *const words[] = {[RATIOS] = "scan", [PAIRS] = "pairs", [PAIRS_ALIKE] = "alike"};
    for (enum what what = RATIOS; what < WHATS; what++)
        if (strcmp(words[what], word) == 0)
            return what;
    return WHATS;
}

int main(int argc, char **argv)
{
    uint64_t fleet = 0, seed = 0, series = 0;
    const enum what what = argc == 3 ? what_of(argv[1]) : WHATS;
    if (what < WHATS && (strcmp(argv[2], "usual") == 0 || strcmp(argv[2], "few") == 0))
        return scan_all(what, *argv[2] == 'f' ? SG_SCAN_FEW : 0) ? 0 : 4;
    if (argc != 5 || strcmp(argv[1], "data") != 0 || !sg_parse_u64(argv[2], &fleet) || !sg_parse_u64(argv[3], &seed) ||
        !sg_parse_u64(argv[4], &series) || fleet < 1 || fleet > FLEET_MAX) {
        fputs("history_year: expected data FLEET SEED SERIES, FLEET from 1 to 32, or scan|pairs|alike usual|few\n", stderr);
        return 4;
    }
    struct year year = {.fleet = (unsigned)fleet, .seed = seed};
    plan_year(&year);
    puts("series,kind,truth,driver_nights,night,level,value,se,code,build,pair,pair_se,off");
    for (unsigned i = 0; i < series; i++)
        print_series(&year, i);
    return 0;
}
