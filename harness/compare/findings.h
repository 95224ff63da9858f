/*
 * compare/findings.h - what a comparison came to: a finding for each judged row, counts of all
 * others, and the exit code.
 *
 * A finding begins as sg_finding_none, gets its reason from sg_reason, and is kept by
 * sg_finding_add. Invariant: strings of a finding that was kept stay until the comparison is
 * released; equal reasons are kept once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"
#include "util/intern.h"

/* One judged row. Names are borrowed from the tables. */
struct sg_finding {
    const char *family, *case_, *variant, *metric, *unit;
    double was, is;           /* in `unit`; NaN: not there */
    double change, low, high; /* relative, as ratio - 1 (0.02: +2 %), with its interval; for exact counters the difference */
    double se, df;            /* of ln(1 + change), with its degrees of freedom; NaN: not judged by time */
    double tolerance;         /* ratio */
    double resolution;        /* smallest change found in 90 of 100 runs (MDE90), ratio; NaN: does not apply */
    enum sg_verdict accepted; /* vs_accepted */
    enum sg_verdict baseline; /* vs_baseline; SG_VERDICT_COUNT: does not apply */
    double baseline_change, baseline_low, baseline_high; /* candidate / its family's baseline - 1 */
    unsigned processes;                                  /* of this run; 0: not said */
    bool gates;
    bool informs;    /* of a run against accepted builds: judged and shown, but the pair decides, or it is a vendor's */
    const char *why; /* one sentence: why this verdict, and what to do about it if it is not green */
    /* Of what is too noisy to decide: the part of `why` without numbers, which may be that of many
     * rows and is then printed once; NULL: none. */
    const char *shared;
};

struct sg_comparison {
    struct sg_finding *findings; /* owned; in the order of the run, then missing ones */
    size_t count, capacity;
    struct sg_intern_pool *reasons; /* owned */
    /*
     * Owned; q of each finding, for triage: the share of false ones (Benjamini-Hochberg) among
     * gating rows that are slower than their tolerance as surely as this one or surer. NaN: not
     * judged by time; NULL: of `solgate ab`, which corrects its verdicts (Holm).
     */
    double *q;
    size_t by_verdict[SG_VERDICT_COUNT]; /* gating findings only */
    size_t counters_compared, counters_changed;
    size_t counters_new; /* not in the accepted table */
    size_t statuses_ok;  /* variants that are as right as they should be: no finding */
    size_t judged;       /* items of which a number was compared with an accepted one, or that fail as accepted */
    size_t facts;        /* rows that describe and are not judged (role, clocks, speed of light), of both tables */
    size_t absent;       /* accepted rows not in the run that do not gate, or whose variant has a finding that says it all */
    size_t paired;       /* items that are judged by their pair with the accepted build */
    size_t untimed;      /* items that are identical, and for that were not timed */
    size_t unpaired;     /* items of such a run that are judged by accepted numbers only */
    char *unpaired_why;  /* owned; the first of them and its reason; NULL: there is none */
    size_t one_sided;    /* of `solgate ab`: cases that one of two variants has or supports, and the other does not; they are not judged */
    bool of_imports;     /* of another tool: nothing gates */
    bool of_pairs;       /* of `solgate ab`: two sides of one run, and nothing accepted */
    char *title;         /* owned; what was compared with what, for the top of every format */
    char *accepted_path; /* owned */
    char *selection;     /* owned; the items that were asked for, as options; "": all */
};

/* All numbers NaN, no verdict against the baseline, no reason. */
struct sg_finding sg_finding_none(void);
/* Formats a sentence that stays until the comparison is released. */
const char *sg_reason(struct sg_comparison *comparison, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding);
struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index);
/* Takes the place of number `index`. */
void sg_finding_put(struct sg_comparison *comparison, size_t index, const struct sg_finding *finding);
void sg_comparison_release(struct sg_comparison *comparison);

struct sg_compare_options {
    bool inconclusive_fails; /* --inconclusive=fail: exit 2 */
};
/* Does this row ask for an exit code other than 0? */
bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options);
/* Why the comparison as a whole is not green though no row fails: nothing was judged, or no time
 * was decided. NULL: neither. */
const char *sg_why_undecided(const struct sg_comparison *comparison);
int sg_comparison_exit_code(const struct sg_comparison *comparison, const struct sg_compare_options *options);
