/*
 * gemm_kernel.cuh - D[m][n] = A[m][k] B[n][k]^T: one warp copies, two warpgroups multiply, blocks stay for as many tiles as there are.
 *
 * A ring of stages lies between them. One thread of the first warpgroup fills it, with each block of a cluster fetching its own rows of A
 * and its part of B for all (multicast). The two math warpgroups take either half of the rows of each tile (cooperative: the results of a
 * tile leave while the next one is being multiplied) or every other tile (ping-pong: the results of one leave while the other multiplies).
 * Results go through shared memory in stages of 32 columns, from where the copy engine takes them.
 *
 * Invariant: a stage is overwritten only after every warpgroup that reads it, in every block that its bytes came to, has said that it is
 * done: `empty` counts those. A variant that breaks this does so by a field of struct gemm_design, and says so.
 * How it is used: gemm_launch.h; a variant names a design and this template becomes its kernel.
 */
#ifndef GEMM_KERNEL_CUH
#define GEMM_KERNEL_CUH

#include "gemm_launch.h"
#include "gemm_ptx.cuh"
#include "gemm_raster.h"
#include "gemm_wgmma.cuh"

#define GEMM_GROUP_THREADS 128 /* of a warpgroup */
#define GEMM_BLOCK_K       64  /* elements of 16 bits in a row of a stage */

/* What a kernel is compiled from: how its math is arranged, and what a variant changes about it. */
struct gemm_design {
    enum sg_dtype type = SG_BF16;
    int rows = 128;             /* of a tile of one block: 64 or 128 */
    int columns = 256;          /* of a tile: 128 or 256 */
    int ctas = 2;               /* of a cluster: 1 or 2 */
    int math_registers = 232;   /* of a thread; with copy_registers at most 504, the block's 168 * 384 registers */
    int copy_registers = 40;    /* of a thread */
    int c_stages = 4;           /* of one warpgroup */
    bool ping_pong = false;     /* a tile for each math warpgroup, not half a tile */
    bool plain_store = false;   /* results go from registers to memory, without the copy engine */
    bool hold_sums = false;     /* until a tile leaves it is kept in fp32: a second accumulator */
    bool early_release = false; /* a stage is given back before it has been read: a race */

    __host__ __device__ constexpr int group_rows() const
    {
        return ping_pong ? rows : rows / 2;
    }
    __host__ __device__ constexpr int readers() const
    {
        return ping_pong ? ctas : 2 * ctas;
    }
    __host__ __device__ constexpr int stage_bytes() const
    {
        return (rows + columns) * GEMM_ROW_BYTES;
    }
};

/* The baseline's design for a tile: a tile for each warpgroup if both tiles' sums fit into the registers. */
constexpr gemm_design gemm_design_of(enum sg_dtype type, struct gemm_tile tile)
{
    const bool ping_pong = gemm_acc_stages(tile) == 2;
    const struct gemm_plan plan = gemm_plan_of(GEMM_HOPPER, tile, GEMM_GREEDY);
    return {.type = type,
            .rows = tile.m / tile.ctas,
            .columns = tile.n,
            .ctas = tile.ctas,
            .c_stages = ping_pong ? plan.c / 2 : plan.c,
            .ping_pong = ping_pong};
}

/* A position in the ring; `phase` is the parity of the turn. */
struct gemm_ring {
    int stages;
    int stage = 0;
    uint32_t phase = 0;

    __device__ void next()
    {
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }
    __device__ void skip(int count)
    {
        const int end = stage + count;
        phase ^= (uint32_t)(end / stages) & 1;
        stage = end % stages;
    }
};

/* Shared memory of a block: barriers in the first 1024 bytes, the stages of A and B, those of C. */
struct gemm_shared {
    uint32_t base;
    int stages, stage_bytes;

    __device__ uint32_t full(int stage) const
    {
        return base + 16 * stage;
    }
    __device__ uint32_t empty(int stage) const
    {
        return base + 16 * stage + 8;
    }
    __device__ uint32_t turn(int group) const
    {
        return base + 1008 + 8 * group;
    }
    __device__ uint32_t operands(int stage) const
    {
        return base + 1024 + stage * stage_bytes;
    }
    __device__ uint32_t results() const
    {
        return operands(stages);
    }
};

