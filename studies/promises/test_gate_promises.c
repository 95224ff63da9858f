/*
 * What docs/method.md 3 and 4 promise of a gate of many rows, on process values drawn
 * from a normal distribution: that is all that the deciding code sees of a launch, so
 * thousands of gates take seconds.
 *
 * Seeds are fixed. METHOD_GATES in the environment: how many gates of a row, in place of GATES.
 * Printed: the tables of docs/studies/README.md.
 * Not under sanitizers: test_sequential and test_aa_check run the same code.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stats/aa_check.h"
#include "stats/sequential.h"
#include "stats/statistics.h"
#include "util/random.h"

#define GATES     5000
#define ROWS_MAX  200
#define TOLERANCE 0.005

static size_t gates = GATES;

/* Where values come from: of each pair the mean and the spread of its processes,
 * and a slow state in some of them. */
struct world {
    uint64_t random;
    double sd[ROWS_MAX], mean[ROWS_MAX]; /* ln */
    double state_share, state;           /* of all pairs; ln */
    double turns; /* how far odd processes are above even ones, half of it; ln */
};

static enum sg_code draw(void *context, unsigned process, const size_t *pairs, size_t count,
                         struct sg_sequential *engine, struct sg_err *err)
{
    struct world *world = context;
    const double turn = process % 2 ? world->turns : -world->turns;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const bool is_slow =
            world->state_share > 0 && sg_random_unit(&world->random) < world->state_share;
        const double y = world->mean[pairs[i]] +
                         world->sd[pairs[i]] * sg_random_normal(&world->random) +
                         (is_slow ? world->state : 0) + turn;
        sg_sequential_take(engine, pairs[i], (struct sg_process_value){.y = y});
    }
    return SG_SUCCESS;
}

static void decide(struct world *world, struct sg_sequential_pair *pairs, size_t count)
{
    struct sg_err err = {0};
    struct sg_sequential engine = {.pairs = pairs, .count = count, .lambda = 1};
    assert_int_equal(
        sg_sequential_run(&engine, &(struct sg_measurer){.context = world, .measure = draw}, &err),
        SG_SUCCESS);
}

/* ---- within ---- */

/* A candidate that is 1.2 tolerances slower on average, because 3 of 10 of its processes are 4
 * slower; and one that did not change. */
TEST(a_state_of_its_own_is_seldom_within)
{
    static const double noises[] = {0.05, 0.1, 0.2, 0.33, 0.5}; /* of the tolerance */
    const double delta = log1p(TOLERANCE);
    for (size_t i = 0; i < COUNT(noises); i++) {
        struct world world = {
            .random = 10 + i, .sd = {noises[i] * delta}, .state_share = 0.3, .state = 4 * delta};
        struct world quiet = {.random = 20 + i, .sd = {noises[i] * delta}};
        size_t within = 0, processes = 0;
        for (size_t gate = 0; gate < gates; gate++) {
            struct sg_sequential_pair slow = {.tolerance = TOLERANCE},
                                      same = {.tolerance = TOLERANCE};
            decide(&world, &slow, 1);
            decide(&quiet, &same, 1);
            within += slow.verdict == SG_WITHIN;
            processes += same.n;
            assert_int_equal(same.verdict, SG_WITHIN);
        }
        const double share = (double)within / (double)gates;
        print_message("noise of %.2f tolerances: slow in 3 of 10 processes is within in %.1f %%; "
                      "no change takes %.2f processes\n",
                      noises[i], 100 * share, (double)processes / (double)gates);
        if (share > 0.05 + 3 * sqrt(0.05 / (double)gates))
            fail_msg("noise of %.2f tolerances: within in %.1f %%", noises[i], 100 * share);
    }
}

/* ---- states of processes that are no change ---- */

/* Kernels of 10 to 20 us in modules of their own, as H200s and H100s have read them: states 0.6 %
 * apart, each with a spread of 0.03 %, by which side was loaded first or by chance. */
