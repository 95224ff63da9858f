/*
 * baseline/find.h - finds baselines by their names: baselines/<gpu>/<suite>.csv for a model, and
 * baselines/<gpu>/<unit>/<suite>.csv for one card, in the folders of results/accepted_place.h.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

/* Adds the sorted paths of the first folder that has baselines. Leaves out the files of counters
 * and env, the A/A pairs (studies/false_alarms.py) and the ceilings (model/ceilings.h). */
enum sg_code sg_baseline_files(struct sg_names *paths, struct sg_err *err);

/* A name that ends in .csv is a file. GPU/SUITE or GPU/UNIT/SUITE is its file in the first
 * folder that has it. */
enum sg_code sg_baseline_path(const char *name, struct sg_text *path, struct sg_err *err);

/* Number of names between slashes; 0 if a part is not a name. */
size_t sg_count_names(const char *path);
