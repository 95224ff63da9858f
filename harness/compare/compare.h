/*
 * compare/compare.h - a run against accepted numbers (vs_accepted), and candidates against their
 * baseline in the run (vs_baseline).
 *
 * Pure: tables in, findings out. Times decide, by docs/method.md 3 and 5; exact counters compare by
 * equality; noisy ones only explain. Invariant: every row of the run and every row of the baseline
 * ends in a finding or in one of the counts: nothing is dropped.
 */
#ifndef SG_COMPARE_COMPARE_H
#define SG_COMPARE_COMPARE_H

#include "catalogue/catalogue.h"
#include "compare/findings.h"
#include "model/refusals.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/item_filter.h"
#include "results/table.h"
#include "stats/verdict.h"

/* One judged row. Strings are borrowed from the tables. */
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
    bool informs;                   /* of a run against accepted builds: judged and shown, but the pair decides, or nobody asked */
    const char *why;                /* one sentence: why this verdict, and what to do about it if it is not green */
    struct sg_finding_reason *room; /* where sg_finding_why writes it; NULL of one that was kept (compare/findings.h) */
};

struct sg_comparison {
    struct sg_findings *findings; /* owned; in the order of the run, then missing ones; each by sg_finding_at (compare/findings.h) */
    size_t count;
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
    size_t judged;       /* items of which a number was held against an accepted one, or that are accepted as failing as they do */
    size_t facts;        /* rows that describe and are not judged (role, clocks, speed of light), of both tables */
    size_t absent;       /* accepted rows not in the run that do not gate, or whose variant has a finding that says it all */
    size_t paired;       /* items that are judged by their pair with the accepted build */
    size_t unpaired;     /* items of such a run that accepted numbers alone judge */
    char *unpaired_why;  /* owned; the first of them and its reason; NULL: there is none */
    size_t one_sided;    /* of `solgate ab`: cases that one of two variants has or supports, and the other does not; they are not judged */
    bool of_pairs;       /* of `solgate ab`: two sides of one run, and nothing accepted */
    char *title;         /* what was compared with what, for the top of every format */
    char *baseline_path;
    char *selection; /* the items that were asked for, as options; "": all */
};

/* What sg_compare takes; all borrowed. */
struct sg_compare_input {
    const struct sg_table *run;
    const struct sg_env *run_env;
    const char *today;                  /* waivers are judged by the later one of it and the run's date; NULL: by the run's */
    const struct sg_refusals *refusals; /* what of the run cannot be: invalid, with whatever is paired with it. NULL: nobody looked */
    const struct sg_filters *filters;   /* only these items are judged and counted; NULL: all */
    const struct sg_accepted_file *baseline;
    const struct sg_catalogue *catalogue;
};

struct sg_compare_options {
    bool inconclusive_fails; /* --inconclusive=fail: exit 2 */
};

/*
 * Same GPU, driver branch (major number), L2 state and source of times? SG_NOT_COMPARABLE names the
 * first that differs, with both values.
 */
enum sg_code sg_check_comparable(const struct sg_env *run, const struct sg_env *baseline, const char *path, struct sg_err *err);

/* Numbers of another unit must not be taken for ones of the catalogue's: SG_BAD_INPUT names the
 * first row that has one. `counters`: the file of accepted counters; NULL: they are in `path`. */
enum sg_code sg_check_units(const struct sg_catalogue *catalogue, const struct sg_table *table, const char *path, const char *counters,
                            struct sg_err *err);

bool sg_same_driver_branch(const char *a, const char *b); /* "580.159.04" and "580.82" are */

/*
 * SG_NOT_COMPARABLE when GPU or driver branch differ (both values in the message). The baseline may
 * be another run's table read as a baseline (sg_baseline_from_run). Without a path it stands for
 * nothing that was accepted, and every item is new.
 */
enum sg_code sg_compare(const struct sg_compare_input *input, struct sg_comparison *comparison, struct sg_err *err);
void sg_comparison_release(struct sg_comparison *comparison);

/* How many variants of a run are not what their sources declare, whatever was accepted:
 * unsupported and not measured ones are. */
size_t sg_count_undeclared(const struct sg_table *run);
/* With such variants in the run an error of `where` becomes SG_UNDECLARED, which outweighs that
 * there is nothing to compare with. */
enum sg_code sg_check_declared(const struct sg_table *run, const char *where, struct sg_err *err);
/* Is this status, of a variant that declares `declared`, another one than declared? Not
 * where it was refused or not measured. */
bool sg_is_undeclared(enum sg_status status, enum sg_status declared);

/* Does this status of the row count_passes, of a variant that is right, say that
 * something went wrong while it was counted? Counters that are not to be had, or were not
 * asked for, say nothing of the variant. */
bool sg_is_lost_count(enum sg_status status);

/* Does this row ask for an exit code other than 0? */
bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options);
/* Why the comparison as a whole is not green though no row fails: nothing was judged, or no time
 * was decided. NULL: neither. */
const char *sg_why_undecided(const struct sg_comparison *comparison);
int sg_comparison_exit_code(const struct sg_comparison *comparison, const struct sg_compare_options *options);

#endif
