/* results/error_signature.h: the line, what is another place, and who shares one. */
#include <string.h>

#include "check.h"
#include "results/error_signature.h"

static const char line[] = "y: tile of 128x128 at [128,256]; 16384 of 262144 elements; [130,300] "
                           "is 24.014477, reference 0.5; seed 3; "
                           "same place with 3 seeds";

TEST(what_is_said_of_wrong_outputs)
{
    const struct sg_error_signature signature = {.where = "y: tile of 128x128 at [128,256]",
                                                 .elements = 16384,
                                                 .count = 262144,
                                                 .at = "[130,300]",
                                                 .got = "24.014477",
                                                 .want = "0.5",
                                                 .inputs = "seed 3",
                                                 .recurrence = SG_RECURS_IN_PLACE};
    SG_SCOPED(sg_text) text = {0};
    sg_error_signature_add(&text, &signature);
    assert_string_equal(text.data, line);
    assert_int_equal(sg_error_where(line), strlen(signature.where));
}

TEST(moved)
{
    static const char *const hold[] = {"same place with 3 seeds", "another with other seeds",
                                       "not launched again"};
    static const struct {
        const char *sentence, *was, *is;
        enum sg_recurrence recurrence_was, recurrence_is;
        bool moved;
    } rows[] = {
        {"the same place", "y: row 5", "y: row 5", SG_RECURS_IN_PLACE, SG_RECURS_IN_PLACE, false},
        {"another row", "y: row 5", "y: row 6", SG_RECURS_IN_PLACE, SG_RECURS_IN_PLACE, true},
        {"a row whose number is longer", "y: row 5", "y: row 51", SG_RECURS_IN_PLACE,
         SG_RECURS_IN_PLACE, true},
        {"another output", "y: row 5", "z: row 5", SG_RECURS_IN_PLACE, SG_RECURS_IN_PLACE, true},
        {"a structure became noise", "y: row 5", "y: scattered", SG_RECURS_IN_PLACE,
         SG_RECURS_IN_PLACE, true},
        {"noise became a structure", "y: scattered", "y: row 5", SG_RECURS_IN_PLACE,
         SG_RECURS_IN_PLACE, true},
        {"what hung on the inputs", "y: row 5", "y: row 6", SG_RECURS_ELSEWHERE, SG_RECURS_IN_PLACE,
         false},
        {"what hangs on the inputs now", "y: row 5", "y: row 6", SG_RECURS_IN_PLACE,
         SG_RECURS_ELSEWHERE, false},
        {"what was not launched again", "y: row 5", "y: row 6", SG_RECURS_IN_PLACE,
         SG_RECURS_UNKNOWN, false},
        {"nearly all, or a few fewer", "y: all elements", "y: scattered", SG_RECURS_IN_PLACE,
         SG_RECURS_IN_PLACE, false},
        {"noise elsewhere", "y: scattered", "z: scattered", SG_RECURS_IN_PLACE, SG_RECURS_IN_PLACE,
         true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) was = {0}, is = {0};
        sg_text_addf(&was, "%s; 10 of 99 elements; [5] is 1, reference 0; seed 1; %s", rows[i].was,
                     hold[rows[i].recurrence_was]);
        sg_text_addf(&is, "%s; 12 of 99 elements; [7] is 2, reference 0; seed 1; %s", rows[i].is,
                     hold[rows[i].recurrence_is]);
        if (sg_error_moved(was.data, is.data) != rows[i].moved)
            fail_msg("%s", rows[i].sentence);
    }
}
