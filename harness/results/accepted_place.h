/*
 * results/accepted_place.h - the folders that hold accepted numbers and ceilings:
 * FOLDER/<gpu>/<suite>.csv, FOLDER/<gpu>/<unit>/...
 *
 * SOLGATE_BASELINES names the only one; --baselines=DIR of a command sets it. Else, with
 * SOLGATE_HOME, it is baselines/ there. Else ./baselines is read if there is such a folder, and
 * then baselines/ of solgate itself. Invariant: that is never written to, neither an installation
 * nor a clone, unless the user is there or names it: without ./baselines, that is made.
 */
#pragma once

#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

#define SG_BASELINES_VARIABLE "SOLGATE_BASELINES"
#define SG_BASELINES_FOLDER   "baselines"

/* Adds the folders in the order in which they are read; SOLGATE_BASELINES and
 * baselines/ of solgate are there or not. */
enum sg_code sg_accepted_places(struct sg_names *folders, struct sg_err *err);
/* Appends the folder that is written to, which is there or not. */
enum sg_code sg_accepted_place_new(struct sg_text *folder, struct sg_err *err);
/* Appends " --baselines=DIR" where SOLGATE_BASELINES names one: for commands that are printed. */
void sg_accepted_place_add_option(struct sg_text *out);
