/* util/record.h and util/decimal.c: a record as fields and back, what is refused, and numbers that
 * printf and strtod would write and read alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scratch.h"

#include "util/random.h"
#include "util/record.h"

struct point {
    const char *text;
    sg_id name;
    char note[6];
    double x, y;
    uint16_t n;
    unsigned even;
    int colour;
    bool gate;
    uint8_t has;
};
static const char *const colours[] = {"red", "green", NULL};
static const struct sg_field fields[] = {
    SG_FIELD(TEXT, "text", struct point, text),
    SG_FIELD(ID, "name", struct point, name, .is = sg_is_name, .expected = SG_NAME),
    SG_FIELD(CHARS, "note", struct point, note),
    SG_FIELD(REAL, "x", struct point, x, .least = -1, .most = 1e3, .digits = 4),
    SG_FIELD(REAL, "y", struct point, y, .bit = 1, .nan = true),
    SG_FIELD(COUNT, "n", struct point, n, .bit = 2),
    SG_FIELD(COUNT, "even", struct point, even, .least = 2, .most = 8, .step = 2),
    SG_FIELD(WORD, "colour", struct point, colour, .words = colours),
    SG_FIELD(YES, "gate", struct point, gate),
};
static const struct sg_record record = SG_RECORD(fields, .has = offsetof(struct point, has));
#define FIELDS COUNT(fields)

TEST(comes_back_as_it_was_written)
{
    const char *const given[FIELDS] = {"a,\"b\"", "one", "longer", "0.333333", "nan",
                                       "",        "4",   "green",  "yes"};
    struct sg_intern_pool *pool = NULL;
    SG_SCOPED(sg_text) line = {0}, header = {0};
    struct point p;
    struct sg_err err = {0};
    assert_int_equal(sg_record_read(&record, given, &p, &pool, &err), SG_SUCCESS);
    assert_true(isnan(p.y) && p.has == 1 && p.even == 4 && p.colour == 1 && p.gate);
    sg_record_add(&line, &record, &p, pool);
    assert_string_equal(line.data, "\"a,\"\"b\"\"\",one,longe,0.3333,nan,,4,green,yes");
    sg_record_add_header(&header, &record);
    assert_string_equal(header.data, "text,name,note,x,y,n,even,colour,gate");
    sg_intern_pool_free(pool);
}

TEST(what_is_refused)
{
    static const struct {
        size_t field;
        const char *found, *words;
    } rows[] = {
        {1, "One", "name: expected a name of [a-z0-9_], at most 63 bytes, found 'One'"},
        {3, "1001", "x: expected a number from -1 to 1000, found '1001'"},
        {3, "nan", "x: expected a number from -1 to 1000, found 'nan'"},
        {5, "65536", "n: expected a whole number from 0 to 65535, found '65536'"},
        {5, "1.5", "n: expected a whole number from 0 to 65535, found '1.5'"},
        {6, "", "even: expected an even number from 2 to 8, found ''"},
        {6, "3", "even: expected an even number from 2 to 8, found '3'"},
        {7, "blue", "colour: expected one of red green, found 'blue'"},
        {8, "", "gate: expected yes or no, found ''"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *given[FIELDS] = {"", "a", "", "", "", "", "2", "red", "no"};
        struct sg_intern_pool *pool = NULL;
        struct sg_err err = {0};
        struct point p;
        given[rows[i].field] = rows[i].found;
        sg_record_read(&record, given, &p, &pool, &err);
        assert_error(rows[i].words, &err, SG_BAD_INPUT, "", rows[i].words);
        sg_intern_pool_free(pool);
    }
    struct sg_err err = {0};
    sg_record_check(&record, &(struct point){.x = 2000, .y = NAN}, &err);
    assert_error("a number of a struct", &err, SG_BAD_INPUT, "",
                 "x: expected a number from -1 to 1000, found '2000'");
}

/* Of all sizes; also halves, whose last digit is a tie. */
static double some_number(uint64_t *seed, int i)
{
    const double digits = (double)(sg_random_next(seed) % 2000000);
    return i % 3 == 0   ? digits / 16
           : i % 3 == 1 ? digits * pow(10, (int)(sg_random_next(seed) % 44) - 26)
                        : -exp((double)(sg_random_next(seed) % 4000) / 100 - 20);
}

TEST(numbers_are_those_of_printf_and_strtod)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        const double value = some_number(&seed, i);
        for (int digits = 3; digits <= 9; digits += 3) {
            char expected[64];
            double back;
            SG_SCOPED(sg_text) text = {0};
            snprintf(expected, sizeof(expected), "%.*g", digits, value);
            sg_text_add_number(&text, value, digits);
            if (strcmp(text.data, expected) != 0 || !sg_parse_double(expected, false, &back) ||
                back != strtod(expected, NULL) || sg_round_digits(value, digits) != back)
                fail_msg("%.17g is %s, and was written as %s", value, expected, text.data);
        }
    }
}
