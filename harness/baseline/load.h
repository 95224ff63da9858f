/*
 * baseline/load.h - a run and what it is compared with.
 *
 * The baseline is a baseline file, another run (a folder, or a run.csv), or, if none is named, the
 * accepted numbers of the GPU and suite that the run's env.csv names: those of that very GPU where
 * there are some, and those of its model for what the GPU lacks.
 * Invariant: after a failure there is nothing to release, and releasing is harmless.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"

struct sg_against {
    struct sg_run run;
    struct sg_accepted_file baseline;
};

/*
 * `baseline` may be NULL: then one that is not there is SG_NOT_COMPARABLE, which file was looked
 * for, how to make one and how to do without; so is a run of `solgate ab`. One that was named
 * and is not there is SG_BAD_INPUT.
 */
enum sg_code sg_against_load(const char *run, const char *baseline, const struct sg_catalogue *catalogue, struct sg_against *against,
                             struct sg_err *err);
void sg_against_release(struct sg_against *against);
/* *found: has anything been accepted that a run of this kind is compared
 * with where no baseline is named? */
enum sg_code sg_against_find(const char *run, bool *found, struct sg_err *err);

/*
 * The accepted numbers of the GPU and suite that an env names, as above and as sealed; `where` is
 * who asks, for messages. SG_NOT_COMPARABLE: there are none.
 */
enum sg_code sg_accepted_load(const struct sg_env *env, const char *where, struct sg_accepted_file *accepted, struct sg_err *err);

/*
 * Where the numbers of a run's GPU model are in a folder of accepted numbers,
 * <folder>/<gpu>/<suite>.csv, and those of its GPU only,
 * <folder>/<gpu>/<gpu_uuid_hash>/<suite>.csv: appended to path. SG_BAD_INPUT, said of
 * `where`, when the env lacks such a key.
 */
enum sg_code sg_model_baseline(const struct sg_env *env, const char *folder, const char *where, struct sg_text *path, struct sg_err *err);
enum sg_code sg_unit_baseline(const struct sg_env *env, const char *folder, const char *where, struct sg_text *path, struct sg_err *err);
