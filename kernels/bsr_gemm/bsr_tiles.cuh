/*
 * bsr_tiles.cuh - D = A B with A in block-sparse rows, on tensor cores: one thread copies, two
 * warpgroups multiply, clusters stay for all tiles of their list.
 *
 * A tile is 128 rows by 256 columns of each block of a cluster. Its k loop goes over the blocks of
 * its row, each in two stages of 64 of k: A's block comes from the list of blocks, where it lies as
 * 128 rows of 128, and B's rows from where its column index points. The blocks of a cluster stand
 * side by side in n, so A is the same for both: each copies half of it for both (multicast). B is
 * [k][n]: a stage of it is boxes of 64 of k by 64 columns, and the tensor cores read it transposed
 * (tnspB), so it is not transposed.
 * Half of a tile's rows belong to each warpgroup; results leave as in the dense family
 * (gemm_results.cuh), behind the first stages of the next tile.
 * Beyond k the copy engine fills B with zeros, so that what A has there counts
 * nothing as long as it is finite.
 *
 * Invariant: who copies and who multiplies walk the same list and read the same row_ptr, so they
 * agree on the number of stages; a stage is overwritten only after both warpgroups of each block
 * of the cluster have given it back.
 * How it is used: bsr_tensor<design> is a kernel; bsr_launch.h launches it.
 */
#ifndef BSR_TILES_CUH
#define BSR_TILES_CUH

#include "blockscaled_gemm/gemm_kernel.cuh"
#include "bsr_launch.h"

/* The design as the dense family's templates for results and barriers know it. */
static __host__ __device__ constexpr gemm_design bsr_dense(bsr_design design)
{
    return {.type = SG_F16,
            .rows = BSR_BLOCK,
            .columns = design.columns,
            .ctas = design.ctas,
            .c_stages = BSR_C_STAGES};
}

#define BSR_BOX_BYTES (BSR_STEP * BSR_BOX_COLUMNS * 2) /* of B */
#define BSR_A_BYTES   (BSR_BLOCK * GEMM_ROW_BYTES)     /* of a stage */
#define BSR_ROWS_16                                                                              \
    (16 * BSR_BOX_COLUMNS * 2 / 16) /* 16 of k further in B, in a descriptor's steps of 16 bytes \
                                     */

/*
 * Descriptor of an operand that lies transposed, [k][columns]: 8 rows of k of 128 bytes each are a
 * swizzled group. The next 8 of k are 1024 bytes on (stride offset, bits 32 to 45), the next 64
 * columns a box on (leading offset, bits 16 to 29). PTX ISA, "asynchronous warpgroup level matrix:
 * strides", MN-major with 128-byte swizzle.
 */
static __device__ inline uint64_t transposed_operand(uint32_t address)
{
    const uint64_t swizzle_128 = 1ull << 62, stride = (uint64_t)(1024 >> 4) << 32,
                   leading = (uint64_t)(BSR_BOX_BYTES >> 4) << 16;
    return swizzle_128 | stride | leading | ((address & 0x3ffff) >> 4);
}

/* As in gemm_wgmma.cuh, B transposed: the last of the instruction's constants. */
static __device__ inline void wgmma_transposed(float (&d)[64], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_128("m64n128k16", "f16", ", 0, 1");
}

static __device__ inline void wgmma_transposed(float (&d)[128], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_256("m64n256k16", "f16", ", 0, 1");
}

/* Sums of f16, two neighbours of a row to a register. */
#define BSR_HALVES_8(d, i)                                                                      \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), \
        "+r"(d[i + 6]), "+r"(d[i + 7])
#define BSR_HALVES_32(d, i) \
    BSR_HALVES_8(d, i), BSR_HALVES_8(d, i + 8), BSR_HALVES_8(d, i + 16), BSR_HALVES_8(d, i + 24)

static __device__ inline void wgmma_transposed(uint32_t (&d)[64], uint64_t a, uint64_t b, bool add)
{
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16 {" GEMM_NAMES_64
                 "}, %64, %65, add, 1, 1, 0, 1;\n}"
                 : BSR_HALVES_32(d, 0), BSR_HALVES_32(d, 32)
                 : "l"(a), "l"(b), "r"((int)add));
}

/* One thread's sums of a tile: of 64 rows by the design's columns, by 128 threads. */
template <bsr_design D> struct bsr_sums {
    float of[D.columns / 2];

    /* Rounded; zeros for a row without blocks, of which nothing was multiplied. */
    __device__ void give(gemm_held<bsr_dense(D)> *held, bool has_blocks) const
    {
#pragma unroll
        for (int i = 0; i < D.columns / 4; i++)
            held->rounded[0][i] = has_blocks ? pair<SG_F16>(of[2 * i], of[2 * i + 1]) : 0;
    }
};