/* First row and column of a block's tile. */
struct gemm_origin {
    int row, column;
};

/* Where this block's part of a tile begins. */
template <gemm_design D> static __device__ inline gemm_origin origin_of(const struct gemm_shape &shape, int tile)
{
    const gemm_place place = gemm_place_of(shape.tiles_m, shape.tiles_n, shape.group, tile);
    return {(place.row * D.ctas + (D.ctas > 1 ? (int)cluster_rank() : 0)) * D.rows, place.column * D.columns};
}

/* The thread that fills the ring. */
template <gemm_design D> static __device__ inline void copy_tiles(const gemm_arguments &g, const gemm_shared &shared)
{
    constexpr int part = D.columns / D.ctas;
    const int rank = D.ctas > 1 ? (int)cluster_rank() : 0;
    gemm_ring ring = {.stages = shared.stages, .phase = 1}; /* before the first turn every stage is empty */
    for (int tile = blockIdx.x / D.ctas; tile < g.shape.tiles; tile += gridDim.x / D.ctas) {
        const gemm_origin at = origin_of<D>(g.shape, tile);
        for (int block = 0; block < g.shape.blocks_k; block++, ring.next()) {
            const uint32_t full = shared.full(ring.stage);
            const uint32_t a = shared.operands(ring.stage);
            const uint32_t b = a + (D.rows + rank * part) * GEMM_ROW_BYTES;
            mbarrier_wait(shared.empty(ring.stage), ring.phase);
            mbarrier_expect(full, D.stage_bytes() + g.shape.extra_bytes);
            tensor_load(a, &g.a, block * GEMM_BLOCK_K, at.row, full);
            if constexpr (D.ctas > 1)
                tensor_load_shared(b, &g.b, block * GEMM_BLOCK_K, at.column + rank * part, full, (1 << D.ctas) - 1);
            else
                tensor_load(b, &g.b, block * GEMM_BLOCK_K, at.column, full);
        }
    }
}

/* One stage, 64 of k, from descriptors of its first rows; `add`: to what is there. */
template <gemm_design D>
static __device__ inline void multiply(float (&sums)[D.group_rows() / 64][D.columns / 2], uint64_t a, uint64_t b, bool add)
{
    constexpr int step = 2 * GEMM_WGMMA_K / 16, part = 64 * GEMM_ROW_BYTES / 16; /* a descriptor counts in 16 bytes */
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < GEMM_BLOCK_K / GEMM_WGMMA_K; k++)
#pragma unroll
        for (int i = 0; i < D.group_rows() / 64; i++)
            wgmma<D.type>(sums[i], a + i * part + k * step, b + k * step, add || k > 0);
    wgmma_commit();
}

/* A thread for each block of the cluster: their copies come into this block too, and ours into theirs. */
template <gemm_design D> static __device__ inline void release(const gemm_shared &shared, int stage)
{
    const int thread = threadIdx.x % GEMM_GROUP_THREADS;
    if (thread < D.ctas)
        mbarrier_arrive(shared.empty(stage), thread);
}

template <enum sg_dtype TYPE> static __device__ inline uint32_t pair(float low, float high)
{
    uint32_t both;
    if constexpr (TYPE == SG_BF16)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

/* A finished tile on its way out: rounded, or for hold_sums as it is. */
template <gemm_design D> struct gemm_held {
    static constexpr int parts = D.group_rows() / 64, sums = D.columns / 2;
    float exact[D.hold_sums ? parts : 1][D.hold_sums ? sums : 1];
    uint32_t rounded[D.hold_sums ? 1 : parts][D.hold_sums ? 1 : sums / 2];

    __device__ void take(const float (&from)[parts][sums])
    {
#pragma unroll
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < sums; i += 2) {
                if constexpr (D.hold_sums) {
                    exact[part][i] = from[part][i];
                    exact[part][i + 1] = from[part][i + 1];
                } else {
                    rounded[part][i / 2] = pair<D.type>(from[part][i], from[part][i + 1]);
                }
            }
    }

    /* Two neighbours: 2 i and 2 i + 1 of the sums. */
    __device__ uint32_t get(int part, int i) const
    {
        if constexpr (D.hold_sums)
            return pair<D.type>(exact[part][2 * i], exact[part][2 * i + 1]);
        else
            return rounded[part][i];
    }
};

