/*
 * Numbers to decimal text and back (util/text.h).
 *
 * Every number of a run is text in some file, so these functions are hot: they compute with the
 * digits as an integer below 2^53 and a power of ten that is exact as a double, which is correctly
 * rounded and equal to printf and strtod. Numbers outside of that go through printf and strtod.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define POWER_MAX  22   /* the largest power of ten that is exact as a double */
#define DIGITS_MAX 9    /* longest number written without printf */
#define ODD        1e-4 /* this near a tie, rounding of the product could decide */

static const double power[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* value * 10^exponent */
static double scaled(double value, int exponent)
{
    return exponent >= 0 ? value * power[exponent] : value / power[-exponent];
}

/* A number above 0 as digits * 10^(exponent - count + 1), with `count` digits. */
struct decimal {
    uint64_t digits;
    int exponent; /* the first digit's power of ten */
};

/* False: too large or small, or too close to a tie. */
static bool to_decimal(double value, int count, struct decimal *decimal)
{
    if (!(value >= 1e-10 && value < 1e22))
        return false;
    int exponent = 0;
    while (exponent < POWER_MAX - 1 && value >= power[exponent + 1])
        exponent++;
    while (value < 1 && scaled(value, -exponent) < 1)
        exponent--;
    const double exact = scaled(value, count - 1 - exponent), rounded = nearbyint(exact);
    *decimal = (struct decimal){(uint64_t)rounded, exponent};
    return fabs(fabs(exact - rounded) - 0.5) > ODD && rounded >= power[count - 1] &&
           rounded < power[count];
}

double sg_round_digits(double value, int digits)
{
    struct decimal decimal;
    char text[40];
    if (to_decimal(fabs(value), digits, &decimal))
        return copysign(scaled((double)decimal.digits, decimal.exponent - digits + 1), value);
    snprintf(text, sizeof(text), "%.*g", digits, value);
    return strtod(text, NULL);
}

/* Writes the digits up to the end of `text`; returns their start. */
static char *add_digits(char *end, uint64_t digits)
{
    do
        *--end = (char)('0' + digits % 10);
    while ((digits /= 10) > 0);
    return end;
}

/* Formats like %g: drops trailing zeros, and writes an exponent from 10^count on and below 10^-4.
 */
static void add_decimal(struct sg_text *out, struct decimal decimal, int count)
{
    char digits[24], text[40];
    const bool has_exponent = decimal.exponent < -4 || decimal.exponent >= count;
    const int before = has_exponent ? 1 : decimal.exponent + 1; /* digits before the point */
    while (count > 1 && decimal.digits % 10 == 0 && count > before) {
        decimal.digits /= 10;
        count--;
    }
    const char *first = add_digits(digits + sizeof(digits), decimal.digits);
    size_t length = 0;
    for (int i = before < 1 ? before - 1 : 0; i < count; i++) {
        if (i == before && i > 0)
            text[length++] = '.';
        text[length++] = i < 0 ? '0' : first[i];
        if (i == before - 1 && i < 0)
            text[length++] = '.';
    }
    sg_text_add_bytes(out, text, length);
    if (has_exponent)
        sg_text_addf(out, "e%c%02d", decimal.exponent < 0 ? '-' : '+', abs(decimal.exponent));
}

void sg_text_add_number(struct sg_text *text, double value, int digits)
{
    struct decimal decimal;
    char whole[24];
    if (fabs(value) < 1e6 && digits >= 6 && value == (double)(int64_t)value && !signbit(value)) {
        const char *first = add_digits(whole + sizeof(whole), (uint64_t)value);
        sg_text_add_bytes(text, first, (size_t)(whole + sizeof(whole) - first));
    } else if (digits <= DIGITS_MAX && to_decimal(fabs(value), digits, &decimal)) {
        sg_text_add_bytes(text, "-", value < 0);
        add_decimal(text, decimal, digits);
    } else {
        sg_text_addf(text, "%.*g", digits, isnan(value) ? fabs(value) : value);
    }
}

/* Reads digits; returns their end. Digits after the point lower `exponent`. */
static const char *take_digits(const char *at, uint64_t *digits, int *count, int *exponent,
                               int step)
{
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*count < 19)
            *digits = *digits * 10 + (uint64_t)(*at - '0');
        *count += *count > 0 || *at != '0';
        *exponent -= step;
    }
    return at;
}

/* Most numbers: at most 2^53 as digits, and a power of ten that is exact. */
static bool parse_exactly(const char *string, double *out)
{
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    const char *at = take_digits(string + (*string == '-'), &digits, &count, &exponent, 0);
    if (*at == '.')
        at = take_digits(at + 1, &digits, &count, &exponent, 1);
    if (at > string && isdigit((unsigned char)at[-1]) && (at[0] == 'e' || at[0] == 'E') &&
        (at[1] == '+' || at[1] == '-') && isdigit((unsigned char)at[2]) &&
        isdigit((unsigned char)at[3])) {
        const int given = (at[2] - '0') * 10 + at[3] - '0';
        exponent += at[1] == '-' ? -given : given;
        at += 4;
    }
    if (*at || !isdigit((unsigned char)at[-1]) || count > 18 || digits >= UINT64_C(1) << 53 ||
        abs(exponent) > POWER_MAX)
        return false;
    *out = copysign(scaled((double)digits, exponent), *string == '-' ? -1.0 : 1.0);
    return true;
}

bool sg_parse_double(const char *string, bool nan_allowed, double *out)
{
    *out = NAN;
    if (strcmp(string, "nan") == 0 || strcmp(string, "-nan") == 0)
        return nan_allowed;
    if (*string && parse_exactly(string, out))
        return true;
    /* strtod also accepts blanks, a plus, hexadecimal, "inf" and a numeric prefix. */
    if (string[0] == '+' || string[strspn(string, "0123456789.eE+-")] != '\0')
        return false;
    char *end;
    *out = strtod(string, &end);
    return end != string && *end == '\0' && isfinite(*out);
}
