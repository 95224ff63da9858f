/* worker/error_place.h: what is found of outputs whose wrong elements are known, and that noise
 * neither makes nor hides a structure. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/random.h"
#include "worker/error_place.h"

struct shape {
    uint64_t rows, columns;
};

typedef bool wrong_fn(const struct shape *s, uint64_t row, uint64_t column);

#define WRONG(name, condition)                                                    \
    static bool name(const struct shape *s, uint64_t row, uint64_t column)        \
    {                                                                             \
        const uint64_t k = row * s->columns + column, end = s->rows * s->columns; \
        (void)k, (void)end;                                                       \
        return condition;                                                         \
    }

/* The same element is drawn for the same place whatever was asked before. */
static double chance(uint64_t k)
{
    uint64_t state = k * 0x9E3779B97F4A7C15u + 77;
    return sg_random_unit(&state);
}

WRONG(none, false)
WRONG(all, true)
WRONG(first_element, k == 0)
WRONG(middle_element, k == end / 2)
WRONG(last_element, k + 1 == end)
WRONG(row_5, row == 5)
WRONG(rows_3_to_10, row >= 3 && row <= 10)
WRONG(last_row, row + 1 == s->rows)
WRONG(last_two_rows, row + 2 >= s->rows)
WRONG(every_8th_row, row % 8 == 0)
WRONG(three_rows, row == 5 || row == 6 || row == 90)
WRONG(column_0, column == 0)
WRONG(last_column, column + 1 == s->columns)
WRONG(every_8th_column, column % 8 == 3)
WRONG(columns_64_up, column >= 64)
WRONG(tail_17, k + 17 >= end)
WRONG(tail_of_last_row, row + 1 == s->rows && column + 7 >= s->columns)
WRONG(tail_of_each_row, column + 7 >= s->columns)
WRONG(tile_1_2, row / 128 == 1 && column / 128 == 2)
WRONG(last_tile, row / 128 == (s->rows - 1) / 128 && column / 128 == (s->columns - 1) / 128)
WRONG(two_tiles, (row / 128 == 0 && column / 128 == 1) || (row / 128 == 1 && column / 128 == 0))
WRONG(three_tiles_of_64x32,
      (row / 64 == 0 && column / 32 == 1) || (row / 64 == 1 && column / 32 == 5) || (row / 64 == 3 && column / 32 == 2))
WRONG(block_3x5, row >= 10 && row < 13 && column >= 21 && column < 26)
WRONG(part_of_row_7, row == 7 && column >= 100 && column < 120)
WRONG(stripes_of_a_tile, row < 128 && column % 8 == 0)
WRONG(every_5th_element, k % 5 == 2)
WRONG(one_percent, chance(k) < 0.01)
WRONG(half, chance(k) < 0.5)
WRONG(diagonal, row == column)
WRONG(lower_triangle, column <= row)
WRONG(row_5_and_another, row == 5 || (row == 9 && column == 40))
WRONG(tile_with_holes, tile_1_2(s, row, column) && chance(k) > 0.03)
WRONG(tile_with_many_holes, tile_1_2(s, row, column) && chance(k) > 0.08)
WRONG(half_of_a_tile, tile_1_2(s, row, column) && chance(k) > 0.5)
WRONG(nearly_all, chance(k) > 0.04)
WRONG(tile_and_noise, tile_1_2(s, row, column) || chance(k) < 0.001)
WRONG(two_far_elements, k == 3 || k == end - 2)
WRONG(elements_100_to_163, k >= 100 && k < 164)
WRONG(blocks_of_256, k / 256 == 1 || k / 256 == 4)
WRONG(warps_first_lane, k % 32 == 0)
WRONG(all_but_one, k != 11)

