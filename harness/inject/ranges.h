/*
 * inject/ranges.h - the NVTX range of a launch: the innermost range pushed by its thread, otherwise
 * the last begun range of the process.
 *
 * Keeps only ranges without a domain and of the domain "solgate", because libraries mark their
 * steps in other domains. We replace the function table without CUPTI, and also call an injection
 * that was set before ours.
 */
#pragma once

#include <stdint.h>

typedef const void *(*sg_nvtx_export)(uint32_t table);
/* Puts our functions into the tables of one NVTX image. Returns 1 on success, as NVTX requires. */
int sg_ranges_attach(sg_nvtx_export export_table);

/* Name number (inject/output.h) of the calling thread's range; 0: none. Takes sg_inject_lock. */
uint32_t sg_ranges_current(void);
/* Forgets the ranges in a forked child: the names belong to a file that the child does not have. */
void sg_ranges_forget(void);
