/*
 * reports/tables/ranking.h - the content of findings in every format: their order, the columns of a
 * row, the verdict in a sentence, the causes.
 *
 * Invariant: each of these lists exists once; a format only lays out and escapes. All text here is
 * unescaped. Usage: sg_rank_init; sg_add_listing for the classes to show; sg_rank_of to count the
 * rest.
 */
#pragma once

#include "diagnose/causes.h"
#include "reports/report.h"
#include "reports/sheet.h"
#include "results/env.h"

/* Formats show the first three classes with their reasons, and fold or count the rest. */
bool sg_is_time(const struct sg_finding *finding); /* time, time_ratio or build_ratio */
bool sg_has_times(const struct sg_comparison *comparison);
bool sg_is_status(const struct sg_finding *finding); /* the outcome of a verification */
enum sg_class sg_class_of(const struct sg_finding *finding);
/* name of the findings of SG_ASIDE */
const char *sg_aside_words(const struct sg_comparison *comparison);

/* Findings by class, then verdict, then size of the change, then order of the run. */
struct sg_rank {
    const struct sg_comparison *comparison; /* borrowed */
    size_t *finding;                        /* owned; access with sg_rank_at */
    /* findings, and those shown below another finding (sg_repeated_row) */
    size_t count, repeats;
    /* class c has the positions from[c] .. from[c + 1] - 1 */
    size_t from[SG_CLASS_COUNT + 1];
};
void sg_rank_init(struct sg_rank *rank, const struct sg_comparison *comparison);
/* The worst class of the judged rows: SG_RED to SG_OPEN. */
enum sg_class sg_worst_class(const struct sg_rank *rank);
struct sg_finding sg_rank_at(const struct sg_rank *rank, size_t at); /* `at` < rank->count */
size_t sg_rank_of(const struct sg_rank *rank, enum sg_class class_); /* number of findings */

/* Findings of an item are consecutive in a comparison. */
/* false if `a` is beyond the end */
bool sg_same_item(const struct sg_comparison *comparison, size_t a, size_t b);
/* the first finding of its item */
size_t sg_item_begins(const struct sg_comparison *comparison, size_t finding);
/* The row that an informational time repeats and is shown below: the gating row of its item,
 * otherwise the ratio. Such a time has class SG_ASIDE in a rank. SIZE_MAX: the finding is a
 * separate row. */
size_t sg_repeated_row(const struct sg_comparison *comparison, size_t finding);

/* Kinds of findings in a listing, one bit each. */
enum sg_kinds {
    SG_TRIED = 1,    /* slower than its baseline variant */
    SG_UNTRIED = 2,  /* any other measurement */
    SG_STATUSES = 4, /* outcome of a verification */
    SG_MEASURED = SG_TRIED | SG_UNTRIED,
    SG_ALL_KINDS = SG_MEASURED | SG_STATUSES,
};

/* Findings from .. to - 1 of a rank that have these kinds. */
struct sg_listing {
    const struct sg_rank *rank;
    size_t from, to;
    enum sg_kinds kinds;
    /* maximum number of causes below a row, with its reason; 0: a reason only if there is nothing
     * else */
    size_t causes;
    enum sg_readers readers;
    /* statuses share the table of other findings, with reasons below; otherwise a separate table */
    bool together;
};
size_t sg_count_kinds(const struct sg_listing *listing);
/* Adds their tables: measurements, then statuses, each row with its reason. */
void sg_add_listing(struct sg_document *document, const struct sg_report_input *input,
                    const struct sg_listing *listing);

/* Parts of a comparison's document (reports/tables/comparison_document.c) that pages also use:
 * the verdict in a sentence, and folded rows that need no action. */
void sg_add_headline(struct sg_document *document, const struct sg_report_input *input,
                     const struct sg_rank *rank);
void sg_add_folded(struct sg_document *document, const struct sg_report_input *input,
                   const struct sg_rank *rank);

/* For speed-of-light tables (reports/tables/gap_document.c, gap_notes.c). */
/* Returns true if the limit is about as short as a launch and the launch floor is not known. */
bool sg_gap_is_short(const struct sg_sol_table *gaps, const struct sg_gap *gap);
/* Adds "cublas (vendor)": the variant, with its role unless it is a candidate. */
void sg_add_gap_label(struct sg_text *out, const struct sg_gap *gap);
/* Adds untimed variants, impossible times, the meaning of times and limits, the peaks and the
 * ceilings, one line each. */
