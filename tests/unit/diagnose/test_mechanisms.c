/*
 * metrics/diagnose/causes.h: each mechanism is named where its change and its place are there, and
 * not where one of them is missing; and it comes first on kernels of four kinds. The rows are in
 * data/causes.txt.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "diagnose/causes.h"
#include "diagnose/diagnose.h"
#include "near.h"

#define MORE 1.2 /* the added time, of what there was */
#define SMS  132

enum kernel { MIXED, MATH, STREAM, TILE, LATENCY, KERNELS };
static const char *const kernels[] = {"mixed", "math", "stream", "tile", "latency"};

enum { CHANGES_MAX = 9, ROWS_MAX = 80 };
struct change {
    enum sg_input input;
    char kind; /* '*', '=', '+', as in the file */
    bool before;
    double much;
};
struct row {
    enum kernel kernel;
    char *name;        /* the mechanism, or what the kernel does */
    const char *first; /* of a kernel: the cause that comes first, or the place */
    enum sg_place place;
    bool either; /* the change is seen without the place, or the place is the change */
    struct change changes[CHANGES_MAX];
    size_t count;
};

static double counters[KERNELS][SG_INPUT_COUNT];
static struct row mechanisms[ROWS_MAX], cases[ROWS_MAX];
static size_t mechanism_count, case_count;

static enum sg_input input_of(const char *name)
{
    for (int i = SG_NO_INPUT + 1; i < SG_INPUT_COUNT; i++)
        if (strcmp(sg_input_name((enum sg_input)i), name) == 0)
            return (enum sg_input)i;
    fail_msg("no counter is called %s", name);
    return SG_NO_INPUT;
}

static enum sg_place place_named(const char *name)
{
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        if (strcmp(sg_places[i].name, name) == 0)
            return (enum sg_place)i;
    fail_msg("no place is called %s", name);
    return SG_AT_OTHER;
}

static void read_changes(char *text, struct row *row)
{
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        struct change *change = &row->changes[row->count++];
        change->before = strncmp(word, "before:", strlen("before:")) == 0;
        word += change->before ? strlen("before:") : 0;
        char *at = word + strcspn(word, "*=+");
        change->kind = *at;
        *at = '\0';
        change->input = input_of(word);
        change->much = strtod(at + 1, NULL);
        assert_true(row->count < CHANGES_MAX);
    }
}

static void read_line(char *line)
{
    char *cell[8] = {0};
    for (size_t i = 0; i < COUNT(cell) && line; i++)
        cell[i] = strsep(&line, "|\n");
    if (strcmp(cell[0], "counter") == 0) {
        for (int k = 0; k < KERNELS; k++)
            if (strcmp(cell[2 + k], "-") != 0)
                counters[k][input_of(cell[1])] = strtod(cell[2 + k], NULL);
    } else if (strcmp(cell[0], "mechanism") == 0) {
        struct row *row = &mechanisms[mechanism_count++];
        row->name = strdup(cell[1]);
        row->place = place_named(cell[2]);
        row->either = strcmp(cell[3], "either") == 0;
        read_changes(cell[4], row);
    } else if (strcmp(cell[0], "kernel") == 0) {
        struct row *row = &cases[case_count++];
        while (strcmp(kernels[row->kernel], cell[1]) != 0)
            row->kernel++;
        row->name = strdup(cell[2]);
        row->first = strdup(cell[3]);
        read_changes(cell[4], row);
    }
}

static void read_rows(void)
{
    char line[512];
    FILE *file = fopen("data/causes.txt", "r");
    assert_non_null(file);
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < SG_INPUT_COUNT; i++)
            counters[k][i] = NAN;
    while (fgets(line, sizeof(line), file))
        read_line(line);
    fclose(file);
}

static struct sg_versus alike(enum kernel kernel)
{
    struct sg_versus sides = {.added_error = 0.001, .sm_count = SMS, .sm_warps = 64};
    memcpy(sides.value[SG_WAS], counters[kernel], sizeof(counters[kernel]));
    memcpy(sides.value[SG_IS], counters[kernel], sizeof(counters[kernel]));
    return sides;
}

