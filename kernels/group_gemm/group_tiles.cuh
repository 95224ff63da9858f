/*
 * group_tiles.cuh - what a tile is to the GEMM's template when the problem is a list of groups:
 * which maps, which rows, how wide.
 *
 * The template multiplies its operand A, tiles of 128 rows, by its operand B. In transposed designs
 * A are the weights and B the tokens of a group: a tile is as wide as the group has tokens, rounded
 * up to 32, and not more is multiplied. In the others it is the other way round; where tokens have
 * scales they come in blocks of 64 (gemm_blocks.cuh).
 * Invariant: D's map ends with the group, so that what a tile computes beyond it is not written.
 * How it is used: group_kernel_of<design>() is a kernel with what the host must know
 * of it; group_launch.h launches it.
 */
#ifndef GROUP_TILES_CUH
#define GROUP_TILES_CUH

#include "blockscaled_gemm/gemm_kernel.cuh"
#include "group_choice.h"
#include "group_launch.h"

/* The parameter of a kernel: what it is told, and how it goes about it. */
template <enum group_maps MAPS, bool HANGS, int GROUPS = GROUP_MOST>
struct group_told : group_arguments_of<GROUPS> {
    static constexpr bool looks_first = true; /* lists of groups are read */
    static constexpr int copying_threads = MAPS == GROUP_HOST_MAPS ? 1 : 32; /* a warp makes maps */
};

/* With no step over a group that has no tiles: it is where the walk ends. */
static __device__ inline int walk_to_position(const group_list &list, int tile)
{
    int position = 0;
    while (tile >= list.at[position + 1].first_tile) {
        if (list.at[position].deep > 0)
            position++;
        else
            asm volatile("nanosleep.u32 1000;");
    }
    return position;
}

template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline group_place place_of(const group_told<MAPS, HANGS, GROUPS> &g, int tile)
{
    return HANGS ? group_place_in(&g.list, walk_to_position(g.list, tile), tile)
                 : group_place_of(&g.list, tile);
}

/* The same where tiles come in pieces. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline group_place part_of(const group_told<MAPS, HANGS, GROUPS> &g, int tile,
                                             group_piece *piece)
{
    if constexpr (HANGS) {
        *piece = {0, 0, g.shape.blocks_k, -1, 0};
        return place_of(g, tile);
    } else {
        return group_part_of(&g.list, tile, g.shape.blocks_k, piece);
    }
}

/* Where this block's maps of a group are: of tokens, of weights, of results, and of tokens again
 * for the warp that copies odd blocks. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline const CUtensorMap *made_maps(const group_told<MAPS, HANGS, GROUPS> &g,
                                                      int group)
{
    return g.made + (MAPS == GROUP_STALE_MAPS ? blockIdx.x : blockIdx.x * g.list.count + group) *
                        GROUP_MADE_MAPS;
}

template <gemm_design D, enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline gemm_work work_of(const group_told<MAPS, HANGS, GROUPS> &g, int tile)
{
    const group_place place = place_of(g, tile);
    const int group = place.of.group, rank = D.ctas > 1 ? (int)cluster_rank() * D.rows : 0;
    const int token = place.row + (D.transposed ? 0 : rank),
              weight = place.column + (D.transposed ? rank : 0);
    const int tokens_row = token + (MAPS == GROUP_BLOCK_MAPS ? 0 : place.of.first_row);
    const int weights_row = weight + (MAPS == GROUP_HOST_MAPS ? group * g.shape.n : 0);
    const CUtensorMap *made = MAPS == GROUP_HOST_MAPS ? nullptr : made_maps(g, group);
    const CUtensorMap *tokens = MAPS == GROUP_BLOCK_MAPS ? made : &g.tokens,
                      *weights = made ? made + 1 : &g.weights;
    gemm_work at = {.a = D.transposed ? weights : tokens,
                    .b = D.transposed ? tokens : weights,
                    .d = MAPS == GROUP_BLOCK_MAPS ? made + 2 : &g.d[group]};
    at.a_row = D.transposed ? weights_row : tokens_row;
    at.b_row = D.transposed ? tokens_row : weights_row;
    at.row = D.transposed ? weight : token;
    at.column = D.transposed ? token : weight;
    at.first_block =
        (place.column / g.list.columns * g.turn + group) % g.shape.blocks_k * (g.turn > 0);
    return at;
}

/*
 * The turn behind this one, by a warp: the cluster's next one, or one that is drawn, of those that
 * are for who comes first; -1: none. Who draws last, when there is nothing left, puts
 * the number back for the next launch.
 */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline int next_turn(const group_told<MAPS, HANGS, GROUPS> &g, int turn)
{
    const int written = g.shape.tiles - g.list.drawn, next = turn + (int)gridDim.x;
    if (next < written && group_has_turn(&g.list, next, written))
        return next;
    if (g.list.drawn == 0)
        return -1;
    int number = 0;
    asm volatile("{\n"
                 ".reg .pred draws, last;\n"
                 "setp.eq.u32 draws, %2, 0;\n"
                 "@draws atom.global.add.u32 %0, [%1], 1;\n"
                 "setp.eq.and.u32 last, %0, %3, draws;\n"
                 "@last st.global.u32 [%1], 0;\n"
                 "}"
                 : "+r"(number)
                 : "l"(g.partials.drawn), "r"(threadIdx.x % 32),
                   "r"(g.list.drawn + (int)gridDim.x - 1)
                 : "memory");
    const int drawn = __reduce_max_sync(0xffffffffu, number);
    return drawn < g.list.drawn ? written + drawn : -1;
}

