/* metrics/diagnose/causes.h: each mechanism is named where its change and its place are there, and
 * not where one of them is missing. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "diagnose/causes.h"
#include "near.h"

#define MORE 1.2 /* the added time, of what there was */

/* A kernel of 100 us on 132 SMs that has some of everything. */
static const struct {
    enum sg_input input;
    double value;
} base[] = {
    {SG_time, 1e5},
    {SG_sm_clock, 1.8e9},
    {SG_cycles, 180000},
    {SG_sm_active_cycles, 172000},
    {SG_sm_active_cycles_max, 175000},
    {SG_instructions, 4 * 132 * 40000.0},
    {SG_active_lanes, 31},
    {SG_occupancy_achieved, 50},
    {SG_occupancy_theoretical, 50},
    {SG_registers, 64},
    {SG_spill_stores, 4},
    {SG_compiler_notes, 1},
    {SG_sass_instructions, 900},
    {SG_grid, 132 * 16},
    {SG_block, 256},
    {SG_kernels, 1},
    {SG_stages_ab, 4},
    {SG_pipe_tensor, 20},
    {SG_pipe_tc, 12},
    {SG_pipe_fp64, 12},
    {SG_pipe_xu, 12},
    {SG_pipe_fma, 14},
    {SG_pipe_alu, 14},
    {SG_pipe_tma, 12},
    {SG_pipe_lsu, 12},
    {SG_issue_active, 23},
    {SG_dram_throughput, 40},
    {SG_l2_fabric, 20},
    {SG_l2_throughput, 30},
    {SG_l1_throughput, 25},
    {SG_atomic_busy, 15},
    {SG_global_load_requests, 1e5},
    {SG_global_load_sectors, 1e6},
    {SG_global_store_requests, 1e5},
    {SG_global_store_sectors, 1e6},
    {SG_local_load_sectors, 1e3},
    {SG_local_store_sectors, 1e3},
    {SG_shared_load_wavefronts, 1e6},
    {SG_shared_store_wavefronts, 1e6},
    {SG_shared_load_conflicts, 1e4},
    {SG_shared_store_conflicts, 1e4},
    {SG_shared_atomics, 1e5},
    {SG_atomic_sectors, 1e4},
    {SG_reduction_sectors, 1e4},
    {SG_l1_to_l2_read_sectors, 1e6},
    {SG_l2_sectors, 2e6},
    {SG_dram_read_bytes, 3e7},
    {SG_tma_load_bytes, 1e7},
    {SG_tma_instructions, 1e4},
    {SG_instruction_cache_misses, 1e3},
    {SG_barrier_instructions, 1e5},
    {SG_stall_barrier, 200},
    {SG_stall_branch_resolving, 50},
    {SG_stall_dispatch, 20},
    {SG_stall_drain, 10},
    {SG_stall_gmma, 10},
    {SG_stall_imc_miss, 10},
    {SG_stall_lg_throttle, 40},
    {SG_stall_long_scoreboard, 1500},
    {SG_stall_math_pipe_throttle, 100},
    {SG_stall_membar, 50},
    {SG_stall_mio_throttle, 100},
    {SG_stall_misc, 10},
    {SG_stall_no_instruction, 50},
    {SG_stall_not_selected, 300},
    {SG_stall_short_scoreboard, 300},
    {SG_stall_sleeping, 10},
    {SG_stall_tex_throttle, 10},
    {SG_stall_wait, 500},
};

static struct sg_versus alike(void)
{
    struct sg_versus sides = {.added = 0, .added_error = 0.001, .sm_count = 132, .sm_warps = 64};
    for (size_t i = 0; i < SG_INPUT_COUNT; i++)
        sides.value[SG_WAS][i] = sides.value[SG_IS][i] = NAN;
    for (size_t i = 0; i < COUNT(base); i++)
        sides.value[SG_WAS][base[i].input] = sides.value[SG_IS][base[i].input] = base[i].value;
    return sides;
}

struct edit {
    int side;
    enum sg_input input;
    double factor; /* 0: the row has no more edits, or the value is 0 */
    bool is_last;
};
#define NOW(name, by)               \
    {                               \
        SG_IS, SG_##name, by, false \
    }
#define BEFORE(name, by)             \
    {                                \
        SG_WAS, SG_##name, by, false \
    }
