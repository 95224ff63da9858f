/*
 * The proof of the method in numbers, as CSV on stdout; tests/method/power_curves.sh draws it.
 *
 *     power_curves curves RUNS                     share of verdicts against the true change:
 *                                                  settings x tolerances
 *     power_curves rules RUNS                      rules that people use beside solgate's, on the
 *                                                  same simulated launches
 *     power_curves measured PAIRED.csv LAUNCHES.csv    the same rules on series of a real GPU
 *
 * RUNS of 50 pairs each a row. Seeds are fixed: the same RUNS give the same bytes.
 */
#include "power_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_source.h"

#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))
#define PAIRS            50
#define BUDGET_PROCESSES 5 /* what a pair costs solgate nearly always; the other rules have as many launches */

/* ---- curves ---- */

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

/* ---- rules ---- */

/* All launches of the budget, of one pair: in turns, as many processes as solgate has; one
 * after the other, in one process. */
static void draw(struct sg_simulated_source source, size_t pair, struct two_samples *samples, double *ns[2])
{
    const bool in_turns = source.order == SG_IN_TURNS;
    const unsigned processes = in_turns ? BUDGET_PROCESSES : 1;
    source.blocks *= BUDGET_PROCESSES / processes;
    const size_t of_process = (size_t)source.blocks * 2 * source.launches;
    for (unsigned process = 0; process < processes; process++)
        sg_simulated_launches(&source, process, pair, (double *[2]){ns[0] + process * of_process, ns[1] + process * of_process});
    const size_t n = processes * of_process;
    *samples = (struct two_samples){.baseline = ns[0], .candidate = ns[1], .n_baseline = n, .n_candidate = n};
}

static void tally_rules(const struct sg_simulated_source *source, struct tally tallies[RULE_COUNT])
{
    const size_t most = (size_t)source->blocks * 2 * source->launches * BUDGET_PROCESSES;
    double *ns[2] = {sg_alloc(most, sizeof(double)), sg_alloc(most, sizeof(double))};
    for (size_t pair = 0; pair < PAIRS; pair++) {
        struct two_samples samples;
        draw(*source, pair, &samples, ns);
        for (enum rule rule = 0; rule < RULE_COUNT; rule++)
            tally_add(&tallies[rule], rule_says(rule, &samples));
    }
    free(ns[0]);
    free(ns[1]);
}

static void print_rules_of(enum sg_setting setting, enum sg_simulated_order order, double change, unsigned runs)
{
    struct tally tallies[RULE_COUNT];
    double ratios[PAIRS];
    fill(ratios, change);
    for (enum rule rule = 0; rule < RULE_COUNT; rule++)
        tallies[rule] = (struct tally){.source = sg_setting_word(setting),
                                       .samples = order == SG_IN_TURNS ? "in_turns" : "one_after_the_other",
                                       .rule = rule_word(rule),
                                       .change = change};
    for (unsigned run = 0; run < runs; run++) {
        struct sg_simulated_source source = sg_simulated_setting(setting, run + 1);
        source.ratio = ratios;
        source.order = order;
        tally_rules(&source, tallies);
    }
    for (enum rule rule = 0; rule < RULE_COUNT; rule++)
        tally_print(&tallies[rule]);
}

static enum sg_code print_solgate(enum sg_setting setting, double change, unsigned runs, struct sg_err *err)
{
    static struct sg_sequential_pair pairs[PAIRS];
    struct tally tally = {.source = sg_setting_word(setting), .samples = "in_turns", .rule = "solgate", .change = change};
    double ratios[PAIRS];
    fill(ratios, change);
    for (unsigned run = 0; run < runs; run++) {
        struct sg_simulated_source source = sg_simulated_setting(setting, run + 1);
        source.ratio = ratios;
        if (decide(&source, 0.005, pairs, err) != SG_SUCCESS)
            return err->code;
        for (size_t i = 0; i < PAIRS; i++)
            tally_add(&tally, engine_says(&pairs[i]));
    }
    tally_print(&tally);
    return SG_SUCCESS;
}

static enum sg_code print_rules(unsigned runs, struct sg_err *err)
{
    static const double changes[] = {0, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.0214, 0.03, 0.04, 0.05, 0.06};
    fputs(TALLY_HEADER, stdout);
    for (enum sg_setting setting = 0; setting < SG_SETTING_COUNT; setting++)
        for (size_t c = 0; c < COUNT(changes); c++) {
            print_rules_of(setting, SG_ONE_AFTER_THE_OTHER, changes[c], runs);
            print_rules_of(setting, SG_IN_TURNS, changes[c], runs);
            if (print_solgate(setting, changes[c], runs, err) != SG_SUCCESS)
                return err->code;
        }
    return SG_SUCCESS;
}

int main(int argc, char **argv)
{
    struct sg_err err = {0};
    uint64_t runs = 0;
    const bool is_counted = argc == 3 && sg_parse_u64(argv[2], &runs) && runs > 0 && runs <= 10000;
    if (is_counted && strcmp(argv[1], "curves") == 0)
        print_curves((unsigned)runs, &err);
    else if (is_counted && strcmp(argv[1], "rules") == 0)
        print_rules((unsigned)runs, &err);
    else if (argc == 4 && strcmp(argv[1], "measured") == 0)
        measured_print(argv[2], argv[3], &err);
    else
        sg_fail(&err, SG_BAD_USAGE, "", "expected curves RUNS, rules RUNS, or measured PAIRED.csv LAUNCHES.csv; RUNS is 1 to 10000");
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "power_curves: %s%s%s\n", err.where, *err.where ? ": " : "", err.message);
    return sg_exit_code(err.code);
}
