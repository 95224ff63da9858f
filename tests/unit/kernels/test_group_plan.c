/*
 * group_gemm/group_plan.h and group_draws.h: every block of k of every tile is somebody's, sums
 * that are given are taken once, and all are done in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "group_gemm/group_choice.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_ROWS    2304
#define MOST_COLUMNS 64 /* of tiles */

struct walk {
    const char *sentence;
    struct group_sizes sizes;
    int tokens;
    int64_t n;
    int blocks_k, tiles, clusters;
    bool may_cut;
};

static const struct walk plans[] = {
    {"the first seed's shape, whole tiles", {8, {80, 176, 128, 72, 64, 248, 96, 160}}, 192, 4096, 56, 288, 132, false},
    {"the first seed's shape", {8, {80, 176, 128, 72, 64, 248, 96, 160}}, 192, 4096, 56, 288, 132, true},
    {"the second seed's shape", {8, {40, 76, 168, 72, 164, 148, 196, 160}}, 192, 7168, 16, 504, 132, true},
    {"the third seed's shape: fewer tiles than clusters", {2, {192, 320}}, 192, 3072, 32, 72, 132, true},
    {"the same, whole tiles", {2, {192, 320}}, 192, 3072, 32, 72, 72, false},
    {"tiles above each other, n ends inside of a tile", {3, {300, 257, 700}}, 192, 520, 56, 40, 7, true},
    {"tiles of one block of rows", {3, {300, 257, 700}}, 64, 520, 56, 105, 13, true},
    {"groups without rows", {5, {0, 96, 0, 160, 0}}, 192, 512, 56, 8, 3, true},
    {"one cluster takes all", {2, {192, 320}}, 128, 1024, 56, 40, 1, true},
    {"one tile for as many clusters as there may be", {1, {64}}, 64, 128, 56, 1, GROUP_CLUSTERS, true},
    {"k too short to be cut", {1, {64}}, 64, 128, 1, 1, 132, true},
    {"a k that can be cut once", {1, {64}}, 64, 128, 2 * GROUP_LEAST_PIECE, 1, 132, true},
    {"more clusters than tiles, whole ones", {2, {10, 20}}, 192, 128, 56, 2, 66, false},
    {"as many clusters as a plan is made for", {4, {256, 256, 256, 256}}, 128, 8192, 56, 512, GROUP_CLUSTERS, false},
    {"as many turns as are written down", {1, {1024}}, 64, 8192, 56, GROUP_TURNS, 64, false},
    {"the same, and no room for pieces", {1, {1024}}, 64, 8192, 56, GROUP_TURNS, 64, true},
};

static struct group_list list_of(const struct walk *w)
{
    return group_list_of(&w->sizes, &w->sizes, (struct group_tile){w->tokens, GROUP_TILE_WEIGHTS, GEMM_BLOCK_ROWS}, w->n);
}

static double plan_of(struct group_list *list, const struct walk *w)
{
    const struct group_costs costs = group_costs_of_blocks();
    return group_plan_turns(list, &costs, w->blocks_k, w->clusters, w->may_cut);
}

/* What has come up: blocks of k of each row and column of tiles, as bits; and
 * what became of the places for sums. */
static uint64_t seen[MOST_ROWS][MOST_COLUMNS];
static int given[2 * GROUP_PIECES], taken[2 * GROUP_PIECES];
static uint32_t tile_given[2 * GROUP_PIECES], tile_taken[2 * GROUP_PIECES];

static void see(const struct group_place *place, const struct group_piece *piece)
{
    const uint64_t blocks = piece->count < 64 ? ((UINT64_C(1) << piece->count) - 1) << piece->first : UINT64_MAX;
    for (int row = 0; row < place->rows; row++) {
        uint64_t *const before = &seen[place->of.first_row + place->row + row][place->column / GROUP_TILE_WEIGHTS];
        assert_true((*before & blocks) == 0);
        *before |= blocks;
    }
}

static void see_partials(const struct group_piece *piece)
{
    if (piece->partial >= 0 && piece->takes == 0) {
        given[piece->partial]++;
        tile_given[piece->partial] = piece->tile;
    }
    for (int i = 0; i < piece->takes; i++) {
        taken[piece->partial + i]++;
        tile_taken[piece->partial + i] = piece->tile;
    }
}

