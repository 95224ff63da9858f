/* util/names.h: the words of a command. */
#include <string.h>

#include "check.h"
#include "util/names.h"
#include "util/text.h"

TEST(a_command_is_parted_as_by_a_shell)
{
    static const struct {
        const char *sentence, *command, *words; /* joined by | */
    } rows[] = {
        {"blanks part words", "  a\tb  c\n", "a|b|c"},
        {"single quotes keep all", "a 'b c\\\"$x' d", "a|b c\\\"$x|d"},
        {"double quotes keep all but escapes", "\"b 'c' \\\"d\\\" \\\\ \\n\"",
         "b 'c' \"d\" \\ \\n"},
        {"a backslash keeps a byte", "a\\ b \\'", "a b|'"},
        {"parts of a word join", "a'b'\"c\"d", "abcd"},
        {"an empty word stays", "a '' b", "a||b"},
        {"nothing is replaced", "$HOME *.c `x` a>b", "$HOME|*.c|`x`|a>b"},
        {"a single quote ends", "a 'b", NULL},
        {"a double quote ends", "\"", NULL},
        {"a backslash keeps something", "a\\", NULL},
        {"there is a word", " \t", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_names) names = {0};
        struct sg_err err = {0};
        SG_SCOPED(sg_text) joined = {0};
        sg_names_add_command(&names, rows[i].command, &err);
        for (size_t k = 0; k < names.count; k++)
            sg_text_addf(&joined, "%s%s", k > 0 ? "|" : "", names.items[k]);
        if ((err.code == SG_SUCCESS) != (rows[i].words != NULL) ||
            (rows[i].words && strcmp(sg_text_string(&joined), rows[i].words) != 0))
            fail_msg("%s: %s is %s: %s", rows[i].sentence, rows[i].command, sg_text_string(&joined),
                     err.message);
    }
}
