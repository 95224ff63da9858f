/*
 * exec/clock_watch.h - the SM clock while the kernels of a program run: NVML is asked from outside,
 * as often as the program is looked at. A look counts if kernels were launched since the last one,
 * or run; of a program that ends before the first of them the clock is not known.
 */
#pragma once

#include "device/nvml.h"

struct sg_clock_watch {
    struct sg_nvml *nvml; /* owned; NULL: the clock is not known */
    uint64_t launches;    /* so far */
    double sum_hz;
    unsigned looks; /* that count */
};

/* Of the GPU of that PCI bus id. */
void sg_clock_watch_open(struct sg_clock_watch *watch, const char *pci_bus_id);
void sg_clock_watch_close(struct sg_clock_watch *watch);
/* A program starts. */
void sg_clock_watch_begin(struct sg_clock_watch *watch);
/* What it has launched so far, and what has ended of that. */
void sg_clock_watch_look(struct sg_clock_watch *watch, uint64_t launches, uint64_t records);
/* Hz, since it was begun; 0: not known. */
double sg_clock_watch_mean(const struct sg_clock_watch *watch);
