/*
 * diagnose/diagnose.h - which counters moved between two variants, or between accepted and now, and
 * what that usually means (rules.ini).
 *
 * Pure. A rule names a metric, a direction, thresholds and a sentence; the counters that moved
 * most, in units of their own floor or spread, whichever is wider, come first. Explains, never
 * decides. Invariant: what moved by less than its spread is not named.
 */
#ifndef SG_DIAGNOSE_DIAGNOSE_H
#define SG_DIAGNOSE_DIAGNOSE_H

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"

struct sg_moved {
    const struct sg_metric *metric; /* borrowed from the catalogue */
    double was, is;
    double difference;   /* turn by turn where both were counted so, else is - was */
    double spread;       /* what the difference may be off by; NaN: not known */
    bool non_repeatable; /* an exact counter that does not repeat on one of the sides, by more than its floors */
    double score;        /* rank (rules.ini says how it is made), larger is more; > 1 */
    const char *cause;   /* sentence of the rule that fits, or the metric's meaning; borrowed from the rules or catalogue */
};

struct sg_rules; /* rules.ini, loaded */
enum sg_code sg_rules_load(const struct sg_catalogue *catalogue, struct sg_rules **rules, struct sg_err *err);
void sg_rules_free(struct sg_rules *rules);

/* The counters of family/case/variant in `now`, against those of family/case/other in
 * `then`, which may be the same table. */
struct sg_diagnosed {
    const struct sg_catalogue *catalogue;
    const struct sg_rules *rules;
    const struct sg_table *then, *now;
    const struct sg_accepted *accepted; /* beside the rows of `then`; NULL: it is a run */
    const char *family, *case_, *other, *variant;
};

/*
 * Only values that both sides have and that moved beyond the floors of metrics.ini and their own
 * spread count; times and the model do not. Largest first, at most `max`. Returns how many.
 */
size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_moved *moved, size_t max);
/* All that both sides have, in the order of metrics.ini, unranked: score is 0 and cause NULL.
 * `all` has room for the catalogue. */
size_t sg_diagnose_all(const struct sg_diagnosed *what, struct sg_moved *all);
/* Did it move by more than its floors, though not by more than its spread? */
bool sg_is_within_spread(const struct sg_moved *one);

#endif
