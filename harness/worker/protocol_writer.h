/*
 * worker/protocol_writer.h - the worker's side of the protocol (results/message.h): one function
 * per kind of message. A row is buffered and sent with the next message that is not a row.
 *
 * The descriptor is moved to another number, so what kernels write to 3 is lost and not taken for a
 * message. Invariant: after a failed write nothing more is written; `err` has the reason, and the
 * passes stop when they see it.
 */
#pragma once

#include "device/device.h"
#include "results/env.h"
#include "results/message.h"
#include "results/samples.h"
#include "results/table.h"
#include "worker/module_loader.h"

struct sg_emitter {
    int fd;               /* owned */
    struct sg_text lines; /* owned; lines waiting to be written */
    struct sg_err err;    /* the first failure to write */
};

/* Takes over descriptor `fd` and puts /dev/null in its place. SG_BAD_USAGE if `fd` is not open. */
enum sg_code sg_emit_open(struct sg_emitter *emitter, int fd, struct sg_err *err);
void sg_emit_release(struct sg_emitter *emitter);

void sg_emit_hello(struct sg_emitter *emitter, const char *pass);
void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env); /* one line per key */
void sg_emit_module(struct sg_emitter *emitter,
                    const struct sg_module *module); /* its family, cases and variants */
/* Before an import or a first call, which may take this long without other messages. */
void sg_emit_setup(struct sg_emitter *emitter, double seconds);
void sg_emit_begin(struct sg_emitter *emitter, const struct sg_target *target);
void sg_emit_at(struct sg_emitter *emitter, const struct sg_target *target);
void sg_emit_side(struct sg_emitter *emitter,
                  const char *side); /* the side of the current pair whose code runs from here on */
void sg_emit_status(struct sg_emitter *emitter, const struct sg_target *target,
                    enum sg_status status, const char *message);
/* The same for the variant that the target is paired with. */
void sg_emit_baseline(struct sg_emitter *emitter, const struct sg_target *target,
                      enum sg_status status, const char *message);
/* Fills in the target's names; the caller sets value, n and so on. */
void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target,
                   const struct sg_value *value);
/* Reports a value without interval, n or message. */
void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                    const char *unit, double value);
/* `sample` holds the numbers; its ids are ignored. `ran` is the variant of the batch. */
void sg_emit_sample(struct sg_emitter *emitter, const struct sg_target *target, const char *ran,
                    const struct sg_sample *sample);
void sg_emit_pc(struct sg_emitter *emitter, const struct sg_target *target,
                const struct sg_pc_count *count);
void sg_emit_events(struct sg_emitter *emitter, const char *moment, bool known, uint64_t events);
void sg_emit_figure(struct sg_emitter *emitter, const char *moment, const char *figure,
                    double value);
void sg_emit_note(struct sg_emitter *emitter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sg_emit_kernel(struct sg_emitter *emitter, const struct sg_module *module,
                    const struct sg_kernel_build *kernel);
void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err);
void sg_emit_bye(struct sg_emitter *emitter);
