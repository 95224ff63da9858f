/* run/turn.c: what becomes of a step in one pass. */
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
        {"and is right: it is flaky", SG_TURN_TO_DO, SG_TURN_FLAKY, {B, R, -1}},
        {"its baseline fails for good",
         SG_TURN_TO_DO,
         SG_TURN_DROPPED,
         {B, SG_TURN_BASELINE_FAILED, -1}},
        {"a baseline that is right fails in another's pair", SG_TURN_DONE, SG_TURN_FLAKY, {B, -1}},
        {"so one that was not asked for", SG_TURN_NOT_ASKED, SG_TURN_FLAKY, {B, -1}},
        {"no worker came to it", SG_TURN_TO_DO, SG_TURN_ALONE, {SG_TURN_UNREACHED, -1}},
        {"nor alone",
         SG_TURN_TO_DO,
         SG_TURN_LOST,
         {SG_TURN_UNREACHED, SG_TURN_UNREACHED_ALONE, -1}},
        {"and at last one does", SG_TURN_LOST, SG_TURN_DONE, {R, -1}},
        {"nothing mends a failure", SG_TURN_FAILED, SG_TURN_FAILED, {R, -1}},
        {"nor a flaky one", SG_TURN_FLAKY, SG_TURN_FLAKY, {R, SG_TURN_BASELINE_FAILED, -1}},
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
