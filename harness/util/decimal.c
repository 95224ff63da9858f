/* Numbers to decimal text and back (util/text.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

double sg_round_digits(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof(text), "%.*g", digits, value);
    return strtod(text, NULL);
}

void sg_text_add_number(struct sg_text *text, double value, int digits)
{
    sg_text_addf(text, "%.*g", digits, isnan(value) ? fabs(value) : value);
}

bool sg_parse_double(const char *string, bool nan_allowed, double *out)
{
    *out = NAN;
    if (strcmp(string, "nan") == 0 || strcmp(string, "-nan") == 0)
        return nan_allowed;
    /* strtod also accepts blanks, a plus, hexadecimal, "inf" and a numeric prefix. */
    if (string[0] == '+' || string[strspn(string, "0123456789.eE+-")] != '\0')
        return false;
    char *end;
    *out = strtod(string, &end);
    return end != string && *end == '\0' && isfinite(*out);
}
