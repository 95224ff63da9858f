/*
 * kernels/injected without a GPU: what its slowdowns add, piece by piece, and that
 * tests/data/injected/truth.csv is what follows from that. When the table is not
 * current, the one it must be is printed.
 */
#include <math.h>

#include "check.h"
#include "injected/injected_cases.h"
#include "scratch.h"

#define FAMILY_FOLDER "../kernels/injected"
#define TRUTH_FOLDER  "data/injected"

static const int slowdowns_bp[] = {25, 50, 100, 200, 400};

/* The whole file; owned by the caller. */
static struct sg_text contents(const char *folder, const char *name)
{
    struct scratch there = {0};
    snprintf(there.folder, sizeof(there.folder), "%s", folder);
    return scratch_read(&there, name);
}

static void add_truths(struct sg_text *table, const struct sg_case *c, const char *kind, bool work)
{
    for (size_t i = 0; i < COUNT(slowdowns_bp); i++) {
        const struct injected_slowdown s = {.work_bp = work ? slowdowns_bp[i] : 0,
                                            .spin_bp = work ? 0 : slowdowns_bp[i]};
        sg_text_addf(table, "%s,%s_%03d,%.6f\n", c->name, kind, slowdowns_bp[i],
                     injected_true_ratio(c, s));
    }
}

TEST(the_table_of_truths_is_current)
{
    struct sg_text expected = {0}, found = contents(TRUTH_FOLDER, "truth.csv");
    sg_text_add(&expected, "case,variant,true_ratio\n");
    for (size_t i = 0; i < COUNT(injected_cases); i++) {
        sg_text_addf(&expected, "%s,exact,1.000000\n", injected_cases[i].name);
        add_truths(&expected, &injected_cases[i], "spin", false);
        add_truths(&expected, &injected_cases[i], "work", true);
    }
    const bool same = strcmp(sg_text_string(&found), sg_text_string(&expected)) == 0;
    if (!same)
        fputs(expected.data, stdout);
    sg_text_release(&found);
    sg_text_release(&expected);
    if (!same)
        fail_msg("tests/data/injected/truth.csv must be the table above");
}

TEST(a_case_lasts_about_what_its_name_says)
{
    for (size_t i = 0; i < COUNT(injected_cases); i++) {
        const struct sg_case *c = &injected_cases[i];
        const double named_ns = strtod(strchr(c->name, '_') + 1, NULL) * 1e3;
        if (fabs(injected_nominal_ns(c) / named_ns - 1) > 0.3)
            fail_msg("%s: nominally %.0f ns", c->name, injected_nominal_ns(c));
    }
}

/* Walks the blocks of a copy: tiles of both kinds come one at a time, in
 * order, and what is more comes last. */
static void walk_copy(const struct sg_case *c, int work_bp)
{
    const int tiles = injected_pass_tiles(c) * (int)c->dim[INJECTED_PASSES],
              more = injected_tiles_more(c, work_bp);
    int seen[2] = {0};
    for (int block = 0; block < tiles + more; block++) {
        const struct injected_tile tile = injected_tile_of(block, tiles);
        if (tile.number != seen[tile.more]++)
            fail_msg("%s +%d bp: block %d copies %s %d, expected %d", c->name, work_bp, block,
                     tile.more ? "spare tile" : "tile", tile.number, seen[tile.more] - 1);
        if (tile.more && seen[false] < tiles)
            fail_msg("%s +%d bp: block %d copies more before all %d tiles are copied", c->name,
                     work_bp, block, tiles);
    }
    assert_int_equal(seen[false], tiles);
    if ((int64_t)seen[true] * INJECTED_FULL_BP != (int64_t)tiles * work_bp)
        fail_msg("%s +%d bp: %d tiles more than %d", c->name, work_bp, seen[true], tiles);
    const int64_t floats = (int64_t)seen[true] * INJECTED_TILE_FLOATS,
                  room = injected_spare_floats(c);
    if (work_bp == INJECTED_MOST_BP ? floats != room : floats > room)
        fail_msg("%s +%d bp: %lld floats, room for %lld", c->name, work_bp, (long long)floats,
                 (long long)room);
}

TEST(a_copy_has_exactly_so_many_bytes_more)
{
    for (size_t i = 0; i < COUNT(injected_cases); i++) {
        if (injected_is_chain(&injected_cases[i]))
            continue;
        walk_copy(&injected_cases[i], 0);
        for (size_t k = 0; k < COUNT(slowdowns_bp); k++)
            walk_copy(&injected_cases[i], slowdowns_bp[k]);
    }
}

TEST(a_chain_has_turns_more_in_proportion)
{
    for (size_t i = 0; i < COUNT(injected_cases); i++) {
        const struct sg_case *c = &injected_cases[i];
        if (!injected_is_chain(c))
            continue;
        assert_int_equal(injected_turns_more(c, 0), 0);
        assert_true(injected_turns_more(c, INJECTED_STEP_BP) > 0);
        for (size_t k = 0; k < COUNT(slowdowns_bp); k++)
            assert_int_equal((int64_t)injected_turns_more(c, slowdowns_bp[k]) * INJECTED_FULL_BP,
                             (c->dim[INJECTED_TURNS] + INJECTED_LAUNCH_TURNS) * slowdowns_bp[k]);
    }
}

/* work_025.cu launches injected_work<25>, and so on: a name that lies would be a wrong truth. */
TEST(a_variant_does_what_its_name_says)
{
    struct sg_err err = {0};
    struct sg_names names = {0};
    char kind[8], launch[64], last = '\0';
    size_t seen = 0;
    assert_int_equal(sg_list_files(FAMILY_FOLDER, ".cu", &names, &err), SG_SUCCESS);
    for (size_t i = 0; i < names.count; i++) {
        struct sg_text source = contents(FAMILY_FOLDER, names.items[i]);
        int bp = 0;
        const bool slower =
            sscanf(names.items[i], "%4[a-z]_%3d.c%c", kind, &bp, &last) == 3 && last == 'u';
        snprintf(launch, sizeof(launch), ".launch = injected_%s<%d>,", slower ? kind : "work", bp);
        if (strcmp(names.items[i], "family.cu") != 0 && !strstr(sg_text_string(&source), launch))
            fail_msg("%s does not say %s", names.items[i], launch);
        seen += slower;
        sg_text_release(&source);
    }
    sg_names_release(&names);
    assert_int_equal(seen, 2 * COUNT(slowdowns_bp));
}