TEST(states_of_processes_are_no_change)
{
    static const struct {
        const char *sentence;
        struct world world;
        double least; /* share of `within` */
    } rows[] = {
        {"no states", {.random = 41, .sd = {0.0003}}, 0.99},
        {"in turns", {.random = 42, .sd = {0.0003}, .turns = 0.003}, 0.99},
        {"in turns, by as much as the noise", {.random = 43, .sd = {0.001}, .turns = 0.001}, 0.95},
        {"by chance",
         {.random = 44, .sd = {0.0003}, .mean = {-0.003}, .state_share = 0.5, .state = 0.006},
         0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world world = rows[i].world;
        size_t within = 0, changed = 0, processes = 0;
        for (size_t gate = 0; gate < gates; gate++) {
            struct sg_sequential_pair pair = {.tolerance = 0.001};
            decide(&world, &pair, 1);
            within += pair.verdict == SG_WITHIN;
            changed += pair.verdict == SG_REGRESSED;
            processes += pair.n;
        }
        print_message("states %s: within %.2f %%, regressed %.2f %%, %.2f processes\n",
                      rows[i].sentence, 100 * (double)within / (double)gates,
                      100 * (double)changed / (double)gates, (double)processes / (double)gates);
        if ((double)changed > 0.005 * (double)gates + 3 * sqrt(0.005 * (double)gates) ||
            (double)within < rows[i].least * (double)gates - 3 * sqrt(0.05 * (double)gates))
            fail_msg("states %s: within %zu, regressed %zu of %zu", rows[i].sentence, within,
                     changed, gates);
    }
}

/* A row that is slower by its tolerance on average, with two states of its processes. */
TEST(two_states_at_the_boundary_are_seldom_called)
{
    static const double shares[] = {0.1, 0.3, 0.5}, tolerances[] = {0.001, 0.0025, 0.005, 0.01};
    for (size_t i = 0; i < COUNT(shares); i++)
        for (unsigned gap = 1; gap <= 4; gap++)
            for (size_t k = 0; k < COUNT(tolerances); k++) {
                const double delta = log1p(tolerances[k]), apart = gap * delta;
                struct world world = {.random = 100 * i + 10UL * gap + k,
                                      .sd = {(gap % 2 ? 0.05 : 0.25) * delta},
                                      .mean = {delta - shares[i] * apart},
                                      .state_share = shares[i],
                                      .state = apart};
                size_t changed = 0;
                for (size_t gate = 0; gate < gates; gate++) {
                    struct sg_sequential_pair pair = {.tolerance = tolerances[k]};
                    decide(&world, &pair, 1);
                    changed += pair.verdict == SG_REGRESSED;
                }
                const double share = (double)changed / (double)gates;
                print_message("a slow state of %.1f, %u tolerances apart, at %g %%: regressed in "
                              "%.2f %%\n",
                              shares[i], gap, 100 * tolerances[k], 100 * share);
                if (share > 0.007 + 3 * sqrt(0.007 / (double)gates))
                    fail_msg("a slow state of %.1f, %u tolerances apart: regressed in %.2f %%",
                             shares[i], gap, 100 * share);
            }
}

/* ---- the detectable effect ---- */

static void begin(struct sg_sequential_pair *pairs, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        pairs[i] = (struct sg_sequential_pair){.tolerance = TOLERANCE, .rows = (unsigned)rows};
}

/*
 * How often one slow row of `rows` is found, the first; the others are not changed.
 * `effect` NaN: what an earlier gate printed of that row when it had not changed, by the
 * spread that it happened to find.
 */
static double found(size_t rows, double effect, double sd, uint64_t seed)
{
    struct world world = {.random = seed};
    size_t slow = 0;
    for (size_t i = 0; i < rows; i++)
        world.sd[i] = sd;
    for (size_t gate = 0; gate < gates; gate++) {
        struct sg_sequential_pair pairs[ROWS_MAX];
        double p[ROWS_MAX], adjusted[ROWS_MAX];
        begin(pairs, rows);
        world.mean[0] = 0;
        if (isnan(effect))
            decide(&world, pairs, 1);
        world.mean[0] = log1p(isnan(effect) ? pairs[0].resolution : effect);
        begin(pairs, rows);
        decide(&world, pairs, rows);
        for (size_t i = 0; i < rows; i++)
            p[i] = sg_sequential_p(&pairs[i]);
        sg_holm(p, NULL, rows, adjusted);
        slow += pairs[0].verdict == SG_REGRESSED && adjusted[0] <= SG_SEQUENTIAL_ERROR;
    }
    return (double)slow / (double)gates;
}

TEST(the_printed_effect_is_found_in_nine_of_ten_gates)
{
    static const size_t rows[] = {1, 9, 25, 50};
    static const double noises[] = {0.1, 0.5}; /* of the tolerance */
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(noises); k++) {
            const double sd = noises[k] * TOLERANCE,
                         share = found(rows[i], NAN, sd, 100 + 10 * i + k),
                         slack = 3 * sqrt(0.09 / (double)gates);
            const double known = sg_mde90_pair(TOLERANCE, sd, 1000000, rows[i]),
                         of_one = sg_mde90_pair(TOLERANCE, sd, 1000000, 1);
            print_message("%zu rows, noise of %.1f tolerances: the effect that a gate prints is "
                          "found in %.1f %%; by the true spread, "
                          "%.4f %%, in %.1f %%; that of one row in %.1f %%\n",
                          rows[i], noises[k], 100 * share, 100 * known,
                          100 * found(rows[i], known, sd, 200 + 10 * i + k),
                          100 * found(rows[i], of_one, sd, 300 + 10 * i + k));
            if (share < 0.88 - slack || share > 0.92 + slack)
                fail_msg("%zu rows, noise of %.1f tolerances: found in %.1f %%", rows[i], noises[k],
                         100 * share);
        }
}

