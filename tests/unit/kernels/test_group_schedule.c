/* group_gemm/group_schedule.h: every row of every group comes up once with each column of n;
 * group_layout.h: what cannot be is named. */
#include <string.h>

#include "check.h"
#include "group_gemm/group_choice.h"

#define MOST_ROWS    2304
#define MOST_COLUMNS 64 /* of tiles */

struct walk {
    const char *sentence;
    struct group_sizes sizes;
    struct group_tile tile;
    int64_t n;
    int tiles;
    int clusters; /* that take turns, the highest tiles first; 0: in the order of the groups */
};

static const struct walk walks[] = {
    {"one group, one tile", {1, {256}}, {256, 256, 32}, 256, 1, 0},
    {"one row more than a tile is two tiles", {1, {257}}, {256, 256, 32}, 256, 2, 0},
    {"n ends inside of a tile", {1, {256}}, {256, 256, 32}, 264, 2, 0},
    {"groups of all sizes around a tile",
     {7, {1, 63, 64, 65, 127, 128, 129}},
     {64, 128, 64},
     1000,
     96,
     0},
    {"an empty group first, one in between, one last",
     {5, {0, 96, 0, 160, 0}},
     {256, 256, 32},
     512,
     4,
     0},
    {"the first seed's shape",
     {8, {80, 176, 128, 72, 64, 248, 96, 160}},
     {256, 256, 32},
     4096,
     128,
     0},
    {"as many groups as there may be", {64, {0, 1, [62] = 3, [63] = 40}}, {32, 64, 32}, 128, 8, 0},
    {"the first seed's shape sorted, by 64 clusters: every other round backwards",
     {8, {80, 176, 128, 72, 64, 248, 96, 160}},
     {256, 256, 32},
     4096,
     128,
     64},
    {"sorted, with groups without rows", {5, {0, 96, 0, 160, 0}}, {256, 128, 32}, 512, 8, 3},
    {"more clusters than tiles", {2, {10, 20}}, {256, 128, 32}, 128, 2, 66},
};

static unsigned char seen[MOST_ROWS]
                         [MOST_COLUMNS]; /* how often each row of each column of tiles came up */

static void see_place(const struct walk *w, const struct group_place *place)
{
    assert_in_range(place->of.group, 0, w->sizes.count - 1);
    assert_true(place->rows > 0 && place->rows <= place->of.height &&
                place->of.height <= w->tile.rows);
    assert_int_equal(place->of.height % w->tile.step, 0);
    assert_int_equal(place->of.first_row, group_first_row(&w->sizes, place->of.group));
    assert_int_equal(place->of.first_scale, group_first_scale(&w->sizes, place->of.group, 1));
    assert_true(place->row + place->rows <= w->sizes.m[place->of.group]);
    assert_true(place->column % w->tile.columns == 0 && place->column < w->n);
    for (int row = 0; row < place->rows; row++)
        seen[place->of.first_row + place->row + row][place->column / w->tile.columns]++;
}

static void assert_all_seen_once(const struct walk *w)
{
    for (int64_t row = 0; row < group_first_row(&w->sizes, w->sizes.count); row++)
        for (int column = 0; column < group_parts(w->n, w->tile.columns); column++)
            assert_int_equal(seen[row][column], 1);
}

static struct group_list list_of(const struct walk *w)
{
    struct group_list list = group_list_of(&w->sizes, &w->sizes, w->tile, w->n);
    if (w->clusters > 0)
        group_sort(&list);
    list.round = w->clusters;
    return list;
}

TEST(test_every_row_of_every_group_comes_up_once)
{
    for (size_t i = 0; i < COUNT(walks); i++) {
        const struct walk *w = &walks[i];
        const struct group_list list = list_of(w);
        print_message("%s\n", w->sentence);
        memset(seen, 0, sizeof(seen));
        assert_int_equal(group_tiles(&list), w->tiles);
        for (int tile = 0; tile < group_tiles(&list); tile++) {
            const struct group_place place = group_place_of(&list, tile);
            see_place(w, &place);
        }
        assert_all_seen_once(w);
    }
}

