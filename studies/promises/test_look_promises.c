/*
 * The table of looks, regenerated: the error that stats/statistics.h promises of several looks at
 * the same processes. Seeds are fixed.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "stats/statistics.h"
#include "util/random.h"

#define REPLICATIONS 200000
static const size_t looks[SG_LOOK_COUNT] = SG_LOOKS;
static const double alphas[SG_ALPHA_COUNT] = {0.10, 0.05, 0.01};

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Smallest two-sided p over the looks of one sequence of processes whose true difference is 0. */
static double smallest_p(uint64_t *random)
{
    double sum = 0.0;
    double squares = 0.0;
    double smallest = 1.0;
    size_t look = 0;
    for (size_t n = 1; look < SG_LOOK_COUNT; n++) {
        const double x = sg_random_normal(random);
        sum += x;
        squares += x * x;
        if (n != looks[look])
            continue;
        const double mean = sum / (double)n;
        const double variance = (squares - (double)n * mean * mean) / (double)(n - 1);
        const double p = 2.0 * sg_t_cdf(-fabs(mean) / sqrt(variance / (double)n), (double)(n - 1));
        smallest = p < smallest ? p : smallest;
        look++;
    }
    return smallest;
}

/*
 * The boundary takes every look at one and the same level: at most the alpha-quantile of
 * the smallest p over all looks, so that the error is held, and at least 94 % of it. The
 * table's levels are those of looks at 5, 8, 12 and 20, which are 3 % below. Within four
 * standard errors of the simulation.
 */
TEST(the_table_of_looks_holds_its_error)
{
    double *p = malloc(REPLICATIONS * sizeof(*p));
    uint64_t random = 20;
    for (size_t i = 0; i < REPLICATIONS; i++)
        p[i] = smallest_p(&random);
    qsort(p, REPLICATIONS, sizeof(*p), by_value);
    for (enum sg_alpha a = 0; a < SG_ALPHA_COUNT; a++) {
        const double found = p[(size_t)(alphas[a] * REPLICATIONS)];
        const double relative = 4.0 * sqrt((1.0 - alphas[a]) / (alphas[a] * REPLICATIONS));
        if (sg_look_level(a) > found * (1.0 + relative) ||
            sg_look_level(a) < 0.94 * found * (1.0 - relative))
            fail_msg("alpha %g: level of a look is %g, simulation says %g +- %.1f %%", alphas[a],
                     sg_look_level(a), found, 100 * relative);
    }
    free(p);
}

/* Rows that are no look too: 8 processes are what many runs have. */
TEST(every_row_is_at_the_same_level)
{
    static const size_t rows[] = {5, 8, 10, 12, 20};
    for (enum sg_alpha a = 0; a < SG_ALPHA_COUNT; a++)
        for (size_t k = 0; k < COUNT(rows); k++) {
            const double from_level =
                sg_t_quantile(1.0 - 0.5 * sg_look_level(a), (double)rows[k] - 1.0);
            const double in_table = sg_look_constant(a, rows[k]);
            if (!(fabs(from_level - in_table) <= 0.012))
                fail_msg("alpha %g, %zu processes: %g in the table, %.4f by its level", alphas[a],
                         rows[k], in_table, from_level);
        }
}