/* Bytes of a slice of a warp's rows, and where the first of them is; the places of a warpgroup's stages of C are its warps'. */
template <gemm_design D> struct gemm_places {
    static constexpr int part_bytes = 16 * GEMM_C_COLUMNS * 2, bytes = D.group_rows() / 64 * part_bytes;
    static constexpr int count = D.c_stages * GEMM_C_COLUMNS / GEMM_C_COLUMNS;
    uint32_t first;

    __device__ uint32_t of(int slice) const
    {
        return first + slice % count * bytes;
    }
};

/*
 * A slice of a warp's rows to shared memory, in the swizzle of its rows' length: 16-byte piece p of row r of 128 bytes lies at p ^ r % 8,
 * of 64 bytes at p ^ r / 2 % 4, so that the eight rows of a matrix share no bank. Before that the copy engine must be done with the place.
 */
template <gemm_design D> static __device__ inline void write_slice(const gemm_held<D> &held, int slice, gemm_places<D> places)
{
    const int lane = threadIdx.x % 32, row = lane % 16;
    const int swizzle = row / 2 % 4;
    if (slice == 0 || slice >= places.count) {
        if (lane == 0 && slice == 0)
            tensor_store_wait<0>();
        else if (lane == 0)
            tensor_store_wait<places.count - 1>();
        __syncwarp();
    }
#pragma unroll
    for (int part = 0; part < D.group_rows() / 64; part++) {
#pragma unroll
        for (int pair = 0; pair < GEMM_C_COLUMNS / 16; pair++) {
            const int piece = (2 * pair + lane / 16) ^ swizzle;
            uint32_t matrices[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                matrices[i] = held.get(part, slice * GEMM_C_COLUMNS / 4 + pair * 4 + i);
            store_matrices(places.of(slice) + part * places.part_bytes + row * GEMM_C_COLUMNS * 2 + piece * 16, matrices);
        }
    }
}

/* Hands what write_slice wrote to the copy engine: by warps, because a barrier of the warpgroup costs more than smaller copies do. */
template <gemm_design D> static __device__ inline void send_slice(int slice, const gemm_arguments &g, gemm_origin at, gemm_places<D> places)
{
    const int row = at.row + threadIdx.x % GEMM_GROUP_THREADS / 32 * 16;
    async_fence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int part = 0; part < D.group_rows() / 64; part++)
            tensor_store(&g.d, at.column + slice * GEMM_C_COLUMNS, row + part * 64, places.of(slice) + part * places.part_bytes);
        tensor_store_commit();
    }
}

/* A slice straight to memory, two elements a thread: eight rows a warp, 16 bytes of each. */
template <gemm_design D>
static __device__ inline void store_slice_plainly(const gemm_held<D> &held, int slice, const gemm_arguments &g, gemm_origin at)
{
    const int thread = threadIdx.x % GEMM_GROUP_THREADS;
    const int row = at.row + thread / 32 * 16 + thread % 32 / 4;
    const int column = at.column + slice * GEMM_C_COLUMNS + thread % 4 * 2;
#pragma unroll
    for (int part = 0; part < D.group_rows() / 64; part++)
#pragma unroll
        for (int i = 0; i < GEMM_C_COLUMNS / 4; i++) {
            const int64_t y = row + part * 64 + i % 2 * 8, x = column + i / 2 * 8;
            if (y < g.shape.m && x < g.shape.n)
                *(uint32_t *)((uint16_t *)g.plain + y * g.shape.n + x) = held.get(part, slice * GEMM_C_COLUMNS / 4 + i);
        }
}

