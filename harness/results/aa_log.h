/*
 * results/aa_log.h - pairs of the same code on both sides, and what was said of them: the published
 * rate of false verdicts (docs/method.md 4).
 *
 * One file format (docs/formats.md): a run of `solgate ab` leaves its pairs in RUN/aa.csv, and a
 * tally that is kept, such as baselines/<gpu>/aa.csv, is such files put together. Invariant: a pair
 * of one run counts once.
 */
#pragma once

#include "stats/abba.h"
#include "stats/verdict.h"
#include "util/intern.h"
#include "util/text.h"

#define SG_AA_LOG_FILE   "aa.csv"
#define SG_AA_LOG_HEADER "date,seed,gpu,gpu_name,driver,family,case,variant,tolerance,processes,change,low,high,verdict"

/* Of a run, in the order of the header's first columns. NULL: not known. */
struct sg_aa_log_run {
    const char *date, *seed, *gpu, *gpu_name, *driver;
};
struct sg_aa_log_pair {
    const char *family, *case_, *variant;
    double tolerance;            /* ratio */
    struct sg_estimate estimate; /* ln */
    enum sg_verdict verdict;     /* within, improved, regressed or inconclusive */
};
/* Appends one line with its end. */
void sg_aa_log_format(struct sg_text *out, const struct sg_aa_log_run *run, const struct sg_aa_log_pair *pair);

/* All pairs on one kind of GPU. */
struct sg_aa_log_sum {
    char *gpu, *gpu_name; /* owned */
    size_t pairs, within, regressed, improved, inconclusive;
};
struct sg_aa_log {
    struct sg_aa_log_sum *sums; /* owned; sorted by gpu and name */
    size_t count, capacity;
    struct sg_intern_pool *pairs; /* owned; what identifies each */
};

/* Adds the pairs of a file. SG_BAD_INPUT with path and line: also for a pair that was read
 * before. */
enum sg_code sg_aa_log_read(const char *path, struct sg_aa_log *tally, struct sg_err *err);
void sg_aa_log_release(struct sg_aa_log *tally);
