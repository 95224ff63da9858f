/*
 * catalogue/catalogue_files.h - reads metrics.ini and the groups of metrics/groups.
 *
 * Invariant: each returned metric has passed every check that needs no other metric. Each metric of
 * a group exists, occurs once and can be counted. After an error nothing is returned.
 */
#pragma once

#include "catalogue/catalogue.h"

/* The metrics in the order of the file. */
enum sg_code sg_metric_file_read(const char *path, struct sg_metric **metrics, size_t *count,
                                 struct sg_err *err);

/* Adds the groups of a folder to catalogue->groups, sorted by name: one question per file,
 * `[group]` with title, metric (repeated) and read. The metrics must be loaded before. */
enum sg_code sg_group_files_read(const char *folder, struct sg_catalogue *catalogue,
                                 struct sg_err *err);
