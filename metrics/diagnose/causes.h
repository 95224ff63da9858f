/*
 * diagnose/causes.h - explains why one launch takes longer than another: which change took time,
 * and where.
 *
 * Pure. A row of mechanisms.c is a mechanism: a required change of exact counts, and the places
 * (diagnose/places.h) where the change can take time. The points of a place are distributed over
 * the mechanisms with a change, in proportion to the change. A mechanism gets no more active time
 * than the factor of its change allows. The rest of a place is reported as a wait. So a change
 * without a place is not a cause, and no family, variant or kernel has special rules. If the time
 * cannot be split, large changes are named without points. Errors come from moving every count by
 * its spread and computing everything again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "diagnose/places.h"

#define SG_EVIDENCE_MAX   3
#define SG_MECHANISMS_MAX 48

struct sg_mechanism {
    const char *name;
    const char *says; /* how the change takes time */
    const char *try_; /* suggestion */
    double (*change)(const struct sg_versus *sides,
                     /* from its evidence: ln of a factor; 0: no change; NaN: not known; NULL:
                      * the place alone suffices */
                     const enum sg_input *of);
    uint64_t places; /* one bit each */
    bool exact;      /* also reported if the time is not split */
    /* metrics that show the change; SG_NO_INPUT after the last */
    enum sg_input evidence[SG_EVIDENCE_MAX];
};
extern const struct sg_mechanism sg_mechanisms[];
extern const size_t sg_mechanism_count;

struct sg_cause {
    const struct sg_mechanism *mechanism; /* NULL: no change explains the points of `place` */
    enum sg_place place;
    double factor;        /* factor of its change, > 1 */
    double points, error; /* NaN: the time is not split */
};

#define SG_FOUND_MAX 16
struct sg_found {
    struct sg_split split;
    double error[SG_PLACE_COUNT]; /* errors of the places' points */
    /* over their errors and over SG_SHARE_MIN of the added time, largest first */
    struct sg_cause cause[SG_FOUND_MAX];
    size_t count;
};
#define SG_SHARE_MIN 0.05

void sg_causes_find(const struct sg_versus *sides, struct sg_found *found);