template <bsr_design D>
requires(D.f16_sums) struct bsr_sums<D> {
    uint32_t of[D.columns / 4];

    __device__ void give(gemm_held<bsr_dense(D)> *held, bool has_blocks) const
    {
#pragma unroll
        for (int i = 0; i < D.columns / 4; i++)
            held->rounded[0][i] = has_blocks ? of[i] : 0;
    }
};

/* A tile: which, and the blocks of its row. */
struct bsr_tile {
    int number, panel, first, end;

    __device__ int stages() const
    {
        return (end - first) * (BSR_BLOCK / BSR_STEP);
    }
};

/* A cluster's list, tile by tile. */
template <bsr_design D> struct bsr_walk {
    const bsr_arguments &g;
    int at, end;

    static __device__ bsr_walk begin(const bsr_arguments &g)
    {
        const int worker = (int)blockIdx.x / D.ctas;
        return {g, g.first[worker], g.first[worker + 1]};
    }
    __device__ bool is_over() const
    {
        return at >= end;
    }
    /* The tile at which the walk is; behind the end one without blocks. */
    __device__ bsr_tile tile() const
    {
        if (is_over())
            return {};
        const int number = g.tiles[at], row = number / g.panels;
        return {number, number - row * g.panels, g.row_ptr[row], g.row_ptr[row + 1]};
    }
};

template <bsr_design D> static __device__ inline int bsr_column(int panel)
{
    return (panel * D.ctas + (D.ctas > 1 ? (int)cluster_rank() : 0)) * D.columns;
}

/* What gemm_result asks for: where in D a tile's results go. */
template <gemm_design D>
static __device__ inline gemm_work work_of(const bsr_arguments &g, int tile)
{
    const int row = tile / g.panels, rank = D.ctas > 1 ? (int)cluster_rank() : 0;
    gemm_work at = {.d = &g.d};
    at.row = row * D.rows;
    at.column = ((tile - row * g.panels) * D.ctas + rank) * D.columns;
    return at;
}

static __device__ inline void prefetch_maps(const bsr_arguments &g)
{
    tensor_map_prefetch(&g.a);
    tensor_map_prefetch(&g.b);
    tensor_map_prefetch(&g.d);
}

static __device__ inline void accept_map(const bsr_arguments &, const gemm_work &)
{
}

/* One stage: this block's rows of A for the whole cluster, from `a_row` of the list of blocks; its
 * own columns of B from row `b_row`. */
template <bsr_design D>
static __device__ inline void copy_stage(const bsr_arguments &g, const gemm_shared &shared,
                                         const gemm_ring &ring, int a_row, int a_column, int b_row,
                                         int b_column)
{
    constexpr int rows = BSR_BLOCK / D.ctas;
    const int before = D.ctas > 1 ? (int)cluster_rank() * rows : 0;
    const uint32_t full = shared.full(ring.stage), to = shared.operands(ring.stage);
    mbarrier_wait(shared.empty(ring.stage), ring.phase);
    mbarrier_expect(full, bsr_dense(D).stage_bytes());
    if constexpr (D.ctas > 1)
        tensor_load_shared<GEMM_NO_HINT>(to + before * GEMM_ROW_BYTES, &g.a, a_column,
                                         a_row + before, full, (1 << D.ctas) - 1);
    else
        tensor_load<GEMM_NO_HINT>(to, &g.a, a_column, a_row, full);
#pragma unroll
    for (int box = 0; box < D.columns / BSR_BOX_COLUMNS; box++)
        tensor_load<GEMM_NO_HINT>(to + BSR_A_BYTES + box * BSR_BOX_BYTES, &g.b,
                                  b_column + box * BSR_BOX_COLUMNS, b_row, full);
}

/* The thread that fills the ring. An index is read while the block before is copied. */
template <bsr_design D>
static __device__ inline void copy_rows(const bsr_arguments &g, const gemm_shared &shared)
{
    gemm_ring ring = {.stages = shared.stages,
                      .phase = 1}; /* before the first turn every stage is empty */
    for (bsr_walk<D> walk = bsr_walk<D>::begin(g); !walk.is_over(); walk.at++) {
        const bsr_tile tile = walk.tile();
        const int column = bsr_column<D>(tile.panel);
        int next = tile.first < tile.end ? g.col[tile.first] : 0, index = next;
        for (int block = tile.first; block < tile.end; block++) {
            const int used = D.stale_index ? index : next;
            index = next;
            if (block + 1 < tile.end)
                next = g.col[block + 1];
            for (int k = 0; k < BSR_BLOCK; k += BSR_STEP, ring.next())
                copy_stage<D>(g, shared, ring, block * BSR_BLOCK, k, used * BSR_BLOCK + k, column);
        }
    }
}

