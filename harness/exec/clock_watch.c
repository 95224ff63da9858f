#include "exec/clock_watch.h"

#include <math.h>

void sg_clock_watch_open(struct sg_clock_watch *watch, const char *pci_bus_id)
{
    struct sg_err none = {0};
    if (sg_nvml_open(pci_bus_id, &watch->nvml, &none) != SG_SUCCESS)
        watch->nvml = NULL;
}

void sg_clock_watch_close(struct sg_clock_watch *watch)
{
    sg_nvml_close(watch->nvml);
    watch->nvml = NULL;
}

void sg_clock_watch_begin(struct sg_clock_watch *watch)
{
    *watch = (struct sg_clock_watch){.nvml = watch->nvml};
}

void sg_clock_watch_look(struct sg_clock_watch *watch, uint64_t launches, uint64_t records)
{
    const bool is_busy = launches > watch->launches || records < launches;
    const double hz = watch->nvml && is_busy ? sg_nvml_clock(watch->nvml) : NAN;
    watch->launches = launches;
    watch->looks += hz > 0;
    watch->sum_hz += hz > 0 ? hz : 0;
}

double sg_clock_watch_mean(const struct sg_clock_watch *watch)
{
    return watch->looks > 0 ? watch->sum_hz / watch->looks : 0;
}
