/*
 * diagnose/rules.h - the rules of diagnose/diagnose.h in memory, and reading them from
 * rules.ini (which documents their keys).
 *
 * Invariant: each rule has a metric of the catalogue, a direction and a sentence;
 * bounds that are not given are NaN.
 */
#ifndef SG_DIAGNOSE_RULES_H
#define SG_DIAGNOSE_RULES_H

#include "diagnose/diagnose.h"

#define SG_RULE_WITH_MAX 4

enum sg_direction { SG_UP, SG_DOWN, SG_ANY };

/* Another metric that must have moved too. */
struct sg_rule_with {
    const struct sg_metric *metric;
    enum sg_direction direction; /* SG_UP or SG_DOWN */
};

struct sg_rule {
    char *name;
    long line;
    const struct sg_metric *metric;
    enum sg_direction direction;
    double ratio; /* > = 1; NaN: not given */
    double was_at_most, was_at_least, is_at_most, is_at_least;
    double weight; /* > 0 */
    struct sg_rule_with with[SG_RULE_WITH_MAX];
    size_t with_count;
    char *says;
};

struct sg_rules {
    struct sg_rule *rules; /* in the order of the file: the first that fits wins */
    size_t count, capacity;
};

#endif
