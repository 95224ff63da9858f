/*
 * results/run_reader.h - the folder of a run: run.csv, samples.csv, processes.csv and env.csv
 * (docs/formats.md), and reading it back.
 *
 * The env.csv of a finished run has a digest of run.csv and of itself, so a later change of either
 * is found. A run without a digest (written by hand) is not checked. Invariant: RUN means the same
 * in every command: a folder, or the path of a table in a folder. env.csv is in that folder.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

struct sg_run {
    char *folder;
    bool is_readable; /* everything was read, whatever the digest says */
    struct sg_table table;
    struct sg_env env;
};

/* Reads RUN (a folder, or the path of its run.csv). SG_INVALID: the run is unfinished; the message
 * says how to resume it. SG_NOT_COMPARABLE: the digest does not match the files. */
enum sg_code sg_run_read(const char *path, struct sg_run *run, struct sg_err *err);
/* Sets the digest of run.csv and `env` in `env`; the caller writes env.csv last. */
enum sg_code sg_run_seal(const char *folder, struct sg_env *env, struct sg_err *err);
/* Removes the digest, because the files are going to change. */
void sg_run_unseal(struct sg_env *env);
/* The same for env.csv only. */
enum sg_code sg_run_read_env(const char *path, struct sg_env *env, struct sg_err *err);
#define SG_SELECTION_KEY                                                                        \
    "selection" /* of env.csv: the filters that excluded a part of the suite; absent: all of it \
                   ran */
#define SG_SWEEP_KEY "sweep" /* of env.csv: the stage of a sweep; absent: not a sweep */

/* True for a run of `solgate ab`: it has its verdict, and no numbers to accept. */
bool sg_run_is_gate(const struct sg_env *env);
void sg_run_release(struct sg_run *run);
