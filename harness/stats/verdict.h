/*
 * stats/verdict.h - the outcomes: one table for comparisons, gates, runs, nightly runs and
 * histories.
 *
 * The rows are sorted, worst first; lists of rows and counts follow this order. A new outcome is
 * one row here, the code that gives it, and a line of docs/verdicts.md.
 */
#pragma once

#include "util/err.h"

/* What a row asks of its reader. Constant, word (also in the style sheet), start of its colour in a
 * terminal, colour in charts. */
#define SG_CLASS_TABLE(X)                                                                       \
    X(SG_RED, "red", "\x1b[31m", 0xc62828)       /* fails the gate */                           \
    X(SG_YELLOW, "yellow", "\x1b[33m", 0xb26a00) /* needs a person */                           \
    X(SG_NEWS, "news", "\x1b[36m", 0x2e7d32)     /* improved, new */                            \
    X(SG_GREEN, "green", "\x1b[32m", 0x757575)   /* as expected */                              \
    X(SG_OPEN, "open", "", 0x757575)             /* accepted numbers are too noisy to tell */   \
    X(SG_COUNTER, "counter", "", 0x757575)       /* a counter that differs and does not gate */ \
    X(SG_ASIDE, "aside", "", 0x757575)           /* shown, never gates */

enum sg_class {
#define X(constant, word, terminal, chart) constant,
    SG_CLASS_TABLE(X)
#undef X
        SG_CLASS_COUNT
};
struct sg_class_row {
    const char *word, *terminal;
    int chart;
};
const struct sg_class_row *sg_class_row(enum sg_class class_);

/* JUnit element of a row that fails or passes the gate. A row that passes although its verdict is
 * FAILED or ERROR (it does not gate, or inconclusive passes) is skipped. */
enum sg_junit {
    SG_JUNIT_PASSED,
    SG_JUNIT_FAILED,
    SG_JUNIT_ERROR,
    SG_JUNIT_SKIPPED,
    SG_JUNIT_COUNT
};

/* What a comparison says of the row. */
enum sg_says {
    SG_SAYS_NOTHING, /* nothing was compared with an accepted number */
    SG_SAYS_OPEN,    /* compared, but not decided */
    SG_SAYS_ALL      /* decided */
};

/* What a nightly run does with a gating row. */
enum sg_nightly_class {
    SG_NIGHTLY_REGRESSED,
    SG_NIGHTLY_SUSPECT,
    SG_NIGHTLY_FAULTY, /* broken, invalid or not measured */
    SG_NIGHTLY_UNRESOLVED,
    SG_NIGHTLY_GOOD
};

/* What an outcome is for a history and for reports, bits. */
#define SG_STEPS    1  /* has a place and a size */
#define SG_PAIRING  2  /* open: an A/B of two commits decides */
#define SG_AGAIN    4  /* the next nightly run measures the row, changed or not */
#define SG_NIGHTS   8  /* only histories give it */
#define SG_SHIFTS   16 /* the time differs by more than the tolerance */
#define SG_DECLARED 32 /* fails or refuses as declared: not counted among the rows of a verdict */

/* X(constant, word, class SG_*, exit code SG_EXIT_*, JUnit element SG_JUNIT_*, SG_SAYS_* of a
 * comparison, SG_NIGHTLY_* of a nightly run, bits, meaning). The first five columns
 * are of a row that gates; exit code DONE passes. stats/verdict.c checks that the exit code fits
 * class and JUnit element. */
