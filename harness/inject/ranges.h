/*
 * inject/ranges.h - which NVTX range a launch is in: the innermost one that its thread has pushed,
 * else the one of the process that was begun last.
 *
 * Only ranges without a domain and of the domain "solgate" are kept here: libraries mark their own
 * steps in domains of their own. The table is ours and CUPTI has no part in it; an injection that
 * was set before ours is called, too.
 */
#pragma once

#include <stdint.h>

typedef const void *(*sg_nvtx_export)(uint32_t table);
/* Puts our functions into the tables of one image of NVTX; 1: done, as NVTX wants it. */
int sg_ranges_attach(sg_nvtx_export export_table);

/* Number of its name (inject/output.h), for the calling thread; 0: none. Takes sg_inject_lock. */
uint32_t sg_ranges_current(void);
/* In a forked child: its names are of a file that it does not have. */
void sg_ranges_forget(void);
