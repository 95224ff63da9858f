/*
 * device/launch_check_internal.h - what device/launch_check.c and
 * device/cuda/launch_check.cu share: all that is said of one element, and of one word of
 * eight bytes, which is what both work through. Pure.
 *
 * Each side brings the walk over the memory, and nothing that decides.
 */
#pragma once

#include "device/launch_check.h"
#include "device/relative_error.h"

/*
 * A loop that stays one on a GPU. Instructions of these kernels push those of the kernel under test
 * out of the instruction caches: what is executed between two timed launches has to be short.
 */
#ifdef __CUDACC__
#define SG_ROLLED _Pragma("unroll 1")
#else
#define SG_ROLLED
#endif

#define SG_PIECE_UNITS 256u
#define SG_WORD_BYTES  8u

/*
 * How the kernels are launched. More blocks than any device runs at once: each goes on until the
 * end.
 */
#define SG_CHECK_THREADS 256u  /* of a block */
#define SG_CHECK_BLOCKS  2048u /* at most */
#define SG_CHECK_LOADS   4u    /* loads of a thread that are under way at once */

#define SG_VECTOR_BYTES 16u /* what a thread loads at once */

/* What one launch of a kernel is given: blocks (x, y) do request y. struct sg_refill_requests, and
 * so on. */
#define X(constant, name, words)               \
    struct sg_##name##_requests {              \
        struct sg_##name item[SG_MAX_BUFFERS]; \
    };
SG_CHECK_TABLE(X)
#undef X

/* What the blocks of each request found, on the device. `ended` counts them, and is 0
 * again when the last one has ended. */
struct sg_check_found {
    uint64_t first_difference; /* of a comparison */
    unsigned ended[SG_MAX_BUFFERS];
    union {
        double squares[SG_CHECK_BLOCKS];
        uint64_t code[SG_CHECK_BLOCKS];
        struct sg_mismatch mismatch[SG_CHECK_BLOCKS];
    } part[SG_MAX_BUFFERS];
};

