#include "worker/protocol_writer.h"

#include <inttypes.h>
#include <math.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "device/kernel_name.h"
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
                    n < 0 ? strerror(errno) : "accepts no bytes");
            return;
        }
        done += (size_t)n;
    }
    emitter->lines.length = 0;
}

/* True for rows, which are buffered until the next message of another kind. */
static bool waits(enum sg_message_kind kind)
{
    return kind == SG_MESSAGE_SAMPLE || kind == SG_MESSAGE_VALUE || kind == SG_MESSAGE_PC;
}

void sg_emit_message(struct sg_emitter *emitter, const struct sg_message *message)
{
    const size_t before = emitter->lines.length;
    if (emitter->err.code != SG_SUCCESS)
        return;
    sg_message_add(&emitter->lines, message);
    const size_t length = emitter->lines.length - before;
    if (length > SG_MESSAGE_LINE_MAX)
        sg_fail(&emitter->err, SG_INVALID, "descriptor 3",
                "expected a line of at most %d bytes, found %zu", SG_MESSAGE_LINE_MAX, length);
    else if (!waits(message->kind) || emitter->lines.length > WAITING_MAX)
        write_lines(emitter);
}

void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        SG_EMIT(emitter, ENV, .key = env->key[i], .text = env->value[i]);
}

static void emit_variant(struct sg_emitter *emitter, const char *family,
                         const struct sg_named_variant *v)
{
    SG_EMIT(emitter, VARIANT, .name = {family, NULL, v->name}, .role = v->variant->role,
            .status = v->variant->expect, .summary = v->variant->summary,
            .deadline_ms = (unsigned)v->variant->deadline_ms);
    for (size_t i = 0; i < v->variant->knob_count; i++) {
        const struct sg_knob *knob = &v->variant->knobs[i];
        SG_SCOPED(sg_text) values = {0};
        for (size_t k = 0; k < knob->count; k++)
            sg_text_addf(&values, "%s%" PRId64, k ? " " : "", knob->value[k]);
        SG_EMIT(emitter, KNOB, .name = {family, NULL, v->name}, .knob = knob->name,
                .values = values.data, .summary = knob->summary);
    }
}

void sg_emit_module(struct sg_emitter *emitter, const struct sg_module *module)
{
    const struct sg_family *family = module->family;
    SG_EMIT(emitter, FAMILY, .name = {module->name},
            .device = family->device == SG_HOST ? "host" : "cuda", .dims = family->dims,
            .summary = family->summary, .commit = module->commit);
    for (size_t i = 0; i < family->case_count; i++) {
        const struct sg_case *c = &family->cases[i];
        SG_SCOPED(sg_text) shape = {0};
        sg_case_shape(family, c, &shape);
        SG_EMIT(emitter, CASE, .name = {module->name, c->name}, .dtype = sg_dtype_word(c->dtype),
                .shape = shape.data, .summary = c->summary);
    }
    for (size_t i = 0; i < module->variant_count; i++)
        emit_variant(emitter, module->name, &module->variants[i]);
}

/* Below 0: not known. */
static double known(int number)
{
    return number >= 0 ? number : NAN;
}

void sg_emit_kernel(struct sg_emitter *emitter, const struct sg_module *module,
                    const struct sg_kernel_build *kernel)
{
    const char *colon = strchr(kernel->name, ':'), *mangled = colon ? colon + 1 : kernel->name;
    const struct sg_kernel_name shown = sg_kernel_name(mangled);
    SG_EMIT(emitter, KERNEL, .name = {module->name}, .kernel = shown.text, .mangled = mangled,
            .images = module->images, .notes = kernel->notes,
            .spill_store_bytes = known(kernel->spill_store_bytes),
            .spill_load_bytes = known(kernel->spill_load_bytes),
            .instructions = known(kernel->instructions));
}

void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target,
                   const struct sg_value *value)
{
    struct sg_value named = *value;
    named.family = target->module->name;
    named.case_ = target->c->name;
    named.variant = target->name;
    SG_EMIT(emitter, VALUE, .value = named);
}

void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                    const char *unit, double value)
{
    sg_emit_value(
        emitter, target,
        &(struct sg_value){.metric = metric, .unit = unit, .value = value, .has = SG_HAS_VALUE});
}

void sg_emit_word(struct sg_emitter *emitter, const struct sg_target *target, const char *metric,
                  const char *message)
{
    sg_emit_value(emitter, target, &(struct sg_value){.metric = metric, .message = message});
}

void sg_emit_events(struct sg_emitter *emitter, enum sg_moment moment, bool is_known,
                    uint64_t events)
{
    SG_SCOPED(sg_text) words = {0};
    if (is_known)
        sg_throttle_reasons_words(events, &words);
    SG_EMIT(emitter, EVENTS, .moment = moment, .events = words.data);
}

void sg_emit_note(struct sg_emitter *emitter, const char *format, ...)
{
    SG_SCOPED(sg_text) text = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&text, format, args);
    va_end(args);
    SG_EMIT(emitter, NOTE, .text = text.data);
}

void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err)
{
    SG_FORMATTED(text, "%s%s%s", err->where, err->where[0] ? ": " : "", err->message);
    SG_EMIT(emitter, FAIL, .failure = err->code, .text = text.data);
}
