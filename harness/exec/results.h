/*
 * exec/results.h - starts a program once, and reads the file of results that it writes: NVBench's
 * JSON, a trace of torch.profiler, any file that `solgate import` takes.
 *
 * The program must write the file in this start. The items of the file become rows of the suite's
 * program; their case is the label, followed by the case of the item.
 */
#pragma once

#include "exec/exec.h"

/* For a worker: needs options->file, label and on_progress. Results as of sg_exec_measure; the rows
 * are sorted. SG_NO_GPU before the program is started. */
enum sg_code sg_exec_results(const struct sg_exec_options *options, struct sg_exec_found *found,
                             struct sg_err *err);
