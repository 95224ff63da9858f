#include "worker/error_place.h"

#include <stdlib.h>

#include "results/error_signature.h"

#define CELL    8u /* tiles are made of cells of CELL x CELL elements; of a one-dimensional output 1 x CELL */
#define STEPPED 3u /* so many at an even distance are no accident */

/* Sizes that kernels give their tiles; those over TILE_ROWS_MAX are of one-dimensional blocks. */
static const uint64_t tile_sizes[] = {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 512, 1024, 2048, 4096};
#define TILE_SIZES    (sizeof(tile_sizes) / sizeof(tile_sizes[0]))
#define TILE_ROWS_MAX 256u

/* What is counted of a map in one look at it. */
struct census {
    uint64_t rows, columns; /* a column vector lies down: it has one row, too */
    uint64_t wrong, first, last;
    uint64_t distance;             /* greatest common divisor of the distances from the first */
    uint64_t *in_row, *in_column;  /* owned; wrong elements */
    uint8_t *in_cell;              /* owned */
    uint64_t cell_rows, cell_grid; /* rows of a cell; cells side by side */
};

static bool is_flat(const struct sg_error_map *map)
{
    return map->rows == 1 || map->columns == 1;
}

/* ---- counting ---- */

static uint64_t ceiling(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void count_element(struct census *c, uint64_t row, uint64_t column)
{
    const uint64_t index = row * c->columns + column;
    if (c->wrong++ == 0)
        c->first = index;
    c->last = index;
    if (c->distance != 1)
        c->distance = common_divisor(index - c->first, c->distance);
    c->in_row[row]++;
    c->in_column[column]++;
    c->in_cell[row / c->cell_rows * c->cell_grid + column / CELL]++;
}

static void count_row(struct census *c, const unsigned char *bits, uint64_t row)
{
    const uint64_t end = (row + 1) * c->columns;
    for (uint64_t k = row * c->columns; k < end; k++) {
        if (k % 8 == 0 && bits[k / 8] == 0)
            k += 7;
        else if (bits[k / 8] >> k % 8 & 1)
            count_element(c, row, k - row * c->columns);
    }
}

static void census_take(struct census *c, const struct sg_error_map *map)
{
    const bool flat = is_flat(map);
    *c = (struct census){.rows = flat ? 1 : map->rows, .columns = flat ? map->rows * map->columns : map->columns};
    c->cell_rows = flat ? 1 : CELL;
    c->cell_grid = ceiling(c->columns, CELL);
    c->in_row = sg_alloc(c->rows, sizeof(*c->in_row));
    c->in_column = sg_alloc(c->columns, sizeof(*c->in_column));
    c->in_cell = sg_alloc(ceiling(c->rows, c->cell_rows) * c->cell_grid, sizeof(*c->in_cell));
    for (uint64_t row = 0; row < c->rows; row++)
        count_row(c, map->bits, row);
}

static void census_release(struct census *c)
{
    free(c->in_row);
    free(c->in_column);
    free(c->in_cell);
}

/* ---- what explains them ---- */

static bool is_share(uint64_t part, uint64_t whole, double share)
{
    return (double)part >= share * (double)whole;
}

/* `inside` of the wrong elements are in a structure of `size` elements: does it explain them? */
static bool explains(const struct census *c, uint64_t inside, uint64_t size, struct sg_error_place *place)
{
    place->firm = is_share(inside, size, SG_PLACE_FIRM) && is_share(inside, c->wrong, SG_PLACE_FIRM);
    return size > 0 && is_share(inside, size, SG_PLACE_SHARE) && is_share(inside, c->wrong, SG_PLACE_SHARE);
}

/* Lines with at least `least` wrong elements; returns how many elements those are. */
static uint64_t span_of(const uint64_t *in_line, uint64_t lines, uint64_t least, struct sg_place_span *span)
{
    uint64_t inside = 0, distance = 0;
    *span = (struct sg_place_span){0};
    for (uint64_t i = 0; i < lines; i++) {
        if (in_line[i] < least)
            continue;
        if (span->count++ == 0)
            span->first = i;
        distance = common_divisor(i - span->first, distance);
        span->last = i;
        inside += in_line[i];
    }
    const bool is_even = span->count > 0 && (span->last - span->first) == (span->count - 1) * distance;
    span->step = is_even && (distance <= 1 || span->count >= STEPPED) ? (distance ? distance : 1) : 0;
    return inside;
}

/* As few wrong elements as make a line of `length` a wrong one. */
static uint64_t least_of(uint64_t length)
{
    uint64_t least = (uint64_t)(SG_PLACE_SHARE * (double)length);
    while (!is_share(least, length, SG_PLACE_SHARE))
        least++;
    return least;
}

static bool are_rows(const struct census *c, struct sg_error_place *place)
{
    const uint64_t inside = span_of(c->in_row, c->rows, least_of(c->columns), &place->rows);
    place->kind = SG_PLACE_ROWS;
    return c->rows > 1 && explains(c, inside, place->rows.count * c->columns, place);
}

static bool are_columns(const struct census *c, struct sg_error_place *place)
{
    const uint64_t inside = span_of(c->in_column, c->columns, least_of(c->rows), &place->columns);
    place->kind = SG_PLACE_COLUMNS;
    return c->rows > 1 && explains(c, inside, place->columns.count * c->rows, place);
}

static bool is_tail(const struct census *c, struct sg_error_place *place)
{
    const uint64_t end = c->rows * c->columns;
    place->kind = SG_PLACE_TAIL;
    place->columns = (struct sg_place_span){.first = c->first, .last = end - 1, .step = 1, .count = end - c->first};
    return explains(c, c->wrong, end - c->first, place);
}

/* All rows and columns that have a wrong element, where each of their crossings is one. */
static bool is_grid(const struct census *c, struct sg_error_place *place)
{
    span_of(c->in_row, c->rows, 1, &place->rows);
    span_of(c->in_column, c->columns, 1, &place->columns);
    place->kind = place->rows.step == 1 && place->columns.step == 1 ? SG_PLACE_BLOCK : SG_PLACE_GRID;
    return place->rows.step > 0 && place->columns.step > 0 && explains(c, c->wrong, place->rows.count * place->columns.count, place);
}

/* Is the span a tile of that size, or one that the end of the output cuts off? */
static bool is_tile(const struct sg_place_span *span, uint64_t end, uint64_t size)
{
    const bool is_cut = span->last + 1 == end && span->first > 0;
    return span->first % size == 0 && (span->count == size || (is_cut && span->count < size));
}

/* The least such size; 0: none. */
static uint64_t tile_of_span(const struct sg_place_span *span, uint64_t end)
{
    for (size_t i = 0; i < TILE_SIZES; i++)
        if (is_tile(span, end, tile_sizes[i]))
            return tile_sizes[i];
    return 0;
}

/* A block that is a tile is called one. Of one that is cut off the size is open:
 * as a square, where it can be one. */
static void call_tile(const struct census *c, struct sg_error_place *place)
{
    uint64_t tile_rows = c->rows == 1 ? 1 : tile_of_span(&place->rows, c->rows);
    uint64_t tile_columns = tile_of_span(&place->columns, c->columns);
    if (tile_rows == 0 || tile_columns == 0)
        return;
    if (c->rows > 1 && tile_rows > tile_columns && is_tile(&place->columns, c->columns, tile_rows))
        tile_columns = tile_rows;
    else if (c->rows > 1 && is_tile(&place->rows, c->rows, tile_columns))
        tile_rows = tile_columns;
    place->kind = SG_PLACE_TILES;
    place->tile_rows = tile_rows;
    place->tile_columns = tile_columns;
    place->tiles = 1;
    place->rows.last = place->rows.first;
    place->columns.last = place->columns.first;
}

/* A size of tiles that is tried. */
struct tiling {
    uint64_t rows, columns;
};

static int by_area(const void *left, const void *right)
{
    const struct tiling *a = left, *b = right;
    const uint64_t x = a->rows * a->columns, y = b->rows * b->columns;
    if (x != y)
        return x < y ? 1 : -1;
    return a->rows < b->rows ? 1 : a->rows > b->rows ? -1 : 0;
}

/* One size that covers all rows or columns is enough. */
static bool is_tried(size_t number, uint64_t length)
{
    return number == 0 || tile_sizes[number - 1] < length;
}

static size_t list_tilings(const struct census *c, struct tiling tilings[TILE_SIZES * TILE_SIZES])
{
    size_t count = 0;
    for (size_t i = 0; i < TILE_SIZES && tile_sizes[i] <= TILE_ROWS_MAX; i++)
        for (size_t k = 0; k < TILE_SIZES; k++)
            if (is_tried(i, c->rows) && is_tried(k, c->columns))
                tilings[count++] = (struct tiling){c->rows == 1 ? 1 : tile_sizes[i], tile_sizes[k]};
    qsort(tilings, count, sizeof(*tilings), by_area);
    return count;
}

struct tile_sum {
    uint64_t wrong, area;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct tile_sum sum_tile(const struct census *c, const struct tiling *t, uint64_t row, uint64_t column)
{
    const uint64_t row_end = least(row + t->rows, c->rows), column_end = least(column + t->columns, c->columns);
    struct tile_sum sum = {.area = (row_end - row) * (column_end - column)};
    for (uint64_t i = row / c->cell_rows; i < ceiling(row_end, c->cell_rows); i++)
        for (uint64_t k = column / CELL; k < ceiling(column_end, CELL); k++)
            sum.wrong += c->in_cell[i * c->cell_grid + k];
    return sum;
}

/* None may be half wrong: any shape is nearly one of small tiles. */
static bool are_tiles_of(const struct census *c, const struct tiling *t, struct sg_error_place *place)
{
    uint64_t inside = 0, size = 0;
    *place = (struct sg_error_place){.kind = SG_PLACE_TILES, .tile_rows = t->rows, .tile_columns = t->columns};
    for (uint64_t row = 0; row < c->rows; row += t->rows) {
        for (uint64_t column = 0; column < c->columns; column += t->columns) {
            const struct tile_sum sum = sum_tile(c, t, row, column);
            const bool is_wrong = is_share(sum.wrong, sum.area, SG_PLACE_SHARE);
            if (!is_wrong && is_share(sum.wrong, sum.area, 1 - SG_PLACE_SHARE))
                return false;
            if (!is_wrong)
                continue;
            if (place->tiles++ == 0) {
                place->rows.first = row;
                place->columns.first = column;
            }
            place->rows.last = row;
            place->columns.last = column;
            inside += sum.wrong;
            size += sum.area;
        }
    }
    return explains(c, inside, size, place);
}

static bool are_tiles(const struct census *c, struct sg_error_place *place)
{
    struct tiling tilings[TILE_SIZES * TILE_SIZES] = {{0}};
    const size_t count = list_tilings(c, tilings);
    for (size_t i = 0; i < count; i++)
        if (are_tiles_of(c, &tilings[i], place))
            return true;
    return false;
}

static bool is_every(const struct census *c, struct sg_error_place *place)
{
    const uint64_t places = c->distance ? (c->last - c->first) / c->distance + 1 : 0;
    place->kind = SG_PLACE_EVERY;
    place->columns = (struct sg_place_span){.first = c->first, .last = c->last, .step = c->distance, .count = places};
    return c->wrong > STEPPED && c->distance > 1 && explains(c, c->wrong, places, place);
}

typedef bool structure_fn(const struct census *c, struct sg_error_place *place);
static structure_fn *const structures[] = {are_rows, are_columns, is_tail, is_grid, are_tiles, is_every};

void sg_error_place_find(const struct sg_error_map *map, struct sg_error_place *place)
{
    struct census c;
    bool found = false;
    census_take(&c, map);
    const bool is_one = c.wrong == 1;
    *place = (struct sg_error_place){.kind = SG_PLACE_SPREAD, .firm = true};
    if (is_one)
        *place = (struct sg_error_place){
            .kind = SG_PLACE_ELEMENT, .columns = {.first = c.first, .last = c.first, .step = 1, .count = 1}, .firm = true};
    else if (is_share(c.wrong, c.rows * c.columns, SG_PLACE_SHARE))
        *place = (struct sg_error_place){.kind = SG_PLACE_ALL, .firm = true};
    for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]) && c.wrong > 1 && place->kind != SG_PLACE_ALL && !found; i++) {
        struct sg_error_place one = {.kind = SG_PLACE_SCATTERED};
        found = structures[i](&c, &one);
        if (found && one.kind == SG_PLACE_BLOCK)
            call_tile(&c, &one);
        *place = found ? one : (struct sg_error_place){.kind = SG_PLACE_SCATTERED, .firm = true};
    }
    place->elements = c.wrong;
    census_release(&c);
}