#define SG_VERDICT_TABLE(X)                                                                    \
    X(SG_REGRESSED, "regressed", RED, REGRESSED, FAILED, ALL, REGRESSED,                       \
      SG_STEPS | SG_AGAIN | SG_SHIFTS, "slower by more than the tolerance")                    \
    X(SG_BROKEN, "broken", RED, UNDECLARED, ERROR, ALL, FAULTY, 0,                             \
      "a variant is not what its source declares: wrong, or right though it should fail")      \
    X(SG_FAILS_OTHERWISE, "fails_otherwise", RED, UNDECLARED, ERROR, ALL, FAULTY, 0,           \
      "wrong as its source declares, but elsewhere in its outputs than accepted")              \
    X(SG_INVALID_VALUE, "invalid", RED, INVALID, ERROR, NOTHING, FAULTY, 0,                    \
      "the measurement is invalid")                                                            \
    X(SG_OTHER_TERMS, "other_terms", RED, INVALID, ERROR, NOTHING, FAULTY, 0,                  \
      "judged by terms that differ from the accepted ones; looser terms fail until accepted")  \
    X(SG_NOT_MEASURED, "not_measured", RED, INVALID, ERROR, NOTHING, FAULTY, 0,                \
      "expected, but without a result in this run")                                            \
    X(SG_NOT_ACCEPTED, "not_accepted", RED, INVALID, ERROR, NOTHING, FAULTY, 0,                \
      "in the accepted plan, but without an accepted number")                                  \
    X(SG_NOT_GATED, "cannot_be_gated", RED, INVALID, ERROR, NOTHING, FAULTY, 0,                \
      "no tolerance, one above tolerance_max, or gate = no")                                   \
    X(SG_INCONCLUSIVE, "inconclusive", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT, 0,          \
      "the interval is too wide to say")                                                       \
    X(SG_SLOWER, "slower", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT,                         \
      SG_NIGHTS | SG_STEPS | SG_PAIRING | SG_AGAIN,                                            \
      "a step to slower; an A/B of its commits decides")                                       \
    X(SG_CREEP, "creep", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT,                           \
      SG_NIGHTS | SG_STEPS | SG_PAIRING | SG_AGAIN,                                            \
      "slower than at its epoch by many small steps; an A/B decides")                          \
    X(SG_OFF, "off", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT,                               \
      SG_NIGHTS | SG_STEPS | SG_PAIRING | SG_AGAIN,                                            \
      "slower in the last nightly run with a value, not before; an A/B decides")               \
    X(SG_SPREAD, "spread", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT, SG_NIGHTS | SG_AGAIN,   \
      "its processes differ over 3 times as much as in earlier nightly runs: slower in some?") \
    X(SG_UNSTEADY, "flaky", YELLOW, INCONCLUSIVE, ERROR, OPEN, SUSPECT, SG_NIGHTS | SG_AGAIN,  \
      "failed, passed, failed again; fixed after passing 3 times the nightly runs between")    \
    X(SG_UNRESOLVED, "unresolved", YELLOW, DONE, SKIPPED, OPEN, UNRESOLVED, 0,                 \
      "too noisy to say, without a sign of a change; listed with the change it may hide")      \
    X(SG_WAIVED, "waived", YELLOW, DONE, SKIPPED, NOTHING, GOOD, 0,                            \
      "not green, and waived with a reason until it is fixed or the waiver expires")           \
    X(SG_MOVED, "moved", ASIDE, DONE, SKIPPED, NOTHING, GOOD, SG_NIGHTS | SG_STEPS,            \
      "other numbers since a driver change, which hides steps of the code")                    \
    X(SG_FASTER, "faster", NEWS, DONE, PASSED, ALL, GOOD, SG_NIGHTS | SG_STEPS,                \
      "a step to faster; accept it, so that a later loss is a step to slower")                 \
    X(SG_FIXED, "fixed", YELLOW, DONE, PASSED, ALL, GOOD, 0,                                   \
      "was accepted as broken or slow and no longer is: accept it again")                      \
    X(SG_CHANGED, "changed", YELLOW, DONE, SKIPPED, NOTHING, GOOD, 0,                          \
      "an exact counter differs; gates only if its baseline row says so")                      \
    X(SG_IMPROVED, "improved", NEWS, DONE, PASSED, ALL, GOOD, SG_SHIFTS,                       \
      "faster by more than the tolerance")                                                     \
    X(SG_NEW, "new", NEWS, DONE, SKIPPED, NOTHING, GOOD, 0,                                    \
      "not among the items that were accepted")                                                \
    X(SG_MISSING, "missing", ASIDE, DONE, SKIPPED, NOTHING, GOOD, SG_NIGHTS,                   \
      "in an earlier nightly run but not in the last one, or no number there")                 \
    X(SG_WITHIN, "within", GREEN, DONE, PASSED, ALL, GOOD, 0,                                  \
      "no change as large as the tolerance")                                                   \
    X(SG_IDENTICAL, "identical", GREEN, DONE, PASSED, ALL, GOOD, 0,                            \
      "the same code, knobs and files; never fails")                                           \
    X(SG_XFAIL, "xfail", GREEN, DONE, PASSED, ALL, GOOD, SG_DECLARED,                          \
      "fails in the way its source declares")                                                  \
    X(SG_REFUSES, "unsupported", GREEN, DONE, SKIPPED, ALL, GOOD, SG_DECLARED,                 \
      "refuses the case or the GPU, as accepted or as declared")

enum sg_verdict {
#define X(constant, ...) constant,
    SG_VERDICT_TABLE(X)
#undef X
        SG_VERDICT_COUNT
};

struct sg_verdict_row {
    const char *word;
    enum sg_class class_;
    enum sg_exit exit_code;
    enum sg_junit junit;
    enum sg_says says;
    enum sg_nightly_class night;
    unsigned bits;
    const char *meaning;
};
const struct sg_verdict_row *sg_verdict_row(enum sg_verdict verdict);

static inline const char *sg_verdict_word(enum sg_verdict verdict)
{
    return sg_verdict_row(verdict)->word;
}
static inline enum sg_exit sg_verdict_exit(enum sg_verdict verdict)
{
    return sg_verdict_row(verdict)->exit_code;
}
/* Word for a candidate against its baseline in the same run, without accepted numbers: `slower`
 * and `faster` for regressed and improved. */
const char *sg_verdict_pair_word(enum sg_verdict verdict);
/* Verdict of a status, given the status that the source declares. A variant that behaves as
 * declared is `within`. A variant that refuses a case does not fail. */
enum sg_verdict sg_verdict_of_status(enum sg_status declared, enum sg_status status);
