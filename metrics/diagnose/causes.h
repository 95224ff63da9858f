/*
 * diagnose/causes.h - explains why one launch takes longer than another: which change took time,
 * and where.
 *
 * Pure. A section of metrics/causes.ini is a mechanism: a change of exact counts, and the places
 * (diagnose/places.h) where it can take time; docs/metrics.md says how places are distributed over
 * changes. No family, variant or kernel has special rules. Errors come from moving every count by
 * its spread and computing everything again, and from the errors that the probes show.
 */
#pragma once

#include "diagnose/places.h"
#include "util/err.h"

#define SG_EVIDENCE_MAX   3
#define SG_MECHANISMS_MAX 64

struct sg_mechanism {
    char *name, *says, *try_; /* says: how the change takes time; try_: a suggestion */
    int change;               /* index of a function; 0: the place alone suffices */
    uint64_t places;          /* one bit each */
    bool exact;               /* also reported if the time is not split */
    /* metrics that show the change; SG_NO_INPUT after the last */
    enum sg_input evidence[SG_EVIDENCE_MAX];
};
extern struct sg_mechanism sg_mechanisms[SG_MECHANISMS_MAX];
extern size_t sg_mechanism_count;
/* ln of the factor of its change; 0: no change; NaN: not known. */
double sg_mechanism_change(const struct sg_mechanism *mechanism, const struct sg_versus *sides);
/* Reads metrics/causes.ini, once in a process. SG_BAD_INPUT: the file is malformed. */
enum sg_code sg_mechanisms_load(struct sg_err *err);

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
