/*
 * exec/kernel_table.h - the kernels of a program as a table for people, those with the largest
 * share of the time first. Pure.
 */
#pragma once

#include "results/table.h"

/* Of the rows of a run; `heading` comes first. */
void sg_kernel_table_format(struct sg_text *out, const struct sg_table *run, const char *heading);