static const struct {
    const char *sentence;
    struct shape shape;
    wrong_fn *is_wrong;
    const char *text;
    bool loose; /* seeds may see it otherwise */
} rows[] = {
    {"nothing by itself", {200, 300}, none, "spread", false},
    {"all", {200, 300}, all, "all elements", false},
    {"all but one", {200, 300}, all_but_one, "all elements", false},
    {"all, for some are right by chance", {200, 300}, nearly_all, "all elements", false},
    {"the first element", {200, 300}, first_element, "one element at [0,0]", false},
    {"one element", {200, 301}, middle_element, "one element at [100,0]", false},
    {"the last element", {200, 300}, last_element, "one element at [199,299]", false},
    {"the only element", {1, 1}, first_element, "one element at [0]", false},
    {"one of two", {1, 2}, first_element, "one element at [0]", false},
    {"a row", {200, 300}, row_5, "row 5", false},
    {"rows together", {200, 300}, rows_3_to_10, "rows 3-10", false},
    {"the last row", {200, 300}, last_row, "the last row", false},
    {"the last two rows", {200, 300}, last_two_rows, "the last 2 rows", false},
    {"rows at an even distance", {200, 300}, every_8th_row, "every 8th row from 0 to 192", false},
    {"rows at no even distance", {200, 300}, three_rows, "3 rows from 5 to 90", false},
    {"a row and an element", {200, 300}, row_5_and_another, "row 5", false},
    {"the first column", {200, 300}, column_0, "column 0", false},
    {"the last column", {200, 300}, last_column, "the last column", false},
    {"columns at an even distance", {200, 300}, every_8th_column, "every 8th column from 3 to 299", false},
    {"columns to the end", {200, 300}, columns_64_up, "the last 236 columns", false},
    {"a tail", {200, 300}, tail_17, "the last 17 elements", false},
    {"the tail of the last row", {200, 300}, tail_of_last_row, "the last 7 elements", false},
    {"the tail of each row", {200, 300}, tail_of_each_row, "the last 7 columns", false},
    {"a tail longer than a row", {200, 10}, tail_17, "the last 17 elements", false},
    {"a tile", {512, 512}, tile_1_2, "tile of 128x128 at [128,256]", false},
    {"a tile that the end cuts off", {200, 300}, last_tile, "tile of 128x128 at [128,256]", false},
    {"a tile with elements right by chance", {512, 512}, tile_with_holes, "tile of 128x128 at [128,256]", false},
    {"a tile with more of them", {512, 512}, tile_with_many_holes, "tile of 128x128 at [128,256]", true},
    {"a tile half of which is right", {512, 512}, half_of_a_tile, "scattered", false},
    {"a tile and noise elsewhere", {512, 512}, tile_and_noise, "tile of 128x128 at [128,256]", false},
    {"two tiles", {512, 512}, two_tiles, "2 tiles of 128x128, [0,128] to [128,0]", false},
    {"two tiles of a ragged output", {200, 200}, two_tiles, "2 tiles of 128x128, [0,128] to [128,0]", false},
    {"tiles that are no squares", {256, 256}, three_tiles_of_64x32, "3 tiles of 64x32, [0,32] to [192,64]", false},
    {"a block at no multiple of its size", {200, 300}, block_3x5, "block of 3x5 at [10,21]", false},
    {"a part of a row", {200, 300}, part_of_row_7, "block of 1x20 at [7,100]", false},
    {"stripes", {512, 512}, stripes_of_a_tile, "rows 0-127 at every 8th column from 0 to 504", false},
    {"every 5th, across rows", {200, 301}, every_5th_element, "every 5th element from 2 to 60197", false},
    {"every 32nd, in rows of that length", {200, 320}, warps_first_lane, "every 32nd column from 0 to 288", false},
    {"one in a hundred", {512, 512}, one_percent, "scattered", false},
    {"half of them", {512, 512}, half, "scattered", false},
    {"two elements", {200, 300}, two_far_elements, "scattered", false},
    {"a diagonal", {200, 200}, diagonal, "every 201st element from 0 to 39999", false},
    {"a triangle", {200, 200}, lower_triangle, "scattered", false},
    {"one dimension: all", {1, 1000}, all, "all elements", false},
    {"one dimension: an element", {1, 1000}, middle_element, "one element at [500]", false},
    {"one dimension: a tail", {1, 1000}, tail_17, "the last 17 elements", false},
    {"one dimension: a stretch", {1, 1000}, elements_100_to_163, "elements 100-163", false},
    {"one dimension: blocks", {1, 2000}, blocks_of_256, "2 tiles of 256, [256] to [1024]", false},
    {"one dimension: every 5th", {1, 1000}, every_5th_element, "every 5th element from 2 to 997", false},
    {"one dimension: some", {1, 10000}, one_percent, "scattered", false},
    {"a column of rows: an element", {1000, 1}, middle_element, "one element at [500]", false},
    {"a column of rows: a tail", {1000, 1}, tail_17, "the last 17 elements", false},
    {"a column of rows: every 32nd", {1000, 1}, warps_first_lane, "every 32nd element from 0 to 992", false},
};

