/*
 * nightly/decide.h - what the findings of a night come to: which rows are suspects, the
 * exit code, the line of the verdict.
 *
 * Pure. A row that compare calls regressed, inconclusive or unresolved is open, and is measured on
 * before the night is judged. Regressed after as many processes as decide at most
 * (SG_SEQUENTIAL_PROCESSES_MAX) is regressed; after fewer it is a suspect. So is what stays
 * inconclusive, and what is slower in some processes as nights before show (history/spread.h).
 * What else stays unresolved fails nothing, and may hide what its interval holds.
 * Invariant: a suite of which no row was decided is not green.
 */
#pragma once

#include "compare/compare.h"
#include "util/names.h"

/* constant, the words of its count, title of its list in a night's output */
#define SG_NIGHTLY_CLASS_TABLE(X)                                                              \
    X(SG_NIGHTLY_REGRESSED, "regressed", "Regressed")                                          \
    X(SG_NIGHTLY_SUSPECT, "suspects", "Suspects that stay open")                               \
    X(SG_NIGHTLY_FAULTY, "broken, invalid or not measured", "Broken, invalid or not measured") \
    X(SG_NIGHTLY_UNRESOLVED, "unresolved", "Unresolved, and by how much each may be slower")   \
    X(SG_NIGHTLY_GOOD, "as they should be", "")

enum sg_nightly_class { SG_NIGHTLY_CLASS_TABLE(SG_CONSTANT) SG_NIGHTLY_CLASSES };

/* What nights before show of the spread of items, FAMILY/CASE/VARIANT. */
struct sg_nightly_spreads {
    struct sg_names wide, why;     /* the items that spread further tonight; of each why */
    struct sg_usual_spreads usual; /* of these and of all others that ten nights show */
    struct sg_names off;           /* items whose value tonight is off: measured again, before a person is asked */
};
void sg_nightly_spreads_release(struct sg_nightly_spreads *spreads);

/* Of a row that gates; any other is good. */
enum sg_nightly_class sg_nightly_class_of(const struct sg_finding *finding, const struct sg_nightly_spreads *spreads);
/* Adds the items, FAMILY/CASE/VARIANT, whose rows are open and can be measured on, each once. */
void sg_nightly_open_items(const struct sg_comparison *comparison, const struct sg_nightly_spreads *spreads, struct sg_names *items);

struct sg_nightly_suite {
    size_t rows[SG_NIGHTLY_CLASSES]; /* that gate, by class; those that regressed by a counter among them */
    size_t untimed;                  /* identical, and for that not timed */
    size_t paired, unpaired;         /* with the accepted build, and judged by accepted numbers alone */
    size_t not_gated;                /* rows of an exit code that those numbers cannot judge */
    size_t unspread;                 /* timed rows that no nights before show the usual spread of */
    int exit_code;                   /* of the comparison, as a night sees it */
};
void sg_nightly_judge(const struct sg_comparison *comparison, const struct sg_nightly_spreads *spreads, struct sg_nightly_suite *suite);

/*
 * What counts of a run's own exit code: nothing where its comparison is green because of a waiver,
 * which a run knows nothing of. `waived`: how many rows are.
 */
int sg_nightly_run_exit(int run_exit, int compare_exit, size_t waived);

/* Appends the rows of each class that has a title, a line each under it. */
void sg_nightly_list(const struct sg_comparison *comparison, const struct sg_nightly_spreads *spreads, struct sg_text *out);

struct sg_nightly_total {
    size_t suites, left_out;         /* begun, and not begun because the budget was over */
    size_t rows[SG_NIGHTLY_CLASSES]; /* of all of them */
    size_t untimed, paired, unpaired, not_gated, unspread;
    int exit_code;
    const char *history; /* what is open in it, in words; NULL: none is kept */
};
void sg_nightly_add(struct sg_nightly_total *total, const struct sg_nightly_suite *suite);
/* "FAIL (exit 1): nightly: 2 suites, 60 rows: 1 regressed, ...", without its end. The counts of
 * classes add up to the rows that gate. */
void sg_nightly_verdict(const struct sg_nightly_total *total, struct sg_text *out);