static double cost_of(const struct group_place *place, const struct group_piece *piece)
{
    const struct group_costs costs = group_costs_of_blocks();
    const double products = costs.block[group_parts(place->rows, GEMM_BLOCK_ROWS) - 1] * piece->count;
    if (piece->partial >= 0 && piece->takes == 0)
        return products + costs.give;
    return products + costs.tile + (piece->takes > 0 ? costs.take : 0);
}

/* The turns of one cluster, and what they take: behind one that nobody takes it has no more, and it
 * takes sums when it gives none any more. */
static double follow_turns(const struct walk *w, const struct group_list *list, int cluster)
{
    double busy = 0;
    bool is_done = false, has_taken = false;
    assert_true(group_has_turn(list, cluster, list->turns));
    for (int turn = cluster; turn < list->turns; turn += list->round) {
        struct group_piece piece;
        const bool has_turn = group_has_turn(list, turn, list->turns);
        assert_false(is_done && has_turn);
        is_done = !has_turn;
        if (is_done)
            continue;
        const struct group_place place = group_part_of(list, turn, w->blocks_k, &piece);
        assert_false(has_taken && piece.takes == 0);
        has_taken = piece.takes > 0;
        assert_true(piece.partial < 0 ? piece.count == w->blocks_k : piece.count >= GROUP_LEAST_PIECE);
        see(&place, &piece);
        see_partials(&piece);
        busy += cost_of(&place, &piece);
    }
    return busy;
}

static void assert_all_seen(const struct walk *w)
{
    const uint64_t all = (UINT64_C(1) << w->blocks_k) - 1;
    for (int64_t row = 0; row < group_first_row(&w->sizes, w->sizes.count); row++)
        for (int column = 0; column < group_parts(w->n, GROUP_TILE_WEIGHTS); column++)
            assert_true(seen[row][column] == all);
}

/* Each place once, by pieces of one tile. */
static void assert_all_taken(const struct group_list *list)
{
    for (int i = 0; i < list->partials; i++)
        assert_true(given[i] == 1 && taken[i] == 1 && tile_given[i] == tile_taken[i]);
}

/* No less than everybody's share, nor than whole tiles in their order would
 * take, but for what cutting costs. */
static void assert_in_time(const struct walk *w, double planned)
{
    struct walk whole = *w;
    struct group_list list = list_of(w);
    const struct group_costs costs = group_costs_of_blocks();
    double all = 0;
    for (int tile = 0; tile < group_tiles(&list); tile++)
        all += group_tile_cost(&list, &costs, w->blocks_k, tile);
    whole.may_cut = false;
    const double uncut = plan_of(&list, &whole);
    if (planned < all / w->clusters || planned > uncut)
        fail_msg("%s: the busiest cluster takes %g, expected %g to %g", w->sentence, planned, all / w->clusters, uncut);
}

static void test_a_plan_has_every_block_once_and_ends_in_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        const struct walk *w = &plans[i];
        struct group_list list = list_of(w);
        double busiest = 0;
        print_message("%s\n", w->sentence);
        memset(seen, 0, sizeof(seen));
        memset(given, 0, sizeof(given));
        memset(taken, 0, sizeof(taken));
        assert_int_equal(group_tiles(&list), w->tiles);
        const double planned = plan_of(&list, w);
        assert_in_range(list.turns, w->tiles, GROUP_TURNS);
        assert_in_range(list.round, 1, w->clusters);
        assert_int_equal(list.turns % list.round, 0);
        for (int cluster = 0; cluster < list.round; cluster++) {
            const double busy = follow_turns(w, &list, cluster);
            busiest = busy > busiest ? busy : busiest;
        }
        assert_all_seen(w);
        assert_all_taken(&list);
        assert_true(busiest > planned * (1 - 1e-9) && busiest < planned * (1 + 1e-9));
        assert_in_time(w, planned);
    }
}

/*
 * By how much: what is left of the time that whole tiles would take. Of the third
 * shape 132 clusters instead of 72 would leave 0.55; to give sums and to take them is
 * a fifth of what its longest tile takes.
 */
static void test_pieces_save_time_where_tiles_are_few(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        size_t whole, cut;
        double most;
    } rows[] = {{"the first seed's shape", 0, 1, 0.95}, {"the third seed's shape", 4, 3, 0.7}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct group_list whole = list_of(&plans[rows[i].whole]), cut = list_of(&plans[rows[i].cut]);
        const double before = plan_of(&whole, &plans[rows[i].whole]), after = plan_of(&cut, &plans[rows[i].cut]);
        assert_int_equal(whole.partials, 0);
        assert_true(cut.partials > 0);
        if (after > rows[i].most * before)
            fail_msg("%s: %g, expected at most %g of %g", rows[i].sentence, after, rows[i].most, before);
    }
}

