/*
 * compare/compare.h - compares a run with accepted numbers (vs_accepted), and candidates with their
 * baseline in the run (vs_baseline).
 *
 * Pure: tables in, findings out. Times decide, by docs/method.md 3 and 5; exact counters compare by
 * equality; noisy counters only explain. Invariant: every row of the run and every accepted row
 * ends in a finding or in one of the counts.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "compare/findings.h"
#include "compare/night_items.h"
#include "model/refusals.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/item_filter.h"
#include "results/table.h"

/* Input that only a nightly run has, for rows paired with accepted builds. */
struct sg_night_terms {
    /* processes up to which open rows will be re-measured; 0: they will not be */
    unsigned max_processes;
    const struct sg_night_items *items; /* borrowed; NULL: none */
};

/* Input of sg_compare; all borrowed. */
struct sg_compare_input {
    const struct sg_table *run;
    const struct sg_env *run_env;
    /* impossible values: invalid, like all that is paired with them. NULL: not checked */
    const struct sg_refusals *refusals;
    const struct sg_filters *filters; /* only these items are judged and counted; NULL: all */
    const struct sg_accepted_file *accepted;
    const struct sg_catalogue *catalogue;
    const struct sg_night_terms *night; /* NULL: not a nightly run */
    bool gates_imports;                 /* results of other tools gate; false: they are shown */
};

/*
 * SG_NOT_COMPARABLE if GPU, driver branch, L2 state or time source differ; the message has both
 * values. The accepted numbers may come from another run (sg_accepted_from_run). Without a path
 * nothing was accepted, and every item is new.
 */
enum sg_code sg_compare(const struct sg_compare_input *whole, struct sg_comparison *comparison,
                        struct sg_err *err);

/* If a symbol runs with one geometry on one side and several on the other, the kernels with the
 * same grid and block match: the accepted rows take the name in the run. */
enum sg_code sg_pair_kernels(const struct sg_table *run, struct sg_accepted_file *accepted,
                             struct sg_err *err);

/*
 * Compares GPU, driver branch (major number), L2 state and time source. SG_NOT_COMPARABLE names the
 * first difference, with both values.
 */
enum sg_code sg_check_comparable(const struct sg_env *run, const struct sg_env *accepted,
                                 const char *path, struct sg_err *err);
bool sg_same_driver_branch(const char *a, const char *b); /* true for "580.159.04" and "580.82" */

/* Checks the units against the catalogue: SG_BAD_INPUT names the first row with another unit. */
enum sg_code sg_check_units(const struct sg_catalogue *catalogue, const struct sg_table *table,
                            const char *path, struct sg_err *err);

/* If a variant is not as its source declares, whatever was accepted, err becomes SG_UNDECLARED,
 * prefixed with `where`. That replaces an error about missing accepted numbers. Variants that are
 * unsupported or not measured do not count. */
enum sg_code sg_check_declared(const struct sg_table *run, const char *where, struct sg_err *err);
/* Does the status differ from the declared one? False for a variant that refused the case or was
 * not measured. */
bool sg_is_undeclared(enum sg_status status, enum sg_status declared);

/* For the row count_passes of a correct variant: did counting fail? False if counters are
 * unreadable or were not requested, which tells nothing about the variant. */
bool sg_is_count_failure(enum sg_status status);
