/* bsr_gemm/bsr_schedule.h: every tile once for every pattern, rows without blocks too; the
 * longest first; how even the shares are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bsr_gemm/bsr_schedule.h"
#include "util/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A case's schedule. */
struct made {
    struct bsr_counts counts;
    int rows, panels, workers, count;
    int32_t *sequence, *owner, *first, *tiles; /* owned */
};

static struct sg_case case_of(int64_t m, int64_t n, int64_t k, enum bsr_pattern pattern, int64_t share)
{
    return (struct sg_case){.name = "c", .dim = {m, n, k, pattern, share}, .dtype = SG_F16};
}

static struct made made_of(const struct sg_case *c, int columns, int workers, enum bsr_order order, bool forgets_empty)
{
    struct made s = {.rows = bsr_block_rows(c), .panels = bsr_panels(c, columns)};
    const size_t tiles = (size_t)s.rows * (size_t)s.panels;
    s.workers = order == BSR_WORKER_A_ROW ? s.rows : workers;
    s.sequence = sg_alloc(tiles, sizeof(*s.sequence));
    s.owner = sg_alloc(tiles, sizeof(*s.owner));
    s.first = sg_alloc((size_t)s.workers + 1, sizeof(*s.first));
    s.tiles = sg_alloc(tiles, sizeof(*s.tiles));
    bsr_count(c, &s.counts);
    s.count = bsr_sequence(&s.counts, s.rows, s.panels, order, s.sequence);
    if (forgets_empty)
        s.count = bsr_forget_empty(&s.counts, s.panels, s.sequence, s.count);
    bsr_assign(&s.counts, s.panels, s.workers, order, s.sequence, s.count, s.owner);
    bsr_lists(s.sequence, s.owner, s.count, s.workers, s.first, s.tiles);
    return s;
}

static void made_release(struct made *s)
{
    free(s->sequence);
    free(s->owner);
    free(s->first);
    free(s->tiles);
}

static int blocks_of(const struct made *s, int tile)
{
    return s->counts.in_row[tile / s->panels];
}

/* Blocks and tiles' own cost of the worker who has most. */
static int64_t heaviest(const struct made *s)
{
    int64_t most = 0;
    for (int w = 0; w < s->workers; w++) {
        int64_t load = 0;
        for (int i = s->first[w]; i < s->first[w + 1]; i++)
            load += blocks_of(s, s->tiles[i]) + BSR_TILE_COST;
        most = load > most ? load : most;
    }
    return most;
}

static const struct {
    const char *sentence;
    int64_t m, n, k;
    enum bsr_pattern pattern;
    int64_t share;
} cases[] = {
    {"half of the blocks", 8192, 8192, 8192, BSR_UNIFORM, 500},
    {"rows of 6 and of 7", 8192, 8192, 8192, BSR_UNIFORM, 100},
    {"a band", 8192, 8192, 8192, BSR_BANDED, 8},
    {"a power law", 8192, 8192, 8192, BSR_POWER_LAW, 250},
    {"half of the rows empty", 8192, 8192, 8192, BSR_GAPS, 500},
    {"a dense row", 8192, 8192, 8192, BSR_DENSE_ROW, 50},
    {"no block at all", 1024, 512, 1024, BSR_UNIFORM, 0},
    {"all blocks", 1024, 512, 1024, BSR_UNIFORM, 1000},
    {"one element", 1, 8, 1, BSR_UNIFORM, 1000},
    {"ragged", 2100, 1992, 1900, BSR_POWER_LAW, 300},
    {"as many rows as there may be", 131072, 520, 1024, BSR_POWER_LAW, 100},
};

static const struct {
    int columns, workers;
} grids[] = {{512, 66}, {256, 132}, {128, 132}, {512, 1}, {512, 67}, {128, BSR_WORKERS_MOST}};

static void every_tile_is_in_one_list_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t g = 0; g < COUNT(grids); g++)
            for (enum bsr_order order = BSR_LONGEST_FIRST; order <= BSR_WORKER_A_ROW; order++) {
                const struct sg_case c = case_of(cases[i].m, cases[i].n, cases[i].k, cases[i].pattern, cases[i].share);
                struct made s = made_of(&c, grids[g].columns, grids[g].workers, order, false);
                const size_t tiles = (size_t)s.rows * (size_t)s.panels;
                unsigned char *seen = sg_alloc(tiles, 1);
                memset(seen, 0, tiles);
                assert_int_equal(s.first[0], 0);
                assert_int_equal(s.first[s.workers], s.rows * s.panels);
                for (int w = 0; w < s.workers; w++)
                    assert_true(s.first[w] <= s.first[w + 1]);
                for (int t = 0; t < s.first[s.workers]; t++) {
                    assert_in_range(s.tiles[t], 0, s.rows * s.panels - 1);
                    assert_int_equal(seen[s.tiles[t]]++, 0);
                }
                free(seen);
                made_release(&s);
            }
}

