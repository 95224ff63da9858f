#include "results/l2_state.h"

#include "util/text.h"

static const char *const words[SG_L2_STATES] = {
    [SG_L2_COLD] = "cold", [SG_L2_CLEAN] = "clean", [SG_L2_WARM] = "warm"};

const char *sg_l2_word(enum sg_l2 l2)
{
    return words[l2];
}

enum sg_code sg_l2_parse(const char *word, enum sg_l2 *l2, struct sg_err *err)
{
    unsigned index = 0;
    if (sg_parse_choice(SG_L2_CHOICES, word, &index, err) == SG_SUCCESS)
        *l2 = (enum sg_l2)index;
    return err->code;
}
