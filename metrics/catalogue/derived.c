/* Metrics that are computed from others (catalogue/catalogue.h). */
#include <math.h>
#include <string.h>

#include "catalogue/catalogue.h"

/* 0 / 0 is NaN on purpose: a kernel without requests has no sectors per
 * request, and 0 would claim that it has. */
static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double sum_of_two(const double inputs[SG_DERIVED_INPUTS])
{
    return inputs[0] + inputs[1];
}

static double first_over_second(const double inputs[SG_DERIVED_INPUTS])
{
    return ratio(inputs[0], inputs[1]);
}

static double first_two_over_last_two(const double inputs[SG_DERIVED_INPUTS])
{
    return ratio(inputs[0] + inputs[1], inputs[2] + inputs[3]);
}

static const struct sg_derived table[] = {
    {"sum_dram_bytes", {"dram_read_bytes", "dram_write_bytes"}, sum_of_two},
    {"global_load_sectors_per_request", {"global_load_sectors", "global_load_requests"}, first_over_second},
    {"global_store_sectors_per_request", {"global_store_sectors", "global_store_requests"}, first_over_second},
    {"shared_conflicts_per_wavefront",
     {"shared_load_conflicts", "shared_store_conflicts", "shared_load_wavefronts", "shared_store_wavefronts"},
     first_two_over_last_two},
};

const struct sg_derived *sg_derived_find(const char *key)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    }
    return NULL;
}