static unsigned char *map_bits(const struct shape *s, wrong_fn *is_wrong, uint64_t *wrong)
{
    unsigned char *bits = sg_alloc(s->rows * s->columns / 8 + 1, 1);
    *wrong = 0;
    for (uint64_t row = 0; row < s->rows; row++)
        for (uint64_t column = 0; column < s->columns; column++) {
            const uint64_t k = row * s->columns + column;
            if (!is_wrong(s, row, column))
                continue;
            bits[k / 8] |= (unsigned char)(1u << k % 8);
            ++*wrong;
        }
    return bits;
}

TEST(places)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t wrong;
        unsigned char *bits = map_bits(&rows[i].shape, rows[i].is_wrong, &wrong);
        const struct sg_error_map map = {rows[i].shape.rows, rows[i].shape.columns, bits};
        struct sg_error_place place;
        struct sg_text text = {0};
        sg_error_place_find(&map, &place);
        sg_error_place_add(&text, &map, &place);
        if (strcmp(sg_text_string(&text), rows[i].text) != 0 || place.elements != wrong || place.firm == rows[i].loose)
            fail_msg("%s: expected '%s', found '%s', %s, %llu of %llu elements", rows[i].sentence, rows[i].text, sg_text_string(&text),
                     place.firm ? "firm" : "loose", (unsigned long long)place.elements, (unsigned long long)wrong);
        sg_text_release(&text);
        free(bits);
    }
}

/* Random elements of many shapes and shares: never a structure, and
 * what is counted is what was wrong. */
TEST(noise_is_no_structure)
{
    static const struct shape shapes[] = {{64, 64}, {100, 257}, {512, 130}, {1, 5000}};
    static const double shares[] = {0.003, 0.02, 0.2, 0.5, 0.8};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const uint64_t count = shapes[i].rows * shapes[i].columns;
        for (uint64_t k = 0; k < 20 * COUNT(shares); k++) {
            unsigned char *bits = sg_alloc(count / 8 + 1, 1);
            uint64_t seed = k, wrong = 0;
            for (uint64_t n = 0; n < count; n++)
                if (sg_random_unit(&seed) < shares[k % COUNT(shares)]) {
                    bits[n / 8] |= (unsigned char)(1u << n % 8);
                    wrong++;
                }
            struct sg_error_place place;
            sg_error_place_find(&(struct sg_error_map){shapes[i].rows, shapes[i].columns, bits}, &place);
            assert_int_equal(place.elements, wrong);
            if (wrong > 8 && place.kind != SG_PLACE_SCATTERED)
                fail_msg("%llux%llu, share %g, seed %llu: kind %d", (unsigned long long)shapes[i].rows,
                         (unsigned long long)shapes[i].columns, shares[k % COUNT(shares)], (unsigned long long)k, (int)place.kind);
            free(bits);
        }
    }
}

/* Each tile of each size, alone, is found where it is, also where the output ends inside of it. */
TEST(every_tile_is_found)
{
    static const uint64_t sizes[] = {16, 32, 64, 128};
    const struct shape s = {300, 420};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (uint64_t row = 0; row < s.rows; row += sizes[i])
            for (uint64_t column = 0; column < s.columns; column += sizes[i]) {
                unsigned char *bits = sg_alloc(s.rows * s.columns / 8 + 1, 1);
                struct sg_error_place place;
                for (uint64_t r = row; r < row + sizes[i] && r < s.rows; r++)
                    for (uint64_t c = column; c < column + sizes[i] && c < s.columns; c++)
                        bits[(r * s.columns + c) / 8] |= (unsigned char)(1u << (r * s.columns + c) % 8);
                sg_error_place_find(&(struct sg_error_map){s.rows, s.columns, bits}, &place);
                /* In the last corner a tile is a tail as well, where it is one row. */
                assert_int_equal(place.kind, SG_PLACE_TILES);
                assert_int_equal(place.tiles, 1);
                assert_int_equal(place.rows.first, row);
                assert_int_equal(place.columns.first, column);
                free(bits);
            }
}
