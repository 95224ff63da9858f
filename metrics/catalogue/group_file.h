/*
 * catalogue/group_file.h - reads the groups of metrics/groups: one question per file, `[group]`
 * with title, metric (repeated) and read.
 *
 * Invariant: each metric of a group exists, occurs once and can be counted.
 */
#pragma once

#include "catalogue/catalogue.h"

/* Adds the groups of a folder to catalogue->groups, sorted by name. The metrics must be loaded
 * before. */
enum sg_code sg_group_files_read(const char *folder, struct sg_catalogue *catalogue,
                                 struct sg_err *err);
void sg_groups_free(struct sg_group *groups, size_t count);
