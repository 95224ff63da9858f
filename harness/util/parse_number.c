/* Strict parsing of numbers, quantities, choices and days (util/text.h). */
#include "util/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sg_parse_u64(const char *string, uint64_t *out)
{
    errno = 0;
    *out = strtoull(string, NULL, 10);
    return errno == 0 && string[0] != '\0' && string[strspn(string, "0123456789")] == '\0';
}

/* A number followed by its unit: "20s". It has two factors, because 1/1000 is not a double and
 * "150ms" must be the double 0.15. */
struct unit {
    const char *name;
    double multiply, divide;
};

struct quantity {
    const char *what; /* for the message */
    const struct unit *units;
    size_t unit_count;
};

static enum sg_code fail_quantity(const struct quantity *q, const char *string, struct sg_err *err)
{
    SG_SCOPED(sg_text) names = {0};
    for (size_t i = 0; i < q->unit_count; i++)
        sg_text_addf(&names, "%s%s", i ? " " : "", q->units[i].name);
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s (%s), found '%s'", q->what,
                   sg_text_string(&names), sg_show_string(string).text);
}

static enum sg_code parse_quantity(const struct quantity *q, const char *string, double *out,
                                   struct sg_err *err)
{
    char digits[48] = "";
    /* The unit is the letters at the end; an exponent's e always has digits after it. */
    size_t end = strlen(string);
    while (end > 0 && (isalpha((unsigned char)string[end - 1]) || string[end - 1] == '%'))
        end--;
    const struct unit *unit = SG_FIND(q->units, q->unit_count, name, string + end);
    if (end < sizeof(digits))
        memcpy(digits, string, end);
    if (!unit || !sg_parse_double(digits, false, out) || signbit(*out))
        return fail_quantity(q, string, err);
    *out = *out * unit->multiply / unit->divide;
    return isfinite(*out) ? SG_SUCCESS : fail_quantity(q, string, err);
}

enum sg_code sg_parse_duration(const char *string, double *seconds, struct sg_err *err)
{
    static const struct unit units[] = {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3},
                                        {"s", 1, 1},    {"m", 60, 1},   {"h", 3600, 1}};
    static const struct quantity duration = {"a duration with its unit", units,
                                             sizeof(units) / sizeof(units[0])};
    return parse_quantity(&duration, string, seconds, err);
}

enum sg_code sg_parse_percent(const char *string, double *ratio, struct sg_err *err)
{
    static const struct unit units[] = {{"%", 1, 100}};
    static const struct quantity percent = {"a percentage", units, 1};
    const bool is_wide = strncmp(string, SG_WIDE, strlen(SG_WIDE)) == 0;
    if (parse_quantity(&percent, is_wide ? string + strlen(SG_WIDE) : string, ratio, SG_IGNORED) !=
            SG_SUCCESS ||
        !(*ratio > 0 && *ratio < 1))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected more than 0%% and less than 100%%, with the %% sign, found '%s'",
                       sg_show_string(string).text);
    if (*ratio > SG_TOLERANCE_MAX && !is_wide)
        return sg_fail(
            err, SG_BAD_INPUT, NULL,
            "expected at most %g%%, or '" SG_WIDE "%s' for a tolerance as wide as that, found '%s'",
            100 * SG_TOLERANCE_MAX, sg_show_string(string).text, sg_show_string(string).text);
    return SG_SUCCESS;
}

static enum sg_code fail_choice(const char *choices, const char *string, struct sg_err *err)
{
    SG_SCOPED(sg_text) list = {0};
    for (const char *c = choices; *c; c++)
        if (*c == '|')
            sg_text_add(&list, strchr(c + 1, '|') ? ", " : " or ");
        else
            sg_text_add_bytes(&list, c, 1);
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s, found '%s'", list.data,
                   sg_show_string(string).text);
}

enum sg_code sg_parse_choice(const char *choices, const char *string, unsigned *index,
                             struct sg_err *err)
{
    const char *at = choices;
    for (unsigned i = 0; *at; i++) {
        const size_t length = strcspn(at, "|");
        if (strlen(string) == length && strncmp(at, string, length) == 0) {
            *index = i;
            return SG_SUCCESS;
        }
        at += length + (at[length] == '|');
    }
    return fail_choice(choices, string, err);
}

void sg_text_add_choice(struct sg_text *text, const char *choices, unsigned index)
{
    for (; index > 0; index--)
        choices += strcspn(choices, "|") + 1;
    sg_text_add_bytes(text, choices, strcspn(choices, "|"));
}

/* The number in string[0 .. count - 1]; -1 if it is not a number. */
static int number_of(const char *string, size_t count)
{
    char digits[8] = "";
    uint64_t number = 0;
    memcpy(digits, string, count);
    return sg_parse_u64(digits, &number) ? (int)number : -1;
}

bool sg_parse_day(const char *string, time_t *out)
{
    char again[16] = "";
    if (strlen(string) != strlen("2026-12-31"))
        return false;
    struct tm day = {.tm_year = number_of(string, 4) - 1900,
                     .tm_mon = number_of(string + 5, 2) - 1,
                     .tm_mday = number_of(string + 8, 2)};
    *out = timegm(&day); /* normalises an invalid day to another day */
    strftime(again, sizeof(again), SG_UTC_DAY, &day);
    return strcmp(again, string) == 0;
}
