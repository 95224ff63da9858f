/* run/progress.h: how long the rest takes. */
#include <math.h>

#include "check.h"
#include "run/progress.h"

/* Four steps wait for kernels that hang, 2.5 s each; the others take 0.5 s. */
TEST(the_time_left_is_that_of_the_latest_steps)
{
    struct sg_progress progress = {.total = 120};
    double now_s = 0;
    for (size_t i = 0; i < 120; i++) {
        now_s += i < 4 ? 2.5 : 0.5;
        sg_progress_count(&progress, now_s);
        const double left_s = sg_progress_left_s(&progress, now_s);
        if (i < 11 || i == 119)
            assert_true(isnan(left_s));
        else
            assert_true(fabs(left_s - 0.5 * (double)(119 - i)) < 1e-9);
    }
}
