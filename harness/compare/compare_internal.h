/*
 * compare/compare_internal.h - what the files of compare share: a variant in the run beside the
 * same variant as accepted, and who judges its rows.
 *
 * compare/compare.c joins the tables and owns the comparison; compare/judge_time.c judges times,
 * compare/judge_build.c pairs with accepted builds, compare/judge_status.c outcomes,
 * compare/judge_counter.c counters, compare/judge_terms.c by what the run is judged,
 * compare/judge_item.c what a variant comes to when its rows are
 * judged; compare/false_discovery.c looks at all of them at once. Invariant: a judge adds one
 * finding or one to a count for each row it is handed.
 */
#ifndef SG_COMPARE_COMPARE_INTERNAL_H
#define SG_COMPARE_COMPARE_INTERNAL_H

#include "compare/accepted_variance.h"
#include "compare/compare.h"
#include "compare/spread_classes.h"
#include "results/env.h"
#include "results/row_kind.h"

/* What a row's metric makes of it. */
struct sg_metric_use {
    struct sg_row_use row;
    const struct sg_metric *metric; /* NULL: not in the catalogue, or no counter */
};

/* One variant's rows in one of the tables: rows[from .. to - 1]; the rows that others
 * are judged by, NULL where absent. */
struct sg_side {
    const struct sg_table *table;
    size_t from, to;
    const struct sg_row *status, *expect, *role, *time, *clock, *l2, *waiver, *counted, *signature, *identity, *sanitizer, *shape, *build;
};

struct sg_joining {
    const struct sg_table *run;
    const struct sg_env *run_env;
    const char *today;                  /* NULL: not known */
    const struct sg_refusals *refusals; /* NULL: nobody looked */
    const struct sg_filters *filters;   /* NULL: all items */
    const struct sg_accepted_file *baseline;
    const struct sg_catalogue *catalogue;
    struct sg_comparison *comparison;
    struct sg_comparison missing;                   /* findings only: they come last */
    struct sg_metric_use *run_uses, *baseline_uses; /* by id of the metric's name */
    struct sg_spread_classes classes;               /* of the accepted rows */
    bool whole;                                     /* the accepted table has every item of its suite */
    double tolerance_max, model_tolerance_max;      /* as accepted; ratio */
    struct sg_bounds_by_df bounds;
    bool asks_builds; /* the run was asked to time items against their accepted builds */
    double tolerance; /* of the run, for the family at hand */
    sg_id tolerance_family;
    struct sg_side now, then;         /* the variant at hand; then.table is baseline->table */
    size_t first;                     /* finding of the variant at hand */
    bool main_seen;                   /* its deciding row (sg_main_metric) is in the run */
    char other_case[200];             /* why the case is not the accepted one; "": it is */
    struct sg_finding_reason refused; /* why what the finding at hand is paired with cannot be */
    struct sg_finding_reason why;     /* of the finding at hand */
};

/* A row as it is and as it was accepted; at least one of them is there. */
struct sg_row_pair {
    const struct sg_row *now, *then;
    const struct sg_accepted *accepted; /* of `then`; NULL without */
};

/* A finding with its names and values filled in from the pair, nothing judged yet; explain and keep
 * it (compare/findings.h) before the next. */
struct sg_finding sg_finding_of(struct sg_joining *joining, const struct sg_row_pair *pair);

/* Value of a row; NaN when it has none. */
double sg_row_value(const struct sg_row *row);
/* Of the run's family, else of the run: for what is compared within the run, where
 * neither GPUs nor nights differ. Ratio. */
double sg_tolerance_of_run(struct sg_joining *joining, const struct sg_row_pair *pair);
/* The widest tolerance that gates, of the numbers that the accepted row is of; ratio. */
double sg_tolerance_max_of(const struct sg_joining *joining, const struct sg_row_pair *pair);
/* The row that decides about the variant at hand: time of the family's baseline, time_ratio of
 * all others; as accepted, if it was. */
const char *sg_main_metric(const struct sg_joining *joining);
/* What an item without an accepted number is: SG_NEW only where every item of the suite was
 * accepted, so that this one is not among them. */
enum sg_verdict sg_unaccepted(const struct sg_joining *joining);
bool sg_is_baseline_variant(const struct sg_side *side);
enum sg_status sg_side_status(const struct sg_side *side);   /* SG_OK where there is no such row */
enum sg_status sg_side_declared(const struct sg_side *side); /* SG_OK where it declares nothing else */

/* Around the rows of a variant that is in the run: what holds for all of
 * them, and what none of them told. */
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
void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_metric *metric);
/* Smallest difference of a counter that is news, by its floor and what is known of
 * its spread (results/counter_repeats.h); 0: any. A counter that no catalogue
 * knows (metric NULL) counts as exact. */
double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric);
bool sg_counter_is_worse(const struct sg_metric *metric, double difference);
/* Says so when all candidates of a case moved alike: then it was probably
 * the baseline variant that changed. */
void sg_explain_shifts(struct sg_comparison *comparison);
/* What makes a timed row unfit for any verdict; NULL: it is fit. */
const char *sg_why_unfit(struct sg_joining *joining, const struct sg_row_pair *pair);
/* The verdict on a difference whose error has `df` degrees of freedom, with its numbers. */
void sg_finding_decide(struct sg_finding *finding, const struct sg_difference *difference, double df);
/* Of a finding that is within, improved or regressed; `keep` is what an improvement asks for. */
void sg_describe_time_verdict(struct sg_finding *finding, const char *against, const char *keep);
/* Does a row of the item at hand, of this metric, only inform: because a pair with the accepted
 * build decides, or it is a vendor's? */
bool sg_informs(const struct sg_joining *joining, const char *metric);
/* Of a finding that no suspicion rests on; `also` ends the sentence. */
void sg_describe_unresolved(struct sg_finding *finding, const char *also);
/* Holm's correction over the pairs with accepted builds, and what the accepted numbers witness of
 * each; when all findings are there. */
void sg_settle_build_ratios(struct sg_comparison *comparison);
/* Fills comparison->q; when all findings are there. */
void sg_add_false_discovery_rates(struct sg_comparison *comparison);

#endif
