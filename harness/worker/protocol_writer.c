#include "worker/protocol_writer.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/kernel_name.h"
#include "results/env.h"
#include "results/samples.h"
#include "results/throttle_reasons.h"

#define WAITING_MAX    4096 /* bytes of buffered lines */
#define OUT_OF_THE_WAY 64   /* kernels and libraries get the lowest free descriptors, below this */

enum sg_code sg_emit_open(struct sg_emitter *emitter, int fd, struct sg_err *err)
{
    *emitter = (struct sg_emitter){.fd = fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)};
    /* EINVAL: the limit on descriptors (ulimit -n) is lower. */
    if (emitter->fd < 0 && errno == EINVAL)
        emitter->fd = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);
    if (emitter->fd < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), NULL,
                       "descriptor %d: %s; this program is started by solgate, which listens there "
                       "(by hand: solgate-worker ... %d>lines)",
                       fd, strerror(errno), fd);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool moved = nowhere >= 0 && dup2(nowhere, fd) == fd;
    const int reason = errno;
    if (nowhere >= 0 && nowhere != fd)
        close(nowhere);
    return moved ? SG_SUCCESS : sg_fail(err, SG_SYSTEM, "/dev/null", "%s", strerror(reason));
}

void sg_emit_release(struct sg_emitter *emitter)
{
    if (emitter->fd >= 0)
        close(emitter->fd);
    sg_text_release(&emitter->lines);
    *emitter = (struct sg_emitter){.fd = -1};
}

static void write_lines(struct sg_emitter *emitter)
{
    size_t done = 0;
    /* Usually one write; a line longer than the pipe's capacity needs more. */
    while (done < emitter->lines.length) {
        const ssize_t n =
            write(emitter->fd, emitter->lines.data + done, emitter->lines.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            sg_fail(&emitter->err, SG_SYSTEM, "descriptor 3", "%s",
                    n < 0 ? strerror(errno) : "takes no bytes");
            return;
        }
        done += (size_t)n;
    }
    emitter->lines.length = 0;
}

/* Rows of an item are buffered until the next other message. */
static bool waits(enum sg_message_kind kind)
{
    return kind == SG_MESSAGE_SAMPLE || kind == SG_MESSAGE_VALUE || kind == SG_MESSAGE_PC;
}

static void send(struct sg_emitter *emitter, const struct sg_message *message)
{
    const size_t before = emitter->lines.length;
    if (emitter->err.code != SG_SUCCESS)
        return;
    sg_message_add(&emitter->lines, message);
    const size_t length = emitter->lines.length - before;
    if (length > SG_MESSAGE_LINE_MAX)
        sg_fail(&emitter->err, SG_INVALID, "descriptor 3",
                "a line of %zu bytes, at most %d are allowed", length, SG_MESSAGE_LINE_MAX);
    else if (!waits(message->kind) || emitter->lines.length > WAITING_MAX)
        write_lines(emitter);
}

#define SEND(emitter, of_kind, ...) \
    send(emitter, &(struct sg_message){.kind = (of_kind), .field = {__VA_ARGS__}})

void sg_emit_hello(struct sg_emitter *emitter, const char *pass)
{
    struct sg_message message = {.kind = SG_MESSAGE_HELLO, .field = {[1] = pass}};
    sg_message_set(&message, 0, SG_PROTOCOL_VERSION);
    send(emitter, &message);
}

void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        SEND(emitter, SG_MESSAGE_ENV, env->key[i], env->value[i]);
}

static void emit_variant(struct sg_emitter *emitter, const char *family,
                         const struct sg_named_variant *v)
{
    struct sg_message message = {.kind = SG_MESSAGE_VARIANT,
                                 .field = {family, v->name, sg_role_word(v->variant->role),
                                           sg_status_word(v->variant->expect),
                                           v->variant->summary}};
    sg_message_set(&message, 5, (double)v->variant->deadline_ms);
    send(emitter, &message);
    for (size_t i = 0; i < v->variant->knob_count; i++) {
        const struct sg_knob *knob = &v->variant->knobs[i];
        SG_SCOPED(sg_text) values = {0};
        for (size_t k = 0; k < knob->count; k++)
            sg_text_addf(&values, "%s%" PRId64, k ? " " : "", knob->value[k]);
        SEND(emitter, SG_MESSAGE_KNOB, family, v->name, knob->name, values.data, knob->summary);
    }
}

void sg_emit_module(struct sg_emitter *emitter, const struct sg_module *module)
{
    const struct sg_family *family = module->family;
    SEND(emitter, SG_MESSAGE_FAMILY, module->name, family->device == SG_HOST ? "host" : "cuda",
         family->dims, family->summary, module->commit);
    for (size_t i = 0; i < family->case_count; i++) {
        const struct sg_case *c = &family->cases[i];
        SG_SCOPED(sg_text) shape = {0};
        sg_case_shape(family, c, &shape);
        SEND(emitter, SG_MESSAGE_CASE, module->name, c->name, sg_dtype_word(c->dtype), shape.data,
             c->summary);
    }
    for (size_t i = 0; i < module->variant_count; i++)
        emit_variant(emitter, module->name, &module->variants[i]);
}