/* Stalls are per instruction: those of more of them are as long as before. */
static void edit(struct sg_versus *sides, const struct row *row)
{
    const double issued = sides->value[SG_IS][SG_instructions];
    for (const struct change *c = row->changes; c < row->changes + row->count; c++)
        sides->value[c->before ? SG_WAS : SG_IS][c->input] *= c->much;
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        sides->value[SG_IS][i] *= issued / sides->value[SG_IS][SG_instructions];
}

static const struct row fewer_warps = {.changes = {{SG_occupancy_theoretical, '*', false, 0.5},
                                                   {SG_occupancy_achieved, '*', false, 0.5}},
                                       .count = 2};

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
    const double active_by = place == SG_AT_ENDS || place == SG_AT_IMBALANCE ? 1 : MORE;
    for (int i = SG_AT_TENSOR; i <= SG_AT_L1; i++)
        sides->value[SG_IS][sg_places[i].input] /= sg_places[i].kind == SG_OF_ELAPSED  ? MORE
                                                   : sg_places[i].kind == SG_OF_ACTIVE ? active_by
                                                                                       : 1;
    multiply(sides, clocks, place == SG_AT_ENDS ? 2 : place == SG_AT_IMBALANCE ? 3 : 4, MORE);
    if (place == SG_AT_WARPS) /* fewer of them wait for less long but for what is longer */
        multiply(
            sides, stalls, COUNT(stalls),
            MORE * fmin(0.66, sg_resident_warps(sides, SG_IS) / sg_resident_warps(sides, SG_WAS)));
    else if (sg_places[place].kind == SG_REASON)
        sides->value[SG_IS][input] += 100 * (MORE - 1) * active * sg_resident_warps(sides, SG_IS) *
                                      4 * SMS / sides->value[SG_IS][SG_instructions];
    else if (sg_places[place].kind == SG_WAVEFRONTS)
        for (int s = 0; s < SG_SIDES; s++)
            sides->value[s][SG_shared_load_wavefronts] =
                sides->value[s][SG_shared_store_wavefronts] =
                    0.47 * SMS * sides->value[s][SG_cycles];
    else if (sg_places[place].kind != SG_IDENTITY)
        sides->value[SG_WAS][input] = sides->value[SG_IS][input] = 95;
}

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
    check_sum(row->name, &found);
    if (place_of(&found, row->name) != found.count)
        fail_msg("%s is named %s", row->name, where);
}

TEST(a_change_in_its_place_is_the_first_cause)
{
    for (size_t i = 0; i < mechanism_count; i++) {
        struct sg_versus sides = alike(MIXED);
        struct sg_found found;
        edit(&sides, &mechanisms[i]);
        lengthen(&sides, mechanisms[i].place);
        sg_causes_find(&sides, &found);
        check_sum(mechanisms[i].name, &found);
        if (place_of(&found, mechanisms[i].name) != 0 || found.count == 0)
            fail_msg("%s is cause %zu of %zu; %s first; %s", mechanisms[i].name,
                     place_of(&found, mechanisms[i].name), found.count,
                     found.count == 0           ? "none"
                     : found.cause[0].mechanism ? found.cause[0].mechanism->name
                                                : sg_places[found.cause[0].place].name,
                     found.split.why_not ? found.split.why_not : "");
    }
}

TEST(its_place_without_the_change_is_not)
{
    for (size_t i = 0; i < mechanism_count; i++) {
        struct sg_versus sides = alike(MIXED);
        lengthen(&sides, mechanisms[i].place);
        if (!mechanisms[i].either)
            check_not_named(&mechanisms[i], &sides, "by its place alone");
    }
}