#define END                      \
    {                            \
        SG_WAS, SG_time, 1, true \
    }

static void edit(struct sg_versus *sides, const struct edit *edits)
{
    const double issued = sides->value[SG_IS][SG_instructions];
    for (; !edits->is_last; edits++)
        sides->value[edits->side][edits->input] *= edits->factor;
    /* Stalls are per instruction: those of more of them are as long as before. */
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        sides->value[SG_IS][i] *= issued / sides->value[SG_IS][SG_instructions];
}

static void multiply(struct sg_versus *sides, const enum sg_input *inputs, size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        sides->value[SG_IS][inputs[i]] *= by;
}

/* The time is longer, all of it in one place. */
static void lengthen(struct sg_versus *sides, enum sg_place place)
{
    enum sg_input stalls[SG_stall_wait - SG_stall_barrier + 1];
    for (size_t i = 0; i < COUNT(stalls); i++)
        stalls[i] = (enum sg_input)(SG_stall_barrier + i);
    static const enum sg_input clocks[] = {SG_time, SG_cycles, SG_sm_active_cycles_max,
                                           SG_sm_active_cycles};
    const enum sg_input input = sg_places[place].input;
    const double active = sides->value[SG_WAS][SG_sm_active_cycles];
    sides->added = MORE - 1;
    if (place == SG_AT_LAUNCHES || place == SG_AT_CLOCK) {
        multiply(sides, clocks, 1, MORE);
        return;
    }
    const double active_by =
        place == SG_AT_ENDS || place == SG_AT_IMBALANCE || place == SG_AT_WAVES ? 1 : MORE;
    for (int i = SG_AT_TENSOR; i <= SG_AT_L1; i++)
        sides->value[SG_IS][sg_places[i].input] /= sg_places[i].kind == SG_OF_ELAPSED  ? MORE
                                                   : sg_places[i].kind == SG_OF_ACTIVE ? active_by
                                                                                       : 1;
    multiply(sides, clocks,
             place == SG_AT_ENDS                                ? 2
             : place == SG_AT_IMBALANCE || place == SG_AT_WAVES ? 3
                                                                : 4,
             MORE);
    if (place == SG_AT_WARPS) /* fewer of them wait for less long but for what is longer */
        multiply(
            sides, stalls, COUNT(stalls),
            MORE * fmin(0.66, sg_resident_warps(sides, SG_IS) / sg_resident_warps(sides, SG_WAS)));
    else if (sg_places[place].kind == SG_REASON)
        sides->value[SG_IS][input] += 100 * (MORE - 1) * active * sg_resident_warps(sides, SG_IS) *
                                      4 * 132 / sides->value[SG_IS][SG_instructions];
    else if (sg_places[place].kind == SG_WAVEFRONTS)
        for (int s = 0; s < SG_SIDES; s++)
            sides->value[s][SG_shared_load_wavefronts] =
                sides->value[s][SG_shared_store_wavefronts] =
                    0.47 * 132 * sides->value[s][SG_cycles];
    else if (sg_places[place].kind != SG_IDENTITY)
        sides->value[SG_WAS][input] = sides->value[SG_IS][input] = 95;
}

/* What else a row shows: its place has its change by itself, or is there only with it. */
enum shows { BOTH, ONE_IS_THE_OTHER };

