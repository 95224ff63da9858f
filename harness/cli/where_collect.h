/*
 * cli/where_collect.h - PC samples of items of a run: a worker takes the samples, nvdisasm prints
 * the code, and both go into pc_samples.csv of the run.
 */
#pragma once

#include "results/run_reader.h"
#include "util/names.h"
#include "diagnose/pc_samples.h"

/* The command line of a worker for one family, as in the run: its modules, seed and L2 state.
 * `pass` is "launch" or "where". */
enum sg_code sg_worker_words(const struct sg_run *run, const char *family, const char *pass,
                             struct sg_names *words, struct sg_err *err);

/*
 * Reads the samples of the run, and on a GPU samples those of these variants that lack samples
 * (family, case, variant; NULL: none). Warnings go to stderr. SG_NOT_COMPARABLE: the module is
 * another build than the run's. SG_NO_GPU. SG_INVALID: a variant failed.
 */
enum sg_code sg_where_collect(const struct sg_run *run, const char *const *const name[2],
                              struct sg_pc_samples *samples, struct sg_err *err);
