/* run/progress.h where there is no terminal: what a log of a night has. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "run/progress.h"

/* Four steps, with a line for each that comes `interval_s` after the one
 * before; what was printed, into `said`. */
static void four_steps(double interval_s, char said[1024])
{
    FILE *log = tmpfile();
    const int kept = dup(STDERR_FILENO);
    assert_non_null(log);
    dup2(fileno(log), STDERR_FILENO);
    struct sg_progress progress;
    sg_progress_init(&progress);
    assert_false(progress.terminal);
    assert_true(progress.log_interval_s == 10);
    progress.log_interval_s = interval_s;
    sg_progress_phase(&progress, "verify", 4, "verify: 4 items");
    for (size_t i = 0; i < 4; i++)
        sg_progress_step(&progress);
    sg_progress_print(&progress, "done");
    sg_progress_end(&progress);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(log);
    said[fread(said, 1, 1023, log)] = '\0';
    fclose(log);
}

TEST(a_log_has_the_state_now_and_then)
{
    char said[1024];
    four_steps(10, said);
    assert_string_equal(said, "verify: 4 items\ndone\n");
    four_steps(0, said);
    assert_string_equal(said, "verify: 4 items\nverify 1/4, about 0 s left\nverify 2/4, about 0 s left\nverify 3/4, about 0 s left\n"
                              "verify 4/4\ndone\n");
}

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
