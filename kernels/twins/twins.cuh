/*
 * twins.cuh - kernels of 10 to 20 us, each as often as there are variants: the same work, with
 * other symbols and at other addresses.
 *
 * Invariant: rows have TWINS_COLUMNS columns, but for the case whose kernel is much code.
 */
#ifndef TWINS_CUH
#define TWINS_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { TWINS_KIND, TWINS_ROWS, TWINS_COLUMNS_DIM };
enum { TWINS_RMS_VECTOR, TWINS_RMS_SCALAR, TWINS_RMS_TWICE, TWINS_SOFTMAX, TWINS_CODE };
enum { TWINS_X, TWINS_Y, TWINS_WEIGHT, TWINS_BUFFERS };

#define TWINS_COLUMNS 8192
#define TWINS_THREADS 512
#define TWINS_EACH    (TWINS_COLUMNS / TWINS_THREADS) /* elements a thread */
#define TWINS_EPSILON 1e-5f

#define TWINS_CODE_THREADS   256
#define TWINS_CODE_STEPS     1400
#define TWINS_CODE_FACTOR(i) (0.5f + 0.0003f * (float)(i))
#define TWINS_CODE_TERM(i)   (0.1f + 0.001f * (float)((i) % 37))

static __device__ __forceinline__ float twins_block_sum(float sum)
{
    __shared__ float part[TWINS_THREADS / 32];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(~0u, sum, lanes);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    float all = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        all += part[i];
    return all;
}

/* 16 bytes a load; half as many threads. */
template <int TWIN>
static __global__ void __launch_bounds__(256)
    twins_rms_vector(const uint4 *x, uint4 *y, const uint4 *weight)
{
    const size_t row = (size_t)blockIdx.x * (TWINS_COLUMNS / 8) + threadIdx.x;
    uint4 in[4];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        in[i] = x[row + i * 256];
        const __nv_bfloat162 *two = (const __nv_bfloat162 *)&in[i];
        for (int j = 0; j < 4; j++) {
            const float2 f = __bfloat1622float2(two[j]);
            sum += f.x * f.x + f.y * f.y;
        }
    }
    const float scale = rsqrtf(twins_block_sum(sum) / TWINS_COLUMNS + TWINS_EPSILON);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint4 w = weight[i * 256 + threadIdx.x];
        const __nv_bfloat162 *two = (const __nv_bfloat162 *)&in[i],
                             *by = (const __nv_bfloat162 *)&w;
        uint4 out;
        for (int j = 0; j < 4; j++) {
            const float2 f = __bfloat1622float2(two[j]), g = __bfloat1622float2(by[j]);
            ((__nv_bfloat162 *)&out)[j] =
                __floats2bfloat162_rn(f.x * scale * g.x, f.y * scale * g.y);
        }
        y[row + i * 256] = out;
    }
}

/* 2 bytes a load, kept in registers or read again. */
template <int TWIN, bool KEEPS>
static __global__ void __launch_bounds__(TWINS_THREADS)
    twins_rms_scalar(const __nv_bfloat16 *x, __nv_bfloat16 *y, const __nv_bfloat16 *weight)
{
    const size_t row = (size_t)blockIdx.x * TWINS_COLUMNS + threadIdx.x;
    float in[KEEPS ? TWINS_EACH : 1], sum = 0;
#pragma unroll
    for (int i = 0; i < TWINS_EACH; i++) {
        const float f = __bfloat162float(x[row + i * TWINS_THREADS]);
        in[KEEPS ? i : 0] = f;
        sum += f * f;
    }
    const float scale = rsqrtf(twins_block_sum(sum) / TWINS_COLUMNS + TWINS_EPSILON);
#pragma unroll
    for (int i = 0; i < TWINS_EACH; i++) {
        const float f = KEEPS ? in[i] : __bfloat162float(x[row + i * TWINS_THREADS]);
        y[row + i * TWINS_THREADS] =
            __float2bfloat16(f * scale * __bfloat162float(weight[i * TWINS_THREADS + threadIdx.x]));
    }
}

template <int TWIN>
static __global__ void __launch_bounds__(TWINS_THREADS)
    twins_softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y)
{
    const size_t row = (size_t)blockIdx.x * TWINS_COLUMNS + threadIdx.x;
    float in[TWINS_EACH], sum = 0;
#pragma unroll
    for (int i = 0; i < TWINS_EACH; i++) {
        in[i] = expf(__bfloat162float(x[row + i * TWINS_THREADS]));
        sum += in[i];
    }
    const float scale = 1 / twins_block_sum(sum);
#pragma unroll
    for (int i = 0; i < TWINS_EACH; i++)
        y[row + i * TWINS_THREADS] = __float2bfloat16(in[i] * scale);
}

/* 22 kB of machine code that runs once, and little data. */
template <int TWIN>
static __global__ void __launch_bounds__(TWINS_CODE_THREADS)
    twins_code(const __nv_bfloat16 *x, __nv_bfloat16 *y)
{
    const size_t i = (size_t)blockIdx.x * TWINS_CODE_THREADS + threadIdx.x;
    float value = __bfloat162float(x[i]);
#pragma unroll
    for (int step = 0; step < TWINS_CODE_STEPS; step++)
        value = fmaf(value, TWINS_CODE_FACTOR(step), TWINS_CODE_TERM(step));
    y[i] = __float2bfloat16(value);
}

template <int TWIN> static void twins_launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const unsigned rows = (unsigned)l->c->dim[TWINS_ROWS];
    const __nv_bfloat16 *x = (const __nv_bfloat16 *)l->buffer[TWINS_X],
                        *weight = (const __nv_bfloat16 *)l->buffer[TWINS_WEIGHT];
    __nv_bfloat16 *y = (__nv_bfloat16 *)l->buffer[TWINS_Y];
    switch (l->c->dim[TWINS_KIND]) {
    case TWINS_RMS_VECTOR:
        twins_rms_vector<TWIN>
            <<<rows, 256, 0, stream>>>((const uint4 *)x, (uint4 *)y, (const uint4 *)weight);
        break;
    case TWINS_RMS_SCALAR:
        twins_rms_scalar<TWIN, true><<<rows, TWINS_THREADS, 0, stream>>>(x, y, weight);
        break;
    case TWINS_RMS_TWICE:
        twins_rms_scalar<TWIN, false><<<rows, TWINS_THREADS, 0, stream>>>(x, y, weight);
        break;
    case TWINS_SOFTMAX:
        twins_softmax<TWIN><<<rows, TWINS_THREADS, 0, stream>>>(x, y);
        break;
    default:
        twins_code<TWIN><<<rows, TWINS_CODE_THREADS, 0, stream>>>(x, y);
    }
}

#endif
