/* The baseline's kernels, and its choice: compiled once for all variants that
 * differ from it on the host only. */
#include "bsr_tiles.cuh"

enum { WIDE = 256, NARROW = 128, SHARING = 2, MOST_SHARING = 4 };

const struct sg_knob bsr_knobs[BSR_KNOBS] = {
    {.name = "columns", .summary = "of a block's tile", .count = 2, .value = {NARROW, WIDE}},
    {.name = "ctas",
     .summary = "blocks that share a tile of A, of tiles of 256 columns",
     .count = 3,
     .value = {1, SHARING, MOST_SHARING}},
    {.name = "stages", .summary = "of A and B", .count = 3, .value = {2, 3, 4}},
};

/* So few tiles of two blocks by 256 columns that half of 132 multiprocessors would have none. */
static bool is_small(const struct sg_case *c)
{
    return bsr_block_rows(c) * bsr_panels(c, SHARING * WIDE) < 132 / 2 / SHARING;
}

static bsr_kernel *kernel_of(int columns, int ctas)
{
    if (columns == WIDE && ctas == SHARING)
        return bsr_tensor<bsr_design{.columns = WIDE, .ctas = SHARING}>;
    if (columns == WIDE && ctas == MOST_SHARING)
        return bsr_tensor<bsr_design{.columns = WIDE, .ctas = MOST_SHARING}>;
    if (columns == WIDE && ctas == 1)
        return bsr_tensor<bsr_design{.columns = WIDE, .ctas = 1}>;
    return columns == NARROW && ctas == 1 ? bsr_tensor<bsr_design{.columns = NARROW, .ctas = 1}>
                                          : nullptr;
}

struct bsr_setup bsr_baseline(const struct sg_case *c, const int64_t *knob)
{
    struct bsr_setup setup = {.why_not = "kernels have 256 columns a block and 1, 2 or 4 blocks in "
                                         "a cluster, or 128 columns and one block",
                              .order = BSR_LONGEST_FIRST};
    setup.columns = knob[BSR_KNOB_COLUMNS] ? (int)knob[BSR_KNOB_COLUMNS]
                    : is_small(c)          ? NARROW
                                           : WIDE;
    setup.ctas = knob[BSR_KNOB_CTAS]     ? (int)knob[BSR_KNOB_CTAS]
                 : setup.columns == WIDE ? SHARING
                                         : 1;
    setup.stages = knob[BSR_KNOB_STAGES] < 1000 ? (int)knob[BSR_KNOB_STAGES] : 1000;
    setup.kernel = kernel_of(setup.columns, setup.ctas);
    return setup;
}
