#include "history/builds_chain.h"
#include "util/hypot.h"

#include <math.h>

const struct sg_build_height *sg_build_height_of(const struct sg_build_height *heights,
                                                 size_t count, sg_id build)
{
    for (size_t i = count; i-- > 0;)
        if (heights[i].build == build)
            return &heights[i];
    return NULL;
}

static double variance_of(const struct sg_build_night *night, double usual_sd)
{
    const double se = night->se > 0 ? night->se : 0;
    return se * se + usual_sd * usual_sd;
}

/* Sets the height of a build from earlier nightly runs that measured it as the current one. Uses
 * only runs paired with the same accepted build as the last of them. */
static void join(const struct sg_build_night *nights, size_t first, double usual_sd,
                 const struct sg_build_height *heights, size_t count, struct sg_build_height *to)
{
    const struct sg_build_height *against = NULL;
    double sum = 0, variance = 0, n = 0;
    for (size_t night = first; night-- > 0;) {
        if (nights[night].code != to->build)
            continue;
        to->origin = to->origin == SG_NO_ORIGIN ? night : to->origin;
        const struct sg_build_height *measured_against =
            isnan(nights[night].value) ? NULL
                                       : sg_build_height_of(heights, count, nights[night].build);
        if (!measured_against || (against && against->build != measured_against->build))
            continue;
        against = measured_against;
        sum += nights[night].value;
        variance += variance_of(&nights[night], usual_sd);
        n++;
    }
    if (!against)
        return;
    to->part = against->part;
    to->height = against->height + sum / n;
    to->se = sg_hypot(against->se, sqrt(variance) / n);
}

size_t sg_build_heights(const struct sg_build_night *nights, size_t count, double usual_sd,
                        struct sg_build_height *heights)
{
    size_t n = 0;
    unsigned parts = 0;
    for (size_t night = 0; night < count; night++) {
        if (isnan(nights[night].value) || sg_build_height_of(heights, n, nights[night].build))
            continue;
        struct sg_build_height *height = &heights[n];
        *height = (struct sg_build_height){
            .build = nights[night].build, .part = parts, .origin = SG_NO_ORIGIN};
        join(nights, night, usual_sd, heights, n, height);
        parts += height->part == parts;
        n++;
    }
    return n;
}
