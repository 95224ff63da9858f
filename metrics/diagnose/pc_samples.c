#include "diagnose/pc_samples.h"

#include <string.h>
#include <unistd.h>

#include "util/csv_reader.h"

const char *sg_pc_samples_text(const struct sg_pc_samples *samples,
                               const struct sg_pc_sample *sample, enum sg_pc_text field)
{
    return sg_intern_pool_string(samples->pool, sample->text[field]);
}

bool sg_pc_sample_is_of(const struct sg_pc_samples *samples, const struct sg_pc_sample *sample,
                        const char *const name[3])
{
    bool is = true;
    for (int i = SG_PC_FAMILY; is && i <= SG_PC_VARIANT; i++)
        is = strcmp(sg_pc_samples_text(samples, sample, (enum sg_pc_text)i), name[i]) == 0;
    return is;
}

void sg_take_pc(const struct sg_message *message, struct sg_pc_samples *samples)
{
    struct sg_pc_sample sample = {.pc = message->pc, .samples = message->pc_samples};
    const char *const text[SG_PC_TEXTS] = {
        message->name[0], message->name[1],     message->name[2],    message->kernel,
        message->code,    message->instruction, message->charged_to, message->reason};
    for (size_t i = 0; i < SG_PC_TEXTS; i++)
        sample.text[i] = sg_intern(&samples->pool, text[i] ? text[i] : "");
    *SG_APPEND(samples->items, samples->count, samples->capacity) = sample;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    const struct sg_record *record = sg_message_record(SG_MESSAGE_PC);
    struct sg_message message = {.kind = SG_MESSAGE_PC};
    if (row->line == 1)
        return sg_record_check_header(record, row, err);
    if (sg_record_read(record, row->field, &message, NULL, err) == SG_SUCCESS)
        sg_take_pc(&message, context);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_pc_samples_read(const char *path, struct sg_pc_samples *samples, struct sg_err *err)
{
    return access(path, F_OK) == 0 ? sg_csv_read(path, on_row, samples, err) : SG_SUCCESS;
}

enum sg_code sg_pc_samples_write(const char *path, const struct sg_pc_samples *samples,
                                 struct sg_err *err)
{
    const struct sg_record *record = sg_message_record(SG_MESSAGE_PC);
    SG_SCOPED(sg_text) out = {0};
    sg_record_add_header(&out, record);
    sg_text_add(&out, "\n");
    for (size_t k = 0; k < samples->count; k++) {
        const struct sg_pc_sample *sample = &samples->items[k];
        const char *text[SG_PC_TEXTS];
        for (int i = 0; i < SG_PC_TEXTS; i++)
            text[i] = sg_pc_samples_text(samples, sample, (enum sg_pc_text)i);
        const struct sg_message message = {.name = {text[0], text[1], text[2]},
                                           .kernel = text[SG_PC_KERNEL],
                                           .code = text[SG_PC_CODE],
                                           .pc = sample->pc,
                                           .instruction = text[SG_PC_INSTRUCTION],
                                           .charged_to = text[SG_PC_CHARGED_TO],
                                           .reason = text[SG_PC_REASON],
                                           .pc_samples = (unsigned)sample->samples};
        sg_record_add(&out, record, &message, NULL);
        sg_text_add(&out, "\n");
    }
    return sg_write_file(path, out.data, out.length, err);
}

/* ---- join with the machine code ---- */

static sg_id charge(struct sg_pc_samples *samples, const struct sg_sass *sass, size_t at,
                    const char *reason)
{
    size_t producers[SG_SASS_PRODUCERS_MAX];
    const size_t count = sg_sass_producers(sass, at, reason, producers);
    SG_SCOPED(sg_text) text = {0};
    for (size_t i = 0; i < count; i++) {
        sg_text_add(&text, i > 0 ? "; " : "");
        sg_sass_add(&text, sass, producers[i]);
    }
    return sg_intern(&samples->pool, sg_text_string(&text));
}

void sg_pc_samples_join(struct sg_pc_samples *samples, size_t from, const struct sg_sass *sass,
                        const char *kernel, const char *code)
{
    for (size_t k = from; k < samples->count; k++) {
        struct sg_pc_sample *sample = &samples->items[k];
        const size_t at = sg_sass_find(sass, sample->pc);
        SG_SCOPED(sg_text) text = {0};
        if (strcmp(sg_pc_samples_text(samples, sample, SG_PC_KERNEL), kernel) != 0 ||
            strcmp(sg_pc_samples_text(samples, sample, SG_PC_CODE), code) != 0)
            continue;
        if (at == SG_SASS_NONE)
            sg_text_addf(&text, "0x%x", sample->pc);
        else
            sg_sass_add(&text, sass, at);
        sample->text[SG_PC_INSTRUCTION] = sg_intern(&samples->pool, text.data);
        if (at != SG_SASS_NONE)
            sample->text[SG_PC_CHARGED_TO] =
                charge(samples, sass, at, sg_pc_samples_text(samples, sample, SG_PC_REASON));
    }
}
