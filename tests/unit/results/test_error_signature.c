/* results/error_signature.h: the line and its reader, what is another place,
 * what is the same, and who shares it. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "results/error_signature.h"

#define SET(field, text) snprintf((field), sizeof(field), "%s", (text))

static const char line[] = "y: tile of 128x128 at [128,256]; 16384 of 262144 elements; [130,300] is 24.014477, reference 0.5; seed 3; "
                           "same place with 3 seeds";

static struct sg_error_signature read_line(const char *text)
{
    struct sg_error_signature s;
    struct sg_err err = {0};
    if (sg_error_signature_parse(text, &s, &err) != SG_SUCCESS)
        fail_msg("%s: %s", text, err.message);
    return s;
}

TEST(what_is_written_is_read)
{
    static const char *const lines[] = {
        line,
        "y: the last element; 1 of 1023 elements; [30,32] is never written, reference -1.5; seed 1; another with other seeds",
        "c: scattered, also in d; 7 of 9 elements; [5] is nan, reference 0; integers of seed 2; not launched again",
        "y: all elements; 9 of 9 elements; [0] is -inf, reference nan; repeat 2 of seed 3; not launched again",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        const struct sg_error_signature s = read_line(lines[i]);
        struct sg_text text = {0};
        sg_error_signature_add(&text, &s);
        assert_string_equal(text.data, lines[i]);
        sg_text_release(&text);
    }
    const struct sg_error_signature s = read_line(line);
    assert_string_equal(s.where, "y: tile of 128x128 at [128,256]");
    assert_int_equal(s.elements, 16384);
    assert_int_equal(s.count, 262144);
    assert_string_equal(s.at, "[130,300]");
    assert_string_equal(s.got, "24.014477");
    assert_string_equal(s.want, "0.5");
    assert_string_equal(s.inputs, "seed 3");
    assert_int_equal(s.hold, SG_HOLD_PLACE);
}

/* Any line that ends early, and some that say what cannot be. */
TEST(what_is_no_signature_is_refused)
{
    static const char *const lines[] = {
        "y; 1 of 2 elements; [0] is 1, reference 0; seed 1; not launched again",
        "y: all; 3 of 2 elements; [0] is 1, reference 0; seed 1; not launched again",
        "y: all; -1 of 2 elements; [0] is 1, reference 0; seed 1; not launched again",
        "y: all; 1 of 2 elements; 0 is 1, reference 0; seed 1; not launched again",
        "y: all; 1 of 2 elements; [0] is many, reference 0; seed 1; not launched again",
        "y: all; 1 of 2 elements; [0] is 1, reference never written; seed 1; not launched again",
        "y: all; 1 of 2 elements; [0] is 1, reference 0; seed 1; same place with 4 seeds",
        "y: all; 1 of 2 elements; [0] is 1, reference 0; ; not launched again",
    };
    struct sg_error_signature s;
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct sg_err err = {0};
        if (sg_error_signature_parse(lines[i], &s, &err) != SG_BAD_INPUT || !strstr(err.message, "found \""))
            fail_msg("%s: code %d, %s", lines[i], (int)err.code, err.message);
    }
    for (size_t length = 0; length + 1 < sizeof(line); length++) {
        char part[sizeof(line)] = "";
        struct sg_err err = {0};
        memcpy(part, line, length);
        assert_int_equal(sg_error_signature_parse(part, &s, &err), SG_BAD_INPUT);
    }
    static const char tail[] = "; 1 of 2 elements; [0] is 1, reference 0; seed 1; not launched again";
    char long_line[1024] = "y: ";
    struct sg_err err = {0};
    memset(long_line + 3, 'x', 600);
    memcpy(long_line + 603, tail, sizeof(tail));
    assert_int_equal(sg_error_signature_parse(long_line, &s, &err), SG_BAD_INPUT);
}

static struct sg_error_signature at(const char *where, uint64_t elements, enum sg_hold hold)
{
    struct sg_error_signature s = {
        .elements = elements, .count = 1000, .at = "[5]", .got = "24.014477", .want = "0.5", .inputs = "seed 1", .hold = hold};
    SET(s.where, where);
    return s;
}

