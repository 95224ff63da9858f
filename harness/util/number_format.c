#include "util/number_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds as printed, so that the unit and the sign fit the number that is shown. */
static double rounded(double value, int digits)
{
    char text[32];
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

/* Digits after the point for `digits` digits in total. */
static int decimals(double value, int digits)
{
    double size = fabs(value);
    int before = size >= 1000 ? 4 : size >= 100 ? 3 : size >= 10 ? 2 : 1;
    return before >= digits ? 0 : digits - before;
}

static void add_missing(struct sg_text *out)
{
    sg_text_add(out, "-");
}

struct scale {
    double factor; /* size of the unit in the base unit: 1000 for us */
    const char *unit;
};

/* The largest unit in which the shown value is at least 1; otherwise the smallest. `scales` are in
 * descending order. */
static const struct scale *scale_of(double shown, const struct scale *scales, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && fabs(shown) < scales[i].factor)
        i++;
    return &scales[i];
}

/* For values far outside of the units a power of ten takes ten characters, all digits up to
 * three hundred. */
static bool is_far(double scaled)
{
    return scaled != 0 && (fabs(scaled) < 0.1 || fabs(scaled) >= 1e6);
}

static void add_scaled(struct sg_text *out, double value, int digits, const struct scale *scales,
                       size_t count)
{
    if (isnan(value)) {
        add_missing(out);
        return;
    }
    const double shown = value == 0 || isinf(value) ? value : rounded(value, digits);
    const struct scale *scale = scale_of(shown, scales, count);
    const double scaled = shown / scale->factor;
    if (is_far(scaled))
        sg_text_addf(out, "%.*g %s", digits, scaled, scale->unit);
    else
        sg_text_addf(out, "%.*f %s", scaled == 0 ? 0 : decimals(scaled, digits), scaled,
                     scale->unit);
}

#define TIME_DIGITS 4
static const struct scale time_scale[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
#define TIME_SCALES (sizeof(time_scale) / sizeof(time_scale[0]))

void sg_add_time(struct sg_text *out, double ns)
{
    add_scaled(out, ns, TIME_DIGITS, time_scale, TIME_SCALES);
}

void sg_add_rate(struct sg_text *out, double per_second, const char *unit)
{
    static const char *const prefix[] = {"P", "T", "G", "M", "k", ""};
    char words[6][32];
    struct scale scales[6];
    double factor = 1e15;
    for (size_t i = 0; i < 6; i++) {
        snprintf(words[i], sizeof(words[i]), "%s%s", prefix[i], unit);
        scales[i] = (struct scale){.factor = factor, .unit = words[i]};
        factor /= 1000;
    }
    add_scaled(out, per_second, 3, scales, 6);
}

void sg_add_gap(struct sg_text *out, double ratio)
{
    if (isnan(ratio))
        add_missing(out);
    else if (is_far(ratio))
        sg_text_addf(out, "%.3gx", ratio);
    else
        sg_text_addf(out, ratio < 100 ? "%.2fx" : "%.0fx", ratio);
}

void sg_add_change(struct sg_text *out, double ratio_minus_1)
{
    double percent = 100 * ratio_minus_1;
    if (isnan(percent)) {
        add_missing(out);
        return;
    }
    double size = fabs(percent);
    int places = size < 0.995 ? 2 : size < 99.95 ? 1 : 0;
    if (size < 0.005)
        percent = 0;
    sg_text_addf(out, percent == 0 ? "%.*f %%" : "%+.*f %%", places, percent);
}

/* Adds all digits of a whole number, in groups of three: exact counters may differ by one. */
static void add_whole(struct sg_text *out, double value)
{
    char digits[32];
    snprintf(digits, sizeof(digits), "%.0f", fabs(value));
    size_t length = strlen(digits);
    if (value < 0)
        sg_text_add(out, "-");
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            sg_text_add(out, ",");
        sg_text_add_bytes(out, digits + i, 1);
    }
}

static bool is_rate(const char *unit)
{
    size_t length = strlen(unit);
    return strcmp(unit, "Hz") == 0 || strcmp(unit, "B") == 0 || strcmp(unit, "flop") == 0 ||
           (length > 2 && strcmp(unit + length - 2, "/s") == 0);
}

/* Units that are words have a plural; abbreviations and quotients ("inst", "inst/cycle") do not. */
static void add_unit(struct sg_text *out, double value, const char *unit)
{
    size_t length = strlen(unit);
    bool plural = length > 4 && !strchr(unit, '/') && value != 1;
    sg_text_addf(out, " %s%s", unit, !plural ? "" : unit[length - 1] == 's' ? "es" : "s");
}

void sg_add_value(struct sg_text *out, double value, const char *unit)
{
    bool whole = value == floor(value) && fabs(value) < 1e15;
    if (isnan(value)) {
        add_missing(out);
    } else if (strcmp(unit, "ns") == 0) {
        sg_add_time(out, value);
    } else if (is_rate(unit) && !(whole && fabs(value) < 1e6 && strcmp(unit, "B") == 0)) {
        sg_add_rate(out, value, unit);
    } else {
        if (fabs(value) < 1e15 && (whole || decimals(value, 4) == 0))
            add_whole(out, value);
        else if (is_far(value))
            sg_text_addf(out, "%.3g", value);
        else
            sg_text_addf(out, "%.*f", decimals(value, 4), value);
        if (unit[0] && strcmp(unit, "1") != 0)
            add_unit(out, value, unit);
    }
}

void sg_add_rough(struct sg_text *out, double value, int digits, const char *unit)
{
    if (is_rate(unit)) {
        sg_add_rate(out, value, unit);
    } else if (strcmp(unit, "ns") == 0 || value >= pow(10, digits) - 0.5) {
        sg_add_value(out, round(value), unit);
    } else {
        sg_text_addf(out, "%.*g", digits, value);
        if (strcmp(unit, "1") != 0)
            add_unit(out, value, unit);
    }
}

void sg_add_exactly(struct sg_text *out, double value)
{
    if (!isnan(value))
        sg_text_add_number(out, value, 9);
}