/* Sums are given before somebody comes to take them, for who takes waits; and a
 * cluster begins with a whole tile. */
static void follow_draws(const struct walk *w, const struct group_list *list)
{
    for (int turn = 0; turn < list->turns; turn++) {
        struct group_piece piece;
        const struct group_place place = group_part_of(list, turn, w->blocks_k, &piece);
        assert_true(piece.partial < 0 ? piece.count == w->blocks_k : piece.count > 0);
        assert_true(piece.partial < 0 || turn >= w->clusters);
        for (int i = 0; i < piece.takes; i++)
            assert_int_equal(given[piece.partial + i], 1);
        see(&place, &piece);
        see_partials(&piece);
    }
}

static void test_draws_have_every_block_once_and_give_before_they_take(void **state)
{
    (void)state;
    const struct group_costs costs = group_costs_of_blocks();
    for (size_t i = 0; i < COUNT(plans); i++) {
        const struct walk *w = &plans[i];
        struct group_list list = list_of(w), as_turns = list_of(w);
        if (w->tiles <= w->clusters || !w->may_cut)
            continue;
        print_message("%s\n", w->sentence);
        memset(seen, 0, sizeof(seen));
        memset(given, 0, sizeof(given));
        memset(taken, 0, sizeof(taken));
        const double cycles = group_plan_tiles(&list, &costs, w->blocks_k, w->clusters, true);
        assert_int_equal(list.round, w->clusters);
        assert_int_equal(list.turns - list.drawn, w->clusters);
        follow_draws(w, &list);
        assert_all_seen(w);
        assert_all_taken(&list);
        struct walk whole = *w;
        whole.may_cut = false;
        const double uncut = plan_of(&as_turns, &whole);
        assert_true(cycles > uncut / 2 && cycles < 1.1 * uncut);
    }
}

/* What is cut: of the first seed's shape 32 tiles, half of them in three; of the second none,
 * whose tiles have a quarter of that k. */
static void test_draws_cut_what_saves_time(void **state)
{
    (void)state;
    const struct group_costs costs = group_costs_of_blocks();
    struct group_list first = list_of(&plans[1]), second = list_of(&plans[2]);
    group_plan_tiles(&first, &costs, plans[1].blocks_k, plans[1].clusters, true);
    group_plan_tiles(&second, &costs, plans[2].blocks_k, plans[2].clusters, true);
    assert_int_equal(first.partials, 48);
    assert_int_equal(first.turns, 288 - 32 + 80);
    assert_int_equal(second.partials, 0);
    assert_int_equal(second.turns, 504);
    assert_int_equal(group_place_of(&first, 0).of.deep, 2); /* tiles that share weights come first */
}

/* Of so many turns from `first` on, those of tiles with so many blocks of rows. */
static int turns_of_height(const struct group_list *list, int first, int count, int blocks)
{
    int found = 0;
    for (int turn = first; turn < first + count; turn++)
        found += group_parts(group_place_of(list, turn).rows, GEMM_BLOCK_ROWS) == blocks;
    return found;
}

/*
 * The second seed's shape has 112 tiles that share weights, 224 of three blocks, 112 of two and 56
 * of one. Five tiles for six of 132 clusters come last: so 58 of two blocks are spread over the
 * 224, two to four among any 15 of both.
 */
static void test_high_tiles_and_low_ones_are_mixed(void **state)
{
    (void)state;
    const struct group_costs costs = group_costs_of_blocks();
    const int sharing = 112, mixed = 282, last = 110, window = 15;
    struct group_list list = list_of(&plans[2]);
    group_plan_tiles(&list, &costs, plans[2].blocks_k, plans[2].clusters, true);
    assert_int_equal(list.turns, sharing + mixed + last);
    assert_int_equal(turns_of_height(&list, 0, sharing, 2), sharing);
    assert_int_equal(turns_of_height(&list, sharing, mixed, 3), 224);
    for (int turn = sharing; turn + window <= sharing + mixed; turn++)
        assert_in_range(turns_of_height(&list, turn, window, 2), 2, 4);
    assert_int_equal(turns_of_height(&list, sharing + mixed, last, 2), 54);
    assert_int_equal(turns_of_height(&list, list.turns - 56, 56, 1), 56);
}