/* A math warpgroup at the ring: waits for a stage, multiplies it, gives back the one before. */
template <bsr_design D> struct bsr_math : gemm_math<bsr_dense(D)> {
    __device__ void begin_stage(bsr_sums<D> *sums, bool add)
    {
        constexpr uint32_t stride = bsr_dense(D).stage_bytes() / 16;
        const uint64_t from_a = this->a + this->ring.stage * stride,
                       from_b = this->b + this->ring.stage * stride;
        mbarrier_wait(this->shared.full(this->ring.stage), this->ring.phase);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BSR_STEP / 16; k++)
            wgmma_transposed(sums->of, from_a + k * (GEMM_WGMMA_BYTES / 16),
                             from_b + k * BSR_ROWS_16, add || k > 0);
        wgmma_commit();
    }
    /* Waits whether there is something to wait for or not: the compiler has to
     * see that no sums are read before. */
    __device__ void end_row(int stages) const
    {
        wgmma_wait<0>();
        if (stages > 0)
            release<bsr_dense(D)>(this->shared, this->last);
    }
};

/* The sums of a tile; meanwhile results of the one before leave, a slice behind each of the first
 * stages, and the next tile is looked up. */
template <bsr_design D, class RESULT>
static __device__ inline bsr_tile multiply_row(bsr_sums<D> *sums, bsr_math<D> *math, int stages,
                                               RESULT *before, bool has_before,
                                               const bsr_walk<D> &walk)
{
    bsr_tile next = {};
#pragma unroll
    for (int i = 0; i < RESULT::slices; i++) {
        if (i < stages)
            math->begin_stage(sums, i > 0);
        if (i == 0)
            next = walk.tile();
        if (has_before)
            before->store(i);
        if (i < stages)
            math->end_block(i == 0);
    }
    for (int i = RESULT::slices; i < stages; i++) {
        math->begin_stage(sums, true);
        math->end_block(false);
    }
    return next;
}

/* A math warpgroup: its half of the rows of all tiles of the list. */
template <bsr_design D>
static __device__ inline void math_rows(const bsr_arguments &g, const gemm_shared &shared,
                                        int group)
{
    constexpr gemm_design dense = bsr_dense(D);
    const int rows_before = group * dense.group_rows(),
              warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    bsr_math<D> math = {{.shared = shared,
                         .a = operand(shared.operands(0) + rows_before * GEMM_ROW_BYTES),
                         .b = transposed_operand(shared.operands(0) + BSR_A_BYTES),
                         .ring = {.stages = shared.stages},
                         .group = group}};
    gemm_result<dense, bsr_arguments> result = {
        .g = g,
        .places = {shared.results() + warp * gemm_places<dense>::count * gemm_places<dense>::bytes},
        .rows_before = rows_before};
    bsr_sums<D> sums;
    bsr_walk<D> walk = bsr_walk<D>::begin(g);
    bsr_tile tile = walk.tile();
    bool has_before = false;
    while (!walk.is_over()) {
        const int number = tile.number, stages = tile.stages();
        walk.at++;
        tile = multiply_row<D>(&sums, &math, stages, &result, has_before, walk);
        math.end_row(stages);
        sums.give(&result.held, stages > 0);
        result.tile = number;
        has_before = true;
    }
    if (has_before)
        result.store_all();
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

template <bsr_design D>
__global__ void __launch_bounds__(GEMM_THREADS, 1)
    bsr_tensor(const __grid_constant__ bsr_arguments g)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const gemm_shared shared = {.base = shared_address(memory),
                                .stages = g.stages,
                                .stage_bytes = bsr_dense(D).stage_bytes()};
    begin<bsr_dense(D)>(g, shared);
    const int group = __shfl_sync(0xffffffffu, (int)threadIdx.x / GEMM_GROUP_THREADS, 0) -
                      1; /* known to be the same in a warp */
    if (group < 0) {
        registers_shrink<40>();
        if (threadIdx.x == 0)
            copy_rows<D>(g, shared);
    } else {
        registers_grow<232>();
        math_rows<D>(g, shared, group);
    }
    /* The other block's arrivals and copies still come here: no block leaves before all are
     * done. */
    if constexpr (D.ctas > 1)
        cluster_sync();
}

#endif
