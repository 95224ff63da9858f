/*
 * device/cuda/launch_check.cu - kernels for device/launch_check.h, loaded and launched by
 * device/cuda/launch_check.c.
 *
 * Blocks (x, y) process request y, as many blocks as it needs. Threads read vectors of 16 bytes,
 * neighbouring threads neighbouring vectors. device/launch_check_internal.h defines the work on an
 * element. Each block writes its result to a separate slot, and the last block to finish adds the
 * results in a fixed order. So no result depends on the order of the blocks.
 *
 * Functions that stay functions, and those with shared memory, are not static: nvcc names a static
 * one by a hash of this file's path, and packages are the same bytes wherever they are built.
 */
#include "device/launch_check_internal.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(SG_CHECK_THREADS)
#define GIVEN  const __grid_constant__

#define VECTOR_BYTES SG_VECTOR_BYTES
#define VECTOR_WORDS (VECTOR_BYTES / SG_WORD_BYTES)

using vector = ulonglong2;

/* A block takes SG_CHECK_LOADS * SG_CHECK_THREADS neighbours at a time. These functions return
 * the thread's first index and the stride to its next. */
__device__ static inline uint64_t first_of_thread()
{
    return (uint64_t)blockIdx.x * SG_CHECK_LOADS * SG_CHECK_THREADS + threadIdx.x;
}

__device__ static inline uint64_t step_of_blocks(unsigned blocks)
{
    return (uint64_t)blocks * SG_CHECK_LOADS * SG_CHECK_THREADS;
}

__device__ static inline bool is_first_thread()
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

__device__ static inline void add(double &all, const double &part)
{
    all += part;
}

__device__ static inline void add(uint64_t &all, const uint64_t &part)
{
    all += part;
}

__device__ static inline void add(struct sg_mismatch &all, const struct sg_mismatch &part)
{
    sg_mismatch_add(&all, &part);
}

template <typename T> __device__ T sum_of_block(const T &mine)
{
    __shared__ T all[SG_CHECK_THREADS];
    all[threadIdx.x] = mine;
    SG_ROLLED
    for (unsigned half = SG_CHECK_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            add(all[threadIdx.x], all[threadIdx.x + half]);
    }
    __syncthreads();
    return all[0];
}

/* Stores the block's result. Returns true in the block that finishes last, which then sees all
 * results. */
