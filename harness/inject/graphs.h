/*
 * inject/graphs.h - the number of kernels that a launch of an executable graph runs.
 *
 * Kernels are counted at instantiation, because programs destroy the source graph. The number is
 * unknown for a graph with conditional nodes or with nodes switched off.
 */
#pragma once

#include "inject/cupti_abi.h"

/* Called after the driver call returned. Takes sg_inject_lock. */
void sg_graphs_add(const struct sg_inject_driver *driver, void *executable, void *graph);
void sg_graphs_change(void *executable);
/* Returns the number, or SG_KERNELS_UNKNOWN (inject/launches.h). Takes sg_inject_lock. */
uint32_t sg_graphs_kernels(void *executable);
