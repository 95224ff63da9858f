/*
 * worker/doctor.h - what this GPU and machine can measure, and what prevents the rest: the worker's
 * part of `solgate doctor`.
 *
 * Each check is one note: a word and a sentence that says what to do. `ok`; `missing` (not on this
 * machine); `blocked` (present, but not permitted); `warn` (works, but numbers may suffer). Nothing
 * is changed on the machine.
 */
#pragma once

#include "worker/protocol_writer.h"

/* SG_NO_GPU without a GPU; every other problem is a note. */
enum sg_code sg_cuda_doctor(int gpu, struct sg_emitter *emitter, struct sg_err *err);
