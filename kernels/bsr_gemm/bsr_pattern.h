/*
 * bsr_pattern.h - which blocks of a case are there, and the work that they
 * are. Plain C and C++, on the host.
 *
 * How many blocks a row has follows from the case alone; with whole blocks in k, their columns
 * move round by as many as the seed says, all alike. So fresh inputs have other columns, and
 * neither blocks nor work nor the columns that are used become more or fewer. Deterministic: the
 * same case and seed give the same pattern.
 *
 *     struct bsr_counts counts;
 *     bsr_count(c, &counts);
 *     bsr_fill(c, seed, row_ptr, col);
 */
#ifndef BSR_PATTERN_H
#define BSR_PATTERN_H

#include <string.h>

#include "bsr_layout.h"

struct bsr_counts {
    int in_row[BSR_MOST_ROWS]; /* blocks of each block row */
    int64_t blocks;            /* of all */
};

/* SplitMix64 (Steele, Lea, Flood 2014): numbers from 0 to 2^64 - 1, one after the other. */
static inline uint64_t bsr_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Below `end`, which is small: what a remainder prefers is less than one in 2^50. */
static inline int bsr_below(uint64_t *state, int end)
{
    return (int)(bsr_random(state) % (uint64_t)end);
}

/* What is drawn for a row, of the case's numbers and nothing else. */
static inline uint64_t bsr_row_state(const struct sg_case *c, int row)
{
    uint64_t state = (uint64_t)row;
    for (int i = 0; i < BSR_DIM_COUNT; i++)
        state = bsr_random(&state) ^ (uint64_t)c->dim[i];
    return state;
}

/* A permutation of the rows: rank[i] of row i, from 0. */
static inline void bsr_draw_ranks(const struct sg_case *c, int *rank)
{
    const int rows = bsr_block_rows(c);
    uint64_t state = bsr_row_state(c, -1);
    for (int i = 0; i < rows; i++) {
        const int k = bsr_below(&state, i + 1);
        if (k < i)
            rank[i] = rank[k];
        rank[k] = i;
    }
}

/* Blocks of row `number` of `rows` that share `all` evenly. */
static inline int bsr_even(int64_t all, int number, int rows)
{
    return (int)((number + 1) * all / rows - number * all / rows);
}

/* Of all places for blocks, those of the share, rounded. */
static inline int64_t bsr_wanted(const struct sg_case *c, int64_t rows)
{
    return (rows * bsr_block_columns(c) * c->dim[BSR_SHARE] + 500) / 1000;
}

/* Blocks of the row of this rank, if the first has `longest`, which
 * may be more than there is room for. */
static inline int bsr_power_law(double longest, int rank, int columns)
{
    const double blocks = longest / (rank + 1);
    return blocks > columns ? columns : (int)blocks;
}

static inline int64_t bsr_power_law_blocks(double longest, int rows, int columns)
{
    int64_t blocks = 0;
    for (int rank = 0; rank < rows; rank++)
        blocks += bsr_power_law(longest, rank, columns);
    return blocks;
}

/* The least `longest` that gives as many blocks as are wanted, or
 * the few more that come with it. */
