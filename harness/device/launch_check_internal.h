/*
 * device/launch_check_internal.h - shared by device/launch_check.c and device/cuda/launch_check.cu:
 * the work on one element and on one 8-byte word. Pure.
 *
 * Each side adds only the loop over memory, so both compute the same results.
 */
#pragma once

#include "device/launch_check.h"
#include "device/relative_error.h"

/* A loop that is not unrolled on a GPU. The code between two timed launches must be short,
 * because it evicts the tested kernel from the instruction caches. */
#ifdef __CUDACC__
#define SG_ROLLED _Pragma("unroll 1")
#else
#define SG_ROLLED
#endif

#define SG_PIECE_UNITS 256u
#define SG_WORD_BYTES  8u

/* Launch configuration of the kernels. More blocks than any device runs at once; each block
 * loops to the end. */
#define SG_CHECK_THREADS 256u  /* per block */
#define SG_CHECK_BLOCKS  2048u /* at most */
#define SG_CHECK_LOADS   4u    /* concurrent loads of a thread */

#define SG_VECTOR_BYTES 16u /* bytes per load */

/* Argument of one launch: blocks (x, y) process request y. struct sg_refill_requests, and so on. */
#define X(constant, name, words)               \
    struct sg_##name##_requests {              \
        struct sg_##name item[SG_MAX_BUFFERS]; \
    };
SG_CHECK_TABLE(X)
#undef X

/* Device memory for the results of each request's blocks. `ended` counts finished blocks and
 * returns to 0 with the last one. */
struct sg_check_found {
    uint64_t first_difference; /* result of a comparison */
    unsigned ended[SG_MAX_BUFFERS];
    union {
        double squares[SG_CHECK_BLOCKS];
        uint64_t code[SG_CHECK_BLOCKS];
        struct sg_mismatch mismatch[SG_CHECK_BLOCKS];
    } part[SG_MAX_BUFFERS];
};

/* Number of blocks for one request of `things`, such as vectors. */
SG_BOTH unsigned sg_blocks_for(uint64_t things)
{
    const uint64_t each = (uint64_t)SG_CHECK_THREADS * SG_CHECK_LOADS,
                   blocks = (things + each - 1) / each;
    return blocks < 1 ? 1 : blocks < SG_CHECK_BLOCKS ? (unsigned)blocks : SG_CHECK_BLOCKS;
}

SG_BOTH unsigned sg_blocks_for_array(enum sg_dtype dtype, uint64_t count)
{
    return sg_blocks_for(sg_bytes_of(dtype, count) / SG_VECTOR_BYTES);
}

SG_BOTH unsigned sg_refill_blocks(const struct sg_refill *refill)
{
    return sg_blocks_for(refill->bytes / SG_VECTOR_BYTES);
}

SG_BOTH unsigned sg_scramble_blocks(const struct sg_scramble *scramble)
{
    return sg_blocks_for(scramble->count / 2);
}

SG_BOTH unsigned sg_keep_blocks(const struct sg_keep *keep)
{
    return sg_blocks_for_array(keep->dtype, keep->count);
}

SG_BOTH unsigned sg_match_blocks(const struct sg_match *match)
{
    return sg_blocks_for_array(match->dtype, match->count);
}

SG_BOTH unsigned sg_seal_blocks(const struct sg_seal *seal)
{
    return sg_blocks_for_array(seal->dtype, seal->count);
}

SG_BOTH uint64_t sg_keyed(uint64_t key, uint64_t number)
{
    return sg_mix(key + (number + 1) * SG_MIX_STEP);
}

/* A uniform number from 0 to end - 1. Takes the upper half of a product, because a 64-bit
 * remainder is slow on a GPU. */
SG_BOTH uint64_t sg_keyed_below(uint64_t key, uint64_t number, uint64_t end)
{
    return (uint64_t)((unsigned __int128)sg_keyed(key, number) * end >> 64);
}

/* The source offset is in bytes. */
SG_BOTH uint64_t sg_piece_start(const struct sg_refill *refill, uint64_t piece)
{
    if (refill->in_order)
        return piece * SG_PIECE_UNITS * refill->unit_bytes;
    return sg_keyed_below(refill->key, piece, refill->pool_bytes / refill->unit_bytes) *
           refill->unit_bytes;
}

/* Swapping each unit i with unit (c - i) mod count reverses units 0 to c, and units c + 1 to
 * count - 1. A unit that would be swapped with itself is in no pair. */
