/*
 * group_plan.h - an order of tiles in which all clusters are done at about the same time: those
 * that take longest first, each to the cluster that is done first; what would then end too late is
 * cut along k, into pieces that fill what the others have left.
 *
 * Plain C. The sums of all pieces of a tile but the last are given: they go to memory, where who
 * has the last one adds them to its own. Invariant: a cluster gives before it takes, so that none
 * waits for who waits; all clusters are at work at once.
 *
 *     const double cycles = group_plan_turns(&list, &costs, blocks_k, clusters, true);
 *     grid = list.turns > 0 ? list.round : clusters;   the plan may have
 *         less to do than for so many
 */
#ifndef GROUP_PLAN_H
#define GROUP_PLAN_H

#include "blockscaled_gemm/gemm_plan.h"
#include "group_schedule.h"

#define GROUP_CLUSTERS    264 /* that a plan is made for at most */
#define GROUP_LEAST_PIECE 2   /* blocks of k */
#define GROUP_PLAN_TRIES \
    12 /* to find out by when all can be done: to 1/4096 of what cuts can save */

/* What tiles take, in any unit. */
struct group_costs {
    double block[GEMM_TILE_BLOCKS]; /* of k, of a tile of 1, 2, .. blocks of rows; rising */
    double tile;                    /* to begin and end one */
    double give, take; /* to begin a piece and to give its sums; to take those of one, beside what a
                          tile takes */
};

/* A plan that is being made: what clusters are to do, all before `limit`. */
struct group_planning {
    int clusters, blocks_k;
    double limit, busy[GROUP_CLUSTERS];
    int taken[GROUP_CLUSTERS]; /* turns of each */
    int rounds, pieces;
};

/* Blocks of rows of a tile. */
static inline int group_tile_blocks(const struct group_list *list, int tile)
{
    return group_parts(group_place_in(list, group_position(list, tile), tile).rows,
                       GEMM_BLOCK_ROWS);
}

static inline double group_tile_cost(const struct group_list *list, const struct group_costs *costs,
                                     int blocks_k, int tile)
{
    return costs->block[group_tile_blocks(list, tile) - 1] * blocks_k + costs->tile;
}

static inline int group_first_done(const struct group_planning *plan)
{
    int first = 0;
    for (int i = 1; i < plan->clusters; i++)
        if (plan->busy[i] < plan->busy[first])
            first = i;
    return first;
}

static inline bool group_take_turn(struct group_list *list, struct group_planning *plan,
                                   int cluster, uint32_t turn, double cost)
{
    if ((plan->taken[cluster] + 1) * plan->clusters > GROUP_TURNS)
        return false;
    list->turn[plan->taken[cluster] * plan->clusters + cluster] = turn;
    plan->busy[cluster] += cost;
    plan->taken[cluster]++;
    plan->rounds = plan->taken[cluster] > plan->rounds ? plan->taken[cluster] : plan->rounds;
    return true;
}

/* A piece for a cluster. `partial`, `takes`: as in group_piece. */
static inline bool group_take_piece(struct group_list *list, struct group_planning *plan,
                                    int cluster, struct group_piece piece, double cost)
{
    if (plan->pieces == GROUP_PIECES)
        return false;
    list->piece[plan->pieces] = piece;
    return group_take_turn(list, plan, cluster, GROUP_PIECE | (uint32_t)plan->pieces++, cost);
}

/* So many of the blocks that are left to give as a cluster has time for; 0: too few. */
static inline int group_given(const struct group_planning *plan, const struct group_costs *costs,
                              double block, int cluster, int left)
{
    const double room = (plan->limit - plan->busy[cluster] - costs->give) / block;
    if (room >= left)
        return left;
    const int count = room < left - GROUP_LEAST_PIECE ? (int)room : left - GROUP_LEAST_PIECE;
    return count < GROUP_LEAST_PIECE ? 0 : count;
}

/* A cluster that is done too late keeps the end of its last tile only: the beginning
 * goes to those who are done first. */