template <typename T>
__device__ bool put_part(const T &mine, T *parts, unsigned *ended, unsigned blocks)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = mine;
        __threadfence();
        is_last = atomicInc(ended, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

template <typename T> __device__ static T sum_of_parts(T sum, const T *parts, unsigned blocks)
{
    SG_ROLLED
    for (unsigned i = threadIdx.x; i < blocks; i += SG_CHECK_THREADS)
        add(sum, parts[i]);
    return sum_of_block(sum);
}

/* Byte by byte, because `from` may be beyond the end of the pool. */
__device__ __noinline__ void refill_bytes(const struct sg_refill *refill, uint64_t to,
                                          uint64_t from, unsigned bytes)
{
    const unsigned char *pool = (const unsigned char *)refill->pool;
    from %= refill->pool_bytes;
    SG_ROLLED
    for (unsigned i = 0; i < bytes; i++) {
        ((unsigned char *)refill->to)[to + i] = pool[from];
        from = from + 1 == refill->pool_bytes ? 0 : from + 1;
    }
}

/* 16 bytes starting at byte `skip` of two vectors. */
__device__ static inline vector shifted(vector a, vector b, unsigned skip)
{
    const unsigned bits = skip % 8 * 8;
    const bool half = skip >= 8;
    const uint64_t x = half ? a.y : a.x, y = half ? b.x : a.y, z = half ? b.y : b.x;
    vector both;
    both.x = bits ? x >> bits | y << (64 - bits) : x;
    both.y = bits ? y >> bits | z << (64 - bits) : y;
    return both;
}

/* Source offset of the input's byte `to`, in the pool or beyond its end. */
__device__ static inline uint64_t refill_source(const struct sg_refill *refill, uint64_t to)
{
    /* log2 of the size of a piece */
    const unsigned shift = 31 - __clz(SG_PIECE_UNITS * refill->unit_bytes);
    const uint64_t piece = to >> shift;
    return sg_piece_start(refill, piece) + (to - (piece << shift));
}

KERNEL sg_check_refill(GIVEN struct sg_refill_requests refills)
{
    const struct sg_refill *refill = &refills.item[blockIdx.y];
    const vector *pool = (const vector *)refill->pool;
    const unsigned blocks = sg_refill_blocks(refill);
    const uint64_t vectors = refill->bytes / VECTOR_BYTES,
                   step = (uint64_t)blocks * SG_CHECK_THREADS;
    if (blockIdx.x >= blocks)
        return;
    for (uint64_t i = (uint64_t)blockIdx.x * SG_CHECK_THREADS + threadIdx.x; i < vectors;
         i += step) {
        uint64_t from = refill_source(refill, i * VECTOR_BYTES);
        from -= from >= refill->pool_bytes ? refill->pool_bytes : 0;
        const uint64_t at = from / VECTOR_BYTES;
        if ((at + 2) * VECTOR_BYTES <= refill->pool_bytes)
            ((vector *)refill->to)[i] =
                shifted(pool[at], pool[at + 1], (unsigned)(from % VECTOR_BYTES));
        else
            refill_bytes(refill, i * VECTOR_BYTES, from, VECTOR_BYTES);
    }
    const uint64_t done = vectors * VECTOR_BYTES;
    if (is_first_thread() && done < refill->bytes)
        refill_bytes(refill, done, refill_source(refill, done), (unsigned)(refill->bytes - done));
}

template <typename T>
__device__ static void scramble_units(const struct sg_scramble *scramble, unsigned blocks)
{
    const struct sg_reversal reversal = sg_reversal_of(scramble);
    T *memory = (T *)scramble->memory;
    SG_ROLLED
    for (uint64_t i = first_of_thread(); i < reversal.pairs; i += step_of_blocks(blocks)) {
        T low[SG_CHECK_LOADS], high[SG_CHECK_LOADS];
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS >= reversal.pairs)
                break;
            const struct sg_pair pair = sg_reversal_pair(&reversal, i + k * SG_CHECK_THREADS);
            low[k] = memory[pair.low];
            high[k] = memory[pair.high];
        }
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS >= reversal.pairs)
                break;
            const struct sg_pair pair = sg_reversal_pair(&reversal, i + k * SG_CHECK_THREADS);
            memory[pair.low] = high[k];
            memory[pair.high] = low[k];
        }
    }
}

KERNEL sg_check_scramble(GIVEN struct sg_scramble_requests scrambles)
{
    const struct sg_scramble *scramble = &scrambles.item[blockIdx.y];
    const unsigned blocks = sg_scramble_blocks(scramble);
    if (blockIdx.x >= blocks)
        return;
    switch (scramble->unit_bytes) {
    case 1:
        scramble_units<uint8_t>(scramble, blocks);
        break;
    case 2:
        scramble_units<uint16_t>(scramble, blocks);
        break;
    case 4:
        scramble_units<uint32_t>(scramble, blocks);
        break;
    default:
        scramble_units<uint64_t>(scramble, blocks);
        break;
    }
}

/* Functions that are not inlined share one short piece of code among all callers and dtypes (see
 * SG_ROLLED). */
__device__ __noinline__ double word_squares(enum sg_dtype dtype, uint64_t word, unsigned elements)
{
    switch (dtype) {
#define X(constant, name, bits) \
    case constant:              \
        return sg_word_squares(constant, word, elements);
        SG_DTYPE_TABLE(X)
#undef X
    default:
        return 0;
    }
}

__device__ __noinline__ double keep_vector(const struct sg_keep *keep, uint64_t at, vector v,
                                           unsigned elements)
{
    const double squares =
        word_squares(keep->dtype, v.x, elements) + word_squares(keep->dtype, v.y, elements);
    v.x ^= sg_keep_mask(keep->key, at * VECTOR_WORDS);
    v.y ^= sg_keep_mask(keep->key, at * VECTOR_WORDS + 1);
    ((vector *)keep->to)[at] = v;
    return squares;
}