TEST(its_change_without_the_place_is_not)
{
    for (size_t i = 0; i < mechanism_count; i++) {
        struct sg_versus sides = alike(MIXED);
        if (mechanisms[i].place == SG_AT_CLOCK || mechanisms[i].place == SG_AT_IMBALANCE)
            continue; /* the change is the place */
        edit(&sides, &mechanisms[i]);
        lengthen(&sides, mechanisms[i].place == SG_AT_LAUNCHES ? SG_AT_SLEEP : SG_AT_IMBALANCE);
        check_not_named(&mechanisms[i], &sides, "by its change alone");
    }
}

TEST(its_change_that_was_counted_on_one_side_only_is_missing)
{
    for (size_t i = 0; i < mechanism_count; i++) {
        struct sg_versus sides = alike(MIXED);
        edit(&sides, &mechanisms[i]);
        lengthen(&sides, mechanisms[i].place);
        for (size_t k = 0; k < mechanisms[i].count; k++)
            sides.value[SG_WAS][mechanisms[i].changes[k].input] = NAN;
        if (mechanisms[i].count > 0)
            check_not_named(&mechanisms[i], &sides, "by one side");
    }
}

TEST(every_mechanism_has_a_row_and_evidence)
{
    assert_int_equal(sg_mechanism_count, mechanism_count);
    for (size_t i = 0; i < mechanism_count; i++) {
        assert_string_equal(sg_mechanisms[i].name, mechanisms[i].name);
        assert_true(sg_mechanisms[i].places != 0 && sg_mechanisms[i].evidence[0] != SG_NO_INPUT);
        assert_true(*sg_mechanisms[i].says && *sg_mechanisms[i].try_);
    }
}

TEST(a_kernel_beside_itself_has_no_cause)
{
    struct sg_versus sides = alike(MIXED);
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
    struct sg_versus sides = alike(MIXED);
    struct sg_found found;
    lengthen(&sides, SG_AT_SLEEP);
    sg_causes_find(&sides, &found);
    assert_true(found.count > 0 && !found.cause[0].mechanism &&
                found.cause[0].place == SG_AT_SLEEP);
    assert_near("points", found.cause[0].points, 20, 1.5);
}

TEST(fewer_registers_and_warps_that_cost_nothing_are_no_cause)
{
    struct sg_versus sides = alike(MIXED);
    struct sg_found found;
    sides.value[SG_IS][SG_registers] *= 4;
    edit(&sides, &fewer_warps);
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
    {"short launches by what was counted exactly", 1500, 0.2, 1.2, 1.5, 0,
     "the faster side takes under 5 us", "more instructions"},
    {"and not by a change that is too small for it", 1500, 0.2, 1.2, 1.01, 0,
     "the faster side takes under 5 us", NULL},
    {"counts that do not show the time", 1e5, 0.2, 1.001, 1.5, 0,
     "counted cycles and time disagree", "more instructions"},
    {"counts that wander by more", 1e5, 0.01, 1.01, 1.01, 3000,
     "it is less than the error of the counted cycles", "more instructions"},
    {"no cycles", 1e5, 0.2, NAN, 1.5, 0, "cycles were not counted on both sides",
     "more instructions"},
};

