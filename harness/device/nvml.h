/*
 * device/nvml.h - clocks, power, temperature and event reasons from NVML, loaded at run time
 * without its header.
 *
 * Finds a device by its PCI bus id, never by index. Every figure may be missing: then its key is
 * not set.
 */
#pragma once

#include "results/env.h"
#include "results/process_log.h"

struct sg_nvml;

/* SG_INVALID: libnvidia-ml is missing or fails; nothing else depends on it. */
enum sg_code sg_nvml_open(const char *pci_bus_id, struct sg_nvml **nvml, struct sg_err *err);
void sg_nvml_close(struct sg_nvml *nvml);

/* Sets sm_clock_max_hz, mem_clock_hz, power_cap_w, power_w, temperature_c, event_reasons, mig,
 * ecc, if NVML has them. */
void sg_nvml_describe(struct sg_nvml *nvml, struct sg_env *env);
/* Number of other processes that compute on the device, not counting the waiting `siblings`. This
 * process must have a context on the device. -1: not known, as in a container where pids differ
 * from those outside. */
int sg_nvml_other_processes(struct sg_nvml *nvml, int siblings);
/* Bytes of the device's memory that this process uses; 0: not known, as in such a container. */
uint64_t sg_nvml_own_memory(struct sg_nvml *nvml);
/* The present SM clock, Hz; NaN: not known. */
double sg_nvml_clock(struct sg_nvml *nvml);
/* Energy that the GPU has used since the driver was loaded, J (device/energy.h); NaN: not known. */
double sg_nvml_energy(struct sg_nvml *nvml);
/* Sets the figures of clock, power, temperature and other processes that NVML has. Adds the
 * present event reasons to *events, and the power cap or heat if it reduced the clock at any
 * time since the last call. Returns false if the present reasons are not known. */
bool sg_nvml_read(struct sg_nvml *nvml, int siblings, double figure[SG_FIGURE_COUNT],
                  uint64_t *events);
