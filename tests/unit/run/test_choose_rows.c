/* run/choose_rows.h: what is drawn, and that no row waits for longer than a fortnight. */
#include "check.h"
#include "run/choose_rows.h"

#define ROWS_MAX 60
#define DAYS     120

struct fleet {
    long timed_day[ROWS_MAX];
    struct sg_choice_row rows[ROWS_MAX];
    size_t count;
};

static void begin(struct fleet *fleet, size_t count)
{
    fleet->count = count;
    for (size_t i = 0; i < count; i++)
        fleet->timed_day[i] = 0;
}

/* How many rows a night times of which none changed, or only the first `changed`. */
static size_t night(struct fleet *fleet, size_t changed, const struct sg_choice_terms *terms)
{
    size_t timed = 0;
    for (size_t i = 0; i < fleet->count; i++)
        fleet->rows[i] = (struct sg_choice_row){.index = i,
                                                .lot = i * UINT64_C(0x9e3779b97f4a7c15),
                                                .module = i / 10,
                                                .is_identical = i >= changed,
                                                .timed_day = terms->has_history ? fleet->timed_day[i] : 0};
    sg_choose_rows(fleet->rows, fleet->count, terms);
    for (size_t i = 0; i < fleet->count; i++) {
        timed += fleet->rows[i].is_timed;
        if (fleet->rows[i].is_timed)
            fleet->timed_day[fleet->rows[i].index] = terms->today;
    }
    return timed;
}

TEST(no_row_waits_for_longer_than_a_fortnight)
{
    static const struct {
        const char *sentence;
        size_t rows;
        bool has_history;
        long every; /* days between nights */
        size_t changed;
        size_t most; /* rows that a night times, of the first one on */
    } cases[] = {
        {"42 rows", 42, true, 1, 0, 3},
        {"42 rows without a history", 42, false, 1, 0, 3},
        {"five rows", 5, true, 1, 0, 1},
        {"43 rows", 43, true, 1, 0, 4},
        {"43 rows without a history", 43, false, 1, 0, 4},
        {"one row", 1, true, 1, 0, 1},
        {"some change each night", 42, true, 1, 7, 10},
        {"a night every third day", 42, true, 3, 0, 42},
        {"a night a week", 42, true, 7, 0, 42},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct fleet fleet;
        size_t most = 0;
        begin(&fleet, cases[k].rows);
        for (long day = 1; day <= DAYS; day += cases[k].every) {
            const struct sg_choice_terms terms = {.today = 20000 + day, .first_day = 20001, .has_history = cases[k].has_history};
            const size_t timed = night(&fleet, cases[k].changed, &terms);
            most = timed > most ? timed : most;
            for (size_t i = 0; i < fleet.count; i++) {
                const long waits = terms.today - (fleet.timed_day[i] > 0 ? fleet.timed_day[i] : terms.first_day);
                if (waits >= SG_FORTNIGHT)
                    fail_msg("%s: day %ld: row %zu waits for %ld days", cases[k].sentence, day, i, waits);
            }
        }
        if (most > cases[k].most)
            fail_msg("%s: a night times %zu rows", cases[k].sentence, most);
    }
}

TEST(changed_rows_and_their_neighbours)
{
    struct fleet fleet;
    begin(&fleet, 30);
    const struct sg_choice_terms alone = {.today = 20000, .first_day = 20000, .has_history = true},
                                 beside = {.today = 20000, .first_day = 20000, .has_history = true, .with_neighbours = true};
    assert_int_equal(night(&fleet, 2, &alone), 2 + 3);
    assert_true(fleet.timed_day[0] > 0 && fleet.timed_day[1] > 0);
    begin(&fleet, 30);
    assert_int_equal(night(&fleet, 2, &beside), 10 + 3); /* those of the first module */
    begin(&fleet, 30);
    assert_int_equal(night(&fleet, 0, &beside), 3);
    assert_int_equal(night(&fleet, 30, &alone), 30);
}

TEST(what_was_timed_longest_ago_comes_first)
{
    struct fleet fleet;
    begin(&fleet, 28);
    for (size_t i = 0; i < fleet.count; i++)
        fleet.timed_day[i] = 19990 + (i != 5 && i != 6);
    const struct sg_choice_terms terms = {.today = 20000, .first_day = 19980, .has_history = true};
    assert_int_equal(night(&fleet, 0, &terms), 2);
    assert_true(fleet.timed_day[5] == 20000 && fleet.timed_day[6] == 20000);
}