/* The same of designs that are in_blocks. */
template <gemm_design D, enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline gemm_block_work block_work_of(const group_told<MAPS, HANGS, GROUPS> &g,
                                                       int tile)
{
    group_piece piece;
    const group_place place = part_of(g, tile, &piece);
    const group_span &of = place.of;
    const int scale_rows = (g.shape.n + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK;
    return {
        .rows = place.rows,
        .first_k = piece.first,
        .end_k = piece.first + piece.count,
        .group = of.group,
        .a_row = place.row + (MAPS == GROUP_BLOCK_MAPS ? 0 : of.first_row),
        .b_row = place.column + (MAPS == GROUP_HOST_MAPS ? of.group * g.shape.n : 0),
        .row = place.row,
        .column = place.column,
        .first_scale = of.first_scale * g.shape.blocks_k + place.row,
        .scale_step = of.scale_row,
        .scale_row = of.group * scale_rows + place.column / GEMM_SCALE_BLOCK,
        .turn = tile,
        .partial = piece.partial,
        .takes = piece.takes,
    };
}

template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline const CUtensorMap *columns_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                                        int group)
{
    return MAPS == GROUP_HOST_MAPS ? &g.weights : made_maps(g, group) + 1;
}
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline const CUtensorMap *tokens_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                                       int group, int odd)
{
    return made_maps(g, group) + (odd ? 3 : 0);
}
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline const CUtensorMap *results_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                                        int group)
{
    return MAPS == GROUP_BLOCK_MAPS ? made_maps(g, group) + 2 : &g.d[group];
}

/*
 * Rows that are copied of a block of which so many are the tile's. Maps that blocks make have one
 * box, of a whole block; and what is multiplied behind a group are numbers where it is stored.
 */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline int copied_rows(const group_told<MAPS, HANGS, GROUPS> &g, int rows)
{
    if (MAPS == GROUP_BLOCK_MAPS || g.overwrites || rows >= GEMM_BLOCK_ROWS)
        return GEMM_BLOCK_ROWS;
    return (rows + GROUP_BOX_STEP - 1) / GROUP_BOX_STEP * GROUP_BOX_STEP;
}

