/*
 * worker/doctor.h - what can be measured on this GPU, and what stands in the way of the rest: the
 * worker's half of `solgate doctor`.
 *
 * Each check is one note: a word and a sentence that says what to do. `ok`; `missing` (not on this
 * machine); `blocked` (here, but something forbids it); `warn` (works, but numbers may suffer).
 * Nothing is changed on the machine.
 */
#pragma once

#include "worker/protocol_writer.h"

/* SG_NO_GPU when there is none; everything else that is wrong is a note. */
enum sg_code sg_cuda_doctor(int gpu, struct sg_emitter *emitter, struct sg_err *err);
