/* samples.csv (results/table.h). */
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "results/table.h"
#include "stats/abba.h"
#include "stats/run_limits.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

void sg_samples_init(struct sg_samples *samples)
{
    *samples = (struct sg_samples){0};
}

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

/* The id of a name, which is most often that of the sample before. */
static enum sg_code take_name(struct sg_samples *samples, const char *column, const char *field, sg_id *id, struct sg_err *err)
{
    if (*id != 0 && strcmp(sg_samples_string(samples, *id), field) == 0)
        return SG_SUCCESS;
    if (sg_field_name(column, field, err) == SG_SUCCESS)
        *id = sg_samples_intern(samples, field);
    return err->code;
}

static enum sg_code parse_figures(const char *const field[SG_SAMPLES_FIELDS], struct sg_sample *sample, struct sg_err *err)
{
    uint64_t process = 0, block = 0, position = 0, spikes = 0;
    if (sg_field_count("process", field[PROCESS], SG_PROCESSES_MAX - 1, &process, err) != SG_SUCCESS ||
        sg_field_count("block", field[BLOCK], SG_BLOCKS_MAX - 1, &block, err) != SG_SUCCESS ||
        sg_field_count("position", field[POSITION], SG_BLOCK_BATCHES - 1, &position, err) != SG_SUCCESS ||
        sg_field_number("ns", field[NS], false, &sample->ns, err) != SG_SUCCESS ||
        sg_field_number("sm_clock", field[SM_CLOCK], false, &sample->sm_clock, err) != SG_SUCCESS ||
        sg_field_count("spikes", field[SPIKES], UINT8_MAX, &spikes, err) != SG_SUCCESS)
        return err->code;
    if (!(sample->ns >= SG_NS_MIN && sample->ns <= SG_NS_MAX))
        return sg_field_fail("ns", "a time above 0 and below eleven days", field[NS], err);
    if (!(sample->sm_clock >= 0 && sample->sm_clock <= SG_HZ_MAX))
        return sg_field_fail("sm_clock", "a clock below 1 THz, or 0 if it is not known", field[SM_CLOCK], err);
    sample->process = (uint16_t)process;
    sample->block = (uint16_t)block;
    sample->position = (uint8_t)position;
    sample->spikes = (uint8_t)spikes;
    return SG_SUCCESS;
}

enum sg_code sg_samples_add_fields(struct sg_samples *samples, const char *const field[SG_SAMPLES_FIELDS], struct sg_err *err)
{
    struct sg_sample sample = {0};
    if (samples->count > 0)
        sample = samples->items[samples->count - 1];
    if (take_name(samples, "family", field[FAMILY], &sample.family, err) == SG_SUCCESS &&
        take_name(samples, "case", field[CASE], &sample.case_, err) == SG_SUCCESS &&
        take_name(samples, "pair", field[PAIR], &sample.pair, err) == SG_SUCCESS &&
        take_name(samples, "variant", field[VARIANT], &sample.variant, err) == SG_SUCCESS &&
        parse_figures(field, &sample, err) == SG_SUCCESS)
        sg_samples_add(samples, &sample);
    return err->code;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    if (row->line == 1)
        return sg_csv_check_header(row, SG_SAMPLES_HEADER, err);
    sg_samples_add_fields(context, row->field, err);
    return sg_fail_here(err, row->path, row->line);
}

int sg_sample_compare(const struct sg_sample *a, const struct sg_sample *b)
{
    const uint32_t left[] = {a->family, a->case_, a->pair, a->process, a->block, a->position};
    const uint32_t right[] = {b->family, b->case_, b->pair, b->process, b->block, b->position};
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* By batch, then by place in the file, so that of two the later one is the one too many. */
static int by_batch(const void *left, const void *right)
{
    const struct sg_sample *const *a = left, *const *b = right;
    const int order = sg_sample_compare(*a, *b);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* A name and a number of a batch never hold a line end, so the place in the file is the line. */
static long line_of(const struct sg_samples *samples, const struct sg_sample *sample)
{
    return (long)(sample - samples->items) + 2;
}

/* Batches of a pair are of the candidate it is called by, and of one other variant. */
static enum sg_code check_sides(const char *path, const struct sg_samples *samples, const struct sg_sample *const *sorted,
                                struct sg_err *err)
{
    sg_id other = 0;
    for (size_t i = 0; i < samples->count && err->code == SG_SUCCESS; i++) {
        const struct sg_sample *batch = sorted[i], *before = i > 0 ? sorted[i - 1] : NULL;
        if (!before || before->family != batch->family || before->case_ != batch->case_ || before->pair != batch->pair)
            other = 0;
        if (batch->variant == batch->pair || batch->variant == other)
            continue;
        if (other != 0)
            sg_fail_at(err, SG_BAD_INPUT, path, line_of(samples, batch), "variant: expected %s or %s in the pair of %s, found %s",
                       sg_samples_string(samples, batch->pair), sg_samples_string(samples, other), sg_samples_string(samples, batch->pair),
                       sg_samples_string(samples, batch->variant));
        other = batch->variant;
    }
    return err->code;
}

static enum sg_code check_once(const char *path, const struct sg_samples *samples, struct sg_err *err)
{
    const struct sg_sample **sorted = sg_alloc(samples->count, sizeof(*sorted));
    for (size_t i = 0; i < samples->count; i++)
        sorted[i] = &samples->items[i];
    qsort(sorted, samples->count, sizeof(*sorted), by_batch);
    for (size_t i = 1; i < samples->count && err->code == SG_SUCCESS; i++)
        if (sg_sample_compare(sorted[i - 1], sorted[i]) == 0)
            sg_fail_at(err, SG_BAD_INPUT, path, line_of(samples, sorted[i]), "expected each batch once, found that of line %ld again",
                       line_of(samples, sorted[i - 1]));
    check_sides(path, samples, sorted, err);
    free(sorted);
    return err->code;
}

enum sg_code sg_samples_read(const char *path, struct sg_samples *samples, struct sg_err *err)
{
    return sg_csv_read(path, on_row, samples, err) == SG_SUCCESS ? check_once(path, samples, err) : err->code;
}

enum sg_code sg_samples_read_journal(const char *path, struct sg_samples *samples, uint64_t *whole_bytes, struct sg_err *err)
{
    return sg_csv_read_journal(path, on_row, samples, whole_bytes, err) == SG_SUCCESS ? check_once(path, samples, err) : err->code;
}

static double as_written(double value)
{
    struct sg_text text = {0};
    sg_text_add_number(&text, value, SG_SAMPLE_DIGITS);
    sg_parse_double(text.data, true, &value);
    sg_text_release(&text);
    return value;
}

void sg_sample_round(struct sg_sample *sample)
{
    sample->ns = as_written(sample->ns);
    sample->sm_clock = as_written(sample->sm_clock);
}

void sg_sample_format(struct sg_text *out, const struct sg_samples *samples, const struct sg_sample *sample)
{
    sg_text_addf(out, "%s,%s,%s,%u,%u,%u,%s,", sg_samples_string(samples, sample->family), sg_samples_string(samples, sample->case_),
                 sg_samples_string(samples, sample->pair), sample->process, sample->block, sample->position,
                 sg_samples_string(samples, sample->variant));
    sg_text_add_number(out, sample->ns, SG_SAMPLE_DIGITS);
    sg_text_add(out, ",");
    sg_text_add_number(out, sample->sm_clock, SG_SAMPLE_DIGITS);
    sg_text_addf(out, ",%u\n", sample->spikes);
}
