/*
 * inject/collect.h - CUPTI's callbacks and records of one process, as launches of the output.
 *
 * Launch calls are seen by the callbacks of the driver, kernels by activity records. Records are
 * asked for after calls that wait for the device, as often as costs next to nothing, so that what a
 * program did is written down however it ends.
 */
#pragma once

#include <stdint.h>

/* In InitializeInjection. What does not work is a flag of the output. */
void sg_collect_start(void);
/* At the end of the process: waits for the records of what was launched, as long as some come. */
void sg_collect_stop(void);
/* Ranges that a thread pushes, for where they are counted as a whole. */
void sg_collect_begin_range(uint32_t name, const char *text);
void sg_collect_end_range(void);
