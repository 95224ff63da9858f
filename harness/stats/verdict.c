#include "stats/verdict.h"

const char *sg_verdict_word(enum sg_verdict verdict)
{
    static const char *const word[SG_VERDICT_COUNT] = {
#define X(constant, name, meaning, exit_code) [constant] = name,
        SG_VERDICT_TABLE(X)
#undef X
    };
    return word[verdict];
}
