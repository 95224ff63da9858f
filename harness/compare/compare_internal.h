/*
 * compare/compare_internal.h - shared by the files of compare: a variant in the run with its
 * accepted counterpart, and the judges of its rows.
 *
 * compare/compare.c joins the tables and calls the judges: compare/judge_time.c for times,
 * compare/judge_build.c for pairs with accepted builds, compare/judge_status.c for outcomes,
 * compare/judge_counter.c for counters, compare/judge_terms.c for the terms of the run, and
 * compare/judge_item.c for a variant as a whole. Judges use compare/side.c, fit.c and describe.c,
 * and not each other. Invariant: a judge adds one finding, or one to a count, for each row.
 */
#pragma once

#include "compare/accepted_variance.h"
#include "compare/compare.h"
#include "compare/row.h"
#include "compare/spread_classes.h"
#include "results/row_kind.h"

/* One variant's rows in a table: rows[from .. to - 1]; from == to: none. */
struct sg_side {
    const struct sg_table *table;
    size_t from, to;
};

struct sg_joining {
    const struct sg_compare_input *in;
    struct sg_comparison *comparison;
    struct sg_finding *missing; /* owned; appended last */
    size_t missing_count, missing_capacity;
    struct sg_spread_classes classes; /* of the accepted rows */
    struct sg_bounds_by_df bounds;
    bool asks_builds; /* the run was requested to time items against their accepted builds */
    /* The current variant: */
    struct sg_side now, then;
    enum sg_status is, was; /* outcomes; SG_OK if there is no status row */
    /* metric of the deciding row: time for the family's baseline, otherwise time_ratio; the
     * accepted one if there is one */
    const char *main_metric;
    const char *other_case; /* why the case differs from the accepted one; NULL: same case */
    size_t first;           /* index of its first finding */
    bool main_seen;         /* the run has its deciding row */
    bool untimed;           /* a nightly run skipped timing: identical to the accepted variant */
};

/* The variant that begins at row `from`. */
struct sg_side sg_side_from(const struct sg_table *table, size_t from);
/* The row of this metric, NULL if there is none; and its message. */
const struct sg_row *sg_side_row(const struct sg_side *side, const char *metric);
const char *sg_side_message(const struct sg_side *side, const char *metric);
bool sg_side_is_there(const struct sg_side *side);
/* The GPU that measured the current item. */
const char *sg_item_unit(const struct sg_joining *joining);
/* Is its role `role`, such as "baseline" or "vendor"? */
bool sg_side_has_role(const struct sg_side *side, const char *role);
enum sg_status sg_side_status(const struct sg_side *side,
                              const char *metric); /* SG_OK if there is no such row */

/* A finding with names and values from the pair, not yet judged. */
struct sg_finding sg_finding_of(const struct sg_joining *joining, const struct sg_row_pair *pair);

/* The run's tolerance for the row's family, or for the whole run; a ratio. For comparisons within
 * the run, where neither GPUs nor nightly runs differ. */
double sg_tolerance_of_run(const struct sg_joining *joining, const struct sg_row_pair *pair);
/* Facts of the file that has the accepted row: the GPU's own, or the model's. */
const struct sg_env *sg_accepted_env(const struct sg_joining *joining,
                                     const struct sg_row_pair *pair);
/* Verdict of an item without an accepted number: SG_NEW only if every item of the suite was
 * accepted at the time, so that this one must be new. */
enum sg_verdict sg_unaccepted(const struct sg_joining *joining);

/* Called before and after the rows of a variant that is in the run. They judge what concerns the
 * whole item, including missing rows. */
void sg_item_begin(struct sg_joining *joining);
void sg_item_end(struct sg_joining *joining);

/* Judges an accepted term: how the item was checked. Not for a variant that the run lacks, which
 * has another finding. */
void sg_judge_term(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_terms_of_run(struct sg_joining *joining);
void sg_judge_status(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_time(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_ratio(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_build_ratio(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair);

/* True for a row with a time. */
bool sg_row_is_measured(const struct sg_row *row);
/* True if the row has an interval, from enough processes to be trusted. */
bool sg_row_has_interval(const struct sg_row *row);
/* True only if both sides are quoted: a time measured here is never judged without its interval. */
bool sg_are_quoted(const struct sg_joining *joining);
/* True if the current item has a pair with the build of its accepted numbers, which decides. */
bool sg_is_paired(const struct sg_joining *joining);
/* True if the item reads other files than when it was accepted: then its pair decides nothing. */
bool sg_reads_other_files(const struct sg_joining *joining);
/* Why a timed row is unfit for any verdict; NULL: the row is fit. */
const char *sg_why_unfit(struct sg_joining *joining, const struct sg_row_pair *pair);
/* Sets the verdict of a row whose accepted row cannot gate. */
void sg_refuse_gate(struct sg_finding *finding, const char *why);
/* Sets the verdict and its numbers; `se` has `df` degrees of freedom. */
void sg_finding_take(struct sg_finding *finding, const struct sg_decision *decision, double se,
                     double df);
/* Is a row of this metric of the current item only informational? True if a pair with the accepted
 * build decides, or for a vendor's kernel. */
bool sg_is_informational(const struct sg_joining *joining, const char *metric);
/* Describes a finding without a detected change; `also` ends the sentence. */
void sg_describe_unresolved(struct sg_comparison *comparison, struct sg_finding *finding,
                            const char *also);

/* Call these when all findings of the run exist. */
/* Results of another tool that gate: judges items, files and launches that only one side has. */
void sg_judge_one_sided(const struct sg_compare_input *in, struct sg_comparison *comparison);
/* Warns if all candidates of a case moved by the same ratio: then the baseline variant probably
 * changed. */
void sg_explain_shifts(struct sg_comparison *comparison);
/* Applies Holm's correction to the pairs with accepted builds, and adds what the accepted numbers
 * show for each. */
void sg_settle_build_ratios(struct sg_joining *joining);
/* Fills comparison->q. `corrects`: a regressed row whose p, by Holm's correction over all rows, is
 * above SG_SEQUENTIAL_ERROR becomes inconclusive. */
void sg_add_false_discovery_rates(struct sg_comparison *comparison, bool corrects);
