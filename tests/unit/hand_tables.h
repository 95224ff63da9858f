/*
 * hand_tables.h - small runs and baselines written by hand, for the
 * tests of compare and of accepting.
 *
 * A catalogue of four counters, one of each kind; rows of one case, family "f", case "c".
 */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "stats/statistics.h"

#define HAND_PROCESSES 5

static char name_exact[] = "registers", name_band[] = "instructions", name_neither[] = "grid",
            name_noisy[] = "dram_bytes";
static char no_unit[] = ""; /* of counters written by hand */
static struct sg_metric hand_metrics[] = {
    ROW(.name = name_noisy, .unit = no_unit, .better = SG_LOWER, .klass = SG_NOISY, .floor = 10,
        .floor_ratio = 0.01),
    ROW(.name = name_neither, .unit = no_unit, .better = SG_NEITHER, .klass = SG_EXACT),
    ROW(.name = name_band, .unit = no_unit, .better = SG_LOWER, .klass = SG_EXACT, .floor = 4),
    ROW(.name = name_exact, .unit = no_unit, .better = SG_LOWER, .klass = SG_EXACT),
};
static struct sg_metric *hand_by_name[] = {&hand_metrics[0], &hand_metrics[1], &hand_metrics[2],
                                           &hand_metrics[3]};
static const struct sg_catalogue hand_catalogue = {.by_name = hand_by_name, .count = 4};

static inline struct sg_value hand_words(const char *variant, const char *metric,
                                         enum sg_status status, const char *message)
{
    return (struct sg_value){.family = "f",
                             .case_ = "c",
                             .variant = variant,
                             .metric = metric,
                             .status = status,
                             .message = message};
}

static inline struct sg_value hand_number(const char *variant, const char *metric, double value)
{
    struct sg_value row = hand_words(variant, metric, SG_OK, "");
    row.value = value;
    row.has = SG_HAS_VALUE;
    return row;
}

/* Of so many counts. */
static inline struct sg_value hand_counted(const char *variant, const char *metric, double value,
                                           double low, double high, uint32_t n)
{
    struct sg_value row = hand_number(variant, metric, value);
    row.low = low;
    row.high = high;
    row.n = n;
    row.has = SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    return row;
}

/* `se` of the logarithm; c makes the interval of it. */
static inline struct sg_value hand_interval(const char *variant, const char *metric, double value,
                                            double se, double c)
{
    struct sg_value row = hand_number(variant, metric, value);
    row.low = value * exp(-c * se);
    row.high = value * exp(c * se);
    row.se = se;
    row.sd = se * sqrt(HAND_PROCESSES);
    row.n = HAND_PROCESSES;
    row.has = SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N | SG_HAS_SE | SG_HAS_SD;
    return row;
}

static inline struct sg_value hand_ratio(const char *variant, double ratio, double se)
{
    struct sg_value row = hand_interval(variant, "time_ratio", ratio, se,
                                        sg_look_constant(SG_ALPHA_05, HAND_PROCESSES));
    row.unit = "1";
    row.message = "against base";
    return row;
}

static inline struct sg_value hand_time(const char *variant, double ns, double se)
{
    struct sg_value row =
        hand_interval(variant, "time", ns, se, sg_t_quantile(0.975, HAND_PROCESSES - 1));
    row.unit = "ns";
    return row;
}

static inline void hand_env(struct sg_env *env)
{
    static const char *const fact[][2] = {
        {"schema", "1"},        {"gpu", "h200"},   {"driver", "580.159.04"}, {"l2", "cold"},
        {"tolerance", "0.005"}, {"suite", "hand"}, {"date", "2026-11-20"}};
    for (size_t i = 0; i < sizeof(fact) / sizeof(fact[0]); i++)
        sg_env_set(env, fact[i][0], fact[i][1]);
}

#define HAND_TOLERANCE 0.005 /* of an accepted time or ratio */

/* One more row of a baseline, gating, nothing else known but the tolerance of a time. */
static inline struct sg_accepted *hand_accept(struct sg_accepted_file *baseline,
                                              const struct sg_value *value)
{
    const bool is_time =
        strcmp(value->metric, "time") == 0 || strcmp(value->metric, "time_ratio") == 0;
    sg_table_add(&baseline->table, value);
    const size_t count = baseline->table.count;
    baseline->accepted = realloc(baseline->accepted, count * sizeof(*baseline->accepted));
    baseline->accepted[count - 1] = (struct sg_accepted){
        .tolerance = NAN, .beta = NAN, .f0 = NAN, .sd_process = NAN, .sd_day = NAN, .gate = true};
    if (is_time)
        baseline->accepted[count - 1].tolerance = HAND_TOLERANCE;
    return &baseline->accepted[count - 1];
}
