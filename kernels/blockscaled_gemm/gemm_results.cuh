/*
 * gemm_results.cuh - how a finished tile leaves: rounded in registers, through shared memory in
 * slices of 32 columns, from there by the copy engine.
 *
 * Each warp writes and sends its own 16 rows of every 64, so no barrier is needed. Slices of 64
 * columns were slower where k is short: with half as many places a warp waits for its copies.
 * Invariant: a place is written only when the copy engine has read what was there;
 * gemm_result::store keeps count, slice by slice in order.
 */
#ifndef GEMM_RESULTS_CUH
#define GEMM_RESULTS_CUH

#include "gemm_design.cuh"

template <enum sg_dtype TYPE> static __device__ inline uint32_t pair(float low, float high)
{
    uint32_t both;
    if constexpr (TYPE != SG_F16)
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

    /* All columns, or the first of them. */
    template <int SUMS> __device__ void take(const float (&from)[parts][SUMS])
    {
#pragma unroll
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < SUMS; i += 2) {
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

/* A warp's part of its warpgroup's stages of C: places for a slice of its rows, 16 of each 64. */
template <gemm_design D> struct gemm_places {
    static constexpr int part_bytes = GEMM_WARP_ROWS * GEMM_C_COLUMNS * GEMM_C_BYTES,
                         bytes = D.group_rows() / 64 * part_bytes;
    static constexpr int count = D.c_stages;
    uint32_t first;

    __device__ uint32_t of(int slice) const
    {
        return first + slice % count * bytes;
    }
};

/*
 * Where a lane's row of eight elements of a slice goes, for one pair of eights of columns: see
 * write_slice. In rows of 64 bytes, or transposed, 16 elements to a row, of 32.
 */
template <gemm_design D> static __device__ inline uint32_t row_address(uint32_t place, int pair)
{
    const int lane = threadIdx.x % 32;
    if constexpr (D.transposed) {
        const int row = pair * 16 + lane / 16 * 8 + lane % 8, piece = lane / 8 % 2 ^ row / 4 % 2;
        return place + row * GEMM_WARP_ROWS * GEMM_C_BYTES + piece * 16;
    }
    const int row = lane % GEMM_WARP_ROWS,
              piece = (2 * pair + lane / GEMM_WARP_ROWS) ^ (row / 2 % 4);
    return place + row * GEMM_C_COLUMNS * GEMM_C_BYTES + piece * 16;
}

/*
 * A slice of a warp's rows to a place in shared memory, in the swizzle of rows of 64 bytes: 16-byte
 * piece p of row r lies at p ^ r / 2 % 4, so that the eight rows of a matrix share no bank;
 * transposed, in that of rows of 32 bytes: at p ^ r / 4 % 2.
 */
template <gemm_design D>
static __device__ inline void write_matrices(const gemm_held<D> &held, int slice, uint32_t place)
{
#pragma unroll
    for (int part = 0; part < D.group_rows() / 64; part++) {
#pragma unroll
        for (int pair = 0; pair < GEMM_C_COLUMNS / 16; pair++) {
            uint32_t matrices[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                matrices[i] = held.get(part, slice * GEMM_C_COLUMNS / 4 + pair * 4 + i);
            store_matrices<D.transposed>(
                row_address<D>(place + part * gemm_places<D>::part_bytes, pair), matrices);
        }
    }
}

/* The same to the slice's own place. Before that the copy engine must be done with the place. */
template <gemm_design D>
static __device__ inline void write_slice(const gemm_held<D> &held, int slice,
                                          gemm_places<D> places)
{
    const int lane = threadIdx.x % 32;
    if (slice == 0 || slice >= places.count) {
        if (lane == 0 && slice == 0)
            tensor_store_wait<0>();
        else if (lane == 0)
            tensor_store_wait<places.count - 1>();
        __syncwarp();
    }
    write_matrices<D>(held, slice, places.of(slice));
}

/* Hands what write_slice wrote to the copy engine: by warps, because a barrier of the warpgroup
 * costs more than smaller copies do. */
template <gemm_design D>
static __device__ inline void send_slice(int slice, const gemm_work &at, gemm_places<D> places)
{
    const int column = at.column + slice * GEMM_C_COLUMNS;
    const int row = at.row + threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS;
    async_fence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int part = 0; part < D.group_rows() / 64; part++)
            tensor_store(at.d, D.transposed ? row + part * 64 : column,
                         D.transposed ? column : row + part * 64,
                         places.of(slice) + part * places.part_bytes);
        tensor_store_commit();
    }
}

/* A slice straight to memory, two elements a thread: eight rows a warp, 16 bytes of each. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void store_slice_plainly(const gemm_held<D> &held, int slice,
                                                  const ARGUMENTS &g, const gemm_work &at)
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
                *(uint32_t *)((uint16_t *)g.plain + y * g.shape.n + x) =
                    held.get(part, slice * GEMM_C_COLUMNS / 4 + i);
        }
}

/* A finished tile of one warpgroup, on its way out slice by slice. */
template <gemm_design D, class ARGUMENTS> struct gemm_result {
    static constexpr int slices = D.columns / GEMM_C_COLUMNS;
    const ARGUMENTS &g;
    gemm_places<D> places;
    int rows_before; /* of the tile, the other warpgroup's */
    gemm_held<D> held;
    int tile;
    gemm_work at;
    int columns;      /* of this tile, in designs that vary */
    int next_columns; /* of the one that is multiplied, or will be */

    /* Slices in their order. The first asks where the tile is: divisions, for which there is time
     * once a multiplication is in flight. */
    __device__ void store(int slice)
    {
        if (slice == 0) {
            at = work_of<D>(g, tile);
            at.row += rows_before;
            accept_map(g, at);
        }
        if (D.varying && slice * GEMM_C_COLUMNS >= columns)
            return;
        if constexpr (D.plain_store) {
            store_slice_plainly<D>(held, slice, g, at);
        } else {
            write_slice<D>(held, slice, places);
            send_slice<D>(slice, at, places);
        }
    }
    __device__ void store_all()
    {
#pragma unroll
        for (int slice = 0; slice < slices; slice++)
            store(slice);
    }
};

#endif