TEST(a_time_that_is_not_split_has_causes_without_points)
{
    for (size_t i = 0; i < COUNT(unsplit); i++) {
        struct sg_versus sides = alike(MIXED);
        struct sg_found found;
        sides.added = unsplit[i].added;
        sides.value[SG_WAS][SG_time] = unsplit[i].time;
        sides.value[SG_IS][SG_time] = unsplit[i].time * (1 + unsplit[i].added);
        sides.value[SG_IS][SG_cycles] *= unsplit[i].cycles;
        sides.value[SG_IS][SG_pipe_lsu] /= unsplit[i].cycles;
        sides.value[SG_IS][SG_pipe_xu] /= unsplit[i].cycles;
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
    for (size_t i = 0; i < COUNT(unsure); i++) {
        struct sg_versus sides = alike(MIXED);
        struct sg_found found;
        edit(&sides, &fewer_warps);
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
        struct sg_versus sides = alike(MIXED);
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

TEST(points_are_off_by_a_third_of_what_was_added_and_by_what_counts_are_off_by)
{
    struct sg_versus sides = alike(MIXED);
    struct sg_found found;
    lengthen(&sides, SG_AT_IMBALANCE);
    sides.error[SG_cycles] = 1800; /* of 36,000 that were added */
    sg_causes_find(&sides, &found);
    assert_true(found.count > 0);
    assert_near("error", sqrt(pow(found.cause[0].error, 2) - pow(0.33 * 20, 2)), 1, 0.3);
}

TEST(what_is_of_the_time_of_one_side_adds_up)
{
    struct sg_versus sides = alike(MIXED);
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

/* ---- kernels of four kinds: all cycles follow by resident warps x active cycles ---- */

static double sum_of_stalls(const double value[SG_INPUT_COUNT])
{
    double sum = value[SG_instructions] / (4 * SMS);
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        sum += isnan(value[i]) ? 0 : value[i];
    return sum;
}

static void change(double is[SG_INPUT_COUNT], const struct row *row, double all)
{
    for (const struct change *c = row->changes; c < row->changes + row->count; c++)
        is[c->input] = c->kind == '*'   ? is[c->input] * c->much
                       : c->kind == '=' ? c->much
                                        : fmax(0, is[c->input] + c->much * all);
}

/* Cycles that follow from the warp-cycles, units by cycles, stalls an instruction. */
static void follow(double *value, const double *was, double active)
{
    const double before = value[SG_cycles], added = active - was[SG_sm_active_cycles];
    value[SG_sm_active_cycles] += added;
    value[SG_sm_active_cycles_max] += added;
    value[SG_cycles] += added;
    value[SG_time] *= value[SG_cycles] / before;
    for (int i = SG_AT_TENSOR; i <= SG_AT_L1; i++) {
        const enum sg_input input = sg_places[i].input;
        if (sg_places[i].kind == SG_OF_ELAPSED && was[input] > 0)
            value[input] *= before / value[SG_cycles];
        else if (sg_places[i].kind == SG_OF_ACTIVE)
            value[input] = fmin(99, value[input] * was[SG_sm_active_cycles] / active);
    }
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        value[i] *= 100 * 4 * SMS / value[SG_instructions];
}

static void make(const struct row *row, struct sg_versus *sides)
{
    *sides = alike(row->kernel);
    double *was = sides->value[SG_WAS], *is = sides->value[SG_IS];
    was[SG_occupancy_achieved] = 100 * sum_of_stalls(was) / (16 * was[SG_sm_active_cycles]);
    memcpy(is, was, sizeof(sides->value[SG_IS]));
    change(is, row, sum_of_stalls(was));
    follow(is, was, 100 * sum_of_stalls(is) / (16 * is[SG_occupancy_achieved]));
    follow(was, was, was[SG_sm_active_cycles]);
    sides->added = is[SG_cycles] / was[SG_cycles] - 1;
}

TEST(a_mechanism_comes_first_on_each_kind_of_kernel)
{
    assert_int_not_equal(case_count, 0);
    for (size_t i = 0; i < case_count; i++) {
        struct sg_versus sides;
        struct sg_found found;
        make(&cases[i], &sides);
        sg_causes_find(&sides, &found);
        const struct sg_cause *first = &found.cause[0];
        const char *name = found.count == 0   ? "none"
                           : first->mechanism ? first->mechanism->name
                                              : sg_places[first->place].name;
        check_sum(cases[i].name, &found);
        if (strcmp(name, cases[i].first) != 0 || !(first->points >= 0.6 * found.split.added))
            fail_msg("%s: %s, %.1f of %.1f points, and not %s", cases[i].name, name, first->points,
                     found.split.added, cases[i].first);
    }
}

int main(void)
{
    struct sg_err err = {0};
    read_rows();
    if (sg_mechanisms_load(&err) != SG_SUCCESS)
        return fprintf(stderr, "%s: %s\n", err.where, err.message), 1;
    return check_run("tests", NULL, NULL);
}