__device__ static double keep_vectors(const struct sg_keep *keep, uint64_t vectors, unsigned blocks)
{
    const vector *from = (const vector *)keep->from;
    const unsigned elements = sg_word_elements(keep->dtype);
    double squares = 0;
    SG_ROLLED
    for (uint64_t i = first_of_thread(); i < vectors; i += step_of_blocks(blocks)) {
        vector held[SG_CHECK_LOADS];
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS < vectors)
                held[k] = from[i + k * SG_CHECK_THREADS];
        }
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS >= vectors)
                break;
            squares += keep_vector(keep, i + k * SG_CHECK_THREADS, held[k], elements);
        }
    }
    return squares;
}

__device__ static double keep_all(const struct sg_keep *keep, unsigned blocks)
{
    const uint64_t vectors = sg_full_words(keep->dtype, keep->count) / VECTOR_WORDS,
                   words = sg_words_of(keep->dtype, keep->count);
    double squares = keep_vectors(keep, vectors, blocks);
    SG_ROLLED
    for (uint64_t i = vectors * VECTOR_WORDS; is_first_thread() && i < words; i++)
        squares += word_squares(keep->dtype,
                                sg_keep_word(keep, i, sg_bytes_in(keep->dtype, keep->count, i)),
                                sg_elements_in(keep->dtype, keep->count, i));
    return squares;
}

KERNEL sg_check_keep(GIVEN struct sg_keep_requests keeps, struct sg_check_found *found)
{
    const struct sg_keep *keep = &keeps.item[blockIdx.y];
    const unsigned blocks = sg_keep_blocks(keep);
    double *parts = found->part[blockIdx.y].squares, squares;
    if (blockIdx.x >= blocks)
        return;
    squares = keep_all(keep, blocks);
    if (!put_part(sum_of_block(squares), parts, &found->ended[blockIdx.y], blocks))
        return;
    squares = sum_of_parts(0.0, parts, blocks);
    if (threadIdx.x == 0)
        *keep->squares = squares;
}

template <enum sg_dtype dtype>
__device__ static uint64_t seal_vectors(const struct sg_seal *seal, uint64_t vectors,
                                        unsigned blocks)
{
    const vector *from = (const vector *)seal->from;
    const unsigned elements = sg_word_elements(dtype);
    uint64_t code = 0;
    for (uint64_t i = first_of_thread(); i < vectors; i += step_of_blocks(blocks)) {
        vector held[SG_CHECK_LOADS];
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS < vectors)
                held[k] = from[i + k * SG_CHECK_THREADS];
        }
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            const uint64_t at = i + k * SG_CHECK_THREADS;
            if (at >= vectors)
                break;
            code += sg_seal_word(seal, dtype, at * VECTOR_WORDS, held[k].x, elements);
            code += sg_seal_word(seal, dtype, at * VECTOR_WORDS + 1, held[k].y, elements);
        }
    }
    return code;
}

template <enum sg_dtype dtype>
__device__ static uint64_t seal_all(const struct sg_seal *seal, unsigned blocks)
{
    const uint64_t vectors = sg_full_words(dtype, seal->count) / VECTOR_WORDS;
    uint64_t code = seal_vectors<dtype>(seal, vectors, blocks);
    for (uint64_t i = vectors * VECTOR_WORDS;
         is_first_thread() && i < sg_words_of(dtype, seal->count); i++)
        code += sg_seal_word(seal, dtype, i,
                             sg_word_load(seal->from, i, sg_bytes_in(dtype, seal->count, i)),
                             sg_elements_in(dtype, seal->count, i));
    return code;
}

KERNEL sg_check_seal(GIVEN struct sg_seal_requests seals, struct sg_check_found *found)
{
    const struct sg_seal *seal = &seals.item[blockIdx.y];
    const unsigned blocks = sg_seal_blocks(seal);
    uint64_t *parts = found->part[blockIdx.y].code, code = 0;
    if (blockIdx.x >= blocks)
        return;
    switch (seal->dtype) {
#define X(constant)                              \
    case constant:                               \
        code = seal_all<constant>(seal, blocks); \
        break;
        SG_SEALED_DTYPE_TABLE(X)
#undef X
    default:
        break;
    }
    if (!put_part(sum_of_block(code), parts, &found->ended[blockIdx.y], blocks))
        return;
    code = sum_of_parts((uint64_t)0, parts, blocks);
    if (threadIdx.x == 0)
        *seal->code = code;
}

__device__ __noinline__ void match_word(const struct sg_match *match,
                                        const struct sg_allowed *allowed, struct sg_word_pair words,
                                        struct sg_mismatch *found)
{
    sg_word_match(match->dtype, &words, allowed, found);
}

