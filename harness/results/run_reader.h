/*
 * results/run_reader.h - a run's folder: run.csv, samples.csv, processes.csv and env.csv
 * (docs/formats.md), and reading one back.
 *
 * The env.csv of a finished run has a digest of run.csv and of itself, so a later change of either
 * is found. A run without one (written by hand) is read as it is. Invariant: RUN means the same
 * wherever it is written, a folder, or the path of a table in one; env.csv is in that folder.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

struct sg_run {
    char *folder;
    bool is_readable; /* all of it was read, whatever its digest says */
    struct sg_table table;
    struct sg_env env;
};

/*
 * Reads RUN (a folder, or the path of a run.csv in one). An unfinished run is SG_INVALID that says
 * how to go on; one whose digest is not that of its files SG_NOT_COMPARABLE.
 */
enum sg_code sg_run_read(const char *path, struct sg_run *run, struct sg_err *err);
/* Sets the digest of run.csv and `env` in `env`, which is to be written last. */
enum sg_code sg_run_seal(const char *folder, struct sg_env *env, struct sg_err *err);
/* Takes it away: the files are going to change. */
void sg_run_unseal(struct sg_env *env);
/* The same of env.csv only. */
enum sg_code sg_run_read_env(const char *path, struct sg_env *env, struct sg_err *err);
#define SG_SELECTION_KEY "selection" /* of env.csv: the filters that left a part of the suite out; not there: all of it was run */
#define SG_SWEEP_KEY     "sweep"     /* of env.csv: which stage of a sweep it is; not there: of none */

/* Is it of `solgate ab`? Such a run has its verdict, and no numbers to accept. */
bool sg_run_is_gate(const struct sg_env *env);
void sg_run_release(struct sg_run *run);
