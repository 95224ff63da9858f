#include "worker/protocol_writer.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "results/env.h"
#include "results/samples.h"
#include "results/throttle_reasons.h"

#define OUT_OF_THE_WAY 64 /* kernels and libraries open files at the lowest free number, which stays below */
#define NUMBER_MAX     32 /* "%.17g" and a terminator */

enum sg_code sg_emit_open(struct sg_emitter *emitter, int fd, struct sg_err *err)
{
    *emitter = (struct sg_emitter){.fd = fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)};
    // EINVAL: this process may not have so many (ulimit -n).
    if (emitter->fd < 0 && errno == EINVAL)
        emitter->fd = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);
    if (emitter->fd < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), NULL,
                       "descriptor %d: %s; this program is started by solgate, which listens there (by hand: solgate-worker ... %d>lines)",
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
    sg_text_release(&emitter->line);
    *emitter = (struct sg_emitter){.fd = -1};
}

static void write_line(struct sg_emitter *emitter)
{
    size_t done = 0;
    /* One write as a rule; the rest of a line longer than the pipe takes at once follows. */
    while (done < emitter->line.length) {
        const ssize_t n = write(emitter->fd, emitter->line.data + done, emitter->line.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            sg_fail(&emitter->err, SG_SYSTEM, "descriptor 3", "%s", n < 0 ? strerror(errno) : "takes no bytes");
            return;
        }
        done += (size_t)n;
    }
}

static void send(struct sg_emitter *emitter, enum sg_message_kind kind, const char *const *fields, size_t count)
{
    if (emitter->err.code != SG_SUCCESS)
        return;
    emitter->line.length = 0;
    sg_message_format(&emitter->line, kind, fields, count);
    if (emitter->line.length > SG_MESSAGE_LINE_MAX)
        sg_fail(&emitter->err, SG_INVALID, "descriptor 3", "a line of %zu bytes, at most %d are allowed", emitter->line.length,
                SG_MESSAGE_LINE_MAX);
    else
        write_line(emitter);
}

static const char *or_empty(const char *string)
{
    return string ? string : "";
}

void sg_emit_hello(struct sg_emitter *emitter, const char *pass)
{
    char version[NUMBER_MAX];
    snprintf(version, sizeof(version), "%d", SG_PROTOCOL_VERSION);
    send(emitter, SG_MESSAGE_HELLO, (const char *[]){version, pass}, 2);
}

void sg_emit_env(struct sg_emitter *emitter, const struct sg_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        send(emitter, SG_MESSAGE_ENV, (const char *[]){env->key[i], env->value[i]}, 2);
}

static void emit_variant(struct sg_emitter *emitter, const char *family, const struct sg_named_variant *v)
{
    char deadline[NUMBER_MAX];
    snprintf(deadline, sizeof(deadline), "%lu", (unsigned long)v->variant->deadline_ms);
    send(emitter, SG_MESSAGE_VARIANT,
         (const char *[]){family, v->name, sg_role_word(v->variant->role), sg_status_word(v->variant->expect), deadline,
                          or_empty(v->variant->summary)},
         6);
    for (size_t i = 0; i < v->variant->knob_count; i++) {
        const struct sg_knob *knob = &v->variant->knobs[i];
        struct sg_text values = {0};
        for (size_t k = 0; k < knob->count; k++)
            sg_text_addf(&values, "%s%" PRId64, k ? " " : "", knob->value[k]);
        send(emitter, SG_MESSAGE_KNOB, (const char *[]){family, v->name, knob->name, sg_text_string(&values), or_empty(knob->summary)}, 5);
        sg_text_release(&values);
    }
}

void sg_emit_module(struct sg_emitter *emitter, const struct sg_module *module)
{
    const struct sg_family *family = module->family;
    send(emitter, SG_MESSAGE_FAMILY,
         (const char *[]){module->name, family->device == SG_HOST ? "host" : "cuda", family->dims, or_empty(family->summary),
                          or_empty(module->commit)},
         5);
    for (size_t i = 0; i < family->case_count; i++) {
        const struct sg_case *c = &family->cases[i];
        struct sg_text shape = {0};
        sg_case_shape(family, c, &shape);
        send(emitter, SG_MESSAGE_CASE,
             (const char *[]){module->name, c->name, sg_dtype_word(c->dtype), sg_text_string(&shape), or_empty(c->summary)}, 5);
        sg_text_release(&shape);
    }
    for (size_t i = 0; i < module->variant_count; i++)
        emit_variant(emitter, module->name, &module->variants[i]);
}

