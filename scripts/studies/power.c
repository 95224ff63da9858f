/*
 * Share of verdicts against the true change, settings x tolerances, as CSV on stdout:
 *
 *     power [RUNS] >power.csv && gnuplot -c scripts/studies/power.gp power.csv power.png
 *
 * RUNS (10) of 50 pairs each a row, on the simulated source of tests/method. Seeds are fixed: the
 * same RUNS give the same bytes, as long as the method stays the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PAIRS        50

/* One run: the same change in each pair. */
static enum sg_code decide(struct sg_simulated_source *source, double tolerance, struct sg_sequential_pair pairs[PAIRS], struct sg_err *err)
{
    const struct sg_measurer measurer = sg_simulated_measurer(source);
    struct sg_sequential engine = {.pairs = pairs, .count = PAIRS, .lambda = 1};
    memset(pairs, 0, PAIRS * sizeof(*pairs));
    for (size_t i = 0; i < PAIRS; i++)
        pairs[i].tolerance = tolerance;
    return sg_sequential_run(&engine, &measurer, err);
}

static void fill(double ratios[PAIRS], double change)
{
    for (size_t i = 0; i < PAIRS; i++)
        ratios[i] = 1.0 + change;
}

static enum sg_code print_point(enum sg_setting setting, double tolerance, double change, unsigned runs, struct sg_err *err)
{
    static struct sg_sequential_pair pairs[PAIRS];
    double ratios[PAIRS];
    size_t by_verdict[SG_VERDICT_COUNT] = {0}, processes = 0;
    fill(ratios, change);
    for (unsigned run = 0; run < runs; run++) {
        struct sg_simulated_source source = sg_simulated_setting(setting, run + 1);
        source.ratio = ratios;
        if (decide(&source, tolerance, pairs, err) != SG_SUCCESS)
            return err->code;
        for (size_t i = 0; i < PAIRS; i++) {
            by_verdict[pairs[i].verdict]++;
            processes += pairs[i].n;
        }
    }
    printf("%s,%g,%g,%u,%zu,%zu,%zu,%zu,%.4g\n", sg_setting_word(setting), tolerance, change, runs * PAIRS, by_verdict[SG_REGRESSED],
           by_verdict[SG_IMPROVED], by_verdict[SG_WITHIN], by_verdict[SG_INCONCLUSIVE], (double)processes / (runs * PAIRS));
    return SG_SUCCESS;
}

static enum sg_code print_curves(unsigned runs, struct sg_err *err)
{
    static const double tolerances[] = {0.001, 0.0025, 0.005, 0.01};
    static const double changes[] = {0,     0.0005, 0.001, 0.0015, 0.002, 0.0025, 0.003,  0.004, 0.005, 0.006,
                                     0.007, 0.008,  0.01,  0.0125, 0.015, 0.02,   0.0214, 0.025, 0.03};
    puts("setting,tolerance,change,pairs,regressed,improved,within,inconclusive,processes");
    for (enum sg_setting setting = 0; setting < SG_SETTING_COUNT; setting++)
        for (size_t t = 0; t < COUNT(tolerances); t++)
            for (size_t c = 0; c < COUNT(changes); c++)
                if (print_point(setting, tolerances[t], changes[c], runs, err) != SG_SUCCESS)
                    return err->code;
    return SG_SUCCESS;
}

int main(int argc, char **argv)
{
    struct sg_err err = {0};
    const long runs = argc == 2 ? strtol(argv[1], NULL, 10) : argc == 1 ? 10 : 0;
    if (runs < 1 || runs > 10000)
        sg_fail(&err, SG_BAD_USAGE, "", "expected RUNS, 1 to 10000");
    else
        print_curves((unsigned)runs, &err);
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "power: %s\n", err.message);
    return sg_exit_code(err.code);
}