struct sg_reversal {
    uint64_t c, count;
    uint64_t low_pairs, pairs; /* in the first part, and in total */
};
struct sg_pair {
    uint64_t low, high;
};

SG_BOTH struct sg_reversal sg_reversal_of(const struct sg_scramble *scramble)
{
    struct sg_reversal reversal;
    reversal.count = scramble->count;
    reversal.c = sg_keyed_below(scramble->key, 0, reversal.count);
    reversal.low_pairs = (reversal.c + 1) / 2;
    reversal.pairs = reversal.low_pairs + (reversal.count - 1 - reversal.c) / 2;
    return reversal;
}

SG_BOTH struct sg_pair sg_reversal_pair(const struct sg_reversal *reversal, uint64_t number)
{
    const bool low = number < reversal->low_pairs;
    const uint64_t from_end = low ? number : number - reversal->low_pairs;
    struct sg_pair pair;
    pair.low = low ? from_end : reversal->c + 1 + from_end;
    pair.high = (low ? reversal->c : reversal->count - 1) - from_end;
    return pair;
}

SG_BOTH uint64_t sg_keep_mask(uint64_t key, uint64_t number)
{
    return sg_keyed(key, number);
}

SG_BOTH unsigned sg_word_elements(enum sg_dtype dtype)
{
    return 64 / (unsigned)sg_element_bits(dtype);
}

/* Memory is little-endian on both sides, so element 0 of a word is in its low bits. */
SG_BOTH double sg_word_value(enum sg_dtype dtype, uint64_t word, unsigned element)
{
    return sg_element_value(dtype, word >> element * (unsigned)sg_element_bits(dtype) &
                                       sg_low_ones(sg_element_bits(dtype)));
}

/* Number of words of an array, and of words full of elements. For an odd number of e2m1, the
 * last word may be full of bytes but not of elements. */
SG_BOTH uint64_t sg_words_of(enum sg_dtype dtype, uint64_t count)
{
    return (sg_bytes_of(dtype, count) + SG_WORD_BYTES - 1) / SG_WORD_BYTES;
}

SG_BOTH uint64_t sg_full_words(enum sg_dtype dtype, uint64_t count)
{
    return count / sg_word_elements(dtype);
}

/* Elements and bytes of an array in word `number`, and access to that word at the end of the
 * array. */
SG_BOTH unsigned sg_elements_in(enum sg_dtype dtype, uint64_t count, uint64_t number)
{
    const uint64_t left = count - number * sg_word_elements(dtype);
    return left < sg_word_elements(dtype) ? (unsigned)left : sg_word_elements(dtype);
}

SG_BOTH unsigned sg_bytes_in(enum sg_dtype dtype, uint64_t count, uint64_t number)
{
    const uint64_t left = sg_bytes_of(dtype, count) - number * SG_WORD_BYTES;
    return left < SG_WORD_BYTES ? (unsigned)left : SG_WORD_BYTES;
}

SG_BOTH uint64_t sg_word_load(const void *base, uint64_t number, unsigned bytes)
{
    uint64_t word = 0;
    memcpy(&word, (const char *)base + number * SG_WORD_BYTES, bytes);
    return word;
}

SG_BOTH void sg_word_store(void *base, uint64_t number, unsigned bytes, uint64_t word)
{
    memcpy((char *)base + number * SG_WORD_BYTES, &word, bytes);
}

/* Sum of squares of the finite elements among the first `elements` of a word. */
SG_BOTH double sg_word_squares(enum sg_dtype dtype, uint64_t word, unsigned elements)
{
    double sum = 0;
    SG_ROLLED
    for (unsigned i = 0; i < elements; i++) {
        const double x = sg_word_value(dtype, word, i);
        sum += isfinite(x) ? x * x : 0;
    }
    return sum;
}

/* Keeps one word with `bytes` bytes of the array; returns it. */
SG_BOTH uint64_t sg_keep_word(const struct sg_keep *keep, uint64_t number, unsigned bytes)
{
    const uint64_t word = sg_word_load(keep->from, number, bytes);
    sg_word_store(keep->to, number, bytes, word ^ sg_keep_mask(keep->key, number));
    return word;
}

/* The kept word without its mask. Bytes beyond the array are undefined, but hold no element. */
SG_BOTH uint64_t sg_kept_word(const struct sg_match *match, uint64_t number, unsigned bytes)
{
    return sg_word_load(match->kept, number, bytes) ^ sg_keep_mask(match->key, number);
}

struct sg_allowed {
    double rms; /* rms of the kept array */
    double rel_max;
    bool exact;
};

