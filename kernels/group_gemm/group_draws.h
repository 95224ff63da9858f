/*
 * group_draws.h - tiles for who comes first: a plan in which every cluster has one tile of its
 * own, and draws what it does next.
 *
 * Plain C. A plan of who does what (group_plan.h) holds for one state of the L2 and of DRAM;
 * clusters that draw are done at about the same time in any. Tiles that share weights come first,
 * as long as everybody waits for weights. High tiles take longer for a block of weights than DRAM
 * does, low ones wait for DRAM: they are mixed, so that at any time there is something to do for
 * both. Of the last ones, which come by falling size, some are cut along k, in two pieces or in
 * three. How many are cut is tried out by the costs. Invariant: pieces that give sums are drawn
 * before the one that takes them, so that a block waits only for blocks at work.
 *
 *     const double cycles = group_plan_tiles(&list, &costs, blocks_k, clusters, true);
 *     list.turns - list.drawn turns are those of clusters, list.round of them; the others are drawn
 */
#ifndef GROUP_DRAWS_H
#define GROUP_DRAWS_H

#include <math.h>

#include "group_plan.h"

#define GROUP_CUT_STEP    16 /* tiles by which the numbers of those that are cut differ */
#define GROUP_CUT_BLOCKS  6  /* blocks of k that a tile has to have for that */
#define GROUP_MOST_PIECES 3  /* of a tile */

/* Tiles that come last by falling size: five for six clusters. Fewer, and
 * some cluster ends with a high one. */
#define GROUP_LAST_TILES(clusters) ((clusters)*5 / 6)

/* Who takes sums is drawn after who gives them, and waits less
 * than the plan's `give` allows for. */
#define GROUP_DRAWN_GIVE 4000.0

/* Of the tiles that come last so many are cut, and of those the last `thirds` in three. */
struct group_cuts {
    int tiles, thirds;
};

/* Tiles in the order in which they are begun. */
struct group_begun {
    int count, tile[GROUP_TURNS];
};

/* Where pieces end that others wait for, by the place of their sums. */
struct group_drawing {
    struct group_planning plan;
    double given[2 * GROUP_PIECES];
};

static inline bool group_shares_weights(const struct group_list *list, int tile)
{
    return list->at[group_position(list, tile)].deep > 1;
}

/* Behind those that are there, tiles that share weights or do not, the highest first. */
static inline void group_begin_tiles(const struct group_list *list, bool shares_weights,
                                     struct group_begun *order)
{
    for (int blocks = GEMM_TILE_BLOCKS; blocks > 0; blocks--)
        for (int tile = 0; tile < group_tiles(list); tile++)
            if (group_tile_blocks(list, tile) == blocks &&
                group_shares_weights(list, tile) == shares_weights)
                order->tile[order->count++] = tile;
}

/* The height in blocks, 1 to GEMM_TILE_BLOCKS, of whose tiles the least part has
 * been taken; of several the highest. */
static inline int group_most_behind(const int *all, const int *taken)
{
    int best = 0;
    for (int blocks = GEMM_TILE_BLOCKS; blocks > 0; blocks--)
        if (taken[blocks] < all[blocks] && (best == 0 || (2 * taken[blocks] + 1) * all[best] <
                                                             (2 * taken[best] + 1) * all[blocks]))
            best = blocks;
    return best;
}

/* So many tiles, the highest first, become mixed: those of each height are spread evenly. */
static inline void group_mix_tiles(const struct group_list *list, int *tile, int count)
{
    int sorted[GROUP_TURNS], all[GEMM_TILE_BLOCKS + 1] = {0}, taken[GEMM_TILE_BLOCKS + 1] = {0},
                                                    first[GEMM_TILE_BLOCKS + 1] = {0};
    for (int i = 0; i < count; i++) {
        sorted[i] = tile[i];
        all[group_tile_blocks(list, tile[i])]++;
    }
    for (int blocks = GEMM_TILE_BLOCKS; blocks > 1; blocks--)
        first[blocks - 1] = first[blocks] + all[blocks];
    for (int i = 0; i < count; i++) {
        const int blocks = group_most_behind(all, taken);
        tile[i] = sorted[first[blocks] + taken[blocks]++];
    }
}

static inline struct group_begun group_draw_order(const struct group_list *list, int clusters)
{
    struct group_begun order = {.count = 0};
    group_begin_tiles(list, true, &order);
    const int sharing = order.count;
    group_begin_tiles(list, false, &order);
    const int last = order.count - GROUP_LAST_TILES(clusters);
    if (last > sharing)
        group_mix_tiles(list, order.tile + sharing, last - sharing);
    return order;
}

static inline int group_pieces_of(struct group_cuts cuts)
{
    return 2 * cuts.tiles + cuts.thirds;
}

/* Piece `part` of `ways`: the last is no longer than the others. */
static inline struct group_piece group_part_cut(uint32_t tile, int blocks_k, int ways, int part,
                                                int first_partial)
{
    const int size = group_parts(blocks_k, ways);
    const bool is_last = part == ways - 1;
    return (struct group_piece){
        .tile = tile,
        .first = part * size,
        .count = is_last ? blocks_k - part * size : size,
        .partial = (int16_t)(is_last ? first_partial : first_partial + part),
        .takes = (int16_t)(is_last ? ways - 1 : 0),
    };
}

