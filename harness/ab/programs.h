/*
 * ab/programs.h - compares two commands, or one command whose NVTX ranges alternate, kernel by
 * kernel, and each range as a whole.
 *
 * Commands are started in turns: A B, then B A. Each such pair of starts is one value
 * (stats/abba.h); pairs are added until a verdict is reached (stats/sequential.h). The sides share
 * only the machine, so the interval covers all differences between starts of one program.
 */
#pragma once

#include "ab/ab.h"

/* `options->baseline` and `candidate` are commands, split into words by sg_names_add_command.
 * Without a candidate, the sides are ranges of the baseline. Otherwise as sg_ab_run. SG_UNDECLARED:
 * a program failed. */
enum sg_code sg_ab_programs_run(const struct sg_ab_options *options, int *exit_code,
                                struct sg_err *err);
