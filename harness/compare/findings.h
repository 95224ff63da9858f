/*
 * compare/findings.h - the result of a comparison: a finding for each judged row, counts of all
 * other rows, and the exit code.
 *
 * A finding starts as sg_finding_none, gets its reason from sg_reason, and is stored by
 * sg_finding_add. Invariant: strings of a stored finding live until the comparison is released;
 * equal reasons are stored once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"
#include "util/intern.h"

/* One judged row. Names are borrowed from the tables. */
struct sg_finding {
    const char *family, *case_, *variant, *metric, *unit;
    double was, is; /* in `unit`; NaN: missing */
    /* ratio - 1 (0.02: +2 %), with its interval; for exact counters the absolute difference */
    double change, low, high;
    double se, df; /* standard error of ln(1 + change), with its degrees of freedom; NaN: not judged
                      by time */
    double tolerance;  /* ratio */
    double resolution; /* smallest change found in 90 of 100 runs (MDE90), ratio; NaN: does not
                          apply */
    enum sg_verdict accepted; /* vs_accepted */
    enum sg_verdict baseline; /* vs_baseline; SG_VERDICT_COUNT: does not apply */
    double baseline_change, baseline_low, baseline_high; /* candidate / its family's baseline - 1 */
    unsigned processes;                                  /* of this run; 0: not known */
    bool gates;
    /* judged and shown, but another row decides: the pair with the accepted build; or a vendor's
     * kernel, or an import */
    bool is_informational;
    const char *why; /* one sentence: why this verdict, and what to do if the row is not green */
    /* For a row too noisy to decide: the part of `why` without numbers, which is printed once if
     * many rows share it. NULL: none. */
    const char *shared;
};

struct sg_comparison {
    struct sg_finding *findings; /* owned; in the order of the run, then missing rows */
    size_t count, capacity;
    struct sg_intern_pool *reasons; /* owned */
    /*
     * Owned; q of each finding (Benjamini-Hochberg), for triage: the share of false positives among
     * the gating rows that are at least as significantly slower than their tolerance. NaN: not
     * judged by time. NULL: for `solgate ab`, which corrects its verdicts (Holm).
     */
    double *q;
    size_t by_verdict[SG_VERDICT_COUNT]; /* gating findings only */
    size_t counters_compared, counters_changed;
    size_t counters_new; /* not in the accepted table */
    size_t statuses_ok;  /* variants with the expected status: no finding */
    /* items with a number that was compared with an accepted one, or that fail as accepted */
    size_t judged;
    /* descriptive rows that are not judged (role, clocks, speed of light), of both tables */
    size_t facts;
    /* accepted rows that the run lacks: not gating, or covered by a finding of their variant */
    size_t absent;
    size_t paired;      /* items judged by their pair with the accepted build */
    size_t untimed;     /* items not timed, because they are identical */
    size_t unpaired;    /* items of a paired run that are judged by accepted numbers only */
    char *unpaired_why; /* owned; the first unpaired item and its reason; NULL: none */
    /* of `solgate ab`: cases that only one of the two variants has or supports; they are not
     * judged */
    size_t one_sided;
    bool of_imports;     /* imported from another tool, and nothing gates */
    bool of_pairs;       /* of `solgate ab`: two sides of one run, without accepted numbers */
    char *accepted_path; /* owned */
    char *selection;     /* owned; the selected items, as options; "": all */
};

/* A finding with all numbers NaN, no verdict against the baseline, and no reason. */
struct sg_finding sg_finding_none(void);
/* Formats a sentence that lives until the comparison is released. */
const char *sg_reason(struct sg_comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding);
struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index);
/* Replaces finding `index`. */
void sg_finding_put(struct sg_comparison *comparison, size_t index,
                    const struct sg_finding *finding);
/* Describes a finding that is within, improved or regressed; `keep` tells how to accept an
 * improvement. */
void sg_describe_time_verdict(struct sg_comparison *comparison, struct sg_finding *finding,
                              const char *against, const char *keep);

struct sg_compare_options {
    bool inconclusive_fails; /* --inconclusive=fail: exit 2 */
};
/* Does the row call for an exit code other than 0? */
bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options);
/* Why the comparison as a whole is not green although no row fails: nothing was judged, or no time
 * was decided. NULL: neither. */
const char *sg_why_undecided(const struct sg_comparison *comparison);
int sg_comparison_exit_code(const struct sg_comparison *comparison,
                            const struct sg_compare_options *options);