/* ---- the baseline against itself ---- */

/* A gate of so many A/A pairs whose processes share an error: the means spread `scale`
 * times as far as the processes show. */
static struct sg_aa_check calibrate(size_t count, double sd, double scale, uint64_t *random)
{
    struct world world = {.random = *random};
    struct sg_sequential_pair pairs[ROWS_MAX];
    struct sg_aa all[ROWS_MAX];
    begin(pairs, count);
    for (size_t i = 0; i < count; i++) {
        pairs[i].even = true;
        world.sd[i] = sd;
        /* As if all pairs ended at the first look, where nearly all do. */
        world.mean[i] = sqrt(scale * scale - 1) * sd / sqrt(5) * sg_random_normal(&world.random);
    }
    decide(&world, pairs, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct sg_aa){.name = "a/b/c",
                                .estimate = pairs[i].estimate,
                                .verdict = pairs[i].verdict,
                                .p = sg_sequential_p(&pairs[i])};
    *random = world.random;
    return sg_check_aa(all, count, 1);
}

TEST(lambda_widens_what_is_too_narrow_and_little_else)
{
    static const size_t counts[] = {20, 50, 200};
    const size_t some = gates / 4;
    static const struct {
        double scale, least, most; /* of the mean spread, relative to the scale */
    } rows[] = {{1, 0.95, 1.05}, {1.3, 0.95, 1.05}, {2, 0.95, 1.05}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(counts); k++) {
            uint64_t random = 30 + 10 * i + k;
            size_t widened = 0, refused = 0;
            double sum = 0;
            for (size_t gate = 0; gate < some; gate++) {
                const struct sg_aa_check c =
                    calibrate(counts[k], 0.1 * TOLERANCE, rows[i].scale, &random);
                widened += c.lambda > 1;
                refused += !c.valid;
                sum += c.spread / (double)some;
            }
            const double share = (double)widened / (double)some;
            print_message("%zu A/A pairs, errors %.1f times as large as shown: read as %.3f times; "
                          "widened in %.1f %%, refused in %.1f %%\n",
                          counts[k], rows[i].scale, sum, 100 * share,
                          100 * (double)refused / (double)some);
            if (sum < rows[i].least * rows[i].scale || sum > rows[i].most * rows[i].scale)
                fail_msg("%zu pairs: %.1f reads as %.3f", counts[k], rows[i].scale, sum);
            if (rows[i].scale == 1 && share > 0.06 + 3 * sqrt(0.06 / (double)some))
                fail_msg("%zu pairs: honest errors are widened in %.1f %% of gates", counts[k],
                         100 * share);
        }
}

/* Pairs so noisy that the tolerance does not matter, an sd of three: one of them is off by chance
 * in 1 of 100 gates, however many they are. */
TEST(a_gate_is_seldom_refused_by_chance)
{
    static const size_t counts[] = {1, 50, 200};
    const size_t some = gates / 5;
    for (size_t k = 0; k < COUNT(counts); k++) {
        uint64_t random = 70 + k;
        size_t refused = 0;
        for (size_t gate = 0; gate < some; gate++)
            refused += calibrate(counts[k], 3 * TOLERANCE, 1, &random).uneven > 0;
        const double share = (double)refused / (double)some;
        print_message("%zu A/A pairs that differ by 3 tolerances: one is off in %.2f %% of gates\n",
                      counts[k], 100 * share);
        if (share > 0.01 + 3 * sqrt(0.01 / (double)some))
            fail_msg("%zu pairs: refused in %.2f %%", counts[k], 100 * share);
    }
}

int main(void)
{
    const char *asked = getenv("METHOD_GATES");
    if (asked)
        gates = strtoul(asked, NULL, 10);
    return check_run("tests", NULL, NULL);
}
