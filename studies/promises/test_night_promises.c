/*
 * What docs/method.md 3 and 6 promise of a night: rows paired with their accepted builds, judged at
 * ten processes, what stays open measured on to twenty, held against ten nights before. Those are
 * of the accepted build itself: tonight is the first change. Values of processes are drawn from a
 * normal distribution, with the spread of the 22 rows of nightly.suite that gate
 * (tests/data/h200/nights); that is all that the deciding code sees of a launch.
 *
 * Seeds are fixed. METHOD_NIGHTS in the environment: how many nights of a row, in place of NIGHTS.
 * A promise fails where counts contradict it by three errors. Not under sanitizers:
 * test_build_pairs and test_replicates run the same code. studies/nights_simulation.py is
 * the same question to another generator.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "history/spread.h"
#include "stats/abba.h"
#include "stats/build_pairs.h"
#include "util/random.h"

#define NIGHTS    250
#define ROWS      22
#define FIRST     10 /* processes of nightly.suite */
#define LAST      20
#define TOLERANCE 0.0025

static size_t nights = NIGHTS;

static const double noise[ROWS] = {0.00039, 0.00039, 0.00046, 0.00049, 0.00069, 0.00069,
                                   0.00095, 0.00116, 0.00119, 0.00127, 0.00171, 0.00177,
                                   0.00204, 0.00206, 0.00217, 0.00234, 0.00250, 0.00393,
                                   0.00414, 0.00699, 0.00708, 0.01003};

#define PAST SG_SPREAD_NIGHTS
#define WILD 8 /* sd */

/* What a night is like: of the recorded rows all, or so many drawn ones; how many times as noisy as
 * nights before; the share of wild processes; the row that changed, by what, or by a state in some
 * of its processes. */
struct world {
    uint64_t random;
    size_t rows; /* 0: all */
    double noisier, wild;
    size_t target;
    double change, state, state_share; /* ln */
};

struct night {
    size_t rows;
    double y[ROWS][LAST];
    unsigned n[ROWS];
    struct sg_night_row row[PAST + 1][ROWS];
    struct sg_build_pair_verdict verdicts[ROWS];
    bool is_wide[ROWS];
};

/* One process, in sd of its row. */
static double process_of(struct world *world)
{
    return sg_random_normal(&world->random) *
           (sg_random_unit(&world->random) < world->wild ? WILD : 1);
}

static void draw(struct world *world, struct night *night)
{
    night->rows = world->rows > 0 ? world->rows : ROWS;
    for (size_t i = 0; i < night->rows; i++) {
        const double sd =
            noise[world->rows > 0 ? (size_t)(ROWS * sg_random_unit(&world->random)) : i];
        night->n[i] = FIRST;
        for (size_t p = 0; p < LAST; p++) {
            const bool is_slow =
                i == world->target && sg_random_unit(&world->random) < world->state_share;
            night->y[i][p] = world->noisier * sd * process_of(world) +
                             (i == world->target ? world->change : 0) +
                             (is_slow ? world->state : 0);
        }
        for (size_t k = 0; k < PAST; k++) {
            double y[FIRST];
            for (size_t p = 0; p < FIRST; p++)
                y[p] = sd * process_of(world);
            night->row[k][i] = SG_NIGHT_ROW_EMPTY;
            night->row[k][i].code = night->row[k][i].build = 1;
            night->row[k][i].build_ratio = 1;
            night->row[k][i].spread = sg_spread_night_of(y, FIRST, 0);
        }
    }
}

/* The night as the last one of a history. */
static void find_spreads(struct night *night, struct sg_row_spread *spreads)
{
    struct sg_history_series series[ROWS];
    uint32_t row[ROWS][PAST + 1];
    int decided[PAST + 1] = {0};
    const struct sg_history history = {.rows = {.items = night->row[0]}, .count = PAST + 1};
    for (size_t i = 0; i < night->rows; i++) {
        double y[LAST];
        memcpy(y, night->y[i], sizeof(y));
        night->row[PAST][i] = night->row[0][i];
        night->row[PAST][i].code = 2;
        night->row[PAST][i].spread = sg_spread_night_of(y, night->n[i], 0);
        for (size_t k = 0; k <= PAST; k++)
            row[i][k] = (uint32_t)(k * ROWS + i);
        series[i] = (struct sg_history_series){.row = row[i], .decided = decided};
    }
    sg_history_spreads(&history, series, night->rows, spreads);
}

static void judge(struct night *night)
{
    struct sg_build_pair pairs[ROWS];
    struct sg_row_spread spreads[ROWS];
    find_spreads(night, spreads);
    for (size_t i = 0; i < night->rows; i++) {
        const struct sg_estimate e = sg_abba_estimate(night->y[i], night->n[i]);
        pairs[i] = (struct sg_build_pair){.mean = e.mean,
                                          .se = e.se,
                                          .n = e.n,
                                          .tolerance = TOLERANCE,
                                          .usual = spreads[i].check.usual};
        night->is_wide[i] = spreads[i].check.is_wide;
    }
    sg_build_pairs_judge(pairs, night->rows, LAST, night->verdicts);
}