/* Block of tokens `row` of the tile, from x of k on, by the warp for
 * even slots or the one for odd ones. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void copy_block_rows(const group_told<MAPS, HANGS, GROUPS> &g,
                                              const gemm_block_work &at, int odd, int rows, int x,
                                              int row, uint32_t to, uint32_t full)
{
    const CUtensorMap *map = MAPS == GROUP_BLOCK_MAPS ? tokens_map(g, at.group, odd)
                                                      : &g.tokens_by[rows / GROUP_BOX_STEP - 1];
    tensor_load<GEMM_NO_HINT>(to, map, x, at.a_row + row, full);
}

/* The scales of block k of k: of so many blocks of tokens, next to each other, and the box of
 * weights' that begins at a multiple of 16 bytes. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void
copy_block_scales(const group_told<MAPS, HANGS, GROUPS> &g, const gemm_block_work &at, int k,
                  int blocks, uint32_t to_rows, uint32_t to_columns, uint32_t full)
{
    tensor_load<GEMM_NO_HINT>(to_rows, &g.tokens_scales[blocks - 1],
                              at.first_scale + k * at.scale_step, 0, full);
    tensor_load<GEMM_NO_HINT>(to_columns, &g.weights_scales, k / GEMM_SCALE_BOX * GEMM_SCALE_BOX,
                              at.scale_row, full);
}

/*
 * This block's share of all groups' tokens: to the L2, while nothing else comes from DRAM
 * yet. Else who first needs a group's tokens of some k waits for DRAM once more, and all who
 * are at work on that group with it.
 */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void fetch_tokens(const group_told<MAPS, HANGS, GROUPS> &g)
{
    const int64_t from = (int64_t)blockIdx.x * g.fetched_tokens, left = g.tokens_bytes - from;
    if (g.fetched_tokens > 0 && left > 0)
        memory_fetch((const char *)g.memory.tokens + from,
                     left < g.fetched_tokens ? (uint32_t)left : g.fetched_tokens);
}

/* Maps, and tokens, by one of the four warps that copy, of which the
 * second has something else to do. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void prefetch_block_maps(const group_told<MAPS, HANGS, GROUPS> &g,
                                                  int warp)
{
    if (warp == 3) /* tokens first, for they come from DRAM */
        fetch_tokens(g);
    if (warp == 0 && MAPS == GROUP_HOST_MAPS)
        tensor_map_prefetch(&g.weights);
    if (warp == 2)
        for (int i = 0; i < GEMM_BLOCK_ROWS / GROUP_BOX_STEP; i++)
            tensor_map_prefetch(&g.tokens_by[i]);
    if (warp == 3) {
        tensor_map_prefetch(&g.weights_scales);
        for (int i = 0; i < GEMM_TILE_BLOCKS; i++)
            tensor_map_prefetch(&g.tokens_scales[i]);
    }
}

/* The same in the other designs, by a thread. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void prefetch_maps(const group_told<MAPS, HANGS, GROUPS> &g)
{
    fetch_tokens(g);
    tensor_map_prefetch(&g.tokens);
    if (MAPS == GROUP_HOST_MAPS)
        tensor_map_prefetch(&g.weights);
}

template <gemm_design D, enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline int columns_of(const group_told<MAPS, HANGS, GROUPS> &g, int tile)
{
    return place_of(g, tile).of.height;
}

/* A model's copy in shared memory with another address and number of rows, by a warp. */
static __device__ inline void change_map(uint32_t copy, const CUtensorMap &model,
                                         const void *memory, int rows)
{
    const int lane = threadIdx.x % 32;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(copy + 4 * lane),
                 "r"(((const uint32_t *)&model)[lane])
                 : "memory");
    __syncwarp();
    if (lane == 0) {
        asm volatile(
            "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(copy),
            "l"(memory)
            : "memory");
        asm volatile(
            "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(copy),
            "r"(rows)
            : "memory");
    }
    __syncwarp();
}

/* From shared memory to where the copy engine takes it from, by a warp. */
static __device__ inline void publish_map(const CUtensorMap *map, uint32_t copy)
{
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                 "aligned [%0], [%1], 128;" ::"l"(map),
                 "r"(copy)
                 : "memory");
}

