/*
 * other_rules_tally.h - who called how many of how many slower: the tallies of power_curves and
 * other_rules_on_runs, and solgate among the rules.
 *
 * Invariant: one line a source, kind of samples, rule and change, in the columns of
 * TALLY_HEADER; changes are ratios minus 1.
 */
#ifndef OTHER_RULES_TALLY_H
#define OTHER_RULES_TALLY_H

#include "other_rules.h"
#include "stats/sequential.h"

#define TALLY_HEADER "source,samples,rule,change,comparisons,slower,faster\n"

struct tally {
    const char *source, *samples, *rule;
    double change;
    size_t comparisons, slower, faster;
};
void tally_add(struct tally *tally, int says);
void tally_print(const struct tally *tally);
int engine_says(const struct sg_sequential_pair *pair); /* as rule_says */

/* solgate's rule as it is compared with the others: name of the rule,
 * tolerance; the first one is the default. */
#define SOLGATE_RULES 3
struct solgate_rule {
    const char *name;
    double tolerance; /* ratio */
};
extern const struct solgate_rule solgate_rules[SOLGATE_RULES];

/*
 * solgate on values that were measured before, ln candidate/baseline of each process:
 * as far as they go; a pair that is still open then is what it was at its last look.
 * *used: how many processes it took.
 */
int solgate_says(const double *y, size_t count, double tolerance, size_t *used);

#endif
