/* history/builds_chain.h: heights of accepted builds, by the
 * nights on which they were tonight's. */
#include <math.h>

#include "check.h"
#include "history/builds_chain.h"

#define MOST 8

enum { NO, A, B, C, D };

TEST(heights_by_links)
{
    static const struct {
        const char *proves;
        struct sg_build_night nights[MOST];
        size_t builds;
        struct sg_build_height last; /* what is expected of the last one */
    } rows[] = {
        ROW("no pair at all", LIST(LIST(A, NO, NAN, NAN), LIST(A, NO, NAN, NAN)), 0, LIST(0)),
        ROW("one build", LIST(LIST(A, A, 0.001, 0.001), LIST(B, A, 0.01, 0.001)), 1,
            LIST(A, 0, 0, 0, SG_NO_ORIGIN)),
        ROW("tonight's of the night before", LIST(LIST(B, A, 0.01, 0.001), LIST(B, B, 0, 0.001)), 2,
            LIST(B, 0, 0.01, 0.001, 0)),
        ROW("of four nights, so half the error",
            LIST(LIST(B, A, 0.009, 0.001), LIST(B, A, 0.011, 0.001), LIST(C, A, 0.5, 1),
                 LIST(B, A, 0.012, 0.001), LIST(B, A, 0.008, 0.001), LIST(C, B, 0.49, 1)),
            2, LIST(B, 0, 0.01, 0.0005, 4)),
        ROW("two links: their errors add up",
            LIST(LIST(B, A, 0.03, 0.003), LIST(C, B, 0.01, 0.004), LIST(D, C, 0.5, 1)), 3,
            LIST(C, 0, 0.04, 0.005, 1)),
        ROW("not by what came later",
            LIST(LIST(D, A, 0, 0.001), LIST(D, C, 0, 0.001), LIST(C, A, 0.5, 0.001)), 2,
            LIST(C, 1, 0, 0, SG_NO_ORIGIN)),
        ROW("never tonight's: a part of its own",
            LIST(LIST(B, A, 0.01, 0.001), LIST(C, D, 0.02, 0.001)), 2,
            LIST(D, 1, 0, 0, SG_NO_ORIGIN)),
        ROW("tonight's without a pair: it is known when, not how high",
            LIST(LIST(C, A, 0.01, 0.001), LIST(D, NO, NAN, NAN), LIST(D, D, 0, 0.001)), 2,
            LIST(D, 1, 0, 0, 1)),
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_build_height heights[MOST];
        struct sg_build_night nights[MOST];
        for (size_t night = 0; night < MOST; night++)
            nights[night] = rows[i].nights[night].code != NO
                                ? rows[i].nights[night]
                                : (struct sg_build_night){NO, NO, NAN, NAN};
        const size_t count = sg_build_heights(nights, MOST, 0, heights);
        if (count != rows[i].builds)
            fail_msg("%s: %zu builds", rows[i].proves, count);
        const struct sg_build_height *last = &heights[count > 0 ? count - 1 : 0],
                                     *wanted = &rows[i].last;
        if (count > 0 &&
            (last->build != wanted->build || last->part != wanted->part ||
             last->origin != wanted->origin || fabs(last->height - wanted->height) > 1e-12 ||
             fabs(last->se - wanted->se) > 1e-12))
            fail_msg("%s: build %u, part %u, height %g +- %g, origin %zu", rows[i].proves,
                     last->build, last->part, last->height, last->se, last->origin);
        assert_null(sg_build_height_of(heights, count, MOST));
    }
}
