/*
 * matvec/vec16_rows - a warp takes one or two rows, 16 bytes a
 * load, eight loads in flight a thread.
 *
 * The baseline. W is read once, so it bypasses L1 and leaves L2 first; x is small and stays in
 * L1. Sums are fp32, a shuffle tree, no barrier, no shared memory. Rows that start off a
 * 16-byte boundary get the same loads: x is shifted to meet them, by a distance that is the
 * same for the whole row and known when compiling. Few long rows are split, and a second
 * kernel adds the pieces in order.
 * Expect dram throughput of 80 to 90 % from 200 MB on, long_scoreboard as the only large stall, no
 * bank conflicts, no local memory.
 */
#include <cstdio>

#include "matvec.cuh"
#include "matvec_plan.h"

/*
 * RESIDENT blocks a multiprocessor leave 96 registers a thread. Without that bound the compiler
 * saves registers by loading late, and two or three loads are in flight instead of eight.
 */
enum { THREADS = 128, WARP = 32, RESIDENT = 5 };

/* 16 bytes that are not read again. */
static __device__ inline uint4 load16_once(const void *p)
{
    uint4 v;
    asm volatile(
        "{\n\t.reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
        "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], policy;\n\t}"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p));
    return v;
}

/*
 * UNROLL vectors of each of ROWS rows, LANES apart. FULL: all of them lie before `end`; else those
 * that do not are loaded from the last one that does, which costs no branch before a load, and are
 * not added. A sum for each load: a single chain would order the loads too.
 */
template <typename T, int LANES, int ROWS, int UNROLL, bool FULL>
static __device__ inline void aligned_step(const uint4 *const w[ROWS], const uint4 *x, int v,
                                           int end, float sum[UNROLL][ROWS])
{
    uint4 a[UNROLL][ROWS];
    uint4 b[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const int at = FULL ? v + u * LANES : min(v + u * LANES, end - 1);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            a[u][r] = load16_once(w[r] + at);
        b[u] = load16(x + at);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (FULL || v + u * LANES < end)
                sum[u][r] = dot16<T>(a[u][r], b[u], sum[u][r]);
}

/* Groups beyond the last row compute it once more and store nothing, so that every
 * lane takes part in the shuffles. */
template <typename T, int LANES, int ROWS, int UNROLL>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    aligned_rows(problem<T> p, float *out, int vectors_per_split)
{
    const int lane = threadIdx.x % LANES;
    const int64_t first = (int64_t)(blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES) * ROWS;
    const int begin = blockIdx.y * vectors_per_split;
    const int end = min(begin + vectors_per_split, p.cols / p.per_vector);
    const uint4 *w[ROWS];
    float sum[UNROLL][ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        w[r] = (const uint4 *)(p.w + min(first + r, p.rows - 1) * p.cols);
    int v = begin + lane;
    for (; v + (UNROLL - 1) * LANES < end; v += UNROLL * LANES)
        aligned_step<T, LANES, ROWS, UNROLL, true>(w, (const uint4 *)p.x, v, end, sum);
    if (v < end)
        aligned_step<T, LANES, ROWS, UNROLL, false>(w, (const uint4 *)p.x, v, end, sum);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float total = 0;
        for (int u = 0; u < UNROLL; u++)
            total += sum[u][r];
        total = lane_sum<LANES>(total);
        if (lane == 0 && first + r < p.rows)
            out[blockIdx.y * p.rows + first + r] = total;
    }
}

/* 16 bytes out of 32, from the HEAD-th element on. */
template <typename T, int HEAD> static __device__ inline uint4 shift16(uint4 low, uint4 high)
{
    const unsigned both[9] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w, 0};
    constexpr int word = HEAD * sizeof(T) / 4;
    constexpr int bits = HEAD * sizeof(T) % 4 * 8;
    return {__funnelshift_r(both[word], both[word + 1], bits),
            __funnelshift_r(both[word + 1], both[word + 2], bits),
            __funnelshift_r(both[word + 2], both[word + 3], bits),
            __funnelshift_r(both[word + 3], both[word + 4], bits)};
}

