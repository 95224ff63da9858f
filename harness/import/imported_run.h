/*
 * import/imported_run.h - a run that was not measured in pairs: from files of another tool, or from
 * an unmodified program.
 *
 * Such a run has no samples.csv, its rows gate only if `compare --gate` asks for that, and it
 * cannot be accepted.
 */
#pragma once

#include "results/env.h"
#include "results/run_reader.h"
#include "util/names.h"

struct sg_imported_run {
    const char *tool;           /* the suite's name, and the prefix of `source` */
    const char *source;         /* a file or a command */
    const char *gpu;            /* key of metrics/gpus; NULL: found by gpu_name */
    const char *gpu_name;       /* NULL: unknown */
    const char *unfit;          /* why the times are invalid; NULL: they are valid */
    const struct sg_env *facts; /* entries added to env.csv or replacing its own; NULL: none */
};

/* Checks and sorts the rows first. `place`: the file or folder named in errors about rows. */
enum sg_code sg_imported_run_write(const struct sg_imported_run *facts, const char *folder,
                                   const char *place, struct sg_table *table, struct sg_err *err);

/* The same in memory: checks and sorts the rows of `run`, and sets its facts. */
enum sg_code sg_imported_run_complete(const struct sg_imported_run *facts, const char *place,
                                      struct sg_run *run, struct sg_err *err);
/* Makes a run of files of one tool in memory; its folder is "FILE and 4 more". `gpu` as above. */
enum sg_code sg_imported_run_of(const struct sg_names *files, const char *gpu,
                                const struct sg_catalogue *catalogue, struct sg_run *run,
                                struct sg_err *err);
/* Writes run.csv and env.csv of a run in memory, and seals it. */
enum sg_code sg_imported_run_store(struct sg_run *run, const char *folder, struct sg_err *err);