/* ---- words ---- */

static const char *ordinal(uint64_t number)
{
    static const char *const ending[] = {"th", "st", "nd", "rd"};
    const bool is_teen = number / 10 % 10 == 1;
    return is_teen || number % 10 > 3 ? ending[0] : ending[number % 10];
}

#define U64(number) (unsigned long long)(number)

static void add_place(struct sg_text *out, const struct sg_error_map *map, uint64_t row, uint64_t column)
{
    if (is_flat(map))
        sg_text_addf(out, "[%llu]", U64(column));
    else
        sg_text_addf(out, "[%llu,%llu]", U64(row), U64(column));
}

/* "row 5", "the last 2 rows", "rows 3-10", "every 8th row from 0 to 120", "3 rows
 * from 5 to 90"; of `length` lines. */
static void add_span(struct sg_text *out, const struct sg_place_span *span, const char *what, uint64_t length)
{
    if (span->step == 0)
        sg_text_addf(out, "%llu %ss from %llu to %llu", U64(span->count), what, U64(span->first), U64(span->last));
    else if (span->step > 1)
        sg_text_addf(out, "every %llu%s %s from %llu to %llu", U64(span->step), ordinal(span->step), what, U64(span->first),
                     U64(span->last));
    else if (span->last + 1 == length && span->first > 0 && span->count == 1)
        sg_text_addf(out, "the last %s", what);
    else if (span->last + 1 == length && span->first > 0)
        sg_text_addf(out, "the last %llu %ss", U64(span->count), what);
    else if (span->count == 1)
        sg_text_addf(out, "%s %llu", what, U64(span->first));
    else
        sg_text_addf(out, "%ss %llu-%llu", what, U64(span->first), U64(span->last));
}

