/*
 * import/imported_run.h - writes the folder of a run that was not measured in pairs: from another
 * tool's file, or from an unmodified program.
 *
 * Such a run has no samples.csv, its rows do not gate, and it cannot be accepted.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

struct sg_imported_run {
    const char *tool;           /* the suite's name, and the prefix of `source` */
    const char *source;         /* a file or a command */
    const char *gpu;            /* key of metrics/gpus; NULL: found by gpu_name */
    const char *gpu_name;       /* NULL: unknown */
    const char *unfit;          /* why the times are invalid; NULL: they are valid */
    const struct sg_env *facts; /* entries added to env.csv or replacing its own; NULL: none */
};

/* Checks and sorts the rows first. `place`: the file or folder named in errors about rows. */
enum sg_code sg_imported_run_write(const struct sg_imported_run *run, const char *folder,
                                   const char *place, struct sg_table *table, struct sg_err *err);
