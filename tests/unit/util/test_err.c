/* util/err.h: which exit code counts of two. */
#include "check.h"
#include "util/err.h"

TEST(the_worse_exit_counts)
{
    const int signal_11 = 139;
    const int ranked[] = {SG_EXIT_DONE,  SG_EXIT_INCONCLUSIVE, SG_EXIT_INVALID,
                          SG_EXIT_USAGE, SG_EXIT_REGRESSED,    SG_EXIT_UNDECLARED};
    const size_t count = sizeof(ranked) / sizeof(ranked[0]);
    for (size_t worse = 0; worse < count; worse++)
        for (size_t better = 0; better <= worse; better++) {
            assert_int_equal(sg_worse_exit(ranked[better], ranked[worse]), ranked[worse]);
            assert_int_equal(sg_worse_exit(ranked[worse], ranked[better]), ranked[worse]);
        }
    assert_int_equal(sg_worse_exit(SG_EXIT_NO_GPU, signal_11), SG_EXIT_NO_GPU);
    assert_int_equal(sg_worse_exit(signal_11, SG_EXIT_INVALID), signal_11);
    assert_int_equal(sg_worse_exit(signal_11, SG_EXIT_REGRESSED), SG_EXIT_REGRESSED);
}
