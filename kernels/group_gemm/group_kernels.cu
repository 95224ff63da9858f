/* The baseline's kernels for bf16, and its choice: compiled once for all variants that differ from it in numbers only. */
#include "group_tiles.cuh"

#define WIDTH(tokens) tokens,
const struct sg_knob group_knobs[GROUP_KNOBS] = {
    {.name = "tile_tokens", .summary = "tokens of a tile at most", .count = 5, .value = {GROUP_WIDTHS(WIDTH)}},
    {.name = "stages", .summary = "of tokens and weights", .count = 4, .value = {3, 4, 5, 6}},
    {.name = "ctas", .summary = "blocks that share tokens, each with weights of its own", .count = 3, .value = {1, 2, 4}},
    {.name = "order", .summary = "of tiles: 1 the highest first, 2 that of the groups", .count = 2, .value = {1, 2}},
};

static struct group_kernel kernel_of(enum sg_dtype type, int64_t tokens, int64_t ctas)
{
    return type == SG_E4M3 ? group_kernel_e4m3(tokens, ctas) : group_kernel_of_knobs<SG_BF16>(tokens, ctas);
}

struct group_setup group_baseline(const struct sg_case *c, const int64_t *knob)
{
    const int64_t tokens = knob[GROUP_KNOB_TOKENS] ? knob[GROUP_KNOB_TOKENS] : group_tokens_of(c);
    const int64_t ctas = knob[GROUP_KNOB_CTAS] ? knob[GROUP_KNOB_CTAS] : group_ctas_of(c, (int)tokens);
    const int64_t order = knob[GROUP_KNOB_ORDER];
    struct group_setup setup = {.why_not = "no kernel for so many tokens (tile_tokens) and blocks (ctas) in this format, or more than 8 "
                                           "stages, or an order that is neither 1 nor 2"};
    if (knob[GROUP_KNOB_STAGES] <= GROUP_STAGES && order <= 2)
        setup.kernel = kernel_of(c->dtype, tokens, ctas);
    if (ctas == 4 && !knob[GROUP_KNOB_CTAS])
        setup.smaller = kernel_of(c->dtype, tokens, 2);
    setup.stages = knob[GROUP_KNOB_STAGES] ? (int)knob[GROUP_KNOB_STAGES] : ctas == 4 ? GROUP_STAGES_OF_4 : 0;
    setup.in_order = order ? order == 2 : group_in_order(c, (int)tokens);
    return setup;
}
