/* blockscaled_gemm/gemm_raster.h: every tile comes up once, in an order that keeps what runs
 * together close; and a grid's clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "blockscaled_gemm/gemm_raster.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_TILES   4096

struct walk {
    const char *sentence;
    int rows, columns, group;
};

static const struct walk walks[] = {
    {"one tile", 1, 1, 8},
    {"one tile, rows alone", 1, 1, 1},
    {"whole groups", 32, 32, 8},
    {"the last group is lower than the others", 17, 18, 8},
    {"fewer rows than a group has", 3, 50, 8},
    {"one column", 64, 1, 8},
    {"one row", 1, 64, 8},
    {"row by row", 16, 28, 1},
    {"a group of all rows: column by column", 16, 28, 16},
};

static void test_every_tile_comes_up_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(walks); i++) {
        const struct walk *w = &walks[i];
        unsigned char seen[MOST_TILES] = {0};
        print_message("%s\n", w->sentence);
        for (int tile = 0; tile < w->rows * w->columns; tile++) {
            const struct gemm_place place = gemm_place_of(w->rows, w->columns, w->group, tile);
            assert_in_range(place.row, 0, w->rows - 1);
            assert_in_range(place.column, 0, w->columns - 1);
            assert_int_equal(seen[place.row * w->columns + place.column]++, 0);
        }
    }
}

struct turn {
    const char *sentence;
    int rows, columns, group, tile;
    struct gemm_place place;
};

static const struct turn turns[] = {
    {"the first is in the corner", 32, 32, 8, 0, {0, 0}},
    {"the next is below it", 32, 32, 8, 1, {1, 0}},
    {"behind the group's rows comes the next column", 32, 32, 8, 8, {0, 1}},
    {"behind the group's columns comes the next group", 32, 32, 8, 256, {8, 0}},
    {"a lower last group turns to the next column sooner", 10, 4, 8, 34, {8, 1}},
    {"a group of one row goes to the right", 32, 32, 1, 1, {0, 1}},
};

static void test_tiles_go_down_their_group_and_then_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(turns); i++) {
        const struct turn *t = &turns[i];
        print_message("%s\n", t->sentence);
        const struct gemm_place place = gemm_place_of(t->rows, t->columns, t->group, t->tile);
        assert_int_equal(place.row, t->place.row);
        assert_int_equal(place.column, t->place.column);
    }
}

struct grid {
    const char *sentence;
    int tiles, resident, clusters;
};

static const struct grid grids[] = {
    {"one tile, one cluster", 1, 66, 1},
    {"fewer tiles than places: a cluster each", 65, 66, 65},
    {"as many tiles as places", 66, 66, 66},
    {"one more tile: two rounds, shared evenly", 67, 66, 34},
    {"16 rounds of 64 take no longer than 15.5 of 66", 1024, 66, 64},
    {"one place does it all", 5, 1, 1},
};

static void test_no_cluster_is_idle_in_the_last_round_for_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(grids); i++) {
        const struct grid *g = &grids[i];
        print_message("%s\n", g->sentence);
        assert_int_equal(gemm_clusters(g->tiles, g->resident), g->clusters);
    }
}

struct depth {
    const char *sentence;
    int64_t n, k;
    int group;
};

static const struct depth depths[] = {
    {"B of 16 MiB stays in the L2: row by row", 8192, 1024, 1},
    {"one row more of B: groups", 8200, 1024, 8},
    {"a little deeper: groups", 8192, 1032, 8},
    {"many rows of B, little depth", 131072, 64, 1},
    {"more than 2^31 bytes", 65536, 65536, 8},
};

static void test_tiles_go_row_by_row_where_b_stays_in_the_l2(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(depths); i++) {
        print_message("%s\n", depths[i].sentence);
        assert_int_equal(gemm_group(depths[i].n, depths[i].k), depths[i].group);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tile_comes_up_once),
        cmocka_unit_test(test_tiles_go_down_their_group_and_then_right),
        cmocka_unit_test(test_tiles_go_row_by_row_where_b_stays_in_the_l2),
        cmocka_unit_test(test_no_cluster_is_idle_in_the_last_round_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
