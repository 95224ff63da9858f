/* run/choose_rows.h: what is drawn, and that no row waits for longer than a fortnight. */
#include "check.h"
#include "run/choose_rows.h"

#define ROWS_MAX 60
#define DAYS     120

struct fleet {
    unsigned long timed_day[ROWS_MAX];
    struct sg_choice_row rows[ROWS_MAX];
    size_t count;
};

/* How many rows a night times of which the first `changed` did. */
static size_t night(struct fleet *fleet, size_t changed, unsigned long day,
                    const struct sg_choice_terms *terms)
{
    size_t timed = 0;
    for (size_t i = 0; i < fleet->count; i++)
        fleet->rows[i] = (struct sg_choice_row){.module = i / 10, .is_identical = i >= changed};
    sg_choose_rows(fleet->rows, fleet->count, terms);
    for (size_t i = 0; i < fleet->count; i++) {
        timed += fleet->rows[i].is_timed;
        if (fleet->rows[i].is_timed)
            fleet->timed_day[i] = day;
    }
    return timed;
}

TEST(no_row_waits_for_longer_than_a_fortnight)
{
    static const struct {
        const char *sentence;
        size_t rows;
        unsigned every; /* days between nights */
        size_t changed;
        size_t most; /* rows that a night times, of the first one on */
    } cases[] = {
        {"42 rows", 42, 1, 0, 3},
        {"five rows", 5, 1, 0, 1},
        {"43 rows", 43, 1, 0, 4},
        {"one row", 1, 1, 0, 1},
        {"some change each night", 42, 1, 7, 10},
        {"a night every third day", 42, 3, 0, 9},
        {"a night a week", 42, 7, 0, 21},
        {"a night in three weeks", 42, 21, 0, 42},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct fleet fleet = {.count = cases[k].rows};
        size_t most = 0;
        for (unsigned long day = 1; day <= DAYS; day += cases[k].every) {
            const struct sg_choice_terms terms = {.turn = 20000 + day,
                                                  .turns = day == 1 ? 1 : cases[k].every};
            const size_t timed = night(&fleet, cases[k].changed, day, &terms);
            most = timed > most ? timed : most;
            for (size_t i = 0; i < fleet.count; i++)
                if (day > SG_FORTNIGHT && day - fleet.timed_day[i] >= SG_FORTNIGHT)
                    fail_msg("%s: day %lu: row %zu waits since day %lu", cases[k].sentence, day, i,
                             fleet.timed_day[i]);
        }
        if (most > cases[k].most)
            fail_msg("%s: a night times %zu rows", cases[k].sentence, most);
    }
}

TEST(changed_rows_and_their_neighbours)
{
    struct fleet fleet = {.count = 30};
    const struct sg_choice_terms alone = {.turn = 9, .turns = 1},
                                 beside = {.turn = 9, .turns = 1, .with_neighbours = true};
    assert_int_equal(night(&fleet, 0, 1, &alone), 2); /* 9 and 23 */
    assert_int_equal(night(&fleet, 2, 2, &alone), 2 + 2);
    assert_true(fleet.timed_day[0] == 2 && fleet.timed_day[1] == 2 && fleet.timed_day[9] == 2 &&
                fleet.timed_day[23] == 2);
    assert_int_equal(night(&fleet, 2, 3, &beside), 10 + 1); /* 9 is of the first module */
    assert_int_equal(night(&fleet, 0, 4, &beside), 2);
    assert_int_equal(night(&fleet, 30, 5, &alone), 30);
}
