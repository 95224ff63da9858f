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

#define SG_SAMPLES_HEADER "family,case,pair,process,block,position,variant,ns,sm_clock,spikes"
#define SG_SAMPLES_FIELDS 10
#define SG_SAMPLE_DIGITS  9 /* significant digits of a number */

struct sg_sample {
    sg_id family, case_, pair, variant; /* in the pool of the table */
    uint16_t process, block;            /* from 0 */
    uint8_t position;                   /* 0..3 in the block */
    uint8_t spikes;                     /* launches above 5x the median of their batch */
    double ns;                          /* arithmetic mean of the timed launches */
    double sm_clock;                    /* Hz, over the batch; 0: unknown */
};

struct sg_samples {
    struct sg_intern_pool *pool;
    struct sg_sample *items;
    size_t count, capacity;
};

void sg_samples_release(struct sg_samples *samples);
sg_id sg_samples_intern(struct sg_samples *samples, const char *string);
const char *sg_samples_string(const struct sg_samples *samples, sg_id id);
void sg_samples_add(struct sg_samples *samples, const struct sg_sample *sample);
/* True if both batches, of one list, belong to the same process of the same pair. */
bool sg_samples_same_process(const struct sg_sample *a, const struct sg_sample *b);
/* Reads the samples in the order of the file. SG_BAD_INPUT with path and line. */
enum sg_code sg_samples_read(const char *path, struct sg_samples *samples, struct sg_err *err);
/* Converts a sample to a message and back. Reading checks all fields: SG_BAD_INPUT names the field,
 * what was expected and what was found; the caller adds file and line. */
struct sg_message
sg_sample_message(const char *const name[4],
                  const struct sg_sample *sample); /* family, case, pair, variant */
struct sg_message sg_sample_as_message(const struct sg_samples *samples,
                                       const struct sg_sample *sample);
enum sg_code sg_take_sample(const struct sg_message *message, struct sg_samples *samples,
                            struct sg_err *err);
/* Rounds the numbers as the file does, so that decisions before writing and after reading agree. */
void sg_sample_round(struct sg_sample *sample);
void sg_sample_format(struct sg_text *out, const struct sg_samples *samples,
                      const struct sg_sample *sample);
