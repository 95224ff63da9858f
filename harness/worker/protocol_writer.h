/*
 * worker/protocol_writer.h - the worker's side of the protocol (results/message.h): one macro or
 * function per kind of message. A row is buffered and sent with the next message that is not a row.
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

void sg_emit_message(struct sg_emitter *emitter, const struct sg_message *message);
/* SG_EMIT(emitter, BEGIN, SG_OF_TARGET(target)); the members of the kind follow its name. */
#define SG_EMIT(emitter, of, ...) \
    sg_emit_message(emitter, &(struct sg_message){.kind = SG_MESSAGE_##of, __VA_ARGS__})
#define SG_OF_TARGET(target) .name = {SG_TARGET_NAMES(target)}
void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env); /* one line per key */
void sg_emit_module(struct sg_emitter *emitter,
                    const struct sg_module *module); /* its family, cases and variants */
/* Fills in the target's names; the caller sets value, n and so on. */
void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target,
                   const struct sg_value *value);
/* Reports a value without interval, n or message. */
void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                    const char *unit, double value);
/* Reports a row whose message is its content. */
void sg_emit_word(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                  const char *message);
void sg_emit_events(struct sg_emitter *emitter, enum sg_moment moment, bool is_known,
                    uint64_t events);
void sg_emit_note(struct sg_emitter *emitter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sg_emit_kernel(struct sg_emitter *emitter, const struct sg_module *module,
                    const struct sg_kernel_build *kernel);
void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err);
