/*
 * device/nvml.h - clocks, power, temperature and event reasons by NVML, loaded at
 * run time; its header is not needed.
 *
 * A device is found by its PCI bus id, never by index. Every figure may be
 * missing: then its key is not set.
 */
#pragma once

#include "results/env.h"
#include "results/process_log.h"
#include "results/table.h"

struct sg_nvml;

/* SG_INVALID: no libnvidia-ml, or it refuses; nothing else depends on it. */
enum sg_code sg_nvml_open(const char *pci_bus_id, struct sg_nvml **nvml, struct sg_err *err);
void sg_nvml_close(struct sg_nvml *nvml);

/* Sets sm_clock_max_hz, mem_clock_hz, power_cap_w, power_w, temperature_c, event_reasons,
 * mig, ecc as far as NVML has them. */
void sg_nvml_describe(struct sg_nvml *nvml, struct sg_env *env);
/*
 * Processes that compute on the device besides this one, which must have a context on it, and its
 * `siblings`, which have one and wait; -1: not known, as in a container whose processes have other
 * numbers outside.
 */
int sg_nvml_other_processes(struct sg_nvml *nvml, int siblings);
/* Bytes of the device that this process has; 0: not known, as in such a container. */
uint64_t sg_nvml_own_memory(struct sg_nvml *nvml);
/* The SM clock of now, Hz; NaN: not known. */
double sg_nvml_clock(struct sg_nvml *nvml);
/*
 * Sets the figures of clock, power, temperature and other processes that NVML has, and adds the
 * event reasons of now to *events, and the power cap or heat if one of them held the clock down at
 * any time since the last look; false: the reasons of now are not known.
 */
bool sg_nvml_look(struct sg_nvml *nvml, int siblings, double figure[SG_FIGURE_COUNT], uint64_t *events);
