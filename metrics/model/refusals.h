/*
 * model/refusals.h - what of a run cannot be, and why: each timed variant held against the
 * limits of its GPU (model/physics.h).
 *
 * Every command that shows or judges times asks here, so that none believes what another one
 * refuses. A run is held against the GPU that it was taken on, whatever GPU it is shown beside.
 * Invariant: refusals stand in the order of the table, whose strings they borrow; there are
 * none of variants without a time.
 *
 *     struct sg_refusals refusals;
 *     if (sg_refusals_make(&run.table, &run.env, NULL, &refusals, err) == SG_SUCCESS)
 *         sg_refusals_check(&refusals, path, err);
 *     sg_refusals_release(&refusals);
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
    char *unjudged; /* owned; why some times are held against nothing, or less than they could be; NULL: nothing is missing */
};

/*
 * Of a sorted table. `key` names the peaks (metrics/gpus/KEY.gpu) of a run that does not know its
 * GPU; NULL: then its times are not judged. SG_BAD_INPUT: the file of the GPU's ceilings is
 * malformed; a spec that cannot be had is no error, but `unjudged`.
 */
enum sg_code sg_refusals_make(const struct sg_table *run, const struct sg_env *env, const char *key, struct sg_refusals *refusals,
                              struct sg_err *err);
/* The same without ceilings: of what must not hang on a file of them. */
void sg_refusals_of_peaks(const struct sg_table *run, const struct sg_env *env, const char *key, struct sg_refusals *refusals);
void sg_refusals_release(struct sg_refusals *refusals);

/* Of this variant; NULL: it can be, as far as anything is known.
 * `refusals` may be NULL: then nothing is. */
const struct sg_refusal *sg_refusals_find(const struct sg_refusals *refusals, const char *family, const char *case_, const char *variant);
/* SG_INVALID, said of `where`, with the first refusal and how many there are, if there are any. */
enum sg_code sg_refusals_check(const struct sg_refusals *refusals, const char *where, struct sg_err *err);