TEST(moved)
{
    static const struct {
        const char *sentence, *was, *is;
        uint64_t elements_was, elements_is;
        enum sg_hold hold_was, hold_is;
        bool moved;
    } rows[] = {
        {"the same place", "y: row 5", "y: row 5", 10, 10, SG_HOLD_PLACE, SG_HOLD_PLACE, false},
        {"the same place, where fewer are wrong by chance", "y: row 5", "y: row 5", 10, 9, SG_HOLD_PLACE, SG_HOLD_PLACE, false},
        {"another row", "y: row 5", "y: row 6", 10, 10, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
        {"another output", "y: row 5", "z: row 5", 10, 10, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
        {"a structure became noise", "y: row 5", "y: scattered", 10, 10, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
        {"noise became a structure", "y: scattered", "y: row 5", 10, 10, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
        {"what hung on the inputs", "y: row 5", "y: row 6", 10, 10, SG_HOLD_NOTHING, SG_HOLD_PLACE, false},
        {"what hangs on the inputs now", "y: row 5", "y: row 6", 10, 10, SG_HOLD_PLACE, SG_HOLD_NOTHING, false},
        {"what was not launched again", "y: row 5", "y: row 6", 10, 10, SG_HOLD_PLACE, SG_HOLD_UNKNOWN, false},
        {"nearly all, or a few fewer", "y: all elements", "y: scattered", 905, 895, SG_HOLD_PLACE, SG_HOLD_PLACE, false},
        {"a few, or none beyond the tolerance", "y: scattered", "y: spread", 3, 0, SG_HOLD_PLACE, SG_HOLD_PLACE, false},
        {"noise elsewhere", "y: scattered", "z: scattered", 30, 30, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
        {"a few became all", "y: scattered", "y: all elements", 30, 1000, SG_HOLD_PLACE, SG_HOLD_PLACE, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_error_signature was = at(rows[i].was, rows[i].elements_was, rows[i].hold_was);
        const struct sg_error_signature is = at(rows[i].is, rows[i].elements_is, rows[i].hold_is);
        if (sg_error_signature_moved(&was, &is) != rows[i].moved)
            fail_msg("%s", rows[i].sentence);
    }
}

TEST(same)
{
    const struct sg_error_signature a = at("y: row 5", 10, SG_HOLD_PLACE);
    struct sg_error_signature b = a;
    assert_true(sg_error_signature_same(&a, &b));
    SET(b.got, "24.014480");
    assert_true(sg_error_signature_same(&a, &b));
    SET(b.got, "24.015");
    assert_false(sg_error_signature_same(&a, &b));
    SET(b.got, "nan");
    assert_false(sg_error_signature_same(&a, &b));
    b = a;
    SET(b.inputs, "seed 2");
    assert_false(sg_error_signature_same(&a, &b));
    b = a;
    SET(b.at, "[6]");
    assert_false(sg_error_signature_same(&a, &b));
    b = a;
    SET(b.where, "y: row 6");
    assert_false(sg_error_signature_same(&a, &b));
}

static void add_line(const char *found, struct sg_text *out)
{
    sg_text_addf(out, "%s\n", found);
}

TEST(shared)
{
    static const char other[] = "y: row 5; 9 of 9 elements; [0] is 1, reference 0; seed 3; same place with 3 seeds";
    static const struct {
        const char *family, *case_, *variant, *message;
    } rows[] = {
        {"f", "k1", "a", line},  {"f", "k1", "b", other}, {"f", "k1", "c", line}, {"f", "k1", "d", line},      {"f", "k2", "a", other},
        {"f", "k2", "c", other}, {"f", "k2", "d", other}, {"f", "k3", "a", line}, {"f", "k3", "c", "not one"}, {"f", "k4", "c", line},
        {"g", "k4", "c", line},  {"g", "k5", "c", line},  {"g", "k5", "d", line},
    };
    struct sg_table run;
    struct sg_text text = {0};
    sg_table_init(&run);
    assert_int_equal(sg_shared_errors_each(&run, add_line, &text), 0);
    assert_string_equal(sg_text_string(&text), "");
    for (size_t i = 0; i < COUNT(rows); i++) {
        sg_table_add(&run, &(struct sg_value){.family = rows[i].family,
                                              .case_ = rows[i].case_,
                                              .variant = rows[i].variant,
                                              .metric = SG_SIGNATURE_METRIC,
                                              .message = rows[i].message});
        sg_table_add(&run, &(struct sg_value){.family = rows[i].family,
                                              .case_ = rows[i].case_,
                                              .variant = rows[i].variant,
                                              .metric = "status",
                                              .status = SG_WRONG,
                                              .message = line});
    }
    assert_int_equal(sg_shared_errors_each(&run, NULL, NULL), 2);
    assert_int_equal(sg_shared_errors_each(&run, add_line, &text), 2);
    assert_string_equal(text.data,
                        "f/k1: a, c and d: the same 24.014477 at [130,300] (y: tile of 128x128 at [128,256]): a shared cause; so "
                        "in 1 more case\n"
                        "g/k5: c and d: the same 24.014477 at [130,300] (y: tile of 128x128 at [128,256]): a shared cause\n");
    sg_text_release(&text);
    sg_table_release(&run);
}
