/*
 * worker/protocol_writer.h - the worker's half of the protocol (results/message.h): one function a
 * kind of message. A row waits for the line behind it that is none, and goes out with it.
 *
 * The descriptor is moved away from where kernels could find it by number, so what they write to 3
 * is lost, not taken for a message. Invariant: after a failed write nothing more is written; `err`
 * says why, and the passes stop when they see it.
 */
#pragma once

#include "device/device.h"
#include "plan/gate_file.h"
#include "results/env.h"
#include "results/message.h"
#include "results/samples.h"
#include "results/table.h"
#include "worker/module_loader.h"

struct sg_emitter {
    int fd;               /* owned */
    struct sg_text lines; /* owned; that wait to be written, or are */
    struct sg_err err;    /* why nothing can be said any more */
};

/* Takes over descriptor `fd`, leaving /dev/null in its place. SG_BAD_USAGE if it is not open. */
enum sg_code sg_emit_open(struct sg_emitter *emitter, int fd, struct sg_err *err);
void sg_emit_release(struct sg_emitter *emitter);

void sg_emit_hello(struct sg_emitter *emitter, const char *pass);
void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env); /* one line a key */
/* What a gate file holds; the device is a simulated one where SG_GATE_SIMULATED_VARIABLE is set. */
void sg_emit_gate(struct sg_emitter *emitter, const struct sg_gate_file *gate);
void sg_emit_module(struct sg_emitter *emitter, const struct sg_module *module); /* its family, cases and variants */
void sg_emit_begin(struct sg_emitter *emitter, const struct sg_target *target);
void sg_emit_at(struct sg_emitter *emitter, const struct sg_target *target);
void sg_emit_side(struct sg_emitter *emitter, const char *side); /* whose code runs from here on, of the pair that began last */
void sg_emit_status(struct sg_emitter *emitter, const struct sg_target *target, enum sg_status status, const char *message);
/* The same of the variant that the target is paired with. */
void sg_emit_baseline(struct sg_emitter *emitter, const struct sg_target *target, enum sg_status status, const char *message);
/* The target's names are put in; value, n and so on are the caller's. */
void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target, const struct sg_value *value);
/* A number without anything beside it. */
void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric, const char *unit, double value);
/* `sample` holds the numbers; its ids are not looked at. `ran` is
 * the variant that the batch was of. */
void sg_emit_sample(struct sg_emitter *emitter, const struct sg_target *target, const char *ran, const struct sg_sample *sample);
void sg_emit_pc(struct sg_emitter *emitter, const struct sg_target *target, const struct sg_pc_count *count);
void sg_emit_events(struct sg_emitter *emitter, const char *moment, bool known, uint64_t events);
void sg_emit_figure(struct sg_emitter *emitter, const char *moment, const char *figure, double value);
void sg_emit_note(struct sg_emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_emit_kernel(struct sg_emitter *emitter, const struct sg_module *module, const struct sg_kernel_build *kernel);
void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err);
void sg_emit_bye(struct sg_emitter *emitter);