void sg_emit_kernel(struct sg_emitter *emitter, const struct sg_module *module,
                    const struct sg_kernel_build *kernel)
{
    const char *colon = strchr(kernel->name, ':'), *mangled = colon ? colon + 1 : kernel->name;
    const struct sg_kernel_name shown = sg_kernel_name(mangled);
    const int numbers[] = {kernel->spill_store_bytes, kernel->spill_load_bytes,
                           kernel->instructions};
    struct sg_message message = {.kind = SG_MESSAGE_KERNEL,
                                 .field = {module->name, shown.text, mangled,
                                           module->images ? module->images : "",
                                           kernel->notes ? kernel->notes : ""}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] >= 0)
            sg_message_set(&message, 5 + i, numbers[i]);
    send(emitter, &message);
}

void sg_emit_setup(struct sg_emitter *emitter, double seconds)
{
    struct sg_message message = {.kind = SG_MESSAGE_SETUP};
    sg_message_set(&message, 0, seconds);
    send(emitter, &message);
}

void sg_emit_begin(struct sg_emitter *emitter, const struct sg_target *target)
{
    SEND(emitter, SG_MESSAGE_BEGIN, SG_TARGET_NAMES(target));
}

void sg_emit_at(struct sg_emitter *emitter, const struct sg_target *target)
{
    SEND(emitter, SG_MESSAGE_AT, SG_TARGET_NAMES(target));
}

void sg_emit_side(struct sg_emitter *emitter, const char *side)
{
    SEND(emitter, SG_MESSAGE_SIDE, side);
}

void sg_emit_status(struct sg_emitter *emitter, const struct sg_target *target,
                    enum sg_status status, const char *message)
{
    SEND(emitter, SG_MESSAGE_STATUS, SG_TARGET_NAMES(target), sg_status_word(status), message);
}

void sg_emit_baseline(struct sg_emitter *emitter, const struct sg_target *target,
                      enum sg_status status, const char *message)
{
    SEND(emitter, SG_MESSAGE_BASELINE, SG_TARGET_NAMES(target), sg_status_word(status), message);
}

void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target,
                   const struct sg_value *value)
{
    struct sg_value named = *value;
    named.family = target->module->name;
    named.case_ = target->c->name;
    named.variant = target->name;
    const struct sg_message message = sg_value_message(&named);
    send(emitter, &message);
}

void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                    const char *unit, double value)
{
    sg_emit_value(
        emitter, target,
        &(struct sg_value){.metric = metric, .unit = unit, .value = value, .has = SG_HAS_VALUE});
}

void sg_emit_sample(struct sg_emitter *emitter, const struct sg_target *target, const char *ran,
                    const struct sg_sample *sample)
{
    const struct sg_message message =
        sg_sample_message((const char *const[]){SG_TARGET_NAMES(target), ran}, sample);
    send(emitter, &message);
}

void sg_emit_pc(struct sg_emitter *emitter, const struct sg_target *target,
                const struct sg_pc_count *count)
{
    struct sg_message message = {
        .kind = SG_MESSAGE_PC,
        .field = {SG_TARGET_NAMES(target), count->kernel, count->code, [8] = count->reason}};
    sg_message_set(&message, 5, count->pc);
    sg_message_set(&message, 9, count->samples);
    send(emitter, &message);
}

void sg_emit_events(struct sg_emitter *emitter, const char *moment, bool known, uint64_t events)
{
    SG_SCOPED(sg_text) words = {0};
    if (known)
        sg_throttle_reasons_words(events, &words);
    SEND(emitter, SG_MESSAGE_EVENTS, moment, words.data);
}

void sg_emit_figure(struct sg_emitter *emitter, const char *moment, const char *figure,
                    double value)
{
    struct sg_message message = {.kind = SG_MESSAGE_FIGURE, .field = {moment, figure}};
    sg_message_set(&message, 2, value);
    send(emitter, &message);
}

void sg_emit_note(struct sg_emitter *emitter, const char *format, ...)
{
    SG_SCOPED(sg_text) text = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&text, format, args);
    va_end(args);
    SEND(emitter, SG_MESSAGE_NOTE, text.data);
}

void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    sg_text_addf(&text, "%s%s%s", err->where, err->where[0] ? ": " : "", err->message);
    struct sg_message message = {.kind = SG_MESSAGE_FAIL, .field = {[1] = text.data}};
    sg_message_set(&message, 0, err->code);
    send(emitter, &message);
}

void sg_emit_bye(struct sg_emitter *emitter)
{
    send(emitter, &(struct sg_message){.kind = SG_MESSAGE_BYE});
}
