/*
 * bsr_schedule.h - which worker multiplies which tiles of D, and in which order.
 * Plain C and C++, on the host; pure.
 *
 * A worker is what computes one tile at a time: a cluster of blocks. A tile is a block row by a
 * panel of columns; tile t is row t / panels and panel t % panels. How long each row is follows
 * from the case (bsr_pattern.h), so the schedule is made once, before the first launch. Kernels
 * read how many blocks a row has from row_ptr: a schedule of other lengths costs time, never a
 * wrong result. Invariant: each tile is in exactly one worker's list, once; those of rows without
 * blocks too, for their zeros must be written.
 *
 *     count = bsr_sequence(&counts, rows, panels, BSR_LONGEST_FIRST, sequence);
 *     bsr_assign(&counts, panels, workers, BSR_LONGEST_FIRST, sequence, count, owner);
 *     bsr_lists(sequence, owner, count, workers, first, tiles);
 */
#ifndef BSR_SCHEDULE_H
#define BSR_SCHEDULE_H

#include "bsr_pattern.h"

#define BSR_TILE_COST \
    1 /* blocks whose time a tile takes beside its own: its results, an empty pipeline */
#define BSR_WORKERS_MOST 1024 /* a worker a row */

enum bsr_order {
    BSR_LONGEST_FIRST, /* each tile to who has least to do (Graham 1969, LPT): at most 4/3 of the
                          shortest schedule */
    BSR_AS_THEY_COME,  /* rows in their order, dealt out one by one */
    BSR_WORKER_A_ROW,  /* all tiles of a row to one worker */
};

/* Panels of so many columns of D. */
static inline int bsr_panels(const struct sg_case *c, int columns)
{
    return (int)((c->dim[BSR_N] + columns - 1) / columns);
}

/* Tiles of `count` rows, panel by panel: who works at the same time then reads the
 * same columns of B. Returns the end. */
static inline int32_t *bsr_panel_by_panel(const int32_t *row, int count, int panels, int32_t *at)
{
    for (int panel = 0; panel < panels; panel++)
        for (int i = 0; i < count; i++)
            *at++ = row[i] * panels + panel;
    return at;
}

/* All tiles in the order in which they are given out; returns how many. sequence[rows * panels]. */
static inline int bsr_sequence(const struct bsr_counts *counts, int rows, int panels,
                               enum bsr_order order, int32_t *sequence)
{
    int32_t row[BSR_MOST_ROWS], *at = sequence;
    for (int i = 0; i < rows; i++)
        row[i] = i;
    if (order != BSR_LONGEST_FIRST)
        return (int)(bsr_panel_by_panel(row, rows, panels, sequence) - sequence);
    bsr_longest_first(counts, rows, row);
    for (int i = 0, end; i < rows; i = end) {
        for (end = i + 1; end < rows && counts->in_row[row[end]] == counts->in_row[row[i]];)
            end++;
        at = bsr_panel_by_panel(row + i, end - i, panels, at);
    }
    return (int)(at - sequence);
}

/* Who has least to do; of several the first. */
static inline int bsr_least(const int64_t *load, int workers)
{
    int least = 0;
    for (int i = 1; i < workers; i++)
        if (load[i] < load[least])
            least = i;
    return least;
}

/* owner[i] of the i-th tile of the sequence, below `workers`, which is 1 to BSR_WORKERS_MOST; as
 * many as rows for BSR_WORKER_A_ROW. */
static inline void bsr_assign(const struct bsr_counts *counts, int panels, int workers,
                              enum bsr_order order, const int32_t *sequence, int count,
                              int32_t *owner)
{
    int64_t load[BSR_WORKERS_MOST] = {0};
    for (int i = 0; i < count; i++) {
        const int row = sequence[i] / panels;
        if (order == BSR_LONGEST_FIRST)
            owner[i] = bsr_least(load, workers);
        else
            owner[i] = order == BSR_WORKER_A_ROW ? row : i % workers;
        load[owner[i]] += counts->in_row[row] + BSR_TILE_COST;
    }
}

/* Worker w's tiles are tiles[first[w]] to tiles[first[w + 1] - 1], in the order of the sequence.
 * first[workers + 1], tiles[count]. */
static inline void bsr_lists(const int32_t *sequence, const int32_t *owner, int count, int workers,
                             int32_t *first, int32_t *tiles)
{
    memset(first, 0, ((size_t)workers + 1) * sizeof(*first));
    for (int i = 0; i < count; i++)
        first[owner[i] + 1]++;
    for (int w = 0; w < workers; w++)
        first[w + 1] += first[w];
    for (int i = 0; i < count; i++)
        tiles[first[owner[i]]++] = sequence[i];
    for (int w = workers; w > 0; w--)
        first[w] = first[w - 1];
    first[0] = 0;
}

/* Without the tiles of rows that have no block; returns how many are left. A fault:
 * the zeros of these rows are not written. */
static inline int bsr_forget_empty(const struct bsr_counts *counts, int panels, int32_t *sequence,
                                   int count)
{
    int left = 0;
    for (int i = 0; i < count; i++)
        if (counts->in_row[sequence[i] / panels] > 0)
            sequence[left++] = sequence[i];
    return left;
}

/* For variants with a fault that shows in rows of so many whole
 * blocks of k: cases with such a row. */
static inline bool bsr_check_rows_of(const struct sg_case *c, int blocks, struct sg_reason *why)
{
    if (!bsr_check_aligned(c, why))
        return false;
    struct bsr_counts counts;
    int longest = 0;
    bsr_count(c, &counts);
    for (int i = 0; i < bsr_block_rows(c); i++)
        longest = counts.in_row[i] > longest ? counts.in_row[i] : longest;
    if (c->dim[BSR_K] % BSR_BLOCK > 0)
        return bsr_refuse(why, "k", c->dim[BSR_K],
                          "whole blocks of 128: the fault may lie behind k");
    return longest >= blocks || bsr_refuse(why, "the longest row's number of blocks", longest,
                                           blocks == 1 ? "1 or more" : "2 or more");
}

/* The same for faults in tiles behind the first 128 columns. */
static inline bool bsr_check_second_tile(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why) &&
           (c->dim[BSR_N] > BSR_BLOCK || bsr_refuse(why, "n", c->dim[BSR_N], "more than 128"));
}

/* The same for faults in rows without blocks. */
static inline bool bsr_check_empty(const struct sg_case *c, struct sg_reason *why)
{
    if (!bsr_check_aligned(c, why))
        return false;
    struct bsr_counts counts;
    int empty = 0;
    bsr_count(c, &counts);
    for (int i = 0; i < bsr_block_rows(c); i++)
        empty += counts.in_row[i] == 0;
    return empty > 0 || bsr_refuse(why, "number of rows without blocks", empty, "1 or more");
}

#endif
