/* samples.csv (results/table.h). */
#include <stdlib.h>
#include <string.h>

#include "results/message.h"
#include "results/samples.h"
#include "results/table.h"
#include "stats/abba.h"
#include "stats/run_limits.h"
#include "util/csv_reader.h"

void sg_samples_release(struct sg_samples *samples)
{
    sg_intern_pool_free(samples->pool);
    free(samples->items);
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

enum { FAMILY, CASE, PAIR, PROCESS, BLOCK, POSITION, VARIANT, NS, SM_CLOCK, SPIKES };

/* Returns the id of a name; usually it equals that of the previous sample. */
static enum sg_code take_name(struct sg_samples *samples, const struct sg_message *message,
                              size_t field, sg_id *id, struct sg_err *err)
{
    const char *name = message->field[field];
    if (*id != 0 && strcmp(sg_samples_string(samples, *id), name) == 0)
        return SG_SUCCESS;
    if (sg_message_check_name(message, field, err) == SG_SUCCESS)
        *id = sg_samples_intern(samples, name);
    return err->code;
}

static enum sg_code take_figures(const struct sg_message *message, struct sg_sample *sample,
                                 struct sg_err *err)
{
    uint64_t process = 0, block = 0, position = 0, spikes = 0;
    if (sg_message_count(message, PROCESS, SG_PROCESSES_MAX - 1, &process, err) != SG_SUCCESS ||
        sg_message_count(message, BLOCK, SG_BLOCKS_MAX - 1, &block, err) != SG_SUCCESS ||
        sg_message_count(message, POSITION, SG_BLOCK_BATCHES - 1, &position, err) != SG_SUCCESS ||
        sg_message_count(message, SPIKES, UINT8_MAX, &spikes, err) != SG_SUCCESS)
        return err->code;
    sample->ns = sg_message_number(message, NS);
    sample->sm_clock = sg_message_number(message, SM_CLOCK);
    if (!(sample->ns >= SG_NS_MIN && sample->ns <= SG_NS_MAX))
        return sg_message_fail(message, NS, "a time above 0 and below eleven days", err);
    if (!(sample->sm_clock >= 0 && sample->sm_clock <= SG_HZ_MAX))
        return sg_message_fail(message, SM_CLOCK, "a clock below 1 THz, or 0 if it is not known",
                               err);
    sample->process = (uint16_t)process;
    sample->block = (uint16_t)block;
    sample->position = (uint8_t)position;
    sample->spikes = (uint8_t)spikes;
    return SG_SUCCESS;
}

enum sg_code sg_take_sample(const struct sg_message *message, struct sg_samples *samples,
                            struct sg_err *err)
{
    struct sg_sample sample = {0};
    if (samples->count > 0)
        sample = samples->items[samples->count - 1];
    if (take_name(samples, message, FAMILY, &sample.family, err) == SG_SUCCESS &&
        take_name(samples, message, CASE, &sample.case_, err) == SG_SUCCESS &&
        take_name(samples, message, PAIR, &sample.pair, err) == SG_SUCCESS &&
        take_name(samples, message, VARIANT, &sample.variant, err) == SG_SUCCESS &&
        take_figures(message, &sample, err) == SG_SUCCESS)
        sg_samples_add(samples, &sample);
    return err->code;
}

struct sg_message sg_sample_message(const char *const name[4], const struct sg_sample *sample)
{
    struct sg_message message = {
        .kind = SG_MESSAGE_SAMPLE,
        .field = {[FAMILY] = name[0], [CASE] = name[1], [PAIR] = name[2], [VARIANT] = name[3]}};
    sg_message_set(&message, PROCESS, sample->process);
    sg_message_set(&message, BLOCK, sample->block);
    sg_message_set(&message, POSITION, sample->position);
    sg_message_set(&message, NS, sample->ns);
    sg_message_set(&message, SM_CLOCK, sample->sm_clock);
    sg_message_set(&message, SPIKES, sample->spikes);
    return message;
}

struct sg_message sg_sample_as_message(const struct sg_samples *samples,
                                       const struct sg_sample *sample)
{
    return sg_sample_message((const char *const[]){sg_samples_string(samples, sample->family),
                                                   sg_samples_string(samples, sample->case_),
                                                   sg_samples_string(samples, sample->pair),
                                                   sg_samples_string(samples, sample->variant)},
                             sample);
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_message message;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_SAMPLES_HEADER, err);
    if (sg_message_of_fields(SG_MESSAGE_SAMPLE, row->field, &message, err) == SG_SUCCESS)
        sg_take_sample(&message, context, err);
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

static double as_written(double value)
{
    SG_SCOPED(sg_text) text = {0};
    sg_text_add_number(&text, value, SG_SAMPLE_DIGITS);
    sg_parse_double(text.data, true, &value);
    return value;
}

void sg_sample_round(struct sg_sample *sample)
{
    sample->ns = as_written(sample->ns);
    sample->sm_clock = as_written(sample->sm_clock);
}

void sg_sample_format(struct sg_text *out, const struct sg_samples *samples,
                      const struct sg_sample *sample)
{
    const struct sg_message message = sg_sample_as_message(samples, sample);
    sg_message_add_fields(out, &message, 0, SG_SAMPLES_FIELDS);
    sg_text_add(out, "\n");
}
