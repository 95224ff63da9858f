/*
 * trace/trace_reader.h - a file of the injected library, once its process is gone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"
#include "util/err.h"
#include "util/text.h"

struct sg_trace {
    struct sg_trace_head head;
    char *bytes;                           /* owned; of the file */
    const struct sg_trace_name **names;    /* owned list; in `bytes` */
    const struct sg_trace_series **series; /* owned list; in `bytes` */
    const struct sg_trace_counts **counts; /* owned list; in `bytes` */
    size_t name_count, name_capacity, series_count, series_capacity, counts_count, counts_capacity;
};

/* SG_BAD_INPUT names the place in the file: every number and text in it is checked. */
enum sg_code sg_trace_read(const char *path, struct sg_trace *trace, struct sg_err *err);
void sg_trace_release(struct sg_trace *trace);
/* Of a process that may still run; false: there is none so far. */
bool sg_trace_read_head(const char *path, struct sg_trace_head *head);

/* How many values of counters a launch has. */
size_t sg_trace_values(const struct sg_trace_counts *counts);
/* All of its launches together; the first one, which loads its code, counts as those after it. */
double sg_trace_steady_ns(const struct sg_trace_series *series);
/* How many of the samples of a series there are. */
size_t sg_trace_samples(const struct sg_trace_series *series);
/* What stands in the way of believing the process's times, in words; nothing is added to `out`
 * if there is nothing. */
void sg_trace_complaint(const struct sg_trace *trace, struct sg_text *out);
/* The part of that which the library itself has found, as it is of a start that counts. */
void sg_trace_flags(const struct sg_trace *trace, struct sg_text *out);
