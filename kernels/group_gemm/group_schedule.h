/*
 * group_schedule.h - which tile of which group is whose turn. Plain C and CUDA, so that a test without a GPU can walk every tile.
 *
 * A tile is some rows of one group by some columns of n. Tiles of the same columns follow each other, whatever rows they have: what they
 * read of the weights then comes from DRAM once. Groups follow each other; one without rows has no tiles.
 * Invariant: over tile = 0 .. group_tiles() - 1 every row of every group comes up once with each of the columns, and no other row.
 *
 *     const struct group_list list = group_list_of(sizes, (struct group_tile){.rows = 256, .columns = 256, .step = 32}, n);
 *     for (int tile = 0; tile < group_tiles(&list); tile++)
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
    int first_row[GROUP_MOST + 1];
    int first_tile[GROUP_MOST + 1];
    int height[GROUP_MOST]; /* rows of a tile of this group, a multiple of the step; the last may reach beyond the group */
    int deep[GROUP_MOST];   /* tiles above each other */
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

GEMM_BOTH struct group_list group_list_of(const struct group_sizes *sizes, struct group_tile tile, int64_t n)
{
    struct group_list list = {.count = sizes->count, .columns = tile.columns};
    for (int g = 0; g < list.count; g++) {
        const int deep = group_parts(sizes->m[g], tile.rows);
        list.deep[g] = deep;
        list.height[g] = deep > 0 ? group_parts(group_parts(sizes->m[g], deep), tile.step) * tile.step : 0;
        list.first_row[g + 1] = list.first_row[g] + (int)sizes->m[g];
        list.first_tile[g + 1] = list.first_tile[g] + deep * group_parts(n, tile.columns);
    }
    return list;
}

GEMM_BOTH int group_tiles(const struct group_list *list)
{
    return list->first_tile[list->count];
}

/* The group of a tile: the last that begins at it or before, so one that has tiles. */
GEMM_BOTH int group_of(const struct group_list *list, int tile)
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

GEMM_BOTH struct group_place group_place_in(const struct group_list *list, int group, int tile)
{
    const int index = tile - list->first_tile[group], deep = list->deep[group], height = list->height[group];
    const int row = index % deep * height, left = list->first_row[group + 1] - list->first_row[group] - row;
    const struct group_place place = {group, row, left < height ? left : height, height, index / deep * list->columns};
    return place;
}

GEMM_BOTH struct group_place group_place_of(const struct group_list *list, int tile)
{
    return group_place_in(list, group_of(list, tile), tile);
}

#endif
