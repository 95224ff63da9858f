/*
 * reports/tables/ranking.h - what every format shows of findings: their order, the columns of a
 * row, the verdict in a sentence, the causes.
 *
 * Invariant: each of these lists exists once; a format only lays out and escapes.
 * Everything here is composed unescaped.
 * How it is used: sg_rank_init; sg_add_listing of the classes to show; the rest by sg_rank_of.
 */
#pragma once

#include "diagnose/causes.h"
#include "diagnose/dimension_series.h"
#include "reports/report.h"
#include "reports/sheet.h"
#include "results/env.h"

/* Formats show the first three classes with their reasons, and fold or count the rest. */
bool sg_is_time(const struct sg_finding *finding); /* time, time_ratio or build_ratio */
bool sg_has_times(const struct sg_comparison *comparison);
bool sg_is_status(const struct sg_finding *finding); /* outcome of a verification */
enum sg_class sg_class_of(const struct sg_finding *finding);
const char *sg_aside_words(const struct sg_comparison *comparison); /* what findings of SG_ASIDE are */

/* Findings by class, then verdict, then by size of the change, the order of the run last. */
struct sg_rank {
    const struct sg_comparison *comparison; /* borrowed */
    size_t *finding;                        /* owned; each by sg_rank_at */
    size_t count, witnesses;                /* findings, and those that are told below another (sg_witnessed) */
    size_t from[SG_CLASS_COUNT + 1];        /* class c is number from[c] .. from[c + 1] - 1 */
};
void sg_rank_init(struct sg_rank *rank, const struct sg_comparison *comparison);
void sg_rank_release(struct sg_rank *rank);
/* How many rows are unresolved against accepted numbers, and what may be hidden in the worst:
 * behind ", " where `out` has words. */
void sg_add_open(struct sg_text *out, const struct sg_rank *rank);
/* Of rows that are judged: SG_RED to SG_OPEN. */
enum sg_class sg_worst_class(const struct sg_rank *rank);
struct sg_finding sg_rank_at(const struct sg_rank *rank, size_t at); /* of any `at` below rank->count */
size_t sg_rank_of(const struct sg_rank *rank, enum sg_class class_); /* how many */

/* Findings of an item stand beside each other in a comparison. */
bool sg_same_item(const struct sg_comparison *comparison, size_t a, size_t b); /* no, if `a` is behind the last */
size_t sg_item_begins(const struct sg_comparison *comparison, size_t finding); /* the first of its item */
/* The row that a time which only informs repeats, and below which it is told: the one of its item
 * that gates, else its ratio; its class in a rank is SG_ASIDE. SIZE_MAX: it is a row by itself. */
size_t sg_witnessed(const struct sg_comparison *comparison, size_t witness);

/* What a finding is, for a listing; a bit each. */
enum sg_kinds {
    SG_TRIED = 1,    /* slower than its baseline variant */
    SG_UNTRIED = 2,  /* any other that was measured */
    SG_STATUSES = 4, /* outcome of a verification */
    SG_MEASURED = SG_TRIED | SG_UNTRIED,
    SG_ALL_KINDS = SG_MEASURED | SG_STATUSES,
};

/* Findings from .. to - 1 of a rank that are of these kinds. */
struct sg_listing {
    const struct sg_rank *rank;
    size_t from, to;
    enum sg_kinds kinds;
    size_t causes; /* how many stand below a row, with its reason; 0: a reason only where it is all there is to say */
    enum sg_readers readers;
    bool together; /* statuses in the table of the others, with their reasons below; else in one of their own */
};
size_t sg_count_kinds(const struct sg_listing *listing);
/* Their tables: what is measured, then statuses, a row each with its reason. */
void sg_add_listing(struct sg_document *document, const struct sg_report_input *input, const struct sg_listing *listing);

/* The parts of what is printed of a comparison (reports/tables/comparison_document.c) that pages
 * have, too: the verdict in a sentence; what is wrong in the same way; what needs no action,
 * folded. */
void sg_add_headline(struct sg_document *document, const struct sg_report_input *input, const struct sg_rank *rank);
void sg_add_shared_errors(struct sg_document *document, const struct sg_report_input *input);
void sg_add_folded(struct sg_document *document, const struct sg_report_input *input, const struct sg_rank *rank);

/* Of tables of speed of light (reports/tables/gap_document.c, gap_notes.c). */
/* Is the limit about as short as a launch, and what a launch takes not known? */
bool sg_gap_is_short(const struct sg_sol_table *gaps, const struct sg_gap *gap);
/* "cublas (vendor)": the variant, with its role if it is no candidate. */
void sg_add_gap_label(struct sg_text *out, const struct sg_gap *gap);
/* What was not timed, what cannot be, what times and limits are, the peaks and the ceilings: a line
 * each. */
