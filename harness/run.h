/*
 * run.h - a run's folder: run.csv, samples.csv, env.csv (docs/formats.md), and reading one back.
 *
 * Invariant: RUN means the same wherever it is written, a folder, or the path of a table in one; env.csv is in that folder.
 */
#ifndef SG_RUN_H
#define SG_RUN_H

#include "record.h"

struct sg_run {
    char *folder;
    struct sg_table table;
    struct sg_env env;
};

/* Reads RUN (a folder, or the path of a run.csv in one). An unfinished run is SG_INVALID that says how to go on. */
enum sg_code sg_run_read(const char *path, struct sg_run *run, struct sg_err *err);
/* The same of env.csv alone. */
enum sg_code sg_run_read_env(const char *path, struct sg_env *env, struct sg_err *err);
#define SG_SWEEP_KEY "sweep" /* of env.csv: which stage of a sweep it is; not there: of none */

/* Is it of `solgate ab`? Such a run has its verdict, and no numbers to accept. */
bool sg_run_is_gate(const struct sg_env *env);
void sg_run_release(struct sg_run *run);

#endif