static const struct row {
    const char *mechanism;
    enum sg_place place;
    enum shows shows;
    struct edit change[5];
} rows[] = {
    {"more kernels a launch", SG_AT_LAUNCHES, BOTH, {NOW(kernels, 3), END}},
    {"a lower clock", SG_AT_CLOCK, ONE_IS_THE_OTHER, {NOW(sm_clock, 1 / MORE), END}},
    {"too few blocks",
     SG_AT_IMBALANCE,
     ONE_IS_THE_OTHER,
     {NOW(grid, 1 / 32.0), NOW(sm_active_cycles, 0.6), NOW(occupancy_achieved, 1), END}},
    {"a last wave that is not full",
     SG_AT_WAVES,
     ONE_IS_THE_OTHER,
     {BEFORE(occupancy_theoretical, 0.25), NOW(occupancy_theoretical, 0.25),
      BEFORE(grid, 660 / 2112.0), NOW(grid, 661 / 2112.0), END}},
    {"a last wave of fewer warps",
     SG_AT_WARPS,
     BOTH,
     {BEFORE(grid, 0.25), NOW(grid, 700 / 2112.0), NOW(occupancy_achieved, 0.66), END}},
    {"imbalance between SMs", SG_AT_IMBALANCE, ONE_IS_THE_OTHER, {END}},
    {"fewer warps fit on an SM",
     SG_AT_WARPS,
     BOTH,
     {NOW(occupancy_theoretical, 0.5), NOW(occupancy_achieved, 0.5), END}},
    {"fewer warps are launched",
     SG_AT_WARPS,
     BOTH,
     {BEFORE(grid, 1 / 16.0), NOW(grid, 1 / 16.0), NOW(block, 0.5), NOW(occupancy_achieved, 0.5),
      END}},
    {"warps end unevenly", SG_AT_WARPS, BOTH, {NOW(occupancy_achieved, 0.5), END}},
    {"fewer stages", SG_AT_BARRIER, BOTH, {NOW(stages_ab, 0.5), END}},
    {"uncoalesced loads", SG_AT_LONG, BOTH, {NOW(global_load_sectors, 4), END}},
    {"uncoalesced stores", SG_AT_LG, BOTH, {NOW(global_store_sectors, 4), END}},
    {"narrower loads", SG_AT_LONG, BOTH, {NOW(global_load_requests, 4), END}},
    {"narrower stores", SG_AT_LG, BOTH, {NOW(global_store_requests, 4), END}},
    {"narrower or repeated loads",
     SG_AT_MIO,
     BOTH,
     {NOW(global_load_requests, 2), NOW(global_load_sectors, 2), END}},
    {"more loads from L2",
     SG_AT_LONG,
     BOTH,
     {NOW(global_load_requests, 2), NOW(global_load_sectors, 2), NOW(l1_to_l2_read_sectors, 2),
      END}},
    {"more loads from DRAM",
     SG_AT_LONG,
     BOTH,
     {NOW(global_load_requests, 2), NOW(global_load_sectors, 2), NOW(l1_to_l2_read_sectors, 2),
      NOW(dram_read_bytes, 2), END}},
    {"fewer bytes in flight, or slower loads", SG_AT_LONG, ONE_IS_THE_OTHER, {END}},
    {"more stores",
     SG_AT_LG,
     BOTH,
     {NOW(global_store_requests, 2), NOW(global_store_sectors, 2), END}},
    {"spills",
     SG_AT_LG,
     BOTH,
     {NOW(local_load_sectors, 1000), NOW(local_store_sectors, 1000), END}},
    {"more is read from L2", SG_AT_L2, BOTH, {NOW(l1_to_l2_read_sectors, 1.5), END}},
    {"more is read from DRAM", SG_AT_DRAM, BOTH, {NOW(dram_read_bytes, 1.5), END}},
    {"more between the halves of L2", SG_AT_FABRIC, ONE_IS_THE_OTHER, {NOW(l2_fabric, 1), END}},
    {"smaller TMA boxes", SG_AT_TMA, BOTH, {NOW(tma_instructions, 4), END}},
    {"more bytes by TMA", SG_AT_TMA, BOTH, {NOW(tma_load_bytes, 2), END}},
    {"more global atomics",
     SG_AT_ATOMIC,
     BOTH,
     {NOW(atomic_sectors, 4), NOW(reduction_sectors, 2), END}},
    {"bank conflicts of loads", SG_AT_SHARED, BOTH, {NOW(shared_load_conflicts, 500), END}},
    {"bank conflicts of stores", SG_AT_SHARED, BOTH, {NOW(shared_store_conflicts, 500), END}},
    {"more shared memory accesses", SG_AT_SHORT, BOTH, {NOW(shared_load_wavefronts, 2), END}},
    {"more shared atomics", SG_AT_MIO, BOTH, {NOW(shared_atomics, 8), END}},
    {"divergence", SG_AT_ISSUE, BOTH, {NOW(active_lanes, 0.5), NOW(instructions, 2), END}},
    {"more instructions", SG_AT_ISSUE, BOTH, {NOW(instructions, 1.2), END}},
    {"more misses of the instruction cache",
     SG_AT_NO_CODE,
     BOTH,
     {NOW(instruction_cache_misses, 40), END}},
    {"notes of the compiler", SG_AT_GMMA, BOTH, {NOW(compiler_notes, 2), END}},
    {"barriers", SG_AT_BARRIER, BOTH, {BEFORE(stall_barrier, 0), END}},
    {"barriers in memory",
     SG_AT_LONG,
     BOTH,
     {BEFORE(pipe_tma, 0), NOW(pipe_tma, 0), NOW(barrier_instructions, 8), END}},
    {"fences", SG_AT_MEMBAR, ONE_IS_THE_OTHER, {BEFORE(stall_membar, 0), END}},
    {"more work of the tensor pipe", SG_AT_TENSOR, ONE_IS_THE_OTHER, {NOW(pipe_tensor, 1), END}},
    {"more work of the tcgen05 pipe", SG_AT_TC, ONE_IS_THE_OTHER, {NOW(pipe_tc, 1), END}},
    {"more double precision", SG_AT_FP64, ONE_IS_THE_OTHER, {NOW(pipe_fp64, 1), END}},
    {"more special functions", SG_AT_XU, ONE_IS_THE_OTHER, {NOW(pipe_xu, 1), END}},
    {"more work of the multiply-add pipe", SG_AT_FMA, ONE_IS_THE_OTHER, {NOW(pipe_fma, 1), END}},
    {"more integer work", SG_AT_ISSUED, BOTH, {NOW(instructions, 1.2), NOW(pipe_alu, 1.6), END}},
};

