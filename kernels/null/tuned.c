/*
 * null/tuned - right as long as its knobs leave it so: what `solgate run --sweep` is tried on.
 *
 * By itself it takes width 2 and depth 2, in the case `small` width 4 and depth 3, which is the
 * best there is: 5 % less time than width 2 and depth 2. Width 8 is broken at every depth, in most
 * of the ways there are, and faster than all that is right.
 */
#include "null.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH, DEPTH };

static const struct sg_knob knobs[] = {
    {.name = "width", .summary = "elements of a vector", .count = 4, .value = {1, 2, 4, 8}},
    {.name = "depth", .summary = "stages in flight", .count = 6, .value = {1, 2, 3, 4, 5, 6}},
};

enum breakage { RIGHT, UNSUPPORTED, WRONG, CRASHES, HANGS, CRASHES_WHEN_TIMED };

static const struct {
    int64_t width, depth;
    enum breakage breakage;
} broken[] = {
    {8, 1, WRONG}, {8, 2, CRASHES},     {8, 3, HANGS}, {8, 4, CRASHES_WHEN_TIMED},
    {8, 5, WRONG}, {8, 6, UNSUPPORTED},
};

struct choice {
    int64_t width, depth;
};

static struct choice choose(const struct sg_case *c, const int64_t *knob)
{
    const bool small = strcmp(c->name, "small") == 0;
    const int64_t width = small ? 4 : 2, depth = small ? 3 : 2;
    return (struct choice){.width = knob[WIDTH] ? knob[WIDTH] : width,
                           .depth = knob[DEPTH] ? knob[DEPTH] : depth};
}

static enum breakage breakage_of(const struct sg_launch *l)
{
    const struct choice chosen = choose(l->c, l->knob);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        if (broken[i].width == chosen.width && broken[i].depth == chosen.depth)
            return broken[i].breakage;
    return RIGHT;
}

double null_tuned_factor(const struct sg_case *c, const int64_t *knob)
{
    const struct choice chosen = choose(c, knob);
    const double off_width = chosen.width == 4 ? 0 : chosen.width == 2 ? 1 : 2;
    const double off_depth =
        chosen.depth > 3 ? (double)(chosen.depth - 3) : (double)(3 - chosen.depth);
    return chosen.width == 8 ? 0.5 : 0.95 + 0.03 * off_width + 0.02 * off_depth;
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const struct choice chosen = choose(l->c, l->knob);
    if (chosen.width <= 8 && chosen.depth <= 6 && breakage_of(l) != UNSUPPORTED)
        return null_prepare_counter(l, state, why);
    snprintf(
        why->text, sizeof(why->text),
        "width %lld, depth %lld: needs width at most 8, depth at most 6, less than that with 8",
        (long long)chosen.width, (long long)chosen.depth);
    return SG_UNSUPPORTED;
}

static void break_process(void)
{
    volatile uintptr_t unmapped = sizeof(int); /* volatile, or the compiler sees through it */
    *(volatile int *)unmapped = 1;
}

static void launch(const struct sg_launch *l)
{
    const enum breakage breakage = breakage_of(l);
    const bool is_timed = null_launches_before(l) >= NULL_LAUNCHES_OF_VERIFICATION;
    if (breakage == HANGS)
        null_wait_forever();
    if (breakage == CRASHES || (breakage == CRASHES_WHEN_TIMED && is_timed))
        break_process();
    null_launch(l);
    if (breakage == WRONG)
        ((float *)l->buffer[OUT_Y])[0] += 0.5f;
}

SG_VARIANT(null, tuned) = {
    .summary = "leaves width and depth open",
    .prepare = prepare,
    .launch = launch,
    .finish = null_finish_counter,
    .knobs = knobs,
    .knob_count = sizeof(knobs) / sizeof(knobs[0]),
};
