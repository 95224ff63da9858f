/*
 * power_curves.h - the tallies that the two halves of power_curves share: who called how many of how many slower.
 *
 * Invariant: one line a source, kind of samples, rule and change, in the columns of TALLY_HEADER; changes are ratios minus 1.
 */
#ifndef POWER_CURVES_H
#define POWER_CURVES_H

#include "engine.h"
#include "rules_in_use.h"

#define TALLY_HEADER "source,samples,rule,change,comparisons,slower,faster\n"

struct tally {
    const char *source, *samples, *rule;
    double change;
    size_t comparisons, slower, faster;
};
void tally_add(struct tally *tally, int says);
void tally_print(const struct tally *tally);
int engine_says(const struct sg_engine_pair *pair); /* as rule_says */

/* The rules on real series: tests/data/h200_series. */
enum sg_code measured_print(const char *paired_path, const char *launches_path, struct sg_err *err);

#endif
