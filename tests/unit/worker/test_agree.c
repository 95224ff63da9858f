/* agree.h: two outputs that are both right always agree, however coarse the tolerance;
 * two that are further apart do not. */
#include <stdlib.h>

#include "check.h"
#include "worker/agree.h"

#define ELEMENTS 8

static bool agree(const struct sg_tolerance *tolerance, const double kept[ELEMENTS], const double got[ELEMENTS])
{
    double put_away[ELEMENTS], squares;
    struct sg_mismatch mismatch;
    const struct sg_keep keep = {.to = put_away, .from = kept, .count = ELEMENTS, .dtype = SG_F64, .squares = &squares};
    struct sg_match match = {.got = got, .kept = put_away, .count = ELEMENTS, .dtype = SG_F64, .squares = &squares, .out = &mismatch};
    sg_agree_allow(tolerance, &match);
    sg_host_keep(&keep);
    sg_host_match(&match);
    return sg_agree(tolerance, &mismatch);
}

/* The reference is all ones: an error of `error` is rel_rms of that, and rel_max of half of it. */
static void fill(double to[ELEMENTS], double error)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        to[i] = 1 + error;
}

TEST(the_far_ends_of_a_tolerance_agree)
{
    static const double errors[] = {1e-6, 1e-3, 0.01, 0.1, 0.2, 0.25, 0.3};
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        const double error = errors[i];
        /* Beyond what it allows by the last bits only. */
        const struct sg_tolerance tolerance = {.rel_rms = error * (1 + 1e-9), .rel_max = error / 2 * (1 + 1e-9)};
        double low[ELEMENTS], high[ELEMENTS], far[ELEMENTS];
        fill(low, -error);
        fill(high, error);
        fill(far, 4 * error);
        if (!agree(&tolerance, low, high) || !agree(&tolerance, high, low))
            fail_msg("two that are right do not agree: each is off by %g", error);
        /* With a coarser one hardly anything is too far. */
        if (error <= 0.1 && (agree(&tolerance, low, far) || agree(&tolerance, far, low)))
            fail_msg("one that is off by four times %g agrees", error);
    }
}

TEST(what_must_be_exact_is)
{
    const struct sg_tolerance exact = {.rel_rms = 0, .rel_max = 1};
    double one[ELEMENTS], other[ELEMENTS];
    fill(one, 0);
    fill(other, 0);
    assert_true(agree(&exact, one, other));
    other[3] += 1e-15;
    assert_false(agree(&exact, one, other));
}
