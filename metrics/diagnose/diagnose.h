/*
 * diagnose/diagnose.h - which counters moved between two variants, or between accepted and now, and
 * what diagnose/causes.h needs of them.
 *
 * The counters that moved most, in units of their own floor or spread, whichever is wider, come
 * first. Explains, never decides. Invariant: what moved by less than its spread is not named.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "diagnose/places.h"
#include "results/accepted_file.h"

struct sg_moved {
    const struct sg_metric *metric; /* borrowed from the catalogue */
    double was, is;
    double difference;   /* turn by turn where both were counted so, else is - was */
    double spread;       /* what the difference may be off by; NaN: not known */
    bool non_repeatable; /* an exact counter that does not repeat on one of the sides, by more than its floors */
    double score;        /* rank, larger is more; > 1 */
};

/* What of a GPU splits a time; 0: not known. */
struct sg_diagnosed_gpu {
    double sm_count, sm_warps;
};
struct sg_diagnosed_gpu sg_diagnosed_gpu_of(const struct sg_env *env);

/* The counters of family/case/variant in `now`, against those of family/case/other in
 * `then`, which may be the same table. */
struct sg_diagnosed {
    const struct sg_catalogue *catalogue;
    struct sg_diagnosed_gpu gpu;
    const struct sg_table *then, *now;
    const struct sg_accepted *accepted; /* beside the rows of `then`; NULL: it is a run */
    const char *family, *case_, *other, *variant;
    double added, added_error; /* of the time of `other`, ratio; NaN: not known */
};

/*
 * Only values that both sides have and that moved beyond the floors of metrics.ini and their own
 * spread count; times and the model do not. Largest first, at most `max`. Returns how many.
 */
size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_moved *moved, size_t max);
/* All that both sides have, in the order of metrics.ini, unranked: score is 0. `all` has room for
 * the catalogue. */
size_t sg_diagnose_all(const struct sg_diagnosed *what, struct sg_moved *all);
/* Did it move by more than its floors, though not by more than its spread? */
bool sg_is_within_spread(const struct sg_moved *one);

/* The variant that the times of both are held against; NULL: none, or they are of two tables and
 * absolute. */
const char *sg_shared_partner(const struct sg_diagnosed *what);
/* Sets `added` and its error by the times of the tables: by ratios to the shared partner. */
void sg_diagnose_added(struct sg_diagnosed *what);
void sg_diagnose_sides(const struct sg_diagnosed *what, struct sg_versus *sides);
const char *sg_input_name(enum sg_input input); /* in metrics.ini */