/* Which of the causes it is; those that are found: it is none. */
static size_t place_of(const struct sg_found *found, const char *mechanism)
{
    size_t i = 0;
    while (i < found->count &&
           !(found->cause[i].mechanism && strcmp(found->cause[i].mechanism->name, mechanism) == 0))
        i++;
    return i;
}

static void check_sum(const char *name, const struct sg_found *found)
{
    double sum = 0;
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        sum += found->split.points[i];
    if (!found->split.why_not)
        assert_near(name, sum, found->split.added, 1e-6);
}

static void check_not_named(const struct row *row, const struct sg_versus *sides, const char *where)
{
    struct sg_found found;
    sg_causes_find(sides, &found);
    check_sum(row->mechanism, &found);
    if (place_of(&found, row->mechanism) != found.count)
        fail_msg("%s is named %s", row->mechanism, where);
}

TEST(a_change_in_its_place_is_the_first_cause)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_versus sides = alike();
        struct sg_found found;
        edit(&sides, rows[i].change);
        lengthen(&sides, rows[i].place);
        sg_causes_find(&sides, &found);
        check_sum(rows[i].mechanism, &found);
        if (place_of(&found, rows[i].mechanism) != 0 || found.count == 0)
            fail_msg("%s is cause %zu of %zu; %s first; %s", rows[i].mechanism,
                     place_of(&found, rows[i].mechanism), found.count,
                     found.count == 0           ? "none"
                     : found.cause[0].mechanism ? found.cause[0].mechanism->name
                                                : sg_places[found.cause[0].place].name,
                     found.split.why_not ? found.split.why_not : "");
    }
}

TEST(its_place_without_the_change_is_not)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_versus sides = alike();
        lengthen(&sides, rows[i].place);
        if (rows[i].shows == BOTH)
            check_not_named(&rows[i], &sides, "by its place alone");
    }
}

TEST(its_change_without_the_place_is_not)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_versus sides = alike();
        if (rows[i].place == SG_AT_CLOCK || rows[i].place == SG_AT_IMBALANCE ||
            rows[i].place == SG_AT_WAVES)
            continue; /* the change is the place */
        edit(&sides, rows[i].change);
        lengthen(&sides, rows[i].place == SG_AT_LAUNCHES ? SG_AT_SLEEP : SG_AT_IMBALANCE);
        check_not_named(&rows[i], &sides, "by its change alone");
    }
}

TEST(its_change_that_was_counted_on_one_side_only_is_missing)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_versus sides = alike();
        edit(&sides, rows[i].change);
        lengthen(&sides, rows[i].place);
        for (const struct edit *one = rows[i].change; !one->is_last; one++)
            sides.value[SG_WAS][one->input] = NAN;
        if (!rows[i].change[0].is_last)
            check_not_named(&rows[i], &sides, "by one side");
    }
}

