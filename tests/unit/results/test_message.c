/* results/message.h: lines of JSON there and back, and what is no message. */
#include <math.h>

#include "check.h"
#include "scratch.h"

#include "results/message.h"
#include "results/table.h"

TEST(a_message_comes_back_as_it_was_written)
{
    struct sg_text line = {0};
    struct sg_message back;
    struct sg_err err = {0};
    struct sg_message message = {
        .kind = SG_MESSAGE_VALUE,
        .field = {"f", "c", "v", "m", NULL, [9] = "ok", [10] = "a \"b\" \\ c\n\x1b[31m\xff"}};
    sg_message_set(&message, 5, 1.0 / 3);
    sg_message_set(&message, 6, NAN);
    sg_message_set(&message, 8, 1e9);
    sg_message_add(&line, &message);
    assert_string_equal(
        line.data,
        "{\"is\":\"value\",\"family\":\"f\",\"case\":\"c\",\"variant\":\"v\",\"metric\":\"m\","
        "\"value\":0.333333333,"
        "\"low\":null,\"n\":1e+09,\"status\":\"ok\",\"message\":\"a \\\"b\\\" \\\\ c ?[31m?\"}\n");
    assert_int_equal(sg_message_parse(line.data, line.length - 1, &back, &err), SG_SUCCESS);
    assert_int_equal(back.kind, SG_MESSAGE_VALUE);
    assert_string_equal(back.field[4], ""); /* nothing is left out and comes back as "" */
    assert_string_equal(back.field[10], "a \"b\" \\ c ?[31m?");
    assert_true(back.number[5] == 0.333333333 && back.number[8] == 1e9);
    assert_int_equal(back.has,
                     1u << 5 | 1u << 6 |
                         1u << 8); /* what is not a number is there, what is not known is not */
    assert_true(isnan(back.number[6]));
    sg_message_release(&back);
    sg_text_release(&line);
}

TEST(what_is_no_message)
{
    static const struct {
        const char *proves, *line, *words;
    } rows[] = {
        {"an empty line", "", "expected a message, found ''"},
        {"half of one", "{\"is\":\"bye\"", "expected a message"},
        {"two in a line", "{\"is\":\"bye\"}{\"is\":\"bye\"}", "expected a message"},
        {"no kind", "{\"text\":\"x\"}", "expected a message"},
        {"an unknown kind", "{\"is\":\"by\"}", "is: expected a kind of message, found 'by'"},
        {"a field of another kind", "{\"is\":\"bye\",\"text\":\"x\"}",
         "a field that bye does not have"},
        {"a field twice", "{\"is\":\"note\",\"text\":\"x\",\"text\":\"y\"}", "expected a message"},
        {"a number as text", "{\"is\":\"hello\",\"version\":\"3\",\"pass\":\"time\"}",
         "version: expected a number or null"},
        {"a text as number", "{\"is\":\"note\",\"text\":3}", "text: expected a text"},
        {"a control character", "{\"is\":\"note\",\"text\":\"a\\u001bb\"}",
         "text: expected a text without control characters"},
        {"broken UTF-8", "{\"is\":\"note\",\"text\":\"\xff\"}", "expected a message"},
        {"a number beyond all", "{\"is\":\"hello\",\"version\":1e400}", "expected a message"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_message message;
        struct sg_err err = {0};
        sg_message_parse(rows[i].line, strlen(rows[i].line), &message, &err);
        assert_error(rows[i].proves, &err, SG_BAD_INPUT, "", rows[i].words);
        assert_null(message.json);
    }
}

TEST(values_are_checked)
{
    static const struct {
        const char *proves, *rest, *words; /* NULL: it is one */
    } rows[] = {
        {"a counter", "\"value\":24,\"n\":1,\"status\":\"ok\"", NULL},
        {"none", "\"status\":\"unavailable\",\"message\":\"no permission\"", NULL},
        {"no status", "\"value\":24", "status: expected a status word"},
        {"half a count", "\"value\":24,\"n\":1.5,\"status\":\"ok\"",
         "n: expected a whole number up to 1000000, found '1.5'"},
        {"below nothing", "\"value\":-1,\"status\":\"ok\"",
         "value: expected a number, 0 or more, found '-1'"},
        {"whose square is no number", "\"value\":1e300,\"status\":\"ok\"",
         "value: expected 0 or a number from 1e-100 to 1e100"},
        {"upside down", "\"low\":2,\"high\":1,\"status\":\"ok\"",
         "high: expected nothing below low, found '1'"},
        {"an error that is not a number", "\"value\":1,\"se\":null,\"status\":\"ok\"",
         "se: expected a number, 0 or more"},
        {"an unknown unit", "\"unit\":\"furlong\",\"status\":\"ok\"",
         "unit: expected a unit of metrics.ini"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_text line = {0};
        struct sg_message message;
        struct sg_value value;
        struct sg_err err = {0};
        sg_text_addf(&line,
                     "{\"is\":\"value\",\"family\":\"f\",\"case\":\"c\",\"variant\":\"v\","
                     "\"metric\":\"m\",%s}",
                     rows[i].rest);
        assert_int_equal(sg_message_parse(line.data, line.length, &message, &err), SG_SUCCESS);
        sg_take_value(&message, &value, &err);
        assert_error(rows[i].proves, &err, rows[i].words ? SG_BAD_INPUT : SG_SUCCESS, "",
                     rows[i].words ? rows[i].words : "");
        sg_message_release(&message);
        sg_text_release(&line);
    }
}
