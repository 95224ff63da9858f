/* results/l2_state.h: the words of the states, there and back, and the
 * line that names them all for people. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "results/l2_state.h"
#include "util/text.h"

TEST(every_word_comes_back)
{
    for (int i = 0; i < SG_L2_STATES; i++) {
        enum sg_l2 l2 = SG_L2_STATES;
        struct sg_err err = {0};
        assert_int_equal(sg_l2_parse(sg_l2_word((enum sg_l2)i), &l2, &err), SG_SUCCESS);
        assert_int_equal(l2, i);
    }
}

TEST(what_is_no_state_leaves_the_state_and_says_what_there_is)
{
    static const char *const words[] = {"", "tepid", "Cold", "cold ", "col"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        enum sg_l2 l2 = SG_L2_WARM;
        struct sg_err err = {0};
        if (sg_l2_parse(words[i], &l2, &err) != SG_BAD_INPUT || l2 != SG_L2_WARM)
            fail_msg("'%s' was taken for a state", words[i]);
        assert_int_equal(strncmp(err.message, "expected " SG_L2_CHOICE ", found '",
                                 strlen("expected " SG_L2_CHOICE ", found '")),
                         0);
        assert_string_equal(err.where, "");
    }
}

/* The default is the state of all zeros, and the first that is named. */
TEST(the_choice_names_all_states_in_their_order)
{
    SG_SCOPED(sg_text) choice = {0};
    for (int i = 0; i < SG_L2_STATES; i++)
        sg_text_addf(&choice, "%s%s",
                     i == 0                 ? ""
                     : i + 1 < SG_L2_STATES ? ", "
                                            : " or ",
                     sg_l2_word((enum sg_l2)i));
    assert_string_equal(sg_text_string(&choice), SG_L2_CHOICE);
    assert_int_equal(SG_L2_COLD, 0);
}
