/*
 * group_tiles.cuh - what a tile is to the GEMM's template when the problem is a list of groups: which maps, which rows, how wide.
 *
 * The template multiplies its operand A, tiles of 128 or 256 rows, by its operand B. In transposed designs A are the weights and B the
 * tokens of a group: a tile is as wide as the group has tokens, rounded up to 32, and not more is multiplied. In the others it is the other
 * way round.
 * Invariant: D's map ends with the group, so that what a tile computes beyond it is not written.
 * How it is used: group_kernel_of<design>() is a kernel with what the host must know of it; group_launch.h launches it.
 */
#ifndef GROUP_TILES_CUH
#define GROUP_TILES_CUH

#include "blockscaled_gemm/gemm_kernel.cuh"
#include "group_choice.h"
#include "group_launch.h"

/* The parameter of a kernel: what it is told, and how it goes about it. */
template <enum group_maps MAPS, bool HANGS> struct group_told : group_arguments {
    static constexpr int copying_threads = MAPS == GROUP_HOST_MAPS ? 1 : 32; /* a warp makes maps */
};

/* With no step over a group that has no tiles: it is where the walk ends. */
static __device__ inline int walk_to_position(const group_list &list, int tile)
{
    int position = 0;
    while (tile >= list.first_tile[position + 1]) {
        if (list.deep[list.order[position]] > 0)
            position++;
        else
            asm volatile("nanosleep.u32 1000;");
    }
    return position;
}

template <enum group_maps MAPS, bool HANGS> static __device__ inline group_place place_of(const group_told<MAPS, HANGS> &g, int tile)
{
    return HANGS ? group_place_in(&g.list, walk_to_position(g.list, tile), tile) : group_place_of(&g.list, tile);
}

/* Where this block's maps of a group are. */
template <enum group_maps MAPS, bool HANGS>
static __device__ inline const CUtensorMap *made_maps(const group_told<MAPS, HANGS> &g, int group)
{
    return g.made + (MAPS == GROUP_STALE_MAPS ? blockIdx.x : blockIdx.x * g.list.count + group) * GROUP_MADE_MAPS;
}

template <gemm_design D, enum group_maps MAPS, bool HANGS>
static __device__ inline gemm_work work_of(const group_told<MAPS, HANGS> &g, int tile)
{
    const group_place place = place_of(g, tile);
    const int group = place.group, rank = D.ctas > 1 ? (int)cluster_rank() * D.rows : 0;
    const int token = place.row + (D.transposed ? 0 : rank), weight = place.column + (D.transposed ? rank : 0);
    const int tokens_row = token + (MAPS == GROUP_BLOCK_MAPS ? 0 : g.list.first_row[group]);
    const int weights_row = weight + (MAPS == GROUP_HOST_MAPS ? group * g.shape.n : 0);
    const CUtensorMap *made = MAPS == GROUP_HOST_MAPS ? nullptr : made_maps(g, group);
    const CUtensorMap *tokens = MAPS == GROUP_BLOCK_MAPS ? made : &g.tokens, *weights = made ? made + 1 : &g.weights;
    gemm_work at = {
        .a = D.transposed ? weights : tokens, .b = D.transposed ? tokens : weights, .d = MAPS == GROUP_BLOCK_MAPS ? made + 2 : &g.d[group]};
    at.a_row = D.transposed ? weights_row : tokens_row;
    at.b_row = D.transposed ? tokens_row : weights_row;
    at.row = D.transposed ? weight : token;
    at.column = D.transposed ? token : weight;
    if constexpr (D.scaled()) {
        at.scale_row = group * ((g.shape.n + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK) + weight / GEMM_SCALE_BLOCK;
        at.first_scale = g.list.first_scale[group] * g.shape.blocks_k + place.row;
        at.scale_step = g.list.first_scale[group + 1] - g.list.first_scale[group];
    }
    at.first_block = (place.column / g.list.columns * g.turn + group) % g.shape.blocks_k * (g.turn > 0);
    return at;
}

/* A tile's tokens have scales next to each other; 128 of its weights share one, of the box that begins at a multiple of 16 bytes. */
template <gemm_design D, enum group_maps MAPS, bool HANGS>
static __device__ inline void copy_scales(const group_told<MAPS, HANGS> &g, const gemm_shared &shared, const gemm_work &at, int k,
                                          int stage)
{
    const uint32_t to = shared.scales(stage), full = shared.full(stage);
    tensor_load<GEMM_NO_HINT>(to, &g.tokens_scales, at.first_scale + k * at.scale_step, 0, full);
    tensor_load<GEMM_NO_HINT>(to + D.columns * (int)sizeof(float), &g.weights_scales, k / GEMM_SCALE_BOX * GEMM_SCALE_BOX, at.scale_row,
                              full);
}

template <enum group_maps MAPS, bool HANGS> static __device__ inline void prefetch_maps(const group_told<MAPS, HANGS> &g)
{
    tensor_map_prefetch(&g.tokens);
    if (MAPS == GROUP_HOST_MAPS)
        tensor_map_prefetch(&g.weights);
}

template <gemm_design D, enum group_maps MAPS, bool HANGS>
static __device__ inline int columns_of(const group_told<MAPS, HANGS> &g, int tile)
{
    return place_of(g, tile).height;
}

/* A model's copy in shared memory with another address and number of rows, by a warp. */
static __device__ inline void change_map(uint32_t copy, const CUtensorMap &model, const void *memory, int rows)
{
    const int lane = threadIdx.x % 32;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(copy + 4 * lane), "r"(((const uint32_t *)&model)[lane]) : "memory");
    __syncwarp();
    if (lane == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(copy), "l"(memory) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(copy), "r"(rows) : "memory");
    }
    __syncwarp();
}

