/*
 * exec/clock_watch.h - the mean SM clock while a program's kernels run, polled from NVML by this
 * process. A poll counts if kernels were launched since the last poll or are still running. The
 * clock is unknown if the program ends before the first such poll.
 */
#pragma once

#include "device/nvml.h"

struct sg_clock_watch {
    struct sg_nvml *nvml; /* owned; NULL: the clock is unknown */
    uint64_t launches;    /* at the last poll */
    double sum_hz;
    unsigned looks; /* polls that count */
};

/* Opens NVML for the GPU with that PCI bus id. Without NVML the clock stays unknown. */
void sg_clock_watch_open(struct sg_clock_watch *watch, const char *pci_bus_id);
void sg_clock_watch_close(struct sg_clock_watch *watch);
/* Resets the mean at the start of a program. */
void sg_clock_watch_begin(struct sg_clock_watch *watch);
/* Polls once. `launches`: kernels launched so far; `records`: how many of them have completed. */
void sg_clock_watch_look(struct sg_clock_watch *watch, uint64_t launches, uint64_t records);
/* Mean since sg_clock_watch_begin, in Hz. Returns 0 if unknown. */
double sg_clock_watch_mean(const struct sg_clock_watch *watch);