TEST(test_an_order_that_is_written_down_is_the_same)
{
    for (size_t i = 0; i < COUNT(walks); i++) {
        const struct group_list list = list_of(&walks[i]);
        struct group_list written = list;
        print_message("%s\n", walks[i].sentence);
        group_write_turns(&written);
        assert_int_equal(list.turns, 0);
        assert_int_equal(written.turns, group_tiles(&list));
        for (int tile = 0; tile < group_tiles(&list); tile++) {
            const struct group_place found = group_place_of(&list, tile),
                                     read = group_place_of(&written, tile);
            assert_true(group_has_turn(&list, tile, walks[i].tiles) &&
                        group_has_turn(&written, tile, walks[i].tiles));
            assert_memory_equal(&read, &found, sizeof(read));
        }
        assert_false(group_has_turn(&list, walks[i].tiles, walks[i].tiles));
        assert_false(group_has_turn(&written, walks[i].tiles, walks[i].tiles));
    }
}

struct refusal {
    const char *sentence;
    struct group_sizes sizes;
    int64_t dim[GROUP_DIM_COUNT];
    enum sg_dtype dtype;
    const char *reason; /* NULL: it may be */
};

static const struct refusal refusals[] = {
    {"a case like any other", {2, {3, 4}}, {2, 7, 8, 8, 0}, SG_BF16, NULL},
    {"a group may be empty", {2, {0, 4}}, {2, 4, 8, 8, 0}, SG_BF16, NULL},
    {"not all groups may be",
     {2, {0, 0}},
     {2, 0, 8, 8, 0},
     SG_BF16,
     "m is 0, expected 1 to 2^31 - 1"},
    {"k is negative", {1, {4}}, {1, 4, 8, -8, 0}, SG_BF16, "k is -8, expected 1 to 2^31 - 1"},
    {"m is 2^31",
     {1, {INT64_C(1) << 31}},
     {1, INT64_C(1) << 31, 8, 8, 0},
     SG_BF16,
     "m is 2147483648, expected 1 to 2^31 - 1"},
    {"the guard is negative",
     {1, {4}},
     {1, 4, 8, 8, -1},
     SG_BF16,
     "guard is -1, expected 0 to 2^31 - 1"},
    {"fewer sizes than groups",
     {2, {3, 4}},
     {3, 7, 8, 8, 0},
     SG_BF16,
     "the length of the list of m is 2, expected as many as groups"},
    {"a group of less than nothing",
     {2, {8, -1}},
     {2, 7, 8, 8, 0},
     SG_BF16,
     "m of group 1 is -1, expected 0 to 2^31 - 1"},
    {"sizes that are not m together",
     {2, {3, 4}},
     {2, 8, 8, 8, 0},
     SG_BF16,
     "the sum of the list of m is 7, expected m of the case"},
    {"more rows of weights than 2^31",
     {2, {3, 4}},
     {2, 7, INT32_MAX, 8, 0},
     SG_BF16,
     "groups * n is 4294967294, expected at most 2^31 - 1 rows of weights"},
    {"more rows of D than 2^31",
     {2, {3, 4}},
     {2, 7, 8, 8, INT32_MAX},
     SG_BF16,
     "m with the guards is 4294967301, expected at most 2^31 - 1 rows of D"},
    {"more tiles than 32 bits count",
     {1, {1 << 24}},
     {1, 1 << 24, 1 << 24, 8, 0},
     SG_BF16,
     "m by n in tiles of 64 by 64 is 68720001025, expected at most 2^28 of them"},
    {"a format that no kernel has",
     {2, {3, 4}},
     {2, 7, 8, 8, 0},
     SG_I8,
     "the dtype's number is 8, expected that of bf16 or e4m3"},
    {"more scales than 2^31",
     {1, {1 << 20}},
     {1, 1 << 20, 8, 1 << 20, 0},
     SG_E4M3,
     "scales of rows of A is 8589934592, expected at most 2^31 - 1"},
};

TEST(test_what_cannot_be_is_named)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *r = &refusals[i];
        struct sg_case c = {.name = "case", .dtype = r->dtype, .more = &r->sizes};
        struct sg_reason why = {""};
        memcpy(c.dim, r->dim, sizeof(r->dim));
        print_message("%s\n", r->sentence);
        assert_int_equal(group_check(&c, &why), r->reason == NULL);
        assert_string_equal(why.text, r->reason ? r->reason : "");
    }
}

TEST(test_a_list_that_is_not_there_is_named)
{
    const struct sg_case c = {.name = "case", .dim = {1, 4, 8, 8, 0}, .dtype = SG_BF16};
    struct sg_reason why = {""};
    assert_false(group_check(&c, &why));
    assert_string_equal(why.text,
                        "the list of m is 0, expected one of as many numbers as there are groups");
}