/* Blocks of one request. A thread takes so many things at a time, such as vectors. */
SG_BOTH unsigned sg_blocks_for(uint64_t things)
{
    const uint64_t each = (uint64_t)SG_CHECK_THREADS * SG_CHECK_LOADS, blocks = (things + each - 1) / each;
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

/*
 * Drawn evenly from 0 to end - 1. The upper half of a product: a remainder of 64 bits is slow on a
 * GPU.
 */
SG_BOTH uint64_t sg_keyed_below(uint64_t key, uint64_t number, uint64_t end)
{
    return (uint64_t)((unsigned __int128)sg_keyed(key, number) * end >> 64);
}

/* Where in the pool a piece begins, in bytes. */
SG_BOTH uint64_t sg_piece_start(const struct sg_refill *refill, uint64_t piece)
{
    if (refill->in_order)
        return piece * SG_PIECE_UNITS * refill->unit_bytes;
    return sg_keyed_below(refill->key, piece, refill->pool_bytes / refill->unit_bytes) * refill->unit_bytes;
}

/*
 * Units i and (c - i) mod count: everything up to c is turned round, and everything behind c. A
 * unit that is its own partner is in no pair.
 */
struct sg_turn {
    uint64_t c, count;
    uint64_t low_pairs, pairs; /* of the first part, and of both */
};
struct sg_pair {
    uint64_t low, high;
};

SG_BOTH struct sg_turn sg_turn_of(const struct sg_scramble *scramble)
{
    struct sg_turn turn;
    turn.count = scramble->count;
    turn.c = sg_keyed_below(scramble->key, 0, turn.count);
    turn.low_pairs = (turn.c + 1) / 2;
    turn.pairs = turn.low_pairs + (turn.count - 1 - turn.c) / 2;
    return turn;
}

SG_BOTH struct sg_pair sg_turn_pair(const struct sg_turn *turn, uint64_t number)
{
    const bool low = number < turn->low_pairs;
    const uint64_t from_end = low ? number : number - turn->low_pairs;
    struct sg_pair pair;
    pair.low = low ? from_end : turn->c + 1 + from_end;
    pair.high = (low ? turn->c : turn->count - 1) - from_end;
    return pair;
}

/* What word `number` of a kept array is XORed with. */
SG_BOTH uint64_t sg_keep_mask(uint64_t key, uint64_t number)
{
    return sg_keyed(key, number);
}

SG_BOTH unsigned sg_word_elements(enum sg_dtype dtype)
{
    return 64 / (unsigned)sg_element_bits(dtype);
}

/*
 * The memory of the array is little-endian on both sides, so element 0 of a word is in its low
 * bits.
 */
SG_BOTH double sg_word_value(enum sg_dtype dtype, uint64_t word, unsigned element)
{
    return sg_element_value(dtype, word >> element * (unsigned)sg_element_bits(dtype) & sg_low_ones(sg_element_bits(dtype)));
}

/*
 * Words of an array, and those of them that are full of elements; a last one of an odd number of
 * e2m1 may be full of bytes only.
 */
SG_BOTH uint64_t sg_words_of(enum sg_dtype dtype, uint64_t count)
{
    return (sg_bytes_of(dtype, count) + SG_WORD_BYTES - 1) / SG_WORD_BYTES;
}

SG_BOTH uint64_t sg_full_words(enum sg_dtype dtype, uint64_t count)
{
    return count / sg_word_elements(dtype);
}

/*
 * What an array has in word `number`, and how that word is read and written where the array may end
 * in it.
 */
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

/* Of the finite ones among the first `elements` of a word. */
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

/* Keeps one word, `bytes` of which are the array's; returns it. */
SG_BOTH uint64_t sg_keep_word(const struct sg_keep *keep, uint64_t number, unsigned bytes)
{
    const uint64_t word = sg_word_load(keep->from, number, bytes);
    sg_word_store(keep->to, number, bytes, word ^ sg_keep_mask(keep->key, number));
    return word;
}

/*
 * What was kept, without its mask. Bytes behind the array may be anything: no element is in them.
 */
SG_BOTH uint64_t sg_kept_word(const struct sg_match *match, uint64_t number, unsigned bytes)
{
    return sg_word_load(match->kept, number, bytes) ^ sg_keep_mask(match->key, number);
}

struct sg_allowed {
    double rms; /* of what was kept */
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

/* Nothing found yet among `count` elements. */
SG_BOTH struct sg_mismatch sg_mismatch_none(uint64_t count)
{
    struct sg_mismatch none;
    memset(&none, 0, sizeof(none));
    none.first = count;
    return none;
}

/* Adds what was found in another part of the same array. */
SG_BOTH void sg_mismatch_add(struct sg_mismatch *all, const struct sg_mismatch *part)
{
    all->error_squares += part->error_squares;
    all->rel_max = part->rel_max > all->rel_max ? part->rel_max : all->rel_max;
    all->wrong += part->wrong;
    all->nan += part->nan;
    all->first = part->first < all->first ? part->first : all->first;
}

/* Two values that are not equal. False: the error is one that is allowed. */
SG_BOTH bool sg_mismatch_count(struct sg_mismatch *found, const struct sg_allowed *allowed, double got, double want)
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

/* One word of both, `elements` of which are the array's; the first is number `index` of it. */
struct sg_word_pair {
    uint64_t got, want;
    uint64_t index;
    unsigned elements;
};

SG_BOTH void sg_word_match(enum sg_dtype dtype, const struct sg_word_pair *words, const struct sg_allowed *allowed,
                           struct sg_mismatch *found)
{
    SG_ROLLED
    for (unsigned i = 0; i < words->elements; i++) {
        const double got = sg_word_value(dtype, words->got, i), want = sg_word_value(dtype, words->want, i);
        if (got == want || (isnan(got) && isnan(want)))
            continue;
        if (sg_mismatch_count(found, allowed, got, want) && words->index + i < found->first)
            found->first = words->index + i;
    }
}

/*
 * What is left to say when all parts are added: the elements themselves, and what the errors are
 * relative to.
 */
SG_BOTH void sg_mismatch_finish(const struct sg_match *match)
{
    struct sg_mismatch *out = match->out;
    out->reference_squares = *match->squares;
    if (out->first == match->count)
        return;
    const unsigned elements = sg_word_elements(match->dtype);
    const uint64_t number = out->first / elements;
    const unsigned place = (unsigned)(out->first % elements), bytes = sg_bytes_in(match->dtype, match->count, number);
    out->got = sg_word_value(match->dtype, sg_word_load(match->got, number, bytes), place);
    out->want = sg_word_value(match->dtype, sg_kept_word(match, number, bytes), place);
}

/* Dtypes of outputs that a code can stand for (sg_can_seal): their kernel is
 * long, so no other one is compiled. */
#define SG_SEALED_DTYPE_TABLE(X) X(SG_F32) X(SG_F16) X(SG_BF16) X(SG_I32) X(SG_I8)

/* An element's bits, the same for equal values: one zero, and one that is not a number. */
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

/* A word of an array, `elements` of which are the array's: its part of the code,
 * which is the sum of all of them. */
SG_BOTH uint64_t sg_seal_word(const struct sg_seal *seal, enum sg_dtype dtype, uint64_t number, uint64_t word, unsigned elements)
{
    const int width = sg_element_bits(dtype);
    uint64_t plain = 0;
    for (unsigned i = 0; i < elements; i++)
        plain |= sg_plain_bits(dtype, word >> i * (unsigned)width & sg_low_ones(width)) << i * (unsigned)width;
    return sg_mix(plain ^ sg_keyed(seal->key, number));
}
