/*
 * compare/compare_internal.h - what the files of compare share: a variant in the run beside the
 * same variant as accepted, and who judges its rows.
 *
 * compare/compare.c joins the tables; compare/judge_time.c judges times, compare/judge_build.c
 * pairs with accepted builds, compare/judge_status.c outcomes, compare/judge_counter.c counters,
 * compare/judge_terms.c by what the run is judged, compare/judge_item.c a variant as a whole.
 * Invariant: a judge adds one finding or one to a count for each row that it gets.
 */
#pragma once

#include "compare/accepted_variance.h"
#include "compare/compare.h"
#include "compare/row.h"
#include "compare/spread_classes.h"
#include "results/row_kind.h"

/* One variant's rows in one of the tables: rows[from .. to - 1]; none: from == to. */
struct sg_side {
    const struct sg_table *table;
    size_t from, to;
};

struct sg_joining {
    const struct sg_compare_input *in;
    struct sg_comparison *comparison;
    struct sg_finding *missing; /* owned; they come last */
    size_t missing_count, missing_capacity;
    struct sg_spread_classes classes; /* of the accepted rows */
    struct sg_bounds_by_df bounds;
    bool asks_builds; /* the run was asked to time items against their accepted builds */
    /* Of the variant at hand: */
    struct sg_side now, then;
    enum sg_status is, was;  /* outcomes; SG_OK where there is no such row */
    const char *main_metric; /* of the row that decides: time of the family's baseline, time_ratio of others; as accepted, if it was */
    const char *other_case;  /* why the case is not the accepted one; NULL: it is */
    size_t first;            /* its first finding */
    bool main_seen;          /* its deciding row is in the run */
    bool untimed;            /* a night left it untimed, and it is made of the same as what was accepted */
};

/* The variant that begins at `from`. */
struct sg_side sg_side_from(const struct sg_table *table, size_t from);
/* The row of this metric, NULL: it has none; and its message. */
const struct sg_row *sg_side_row(const struct sg_side *side, const char *metric);
const char *sg_side_message(const struct sg_side *side, const char *metric);
bool sg_side_is_there(const struct sg_side *side);
/* Is its role "baseline", "vendor"? */
bool sg_side_has_role(const struct sg_side *side, const char *role);
enum sg_status sg_side_status(const struct sg_side *side, const char *metric); /* SG_OK where there is no such row */

/* A finding with its names and values filled in from the pair, nothing judged yet. */
struct sg_finding sg_finding_of(const struct sg_joining *joining, const struct sg_row_pair *pair);

/* Of the run's family, else of the run: for what is compared within the run, where neither GPUs nor
 * nights differ. Ratio. */
double sg_tolerance_of_run(const struct sg_joining *joining, const struct sg_row_pair *pair);
/* Facts of the numbers that the accepted row is of: the GPU's own, or those of its model. */
const struct sg_env *sg_accepted_env(const struct sg_joining *joining, const struct sg_row_pair *pair);
/* What an item without an accepted number is: SG_NEW only where every item of the suite was
 * accepted, so that this one is not among them. */
enum sg_verdict sg_unaccepted(const struct sg_joining *joining);

/* Around the rows of a variant that is in the run: what holds for all of them, and what none of
 * them said. */
void sg_item_begin(struct sg_joining *joining);
void sg_item_end(struct sg_joining *joining);

/* A row of how the item was checked, which was accepted; a variant that is not in the run at all
 * has another finding. */
void sg_judge_term(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_terms_of_run(struct sg_joining *joining);
void sg_judge_status(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_time(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_ratio(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_build_ratio(struct sg_joining *joining, const struct sg_row_pair *pair);
void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair);

/* What makes a timed row unfit for any verdict; NULL: it is fit. */
const char *sg_why_unfit(struct sg_joining *joining, const struct sg_row_pair *pair);
/* Its accepted row cannot gate. */
void sg_refuse_gate(struct sg_finding *finding, const char *why);
/* The verdict, with its numbers; `se` has `df` degrees of freedom. */
void sg_finding_take(struct sg_finding *finding, const struct sg_decision *decision, double se, double df);
/* Of a finding that is within, improved or regressed; `keep` is what an improvement asks for. */
void sg_describe_time_verdict(struct sg_comparison *comparison, struct sg_finding *finding, const char *against, const char *keep);
/* Does a row of the item at hand, of this metric, only inform: because a pair with the accepted
 * build decides, or it is a vendor's? */
bool sg_informs(const struct sg_joining *joining, const char *metric);
/* Of a finding without a sign of a change; `also` ends the sentence. */
void sg_describe_unresolved(struct sg_comparison *comparison, struct sg_finding *finding, const char *also);

/* When all findings of the run are there. */
/* Says so when all candidates of a case moved alike: then it was probably the baseline variant that
 * changed. */
void sg_explain_shifts(struct sg_comparison *comparison);
/* Holm's correction over the pairs with accepted builds, and what the accepted numbers say of
 * each. */
void sg_settle_build_ratios(struct sg_joining *joining);
/* Fills comparison->q. */
void sg_add_false_discovery_rates(struct sg_comparison *comparison);
