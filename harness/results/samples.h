/*
 * results/samples.h - samples of a run, samples.csv: one row per batch of the time pass.
 *
 * `pair` is the candidate whose block the batch belongs to; `variant` is the variant that ran (the
 * candidate or its baseline).
 */
#pragma once

#include "util/err.h"
#include "util/intern.h"
#include "util/text.h"

struct sg_message;

struct sg_sample {
    sg_id family, case_, pair, variant; /* in the pool of the table */
    uint16_t process, block;            /* from 0 */
    uint8_t position;                   /* 0..3 in the block */
    uint8_t spikes;                     /* launches above 5x the median of their batch */
    double ns;                          /* arithmetic mean of the timed launches */
    double sm_clock;                    /* Hz, over the batch; 0: unknown */
    /* in block 0, J: of a launch in the segment of this side and position; 0: not measured */
    double energy;
};

struct sg_samples {
    struct sg_intern_pool *pool;
    struct sg_sample *items;
    size_t count, capacity;
    struct sg_text lines; /* the messages of a group, for the log */
};

void sg_samples_release(struct sg_samples *samples);
sg_id sg_samples_intern(struct sg_samples *samples, const char *string);
const char *sg_samples_string(const struct sg_samples *samples, sg_id id);
void sg_samples_add(struct sg_samples *samples, const struct sg_sample *sample);
/* True if both batches, of one list, belong to the same process of the same pair. */
bool sg_samples_same_process(const struct sg_sample *a, const struct sg_sample *b);
/* Reads the samples in the order of the file. SG_BAD_INPUT with path and line. */
enum sg_code sg_samples_read(const char *path, struct sg_samples *samples, struct sg_err *err);
/* Adds the sample of a message, and its line. */
void sg_take_sample(const struct sg_message *message, struct sg_samples *samples);
/* Adds the same sample without its line. */
void sg_samples_add_copy(struct sg_samples *samples, const struct sg_samples *from,
                         const struct sg_sample *sample);
/* The sample as a message; its texts belong to `samples`. */
struct sg_message sg_sample_message(const struct sg_samples *samples,
                                    const struct sg_sample *sample);
/* Rounds the numbers to the digits of a file, so that decisions before writing and after reading
 * agree. */
void sg_sample_round(struct sg_sample *sample);
/* Formats the whole file. */
void sg_samples_format(struct sg_text *out, const struct sg_samples *samples);
