/*
 * diagnose/causes.h - why one launch takes longer than another: what changed, where it took time.
 *
 * Pure. A row of mechanisms.c is a mechanism: a change of exact counts that must be there, and the
 * places (diagnose/places.h) that it can take time in. Of the points of a place each mechanism
 * whose change is there gets its part by the size of its change, but no more of active time than
 * the factor of its change can make of it; what a place keeps is named as the wait that it is. So a
 * change without a place is no cause, and no family, variant or kernel has a rule of its own. Where
 * the time cannot be split, changes that are large enough are named without points. The errors:
 * every count is moved by its own spread, and all is computed again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "diagnose/places.h"

#define SG_EVIDENCE_MAX   3
#define SG_MECHANISMS_MAX 48

struct sg_mechanism {
    const char *name;
    const char *says; /* how it takes time */
    const char *try_; /* what to try */
    double (*change)(const struct sg_versus *sides,
                     const enum sg_input *of); /* of its evidence: ln of a factor; 0: not there; NaN: not known; NULL: its place is it */
    uint64_t places;                           /* a bit each */
    bool exact;                                /* named also where the time is not split */
    enum sg_input evidence[SG_EVIDENCE_MAX];   /* what shows the change; SG_NO_INPUT behind the last */
};
extern const struct sg_mechanism sg_mechanisms[];
extern const size_t sg_mechanism_count;

struct sg_cause {
    const struct sg_mechanism *mechanism; /* NULL: no change explains the points of `place` */
    enum sg_place place;
    double factor;        /* of its change, > 1 */
    double points, error; /* NaN: the time is not split */
};

#define SG_FOUND_MAX 16
struct sg_found {
    struct sg_split split;
    double error[SG_PLACE_COUNT];        /* of the points of the places */
    struct sg_cause cause[SG_FOUND_MAX]; /* those over their errors and over SG_SHARE_MIN of what was added, largest first */
    size_t count;
};
#define SG_SHARE_MIN 0.05

void sg_causes_find(const struct sg_versus *sides, struct sg_found *found);
