/* util/text.h: growing strings, strict numbers, quantities with units, words. */
#include <fcntl.h>
#include <math.h>

#include "check.h"
#include "scratch.h"

/* Bit for bit, as far as that means something: the sign of zero counts, that of nan does not. */
static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

TEST(words_of_commands)
{
    static const struct {
        const char *word, *typed;
    } rows[] = {
        {"night/run-1.2", "night/run-1.2"},
        {"--out=a", "--out=a"},
        {"", "''"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"$(x)", "'$(x)'"},
        {"~", "'~'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) text = {0};
        sg_text_add_word(&text, rows[i].word);
        assert_string_equal(text.data, rows[i].typed);
    }
}

TEST(doubles)
{
    static const struct {
        const char *proves, *text;
        bool nan_allowed, accepted;
    } rows[] = {
        {"a whole number is a number", "42", false, true},
        {"so is zero", "0", false, true},
        {"so is one without digits before the point", ".5", false, true},
        {"so is one with a plus in the exponent", "1.5e+06", false, true},
        {"so is one of many digits", "3.14159265358979323846264338327950288", false, true},
        {"so is the largest double", "1.7976931348623157e308", false, true},
        {"nan is a number where it is allowed", "nan", true, true},
        {"-nan is nan too, for printf writes it", "-nan", true, true},
        {"nan is none where it is not allowed", "nan", false, false},
        {"NaN is not nan", "NaN", true, false},
        {"inf is no number", "inf", true, false},
        {"the empty string is none", "", true, false},
        {"a point alone is none", ".", true, false},
        {"an exponent without digits is none", "1e", true, false},
        {"an exponent alone is none", "e+05", true, false},
        {"nor is one behind a point", ".e+05", true, false},
        {"a leading blank is refused", " 1", true, false},
        {"a trailing blank is refused", "1 ", true, false},
        {"a leading plus is refused", "+1", true, false},
        {"hexadecimal is refused", "0x10", true, false},
        {"what is too large for a double is refused", "1e309", true, false},
        {"what is too small for a double is zero", "1e-400", true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double is = -1;
        if (sg_parse_double(rows[i].text, rows[i].nan_allowed, &is) != rows[i].accepted)
            fail_msg("%s: '%s' is %s", rows[i].proves, rows[i].text,
                     rows[i].accepted ? "refused" : "accepted");
        double should = strtod(rows[i].text, NULL);
        if (rows[i].accepted && !same(is, should))
            fail_msg("%s: '%s' is %.17g, strtod says %.17g", rows[i].proves, rows[i].text, is,
                     should);
    }
}

TEST(whole_numbers)
{
    static const struct {
        const char *proves, *text;
        bool accepted;
        uint64_t value;
    } rows[] = {
        {"zero", "0", true, 0},
        {"leading zeros do no harm", "007", true, 7},
        {"the largest one", "18446744073709551615", true, UINT64_MAX},
        {"one more overflows", "18446744073709551616", false, 0},
        {"a minus is refused", "-1", false, 0},
        {"a plus is refused", "+1", false, 0},
        {"a blank is refused", " 1", false, 0},
        {"a fraction is refused", "1.0", false, 0},
        {"nothing is refused", "", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 0;
        bool accepted = sg_parse_u64(rows[i].text, &value);
        if (accepted != rows[i].accepted || (accepted && value != rows[i].value))
            fail_msg("%s: '%s'", rows[i].proves, rows[i].text);
    }
}

TEST(quantities)
{
    static const struct {
        const char *proves;
        enum sg_code (*parse)(const char *text, double *out, struct sg_err *err);
        const char *text;
        double value; /* NaN: refused */
    } rows[] = {
        {"seconds are base units", sg_parse_duration, "20s", 20},
        {"milliseconds divide by exactly 1000", sg_parse_duration, "150ms", 0.15},
        {"hours", sg_parse_duration, "1.5h", 5400},
        {"a duration without unit is refused", sg_parse_duration, "20", NAN},
        {"a unit without number is refused", sg_parse_duration, "s", NAN},
        {"a foreign unit is refused", sg_parse_duration, "20d", NAN},
        {"a negative duration is refused", sg_parse_duration, "-1s", NAN},
        {"nan is no duration", sg_parse_duration, "nans", NAN},
        {"nothing is refused", sg_parse_duration, "", NAN},
        {"percent become a ratio", sg_parse_percent, "0.5%", 0.005},
        {"a percentage needs its sign", sg_parse_percent, "0.5", NAN},
        {"ten percent are not wide", sg_parse_percent, "10%", 0.1},
        {"more needs the word", sg_parse_percent, "10.1%", NAN},
        {"which says it", sg_parse_percent, "wide:50%", 0.5},
        {"and may be said of less", sg_parse_percent, "wide:2%", 0.02},
        {"the word needs a number", sg_parse_percent, "wide:", NAN},
        {"a percentage is below 100", sg_parse_percent, "wide:100%", NAN},
        {"a negative percentage is refused", sg_parse_percent, "-0.5%", NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        double value = 0;
        rows[i].parse(rows[i].text, &value, &err);
        if (isnan(rows[i].value))
            assert_error(rows[i].proves, &err, SG_BAD_INPUT, "", "expected");
        else if (err.code != SG_SUCCESS || value != rows[i].value)
            fail_msg("%s: '%s' is %.17g: %s", rows[i].proves, rows[i].text, value, err.message);
    }
}

TEST(names)
{
    static const struct {
        const char *proves, *text;
        bool is_name;
    } rows[] = {
        {"letters, digits and underscores make a name", "warp_per_row2", true},
        {"63 characters are a name",
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg", true},
        {"64 are none", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg", false},
        {"nothing is no name", "", false},
        {"a capital is none", "Warp", false},
        {"a slash is none", "a/b", false},
        {"a blank is none", "a b", false},
        {"a letter with an accent is none", "\xc3\xa9", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (sg_is_name(rows[i].text) != rows[i].is_name)
            fail_msg("%s: '%s'", rows[i].proves, rows[i].text);
}

TEST(what_is_shown_of_bytes)
{
    static const struct {
        const char *proves, *bytes;
        size_t count;
        const char *shown;
    } rows[] = {
        {"plain text is itself", BYTES("ok, \"then\""), "ok, \"then\""},
        {"nothing is nothing", BYTES(""), ""},
        {"unprintable bytes are spelled out", BYTES("a\0b\n\x1b[31m\xff"),
         "a\\x00b\\x0a\\x1b[31m\\xff"},
        {"61 bytes just fit",
         BYTES("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg"),
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg"},
        {"more are cut, and it shows",
         BYTES("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgg"),
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff..."},
        {"an escape is never cut in two",
         BYTES("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeefffffff\x01\x01\x01"),
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeefffffff..."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_shown shown = sg_show(rows[i].bytes, rows[i].count);
        if (strcmp(shown.text, rows[i].shown) != 0)
            fail_msg("%s: '%s'", rows[i].proves, shown.text);
    }
}

TEST(texts_grow)
{
    struct sg_text text = {0};
    assert_string_equal(sg_text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        sg_text_addf(&text, "%d,", i);
    assert_int_equal(text.length, strlen(text.data));
    assert_memory_equal(text.data + text.length - 8, "998,999,", 8);
    char wide[1000];
    memset(wide, 'x', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    size_t before = text.length;
    sg_text_addf(&text, "%s!", wide);
    assert_int_equal(text.length, before + sizeof(wide));
    assert_string_equal(text.data + text.length - 2, "x!");
    sg_text_release(&text);
    assert_null(text.data);
    sg_text_addf(&text, "%s", "");
    assert_non_null(text.data);
    sg_text_add_number(&text, -NAN, 9);
    sg_text_add_number(&text, 0.1, 9);
    sg_text_add_number(&text, 0.1, 17);
    assert_string_equal(text.data, "nan0.10.10000000000000001");
    sg_text_release(&text);
}

TEST(words_of_the_tables_come_back)
{
    for (int i = 0; i < SG_STATUS_COUNT; i++)
        assert_int_equal(sg_status_from_word(sg_status_word((enum sg_status)i)), i);
    for (int i = 0; i < SG_DTYPE_COUNT; i++)
        assert_int_equal(sg_dtype_from_word(sg_dtype_word((enum sg_dtype)i)), i);
    assert_int_equal(sg_status_from_word("?"), SG_STATUS_COUNT);
    assert_int_equal(sg_status_from_word(""), SG_STATUS_COUNT);
    assert_int_equal(sg_dtype_from_word("f31"), SG_DTYPE_COUNT);
    assert_string_equal(sg_status_word(SG_STATUS_COUNT), "?");
    assert_int_equal(sg_dtype_bytes(SG_BF16), 2);
    assert_int_equal(sg_dtype_bits(SG_E2M1), 4);
    assert_int_equal(sg_dtype_bytes(SG_E2M1), 1);
}

TEST(files_are_listed_sorted_and_by_ending)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_names found = {0};
    scratch_init(&s);
    scratch_write(&s, "b.suite", BYTES("x"));
    scratch_write(&s, "a.suite", BYTES("x"));
    scratch_write(&s, "c.csv", BYTES("x"));
    assert_int_equal(symlink("nowhere", scratch_path(&s, "d.suite")), 0);
    assert_int_equal(mkdir(scratch_path(&s, "e.suite"), 0777), 0);
    assert_int_equal(sg_list_files(s.folder, ".suite", &found, &err), SG_SUCCESS);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.items[0], "a.suite");
    assert_string_equal(found.items[1], "b.suite");
    assert_string_equal(found.items[2],
                        "d.suite"); /* a link that leads nowhere is not passed over in silence */
    assert_int_equal(rmdir(s.path), 0);
    sg_names_release(&found);
    scratch_release(&s);
    sg_list_files(s.folder, "", &found, &err);
    assert_error("a folder that is not there", &err, SG_SYSTEM, s.folder, "No such file");
}

TEST(home_is_what_the_environment_says)
{
    struct sg_text path = {0};
    struct sg_err err = {0};
    setenv("SOLGATE_HOME", "/a/tree", 1);
    assert_int_equal(sg_path_in_home(&path, "metrics/metrics.ini", &err), SG_SUCCESS);
    assert_string_equal(path.data, "/a/tree/metrics/metrics.ini");
    sg_text_release(&path);
    unsetenv("SOLGATE_HOME");
    sg_path_in_home(&path, "metrics/metrics.ini", &err);
    if (err.code == SG_SUCCESS) /* this test was built inside the tree */
        assert_int_equal(access(path.data, R_OK), 0);
    else
        assert_error("without a tree around, it says what to do", &err, SG_SYSTEM, "",
                     "set SOLGATE_HOME");
    err = (struct sg_err){0};
    sg_text_release(&path);
    assert_int_equal(sg_path_next_to_program(&path, "unit_util", &err), SG_SUCCESS);
    assert_int_equal(access(path.data, X_OK), 0);
    sg_text_release(&path);
    assert_int_equal(sg_path_of_module(&path, "unit_util", &err),
                     SG_SUCCESS); /* nothing is installed: beside the program too */
    assert_int_equal(access(path.data, X_OK), 0);
    sg_text_release(&path);
}

TEST(a_file_is_replaced_whole_or_not_at_all)
{
    struct scratch s;
    struct sg_err err = {0};
    scratch_init(&s);
    scratch_write(&s, "f", BYTES("old"));
    scratch_write(&s, "f", BYTES("new and longer"));
    struct sg_text now = scratch_read(&s, "f");
    assert_string_equal(now.data, "new and longer");
    sg_text_release(&now);
    sg_write_file(s.folder, BYTES("a folder is in the way"), &err);
    assert_error("a folder is no file to replace", &err, SG_SYSTEM, s.folder, "cannot be replaced");
    scratch_release(&s); /* fails if a temporary file were left */
    err = (struct sg_err){0};
    sg_write_file("/proc/none/f", BYTES("x"), &err);
    assert_error("no folder, no file", &err, SG_SYSTEM, "/proc/none/f", "cannot be created");
    err = (struct sg_err){0};
    int full = open("/dev/full", O_WRONLY);
    sg_write_bytes("/dev/full", full, BYTES("x"), &err);
    assert_error("a full disk is an error", &err, SG_SYSTEM, "/dev/full", "No space left");
    close(full);
}

TEST(a_day_is_one_that_there_is)
{
    static const struct {
        const char *text;
        double day; /* since 1970-01-01; NaN: it is none */
    } rows[] = {
        {"1970-01-01", 0},   {"1970-02-01", 31},   {"2024-02-29", 19782}, {"2023-02-29", NAN},
        {"2026-13-01", NAN}, {"2026-00-10", NAN},  {"2026-01-00", NAN},   {"2026-1-1", NAN},
        {"20261231", NAN},   {"2026-12-31T", NAN}, {"2026/12/31", NAN},   {"-026-12-31", NAN},
        {"2026-12- 1", NAN}, {"2026-+1-01", NAN},  {"tomorrow..", NAN},   {"", NAN}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        time_t day = 0;
        const bool is_day = sg_parse_day(rows[i].text, &day);
        if (is_day != !isnan(rows[i].day) || (is_day && difftime(day, 0) != rows[i].day * 86400))
            fail_msg("'%s': found %d, second %.0f", rows[i].text, is_day, difftime(day, 0));
    }
}