TEST(every_mechanism_has_a_row_and_evidence)
{
    assert_int_equal(sg_mechanism_count, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(sg_mechanisms[i].name, rows[i].mechanism);
        assert_true(sg_mechanisms[i].places != 0 && sg_mechanisms[i].evidence[0] != SG_NO_INPUT);
        assert_true(*sg_mechanisms[i].says && *sg_mechanisms[i].try_);
    }
}

TEST(a_kernel_beside_itself_has_no_cause)
{
    struct sg_versus sides = alike();
    struct sg_found found;
    sides.value[SG_IS][SG_cycles] *= 1.004;
    sides.value[SG_IS][SG_stall_wait] *= 1.1;
    sg_causes_find(&sides, &found);
    assert_int_equal(found.count, 0);
    sides.added = 0.004;
    sides.added_error = 0.006;
    sg_causes_find(&sides, &found);
    assert_int_equal(found.count, 0);
}

TEST(a_place_without_any_change_is_named_as_the_wait_that_it_is)
{
    struct sg_versus sides = alike();
    struct sg_found found;
    lengthen(&sides, SG_AT_SLEEP);
    sg_causes_find(&sides, &found);
    assert_true(found.count > 0 && !found.cause[0].mechanism &&
                found.cause[0].place == SG_AT_SLEEP);
    assert_near("points", found.cause[0].points, 20, 1.5);
}

TEST(fewer_registers_and_warps_that_cost_nothing_are_no_cause)
{
    struct sg_versus sides = alike();
    struct sg_found found;
    static const struct edit fewer[] = {NOW(registers, 4), NOW(occupancy_theoretical, 0.5),
                                        NOW(occupancy_achieved, 0.5), END};
    edit(&sides, fewer);
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        sides.value[SG_IS][i] *=
            0.46; /* half of the warps wait as long as before for half as much */
    lengthen(&sides, SG_AT_DRAM);
    sg_causes_find(&sides, &found);
    for (size_t i = 0; i < found.count; i++)
        assert_true(!found.cause[i].mechanism ||
                    strncmp(found.cause[i].mechanism->name, "fewer warps", strlen("fewer warps")) !=
                        0);
}

/* ---- times that are not split ---- */

static const struct {
    const char *sentence;
    double time, added, cycles, instructions, error; /* factors but for time and error */
    const char *why_not, *cause;
} unsplit[] = {
    {"short launches by what was counted exactly", 1500, 0.2, 1.2, 1.5, 0, "it is of under 5 us",
     "more instructions"},
    {"and not by a change that is too small for it", 1500, 0.2, 1.2, 1.01, 0, "it is of under 5 us",
     NULL},
    {"counts that do not show the time", 1e5, 0.2, 1.001, 1.5, 0,
     "it was counted otherwise than timed", "more instructions"},
    {"counts that wander by more", 1e5, 0.01, 1.01, 1.01, 3000,
     "it is less than what cycles were counted to", "more instructions"},
    {"no cycles", 1e5, 0.2, NAN, 1.5, 0, "cycles were not counted of both", "more instructions"},
};

TEST(a_time_that_is_not_split_has_causes_without_points)
{
    for (size_t i = 0; i < COUNT(unsplit); i++) {
        struct sg_versus sides = alike();
        struct sg_found found;
        sides.added = unsplit[i].added;
        sides.value[SG_WAS][SG_time] = unsplit[i].time;
        sides.value[SG_IS][SG_time] = unsplit[i].time * (1 + unsplit[i].added);
        sides.value[SG_IS][SG_cycles] *= unsplit[i].cycles;
        sides.value[SG_IS][SG_instructions] *= unsplit[i].instructions;
        sides.error[SG_cycles] = unsplit[i].error;
        sg_causes_find(&sides, &found);
        print_message("%s\n", unsplit[i].sentence);
        assert_string_equal(found.split.why_not, unsplit[i].why_not);
        assert_int_equal(found.count, unsplit[i].cause != NULL);
        if (unsplit[i].cause)
            assert_true(strcmp(found.cause[0].mechanism->name, unsplit[i].cause) == 0 &&
                        isnan(found.cause[0].points));
    }
}

static const struct {
    const char *sentence;
    double added_error; /* of 0.2 */
    const char *cause;
} unsure[] = {
    {"points that are most of the time, of counts that wander by more", 0.01,
     "fewer warps fit on an SM"},
    {"of a time that is not known to half of itself", 0.15, NULL},
};

