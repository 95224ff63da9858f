#include "device/launch_check.h"

#include <string.h>

#include "device/launch_check_internal.h"

void sg_host_refill(const struct sg_refill *refill)
{
    const uint64_t piece_bytes = (uint64_t)SG_PIECE_UNITS * refill->unit_bytes;
    char *to = refill->to;
    const char *pool = refill->pool;
    for (uint64_t first = 0; first < refill->bytes; first += piece_bytes) {
        const uint64_t left = refill->bytes - first,
                       end = first + (left < piece_bytes ? left : piece_bytes);
        uint64_t from = sg_piece_start(refill, first / piece_bytes);
        for (uint64_t at = first; at < end; from = 0) {
            const uint64_t until_end = refill->pool_bytes - from,
                           bytes = end - at < until_end ? end - at : until_end;
            memcpy(to + at, pool + from, bytes);
            at += bytes;
        }
    }
}

SG_COPIED void scramble_units(const struct sg_scramble *scramble, size_t unit)
{
    const struct sg_reversal reversal = sg_reversal_of(scramble);
    char *memory = scramble->memory;
    for (uint64_t i = 0; i < reversal.pairs; i++) {
        const struct sg_pair pair = sg_reversal_pair(&reversal, i);
        uint64_t low, high;
        memcpy(&low, memory + pair.low * unit, unit);
        memcpy(&high, memory + pair.high * unit, unit);
        memcpy(memory + pair.low * unit, &high, unit);
        memcpy(memory + pair.high * unit, &low, unit);
    }
}

void sg_host_scramble(const struct sg_scramble *scramble)
{
    switch (scramble->unit_bytes) {
    case 1:
        scramble_units(scramble, 1);
        break;
    case 2:
        scramble_units(scramble, 2);
        break;
    case 4:
        scramble_units(scramble, 4);
        break;
    default:
        scramble_units(scramble, 8);
        break;
    }
}

SG_COPIED void keep_words(const struct sg_keep *keep, enum sg_dtype dtype)
{
    const uint64_t full = sg_full_words(dtype, keep->count);
    const unsigned rest = sg_elements_in(dtype, keep->count, full);
    double squares = 0;
    for (uint64_t i = 0; i < full; i++)
        squares +=
            sg_word_squares(dtype, sg_keep_word(keep, i, SG_WORD_BYTES), sg_word_elements(dtype));
    if (rest > 0)
        squares += sg_word_squares(
            dtype, sg_keep_word(keep, full, sg_bytes_in(dtype, keep->count, full)), rest);
    *keep->squares = squares;
}

void sg_host_keep(const struct sg_keep *keep)
{
    switch (keep->dtype) {
#define X(constant, word, bits)     \
    case constant:                  \
        keep_words(keep, constant); \
        break;
        SG_DTYPE_TABLE(X)
#undef X
    default:
        break;
    }
}

SG_COPIED void match_word(const struct sg_match *match, enum sg_dtype dtype,
                          const struct sg_allowed *allowed, uint64_t number, unsigned bytes,
                          unsigned elements)
{
    const struct sg_word_pair words = {
        .got = sg_word_load(match->got, number, bytes),
        .want = sg_kept_word(match, number, bytes),
        .index = number * sg_word_elements(dtype),
        .elements = elements,
    };
    if (words.got != words.want)
        sg_word_match(dtype, &words, allowed, match->out);
}

SG_COPIED void match_words(const struct sg_match *match, enum sg_dtype dtype)
{
    const struct sg_allowed allowed = sg_allowed_of(match);
    const uint64_t full = sg_full_words(dtype, match->count);
    const unsigned rest = sg_elements_in(dtype, match->count, full);
    *match->out = sg_mismatch_none(match->count);
    for (uint64_t i = 0; i < full; i++)
        match_word(match, dtype, &allowed, i, SG_WORD_BYTES, sg_word_elements(dtype));
    if (rest > 0)
        match_word(match, dtype, &allowed, full, sg_bytes_in(dtype, match->count, full), rest);
}

void sg_host_match(const struct sg_match *match)
{
    switch (match->dtype) {
#define X(constant, word, bits)       \
    case constant:                    \
        match_words(match, constant); \
        break;
        SG_DTYPE_TABLE(X)
#undef X
    default:
        break;
    }
    sg_mismatch_finish(match);
}

bool sg_can_seal(enum sg_dtype dtype)
{
#define X(constant) || dtype == (constant)
    return false SG_SEALED_DTYPE_TABLE(X);
#undef X
}

SG_COPIED void seal_words(const struct sg_seal *seal, enum sg_dtype dtype)
{
    const uint64_t full = sg_full_words(dtype, seal->count);
    const unsigned rest = sg_elements_in(dtype, seal->count, full);
    uint64_t code = 0;
    for (uint64_t i = 0; i < full; i++)
        code += sg_seal_word(seal, dtype, i, sg_word_load(seal->from, i, SG_WORD_BYTES),
                             sg_word_elements(dtype));
    if (rest > 0)
        code += sg_seal_word(seal, dtype, full,
                             sg_word_load(seal->from, full, sg_bytes_in(dtype, seal->count, full)),
                             rest);
    *seal->code = code;
}

void sg_host_seal(const struct sg_seal *seal)
{
    switch (seal->dtype) {
#define X(constant)                 \
    case constant:                  \
        seal_words(seal, constant); \
        break;
        SG_SEALED_DTYPE_TABLE(X)
#undef X
    default:
        break;
    }
}

void sg_host_check(enum sg_check_kind kind, const void *requests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        switch (kind) {
#define X(constant, name, words)                                  \
    case constant:                                                \
        sg_host_##name(&((const struct sg_##name *)requests)[i]); \
        break;
            SG_CHECK_TABLE(X)
#undef X
        default:
            break;
        }
}
