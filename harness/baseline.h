/*
 * baseline.h - accepted numbers: baselines/<gpu>/<suite>.csv with .env.csv beside it (docs/formats.md, baselines/README.md).
 *
 * The long form of a run plus `tolerance,gate,beta,f0,sd_process,sd_day,expect,reason`. Reviewed as a text diff, so: sorted, %.9g.
 */
#ifndef SG_BASELINE_H
#define SG_BASELINE_H

#include "record.h"

#define SG_BASELINE_HEADER SG_RUN_HEADER ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason"

/* What a baseline row adds; same index as rows of `table`. NaN: not given. */
struct sg_accepted {
    double tolerance;  /* ratio */
    double beta;       /* clock sensitivity, 0..1: slope of ln time on ln clock, negated */
    double f0;         /* Hz: SM clock the time was taken at */
    double sd_process; /* ln, between processes */
    double sd_day;     /* ln, between accepted runs, or GPUs if several; of exact counters 0 */
    sg_id expect;      /* "", a status word or "regressed": what the row is accepted to be */
    sg_id reason;
    bool gate;
};

struct sg_baseline {
    struct sg_table table;
    struct sg_accepted *accepted; /* owned */
    struct sg_env env;
    char *path;
};

enum sg_code sg_baseline_read(const char *path, struct sg_baseline *baseline, struct sg_err *err);
enum sg_code sg_baseline_write(const char *path, const struct sg_baseline *baseline, struct sg_err *err);
void sg_baseline_release(struct sg_baseline *baseline);

#endif