static void send_target(struct sg_emitter *emitter, enum sg_message_kind kind, const struct sg_target *target)
{
    send(emitter, kind, (const char *[]){target->module->name, target->c->name, target->name}, 3);
}

void sg_emit_begin(struct sg_emitter *emitter, const struct sg_target *target)
{
    send_target(emitter, SG_MESSAGE_BEGIN, target);
}

void sg_emit_at(struct sg_emitter *emitter, const struct sg_target *target)
{
    send_target(emitter, SG_MESSAGE_AT, target);
}

void sg_emit_side(struct sg_emitter *emitter, bool candidate)
{
    send(emitter, SG_MESSAGE_SIDE, (const char *[]){candidate ? SG_SIDE_CANDIDATE : SG_SIDE_BASELINE}, 1);
}

void sg_emit_status(struct sg_emitter *emitter, const struct sg_target *target, enum sg_status status, const char *message)
{
    send(emitter, SG_MESSAGE_STATUS, (const char *[]){target->module->name, target->c->name, target->name, sg_status_word(status), message},
         5);
}

void sg_emit_baseline(struct sg_emitter *emitter, const struct sg_target *target, enum sg_status status, const char *message)
{
    send(emitter, SG_MESSAGE_BASELINE,
         (const char *[]){target->module->name, target->c->name, target->name, sg_status_word(status), message}, 5);
}

/* A double as the files have it, or nothing where there is none. */
static const char *number(char text[NUMBER_MAX], bool there, double value)
{
    snprintf(text, NUMBER_MAX, "%.17g", value);
    return there ? text : "";
}

void sg_emit_value(struct sg_emitter *emitter, const struct sg_target *target, const struct sg_value *value)
{
    char middle[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX], n[NUMBER_MAX];
    send(emitter, SG_MESSAGE_VALUE,
         (const char *[]){target->module->name, target->c->name, target->name, value->metric, or_empty(value->unit),
                          number(middle, value->has & SG_HAS_VALUE, value->value), number(low, value->has & SG_HAS_LOW, value->low),
                          number(high, value->has & SG_HAS_HIGH, value->high), number(n, value->has & SG_HAS_N, value->n),
                          sg_status_word(value->status), or_empty(value->message)},
         11);
}

void sg_emit_number(struct sg_emitter *emitter, const struct sg_target *target, const char *metric, const char *unit, double value)
{
    sg_emit_value(emitter, target, &(struct sg_value){.metric = metric, .unit = unit, .value = value, .has = SG_HAS_VALUE});
}

void sg_emit_sample(struct sg_emitter *emitter, const struct sg_target *target, const char *ran, const struct sg_sample *sample)
{
    char process[NUMBER_MAX], block[NUMBER_MAX], position[NUMBER_MAX], ns[NUMBER_MAX], clock[NUMBER_MAX], spikes[NUMBER_MAX];
    send(emitter, SG_MESSAGE_SAMPLE,
         (const char *[]){target->module->name, target->c->name, target->name, number(process, true, sample->process),
                          number(block, true, sample->block), number(position, true, sample->position), ran, number(ns, true, sample->ns),
                          number(clock, true, sample->sm_clock), number(spikes, true, sample->spikes)},
         10);
}

void sg_emit_events(struct sg_emitter *emitter, const char *moment, bool known, uint64_t events)
{
    struct sg_text words = {0};
    if (known)
        sg_throttle_reasons_words(events, &words);
    send(emitter, SG_MESSAGE_EVENTS, (const char *[]){moment, sg_text_string(&words)}, 2);
    sg_text_release(&words);
}

void sg_emit_figure(struct sg_emitter *emitter, const char *moment, const char *figure, double value)
{
    char text[NUMBER_MAX];
    send(emitter, SG_MESSAGE_FIGURE, (const char *[]){moment, figure, number(text, true, value)}, 3);
}

void sg_emit_note(struct sg_emitter *emitter, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    send(emitter, SG_MESSAGE_NOTE, (const char *[]){text}, 1);
}

void sg_emit_fail(struct sg_emitter *emitter, const struct sg_err *err)
{
    char code[NUMBER_MAX];
    struct sg_text text = {0};
    snprintf(code, sizeof(code), "%d", (int)err->code);
    sg_text_addf(&text, "%s%s%s", err->where, err->where[0] ? ": " : "", err->message);
    send(emitter, SG_MESSAGE_FAIL, (const char *[]){code, text.data}, 2);
    sg_text_release(&text);
}

void sg_emit_bye(struct sg_emitter *emitter)
{
    send(emitter, SG_MESSAGE_BYE, NULL, 0);
}
