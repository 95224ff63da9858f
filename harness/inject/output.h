/*
 * inject/output.h - the mapped file of this process (trace/trace.h), written as launches happen.
 *
 * Nothing here is synchronised: the caller holds sg_inject_lock. Blocks of the disk are taken
 * before they are written to, so that a full disk is a flag and not the end of the program. Before
 * the file is open, and in a child that was forked, all goes to a head that is not read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

/* Once; false: it cannot be made. */
bool sg_output_open(const char *folder);
/* Nothing of this process gets into the file any more. */
void sg_output_leave(void);
struct sg_trace_head *sg_output_head(void); /* never NULL */
void sg_output_flag(enum sg_trace_flag flag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Number of a name, which is written when it is new; 0, no range, if there is no room. */
uint32_t sg_output_name(const char *text);
const char *sg_output_text(uint32_t name);
/* A range of a side of a gate begins. */
void sg_output_turn(uint32_t name);
/* The machine code of a kernel, by the digest of its name (inject/map.h), if that was written. */
void sg_output_code(uint64_t name, uint64_t code, uint64_t codes);
/* One more launch. */
void sg_output_launch(const struct sg_trace_series_key *key, uint64_t duration_ns);
/* What a launch counted. */
void sg_output_counts(const struct sg_trace_series_key *key, const double *values, size_t count);