/* Writes down a first round, whole tiles that are drawn, and pieces. */
static inline void group_write_draws(struct group_list *list, const struct group_begun *order,
                                     struct group_cuts cuts, int blocks_k, int clusters)
{
    const int whole = order->count - cuts.tiles, halves = cuts.tiles - cuts.thirds;
    int turns = 0, pieces = 0;
    for (; turns < whole; turns++)
        list->turn[turns] = group_written(list, order->tile[turns]);
    for (int ways = 2; ways <= GROUP_MOST_PIECES; ways++) {
        const int count = ways == 2 ? halves : cuts.thirds,
                  begin = ways == 2 ? whole : whole + halves;
        for (int part = 0; part < ways; part++)
            for (int i = 0; i < count; i++) {
                const int first_partial = ways == 2 ? i : halves + i * (GROUP_MOST_PIECES - 1);
                list->piece[pieces] = group_part_cut(group_written(list, order->tile[begin + i]),
                                                     blocks_k, ways, part, first_partial);
                list->turn[turns++] = GROUP_PIECE | (uint32_t)pieces++;
            }
    }
    list->partials = pieces - cuts.tiles;
    list->turns = turns;
    list->round = clusters;
    list->drawn = turns - clusters;
}

/* A turn of who is done first, at `begin`: when it ends. */
static inline double group_draw_end(const struct group_list *list, struct group_drawing *d,
                                    const struct group_costs *costs, int turn, double begin)
{
    struct group_piece piece;
    const struct group_place place = group_part_of(list, turn, d->plan.blocks_k, &piece);
    double end = begin + costs->block[group_parts(place.rows, GEMM_BLOCK_ROWS) - 1] * piece.count;
    if (piece.partial >= 0 && piece.takes == 0)
        return d->given[piece.partial] = end + GROUP_DRAWN_GIVE;
    for (int i = 0; i < piece.takes; i++)
        end = d->given[piece.partial + i] > end ? d->given[piece.partial + i] : end;
    return end + costs->tile + costs->take * piece.takes;
}

/* When the last cluster is done, if each draws as soon as it is done with a turn; of what takes
 * longer than `most` no less than that. */
static inline double group_draws_cycles(const struct group_list *list,
                                        const struct group_costs *costs, int blocks_k, double most)
{
    struct group_drawing d = {.plan = {.clusters = list->round, .blocks_k = blocks_k}};
    for (int turn = 0; turn < list->turns; turn++) {
        const int first = turn < list->round ? turn : group_first_done(&d.plan);
        d.plan.busy[first] = group_draw_end(list, &d, costs, turn, d.plan.busy[first]);
        if (d.plan.busy[first] >= most)
            return most;
    }
    return group_last_done(&d.plan);
}

/* Room for turns and pieces, and a whole tile for each cluster to begin with? */
static inline bool group_can_cut(const struct group_list *list, struct group_cuts cuts,
                                 int blocks_k, int clusters)
{
    const int tiles = group_tiles(list), pieces = group_pieces_of(cuts);
    return cuts.tiles == 0 ||
           (blocks_k >= GROUP_CUT_BLOCKS && tiles - cuts.tiles >= clusters &&
            pieces <= GROUP_PIECES && tiles - cuts.tiles + pieces <= GROUP_TURNS);
}

/* For more tiles than clusters, which can all be written down. Returns what the
 * cluster that is done last takes. */
static inline double group_plan_draws(struct group_list *list, const struct group_costs *costs,
                                      int blocks_k, int clusters)
{
    const struct group_begun order = group_draw_order(list, clusters);
    struct group_cuts best = {0, 0};
    double least = INFINITY;
    for (int tiles = 0; tiles <= clusters / 2; tiles += GROUP_CUT_STEP)
        for (int thirds = 0; thirds <= tiles; thirds += GROUP_CUT_STEP) {
            const struct group_cuts cuts = {tiles, thirds};
            if (!group_can_cut(list, cuts, blocks_k, clusters))
                continue;
            group_write_draws(list, &order, cuts, blocks_k, clusters);
            const double cycles = group_draws_cycles(list, costs, blocks_k, least);
            if (cycles < least) {
                least = cycles;
                best = cuts;
            }
        }
    group_write_draws(list, &order, best, blocks_k, clusters);
    return least;
}

/* Drawn where there are more tiles than clusters and all of those are at work at once (`cuts`),
 * else as group_plan_turns writes them. */
static inline double group_plan_tiles(struct group_list *list, const struct group_costs *costs,
                                      int blocks_k, int clusters, bool cuts)
{
    if (cuts && group_tiles(list) > clusters && clusters <= GROUP_CLUSTERS && group_can_write(list))
        return group_plan_draws(list, costs, blocks_k, clusters);
    return group_plan_turns(list, costs, blocks_k, clusters, cuts);
}

#endif
