/*
 * inject/graphs.h - how many kernels a launch of an executable graph runs.
 *
 * They are counted when it is instantiated, for programs destroy the graph it is made of. One with
 * conditional nodes, or of which nodes were switched off, runs as many as it runs.
 */
#pragma once

#include "inject/cupti_abi.h"

/* After the call has returned. Takes sg_inject_lock. */
void sg_graphs_add(const struct sg_inject_driver *driver, void *executable, void *graph);
void sg_graphs_change(void *executable);
/* SG_KERNELS_UNKNOWN (inject/launches.h), or how many. Takes sg_inject_lock. */
uint32_t sg_graphs_kernels(void *executable);
