#include "run/turn.h"

/* Unlisted (state, event) pairs keep the state. */
enum sg_turn sg_turn_next(enum sg_turn turn, enum sg_turn_event event)
{
    static const struct {
        bool counts;
        enum sg_turn next;
    } table[SG_TURNS][SG_TURN_EVENTS] = {
#define TO(event, state) [event] = { true, state }
#define FIRST_TRY                                                                             \
    TO(SG_TURN_RIGHT, SG_TURN_DONE), TO(SG_TURN_FAILS, SG_TURN_FAILED),                       \
        TO(SG_TURN_FAILS_BEHIND, SG_TURN_SUSPECT), TO(SG_TURN_UNREACHED_ALONE, SG_TURN_LOST), \
        TO(SG_TURN_BASELINE_FAILED, SG_TURN_DROPPED)
#define WAS_RIGHT TO(SG_TURN_FAILS, SG_TURN_FLAKY), TO(SG_TURN_FAILS_BEHIND, SG_TURN_FLAKY)
        /* A baseline is also launched in other steps' pairs, so it can fail outside of its
         * own turn. */
        [SG_TURN_NOT_ASKED] = {WAS_RIGHT},
        [SG_TURN_DONE] = {WAS_RIGHT},
        [SG_TURN_TO_DO] = {FIRST_TRY, TO(SG_TURN_UNREACHED, SG_TURN_ALONE)},
        [SG_TURN_ALONE] = {FIRST_TRY},
        [SG_TURN_LOST] = {FIRST_TRY},
        [SG_TURN_SUSPECT] = {TO(SG_TURN_RIGHT, SG_TURN_FLAKY), TO(SG_TURN_FAILS, SG_TURN_FAILED),
                             TO(SG_TURN_FAILS_BEHIND, SG_TURN_FAILED),
                             TO(SG_TURN_BASELINE_FAILED, SG_TURN_DROPPED)},
#undef WAS_RIGHT
#undef FIRST_TRY
#undef TO
    };
    return table[turn][event].counts ? table[turn][event].next : turn;
}

bool sg_turn_is_open(enum sg_turn turn)
{
    return turn >= SG_TURN_TO_DO && turn <= SG_TURN_SUSPECT;
}
