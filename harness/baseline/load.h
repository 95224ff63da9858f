/*
 * baseline/load.h - loads a run and the numbers it is compared with.
 *
 * The baseline is a baseline file, or another run (a folder or a run.csv). By default it is the
 * accepted numbers of the GPU and suite in the run's env.csv: those of the same card, completed by
 * those of its model. Invariant: after a failure there is nothing to release, and releasing is
 * harmless.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "util/names.h"

struct sg_against {
    struct sg_run run;
    struct sg_accepted_file baseline;
};

/* Results of other tools: the files of a side, each a replicate, or the run of their import. */
struct sg_results {
    const struct sg_names *now, *then;
    double tolerance; /* replaces the default for imports; 0: not given */
    bool gates;
};
struct sg_against_sides {
    const char *run, *baseline;       /* baseline NULL: chosen by the run's GPU and suite */
    const struct sg_results *results; /* in place of run and baseline; NULL: none */
    bool unjudged;                    /* load also a baseline whose times are impossible */
};
/* Missing accepted numbers are SG_NOT_COMPARABLE; the message names the expected file, how to make
 * it and what to do without. A run of `solgate ab` is SG_NOT_COMPARABLE too. A missing `baseline`
 * is SG_BAD_INPUT. SG_BAD_USAGE: a tolerance, or `gates`, for a run that solgate measured. */
enum sg_code sg_against_load(const struct sg_against_sides *sides,
                             const struct sg_catalogue *catalogue, struct sg_against *against,
                             struct sg_err *err);

/* Loads the accepted numbers for the GPU and suite of an env, by the rule above, and checks
 * their seal. `where` is used in messages. SG_NOT_COMPARABLE: there are none. */
enum sg_code sg_accepted_load(const struct sg_env *env, const char *where,
                              struct sg_accepted_file *accepted, struct sg_err *err);

/* The key of a run's numbers: its GPU model, or its card. NULL: SG_BAD_INPUT with `where` if the
 * env lacks it. */
const char *sg_accepted_key(const struct sg_env *env, bool of_unit, const char *where,
                            struct sg_err *err);
/* Appends the path of the numbers of a run's suite, <folder>/<suite>.csv. SG_BAD_INPUT as above. */
enum sg_code sg_accepted_path_of(const struct sg_env *env, const char *folder, const char *where,
                                 struct sg_text *path, struct sg_err *err);