static inline double bsr_longest(const struct sg_case *c)
{
    const int rows = bsr_block_rows(c), columns = bsr_block_columns(c);
    const int64_t wanted = bsr_wanted(c, rows);
    double low = 0, high = (double)rows * columns;
    for (int i = 0; i < 64; i++) {
        const double middle = (low + high) / 2;
        if (bsr_power_law_blocks(middle, rows, columns) < wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static inline void bsr_count(const struct sg_case *c, struct bsr_counts *counts)
{
    const int rows = bsr_block_rows(c), columns = bsr_block_columns(c), busy = rows - rows / 2,
              dense = rows / 3;
    const double longest = c->dim[BSR_PATTERN] == BSR_POWER_LAW ? bsr_longest(c) : 0;
    int rank[BSR_MOST_ROWS];
    bsr_draw_ranks(c, rank);
    counts->blocks = 0;
    for (int i = 0; i < rows; i++) {
        int blocks = bsr_even(bsr_wanted(c, rows), i, rows);
        if (c->dim[BSR_PATTERN] == BSR_BANDED)
            blocks = (int)c->dim[BSR_SHARE];
        else if (c->dim[BSR_PATTERN] == BSR_POWER_LAW)
            blocks = bsr_power_law(longest, rank[i], columns);
        else if (c->dim[BSR_PATTERN] == BSR_GAPS)
            blocks = rank[i] < busy ? bsr_even(bsr_wanted(c, busy), rank[i], busy) : 0;
        else if (c->dim[BSR_PATTERN] == BSR_DENSE_ROW && i == dense)
            blocks = columns;
        counts->in_row[i] = blocks;
        counts->blocks += blocks;
    }
}

/* So many of the columns, each as likely as the next, rising (Knuth, The Art of
 * Computer Programming 2, algorithm S). */
static inline void bsr_draw_columns(const struct sg_case *c, int row, int count, bool *is_there)
{
    const int columns = bsr_block_columns(c);
    uint64_t state = bsr_row_state(c, row);
    for (int k = 0, left = count; k < columns; k++) {
        is_there[k] = bsr_below(&state, columns - k) < left;
        left -= is_there[k];
    }
}

/* `count` columns around the diagonal. */
static inline void bsr_place_band(const struct sg_case *c, int row, int count, bool *is_there)
{
    const int columns = bsr_block_columns(c), rows = bsr_block_rows(c);
    int first = (int)((int64_t)row * columns / rows) - count / 2;
    first = first < 0 ? 0 : first > columns - count ? columns - count : first;
    for (int k = 0; k < columns; k++)
        is_there[k] = k >= first && k < first + count;
}

/* Which block columns of a row are there. */
static inline void bsr_row(const struct sg_case *c, int row, int count, bool *is_there)
{
    if (c->dim[BSR_PATTERN] == BSR_BANDED)
        bsr_place_band(c, row, count, is_there);
    else
        bsr_draw_columns(c, row, count, is_there);
}

/* By how many columns the pattern is moved round; none where the
 * last one is shorter than the others. */
static inline int bsr_shift(const struct sg_case *c, uint64_t seed)
{
    return c->dim[BSR_K] % BSR_BLOCK == 0 ? bsr_below(&seed, bsr_block_columns(c)) : 0;
}

/* row_ptr[block rows + 1], col[blocks]. */
static inline void bsr_fill(const struct sg_case *c, uint64_t seed, int32_t *row_ptr, int32_t *col)
{
    const int rows = bsr_block_rows(c), columns = bsr_block_columns(c), shift = bsr_shift(c, seed);
    struct bsr_counts counts;
    bool is_there[BSR_MOST_ROWS];
    bsr_count(c, &counts);
    row_ptr[0] = 0;
    for (int i = 0; i < rows; i++) {
        int32_t at = row_ptr[i];
        bsr_row(c, i, counts.in_row[i], is_there);
        for (int k = 0; k < columns; k++)
            if (is_there[(k + columns - shift) % columns])
                col[at++] = k;
        row_ptr[i + 1] = at;
    }
}

/* Of the blocks that are there: elements of A inside of the matrix,
 * rows of B that some block needs. */
struct bsr_needs {
    double elements_a, rows_b;
};

static inline struct bsr_needs bsr_needs_of(const struct sg_case *c)
{
    const int rows = bsr_block_rows(c), columns = bsr_block_columns(c);
    struct bsr_counts counts;
    struct bsr_needs needs = {0, 0};
    bool is_there[BSR_MOST_ROWS], is_used[BSR_MOST_ROWS] = {false};
    bsr_count(c, &counts);
    for (int i = 0; i < rows; i++) {
        bsr_row(c, i, counts.in_row[i], is_there);
        for (int k = 0; k < columns; k++) {
            if (!is_there[k])
                continue;
            needs.elements_a +=
                (double)(bsr_extent(c->dim[BSR_M], i) * bsr_extent(c->dim[BSR_K], k));
            needs.rows_b += is_used[k] ? 0 : (double)bsr_extent(c->dim[BSR_K], k);
            is_used[k] = true;
        }
    }
    return needs;
}

/* Share of the dense product's work that the case has, ratio. */
static inline double bsr_density(const struct sg_case *c)
{
    return bsr_needs_of(c).elements_a / ((double)c->dim[BSR_M] * (double)c->dim[BSR_K]);
}

/*
 * Block rows by falling number of blocks, rows with as many in their order: what a schedule that
 * begins with the longest goes by. order[block rows].
 */
static inline void bsr_longest_first(const struct bsr_counts *counts, int rows, int32_t *order)
{
    int first[BSR_MOST_ROWS + 2] = {0};
    for (int i = 0; i < rows; i++)
        first[BSR_MOST_ROWS - counts->in_row[i] + 1]++;
    for (int i = 0; i <= BSR_MOST_ROWS; i++)
        first[i + 1] += first[i];
    for (int i = 0; i < rows; i++)
        order[first[BSR_MOST_ROWS - counts->in_row[i]]++] = i;
}

#endif