static void add_block(struct sg_text *out, const struct sg_error_map *map, const struct sg_error_place *place)
{
    if (is_flat(map)) {
        add_span(out, &place->columns, "element", map->rows * map->columns);
        return;
    }
    sg_text_addf(out, "block of %llux%llu at ", U64(place->rows.count), U64(place->columns.count));
    add_place(out, map, place->rows.first, place->columns.first);
}

static void add_grid(struct sg_text *out, const struct sg_error_map *map, const struct sg_error_place *place)
{
    if (!is_flat(map)) {
        add_span(out, &place->rows, "row", map->rows);
        sg_text_add(out, " at ");
    }
    add_span(out, &place->columns, is_flat(map) ? "element" : "column", is_flat(map) ? map->rows * map->columns : map->columns);
}

static void add_tiles(struct sg_text *out, const struct sg_error_map *map, const struct sg_error_place *place)
{
    const bool is_one = place->tiles == 1;
    if (!is_one)
        sg_text_addf(out, "%llu ", U64(place->tiles));
    sg_text_addf(out, "tile%s of ", is_one ? "" : "s");
    if (!is_flat(map))
        sg_text_addf(out, "%llux", U64(place->tile_rows));
    sg_text_addf(out, "%llu%s", U64(place->tile_columns), is_one ? " at " : ", ");
    add_place(out, map, place->rows.first, place->columns.first);
    if (is_one)
        return;
    sg_text_add(out, " to ");
    add_place(out, map, place->rows.last, place->columns.last);
}

