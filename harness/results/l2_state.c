#include "results/l2_state.h"

#include <string.h>

#include "util/text.h"

static const char *const words[SG_L2_STATES] = {[SG_L2_COLD] = "cold", [SG_L2_CLEAN] = "clean", [SG_L2_WARM] = "warm"};

const char *sg_l2_word(enum sg_l2 l2)
{
    return words[l2];
}

enum sg_code sg_l2_parse(const char *word, enum sg_l2 *l2, struct sg_err *err)
{
    for (int i = 0; i < SG_L2_STATES; i++) {
        if (strcmp(words[i], word) == 0) {
            *l2 = (enum sg_l2)i;
            return SG_SUCCESS;
        }
    }
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected " SG_L2_CHOICE ", found '%s'", sg_show(word, strlen(word)).text);
}
