/*
 * exec/kernel_table.h - a program's kernels as a table for people, largest share of time first.
 * Pure.
 */
#pragma once

#include "results/table.h"

/* Formats the rows of a run under `heading`. */
void sg_kernel_table_format(struct sg_text *out, const struct sg_table *run, const char *heading);
