/*
 * model/refusals.h - finds impossible measurements of a run: compares each timed variant with the
 * limits of its GPU (model/physics.h).
 *
 * Every command that shows or judges times uses this, so that all refuse the same times. The limits
 * belong to the GPU that measured the run, whatever GPU its table is for. Invariant: refusals are
 * in the order of the table and borrow its strings. Variants without a time have none.
 *
 *     struct sg_refusals refusals;
 *     if (sg_refusals_make(&run.table, &run.env, NULL, &refusals, err) == SG_SUCCESS)
 *         sg_refusals_check(&refusals, path, err);
 */
#pragma once

#include "model/physics.h"
#include "results/env.h"

struct sg_refusal {
    const char *family, *case_, *variant; /* borrowed from the table */
    enum sg_physics_finding finding;      /* never SG_POSSIBLE */
    char *why;                            /* owned; one sentence with its numbers */
};

struct sg_refusals {
    struct sg_refusal *items; /* owned */
    size_t count, capacity;
    /* owned; why some times have no limit, or only a weak one; NULL: all limits are known */
    char *unjudged;
};

/* Needs a sorted table. `key` selects the peaks (metrics/gpus/KEY.gpu) of a run with an unknown
 * GPU; NULL: its times are not judged. SG_BAD_INPUT: the ceilings file of the GPU is malformed.
 * A missing spec is not an error but sets `unjudged`. */
enum sg_code sg_refusals_make(const struct sg_table *run, const struct sg_env *env, const char *key,
                              struct sg_refusals *refusals, struct sg_err *err);
/* Without ceilings, for uses that must not depend on a ceilings file. */
void sg_refusals_of_peaks(const struct sg_table *run, const struct sg_env *env, const char *key,
                          struct sg_refusals *refusals);

/* The refusal of this variant; NULL: possible, as far as known. `refusals` may be NULL and then
 * has none. */
const struct sg_refusal *sg_refusals_find(const struct sg_refusals *refusals, const char *family,
                                          const char *case_, const char *variant);
/* If there are refusals: SG_INVALID with `where`, the first refusal and their number. */
enum sg_code sg_refusals_check(const struct sg_refusals *refusals, const char *where,
                               struct sg_err *err);
