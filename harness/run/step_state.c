#include "run/step_state.h"

/* Unlisted (state, event) pairs keep the state. */
enum sg_step_state sg_step_state_next(enum sg_step_state state, enum sg_step_event event)
{
    static const struct {
        bool counts;
        enum sg_step_state next;
    } table[SG_STEP_STATES][SG_STEP_EVENTS] = {
#define TO(event, state) [event] = { true, state }
#define FIRST_TRY                                                        \
    TO(SG_STEP_PASSES, SG_STEP_DONE), TO(SG_STEP_FAILS, SG_STEP_FAILED), \
        TO(SG_STEP_FAILS_AFTER_OTHERS, SG_STEP_RETRY_ALONE),             \
        TO(SG_STEP_NOT_BEGUN_ALONE, SG_STEP_WORKER_LOST),                \
        TO(SG_STEP_BASELINE_FAILS, SG_STEP_DROPPED)
#define WAS_RIGHT TO(SG_STEP_FAILS, SG_STEP_FLAKY), TO(SG_STEP_FAILS_AFTER_OTHERS, SG_STEP_FLAKY)
        /* A baseline is also launched in other steps' pairs, so it can fail there too. */
        [SG_STEP_NOT_REQUESTED] = {WAS_RIGHT},
        [SG_STEP_DONE] = {WAS_RIGHT},
        [SG_STEP_PENDING] = {FIRST_TRY, TO(SG_STEP_NOT_BEGUN, SG_STEP_PENDING_ALONE)},
        [SG_STEP_PENDING_ALONE] = {FIRST_TRY},
        [SG_STEP_WORKER_LOST] = {FIRST_TRY},
        [SG_STEP_RETRY_ALONE] = {TO(SG_STEP_PASSES, SG_STEP_FLAKY),
                                 TO(SG_STEP_FAILS, SG_STEP_FAILED),
                                 TO(SG_STEP_FAILS_AFTER_OTHERS, SG_STEP_FAILED),
                                 TO(SG_STEP_BASELINE_FAILS, SG_STEP_DROPPED)},
#undef WAS_RIGHT
#undef FIRST_TRY
#undef TO
    };
    return table[state][event].counts ? table[state][event].next : state;
}

bool sg_step_state_is_open(enum sg_step_state state)
{
    return state >= SG_STEP_PENDING && state <= SG_STEP_RETRY_ALONE;
}
