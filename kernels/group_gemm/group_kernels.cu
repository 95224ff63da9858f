/* The baseline's kernels for bf16, and its choice: compiled once for all variants
 * that differ from it in numbers only. */
#include "group_tiles.cuh"

#define WIDTH(tokens) tokens,
const struct sg_knob group_knobs[GROUP_KNOBS] = {
    {.name = "tile_tokens",
     .summary = "tokens of a tile at most",
     .count = 4,
     .value = {GROUP_WIDTHS(WIDTH)}},
    {.name = "stages",
     .summary = "of tokens and weights, of e4m3 of weights alone",
     .count = 4,
     .value = {4, 5, 6, 7}},
    {.name = "ctas",
     .summary = "blocks that share tokens, each with weights of its own",
     .count = 3,
     .value = {1, 2, 4}},
    {.name = "order",
     .summary = "of tiles: 1 evened out, 2 that of the groups",
     .count = 2,
     .value = {1, 2}},
};

static struct group_kernel kernel_of(enum sg_dtype type, int64_t tokens, int64_t ctas)
{
    if (tokens > 256 || tokens % GEMM_BLOCK_ROWS > 0 ||
        !group_has_tile(type, (int)tokens, (int)ctas))
        return {};
    if (type == SG_E4M3)
        return group_kernel_e4m3(GROUP_HOST_MAPS, false);
    if (ctas == 1)
        return group_kernel_of_width<group_unchanged, 1, 256, GROUP_HOST_MAPS>(tokens);
    return ctas == 2
               ? group_kernel_of_width<group_unchanged, 2, 256, GROUP_HOST_MAPS>(tokens)
               : group_kernel_of_width<group_unchanged, 4, GROUP_SHARED_TOKENS, GROUP_HOST_MAPS>(
                     tokens);
}

struct group_setup group_baseline(const struct sg_case *c, const int64_t *knob)
{
    const int64_t tokens = knob[GROUP_KNOB_TOKENS] ? knob[GROUP_KNOB_TOKENS] : group_tokens_of(c);
    const int64_t ctas =
        knob[GROUP_KNOB_CTAS] ? knob[GROUP_KNOB_CTAS] : group_ctas_of(c, (int)tokens);
    struct group_setup setup = {.why_not = "no kernel for so many tokens (tile_tokens) and blocks "
                                           "(ctas) in this format, or more than 8 "
                                           "stages, or an order that is neither 1 nor 2",
                                .tokens = (int)tokens};
    if (knob[GROUP_KNOB_STAGES] <= GROUP_STAGES && knob[GROUP_KNOB_ORDER] <= 2)
        setup.kernel = kernel_of(c->dtype, tokens, ctas);
    if (ctas == 4 && !knob[GROUP_KNOB_CTAS])
        setup.smaller = kernel_of(c->dtype, tokens, 2);
    setup.stages = knob[GROUP_KNOB_STAGES] ? (int)knob[GROUP_KNOB_STAGES]
                   : ctas == 4             ? GROUP_STAGES_OF_4
                                           : 0;
    setup.order = group_order_of(c, (int)tokens);
    if (knob[GROUP_KNOB_ORDER])
        setup.order = knob[GROUP_KNOB_ORDER] == 1 ? group_even_order(c->dtype) : GROUP_IN_ORDER;
    return setup;
}