/* From shared memory to where the copy engine takes it from, by a warp. */
static __device__ inline void publish_map(const CUtensorMap *map, uint32_t copy)
{
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(map),
                 "r"(copy)
                 : "memory");
}

/* The copy engine forgets what it knows of this map, for copies of this thread. */
static __device__ inline void acquire_map(const CUtensorMap *map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/*
 * Without a word to the copy engine, and only what is another: that is the address, one of the 64-bit words of a map, for half a map of
 * each kind would be an illegal instruction.
 */
static __device__ inline void overwrite_map(const CUtensorMap *map, uint32_t copy)
{
    const int lane = threadIdx.x % 32;
    volatile uint64_t *words = (volatile uint64_t *)map;
    if (lane < (int)(sizeof(CUtensorMap) / sizeof(*words))) {
        uint64_t word;
        asm volatile("ld.shared.b64 %0, [%1];" : "=l"(word) : "r"(copy + (uint32_t)sizeof(word) * lane));
        if (words[lane] != word)
            words[lane] = word;
    }
    __syncwarp();
}

/* Every few blocks of k a longer piece of the weights' rows than a copy takes. */
template <gemm_design D, enum group_maps MAPS, bool HANGS>
static __device__ inline void look_ahead(const group_told<MAPS, HANGS> &g, const gemm_work &at, int k)
{
    if (g.ahead > 0 && k % GROUP_AHEAD_BLOCKS == 0 && k + g.ahead < g.shape.blocks_k)
        tensor_fetch(&g.weights_ahead, (k + g.ahead) * D.block_k(), D.transposed ? at.a_row : at.b_row);
}

/* Maps of the tile's group, unless the tile before was of it too: those that a block has of its own. */
template <gemm_design D, enum group_maps MAPS, bool HANGS>
static __device__ inline void make_maps(const group_told<MAPS, HANGS> &g, const gemm_shared &shared, const gemm_work &at, int tile,
                                        int previous)
{
    const int group = place_of(g, tile).group;
    if (previous >= 0 && group == place_of(g, previous).group)
        return;
    if constexpr (MAPS == GROUP_HOST_MAPS) {
        tensor_map_prefetch(at.d);
        return;
    }
    const CUtensorMap *made = made_maps(g, group);
    const int64_t first = g.list.first_row[group], rows = g.list.first_row[group + 1] - first;
    const uint32_t copy = shared.base + GROUP_MAPS_AT;
    change_map(copy + 128, g.weights, (const char *)g.memory.weights + group * g.weights_bytes, g.shape.n);
    if constexpr (MAPS == GROUP_STALE_MAPS) {
        if (previous >= 0) {
            overwrite_map(made + 1, copy + 128);
        } else { /* the first one is as it should be */
            publish_map(made + 1, copy + 128);
            acquire_map(made + 1);
        }
        return;
    }
    change_map(copy, g.tokens, (const char *)g.memory.tokens + first * g.tokens_row_bytes, (int)rows);
    change_map(copy + 256, g.results, (char *)g.memory.results + (first + group * g.guard) * g.results_row_bytes, (int)rows);
    for (int i = 0; i < GROUP_MADE_MAPS; i++)
        publish_map(made + i, copy + 128 * i);
    acquire_map(made);
    acquire_map(made + 1);
}

template <enum group_maps MAPS, bool HANGS> static __device__ inline void accept_map(const group_told<MAPS, HANGS> &, const gemm_work &at)
{
    if constexpr (MAPS == GROUP_BLOCK_MAPS)
        acquire_map(at.d);
}

template <gemm_design D, enum group_maps MAPS = GROUP_HOST_MAPS, bool HANGS = false> static struct group_kernel group_kernel_of()
{
    static_assert(GROUP_MAPS_AT + GROUP_MADE_MAPS * sizeof(CUtensorMap) <= gemm_shared::factors_ready_at, "maps end before barriers");
    static_assert(sizeof(group_told<MAPS, HANGS>) == sizeof(group_arguments), "the host fills in the base alone");
    return {(const void *)gemm<D, group_told<MAPS, HANGS>>, D, MAPS};
}

static constexpr gemm_design group_unchanged(gemm_design design)
{
    return design;
}

/* The kernel for one of the baseline's tiles, with what CHANGE makes of its design; none where there is none. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design), int TOKENS, int CTAS, enum group_maps MAPS>
static struct group_kernel group_kernel_of_tile()
{
    if constexpr (group_has_tile(TYPE, TOKENS, CTAS))
        return group_kernel_of<CHANGE(group_design(TYPE, TOKENS, CTAS)), MAPS>();
    else
        return {};
}

/* The same for a width up to MOST. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design), int CTAS, int MOST, enum group_maps MAPS>
static struct group_kernel group_kernel_of_width(int64_t tokens)
{
#define GROUP_KERNEL(width)      \
    if constexpr (width <= MOST) \
        if (tokens == width)     \
            return group_kernel_of_tile<TYPE, CHANGE, width, CTAS, MAPS>();
    GROUP_WIDTHS(GROUP_KERNEL)
#undef GROUP_KERNEL
    return {};
}

/* The baseline's kernel for what knobs ask for; none where there is none. */
template <enum sg_dtype TYPE> static struct group_kernel group_kernel_of_knobs(int64_t tokens, int64_t ctas)
{
    if (ctas == 1)
        return group_kernel_of_width<TYPE, group_unchanged, 1, 256, GROUP_HOST_MAPS>(tokens);
    if (ctas == 2)
        return group_kernel_of_width<TYPE, group_unchanged, 2, 256, GROUP_HOST_MAPS>(tokens);
    if (ctas == 4)
        return group_kernel_of_width<TYPE, group_unchanged, 4, 256, GROUP_HOST_MAPS>(tokens);
    return {};
}

/* The same for the baseline's own choice for a case of this type, where no cluster has wider tiles than GROUP_SHARED_TOKENS. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design), enum group_maps MAPS = GROUP_HOST_MAPS>
static struct group_kernel group_kernel_of_case(const struct sg_case *c)
{
    const int tokens = group_tokens_of(c);
    return group_ctas_of(c, tokens) == 1 ? group_kernel_of_width<TYPE, CHANGE, 1, 256, MAPS>(tokens)
                                         : group_kernel_of_width<TYPE, CHANGE, 2, GROUP_SHARED_TOKENS, MAPS>(tokens);
}

#endif