void sg_error_place_add(struct sg_text *out, const struct sg_error_map *map, const struct sg_error_place *place)
{
    const uint64_t elements = map->rows * map->columns;
    switch (place->kind) {
    case SG_PLACE_SPREAD:
        sg_text_add(out, SG_PLACE_SPREAD_WORD);
        break;
    case SG_PLACE_ELEMENT:
        sg_text_add(out, "one element at ");
        add_place(out, map, place->columns.first / map->columns,
                  map->columns == 1 ? place->columns.first : place->columns.first % map->columns);
        break;
    case SG_PLACE_ALL:
        sg_text_add(out, SG_PLACE_ALL_WORD);
        break;
    case SG_PLACE_ROWS:
        add_span(out, &place->rows, "row", map->rows);
        break;
    case SG_PLACE_COLUMNS:
        add_span(out, &place->columns, "column", map->columns);
        break;
    case SG_PLACE_TAIL:
    case SG_PLACE_EVERY:
        add_span(out, &place->columns, "element", elements);
        break;
    case SG_PLACE_BLOCK:
        add_block(out, map, place);
        break;
    case SG_PLACE_GRID:
        add_grid(out, map, place);
        break;
    case SG_PLACE_TILES:
        add_tiles(out, map, place);
        break;
    case SG_PLACE_SCATTERED:
        sg_text_add(out, SG_PLACE_SCATTERED_WORD);
        break;
    }
}