/* Of 7, 3 and 2 tiles of three, two and one block: the first of each height by how few there are
 * of the others, ties to the higher. */
static void test_three_heights_are_spread_evenly(void **state)
{
    (void)state;
    static const int all[GEMM_TILE_BLOCKS + 1] = {0, 2, 3, 7}, expected[] = {3, 2, 3, 1, 3, 3, 2, 3, 1, 3, 2, 3};
    int begun[GEMM_TILE_BLOCKS + 1] = {0};
    for (size_t i = 0; i < COUNT(expected); i++) {
        const int blocks = group_most_behind(all, begun);
        assert_int_equal(blocks, expected[i]);
        begun[blocks]++;
    }
    assert_memory_equal(begun, all, sizeof(all));
    assert_int_equal(group_most_behind(all, begun), 0);
}

/* Few tiles are nobody's to draw, nor those of clusters that are not all at work at once. */
static void test_nothing_is_drawn_where_somebody_might_wait_for_ever(void **state)
{
    (void)state;
    const struct group_costs costs = group_costs_of_blocks();
    struct group_list few = list_of(&plans[3]), apart = list_of(&plans[1]);
    few.drawn = apart.drawn = 1;
    group_plan_tiles(&few, &costs, plans[3].blocks_k, plans[3].clusters, true);
    group_plan_tiles(&apart, &costs, plans[1].blocks_k, plans[1].clusters, false);
    assert_int_equal(few.drawn, 0);
    assert_int_equal(apart.drawn, 0);
}

/* Costs are then shared by all clusters, and an order is found as
 * if nobody had asked for another. */
static const struct walk unplanned[] = {
    {"a cluster more than a plan is made for", {4, {256, 256, 256, 256}}, 128, 8192, 56, 512, GROUP_CLUSTERS + 1, true},
    {"a tile more than turns are written down", {2, {1024, 1}}, 64, 8192, 56, GROUP_TURNS + 64, 64, true},
};

static void test_a_plan_that_is_too_long_is_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(unplanned); i++) {
        const struct walk *w = &unplanned[i];
        struct group_list list = list_of(w);
        double all = 0;
        print_message("%s\n", w->sentence);
        memset(seen, 0, sizeof(seen));
        assert_int_equal(group_tiles(&list), w->tiles);
        const double planned = plan_of(&list, w);
        assert_int_equal(list.turns, 0);
        for (int tile = 0; tile < w->tiles; tile++) {
            struct group_piece piece;
            const struct group_place place = group_part_of(&list, tile, w->blocks_k, &piece);
            assert_true(group_has_turn(&list, tile, w->tiles));
            assert_true(piece.partial < 0 && piece.takes == 0);
            see(&place, &piece);
            all += cost_of(&place, &piece);
        }
        assert_all_seen(w);
        assert_true(planned > all / w->clusters * (1 - 1e-9) && planned < all / w->clusters * (1 + 1e-9));
    }
}

/* The last round need not be full: of 8 rounds by 132 clusters there
 * are 1056 turns, and room for 1024. */
static void test_turns_that_nobody_takes_have_a_place_too(void **state)
{
    (void)state;
    for (int tiles = 1; tiles <= GROUP_TURNS; tiles++) {
        const struct walk w = {"", {1, {64}}, 64, (int64_t)GROUP_TILE_WEIGHTS * tiles, 56, tiles, GROUP_BLOCKS, tiles % 2 > 0};
        struct group_list list = list_of(&w);
        plan_of(&list, &w);
        if (list.turns > GROUP_TURNS)
            fail_msg("%d tiles: %d turns, expected at most %d", tiles, list.turns, GROUP_TURNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plan_has_every_block_once_and_ends_in_time),
        cmocka_unit_test(test_pieces_save_time_where_tiles_are_few),
        cmocka_unit_test(test_draws_have_every_block_once_and_give_before_they_take),
        cmocka_unit_test(test_draws_cut_what_saves_time),
        cmocka_unit_test(test_high_tiles_and_low_ones_are_mixed),
        cmocka_unit_test(test_three_heights_are_spread_evenly),
        cmocka_unit_test(test_nothing_is_drawn_where_somebody_might_wait_for_ever),
        cmocka_unit_test(test_a_plan_that_is_too_long_is_none),
        cmocka_unit_test(test_turns_that_nobody_takes_have_a_place_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
