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
#define IS_RIGHT                                                                   \
    TO(SG_TURN_FAILS, SG_TURN_DOUBTED), TO(SG_TURN_FAILS_BEHIND, SG_TURN_DOUBTED), \
        TO(SG_TURN_CONVICTED, SG_TURN_FLAKY)
        /* A baseline is also launched in other steps' pairs, so it can fail outside of its
         * own turn. */
        [SG_TURN_NOT_ASKED] = {IS_RIGHT},
        [SG_TURN_DONE] = {IS_RIGHT},
        [SG_TURN_TO_DO] = {FIRST_TRY, TO(SG_TURN_UNREACHED, SG_TURN_ALONE)},
        [SG_TURN_ALONE] = {FIRST_TRY},
        [SG_TURN_LOST] = {FIRST_TRY},
        [SG_TURN_SUSPECT] = {TO(SG_TURN_RIGHT, SG_TURN_DOUBTED), TO(SG_TURN_FAILS, SG_TURN_FAILED),
                             TO(SG_TURN_FAILS_BEHIND, SG_TURN_FAILED),
                             TO(SG_TURN_BASELINE_FAILED, SG_TURN_DROPPED),
                             TO(SG_TURN_CONVICTED, SG_TURN_FLAKY)},
        [SG_TURN_DOUBTED] = {TO(SG_TURN_ACQUITTED, SG_TURN_DONE),
                             TO(SG_TURN_CONVICTED, SG_TURN_FLAKY),
                             TO(SG_TURN_BASELINE_FAILED, SG_TURN_DROPPED)},
#undef IS_RIGHT
#undef FIRST_TRY
#undef TO
    };
    return table[turn][event].counts ? table[turn][event].next : turn;
}

bool sg_turn_is_open(enum sg_turn turn)
{
    return turn >= SG_TURN_TO_DO && turn <= SG_TURN_SUSPECT;
}

/* ---- a trial ---- */

enum { WHOLE, LOWER, UPPER, CONFIRM };

/* The final confirmations: alone, after the culprit, after another step, after the culprit. The
 * suspect must fail exactly after the culprit. A suspect that fails after any step is itself at
 * fault. */
static const bool is_to_fail[] = {false, true, false, true};
#define CONFIRMS (sizeof(is_to_fail) / sizeof(is_to_fail[0]))

static void ask(struct sg_trial *t, unsigned stage)
{
    const size_t middle = t->low + (t->high - t->low) / 2;
    const size_t other = t->low > 0 ? t->low - 1 : t->low + 1;
    t->stage = stage;
    t->from = stage == UPPER ? middle : t->low;
    t->to = stage == LOWER ? middle : t->high;
    if (stage >= CONFIRM && !is_to_fail[stage - CONFIRM]) {
        const bool has_other = stage > CONFIRM && other < t->count;
        t->from = has_other ? other : 0;
        t->to = has_other ? other + 1 : 0;
    }
}

struct sg_trial sg_trial_begin(size_t count)
{
    struct sg_trial trial = {
        .count = count, .high = count, .verdict = count > 0 ? SG_TRIAL_OPEN : SG_TRIAL_SUSPECT};
    ask(&trial, WHOLE);
    return trial;
}

void sg_trial_answer(struct sg_trial *t, bool failed)
{
    if (t->stage >= CONFIRM) {
        if (failed != is_to_fail[t->stage - CONFIRM])
            t->verdict = SG_TRIAL_SUSPECT;
        else if (t->stage - CONFIRM + 1 == CONFIRMS)
            t->verdict = SG_TRIAL_OTHER;
        else
            ask(t, t->stage + 1);
    } else if (failed) {
        t->low = t->from;
        t->high = t->to;
        ask(t, t->high - t->low > 1 ? LOWER : CONFIRM);
    } else if (t->stage == LOWER) {
        ask(t, UPPER);
    } else {
        t->verdict = SG_TRIAL_SUSPECT;
    }
}
