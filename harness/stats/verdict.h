/*
 * stats/verdict.h - the verdicts of a comparison, with the exit code of each.
 */
#pragma once

#include "util/err.h"

/* constant, word, meaning, exit code of the failed gate (SG_EXIT_DONE: passes) */
#define SG_VERDICT_TABLE(X)                                                                       \
    X(SG_WITHIN, "within", "no change as large as the tolerance", SG_EXIT_DONE)                   \
    X(SG_IMPROVED, "improved", "faster by more than the tolerance", SG_EXIT_DONE)                 \
    X(SG_REGRESSED, "regressed", "slower by more than the tolerance", SG_EXIT_REGRESSED)          \
    X(SG_INCONCLUSIVE, "inconclusive", "the interval is too wide to say", SG_EXIT_INCONCLUSIVE)   \
    X(SG_UNRESOLVED, "unresolved",                                                                \
      "too noisy to say, without a sign of a change; listed with what may be hidden",             \
      SG_EXIT_DONE)                                                                               \
    X(SG_IDENTICAL, "identical", "the same code, knobs and files; never fails", SG_EXIT_DONE)     \
    X(SG_INVALID_VALUE, "invalid", "the measurement must not be believed", SG_EXIT_INVALID)       \
    X(SG_BROKEN, "broken",                                                                        \
      "a variant is not what its source declares: wrong, or right though it should fail",         \
      SG_EXIT_UNDECLARED)                                                                         \
    X(SG_FAILS_OTHERWISE, "fails_otherwise",                                                      \
      "wrong as its source declares, but elsewhere in its outputs than accepted",                 \
      SG_EXIT_UNDECLARED)                                                                         \
    X(SG_XFAIL, "xfail", "fails in the way its source declares", SG_EXIT_DONE)                    \
    X(SG_REFUSES, "unsupported", "refuses the case or the GPU, as accepted or as declared",       \
      SG_EXIT_DONE)                                                                               \
    X(SG_FIXED, "fixed", "was accepted as broken or slow and is no more: accept it anew",         \
      SG_EXIT_DONE)                                                                               \
    X(SG_CHANGED, "changed",                                                                      \
      "an exact counter differs; shown, gates only where its baseline row says so", SG_EXIT_DONE) \
    X(SG_NEW, "new", "not among the items that were accepted", SG_EXIT_DONE)                      \
    X(SG_NOT_MEASURED, "not_measured", "accepted, but without a result in this run",              \
      SG_EXIT_INVALID)                                                                            \
    X(SG_NOT_ACCEPTED, "not_accepted", "in the accepted plan, but without an accepted number",    \
      SG_EXIT_INVALID)                                                                            \
    X(SG_NOT_GATED, "cannot_be_gated", "no tolerance, one above tolerance_max, or gate = no",     \
      SG_EXIT_INVALID)                                                                            \
    X(SG_OTHER_TERMS, "other_terms",                                                              \
      "judged by other terms than were accepted: looser ones fail until they are accepted",       \
      SG_EXIT_INVALID)                                                                            \
    X(SG_WAIVED, "waived",                                                                        \
      "not green, and waived with a reason until it is fixed or its day comes", SG_EXIT_DONE)

enum sg_verdict {
#define X(constant, word, meaning, exit_code) constant,
    SG_VERDICT_TABLE(X)
#undef X
        SG_VERDICT_COUNT
};
const char *sg_verdict_word(enum sg_verdict verdict);
enum sg_exit sg_verdict_exit(enum sg_verdict verdict); /* exit code of a gate with this verdict */
/* Word for a candidate against its baseline in the same run, without accepted numbers: `slower`
 * and `faster` for regressed and improved. */
const char *sg_verdict_pair_word(enum sg_verdict verdict);
