/* where/where.h: two variants side by side. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "diagnose/where.h"

static const char rows[] =
    "family,case,variant,kernel,code,pc,instruction,charged_to,reason,samples"
    "\n"
    "f,c,base,k,0:1,48,a.cu:2 FMUL R7,a.cu:1 LDG.E R6,long_scoreboard,60\n"
    "f,c,base,k,0:1,32,a.cu:1 LDG.E R6,,selected,40\n"
    "f,c,cand,k,1:1,64,a.cu:2 FMUL R9,a.cu:1 LDG.E R4; a.cu:1 LDG.E R5,long_scoreboard,150\n"
    "f,c,cand,k,1:1,80,a.cu:3 BAR.SYNC 0,,barrier,50\n"
    "f,c,alone,k,1:1,80,0x50 BAR.SYNC 0,,barrier,3\n"
    "f,c,alone,j,1:2,80,0x50 BAR.SYNC 0,,barrier,1\n";
static const char *const base[] = {"f", "c", "base"}, *const cand[] = {"f", "c", "cand"},
                         *const alone[] = {"f", "c", "alone"};

static void find(const char *const *baseline, const char *const *candidate, double ratio,
                 struct sg_pc_samples *samples, struct sg_where *where)
{
    struct sg_err err = {0};
    const char *const *const name[] = {baseline, candidate};
    *samples = (struct sg_pc_samples){0};
    *where = (struct sg_where){0};
    SCRATCH(s);
    scratch_write(&s, "pc_samples.csv", BYTES(rows));
    assert_int_equal(sg_pc_samples_read(s.path, samples, &err), SG_SUCCESS);
    sg_where_find(samples, name, ratio, where);
}

static bool is(double found, double wanted)
{
    return fabs(found - wanted) < 1e-9;
}

TEST(points_of_both_sides_add_up_to_their_times_and_the_largest_difference_comes_first)
{
    struct sg_pc_samples samples;
    struct sg_where where;
    double sum[SG_WHERE_SIDES] = {0, 0};
    find(base, cand, 1.6, &samples, &where);
    for (size_t i = 0; i < where.count; i++)
        for (int side = 0; side < SG_WHERE_SIDES; side++)
            sum[side] += where.rows[i].points[side];
    assert_true(is(sum[SG_WHERE_BASELINE], 100) && is(sum[SG_WHERE_CANDIDATE], 160));
    assert_int_equal(where.count, 2);
    assert_string_equal(sg_intern_pool_string(samples.pool, where.rows[0].opcode), "BAR.SYNC");
    assert_true(is(where.rows[0].points[SG_WHERE_CANDIDATE], 40) &&
                is(where.rows[0].points[SG_WHERE_BASELINE], 0));
}

TEST(waits_are_of_the_instruction_that_they_are_charged_to_and_one_line_and_opcode_is_one_row)
{
    struct sg_pc_samples samples;
    struct sg_where where;
    find(base, cand, 1, &samples, &where);
    const struct sg_where_row *loads =
        &where.rows[where.rows[0].points[SG_WHERE_BASELINE] > 0 ? 0 : 1];
    assert_string_equal(sg_intern_pool_string(samples.pool, loads->place), "a.cu:1");
    assert_string_equal(sg_intern_pool_string(samples.pool, loads->opcode), "LDG.E");
    assert_true(is(loads->points[SG_WHERE_BASELINE], 100) &&
                is(loads->points[SG_WHERE_CANDIDATE], 75));
    assert_string_equal(sg_intern_pool_string(samples.pool, loads->waits_at), "a.cu:2 FMUL R7");
}

TEST(without_lines_equal_addresses_of_two_kernels_stay_apart)
{
    struct sg_pc_samples samples;
    struct sg_where where;
    find(NULL, alone, 1, &samples, &where);
    assert_int_equal(where.count, 2);
    assert_true(is(where.rows[0].points[SG_WHERE_CANDIDATE], 75) &&
                where.samples[SG_WHERE_BASELINE] == 0);
}
