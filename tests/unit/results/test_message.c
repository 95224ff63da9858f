/* results/message.h: lines of messages there and back, and what is no message. */
#include <math.h>

#include "check.h"
#include "scratch.h"

#include "results/message.h"

TEST(a_message_comes_back_as_it_was_written)
{
    SG_SCOPED(sg_text) line = {0}, room = {0};
    struct sg_message back;
    struct sg_err err = {0};
    const struct sg_message message = {.kind = SG_MESSAGE_VALUE,
                                       .value = {.family = "f",
                                                 .case_ = "c",
                                                 .variant = "v",
                                                 .metric = "m",
                                                 .message = "a \"b\" \\ c\n\x1b[31m\xff",
                                                 .value = 1.0 / 3,
                                                 .low = NAN,
                                                 .n = 1000000,
                                                 .has = SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_N}};
    sg_message_add(&line, &message);
    assert_string_equal(
        line.data,
        "value,f,c,v,m,,0.333333333,nan,,1000000,ok,\"a \"\"b\"\" \\ c \\x1b[31m\\xff\",,\n");
    assert_int_equal(sg_message_parse(line.data, line.length - 1, &room, &back, &err), SG_SUCCESS);
    assert_int_equal(back.kind, SG_MESSAGE_VALUE);
    assert_string_equal(back.name[2], "v");
    assert_string_equal(back.value.unit, "");
    assert_string_equal(back.value.message, "a \"b\" \\ c \\x1b[31m\\xff");
    assert_true(back.value.value == 0.333333333 && isnan(back.value.low) &&
                back.value.n == 1000000);
    assert_int_equal(back.value.has, message.value.has); /* NaN is there, an empty field is not */
}

TEST(what_is_no_message)
{
    static const struct {
        const char *proves, *line, *words; /* NULL: it is one */
    } rows[] = {
        {"an empty line", "", "expected a message, found ''"},
        {"a line of an earlier version", "{\"is\":\"bye\"}", "expected a message"},
        {"an unknown kind", "by", "expected a message, found 'by'"},
        {"half of one", "begin,f,c", "begin: expected 3 fields, found 2"},
        {"two in a line", "bye,bye", "bye: expected 0 fields, found 1"},
        {"a number as text", "hello,x,time", "version: expected a whole number"},
        {"a control character",
         "note,a\x1b"
         "b",
         "expected a message"},
        {"broken UTF-8", "note,\xff", "expected a message"},
        {"a quote that does not end", "note,\"a", "expected a message"},
        {"a number beyond all", "hello,99999999999,time", "version: expected a whole number"},
        {"no status", "status,f,c,v,odd,", "status: expected a status word"},
        {"no error", "fail,0,why", "code: expected a whole number from 1"},
        {"a counter", "value,f,c,v,m,,24,,,1,ok,,,", NULL},
        {"none", "value,f,c,v,m,,,,,,unavailable,no permission,,", NULL},
        {"a value without a status", "value,f,c,v,m,,24,,,,,,,", "status: expected a status word"},
        {"half a count", "value,f,c,v,m,,24,,,1.5,ok,,,",
         "n: expected a whole number from 0 to 1000000, found '1.5'"},
        {"below nothing", "value,f,c,v,m,,-1,,,,ok,,,",
         "value: expected 0 or a number from 1e-100 to 1e100, found '-1'"},
        {"whose square is no number", "value,f,c,v,m,,1e300,,,,ok,,,",
         "value: expected 0 or a number from 1e-100 to 1e100"},
        {"whose inverse is none", "value,f,c,v,m,,1e-300,,,,ok,,,",
         "value: expected 0 or a number from 1e-100 to 1e100"},
        {"upside down", "value,f,c,v,m,,,2,1,,ok,,,",
         "high: expected nothing below low, found '1'"},
        {"an error that is not a number", "value,f,c,v,m,,1,,,,ok,,nan,",
         "se: expected a number, 0 or more"},
        {"an unknown unit", "value,f,c,v,m,furlong,,,,,ok,,,",
         "unit: expected a unit of metrics.ini"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_message message;
        SG_SCOPED(sg_text) room = {0};
        struct sg_err err = {0};
        sg_message_parse(rows[i].line, strlen(rows[i].line), &room, &message, &err);
        assert_error(rows[i].proves, &err, rows[i].words ? SG_BAD_INPUT : SG_SUCCESS, "",
                     rows[i].words ? rows[i].words : "");
    }
}
