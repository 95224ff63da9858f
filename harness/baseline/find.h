/*
 * baseline/find.h - which baselines there are, found by their names:
 * baselines/<gpu>/<suite>.csv of a model, and baselines/<gpu>/<unit>/<suite>.csv of one GPU, in
 * the folders of results/accepted_place.h.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

/* Adds paths, sorted; the files of counters and of env, the A/A tally (results/aa_log.h) and the
 * ceilings (model/ceilings.h) beside them are left out. Of several folders it is the first that has
 * some. */
enum sg_code sg_baseline_files(struct sg_names *paths, struct sg_err *err);

/* FILE as it is, or GPU/SUITE or GPU/UNIT/SUITE as its file in the first folder that has
 * it: what ends in .csv is a file. */
enum sg_code sg_baseline_path(const char *name, struct sg_text *path, struct sg_err *err);

/* Of the names between slashes; 0 if one of them is none. */
size_t sg_count_names(const char *path);
