/* samples.csv (results/table.h). */
#include <stdlib.h>
#include <string.h>

#include "results/message.h"
#include "results/samples.h"
#include "util/csv_reader.h"

void sg_samples_release(struct sg_samples *samples)
{
    sg_intern_pool_free(samples->pool);
    free(samples->items);
    sg_text_release(&samples->lines);
    *samples = (struct sg_samples){0};
}

sg_id sg_samples_intern(struct sg_samples *samples, const char *string)
{
    return sg_intern(&samples->pool, string);
}

const char *sg_samples_string(const struct sg_samples *samples, sg_id id)
{
    return sg_intern_pool_string(samples->pool, id);
}

void sg_samples_add(struct sg_samples *samples, const struct sg_sample *sample)
{
    *SG_APPEND(samples->items, samples->count, samples->capacity) = *sample;
}

/* Returns the id of a name, which usually equals the previous sample's. */
static sg_id id_of(struct sg_samples *samples, sg_id previous, const char *name)
{
    return previous != 0 && strcmp(sg_samples_string(samples, previous), name) == 0
               ? previous
               : sg_samples_intern(samples, name);
}

static void add_named(struct sg_samples *samples, struct sg_sample sample,
                      const char *const name[3], const char *variant)
{
    const struct sg_sample none = {0},
                           *last = samples->count > 0 ? &samples->items[samples->count - 1] : &none;
    sample.family = id_of(samples, last->family, name[0]);
    sample.case_ = id_of(samples, last->case_, name[1]);
    sample.pair = id_of(samples, last->pair, name[2]);
    sample.variant = id_of(samples, last->variant, variant);
    sg_samples_add(samples, &sample);
}

void sg_take_sample(const struct sg_message *message, struct sg_samples *samples)
{
    add_named(samples, message->sample, message->name, message->ran);
    sg_text_add_bytes(&samples->lines, message->line, message->length);
    sg_text_add_bytes(&samples->lines, "\n", 1);
}

void sg_samples_add_copy(struct sg_samples *samples, const struct sg_samples *from,
                         const struct sg_sample *sample)
{
    const struct sg_message message = sg_sample_message(from, sample);
    add_named(samples, *sample, message.name, message.ran);
}

struct sg_message sg_sample_message(const struct sg_samples *samples,
                                    const struct sg_sample *sample)
{
    return (struct sg_message){.kind = SG_MESSAGE_SAMPLE,
                               .name = {sg_samples_string(samples, sample->family),
                                        sg_samples_string(samples, sample->case_),
                                        sg_samples_string(samples, sample->pair)},
                               .ran = sg_samples_string(samples, sample->variant),
                               .sample = *sample};
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    const struct sg_record record = sg_sample_record(row->count > sg_sample_record(false).count);
    struct sg_message message = {.kind = SG_MESSAGE_SAMPLE};
    if (row->line == 1)
        return sg_record_check_header(&record, row, err);
    if (sg_record_read(&record, row->field, &message, NULL, err) == SG_SUCCESS)
        add_named(context, message.sample, message.name, message.ran);
    return sg_fail_here(err, row->path, row->line);
}

bool sg_samples_same_process(const struct sg_sample *a, const struct sg_sample *b)
{
    return a->family == b->family && a->case_ == b->case_ && a->pair == b->pair &&
           a->process == b->process;
}

enum sg_code sg_samples_read(const char *path, struct sg_samples *samples, struct sg_err *err)
{
    return sg_csv_read(path, on_row, samples, err);
}

void sg_sample_round(struct sg_sample *sample)
{
    sample->ns = sg_round_digits(sample->ns, SG_DIGITS);
    sample->sm_clock = sg_round_digits(sample->sm_clock, SG_DIGITS);
    sample->energy = sg_round_digits(sample->energy, SG_DIGITS);
}

void sg_samples_format(struct sg_text *out, const struct sg_samples *samples)
{
    bool has_energy = false;
    for (size_t i = 0; i < samples->count; i++)
        has_energy |= samples->items[i].energy > 0;
    const struct sg_record record = sg_sample_record(has_energy);
    sg_record_add_header(out, &record);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < samples->count; i++) {
        const struct sg_message message = sg_sample_message(samples, &samples->items[i]);
        sg_record_add(out, &record, &message, NULL);
        sg_text_add_bytes(out, "\n", 1);
    }
}
