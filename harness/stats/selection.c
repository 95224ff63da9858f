#include "stats/selection.h"

#include <math.h>

#define POINTS     200 /* points in the midpoint rule */
#define REACH      8.0 /* range on each side, in errors; values beyond are ignored */
#define BISECTIONS 24
#define LEAST_SD   0.1 /* in errors; a sharper limit would fall between two points */

/* Share of the listed readings that are below the actual reading. */
static double share_below(const struct sg_selected *s, double truth)
{
    const double sd =
        fmax(sqrt(fmax(s->deciding_se * s->deciding_se - s->se * s->se, 0)), LEAST_SD * s->se);
    double below = 0, all = 0;
    for (int i = 0; i < POINTS; i++) {
        const double u = REACH * ((2.0 * i + 1) / POINTS - 1), read = truth + u * s->se;
        const double density = exp(-0.5 * u * u) * erfc((s->limit - read) / sd / sqrt(2));
        all += density;
        below += read < s->read ? density : 0;
    }
    return below / all;
}

static double truth_at(const struct sg_selected *s, double share)
{
    double low = 0, high = s->read + REACH * s->se;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);
        *(share_below(s, middle) > share ? &low : &high) = middle;
    }
    return low;
}

void sg_selected_interval(const struct sg_selected *selected, double *low, double *high)
{
    *low = truth_at(selected, 0.975);
    *high = truth_at(selected, 0.025);
}
