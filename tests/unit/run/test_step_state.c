/* run/step_state.c: state of a step in one pass. */
#include "check.h"
#include "run/step_state.h"

TEST(each_event_in_each_state)
{
#define R SG_STEP_PASSES
#define F SG_STEP_FAILS
#define B SG_STEP_FAILS_AFTER_OTHERS
    static const struct {
        const char *sentence;
        enum sg_step_state from, to;
        int events[4]; /* up to -1 */
    } rows[] = {
        {"passes at once", SG_STEP_PENDING, SG_STEP_DONE, {R, -1}},
        {"fails as the first of its process: failed", SG_STEP_PENDING, SG_STEP_FAILED, {F, -1}},
        {"fails after others: retried alone", SG_STEP_PENDING, SG_STEP_RETRY_ALONE, {B, -1}},
        {"fails again", SG_STEP_PENDING, SG_STEP_FAILED, {B, F, -1}},
        {"fails again in a set", SG_STEP_PENDING, SG_STEP_FAILED, {B, B, -1}},
        {"passes when retried: flaky", SG_STEP_PENDING, SG_STEP_FLAKY, {B, R, -1}},
        {"its baseline fails for good",
         SG_STEP_PENDING,
         SG_STEP_DROPPED,
         {B, SG_STEP_BASELINE_FAILS, -1}},
        {"a baseline that passed fails in another step's pair",
         SG_STEP_DONE,
         SG_STEP_FLAKY,
         {B, -1}},
        {"a baseline that was not requested fails in a pair",
         SG_STEP_NOT_REQUESTED,
         SG_STEP_FLAKY,
         {B, -1}},
        {"its worker ended before it began",
         SG_STEP_PENDING,
         SG_STEP_PENDING_ALONE,
         {SG_STEP_NOT_BEGUN, -1}},
        {"its worker ended before it began, also alone",
         SG_STEP_PENDING,
         SG_STEP_WORKER_LOST,
         {SG_STEP_NOT_BEGUN, SG_STEP_NOT_BEGUN_ALONE, -1}},
        {"a later worker runs it", SG_STEP_WORKER_LOST, SG_STEP_DONE, {R, -1}},
        {"a failed step stays failed", SG_STEP_FAILED, SG_STEP_FAILED, {R, -1}},
        {"a flaky step stays flaky", SG_STEP_FLAKY, SG_STEP_FLAKY, {R, SG_STEP_BASELINE_FAILS, -1}},
    };
#undef R
#undef F
#undef B
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum sg_step_state current = rows[i].from;
        for (const int *event = rows[i].events; *event >= 0; event++)
            current = sg_step_state_next(current, (enum sg_step_event) * event);
        if (current != rows[i].to)
            fail_msg("%s: %d instead of %d", rows[i].sentence, (int)current, (int)rows[i].to);
    }
}

/* An event leads from an open state to a closed one or to a later open one: no state repeats. */
TEST(states_go_one_way)
{
    for (int from = 0; from < SG_STEP_STATES; from++)
        for (int event = 0; event < SG_STEP_EVENTS; event++) {
            const enum sg_step_state next =
                sg_step_state_next((enum sg_step_state)from, (enum sg_step_event)event);
            if (sg_step_state_is_open((enum sg_step_state)from) && sg_step_state_is_open(next) &&
                next < (enum sg_step_state)from)
                fail_msg("%d leads back to %d by %d", from, (int)next, event);
        }
}
