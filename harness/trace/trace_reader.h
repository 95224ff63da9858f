/* trace/trace_reader.h - reads a file of the injected library after its process ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"
#include "util/err.h"
#include "util/text.h"

struct sg_trace {
    struct sg_trace_head head;
    char *bytes;                           /* owned; contents of the file */
    const struct sg_trace_name **names;    /* owned list; in `bytes` */
    const struct sg_trace_series **series; /* owned list; in `bytes` */
    const struct sg_trace_counts **counts; /* owned list; in `bytes` */
    size_t name_count, name_capacity, series_count, series_capacity, counts_count, counts_capacity;
};

/* Checks every number and text. SG_BAD_INPUT names the offset in the file. */
enum sg_code sg_trace_read(const char *path, struct sg_trace *trace, struct sg_err *err);
void sg_trace_release(struct sg_trace *trace);
/* Reads the head while the process may still run. Returns false if there is none yet. */
bool sg_trace_read_head(const char *path, struct sg_trace_head *head);

size_t sg_trace_values(const struct sg_trace_counts *counts);
/* Time of all launches of a series. The first one, which loads its code, counts as the mean of the
 * others. */
double sg_trace_steady_ns(const struct sg_trace_series *series);
size_t sg_trace_samples(const struct sg_trace_series *series);
size_t sg_trace_latencies(const struct sg_trace_series *series);
/* Adds why the process's times are unreliable; adds nothing if they are reliable. */
void sg_trace_complaint(const struct sg_trace *trace, struct sg_text *out);
/* Adds the part of sg_trace_complaint that the library itself found; this part also applies to a
 * counting start. */
void sg_trace_flags(const struct sg_trace *trace, struct sg_text *out);
