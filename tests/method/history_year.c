/*
 * A year of nights of a suite, as CSV on stdout, and what solgate's scan calls in it; tests/method/history_year.sh compares.
 *
 *     history_year data FLEET SEED SERIES     series,kind,truth,driver_night,night,level,value,se: 365 nights a series
 *     history_year scan usual|few             reads that from stdin; series,what,found,place: each alarm, in order
 *
 * Launches, rounds and processes are those of simulated_source.h, 5 processes a night. What is added from night to night is measured: the
 * spreads between GPUs and between runs on one GPU are those of nine rows of docs/validation.md ("Between GPUs of one model"), taken in
 * turns. Not measured but assumed: 2 % of nights are bad (a third of their rows off by eight sd of a night), one row in a hundred besides,
 * and two new drivers a year, each of which moves 30 % of the rows by 0.5 % (sd). FLEET is how many GPUs take the nights by chance.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_source.h"
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

/* What 5 processes read of a ratio of 1. */
static struct sg_estimate measure(enum sg_setting setting, uint64_t seed)
{
    static double blocks[SG_BLOCKS_MAX];
    const double ratio = 1;
    struct sg_simulated_source source = sg_simulated_setting(setting, seed);
    source.ratio = &ratio;
    double processes[PROCESSES];
    for (unsigned process = 0; process < PROCESSES; process++)
        processes[process] = sg_abba_process(blocks, sg_simulated_blocks(&source, process, 0, blocks));
    return sg_abba_estimate(processes, PROCESSES);
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

static void print_series(const struct year *year, unsigned number)
{
    struct sg_shown name = {0};
    snprintf(name.text, sizeof(name.text), "%u", number);
    uint64_t random = sg_simulate_seed(year->seed, name.text);
    const size_t kind = number % KINDS;
    const unsigned truth = draw_truth(year, &random);
    const double *spread = spreads[(number / KINDS) % SPREADS], day = spread[1] / 100;
    double gpu[FLEET_MAX + 1], driver[3] = {0};
    for (unsigned i = 0; i <= year->fleet; i++)
        gpu[i] = spread[0] / 100 * sg_random_normal(&random);
    for (unsigned i = 1; i < 3; i++)
        driver[i] = driver[i - 1] + (sg_random_unit(&random) < DRIVER_SHARE ? DRIVER_SD * sg_random_normal(&random) : 0);
    for (unsigned night = 0; night < NIGHTS; night++) {
        const struct sg_estimate read = measure((enum sg_setting)(number % SG_SETTING_COUNT), sg_random_next(&random));
        const bool is_bad = sg_random_unit(&random) < (year->is_bad[night] ? BAD_ROW : BAD_ALONE);
        const double noise = day * sg_random_normal(&random) * (is_bad ? BAD_SD : 1);
        printf("%u,%s,%u,%u+%u,%u,%u,%.9g,%.3g\n", number, kinds[kind].word, truth, year->driver_night[0], year->driver_night[1], night,
               year->gpu[night] * 3 + year->driver[night],
               read.mean + gpu[year->gpu[night]] + driver[year->driver[night]] + noise + truth_at(kind, truth, night), read.se);
    }
}

static void print_calls(size_t series, const struct sg_series_steps *found, double caution, const bool is_bad[NIGHTS])
{
    for (size_t i = 0; i < found->count; i++)
        if (found->steps[i].counts)
            printf("%zu,step,%zu,%zu\n", series, found->steps[i].found, found->steps[i].at);
    for (size_t i = 0; i < found->off_count; i++)
        if (fabs(found->off[i].z) >= SG_SCAN_SUSPECT + caution && fabs(found->off[i].change) >= TOLERANCE && !is_bad[found->off[i].night])
            printf("%zu,suspect,%zu,%zu\n", series, found->off[i].night, found->off[i].night);
    if (fabs(found->creep) > TOLERANCE && found->creep_low * found->creep_high > 0)
        printf("%zu,creep,%d,%zu\n", series, NIGHTS - 1, found->epoch);
}

/* Of stdin, whose series are numbered from 0. */
static bool scan_all(double caution)
{
    static struct sg_night_value nights[NIGHTS];
    static bool is_bad[NIGHTS];
    struct sg_series_steps *found = NULL;
    size_t count = 0, capacity = 0;
    const struct sg_scan_rule rule = {.usual_sd = {SG_SCAN_RATIO_SD}, .tolerance = TOLERANCE, .caution = caution};
    char line[256];
    unsigned night = 0, level;
    double value, se;
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "%*[^,],%*[^,],%*[^,],%*[^,],%u,%u,%lf,%lf", &night, &level, &value, &se) != 4)
            continue; /* the header */
        if (night >= NIGHTS)
            break;
        nights[night] = (struct sg_night_value){.value = value, .se = se, .level = level, .joined = level};
        if (night == NIGHTS - 1)
            sg_series_scan(nights, NIGHTS, &rule, SG_APPEND(found, count, capacity));
    }
    sg_bad_nights(found, count, NIGHTS, is_bad);
    puts("series,what,found,place");
    for (size_t i = 0; i < count; i++) {
        print_calls(i, &found[i], caution, is_bad);
        sg_series_steps_release(&found[i]);
    }
    free(found);
    return night == NIGHTS - 1;
}

int main(int argc, char **argv)
{
    uint64_t fleet = 0, seed = 0, series = 0;
    if (argc == 3 && strcmp(argv[1], "scan") == 0 && (strcmp(argv[2], "usual") == 0 || strcmp(argv[2], "few") == 0))
        return scan_all(*argv[2] == 'f' ? SG_SCAN_FEW : 0) ? 0 : 4;
    if (argc != 5 || strcmp(argv[1], "data") != 0 || !sg_parse_u64(argv[2], &fleet) || !sg_parse_u64(argv[3], &seed) ||
        !sg_parse_u64(argv[4], &series) || fleet < 1 || fleet > FLEET_MAX) {
        fputs("history_year: expected data FLEET SEED SERIES, FLEET from 1 to 32, or scan usual|few\n", stderr);
        return 4;
    }
    struct year year = {.fleet = (unsigned)fleet, .seed = seed};
    plan_year(&year);
    puts("series,kind,truth,driver_nights,night,level,value,se");
    for (unsigned i = 0; i < series; i++)
        print_series(&year, i);
    return 0;
}
