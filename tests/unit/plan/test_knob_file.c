/* plan/knobs.h: what a file of knobs may say, what is refused, and
 * that a worker is told what was read. */
#include "check.h"
#include "scratch.h"

#include "plan/knobs.h"

#define HEAD "[null/tuned]\n"

TEST(every_case_of_every_variant_may_be_set)
{
    static const char text[] =
        "; what a sweep found\n" HEAD
        "tiny = width=4 depth=3\nlarge = depth=0\n  width=9223372036854775807\n"
        "[matvec/rows]\ntiny =  \twarps=8\t \n";
    struct sg_err err = {0};
    struct sg_knob_settings settings = {0};
    SG_SCOPED(sg_text) said = {0};
    SCRATCH(s);
    sg_knob_file_read(scratch_write(&s, "t.config", BYTES(text)), &settings, &err);
    assert_error("a good file", &err, SG_SUCCESS, "", "");
    for (size_t i = 0; i < settings.count; i++) {
        sg_knob_setting_format(&settings.items[i], &said);
        sg_text_addf(&said, "@%ld\n", settings.items[i].line);
    }
    assert_string_equal(said.data, "null/tiny/tuned:tuned:width=4 depth=3@3\n"
                                   "null/large/tuned:tuned:depth=0 width=9223372036854775807@4\n"
                                   "matvec/tiny/rows:rows:warps=8@7\n");
    assert_ptr_equal(sg_knob_settings_find(&settings, "matvec", "tiny", "rows"),
                     &settings.items[2]);
    assert_null(sg_knob_settings_find(&settings, "matvec", "large", "rows"));
    assert_null(sg_knob_settings_find(&settings, "matvec", "tiny", "tuned"));
    assert_null(sg_knob_settings_find(NULL, "matvec", "tiny", "rows"));
}

static void read_config(const char *path, struct sg_err *err)
{
    struct sg_knob_settings settings = {0};
    sg_knob_file_read(path, &settings, err);
}

TEST(refused)
{
    static const struct damage table[] = {
        {"nothing in it", BYTES("# nothing\n"), ":1",
         "expected a section [FAMILY/VARIANT] in this file, found none"},
        {"a section of a family alone", BYTES("[null]\n"), ":1",
         "expected a section [FAMILY/VARIANT], found 'null'"},
        {"a section of three names", BYTES("[null/tuned/tiny]\n"), ":1",
         "expected a section [FAMILY/VARIANT]"},
        {"a family with a malformed name", BYTES("[Null/tuned]\n"), ":1",
         "expected a section [FAMILY/VARIANT]"},
        {"a family of no characters", BYTES("[/tuned]\n"), ":1",
         "expected a section [FAMILY/VARIANT]"},
        {"a case with a malformed name", BYTES(HEAD "Tiny = width=1\n"), ":2",
         "expected the name of a case, of [a-z0-9_], found 'Tiny'"},
        {"a case twice", BYTES(HEAD "tiny = width=1\ntiny = width=1\n"), ":3",
         "expected each case once in [null/tuned], found tiny again"},
        {"a case without knobs", BYTES(HEAD "tiny =\n"), ":2",
         "tiny: expected KNOB=VALUE, found nothing"},
        {"a knob without a value", BYTES(HEAD "tiny = width\n"), ":2",
         "tiny: expected KNOB=VALUE, found 'width'"},
        {"blanks around the sign", BYTES(HEAD "tiny = width = 4\n"), ":2",
         "tiny: expected KNOB=VALUE, found 'width'"},
        {"a knob with a malformed name", BYTES(HEAD "tiny = W=4\n"), ":2",
         "tiny: expected a knob's name of [a-z0-9_], found 'W'"},
        {"a knob twice", BYTES(HEAD "tiny = w=4 w=4\n"), ":2",
         "tiny: expected each knob once, found w again"},
        {"a value that is no number", BYTES(HEAD "tiny = w=four\n"), ":2",
         "tiny: w: expected a whole number"},
        {"no value", BYTES(HEAD "tiny = w=\n"), ":2", "tiny: w: expected a whole number"},
        {"a value below 0", BYTES(HEAD "tiny = w=-1\n"), ":2", "tiny: w: expected a whole number"},
        {"a value beyond 63 bits", BYTES(HEAD "tiny = w=9223372036854775808\n"), ":2",
         "tiny: w: expected a whole number"},
        {"nine knobs", BYTES(HEAD "tiny = a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1\n"), ":2",
         "expected at most 8 knobs, found one more: i"},
        {"a key without a section", BYTES("tiny = w=1\n"), ":1",
         "expected a [section] before the first key"},
        {"a section twice", BYTES(HEAD HEAD), ":2", "null/tuned"},
    };
    assert_refused(table, COUNT(table), "t.config", read_config);
}

TEST(a_worker_reads_what_was_written)
{
    static const struct {
        const char *proves, *text, *words; /* "": good */
    } table[] = {
        {"a setting under another name", "null/tiny/tuned_c012:tuned:width=4 depth=3", ""},
        {"a setting of nothing", "null/tiny/tuned:tuned:", ""},
        {"no variant", "null/tiny/tuned:width=4", "expected FAMILY/CASE/NAME:VARIANT:KNOB=VALUE"},
        {"no case", "null/tuned:tuned:width=4", "expected FAMILY/CASE/NAME:VARIANT:KNOB=VALUE"},
        {"nothing", "", "expected FAMILY/CASE/NAME:VARIANT:KNOB=VALUE"},
        {"a knob without a value", "null/tiny/tuned:tuned:width",
         "expected KNOB=VALUE, found 'width'"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_knob_settings settings = {0};
        SG_SCOPED(sg_text) said = {0};
        struct sg_err err = {0};
        sg_knob_setting_parse(&settings, table[i].text, &err);
        assert_error(table[i].proves, &err, table[i].words[0] ? SG_BAD_USAGE : SG_SUCCESS, "",
                     table[i].words);
        if (err.code == SG_SUCCESS) {
            sg_knob_setting_format(&settings.items[0], &said);
            assert_string_equal(said.data, table[i].text);
        }
    }
}
