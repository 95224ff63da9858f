/*
 * inject/collect.h - turns CUPTI's callbacks and records of one process into launches of the
 * output.
 *
 * Driver callbacks report launch calls, activity records report kernels. The library flushes
 * records after calls that wait for the device, as often as the overhead allows. So the output is
 * nearly complete however the program ends.
 */
#pragma once

#include <stdint.h>

/* Called in InitializeInjection. A failure becomes a flag of the output. */
void sg_collect_start(void);
/* Called at the end of the process. Waits for the records of launches while records keep coming. */
void sg_collect_stop(void);
/* Begin and end of a thread's range, for ranges counted as a whole. */
void sg_collect_begin_range(uint32_t name, const char *text);
void sg_collect_end_range(void);
