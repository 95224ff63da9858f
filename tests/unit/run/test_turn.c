/* run/turn.c: what becomes of a step in one pass, and who is blamed for what is seen once. */
#include "check.h"
#include "run/turn.h"

TEST(each_event_in_each_state)
{
#define R SG_TURN_RIGHT
#define F SG_TURN_FAILS
#define B SG_TURN_FAILS_BEHIND
    static const struct {
        const char *sentence;
        enum sg_turn from, to;
        int events[4]; /* up to -1 */
    } rows[] = {
        {"right at once", SG_TURN_TO_DO, SG_TURN_DONE, {R, -1}},
        {"what fails first in its process has failed", SG_TURN_TO_DO, SG_TURN_FAILED, {F, -1}},
        {"what fails behind others is done again", SG_TURN_TO_DO, SG_TURN_SUSPECT, {B, -1}},
        {"and fails again", SG_TURN_TO_DO, SG_TURN_FAILED, {B, F, -1}},
        {"and fails again in a set", SG_TURN_TO_DO, SG_TURN_FAILED, {B, B, -1}},
        {"and is right: it is tried", SG_TURN_TO_DO, SG_TURN_DOUBTED, {B, R, -1}},
        {"convicted", SG_TURN_TO_DO, SG_TURN_FLAKY, {B, R, SG_TURN_CONVICTED, -1}},
        {"acquitted, with the rows it has",
         SG_TURN_TO_DO,
         SG_TURN_DONE,
         {B, R, SG_TURN_ACQUITTED, -1}},
        {"never done again: what was seen stands",
         SG_TURN_TO_DO,
         SG_TURN_FLAKY,
         {B, SG_TURN_CONVICTED, -1}},
        {"its baseline fails for good",
         SG_TURN_TO_DO,
         SG_TURN_DROPPED,
         {B, SG_TURN_BASELINE_FAILED, -1}},
        {"a baseline that is right fails in another's pair",
         SG_TURN_DONE,
         SG_TURN_DOUBTED,
         {B, -1}},
        {"so one that was not asked for", SG_TURN_NOT_ASKED, SG_TURN_DOUBTED, {B, -1}},
        {"a bystander that fails in a trial", SG_TURN_DONE, SG_TURN_FLAKY, {SG_TURN_CONVICTED, -1}},
        {"one that is to do has its own turn",
         SG_TURN_TO_DO,
         SG_TURN_TO_DO,
         {SG_TURN_CONVICTED, -1}},
        {"no worker came to it", SG_TURN_TO_DO, SG_TURN_ALONE, {SG_TURN_UNREACHED, -1}},
        {"nor alone",
         SG_TURN_TO_DO,
         SG_TURN_LOST,
         {SG_TURN_UNREACHED, SG_TURN_UNREACHED_ALONE, -1}},
        {"and at last one does", SG_TURN_LOST, SG_TURN_DONE, {R, -1}},
        {"nothing mends a failure", SG_TURN_FAILED, SG_TURN_FAILED, {R, SG_TURN_ACQUITTED, -1}},
        {"nor a flaky one",
         SG_TURN_FLAKY,
         SG_TURN_FLAKY,
         {R, SG_TURN_ACQUITTED, SG_TURN_BASELINE_FAILED, -1}},
    };
#undef R
#undef F
#undef B
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum sg_turn turn = rows[i].from;
        for (const int *event = rows[i].events; *event >= 0; event++)
            turn = sg_turn_next(turn, (enum sg_turn_event) * event);
        if (turn != rows[i].to)
            fail_msg("%s: %d instead of %d", rows[i].sentence, (int)turn, (int)rows[i].to);
    }
}

/* An event leads from an open state to a closed one or to a later open one: turns end. */
TEST(turns_go_one_way)
{
    for (int turn = 0; turn < SG_TURNS; turn++)
        for (int event = 0; event < SG_TURN_EVENTS; event++) {
            const enum sg_turn next = sg_turn_next((enum sg_turn)turn, (enum sg_turn_event)event);
            if (sg_turn_is_open((enum sg_turn)turn) && sg_turn_is_open(next) &&
                next < (enum sg_turn)turn)
                fail_msg("%d leads back to %d by %d", turn, (int)next, event);
        }
}

/* ---- trials: who is to blame, and what shows it ---- */

#define NOBODY  SIZE_MAX
#define ANYBODY (SIZE_MAX - 1)

/* Holds a trial in which the suspect fails behind this one; of the first `chance` answers it fails
 * in each. Returns who is blamed; *questions: of how many processes. */
static size_t hold(size_t count, size_t culprit, unsigned chance, unsigned *questions)
{
    struct sg_trial trial = sg_trial_begin(count);
    for (*questions = 0; trial.verdict == SG_TRIAL_OPEN && *questions < 100; ++*questions) {
        assert_true(trial.from <= trial.to && trial.to <= count);
        const bool is_behind = culprit == ANYBODY ? trial.to > trial.from
                                                  : trial.from <= culprit && culprit < trial.to;
        sg_trial_answer(&trial, is_behind || *questions < chance);
    }
    assert_int_not_equal(trial.verdict, SG_TRIAL_OPEN);
    return trial.verdict == SG_TRIAL_OTHER ? trial.low : NOBODY;
}

TEST(the_one_that_spoils_it_is_found)
{
    unsigned questions;
    for (size_t count = 1; count <= 33; count++)
        for (size_t culprit = 0; culprit < count; culprit++) {
            assert_int_equal(hold(count, culprit, 0, &questions), culprit);
            assert_true(questions <= 1 + 2 * 6 + 4);
        }
}

TEST(what_does_not_happen_again_is_the_suspects)
{
    unsigned questions;
    for (size_t count = 0; count <= 33; count++)
        for (unsigned chance = 0; chance <= 4; chance++)
            assert_int_equal(hold(count, NOBODY, chance, &questions), NOBODY);
    assert_int_equal(hold(0, NOBODY, 0, &questions), NOBODY);
    assert_int_equal(questions, 0);
}

/* It fails behind whomever: it is right only in a fresh process. */
TEST(what_fails_behind_anybody_is_the_suspects)
{
    unsigned questions;
    for (size_t count = 2; count <= 33; count++)
        assert_int_equal(hold(count, ANYBODY, 0, &questions), NOBODY);
}
