/*
 * results/accepted_place.h - the folders that hold accepted numbers and ceilings:
 * FOLDER/<gpu>/<suite>.csv, FOLDER/<gpu>/<unit>/...
 *
 * SOLGATE_BASELINES (or --baselines=DIR) names the only folder. Without it, SOLGATE_HOME selects
 * baselines/ in that folder. Without either, ./baselines is read if it exists, then baselines/ of
 * solgate itself. Invariant: solgate writes to its own baselines/, of an installation or a clone,
 * only if that is ./baselines or the user names it. Otherwise it creates ./baselines.
 */
#pragma once

#include "results/env.h"
#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

#define SG_BASELINES_VARIABLE "SOLGATE_BASELINES"
#define SG_BASELINES_FOLDER   "baselines"
#define SG_BUILDS_VARIABLE    "SOLGATE_BUILDS" /* the folder of builds/store.h */

/* Adds the folders in reading order. SOLGATE_BASELINES and baselines/ of solgate need not exist. */
enum sg_code sg_accepted_places(struct sg_names *folders, struct sg_err *err);
/* Appends the folder to write to, which need not exist. */
enum sg_code sg_accepted_place_new(struct sg_text *folder, struct sg_err *err);
/* Appends " --baselines=DIR" to a printed command if SOLGATE_BASELINES is set, and for a command
 * that uses builds " --builds=DIR" if SOLGATE_BUILDS is set. */
void sg_accepted_place_add_option(struct sg_text *out);
void sg_accepted_place_add_options(struct sg_text *out);
/* Appends "solgate accept RUN" with the modules of its env and these options. */
void sg_add_accept(struct sg_text *out, const char *run, const struct sg_env *env);
