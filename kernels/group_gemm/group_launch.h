/*
 * group_launch.h - from a case and a kernel to launches: the list of groups, tensor maps, shared
 * memory, grid. Host code of all variants.
 *
 * Invariant: everything that a launch needs is made by group_prepare; group_launch
 * hands it over and does nothing else.
 *
 *     static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
 *     {
 *         struct group_setup setup = group_baseline(c, knob);
 *         setup.grid = GROUP_BLOCK_A_TILE;   what the variant changes
 *         return setup;
 *     }
 *     SG_VARIANT(...) = { ..., .supports = group_supports, .prepare =
 *         group_prepare<choose>, .launch = group_launch,
 *                         .finish = group_finish, .facts = group_facts<choose> };
 */
#ifndef GROUP_LAUNCH_H
#define GROUP_LAUNCH_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "blockscaled_gemm/gemm_design.h"
#include "blockscaled_gemm/gemm_partials.h"
#include "group_choice.h"

/* Who makes the maps of a group's tokens, weights and results. */
enum group_maps {
    GROUP_HOST_MAPS,  /* prepare, once: tokens and weights as a whole, results by groups */
    GROUP_BLOCK_MAPS, /* each block, when it comes to a tile of another group, in memory of its own
                         for each group */
    GROUP_STALE_MAPS, /* each block, weights only, over those of the group before, and without
                         saying so: a fault */
};

#define GROUP_FEW 16 /* groups of which kernels of e4m3 have a form of their own */
#define GROUP_MADE_MAPS \
    4 /* of a block and group: of tokens, of weights, of results, and of tokens again */
#define GROUP_MAPS_AT \
    128 /* of shared memory, behind the barriers of the stages: where they are changed */
#define GROUP_ODD_MAP_AT 768 /* the fourth, behind the barriers of slots */
#define GROUP_BOX_STEP   16  /* of e4m3: tokens by which boxes of a block of 64 differ */
#define GROUP_AHEAD_BLOCKS \
    4 /* of k, in a piece of weights_ahead: the longest row that a box can have */

struct group_memory {
    const void *tokens, *weights;
    void *results;
};

/*
 * What a kernel is told of up to so many groups. Maps first: they need their alignment of 64.
 * Those of results last: with a few of them only, a launch has 6 KB less to bring to the
 * kernel, which is half a microsecond.
 */
template <int GROUPS> struct group_arguments_of {
    CUtensorMap tokens, weights, results; /* of all groups; the last is a model only */
    CUtensorMap weights_ahead; /* the same weights in longer pieces; where `ahead` is not 0 */
    CUtensorMap tokens_by[GEMM_BLOCK_ROWS /
                          GROUP_BOX_STEP];       /* of e4m3: in boxes of 16, 32, 48, 64 tokens */
    CUtensorMap tokens_scales[GEMM_TILE_BLOCKS]; /* of e4m3: all of SFA as one row, in boxes for 1
                                                    to 3 blocks */
    CUtensorMap weights_scales;                  /* of e4m3: SFB of all groups */
    CUtensorMap *made;             /* room for maps that blocks make; NULL where they make none */
    struct gemm_partials partials; /* of pieces of tiles; where the list has some */
    struct group_memory memory;
    int64_t tokens_row_bytes, results_row_bytes, weights_bytes; /* the last of one group */
    int64_t tokens_bytes;                                       /* of all groups */
    uint32_t fetched_tokens; /* bytes of them that each block fetches to the L2 when it begins; 0:
                                none */
    int64_t guard;           /* rows of D behind each group */
    struct gemm_shape shape; /* of which tiles, n, blocks_k and stages count */
    int turn;                /* blocks of k by which tiles side by side begin apart */
    int ahead;               /* as in group_setup */
    bool overwrites;         /* GROUP_TAIL_OVERWRITE: blocks are copied whole */
    struct group_list list;
    CUtensorMap d[GROUPS]; /* results of each group; in memory they would need a fence before they
                              are used */
};
using group_arguments = group_arguments_of<GROUP_MOST>;

struct group_kernel {
    const void *function;
    const void *of_few; /* the same for cases of GROUP_FEW groups at most; NULL: there is none */
    struct gemm_design design;
    enum group_maps maps;
};

enum group_grid {
    GROUP_PERSISTENT,     /* as many clusters as fit, or fewer if they are done in as many rounds */
    GROUP_BLOCK_A_TILE,   /* a cluster for each tile */
    GROUP_LAUNCH_A_GROUP, /* persistent, and a launch for each group that has rows */
};