template <typename T, int HEAD, int UNROLL>
static __device__ inline float shifted_body(const uint4 *w, const uint4 *x, int v, int end)
{
    float sum[UNROLL] = {};
    for (; v < end; v += UNROLL * WARP) {
        uint4 a[UNROLL];
        uint4 b[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int at = min(v + u * WARP, end - 1);
            a[u] = load16_once(w + at);
            b[u] = load16(x + at);
            if (HEAD > 0)
                b[u] = shift16<T, HEAD>(b[u], load16(x + at + 1));
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (v + u * WARP < end)
                sum[u] = dot16<T>(a[u], b[u], sum[u]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Finds the HEAD of this row among those that there are: once a
 * row, the same for the whole warp. */
template <typename T, int HEAD, int UNROLL>
static __device__ inline float shifted_row(int head, const uint4 *w, const uint4 *x, int v, int end)
{
    if (head == HEAD)
        return shifted_body<T, HEAD, UNROLL>(w, x, v, end);
    if constexpr (HEAD > 0)
        return shifted_row<T, HEAD - 1, UNROLL>(head, w, x, v, end);
    return 0;
}

template <typename T, int UNROLL>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    shifted_rows(problem<T> p, float *out, int vectors_per_split)
{
    const int lane = threadIdx.x % WARP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= p.rows)
        return;
    const struct matvec_span span = matvec_span_of(row, p.cols, p.per_vector);
    const T *w = p.w + row * p.cols;
    const int begin = blockIdx.y * vectors_per_split;
    float sum = shifted_row<T, p.per_vector - 1, UNROLL>(
        span.head, (const uint4 *)(w + span.head), (const uint4 *)p.x, begin + lane,
        min(begin + vectors_per_split, span.vectors));
    const int64_t edge = matvec_edge(span, lane, p.per_vector);
    if (blockIdx.y == 0 && edge < p.cols)
        sum = fmaf(load(w + edge), load(p.x + edge), sum);
    sum = lane_sum(sum);
    if (lane == 0)
        out[blockIdx.y * p.rows + row] = sum;
}

template <typename T>
static __global__ void __launch_bounds__(THREADS, RESIDENT) tiny_rows(problem<T> p)
{
    const int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= p.rows)
        return;
    float sum = 0;
    for (int k = 0; k < p.cols; k++)
        sum = fmaf(load(p.w + row * p.cols + k), load(p.x + k), sum);
    p.y[row] = sum;
}

/* y[row] = sum of partial[0..splits)[row], always in the same order. */
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    add_splits(const float *partial, float *y, int64_t rows, int splits)
{
    const int lane = threadIdx.x % WARP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return;
    float sum = 0;
    for (int s = lane; s < splits; s += WARP)
        sum += partial[s * rows + row];
    sum = lane_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

enum { KNOB_ROWS, KNOB_SPLITS, KNOBS };

static const struct sg_knob knobs[KNOBS] = {
    {.name = "rows",
     .summary = "of a warp, with x loaded once for all of them",
     .count = 2,
     .value = {1, 2}},
    {.name = "splits",
     .summary = "pieces of a row, which a second kernel adds",
     .count = 12,
     .value = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
};

template <typename T>
static struct matvec_plan plan_of(const struct sg_launch *l, const problem<T> &p)
{
    const struct matvec_wish wish = {l->knob[KNOB_ROWS], l->knob[KNOB_SPLITS]};
    const int vectors = (p.cols + p.per_vector - 1) / p.per_vector;
    return matvec_plan_with(matvec_plan_of(p.rows, p.cols, p.per_vector), p.rows, vectors, wish);
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    enum sg_status status = SG_OK;
    *state = nullptr;
    with_problem(l, [&](auto p) {
        if (plan_of(l, p).rows == 0)
            status = SG_UNSUPPORTED;
    });
    if (status != SG_OK)
        snprintf(why->text, sizeof(why->text),
                 "rows %lld, splits %lld: two rows are for long aligned ones, splits are whole "
                 "steps of a warp, at most %d partial sums",
                 (long long)l->knob[KNOB_ROWS], (long long)l->knob[KNOB_SPLITS], MATVEC_PARTIALS);
    return status;
}

template <typename T> static void launch_plan(const struct sg_launch *l, problem<T> p)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const struct matvec_plan plan = plan_of(l, p);
    float *partial = (float *)l->buffer[MATVEC_PARTIAL];
    float *out = plan.splits > 1 ? partial : p.y;
    const dim3 grid(blocks_for(p.rows, (int64_t)plan.rows * (THREADS / plan.lanes)), plan.splits);
    if (plan.path == MATVEC_TINY)
        tiny_rows<<<grid, THREADS, 0, stream>>>(p);
    else if (plan.path == MATVEC_SHIFTED)
        shifted_rows<T, 4><<<grid, THREADS, 0, stream>>>(p, out, plan.vectors_per_split);
    else if (plan.lanes == 8)
        aligned_rows<T, 8, 2, 2><<<grid, THREADS, 0, stream>>>(p, out, plan.vectors_per_split);
    else if (plan.rows == 2)
        aligned_rows<T, WARP, 2, 4><<<grid, THREADS, 0, stream>>>(p, out, plan.vectors_per_split);
    else
        aligned_rows<T, WARP, 1, 8><<<grid, THREADS, 0, stream>>>(p, out, plan.vectors_per_split);
    if (plan.splits > 1)
        add_splits<<<blocks_for(p.rows, THREADS / WARP), THREADS, 0, stream>>>(partial, p.y, p.rows,
                                                                               plan.splits);
}

static void launch(const struct sg_launch *l)
{
    with_problem(l, [&](auto p) { launch_plan(l, p); });
}

SG_VARIANT(matvec, vec16_rows) = {
    .summary = "a warp takes one or two rows, 16-byte loads, eight in flight, x in L1",
    .role = SG_BASELINE,
    .deterministic = true,
    .prepare = prepare,
    .launch = launch,
    .knobs = knobs,
    .knob_count = KNOBS,
};
