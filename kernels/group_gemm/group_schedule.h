/*
 * group_schedule.h - which tile of which group is whose turn. Plain C and CUDA, so that a test without a GPU can walk every tile.
 *
 * A tile is some rows of one group by some columns of n. Tiles of the same columns follow each other, whatever rows they have: what they
 * read of the weights then comes from DRAM once. Groups follow each other, and sorted, the highest tiles come first; one without rows has
 * no tiles. Of clusters that take every `round`-th tile, those with the highest of one round have the lowest of the next.
 * Invariant: over tile = 0 .. group_tiles() - 1 every row of every group comes up once with each of the columns, and no other row.
 *
 *     struct group_list list = group_list_of(sizes, sizes, (struct group_tile){.rows = 256, .columns = 256, .step = 32}, n);
 *     group_sort(&list);
 *     list.round = clusters;
 *     for (int tile = cluster; tile < group_tiles(&list); tile += clusters)
 *         work_on(group_place_of(&list, tile));
 */
#ifndef GROUP_SCHEDULE_H
#define GROUP_SCHEDULE_H

#include "group_layout.h"

struct group_tile {
    int rows;    /* at most */
    int columns; /* of n */
    int step;    /* rows are a multiple of it; a group's rows are shared evenly by as few tiles as it takes */
};

struct group_list {
    int count;   /* of groups */
    int columns; /* of a tile */
    int round;   /* clusters that take turns; 0: every round goes the same way */
    int first_row[GROUP_MOST + 1];
    int first_scale[GROUP_MOST + 1]; /* as first_row, of rows as SFA has them for each block of k */
    int order[GROUP_MOST];           /* groups, in that of their tiles */
    int first_tile[GROUP_MOST + 1];  /* of the groups in that order */
    int height[GROUP_MOST];          /* of a group: rows of its tiles, a multiple of the step; the last may reach beyond the group */
    int deep[GROUP_MOST];            /* of a group: tiles above each other */
};

struct group_place {
    int group;
    int row;    /* the first, in its group */
    int rows;   /* the group's own, at most the height */
    int height; /* with those beyond the group */
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
        list->first_tile[i + 1] = list->first_tile[i] + list->deep[list->order[i]] * across;
}

/* In the order of the groups, whose rows lie as `sizes` has them. `counted`: those that get tiles, the same unless something is left out.
 */
GEMM_BOTH struct group_list group_list_of(const struct group_sizes *sizes, const struct group_sizes *counted, struct group_tile tile,
                                          int64_t n)
{
    struct group_list list = {.count = sizes->count, .columns = tile.columns};
    for (int g = 0; g < list.count; g++) {
        const int deep = group_parts(counted->m[g], tile.rows);
        list.order[g] = g;
        list.deep[g] = deep;
        list.height[g] = deep > 0 ? group_parts(group_parts(counted->m[g], deep), tile.step) * tile.step : 0;
        list.first_row[g + 1] = list.first_row[g] + (int)sizes->m[g];
        list.first_scale[g + 1] = list.first_scale[g] + (int)group_sfa_row(sizes->m[g]);
    }
    group_number(&list, group_parts(n, tile.columns));
    return list;
}

GEMM_BOTH int group_tiles(const struct group_list *list)
{
    return list->first_tile[list->count];
}

/* The highest tiles first; groups as high as each other stay in their order. */
GEMM_BOTH void group_sort(struct group_list *list)
{
    int deep = 0;
    for (int g = 0; g < list->count; g++)
        deep += list->deep[g];
    const int across = deep > 0 ? group_tiles(list) / deep : 0;
    for (int i = 1; i < list->count; i++)
        for (int k = i; k > 0 && list->height[list->order[k]] > list->height[list->order[k - 1]]; k--) {
            const int group = list->order[k];
            list->order[k] = list->order[k - 1];
            list->order[k - 1] = group;
        }
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

/* Where a tile's group is in the order: the last that begins at the tile or before, so one that has tiles. */
GEMM_BOTH int group_position(const struct group_list *list, int tile)
{
    int below = 0, above = list->count;
    while (above - below > 1) {
        const int middle = (below + above) / 2;
        if (list->first_tile[middle] <= tile)
            below = middle;
        else
            above = middle;
    }
    return below;
}

GEMM_BOTH struct group_place group_place_in(const struct group_list *list, int position, int tile)
{
    const int group = list->order[position], index = tile - list->first_tile[position];
    const int deep = list->deep[group] > 0 ? list->deep[group] : 1; /* a group that has the tile has no less */
    const int height = list->height[group], row = index % deep * height;
    const int left = list->first_row[group + 1] - list->first_row[group] - row;
    const struct group_place place = {group, row, left < height ? left : height, height, index / deep * list->columns};
    return place;
}

GEMM_BOTH struct group_place group_place_of(const struct group_list *list, int tile)
{
    const int turn = group_turn(list, tile);
    return group_place_in(list, group_position(list, turn), turn);
}

/* The most rows that one of the clusters has in its tiles: how long they take is theirs. */
static inline int64_t group_longest(const struct group_list *list, int clusters)
{
    int64_t longest = 0;
    for (int cluster = 0; cluster < clusters; cluster++) {
        int64_t rows = 0;
        for (int tile = cluster; tile < group_tiles(list); tile += clusters)
            rows += group_place_of(list, tile).height;
        longest = rows > longest ? rows : longest;
    }
    return longest;
}

#endif