static void lists_begin_with_the_longest(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct sg_case c = case_of(cases[i].m, cases[i].n, cases[i].k, cases[i].pattern, cases[i].share);
        struct made s = made_of(&c, 512, 66, BSR_LONGEST_FIRST, false);
        for (int w = 0; w < s.workers; w++)
            for (int t = s.first[w] + 1; t < s.first[w + 1]; t++)
                assert_true(blocks_of(&s, s.tiles[t - 1]) >= blocks_of(&s, s.tiles[t]));
        made_release(&s);
    }
}

/* Who begins together has one panel, where rows are as long: B's columns come from the L2. */
static void rows_as_long_go_panel_by_panel(void **state)
{
    (void)state;
    const struct sg_case c = case_of(8192, 8192, 8192, BSR_UNIFORM, 500);
    struct made s = made_of(&c, 512, 66, BSR_LONGEST_FIRST, false);
    for (int i = 0; i < s.count; i++)
        assert_int_equal(s.sequence[i], i % 64 * s.panels + i / 64);
    made_release(&s);
}

/* Graham: no worker has more than the mean and one tile, for a tile is given to who has least. */
static void nobody_has_more_than_the_mean_and_a_tile(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct sg_case c = case_of(cases[i].m, cases[i].n, cases[i].k, cases[i].pattern, cases[i].share);
        struct made s = made_of(&c, 512, 66, BSR_LONGEST_FIRST, false);
        int64_t all = 0, longest = 0;
        for (int t = 0; t < s.count; t++) {
            const int64_t cost = blocks_of(&s, s.tiles[t]) + BSR_TILE_COST;
            all += cost;
            longest = cost > longest ? cost : longest;
        }
        assert_true(heaviest(&s) * s.workers <= all + longest * s.workers);
        made_release(&s);
    }
}

/* What a power law costs who does not look, in shares of the heaviest list; the issue is
 * the order, so the limits are loose. */
static void a_power_law_needs_the_order(void **state)
{
    (void)state;
    const struct sg_case c = case_of(8192, 8192, 8192, BSR_POWER_LAW, 250);
    struct made best = made_of(&c, 512, 66, BSR_LONGEST_FIRST, false), as_they_come = made_of(&c, 512, 66, BSR_AS_THEY_COME, false);
    struct made a_row = made_of(&c, 512, 66, BSR_WORKER_A_ROW, false);
    const int64_t mean = (best.counts.blocks + (int64_t)BSR_TILE_COST * best.rows) * best.panels / best.workers;
    assert_true(heaviest(&best) * 100 <= mean * 103);
    assert_true(heaviest(&as_they_come) * 100 >= mean * 115);
    assert_true(heaviest(&a_row) * 100 >= mean * 300);
    made_release(&best);
    made_release(&as_they_come);
    made_release(&a_row);
}

static void the_fault_forgets_empty_rows_alone(void **state)
{
    (void)state;
    const struct sg_case c = case_of(1024, 512, 1024, BSR_GAPS, 500);
    struct made s = made_of(&c, 128, 66, BSR_LONGEST_FIRST, true);
    int busy = 0;
    for (int i = 0; i < s.rows; i++)
        busy += s.counts.in_row[i] > 0;
    assert_int_equal(s.first[s.workers], busy * s.panels);
    for (int t = 0; t < s.count; t++)
        assert_true(blocks_of(&s, s.tiles[t]) > 0);
    made_release(&s);
}

static void faults_are_refused_where_they_do_not_show(void **state)
{
    (void)state;
    struct sg_reason why = {""};
    const struct sg_case half = case_of(1024, 512, 1024, BSR_UNIFORM, 500), one = case_of(128, 128, 128, BSR_UNIFORM, 1000);
    const struct sg_case none = case_of(1024, 512, 1024, BSR_UNIFORM, 0), ragged = case_of(129, 136, 129, BSR_UNIFORM, 1000);
    assert_true(bsr_check_rows_of(&half, 2, &why) && bsr_check_second_tile(&half, &why) && bsr_check_empty(&none, &why));
    assert_true(bsr_check_rows_of(&one, 1, &why));
    assert_false(bsr_check_rows_of(&one, 2, &why));
    assert_string_equal(why.text, "the longest row's number of blocks is 1, expected 2 or more");
    assert_false(bsr_check_rows_of(&none, 1, &why));
    assert_false(bsr_check_rows_of(&ragged, 1, &why));
    assert_string_equal(why.text, "k is 129, expected whole blocks of 128: the fault may lie behind k");
    assert_false(bsr_check_second_tile(&one, &why));
    assert_string_equal(why.text, "n is 128, expected more than 128");
    assert_false(bsr_check_empty(&half, &why));
    assert_string_equal(why.text, "number of rows without blocks is 0, expected 1 or more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_is_in_one_list_once),
        cmocka_unit_test(lists_begin_with_the_longest),
        cmocka_unit_test(rows_as_long_go_panel_by_panel),
        cmocka_unit_test(nobody_has_more_than_the_mean_and_a_tile),
        cmocka_unit_test(a_power_law_needs_the_order),
        cmocka_unit_test(the_fault_forgets_empty_rows_alone),
        cmocka_unit_test(faults_are_refused_where_they_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