enum group_fault {
    GROUP_NO_FAULT,
    GROUP_TAIL_OVERWRITE, /* maps of results end with D, not with their group */
    GROUP_TAIL_MISSING,   /* tiles are counted by whole steps of rows */
};

/* What a variant chooses. */
struct group_setup {
    struct group_kernel kernel;  /* .function NULL: there is none, `why_not` says why */
    struct group_kernel smaller; /* of smaller clusters, for a device that does not hold all of the
                                    other's at once; NULL: never */
    const char *why_not;
    int tokens; /* of a tile at most: of kernels that take blocks of them */
    int stages; /* of A and B; 0: as many as fit */
    enum group_grid grid;
    enum group_order order; /* GROUP_PLANNED: of e4m3 */
    bool all_clusters;      /* as many as fit, though they be done no sooner */
    bool walks_apart;       /* tiles side by side begin at different blocks of k */
    int ahead; /* blocks of k, a multiple of 4, that weights are fetched to the L2 before they are
                  copied; 0: not at all */
    enum group_fault fault;
};

typedef struct group_setup group_choice(const struct sg_case *c, const int64_t *knob);

/* The knobs of the baseline, and what it does with them: 0 is its own choice for the case. */
enum { GROUP_KNOB_TOKENS, GROUP_KNOB_STAGES, GROUP_KNOB_CTAS, GROUP_KNOB_ORDER, GROUP_KNOBS };
extern const struct sg_knob group_knobs[GROUP_KNOBS];
struct group_setup group_baseline(const struct sg_case *c, const int64_t *knob);

/* Its kernel for e4m3, with maps of its own or not, or with a fault. */
struct group_kernel group_kernel_e4m3(enum group_maps maps, bool hangs);

/* Its own choice for the case, with GROUP_BLOCK_MAPS. */
struct group_setup group_with_block_maps(const struct sg_case *c);

/*
 * The design of the baseline: of bf16 a tile of the weights of each of `ctas` blocks
 * by up to `tokens` tokens, which they share; of e4m3 a tile of tokens, as many as
 * the case's setup says, by weights.
 */
constexpr gemm_design group_design(enum sg_dtype type, int tokens, int ctas)
{
    if (type == SG_E4M3)
        return {.type = type,
                .rows = GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS,
                .columns = GROUP_TILE_WEIGHTS,
                .ctas = 1,
                .math_registers = 240,
                .copy_registers = 24,
                .c_stages = 3,
                .slots = GROUP_SLOTS,
                .b_hint = GEMM_EVICT_FIRST};
    return {.type = type,
            .rows = GROUP_TILE_WEIGHTS,
            .columns = tokens,
            .ctas = ctas,
            .c_stages = group_result_stages(tokens),
            .varying = true,
            .transposed = true};
}

/* Tokens and weights of a tile: rows and columns, or the other way round. */
struct group_tile group_tile_of(const struct group_setup &setup);
struct gemm_plan group_plan(const struct group_setup *setup);

/* A case that group_check lets pass, with rows that start at multiples of 16 bytes. */
bool group_supports(const struct sg_case *c, struct sg_reason *why);
/* The same for variants that have no kernels for e4m3. */
bool group_supports_bf16(const struct sg_case *c, struct sg_reason *why);
/* The same for faults that show where guard rows follow a group that ends inside of a step of 32,
 * or where rows are never written. */
bool group_supports_guarded(const struct sg_case *c, struct sg_reason *why);
bool group_supports_ragged(const struct sg_case *c, struct sg_reason *why);
/* For faults between groups: the cases where blocks come to tiles of several; and those with a
 * group without rows before the last tile. */
bool group_supports_several(const struct sg_case *c, struct sg_reason *why);
bool group_supports_empty(const struct sg_case *c, struct sg_reason *why);

/* SG_OK and *state for group_launch and group_finish; or the status of the row, with the reason. */
enum sg_status group_prepare_setup(const struct sg_launch *l, const struct group_setup *setup,
                                   void **state, struct sg_reason *why);
void group_launch(const struct sg_launch *l);
void group_finish(void *state);

template <group_choice *CHOOSE>
static enum sg_status group_prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const struct group_setup setup = CHOOSE(l->c, l->knob);
    return group_prepare_setup(l, &setup, state, why);
}

template <group_choice *CHOOSE>
static size_t group_facts(const struct sg_case *c, const int64_t *knob,
                          struct sg_fact out[SG_MAX_FACTS])
{
    const struct group_setup setup = CHOOSE(c, knob);
    return setup.kernel.function ? gemm_facts_of(group_plan(&setup), out) : 0;
}

#endif