void sg_gap_notes(const struct sg_sol_table *gaps, struct sg_text *lines);
/* Adds "measured with a clean L2: DRAM 4.18 TB/s, bf16 786 Tflop/s; baselines/h200/ceilings.csv,
 * GPU 2eb3df26fe7e2f59, 2026-11-21", with a sentence if the run's L2 state differed; or how to
 * measure them. */
void sg_add_ceilings(struct sg_text *out, const struct sg_sol_table *gaps);

/* Adds "+8.1 % [+7.9, +8.3]"; brackets only with an interval. */
void sg_add_interval(struct sg_text *out, double change, double low, double high);
/* Adds "8.1 %", without a sign. */
void sg_add_unsigned_change(struct sg_text *out, double ratio);
/* Adds "Smallest detectable slowdown (90 % power): median 3.4 %, worst 9.0 % (matvec/r64/v), over
 * 25 timed rows" for gating times (reports/tables/run_reach.c); nothing without such times. */
#define SG_DETECTABLE "Smallest detectable slowdown (90 % power)"
void sg_add_mde(struct sg_text *out, const struct sg_comparison *comparison);
/* Adds "not measured: items: 1 skipped; counters: sm_clock"; nothing if all that the run's GPU
 * supports was measured. */
void sg_add_unmeasured(struct sg_text *out, const struct sg_report_input *input);
/* Adds "NVIDIA H200, suite smoke, 2026-11-20, simulated"; leaves out unknown parts. */
void sg_add_caption(struct sg_text *out, const struct sg_env *env, const char *note);

/* Adds "+100 %", "+11.5 points", "-8.81 warp cycles/inst": the change of a counter. */
void sg_add_metric_change(struct sg_text *out, const char *metric, const char *unit, double was,
                          double is);

struct sg_causes {
    struct sg_versus sides;
    struct sg_found found;
    /* "accepted", or the baseline variant; "" if there is nothing to compare with */
    char against[80];
    struct sg_diagnosed what; /* set if there is something to compare with */
};
/* Describes a finding's variant against `other` in `then`, for sg_diagnose; does not set the added
 * time. */
struct sg_diagnosed sg_diagnosed_of(const struct sg_report_input *input,
                                    const struct sg_finding *finding, const struct sg_table *then,
                                    const char *other);
/* Uses the accepted counters if the row regressed; otherwise the counters of its baseline variant,
 * if the row is slower than that. */
void sg_find_causes(const struct sg_report_input *input, const struct sg_finding *finding,
                    struct sg_causes *causes);
/* The same for `what`, whose added time is set. */
void sg_find_causes_of(const struct sg_diagnosed *what, struct sg_causes *causes);
/* Adds "imbalance between SMs: +18.2 of 20.9 points (+-3.1): SMs have ended and wait for those that
 * have more to do; sm_active_cycles 103,221 cycles -> 106,532 cycles". The next function adds the
 * points. */
void sg_add_cause(struct sg_text *out, const struct sg_causes *causes,
                  const struct sg_cause *cause);
void sg_add_points(struct sg_text *out, double points, bool is_signed); /* adds nothing for NaN */
void sg_add_cause_name(struct sg_text *out, const struct sg_causes *causes,
                       const struct sg_cause *cause);
void sg_add_evidence(struct sg_text *out, const struct sg_causes *causes,
                     const struct sg_cause *cause);
/* For a time without causes, names the data missing to find one. Adds nothing if the sides have
 * no counter in common. */
void sg_add_no_cause(struct sg_text *out, const struct sg_causes *causes);
/* Adds "exact counters that do not repeat: instructions", whose changes are unreliable. Adds
 * nothing if all repeat. */
void sg_add_non_repeatable(struct sg_text *out, const struct sg_diagnosed *what);
/* Adds "settings that differ: depth 3 -> 4": knobs with different values on both sides. Adds
 * nothing if none differ. */
void sg_add_knobs(struct sg_text *out, const struct sg_diagnosed *what);
