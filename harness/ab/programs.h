/*
 * ab/programs.h - two commands, or one whose NVTX ranges alternate, against each other: kernel by
 * kernel, and each range as a whole.
 *
 * Commands are started in turns, A B, then B A, and such a pair is one value (stats/abba.h); as
 * many as it takes to decide (stats/sequential.h). Nothing is shared by the sides but the machine,
 * so the interval has all in it by which starts of one program differ.
 */
#pragma once

#include "ab/ab.h"

/* `options->baseline` and `candidate` are commands, whose words are parted as by
 * sg_names_add_command; without a candidate the sides are ranges of the baseline. Otherwise as
 * sg_ab_run; SG_UNDECLARED: a program failed. */
enum sg_code sg_ab_programs_run(const struct sg_ab_options *options, int *exit_code, struct sg_err *err);
