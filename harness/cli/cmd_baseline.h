/*
 * cli/cmd_baseline.h - the parts of `solgate baseline`, one file each:
 * cli/cmd_baseline_show.c, _accept.c, _verify.c, _seal.c.
 *
 * Each is a command of its own: argv[0] is "solgate baseline NAME"; the
 * contract is that of cli/command.h.
 */
#pragma once

#include "util/options.h"

#define SG_BASELINE_FORMS "FILE|GPU/SUITE|GPU/UNIT/SUITE" /* how accepted numbers are named */

int sg_baseline_show(int argc, char **argv, struct sg_err *err);
int sg_baseline_accept_runs(int argc, char **argv, struct sg_err *err);
int sg_baseline_verify(int argc, char **argv, struct sg_err *err);
int sg_baseline_seal(int argc, char **argv, struct sg_err *err);