SG_BOTH struct sg_allowed sg_allowed_of(const struct sg_match *match)
{
    struct sg_allowed allowed;
    allowed.rms = sqrt(*match->squares / (double)match->count);
    allowed.rel_max = match->rel_max;
    allowed.exact = match->exact;
    return allowed;
}

/* Initial result for `count` elements. */
SG_BOTH struct sg_mismatch sg_mismatch_none(uint64_t count)
{
    struct sg_mismatch none;
    memset(&none, 0, sizeof(none));
    none.first = count;
    return none;
}

SG_BOTH void sg_mismatch_add(struct sg_mismatch *all, const struct sg_mismatch *part)
{
    all->error_squares += part->error_squares;
    all->rel_max = part->rel_max > all->rel_max ? part->rel_max : all->rel_max;
    all->wrong += part->wrong;
    all->nan += part->nan;
    all->first = part->first < all->first ? part->first : all->first;
}

/* Records two unequal values. Returns false if the error is within the tolerance. */
SG_BOTH bool sg_mismatch_count(struct sg_mismatch *found, const struct sg_allowed *allowed,
                               double got, double want)
{
    if (isnan(got) || isnan(want)) {
        found->nan++;
        return true;
    }
    const double error = sg_absolute_error(got, want);
    const double relative = sg_relative_error(error, want, allowed->rms);
    const bool wrong = allowed->exact || relative > allowed->rel_max;
    found->error_squares += error * error;
    found->rel_max = relative > found->rel_max ? relative : found->rel_max;
    found->wrong += wrong;
    return wrong;
}

/* One word of both arrays with `elements` valid elements; `index` is the index of the first. */
struct sg_word_pair {
    uint64_t got, want;
    uint64_t index;
    unsigned elements;
};

SG_BOTH void sg_word_match(enum sg_dtype dtype, const struct sg_word_pair *words,
                           const struct sg_allowed *allowed, struct sg_mismatch *found)
{
    SG_ROLLED
    for (unsigned i = 0; i < words->elements; i++) {
        const double got = sg_word_value(dtype, words->got, i),
                     want = sg_word_value(dtype, words->want, i);
        if (got == want || (isnan(got) && isnan(want)))
            continue;
        if (sg_mismatch_count(found, allowed, got, want) && words->index + i < found->first)
            found->first = words->index + i;
    }
}

/* Completes a result after all parts are added: the first wrong values, and the reference of the
 * errors. */
SG_BOTH void sg_mismatch_finish(const struct sg_match *match)
{
    struct sg_mismatch *out = match->out;
    out->reference_squares = *match->squares;
    if (out->first == match->count)
        return;
    const unsigned elements = sg_word_elements(match->dtype);
    const uint64_t number = out->first / elements;
    const unsigned place = (unsigned)(out->first % elements),
                   bytes = sg_bytes_in(match->dtype, match->count, number);
    out->got = sg_word_value(match->dtype, sg_word_load(match->got, number, bytes), place);
    out->want = sg_word_value(match->dtype, sg_kept_word(match, number, bytes), place);
}

/* Dtypes with seals (sg_can_seal). Limited, because the kernel is long for each dtype. */
#define SG_SEALED_DTYPE_TABLE(X) X(SG_F32) X(SG_F16) X(SG_BF16) X(SG_I32) X(SG_I8)

/* Canonical bits of an element, the same for equal values: one zero, and one NaN. */
SG_BOTH uint64_t sg_plain_bits(enum sg_dtype dtype, uint64_t bits)
{
    if (dtype == SG_I32 || dtype == SG_I8)
        return bits;
    const struct sg_bit_format f = sg_bit_format_of(dtype);
    const uint64_t infinity = sg_low_ones(f.exponent_bits) << f.mantissa_bits;
    const uint64_t magnitude = bits & sg_low_ones(f.exponent_bits + f.mantissa_bits);
    if (magnitude == 0)
        return 0;
    return magnitude > infinity ? infinity + 1 : bits;
}

/* Contribution of a word with `elements` valid elements; the code is the sum over all words. */
SG_BOTH uint64_t sg_seal_word(const struct sg_seal *seal, enum sg_dtype dtype, uint64_t number,
                              uint64_t word, unsigned elements)
{
    const int width = sg_element_bits(dtype);
    uint64_t plain = 0;
    for (unsigned i = 0; i < elements; i++)
        plain |= sg_plain_bits(dtype, word >> i * (unsigned)width & sg_low_ones(width))
                 << i * (unsigned)width;
    return sg_mix(plain ^ sg_keyed(seal->key, number));
}