static inline bool group_shed(struct group_list *list, struct group_planning *plan,
                              const struct group_costs *costs, int cluster)
{
    uint32_t *turn = &list->turn[(plan->taken[cluster] - 1) * plan->clusters + cluster];
    const uint32_t tile = *turn;
    const double block =
        costs->block[group_parts(group_place_written(list, tile).rows, GEMM_BLOCK_ROWS) - 1];
    const double excess = plan->busy[cluster] + costs->take - plan->limit;
    const int needed = (int)(excess / block) + 1,
              count = needed < GROUP_LEAST_PIECE ? GROUP_LEAST_PIECE : needed;
    const int first_partial = list->partials;
    if ((tile & GROUP_PIECE) || count > plan->blocks_k - GROUP_LEAST_PIECE ||
        plan->pieces == GROUP_PIECES)
        return false;
    for (int first = 0, given; first < count; first += given) {
        const int to = group_first_done(plan);
        given = group_given(plan, costs, block, to, count - first);
        const struct group_piece piece = {tile, first, given, (int16_t)list->partials++, 0};
        if (given == 0 || !group_take_piece(list, plan, to, piece, given * block + costs->give))
            return false;
    }
    if (plan->pieces == GROUP_PIECES)
        return false;
    list->piece[plan->pieces] =
        (struct group_piece){tile, count, plan->blocks_k - count, (int16_t)first_partial,
                             (int16_t)(list->partials - first_partial)};
    *turn = GROUP_PIECE | (uint32_t)plan->pieces++;
    plan->busy[cluster] += costs->take - count * block;
    return true;
}

/* Whole tiles to who is done first, those that take longest first; then who has too much gives
 * some away. Can all be done by then? */
static inline bool group_try(struct group_list *list, struct group_planning *plan,
                             const struct group_costs *costs, double limit)
{
    bool fits = true;
    *plan = (struct group_planning){
        .clusters = plan->clusters, .blocks_k = plan->blocks_k, .limit = limit};
    list->partials = 0;
    for (int i = 0; i < GROUP_TURNS; i++)
        list->turn[i] = GROUP_NO_TURN;
    for (int blocks = GEMM_TILE_BLOCKS; blocks > 0; blocks--)
        for (int tile = 0; fits && tile < group_tiles(list); tile++)
            if (group_tile_blocks(list, tile) == blocks)
                fits =
                    group_take_turn(list, plan, group_first_done(plan), group_written(list, tile),
                                    group_tile_cost(list, costs, plan->blocks_k, tile));
    for (int i = 0; fits && i < plan->clusters; i++)
        if (plan->busy[i] > limit)
            fits = group_shed(list, plan, costs, i);
    return fits;
}

static inline double group_last_done(const struct group_planning *plan)
{
    double last = 0;
    for (int i = 0; i < plan->clusters; i++)
        last = plan->busy[i] > last ? plan->busy[i] : last;
    return last;
}

/* Is what a turn leaves, or what it takes, another's? */
static inline bool group_turn_takes(const struct group_list *list, uint32_t turn)
{
    return (turn & GROUP_PIECE) && list->piece[turn % GROUP_PIECE].takes > 0;
}

/* Of a cluster's turns those that take sums become the last. */
static inline void group_give_first(struct group_list *list, const struct group_planning *plan,
                                    int cluster)
{
    for (int i = 1; i < plan->taken[cluster]; i++)
        for (int k = i; k > 0; k--) {
            uint32_t *before = &list->turn[(k - 1) * plan->clusters + cluster],
                     *turn = &list->turn[k * plan->clusters + cluster];
            const uint32_t swapped = *before;
            if (!group_turn_takes(list, *before) || group_turn_takes(list, *turn))
                break;
            *before = *turn;
            *turn = swapped;
        }
}

/* A plan that is ready: clusters that have nothing to do, which
 * are the last, have no place in it. */
static inline void group_keep_plan(struct group_list *list, const struct group_planning *plan)
{
    int used = 0;
    while (used < plan->clusters && plan->taken[used] > 0)
        group_give_first(list, plan, used++);
    for (int round = 0; round < plan->rounds; round++)
        for (int i = 0; i < used; i++)
            list->turn[round * used + i] = list->turn[round * plan->clusters + i];
    list->turns = plan->rounds * used;
    list->round = used;
}

/*
 * Writes down another order, in which clusters are done at about the same time, with pieces of
 * tiles if `cuts`. Returns what the cluster that is done last takes. Of too many tiles nothing is
 * written down, and all clusters take the same.
 */
static inline double group_plan_turns(struct group_list *list, const struct group_costs *costs,
                                      int blocks_k, int clusters, bool cuts)
{
    struct group_planning plan = {.clusters = clusters, .blocks_k = blocks_k};
    double all = 0;
    for (int tile = 0; tile < group_tiles(list); tile++)
        all += group_tile_cost(list, costs, blocks_k, tile);
    list->turns = list->drawn = 0;
    if (!group_can_write(list) || clusters > GROUP_CLUSTERS ||
        !group_try(list, &plan, costs, 2 * all))
        return all / clusters;
    double limit = group_last_done(&plan), too_soon = all / clusters;
    for (int i = 0; cuts && i < GROUP_PLAN_TRIES; i++) {
        const double between = (limit + too_soon) / 2;
        if (group_try(list, &plan, costs, between))
            limit = between;
        else
            too_soon = between;
    }
    group_try(list, &plan, costs, limit);
    group_keep_plan(list, &plan);
    return group_last_done(&plan);
}

#endif
