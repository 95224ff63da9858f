#include "stats/verdict.h"

const struct sg_class_row *sg_class_row(enum sg_class class_)
{
    static const struct sg_class_row rows[SG_CLASS_COUNT] = {
#define X(constant, word, terminal, chart) [constant] = {word, terminal, chart},
        SG_CLASS_TABLE(X)
#undef X
    };
    return &rows[class_];
}

/* A verdict that fails the gate is red or yellow, and in JUnit it neither passes nor is skipped. */
#define X(constant, word, class_, exit_code, junit, ...)                                 \
    _Static_assert(                                                                      \
        (SG_EXIT_##exit_code != SG_EXIT_DONE) ==                                         \
            (SG_JUNIT_##junit == SG_JUNIT_FAILED || SG_JUNIT_##junit == SG_JUNIT_ERROR), \
        word ": exactly a verdict with an exit code is FAILED or ERROR in JUnit");       \
    _Static_assert(SG_EXIT_##exit_code == SG_EXIT_DONE || SG_##class_ <= SG_YELLOW,      \
                   word ": a verdict with an exit code is RED or YELLOW");
SG_VERDICT_TABLE(X)
#undef X

const struct sg_verdict_row *sg_verdict_row(enum sg_verdict verdict)
{
    static const struct sg_verdict_row rows[SG_VERDICT_COUNT] = {
#define X(constant, word, class_, exit_code, junit, says, night, history, meaning) \
    [constant] = {word,                                                            \
                  SG_##class_,                                                     \
                  SG_EXIT_##exit_code,                                             \
                  SG_JUNIT_##junit,                                                \
                  SG_SAYS_##says,                                                  \
                  SG_NIGHTLY_##night,                                              \
                  history,                                                         \
                  meaning},
        SG_VERDICT_TABLE(X)
#undef X
    };
    return &rows[verdict];
}

const char *sg_verdict_pair_word(enum sg_verdict verdict)
{
    return sg_verdict_word(verdict == SG_REGRESSED  ? SG_SLOWER
                           : verdict == SG_IMPROVED ? SG_FASTER
                                                    : verdict);
}

enum sg_verdict sg_verdict_of_status(enum sg_status declared, enum sg_status status)
{
    if (status == SG_UNSUPPORTED)
        return SG_REFUSES;
    if (status == declared)
        return status == SG_OK ? SG_WITHIN : SG_XFAIL;
    return status == SG_UNAVAILABLE || status == SG_SKIPPED ? SG_NOT_MEASURED : SG_BROKEN;
}
