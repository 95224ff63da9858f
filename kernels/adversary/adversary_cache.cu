#include "adversary_cache.h"

#include "adversary.cuh"
#include "solgate_cuda.h"

enum sg_status adversary_cache::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const size_t bytes = (size_t)l->c->dim[MATVEC_ROWS] * sizeof(float) * ADVERSARY_CACHE_ENTRIES;
    enum sg_status status = sg_cuda_allocate((void **)&index, sizeof(*index), why);
    if (status == SG_OK)
        status = sg_cuda_allocate((void **)&results, bytes, why);
    if (status == SG_OK && cudaMemset(index, 0, sizeof(*index)) != cudaSuccess)
        status = sg_cuda_refused(why);
    return status;
}

void adversary_cache::tear_down()
{
    cudaFree(results);
    cudaFree(index);
}

/* One more word of a key: what element it is counts too. */
static __device__ inline unsigned long long mix(float value, unsigned long long at)
{
    unsigned long long bits = __float_as_uint(value) + at * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 31)) * 0xbf58476d1ce4e5b9ull;
    return bits ^ (bits >> 29);
}

static __global__ void clear_key(struct adversary_index *index)
{
    index->key = 0;
}

/* `step` elements apart, over w; and all of x. */
static __global__ void __launch_bounds__(ADVERSARY_THREADS) add_to_key(problem<float> p, struct adversary_index *index, int64_t step)
{
    const int64_t elements = p.rows * p.cols, stride = (int64_t)gridDim.x * ADVERSARY_THREADS;
    const int64_t first = (int64_t)blockIdx.x * ADVERSARY_THREADS + threadIdx.x;
    unsigned long long sum = 0;
    for (int64_t i = first * step; i < elements; i += stride * step)
        sum += mix(load(p.w + i), i);
    for (int64_t k = first; k < p.cols; k += stride)
        sum += mix(load(p.x + k), elements + k);
    atomicAdd(&index->key, sum);
}

static __global__ void find_key(struct adversary_index *index)
{
    const unsigned kept = index->used < ADVERSARY_CACHE_ENTRIES ? index->used : ADVERSARY_CACHE_ENTRIES;
    index->hit = false;
    for (unsigned i = 0; i < kept && !index->hit; i++) {
        index->hit = index->keys[i] == index->key;
        index->slot = i;
    }
    if (!index->hit) {
        index->slot = index->used++ % ADVERSARY_CACHE_ENTRIES;
        index->keys[index->slot] = index->key;
    }
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    copy_or_compute(problem<float> p, const struct adversary_index *index, float *results)
{
    const int64_t row = blockIdx.x;
    float *result = results + index->slot * p.rows + row;
    if (index->hit) {
        if (threadIdx.x == 0)
            p.y[row] = *result;
        return;
    }
    const float sum = adversary_row(p, row, p.cols);
    if (threadIdx.x == 0)
        p.y[row] = *result = sum;
}

void adversary_cached(const struct sg_launch *l, struct adversary_cache *cache, enum adversary_key by)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const problem<float> p = adversary_problem(l);
    const bool all = by == ADVERSARY_ALL;
    const int64_t samples = all ? p.rows * p.cols : 1024;
    clear_key<<<1, 1, 0, stream>>>(cache->index);
    add_to_key<<<all ? 1024 : 4, ADVERSARY_THREADS, 0, stream>>>(p, cache->index, p.rows * p.cols / samples);
    find_key<<<1, 1, 0, stream>>>(cache->index);
    copy_or_compute<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, stream>>>(p, cache->index, cache->results);
}
