/*
 * import/imported_run.h - the folder of a run whose numbers did not come from pairs: of another
 * tool's file, or of a program as it is.
 *
 * Such a run has no samples.csv, its rows inform, and it cannot be accepted.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

struct sg_imported_run {
    const char *tool;           /* the suite, and what the source begins with */
    const char *source;         /* a file or a command */
    const char *gpu;            /* key of metrics/gpus; NULL: that of gpu_name */
    const char *gpu_name;       /* NULL: not known */
    const char *unfit;          /* why no time may be believed; NULL: they may */
    const struct sg_env *facts; /* more of env.csv, or others; NULL: none */
};

/* Checks and sorts the rows first: `place`, a file or a folder, is for complaints about them. */
enum sg_code sg_imported_run_write(const struct sg_imported_run *run, const char *folder, const char *place, struct sg_table *table,
                                   struct sg_err *err);