static bool is_open(const struct night *night, size_t row)
{
    const enum sg_verdict verdict = night->verdicts[row].decision.verdict;
    return night->is_wide[row] || (verdict != SG_WITHIN && verdict != SG_IMPROVED);
}

static bool is_regressed(const struct night *night, size_t row)
{
    return night->verdicts[row].decision.verdict == SG_REGRESSED &&
           night->verdicts[row].beyond <= SG_SEQUENTIAL_ERROR;
}

static bool is_suspect(const struct night *night, size_t row)
{
    return night->is_wide[row] ||
           (is_open(night, row) && night->verdicts[row].slower <= SG_SLOWER_ERROR);
}

static void measure(struct world *world, struct night *night)
{
    draw(world, night);
    judge(night);
    for (size_t i = 0; i < night->rows; i++)
        night->n[i] = is_open(night, i) ? LAST : FIRST;
    judge(night);
}

/* How many nights end with exit 1, and with another than 0. */
struct exits {
    size_t regressed, red;
};
static struct exits count_exits(struct world world, size_t count)
{
    struct exits exits = {0};
    for (size_t k = 0; k < count; k++) {
        struct night night;
        bool is_red = false, has_regressed = false;
        if (world.target < ROWS)
            world.target = (size_t)(ROWS * sg_random_unit(&world.random));
        measure(&world, &night);
        for (size_t i = 0; i < night.rows; i++) {
            has_regressed |= is_regressed(&night, i);
            is_red |= is_regressed(&night, i) || is_suspect(&night, i);
        }
        exits.regressed += has_regressed;
        exits.red += is_red;
    }
    return exits;
}

/* Do `found` of `count` contradict a share of at least so much? */
static bool is_less(size_t found, size_t count, double share)
{
    return (double)found < (double)count * share - 3 * sqrt((double)count * share * (1 - share));
}

TEST(clean_nights_are_green)
{
    static const struct {
        const char *sentence;
        struct world world;
        double least;
    } rows[] = {
        ROW("as nights before", LIST(.random = 1, .noisier = 1), 0.995),
        ROW("all rows twice as noisy", LIST(.random = 2, .noisier = 2), 0.995),
        ROW("a process in 200 is wild", LIST(.random = 8, .noisier = 1, .wild = 0.005), 0.98),
        ROW("a suite of one row, noisier", LIST(.random = 9, .rows = 1, .noisier = 1.5), 0.97),
        ROW("twice as noisy", LIST(.random = 10, .rows = 1, .noisier = 2), 0.97),
        ROW("of two rows", LIST(.random = 11, .rows = 2, .noisier = 1.5), 0.97),
        ROW("of four rows", LIST(.random = 12, .rows = 4, .noisier = 2), 0.97),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world world = rows[i].world;
        world.target = ROWS;
        const struct exits exits = count_exits(world, nights);
        print_message("%s: of %zu clean nights %zu are red, %zu exit 1\n", rows[i].sentence, nights,
                      exits.red, exits.regressed);
        if (is_less(nights - exits.red, nights, rows[i].least) || exits.regressed > nights / 2000)
            fail_msg("%s: %zu red, %zu exit 1", rows[i].sentence, exits.red, exits.regressed);
    }
}

TEST(changes_are_found)
{
    static const struct {
        const char *sentence;
        struct world world;
        bool is_suspect; /* enough */
        double least;
    } rows[] = {
        ROW("+1 % in any row is regressed", LIST(.random = 3, .noisier = 1, .change = 0.00995),
            false, 0.94),
        ROW("+2 %", LIST(.random = 4, .noisier = 1, .change = 0.0198), false, 0.99),
        ROW("slow in 3 of 10 processes, 0.6 % on average",
            LIST(.random = 7, .noisier = 1, .state_share = 0.3, .state = 0.0198), true, 0.88),
        ROW("slow in 3 of 10 processes, 1 % on average",
            LIST(.random = 5, .noisier = 1, .state_share = 0.3, .state = 0.0328), true, 0.94),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct exits exits = count_exits(rows[i].world, nights);
        const size_t found = rows[i].is_suspect ? exits.red : exits.regressed;
        print_message("%s: %zu of %zu nights\n", rows[i].sentence, found, nights);
        if (is_less(found, nights, rows[i].least))
            fail_msg("%s: %zu of %zu nights", rows[i].sentence, found, nights);
    }
}

/* A change as large as one night prints is found by the next one. */
TEST(the_printed_effect_is_found_in_nine_of_ten_nights)
{
    struct world world = {.random = 6, .noisier = 1};
    size_t found = 0;
    for (size_t k = 0; k < 2 * nights; k++) {
        struct night night;
        world.target = k % ROWS;
        world.change = 0;
        measure(&world, &night);
        world.change = log1p(night.verdicts[world.target].resolution);
        measure(&world, &night);
        found += is_regressed(&night, world.target);
    }
    print_message("the printed effect is found in %zu of %zu nights\n", found, 2 * nights);
    if (is_less(found, 2 * nights, 0.88) || is_less(2 * nights - found, 2 * nights, 0.08))
        fail_msg("found in %zu of %zu", found, 2 * nights);
}

int main(void)
{
    const char *asked = getenv("METHOD_NIGHTS");
    if (asked)
        nights = strtoul(asked, NULL, 10);
    return check_run("tests", NULL, NULL);
}
