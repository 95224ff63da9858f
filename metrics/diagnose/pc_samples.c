#include "diagnose/pc_samples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/csv_reader.h"

static bool is_text(size_t field)
{
    return field != SG_PC_PC && field != SG_PC_SAMPLES;
}

void sg_pc_samples_release(struct sg_pc_samples *samples)
{
    sg_intern_pool_free(samples->pool);
    free(samples->items);
    *samples = (struct sg_pc_samples){0};
}

const char *sg_pc_samples_text(const struct sg_pc_samples *samples,
                               const struct sg_pc_sample *sample, enum sg_pc_field field)
{
    return sg_intern_pool_string(samples->pool, sample->text[field]);
}

bool sg_pc_sample_is_of(const struct sg_pc_samples *samples, const struct sg_pc_sample *sample,
                        const char *const name[3])
{
    bool is = true;
    for (int i = SG_PC_FAMILY; is && i <= SG_PC_VARIANT; i++)
        is = strcmp(sg_pc_samples_text(samples, sample, (enum sg_pc_field)i), name[i]) == 0;
    return is;
}

enum sg_code sg_take_pc(const struct sg_message *message, struct sg_pc_samples *samples,
                        struct sg_err *err)
{
    uint64_t pc = 0, count = 0;
    struct sg_pc_sample sample = {.pc = 0};
    for (int i = SG_PC_FAMILY; i <= SG_PC_VARIANT; i++)
        if (sg_message_check_name(message, (size_t)i, err) != SG_SUCCESS)
            return err->code;
    if (sg_message_count(message, SG_PC_PC, UINT32_MAX, &pc, err) != SG_SUCCESS ||
        sg_message_count(message, SG_PC_SAMPLES, UINT32_MAX, &count, err) != SG_SUCCESS)
        return err->code;
    if (!*message->field[SG_PC_KERNEL])
        return sg_message_fail(message, SG_PC_KERNEL, "the name of a kernel", err);
    for (size_t i = 0; i < SG_PC_FIELDS; i++)
        if (is_text(i))
            sample.text[i] = sg_intern(&samples->pool, message->field[i]);
    sample.pc = (uint32_t)pc;
    sample.samples = (double)count;
    *SG_APPEND(samples->items, samples->count, samples->capacity) = sample;
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_message message;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_PC_SAMPLES_HEADER, err);
    if (sg_message_of_fields(SG_MESSAGE_PC, row->field, &message, err) == SG_SUCCESS)
        sg_take_pc(&message, context, err);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_pc_samples_read(const char *path, struct sg_pc_samples *samples, struct sg_err *err)
{
    return access(path, F_OK) == 0 ? sg_csv_read(path, on_row, samples, err) : SG_SUCCESS;
}

enum sg_code sg_pc_samples_write(const char *path, const struct sg_pc_samples *samples,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_text) out = {0};
    sg_text_add(&out, SG_PC_SAMPLES_HEADER "\n");
    for (size_t k = 0; k < samples->count; k++) {
        const struct sg_pc_sample *sample = &samples->items[k];
        struct sg_message message = {.kind = SG_MESSAGE_PC};
        for (size_t i = 0; i < SG_PC_FIELDS; i++)
            message.field[i] =
                is_text(i) ? sg_pc_samples_text(samples, sample, (enum sg_pc_field)i) : NULL;
        sg_message_set(&message, SG_PC_PC, sample->pc);
        sg_message_set(&message, SG_PC_SAMPLES, sample->samples);
        sg_message_add_fields(&out, &message, 0, SG_PC_FIELDS);
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
    const sg_id id = sg_intern(&samples->pool, sg_text_string(&text));
    return id;
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
