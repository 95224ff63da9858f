/*
 * compare/compare.h - a run against accepted numbers (vs_accepted), and candidates against their
 * baseline in the run (vs_baseline).
 *
 * Pure: tables in, findings out. Times decide, by docs/method.md 3 and 5; exact counters compare by
 * equality; noisy ones only explain. Invariant: every row of the run and every accepted row ends in
 * a finding or in one of the counts.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "compare/findings.h"
#include "compare/usual_spreads.h"
#include "model/refusals.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/item_filter.h"
#include "results/table.h"

/* What only a night has of its rows that are paired with accepted builds. */
struct sg_night_terms {
    unsigned last_look;                   /* processes up to which what is open will be measured on; 0: it will not */
    const struct sg_usual_spreads *usual; /* borrowed */
};

/* What sg_compare takes; all borrowed. */
struct sg_compare_input {
    const struct sg_table *run;
    const struct sg_env *run_env;
    const struct sg_refusals *refusals; /* what of the run cannot be: invalid, with whatever is paired with it. NULL: not looked for */
    const struct sg_filters *filters;   /* only these items are judged and counted; NULL: all */
    const struct sg_accepted_file *accepted;
    const struct sg_catalogue *catalogue;
    const struct sg_night_terms *night; /* NULL: not of a night */
};

/*
 * SG_NOT_COMPARABLE when GPU or driver branch differ (both values in the message). The accepted
 * numbers may be made of another run (sg_baseline_from_run). Without a path they stand for nothing
 * that was accepted, and every item is new.
 */
enum sg_code sg_compare(const struct sg_compare_input *input, struct sg_comparison *comparison, struct sg_err *err);

/* A symbol that runs with one geometry on one side and with several on the other is the kernel of
 * the same grid and block: its accepted rows get the name that it has in the run. */
enum sg_code sg_pair_kernels(const struct sg_table *run, struct sg_accepted_file *accepted, struct sg_err *err);

/*
 * Same GPU, driver branch (major number), L2 state and source of times? SG_NOT_COMPARABLE names the
 * first that differs, with both values.
 */
enum sg_code sg_check_comparable(const struct sg_env *run, const struct sg_env *accepted, const char *path, struct sg_err *err);
bool sg_same_driver_branch(const char *a, const char *b); /* "580.159.04" and "580.82" are */

/* Numbers of another unit must not be taken for ones of the catalogue's: SG_BAD_INPUT names the
 * first row that has one. `counters`: the file of accepted counters; NULL: they are in `path`. */
enum sg_code sg_check_units(const struct sg_catalogue *catalogue, const struct sg_table *table, const char *path, const char *counters,
                            struct sg_err *err);

/* With variants that are not what their sources declare, whatever was accepted, an error of `where`
 * becomes SG_UNDECLARED, which outweighs that there is nothing to compare with. Unsupported and not
 * measured ones are none. */
enum sg_code sg_check_declared(const struct sg_table *run, const char *where, struct sg_err *err);
/* Is this status, of a variant that declares `declared`, another one than declared? Not where it
 * was refused or not measured. */
bool sg_is_undeclared(enum sg_status status, enum sg_status declared);

/* Does this status of the row count_passes, of a variant that is right, say that something went
 * wrong while it was counted? Counters that cannot be read, or were not asked for, say nothing of
 * the variant. */
bool sg_is_lost_count(enum sg_status status);