void sg_gap_notes(const struct sg_sol_table *gaps, struct sg_text *lines);
/*
 * "measured with a clean L2: DRAM 4.18 TB/s, bf16 786 Tflop/s;
 * baselines/h200/ceilings.csv, GPU 2eb3df26fe7e2f59, 2026-11-21", and a sentence more
 * where the run's L2 was in another state; or how to measure them.
 */
void sg_add_ceilings(struct sg_text *out, const struct sg_sol_table *gaps);

/* "+8.1 % [+7.9, +8.3]"; the brackets only where there is an interval. */
void sg_add_interval(struct sg_text *out, double change, double low, double high);
/* "8.1 %": of what has no sign */
void sg_add_unsigned_change(struct sg_text *out, double ratio);
/* "FAIL (exit 1): 20 rows: 2 regressed, 1 broken, 17 within, against baselines/h200/smoke.csv
 * (accepted 2026-11-20)", and a doubt behind it; and its parts. The counts add up to the rows. */
void sg_add_sentence(struct sg_text *out, const struct sg_report_input *input);
void sg_add_counts(struct sg_text *out, const struct sg_report_input *input);
void sg_add_against(struct sg_text *out, const struct sg_report_input *input); /* begins with a comma */
/* "MDE (9 of 10 such runs find it): median 3.4 %, worst 9.0 % (matvec/r64/v), of 25 times" of what
 * gates (reports/tables/run_reach.c); nothing without such times. */
void sg_add_mde(struct sg_text *out, const struct sg_comparison *comparison);
/* "not measured: items: 1 skipped; counters: sm_clock"; nothing, if all was that can be there on
 * the run's GPU. */
void sg_add_unmeasured(struct sg_text *out, const struct sg_report_input *input);
const char *sg_doubt(const struct sg_report_input *input); /* why the run itself may be another one; "": nothing */
/* "NVIDIA H200, suite smoke, 2026-11-20, simulated"; what is not known is left out. */
void sg_add_caption(struct sg_text *out, const struct sg_env *env, const char *note);

/* Why a row is slow. */
struct sg_causes {
    struct sg_versus sides;
    struct sg_found found;
    char against[80];         /* "accepted", or the baseline variant; "" when there was nothing to compare with */
    struct sg_diagnosed what; /* as long as there was something to compare with */
};
/* The counters of a finding's variant against those of `other` in `then`, for sg_diagnose; without
 * the time that is added. */
struct sg_diagnosed sg_diagnosed_of(const struct sg_report_input *input, const struct sg_finding *finding, const struct sg_table *then,
                                    const char *other);
/* Against the accepted counters if the row regressed since, else against its family's baseline
 * variant if it is slower than that. */
void sg_find_causes(const struct sg_report_input *input, const struct sg_finding *finding, struct sg_causes *causes);
/* The same of `what`, whose added time is set. */
void sg_find_causes_of(const struct sg_diagnosed *what, struct sg_causes *causes);
/* "imbalance between SMs: +18.2 of 20.9 points (+-3.1): SMs have ended and wait for those that have
 * more to do; sm_active_cycles 103,221 cycles -> 106,532 cycles"; its parts. */
void sg_add_cause(struct sg_text *out, const struct sg_causes *causes, const struct sg_cause *cause);
void sg_add_points(struct sg_text *out, double points, bool is_signed); /* nothing, if it is not a number */
void sg_add_cause_name(struct sg_text *out, const struct sg_causes *causes, const struct sg_cause *cause);
void sg_add_evidence(struct sg_text *out, const struct sg_causes *causes, const struct sg_cause *cause);
/* Of a time whose causes are none: what is missing to find them. Nothing where both sides have no
 * counter in common. */
void sg_add_no_cause(struct sg_text *out, const struct sg_causes *causes);
/* "exact counters that do not repeat: instructions": whatever they moved by, they are not what they
 * are taken for. Nothing if all do. */
void sg_add_non_repeatable(struct sg_text *out, const struct sg_diagnosed *what);
/* "set otherwise: depth 3 -> 4": the knobs that both sides have and that are
 * not set alike. Nothing if all are. */
void sg_add_knobs(struct sg_text *out, const struct sg_diagnosed *what);
/*
 * How the extra time of a series goes with its dimension: "costs 4.30 us more than baseline at
 * k=512, 4.41 at 1024, 4.20 at 2048: the same for all k (-0.08 +- 0.31 us per 1000 of k): a cost of
 * each launch, or of each block or tile if k makes no more of them".
 */
void sg_add_scaling(struct sg_text *out, const struct sg_dimension_series *series);
/*
 * The same of one case of a series that is described below another, `case_`: "costs 4.41 us more
 * than baseline at k=1024: the same for all k: see m512_k512_bf16 above".
 */
void sg_add_scaling_again(struct sg_text *out, const struct sg_dimension_series *series, const char *case_);
