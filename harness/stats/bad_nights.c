#include "stats/bad_nights.h"

#include <math.h>
#include <stdlib.h>

#include "util/text.h"

void sg_bad_nights(const struct sg_series_steps *series, size_t count, size_t nights, bool *is_bad)
{
    const size_t least = (size_t)fmax(SG_BAD_LEAST, ceil(SG_BAD_SHARE * (double)count));
    size_t *slower = sg_alloc(2 * nights + 1, sizeof(*slower)), *faster = slower + nights;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].off_count; i++)
            (series[s].off[i].z > 0 ? slower : faster)[series[s].off[i].night]++;
    for (size_t night = 0; night < nights; night++)
        is_bad[night] = slower[night] >= least && faster[night] >= least;
    free(slower);
}
