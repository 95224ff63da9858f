/*
 * worker/pass_trace.h - the trace pass: starts a program with the injected library, and reports its
 * kernels like the items of another pass.
 *
 * The pass opens no device: the program has the GPU for itself. The requested item is the program;
 * the values and samples are of its kernels and ranges, whose cases begin with the program's name.
 * Each start is one process and has one sample per kernel, the median of its launches. With
 * --keep=FOLDER the traces are moved to that folder, and no kernel is reported. SIGTERM, which the
 * parent sends at the deadline, kills the program and all of its processes.
 */
#pragma once

#include "worker/session.h"

enum sg_code sg_pass_trace(const struct sg_order *order, struct sg_emitter *emitter,
                           struct sg_err *err);