/* The copy engine forgets what it knows of this map, for copies of this thread. */
static __device__ inline void acquire_map(const CUtensorMap *map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/*
 * Without a word to the copy engine, and only what is another: that is the address, one of the
 * 64-bit words of a map, for half a map of each kind would be an illegal instruction.
 */
static __device__ inline void overwrite_map(const CUtensorMap *map, uint32_t copy)
{
    const int lane = threadIdx.x % 32;
    volatile uint64_t *words = (volatile uint64_t *)map;
    if (lane < (int)(sizeof(CUtensorMap) / sizeof(*words))) {
        uint64_t word;
        asm volatile("ld.shared.b64 %0, [%1];"
                     : "=l"(word)
                     : "r"(copy + (uint32_t)sizeof(word) * lane));
        if (words[lane] != word)
            words[lane] = word;
    }
    __syncwarp();
}

/* Every few blocks of k a longer piece of the weights' rows than a copy takes. */
template <gemm_design D, enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void look_ahead(const group_told<MAPS, HANGS, GROUPS> &g,
                                         const gemm_work &at, int k)
{
    if (g.ahead > 0 && k % GROUP_AHEAD_BLOCKS == 0 && k + g.ahead < g.shape.blocks_k)
        tensor_fetch(&g.weights_ahead, (k + g.ahead) * D.block_k(),
                     D.transposed ? at.a_row : at.b_row);
}

/* Is this tile's group another than that of the tile before, of which there is none below 0? */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline bool is_new_group(const group_told<MAPS, HANGS, GROUPS> &g, int tile,
                                           int previous)
{
    return previous < 0 || place_of(g, tile).of.group != place_of(g, previous).of.group;
}

/* What is changed in shared memory becomes one of a block's maps of a group. */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_tokens_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                              uint32_t base, const group_span &of, int odd)
{
    const CUtensorMap *made = tokens_map(g, of.group, odd);
    const uint32_t copy = base + (odd ? GROUP_ODD_MAP_AT : GROUP_MAPS_AT);
    change_map(copy, g.tokens, (const char *)g.memory.tokens + of.first_row * g.tokens_row_bytes,
               of.rows);
    publish_map(made, copy);
    acquire_map(made);
}

template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_weights_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                               uint32_t base, const group_span &of, bool is_first)
{
    const CUtensorMap *made = made_maps(g, of.group) + 1;
    const uint32_t copy = base + GROUP_MAPS_AT + 128;
    change_map(copy, g.weights, (const char *)g.memory.weights + of.group * g.weights_bytes,
               g.shape.n);
    if (MAPS == GROUP_STALE_MAPS && !is_first) {
        overwrite_map(made, copy);
        return;
    }
    publish_map(made, copy);
    acquire_map(made);
}

template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_results_map(const group_told<MAPS, HANGS, GROUPS> &g,
                                               uint32_t base, const group_span &of)
{
    const uint32_t copy = base + GROUP_MAPS_AT + 256;
    char *results =
        (char *)g.memory.results + (of.first_row + of.group * g.guard) * g.results_row_bytes;
    change_map(copy, g.results, results, of.rows);
    publish_map(made_maps(g, of.group) + 2, copy);
}

/* Maps of the tile's group, unless the tile before was of it too:
 * those that a block has of its own. */
template <gemm_design D, enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_maps(const group_told<MAPS, HANGS, GROUPS> &g,
                                        const gemm_shared &shared, const gemm_work &at, int tile,
                                        int previous)
{
    if (!is_new_group(g, tile, previous))
        return;
    if constexpr (MAPS == GROUP_HOST_MAPS) {
        tensor_map_prefetch(at.d);
        return;
    }
    const group_span of = place_of(g, tile).of;
    make_weights_map(g, shared.base, of, previous < 0);
    if constexpr (MAPS == GROUP_BLOCK_MAPS) {
        make_tokens_map(g, shared.base, of, 0);
        make_results_map(g, shared.base, of);
    }
}

/*
 * The same in designs that are in_blocks: by the warp that copies weights, and by each of those
 * that copy tokens. `before`: the group of the tile before; -1: there was none.
 */
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_column_maps(const group_told<MAPS, HANGS, GROUPS> &g,
                                               uint32_t base, const gemm_block_work &at, int before)
{
    if (at.group == before)
        return;
    if constexpr (MAPS == GROUP_HOST_MAPS) {
        tensor_map_prefetch(&g.d[at.group]);
        return;
    }
    group_piece piece;
    const group_span of = part_of(g, at.turn, &piece).of;
    make_weights_map(g, base, of, before < 0);
    if constexpr (MAPS == GROUP_BLOCK_MAPS)
        make_results_map(g, base, of);
}
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void make_row_map(const group_told<MAPS, HANGS, GROUPS> &g, uint32_t base,
                                           const gemm_block_work &at, int before, int odd)
{
    if constexpr (MAPS == GROUP_BLOCK_MAPS) {
        group_piece piece;
        if (at.group != before)
            make_tokens_map(g, base, part_of(g, at.turn, &piece).of, odd);
    }
}

