/*
 * group_schedule.h - which tile of which group is whose turn. Plain C and CUDA, so that a test
 * without a GPU can walk every tile.
 *
 * A tile is some rows of one group by some columns of n. Tiles of the same columns follow each
 * other, whatever rows they have: what they read of the weights then comes from DRAM once.
 * Groups follow each other, and sorted, the highest tiles come first; one without rows has no
 * tiles. Of clusters that take every `round`-th tile, those with the highest of one round have
 * the lowest of the next. Of a list that is not too long whose turn it is can be written down,
 * in that order or in one that is planned.
 * Invariant: over tile = 0 .. group_tiles() - 1, or of a plan over the turns that
 * group_has_turn says there are, every row of every group comes up once with each
 * of the columns, and no other row.
 *
 *     struct group_list list = group_list_of(sizes, sizes, (struct group_tile){.rows = 256,
 *     .columns = 256, .step = 32}, n); group_sort(&list);
 *     list.round = clusters;
 *     for (int tile = cluster; tile < group_tiles(&list); tile += clusters)
 *         work_on(group_place_of(&list, tile));
 */
#ifndef GROUP_SCHEDULE_H
#define GROUP_SCHEDULE_H

#include "group_layout.h"

#define GROUP_TURNS   1024 /* that are written down; of more tiles none are */
#define GROUP_NO_TURN UINT32_MAX
#define GROUP_PIECE \
    (UINT32_C(1)    \
     << 31) /* of a turn: what follows is the number of a piece; no tile of so few has this bit */
#define GROUP_PIECES 264

struct group_tile {
    int rows;    /* at most */
    int columns; /* of n */
    int step; /* rows are a multiple of it; a group's rows are shared evenly by as few tiles as it
                 takes */
};

/* What all tiles of a group need to know, side by side: a kernel's first
 * look at its parameter takes long. */
struct group_span {
    int group;
    int first_row, rows;        /* its own, in A */
    int first_scale, scale_row; /* in SFA, for each block of k: rows as SFA has them */
    int first_tile;
    int height; /* rows of its tiles, a multiple of the step; the last may reach beyond the group */
    int deep;   /* tiles above each other */
};

/* Some of a tile's blocks of k. The sums of all its pieces but the
 * last are given to who has that one. */
struct group_piece {
    uint32_t tile;    /* as group_written makes it */
    int first, count; /* blocks of k */
    int16_t partial;  /* the place of its sums in memory, or of the first that are taken; -1: of a
                         whole tile */
    int16_t takes;    /* sums, at the places from there on; 0: it gives its own */
};

struct group_list {
    int count;    /* of groups */
    int columns;  /* of a tile */
    int round;    /* clusters that take turns; 0: every round goes the same way */
    int turns;    /* that are written down, those that are not taken too; 0: none are */
    int drawn;    /* turns behind those of clusters that are for who comes first */
    int partials; /* places for sums of pieces */
    struct group_span at[GROUP_MOST + 1]; /* groups in the order of their tiles; behind the last:
                                             first_tile alone, of all tiles */
    uint32_t turn[GROUP_TURNS];           /* as group_written makes them, or a piece */
    struct group_piece piece[GROUP_PIECES];
};

struct group_place {
    struct group_span of;
    int row;    /* the first, in its group */
    int rows;   /* the group's own, at most the height */
    int column; /* the first */
};

GEMM_BOTH int group_parts(int64_t whole, int64_t part)
{
    return (int)((whole + part - 1) / part);
}

/* Tiles in front of each group, in the order that there is. `across`: tiles side by side. */
GEMM_BOTH void group_number(struct group_list *list, int across)
{
    for (int i = 0; i < list->count; i++)
        list->at[i + 1].first_tile = list->at[i].first_tile + list->at[i].deep * across;
}

/* In the order of the groups, whose rows lie as `sizes` has them. `counted`: those that get tiles,
 * the same unless something is left out. */
GEMM_BOTH struct group_list group_list_of(const struct group_sizes *sizes,
                                          const struct group_sizes *counted, struct group_tile tile,
                                          int64_t n)
{
    struct group_list list = {.count = sizes->count, .columns = tile.columns};
    int row = 0, scale = 0;
    for (int g = 0; g < list.count; g++) {
        const int deep = group_parts(counted->m[g], tile.rows),
                  scale_row = (int)group_sfa_row(sizes->m[g]);
        const struct group_span span = {
            .group = g,
            .first_row = row,
            .rows = (int)sizes->m[g],
            .first_scale = scale,
            .scale_row = scale_row,
            .height =
                deep > 0 ? group_parts(group_parts(counted->m[g], deep), tile.step) * tile.step : 0,
            .deep = deep,
        };
        list.at[g] = span;
        row += span.rows;
        scale += scale_row;
    }
    group_number(&list, group_parts(n, tile.columns));
    return list;
}

GEMM_BOTH int group_tiles(const struct group_list *list)
{
    return list->at[list->count].first_tile;
}

