/*
 * The trace pass: starts a program with the injected library, and reports its kernels like the
 * items of another pass.
 *
 * The pass opens no device: the program has the GPU for itself. The requested item is the program;
 * the values and samples are of its kernels and ranges, whose cases begin with the program's name.
 * Each start is one process and has one sample per kernel, the median of its launches. With
 * --keep=FOLDER the traces are moved to that folder, and no kernel is reported. SIGTERM, which the
 * parent sends at the deadline, kills the program and all of its processes.
 */
#include "worker/session.h"

#include <string.h>

#include "exec/results.h"
#include "process/pool.h"
#include "results/row_kind.h"

#define TEXT_MAX (SG_MESSAGE_LINE_MAX / 8) /* an escaped byte takes up to 4 */

struct trace {
    struct sg_emitter *emitter;
    struct sg_names item; /* owned: family, case and variant */
    unsigned process;
    bool keeps;   /* keep the traces instead of reporting rows */
    bool of_file; /* the program writes results, which have no common source of times */
    bool has_begun;
};

static void emit(const struct trace *t, enum sg_message_kind kind, enum sg_status status,
                 const char *text)
{
    char *const *name = t->item.items;
    sg_emit_message(t->emitter, &(struct sg_message){.kind = kind,
                                                     .name = {name[0], name[1], name[2]},
                                                     .status = status,
                                                     .text = text});
}

/* Restarts the parent's deadline at each start, and at the end of the program. */
static void show_progress(void *given, const char *gpu_name)
{
    struct trace *t = given;
    SG_SCOPED(sg_env) facts = {.count = 0};
    sg_env_set(&facts, "gpu_name", gpu_name);
    if (!t->of_file)
        sg_env_set(&facts, "time_source", "cupti_activity");
    if (!t->has_begun)
        emit(t, SG_MESSAGE_BEGIN, SG_OK, NULL);
    t->has_begun = true;
    sg_emit_env(t->emitter, &facts);
}

/* A note has the symbol of its kernel, which may be longer than a line. */
static void emit_row(const struct trace *t, const struct sg_value *value, double sm_clock)
{
    SG_SCOPED(sg_text) text = {0};
    struct sg_message message = {.kind = SG_MESSAGE_VALUE, .value = *value};
    sg_text_add_bytes(&text, value->message, strnlen(value->message, TEXT_MAX));
    message.value.message = text.data;
    if (sg_row_use_of(value->metric).is_of_start)
        message.value.has &= (uint8_t) ~(SG_HAS_LOW | SG_HAS_HIGH); /* starts give the interval */
    if (strcmp(value->metric, "time") == 0 && value->status == SG_OK)
        message = (struct sg_message){
            .kind = SG_MESSAGE_SAMPLE,
            .name = {SG_NAMES(*value)},
            .ran = value->variant,
            .sample = {.process = (uint16_t)t->process, .ns = value->value, .sm_clock = sm_clock}};
    if (strcmp(value->metric, "sm_clock") != 0)
        sg_emit_message(t->emitter, &message);
}

/* Returns whether the start failed; the reason is in `why`. */
static enum sg_status judge(const struct trace *t, const struct sg_exec_found *found,
                            struct sg_text *why)
{
    if (found->status > 128)
        sg_text_addf(why, "killed by %s", sg_signal_name(found->status - 128));
    else if (found->status != 0)
        sg_text_addf(why, "exit status %d", found->status);
    else if (found->complaint.length > 0)
        sg_text_add(why, found->complaint.data);
    else if (found->rows.count == 0 && !t->keeps)
        sg_text_add(why, found->has_launched ? "no kernel matches the requested names"
                                             : "the program launched no kernel");
    return found->status != 0 ? SG_CRASH : why->length > 0 ? SG_UNAVAILABLE : SG_OK;
}

static void report(const struct trace *t, const struct sg_exec_found *found)
{
    SG_SCOPED(sg_text) why = {0};
    const enum sg_status status = judge(t, found, &why);
    if (found->not_counted.length > 0)
        sg_emit_note(t->emitter, "%s: no counters: %s", t->item.items[1], found->not_counted.data);
    if (status != SG_OK)
        emit(t, SG_MESSAGE_STATUS, status, why.data);
    for (size_t i = 0; i < found->rows.count && status == SG_OK; i++) {
        const struct sg_value value = sg_value_of(&found->rows, &found->rows.rows[i]);
        const struct sg_row *clock =
            t->of_file ? sg_table_find(&found->rows, SG_NAMES(value), "sm_clock") : NULL;
        emit_row(t, &value, clock ? clock->value : found->sm_clock);
    }
}

enum sg_code sg_pass_trace(const struct sg_order *order, struct sg_emitter *emitter,
                           struct sg_err *err)
{
    struct trace t = {.emitter = emitter,
                      .process = order->process,
                      .keeps = order->kept,
                      .of_file = order->file};
    struct sg_exec_found found = {.status = 0};
    SG_SCOPED(sg_text) output = {0};
    sg_names_add_split(&t.item, order->asked.items[0].item, '/');
    if (t.item.count == 3) {
        const char *label = t.item.items[1];
        sg_text_addf(&output, "%s/%s.out", order->out, label);
        const struct sg_exec_options options = {.argv = order->program,
                                                .range = order->range,
                                                .kernel = order->kernel,
                                                .label = label,
                                                .file = order->file,
                                                .out = order->out,
                                                .gpu = order->gpu_name,
                                                .processes = 1,
                                                .counts = order->metrics.count > 0,
                                                .metrics = order->metrics,
                                                .output = output.data,
                                                .kept = order->kept,
                                                .on_progress = show_progress,
                                                .given = &t};
        if ((order->file ? sg_exec_results : sg_exec_measure)(&options, &found, err) == SG_SUCCESS)
            report(&t, &found);
    } else {
        sg_fail(err, SG_BAD_USAGE, "--item", "expected FAMILY/CASE/VARIANT, found '%s'",
                sg_show_string(order->asked.items[0].item).text);
    }
    sg_names_release(&t.item);
    return err->code;
}
