/*
 * results/aa_log.h - A/A pairs (the same code on both sides) and their verdicts: the published rate
 * of false verdicts (docs/method.md 4).
 *
 * There is one file format (docs/formats.md). `solgate ab` writes the pairs of a run to RUN/aa.csv.
 * A kept tally, such as baselines/<gpu>/aa.csv, concatenates such files. Invariant: a pair of a run
 * counts once.
 */
#pragma once

#include "stats/abba.h"
#include "stats/verdict.h"
#include "util/intern.h"
#include "util/text.h"

#define SG_AA_LOG_FILE "aa.csv"
#define SG_AA_LOG_HEADER                                                                     \
    "date,seed,gpu,gpu_name,driver,family,case,variant,tolerance,processes,change,low,high," \
    "verdict"

/* Facts of a run, in the order of the header's first columns. NULL: unknown. */
struct sg_aa_log_run {
    const char *date, *seed, *gpu, *gpu_name, *driver;
};
struct sg_aa_log_pair {
    const char *family, *case_, *variant;
    double tolerance;            /* ratio */
    struct sg_estimate estimate; /* ln */
    enum sg_verdict verdict;     /* within, improved, regressed or inconclusive */
};
/* Appends one line, including its line end. */
void sg_aa_log_format(struct sg_text *out, const struct sg_aa_log_run *run,
                      const struct sg_aa_log_pair *pair);

/* Counts of all pairs on one kind of GPU. */
struct sg_aa_log_sum {
    char *gpu, *gpu_name; /* owned */
    size_t pairs, within, regressed, improved, inconclusive;
};
struct sg_aa_log {
    struct sg_aa_log_sum *sums; /* owned; sorted by gpu and name */
    size_t count, capacity;
    struct sg_intern_pool *pairs; /* owned; keys of the pairs read so far */
};

/* Adds the pairs of a file to the tally. SG_BAD_INPUT with path and line, also for a pair that the
 * tally already has. */
enum sg_code sg_aa_log_read(const char *path, struct sg_aa_log *tally, struct sg_err *err);
void sg_aa_log_release(struct sg_aa_log *tally);