/* A finished tile of one warpgroup, on its way out slice by slice. */
template <gemm_design D> struct gemm_result {
    static constexpr int slices = D.columns / GEMM_C_COLUMNS;
    const gemm_arguments &g;
    gemm_places<D> places;
    int rows_before; /* of the tile, the other warpgroup's */
    gemm_held<D> held;
    int tile;
    gemm_origin at;

    /* Slices in their order. Only the first asks where the tile is: divisions, for which there is time once a multiplication is in flight.
     */
    __device__ void store(int slice)
    {
        if (slice == 0) {
            at = origin_of<D>(g.shape, tile);
            at.row += rows_before;
        }
        if constexpr (D.plain_store) {
            store_slice_plainly<D>(held, slice, g, at);
        } else {
            write_slice<D>(held, slice, places);
            send_slice<D>(slice, g, at, places);
        }
    }
    __device__ void store_all()
    {
#pragma unroll
        for (int slice = 0; slice < slices; slice++)
            store(slice);
    }
};

/*
 * In ping-pong a warpgroup multiplies when the other has seen the last stage of its tile. Not for order's sake, which the ring keeps: a
 * barrier tells one turn of the ring from the next only, and who waits two turns ahead takes old data for new.
 */
template <gemm_design D> struct gemm_turns {
    const gemm_shared &shared;
    int group;
    uint32_t phase;

    __device__ void wait()
    {
        if constexpr (D.ping_pong)
            mbarrier_wait(shared.turn(group), phase);
        phase ^= 1;
    }
    __device__ void pass() const
    {
        if (D.ping_pong && threadIdx.x % GEMM_GROUP_THREADS == 0)
            mbarrier_arrive(shared.turn(1 - group), D.ctas > 1 ? cluster_rank() : 0);
    }
};

/* The math of one warpgroup: where it is in the ring, and the descriptors of its rows in stage 0. */
template <gemm_design D> struct gemm_math {
    const gemm_shared &shared;
    uint64_t a, b;
    gemm_ring ring;
    int last; /* stage whose multiplication is in flight */

    __device__ void begin_block(float (&sums)[D.group_rows() / 64][D.columns / 2], bool add)
    {
        constexpr uint32_t stride = D.stage_bytes() / 16;
        mbarrier_wait(shared.full(ring.stage), ring.phase);
        multiply<D>(sums, a + ring.stage * stride, b + ring.stage * stride, add);
        if constexpr (D.early_release)
            release<D>(shared, ring.stage);
    }
    /* Gives back the stage before, whose multiplication is done when only the last is in flight. */
    __device__ void end_block(bool first)
    {
        if (!first) {
            wgmma_wait<1>();
            if constexpr (!D.early_release)
                release<D>(shared, last);
        }
        last = ring.stage;
        ring.next();
    }
    __device__ void end_tile()
    {
        wgmma_wait<0>();
        if constexpr (!D.early_release)
            release<D>(shared, last);
    }
};

/*
 * The sums of one tile, stage by stage; one multiplication is always in flight while the next stage is waited for. In a cooperative design
 * the tile before, if there is one, leaves meanwhile, a slice behind each of the first multiplications: all at once would take longer
 * than the tensor cores have work for.
 */
template <gemm_design D>
static __device__ inline void multiply_tile(float (&sums)[D.group_rows() / 64][D.columns / 2], gemm_math<D> *math, int blocks,
                                            gemm_result<D> *before, bool has_before)
{
    constexpr int slices = D.ping_pong ? 1 : gemm_result<D>::slices;
#pragma unroll
    for (int i = 0; i < slices; i++) {
        if (i < blocks)
            math->begin_block(sums, i > 0);
        if (!D.ping_pong && has_before)
            before->store(i);
        if (i < blocks)
            math->end_block(i == 0);
    }
    for (int block = slices; block < blocks; block++) {
        math->begin_block(sums, true);
        math->end_block(false);
    }
}

