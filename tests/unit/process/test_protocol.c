/* process/protocol.h: a message survives the way there and back,
 * and nothing else passes for one. */
#include "check.h"
#include "scratch.h"

#include "process/protocol.h"

TEST(every_kind_comes_back_as_it_was_said)
{
    static const size_t field_count[] = {
#define X(constant, word, fields, meaning) [constant] = fields,
        SG_MESSAGE_TABLE(X)
#undef X
    };
    static const char *const said[] = {"", "plain", "a\tb", "a\nb\r", "C:\\dir\\n", "\\", "\xc3\xa9", "ok", "-1.5", "\t\t", "x y", "last"};
    static const char *const comes[] = {"", "plain", "a b", "a b ", "C:\\dir\\n", "\\", "\xc3\xa9", "ok", "-1.5", "  ", "x y", "last"};
    for (int kind = 0; kind < SG_MESSAGE_COUNT; kind++) {
        struct sg_text line = {0};
        struct sg_message heard;
        struct sg_err err = {0};
        sg_message_format(&line, (enum sg_message_kind)kind, said, field_count[kind]);
        assert_int_equal(line.data[line.length - 1], '\n');
        line.data[line.length - 1] = '\0';
        assert_null(strpbrk(line.data, "\n\r")); /* one message, one line */
        assert_int_equal(sg_message_parse(line.data, &heard, &err), SG_SUCCESS);
        assert_int_equal(heard.kind, kind);
        assert_int_equal(heard.count, field_count[kind]);
        for (size_t i = 0; i < heard.count; i++)
            assert_string_equal(heard.field[i], comes[i]);
        sg_text_release(&line);
    }
}

TEST(refused)
{
    static const struct {
        const char *proves, *line, *words;
    } table[] = {
        {"an empty line is no message", "", "expected a message, found ''"},
        {"an unknown kind is none", "hullo\t1\tlist", "expected a message, found 'hullo'"},
        {"a kind is a whole word", "by", "found 'by'"},
        {"what a kernel prints is none", "max error: 3\x1b[31m", "found 'max error: 3\\x1b[31m'"},
        {"a field too few", "hello\t1", "hello: expected 2 fields, found 1"},
        {"a field too many", "bye\t", "bye: expected 0 fields, found 1"},
        {"far too many", "note\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t", "note: expected 1 fields, found 21"},
        {"an escape that does not exist", "note\ta\\x41", "note: expected \\t, \\n, \\r or \\\\ after a backslash"},
        {"an escape that is cut off", "note\tabc\\", "after a backslash, found 'abc\\'"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        struct sg_message message;
        char *line = sg_copy_string(table[i].line);
        sg_message_parse(line, &message, &err);
        assert_error(table[i].proves, &err, SG_INVALID, "worker", table[i].words);
        free(line);
    }
}

/* Kernels, libraries and drivers put what they like into names and messages; a
 * terminal and a table obey some of it. */
TEST(nothing_unprintable_gets_in)
{
    static const struct {
        const char *proves, *line, *comes;
    } table[] = {
        {"an escape sequence", "note\tred \x1b[31mtext", "red ?[31mtext"},
        {"a bell and a backspace", "note\ta\a\bb", "a??b"},
        {"a C1 control in UTF-8",
         "note\ta\xc2\x9b"
         "31m",
         "a??31m"},
        {"a byte that begins nothing", "note\t\xff\xfe", "??"},
        {"a sequence that is cut off", "note\tab\xe2\x82", "ab??"},
        {"a longer form than needed", "note\t\xc0\xaf", "??"},
        {"letters of any language stay", "note\t\xce\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xce\xbc\xe2\x82\xac\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        struct sg_message message;
        char *line = sg_copy_string(table[i].line);
        print_message("  %s\n", table[i].proves);
        assert_int_equal(sg_message_parse(line, &message, &err), SG_SUCCESS);
        assert_string_equal(message.field[0], table[i].comes);
        free(line);
    }
}