TEST(what_has_most_of_a_time_is_named_without_points_where_counts_are_not_sure)
{
    static const struct edit fewer[] = {NOW(occupancy_theoretical, 0.5),
                                        NOW(occupancy_achieved, 0.5), END};
    for (size_t i = 0; i < COUNT(unsure); i++) {
        struct sg_versus sides = alike();
        struct sg_found found;
        edit(&sides, fewer);
        lengthen(&sides, SG_AT_WARPS);
        sides.error[SG_occupancy_achieved] = 30;
        sides.added_error = unsure[i].added_error;
        sg_causes_find(&sides, &found);
        print_message("%s\n", unsure[i].sentence);
        assert_null(found.split.why_not);
        assert_int_equal(found.count, unsure[i].cause != NULL);
        if (unsure[i].cause)
            assert_true(strcmp(found.cause[0].mechanism->name, unsure[i].cause) == 0 &&
                        isnan(found.cause[0].points));
    }
}

/* Half of the warps, of which each waits longer here and there, by counts that wander: no place has
 * most of the time, and none is over its error. */
TEST(fewer_warps_that_issue_less_of_the_same_are_named_without_points)
{
    static const struct {
        const char *sentence;
        double occupancy, issue_active, instructions, added_error; /* factors but for the error */
        bool is_named;
    } fewer[] = {
        {"half of the warps issue less of the same work", 0.5, 1, 1, 0.01, true},
        {"by far fewer warps there is no more to say", 0.95, 1, 1, 0.01, false},
        {"slots that are as full as before", 0.5, MORE, 1, 0.01, false},
        {"another number of instructions is other work", 0.5, 1, 0.8, 0.01, false},
        {"a time that is not known to half of itself", 0.5, 1, 1, 0.15, false},
    };
    for (size_t i = 0; i < COUNT(fewer); i++) {
        struct sg_versus sides = alike();
        struct sg_found found;
        double *now = sides.value[SG_IS];
        now[SG_occupancy_theoretical] *= fewer[i].occupancy;
        now[SG_occupancy_achieved] *= fewer[i].occupancy;
        lengthen(&sides, SG_AT_WARPS);
        now[SG_stall_barrier] += 500;
        now[SG_stall_no_instruction] += 300;
        now[SG_stall_sleeping] += 300;
        now[SG_stall_long_scoreboard] *= 0.1;
        now[SG_issue_active] *= fewer[i].issue_active;
        now[SG_instructions] *= fewer[i].instructions;
        for (int input = SG_stall_barrier; input <= SG_stall_wait; input++)
            sides.error[input] = 900;
        sides.error[SG_sm_active_cycles] = 60000;
        sides.added_error = fewer[i].added_error;
        sg_causes_find(&sides, &found);
        print_message("%s\n", fewer[i].sentence);
        assert_null(found.split.why_not);
        assert_int_equal(place_of(&found, "fewer warps fit on an SM") < found.count,
                         fewer[i].is_named);
        assert_true(found.count == 0 || isnan(found.cause[0].points));
    }
}

TEST(what_counts_are_off_by_points_are_off_by)
{
    struct sg_versus sides = alike();
    struct sg_found found;
    lengthen(&sides, SG_AT_IMBALANCE);
    sides.error[SG_cycles] = 1800; /* of 36,000 that were added */
    sg_causes_find(&sides, &found);
    assert_true(found.count > 0);
    assert_near("error", found.cause[0].error, 1, 0.3);
}

TEST(what_is_of_the_time_of_one_side_adds_up)
{
    struct sg_versus sides = alike();
    double percent[SG_PLACE_COUNT], sum = 0;
    sides.value[SG_IS][SG_grid] = 66;
    sides.value[SG_IS][SG_sm_active_cycles] /= 2;
    sides.value[SG_IS][SG_instructions] /= 2;
    sg_place_shares(&sides, SG_IS, percent);
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        sum += i >= SG_AT_TENSOR && i <= SG_AT_L1 ? 0 : percent[i];
    assert_near("sum", sum, 100, 1e-6);
    assert_near("without a block", percent[SG_AT_FEW_BLOCKS], 50, 1e-6);
    assert_near("issue slots", percent[SG_AT_ISSUE], 23 * 86000.0 / 180000, 1e-6);
}
