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

#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

#define SG_BASELINES_VARIABLE "SOLGATE_BASELINES"
#define SG_BASELINES_FOLDER   "baselines"

/* Adds the folders in reading order. SOLGATE_BASELINES and baselines/ of solgate need not exist. */
enum sg_code sg_accepted_places(struct sg_names *folders, struct sg_err *err);
/* Appends the folder to write to, which need not exist. */
enum sg_code sg_accepted_place_new(struct sg_text *folder, struct sg_err *err);
/* Appends " --baselines=DIR" to a printed command if SOLGATE_BASELINES is set. */
void sg_accepted_place_add_option(struct sg_text *out);
