/*
 * baseline/find.h - finds accepted numbers by their names: baselines/<suite>.csv in the folders of
 * results/accepted_place.h.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

/* Adds the sorted paths of the first folder that has accepted numbers. */
enum sg_code sg_accepted_files(struct sg_names *paths, struct sg_err *err);

/* A name that ends in .csv is a file. SUITE is its file in the first folder that has it.
 * GPU/SUITE is the same, and appends GPU, a model or a card, to `gpu`. */
enum sg_code sg_accepted_path(const char *name, struct sg_text *path, struct sg_text *gpu,
                              struct sg_err *err);

/* Number of names between slashes; 0 if a part is not a name. */
size_t sg_count_names(const char *path);
