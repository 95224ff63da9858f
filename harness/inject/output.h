/*
 * inject/output.h - the mapped file of this process (trace/trace.h), written as launches happen.
 *
 * Not synchronised: the caller holds sg_inject_lock. Disk blocks are allocated before they are
 * written, so a full disk sets a flag and does not end the program. Before the file is open, and in
 * a forked child, writes go to an unused head.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

/* Does nothing if the file is open. Returns false if it cannot be created. */
bool sg_output_open(const char *folder);
void sg_output_leave(void);
struct sg_trace_head *sg_output_head(void); /* never NULL */
void sg_output_flag(enum sg_trace_flag flag, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the number of a name and writes a new name. Returns 0, no range, if the file is full. */
uint32_t sg_output_name(const char *text);
const char *sg_output_text(uint32_t name);
/* Call when a range of one side of a gate begins. */
void sg_output_turn(uint32_t name);
/* Sets the machine code of a kernel, by the digest of its name (inject/map.h), if the name was
 * written. */
void sg_output_code(uint64_t name, uint64_t code, uint64_t codes);
/* latency_ns: from the call to the kernel's start, on an idle device; 0: unknown. */
void sg_output_launch(const struct sg_trace_series_key *key, uint64_t duration_ns,
                      uint64_t latency_ns);
void sg_output_counts(const struct sg_trace_series_key *key, const double *values, size_t count);
