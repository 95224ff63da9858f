/*
 * catalogue/metric_file.h - reads metrics.ini into an array of metrics, in the order of the file.
 *
 * Invariant: each returned metric has passed every check that needs no other metric. After an error
 * the array is released.
 */
#pragma once

#include "catalogue/catalogue.h"

enum sg_code sg_metric_file_read(const char *path, struct sg_metric **metrics, size_t *count,
                                 struct sg_err *err);
void sg_metrics_free(struct sg_metric *metrics, size_t count);
