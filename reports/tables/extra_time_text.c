#include "reports/tables/ranking.h"

#include <math.h>

#define PLACES_MAX 6

/* Decimal places that show two digits of `half`, half an interval. */
static int places_of(double half)
{
    const int places = half > 0 ? 1 - (int)floor(log10(half)) : 0;
    return places < 0 ? 0 : places > PLACES_MAX ? PLACES_MAX : places;
}

/* The largest power of ten within the range. */
static double step_of(double span)
{
    return pow(10, floor(log10(span)));
}

static double largest_of(const struct sg_dimension_series *series)
{
    double largest = 0;
    for (size_t i = 0; i < series->count; i++)
        largest = fmax(largest, fabs(series->extra[i].ns));
    return largest;
}

/* "costs 4.30 us more than base at k=512" */
static void add_cost(struct sg_text *out, const struct sg_dimension_series *series, size_t place, const struct sg_scale *scale, double half)
{
    const struct sg_extra *extra = &series->extra[place];
    sg_text_addf(out, "costs %.*f %s more than %s at %s=%.9g", places_of(half / scale->factor), extra->ns / scale->factor, scale->unit,
                 series->partner, series->dimension, extra->x);
}

/* All costs in the unit of the largest one. */
static void add_costs(struct sg_text *out, const struct sg_dimension_series *series, const struct sg_scale *scale, double half)
{
    add_cost(out, series, 0, scale, half);
    for (size_t i = 1; i < series->count; i++)
        sg_text_addf(out, ", %.*f at %.9g", places_of(half / scale->factor), series->extra[i].ns / scale->factor, series->extra[i].x);
}

/* "+0.02 +- 0.11 us per 1000 of k" */
static void add_slope(struct sg_text *out, const struct sg_extra_time_fit *scaling, const struct sg_scale *scale, const char *dimension)
{
    const double step = step_of(scaling->span), of_step = step / scaling->span / scale->factor, half = scaling->half * of_step;
    const int places = places_of(half);
    const double slope = scaling->part * of_step,
                 /* no sign for a printed 0 */
        shown = fabs(slope) < 0.5 * pow(10, -places) ? 0 : slope;
    sg_text_addf(out, shown == 0 ? "%.*f" : "%+.*f", places, shown);
    sg_text_addf(out, " +- %.*f %s per %.9g of %s", places, half, scale->unit, step, dimension);
}

#define OF_LAUNCH ": a cost of each launch, or of each block or tile if "
#define OF_TILES  " makes no more of them"

static const struct {
    const char *before;  /* text before the dimension's name and the slope in brackets */
    const char *follows; /* text about the consequence for the dimension; NULL: none */
    const char *end;     /* text after the dimension's name there */
} words[] = {
    [SG_SCALING_UNKNOWN] = {"unknown whether that changes with ", NULL, NULL},
    /* More rows and columns make more blocks, more depth does not. The run does not tell which
     * kind of dimension this is. */
    [SG_SCALING_NONE] = {"the same for all ", OF_LAUNCH, OF_TILES},
    [SG_SCALING_NOT_GROWING] = {"does not grow with ", OF_LAUNCH, OF_TILES},
    [SG_SCALING_GROWS] = {"grows with ", NULL, NULL},
    [SG_SCALING_SHRINKS] = {"shrinks with ", NULL, NULL},
};

void sg_add_scaling(struct sg_text *out, const struct sg_dimension_series *series)
{
    const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(series->extra, series->count);
    const struct sg_scale *scale = sg_time_scale(largest_of(series));
    add_costs(out, series, scale, scaling.half);
    sg_text_addf(out, ": %s%s (", words[scaling.word].before, series->dimension);
    add_slope(out, &scaling, scale, series->dimension);
    sg_text_add(out, ")");
    if (words[scaling.word].follows)
        sg_text_addf(out, "%s%s%s", words[scaling.word].follows, series->dimension, words[scaling.word].end);
}

void sg_add_scaling_again(struct sg_text *out, const struct sg_dimension_series *series, const char *case_)
{
    const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(series->extra, series->count);
    add_cost(out, series, series->own, sg_time_scale(largest_of(series)), scaling.half);
    sg_text_addf(out, ": %s%s: see %s above", words[scaling.word].before, series->dimension, case_);
}