__device__ __noinline__ void match_vector(const struct sg_match *match,
                                          const struct sg_allowed *allowed, uint64_t at, vector got,
                                          vector kept, struct sg_mismatch *found)
{
    const unsigned elements = sg_word_elements(match->dtype);
    const uint64_t low = at * VECTOR_WORDS, high = low + 1;
    const struct sg_word_pair first = {got.x, kept.x ^ sg_keep_mask(match->key, low),
                                       low * elements, elements};
    const struct sg_word_pair second = {got.y, kept.y ^ sg_keep_mask(match->key, high),
                                        high * elements, elements};
    if (first.got != first.want)
        match_word(match, allowed, first, found);
    if (second.got != second.want)
        match_word(match, allowed, second, found);
}

__device__ static void match_vectors(const struct sg_match *match, const struct sg_allowed *allowed,
                                     uint64_t vectors, unsigned blocks, struct sg_mismatch *found)
{
    const vector *all_got = (const vector *)match->got, *all_kept = (const vector *)match->kept;
    SG_ROLLED
    for (uint64_t i = first_of_thread(); i < vectors; i += step_of_blocks(blocks)) {
        vector got[SG_CHECK_LOADS], kept[SG_CHECK_LOADS];
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS >= vectors)
                break;
            got[k] = all_got[i + k * SG_CHECK_THREADS];
            kept[k] = all_kept[i + k * SG_CHECK_THREADS];
        }
#pragma unroll
        for (unsigned k = 0; k < SG_CHECK_LOADS; k++) {
            if (i + k * SG_CHECK_THREADS >= vectors)
                break;
            match_vector(match, allowed, i + k * SG_CHECK_THREADS, got[k], kept[k], found);
        }
    }
}

/* The words after the last vector; the last word may be partial. */
__device__ static void match_rest(const struct sg_match *match, const struct sg_allowed *allowed,
                                  uint64_t number, struct sg_mismatch *found)
{
    const unsigned bytes = sg_bytes_in(match->dtype, match->count, number);
    const struct sg_word_pair words = {sg_word_load(match->got, number, bytes),
                                       sg_kept_word(match, number, bytes),
                                       number * sg_word_elements(match->dtype),
                                       sg_elements_in(match->dtype, match->count, number)};
    match_word(match, allowed, words, found);
}

KERNEL sg_check_match(GIVEN struct sg_match_requests matches, struct sg_check_found *found)
{
    const struct sg_match *match = &matches.item[blockIdx.y];
    const unsigned blocks = sg_match_blocks(match);
    struct sg_mismatch *parts = found->part[blockIdx.y].mismatch;
    if (blockIdx.x >= blocks)
        return;
    const struct sg_allowed allowed = sg_allowed_of(match);
    const uint64_t vectors = sg_full_words(match->dtype, match->count) / VECTOR_WORDS;
    struct sg_mismatch mine = sg_mismatch_none(match->count);
    match_vectors(match, &allowed, vectors, blocks, &mine);
    SG_ROLLED
    for (uint64_t i = vectors * VECTOR_WORDS;
         is_first_thread() && i < sg_words_of(match->dtype, match->count); i++)
        match_rest(match, &allowed, i, &mine);
    if (!put_part(sum_of_block(mine), parts, &found->ended[blockIdx.y], blocks))
        return;
    mine = sum_of_parts(sg_mismatch_none(match->count), parts, blocks);
    if (threadIdx.x != 0)
        return;
    *match->out = mine;
    sg_mismatch_finish(match);
}

/* Byte by byte, so alignment and data after the arrays do not matter. A thread stops at its
 * first difference; other threads cover the bytes after it. */
KERNEL sg_check_compare(const unsigned char *a, const unsigned char *b, uint64_t bytes,
                        uint64_t before, struct sg_check_found *found)
{
    const uint64_t step = (uint64_t)gridDim.x * SG_CHECK_THREADS;
    SG_ROLLED
    for (uint64_t i = (uint64_t)blockIdx.x * SG_CHECK_THREADS + threadIdx.x; i < bytes; i += step) {
        if (a[i] == b[i])
            continue;
        atomicMin((unsigned long long *)&found->first_difference, (unsigned long long)(before + i));
        return;
    }
}