/* A math warpgroup: all its tiles, or its halves of all tiles. */
template <gemm_design D> static __device__ inline void math_tiles(const gemm_arguments &g, const gemm_shared &shared, int group)
{
    const int step = gridDim.x / D.ctas * (D.ping_pong ? 2 : 1);
    const int first = blockIdx.x / D.ctas + (D.ping_pong ? group * step / 2 : 0);
    const int rows_before = D.ping_pong ? 0 : group * D.group_rows();
    gemm_math<D> math = {.shared = shared,
                         .a = operand(shared.operands(0) + rows_before * GEMM_ROW_BYTES),
                         .b = operand(shared.operands(0) + D.rows * GEMM_ROW_BYTES),
                         .ring = {.stages = shared.stages}};
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    gemm_result<D> result = {
        .g = g, .places = {shared.results() + warp * gemm_places<D>::count * gemm_places<D>::bytes}, .rows_before = rows_before};
    gemm_turns<D> turns = {shared, group, group == 0};
    float sums[D.group_rows() / 64][D.columns / 2];
    if (D.ping_pong && group == 1)
        math.ring.skip(g.shape.blocks_k);
    for (int tile = first; tile < g.shape.tiles; tile += step) {
        turns.wait();
        multiply_tile<D>(sums, &math, g.shape.blocks_k, &result, tile != first);
        turns.pass();
        math.end_tile();
        result.held.take(sums);
        result.tile = tile;
        if constexpr (D.ping_pong) {
            result.store_all();
            math.ring.skip(g.shape.blocks_k);
        }
    }
    if (!D.ping_pong && first < g.shape.tiles)
        result.store_all();
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

template <gemm_design D> static __device__ inline void begin(const gemm_arguments &g, const gemm_shared &shared)
{
    if (threadIdx.x == 0) {
        tensor_map_prefetch(&g.a);
        tensor_map_prefetch(&g.b);
        tensor_map_prefetch(&g.d);
        for (int stage = 0; stage < shared.stages; stage++) {
            mbarrier_init(shared.full(stage), 1);
            mbarrier_init(shared.empty(stage), D.readers());
        }
        mbarrier_init(shared.turn(0), 1);
        mbarrier_init(shared.turn(1), 1);
        mbarrier_publish();
    }
    if constexpr (D.ctas > 1)
        cluster_sync();
    else
        __syncthreads();
}

template <gemm_design D> __global__ void __launch_bounds__(GEMM_THREADS, 1) gemm(const __grid_constant__ gemm_arguments g)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const gemm_shared shared = {.base = shared_address(memory), .stages = g.shape.stages, .stage_bytes = D.stage_bytes()};
    begin<D>(g, shared);
    const int group = __shfl_sync(0xffffffffu, (int)threadIdx.x / GEMM_GROUP_THREADS, 0) - 1; /* known to be the same in a warp */
    if (group < 0) {
        registers_shrink<D.copy_registers>();
        if (threadIdx.x == 0)
            copy_tiles<D>(g, shared);
    } else {
        registers_grow<D.math_registers>();
        math_tiles<D>(g, shared, group);
    }
    /* The other block's arrivals and copies still come here: nobody leaves before all are done. */
    if constexpr (D.ctas > 1)
        cluster_sync();
}

/* The kernel for one of the baseline's tiles with what `CHANGE` makes of its design; NULL for another tile. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design)> static gemm_kernel *gemm_kernel_of(struct gemm_tile tile)
{
    constexpr gemm_tile wide = {.m = 256, .n = 256, .ctas = 2, .dtype = TYPE};
    constexpr gemm_tile narrow = {.m = 256, .n = 128, .ctas = 2, .dtype = TYPE};
    constexpr gemm_tile single = {.m = 128, .n = 128, .ctas = 1, .dtype = TYPE};
    if (tile.m == wide.m && tile.n == wide.n && tile.ctas == wide.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, wide))>;
    if (tile.m == narrow.m && tile.n == narrow.n && tile.ctas == narrow.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, narrow))>;
    if (tile.m == single.m && tile.n == single.n && tile.ctas == single.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, single))>;
    return nullptr;
}

#endif
