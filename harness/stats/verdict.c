#include "stats/verdict.h"

const char *sg_verdict_word(enum sg_verdict verdict)
{
    static const char *const word[SG_VERDICT_COUNT] = {SG_VERDICT_TABLE(SG_WORD)};
    return word[verdict];
}

enum sg_exit sg_verdict_exit(enum sg_verdict verdict)
{
    static const enum sg_exit exits[SG_VERDICT_COUNT] = {
#define X(constant, name, meaning, exit_code) [constant] = (exit_code),
        SG_VERDICT_TABLE(X)
#undef X
    };
    return exits[verdict];
}

const char *sg_verdict_pair_word(enum sg_verdict verdict)
{
    return verdict == SG_REGRESSED  ? "slower"
           : verdict == SG_IMPROVED ? "faster"
                                    : sg_verdict_word(verdict);
}