template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void accept_map(const group_told<MAPS, HANGS, GROUPS> &,
                                         const gemm_work &at)
{
    if constexpr (MAPS == GROUP_BLOCK_MAPS)
        acquire_map(at.d);
}
template <enum group_maps MAPS, bool HANGS, int GROUPS>
static __device__ inline void accept_map(const group_told<MAPS, HANGS, GROUPS> &g, int group)
{
    if constexpr (MAPS == GROUP_BLOCK_MAPS)
        acquire_map(results_map(g, group));
}

template <gemm_design D, enum group_maps MAPS = GROUP_HOST_MAPS, bool HANGS = false>
static struct group_kernel group_kernel_of()
{
    static_assert(GEMM_TURN_PLACES >= GROUP_STAGES + 2,
                  "a turn has been read by all warps when its place is written again");
    static_assert(GROUP_MAPS_AT + 3 * sizeof(CUtensorMap) <= 512,
                  "maps end before barriers of slots");
    static_assert(GROUP_ODD_MAP_AT >= 512 + 8 * GROUP_SLOTS &&
                      GROUP_ODD_MAP_AT + sizeof(CUtensorMap) <= 1024,
                  "the fourth is behind them");
    static_assert(sizeof(group_told<MAPS, HANGS>) == sizeof(group_arguments),
                  "the host fills in the base alone");
    if constexpr (D.in_blocks())
        return {(const void *)gemm_of_blocks<D, group_told<MAPS, HANGS>>,
                (const void *)gemm_of_blocks<D, group_told<MAPS, HANGS, GROUP_FEW>>, D, MAPS};
    else
        return {(const void *)gemm<D, group_told<MAPS, HANGS>>, nullptr, D, MAPS};
}

static constexpr gemm_design group_unchanged(gemm_design design)
{
    return design;
}

/* The kernel for one of the baseline's tiles of bf16, with what CHANGE makes of its
 * design; none where there is none. */
template <gemm_design (*CHANGE)(gemm_design), int TOKENS, int CTAS, enum group_maps MAPS>
static struct group_kernel group_kernel_of_tile()
{
    if constexpr (group_has_tile(SG_BF16, TOKENS, CTAS))
        return group_kernel_of<CHANGE(group_design(SG_BF16, TOKENS, CTAS)), MAPS>();
    else
        return {};
}

/* The same for a width up to MOST. */
template <gemm_design (*CHANGE)(gemm_design), int CTAS, int MOST, enum group_maps MAPS>
static struct group_kernel group_kernel_of_width(int64_t tokens)
{
#define GROUP_KERNEL(width)      \
    if constexpr (width <= MOST) \
        if (tokens == width)     \
            return group_kernel_of_tile<CHANGE, width, CTAS, MAPS>();
    GROUP_WIDTHS(GROUP_KERNEL)
#undef GROUP_KERNEL
    return {};
}

/*
 * The same for the baseline's own choice for a case of bf16. Where blocks share tokens
 * it chooses tiles of GROUP_SHARED_TOKENS; narrower ones would suit no case of the
 * family, and take long to compile.
 */
template <gemm_design (*CHANGE)(gemm_design), enum group_maps MAPS = GROUP_HOST_MAPS>
static struct group_kernel group_kernel_of_case(const struct sg_case *c)
{
    const int tokens = group_tokens_of(c);
    if (group_ctas_of(c, tokens) == 1)
        return group_kernel_of_width<CHANGE, 1, 256, MAPS>(tokens);
    return tokens == GROUP_SHARED_TOKENS
               ? group_kernel_of_tile<CHANGE, GROUP_SHARED_TOKENS, 2, MAPS>()
               : group_kernel{};
}

#endif