/* The highest tiles first; groups as high as each other stay in their order. */
GEMM_BOTH void group_sort(struct group_list *list)
{
    int deep = 0;
    for (int g = 0; g < list->count; g++)
        deep += list->at[g].deep;
    const int across = deep > 0 ? group_tiles(list) / deep : 0;
    for (int i = 1; i < list->count; i++)
        for (int k = i; k > 0 && list->at[k].height > list->at[k - 1].height; k--) {
            const struct group_span span = list->at[k];
            list->at[k] = list->at[k - 1];
            list->at[k - 1] = span;
        }
    list->at[0].first_tile = 0;
    group_number(list, across);
}

/* What comes up in a tile's place: every other round is walked backwards. */
GEMM_BOTH int group_turn(const struct group_list *list, int tile)
{
    if (list->round == 0 || tile / list->round % 2 == 0)
        return tile;
    const int begin = tile / list->round * list->round, left = group_tiles(list) - begin;
    return begin + (left < list->round ? left : list->round) - 1 - (tile - begin);
}

/* Where a tile's group is in the order: the last that begins at the tile
 * or before, so one that has tiles. */
GEMM_BOTH int group_position(const struct group_list *list, int tile)
{
    int below = 0, above = list->count;
    while (above - below > 1) {
        const int middle = (below + above) / 2;
        if (list->at[middle].first_tile <= tile)
            below = middle;
        else
            above = middle;
    }
    return below;
}

GEMM_BOTH struct group_place group_place_from(const struct group_list *list, int position,
                                              int above, int left)
{
    struct group_place place = {.of = list->at[position]};
    place.row = above * place.of.height;
    const int rows = place.of.rows - place.row;
    place.rows = rows < place.of.height ? rows : place.of.height;
    place.column = left * list->columns;
    return place;
}

GEMM_BOTH struct group_place group_place_in(const struct group_list *list, int position, int tile)
{
    const int index = tile - list->at[position].first_tile;
    const int deep = list->at[position].deep > 0 ? list->at[position].deep
                                                 : 1; /* a group that has the tile has no less */
    return group_place_from(list, position, index % deep, index / deep);
}

GEMM_BOTH struct group_place group_place_written(const struct group_list *list, uint32_t tile)
{
    return group_place_from(list, (int)(tile % 64), (int)(tile >> 6) % 1024, (int)(tile >> 16));
}

/* The tile of a turn: written down, which spares a search and divisions, or found. */
GEMM_BOTH struct group_place group_place_of(const struct group_list *list, int tile)
{
    if (list->turns > 0)
        return group_place_written(list, list->turn[tile]);
    const int turn = group_turn(list, tile);
    return group_place_in(list, group_position(list, turn), turn);
}

/* The same of a list that may have pieces; of a whole tile *piece has all blocks of k. */
GEMM_BOTH struct group_place group_part_of(const struct group_list *list, int tile, int blocks_k,
                                           struct group_piece *piece)
{
    if (list->turns > 0 && (list->turn[tile] & GROUP_PIECE)) {
        *piece = list->piece[list->turn[tile] % GROUP_PIECE];
        return group_place_written(list, piece->tile);
    }
    *piece = (struct group_piece){0, 0, blocks_k, -1, 0};
    return group_place_of(list, tile);
}

/* Is there such a turn, among `count` of all clusters? */
GEMM_BOTH bool group_has_turn(const struct group_list *list, int tile, int count)
{
    return tile < count && (list->turns == 0 || list->turn[tile] != GROUP_NO_TURN);
}

/* A tile as it is written down: its group's position in 6 bits, the tiles above
 * it in 10, those on its left in 16. */
static inline uint32_t group_written(const struct group_list *list, int tile)
{
    const int position = group_position(list, tile), index = tile - list->at[position].first_tile,
              deep = list->at[position].deep;
    return (uint32_t)position | (uint32_t)(index % deep) << 6 | (uint32_t)(index / deep) << 16;
}

/* No tile of so few is beyond what its bits count. */
static inline bool group_can_write(const struct group_list *list)
{
    return group_tiles(list) > 0 && group_tiles(list) <= GROUP_TURNS;
}

/* Writes down the order that there is, if it can be. */
static inline void group_write_turns(struct group_list *list)
{
    if (!group_can_write(list))
        return;
    for (int tile = 0; tile < group_tiles(list); tile++)
        list->turn[tile] = group_written(list, group_turn(list, tile));
    list->turns = group_tiles(list);
}

/* The most rows that one of the clusters has in its tiles: how long they take is theirs. */
static inline int64_t group_longest(const struct group_list *list, int clusters)
{
    int64_t longest = 0;
    for (int cluster = 0; cluster < clusters; cluster++) {
        int64_t rows = 0;
        for (int tile = cluster; tile < group_tiles(list); tile += clusters)
            rows += group_place_of(list, tile).of.height;
        longest = rows > longest ? rows : longest;
    }
    return longest;
}

#endif
