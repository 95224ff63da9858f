/*
 * exec/program.h - a program as its user starts it, with the injected library: same standard input,
 * output and error, same terminal, same group.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

struct sg_program_setting {
    const char *name, *value; /* value NULL: not set */
};

/*
 * Waits for its end, and hands SIGTERM and SIGHUP on to it; of SIGINT and SIGQUIT the terminal
 * tells it itself. *status is what a shell says: 128 and the number of the signal that ended it.
 * SG_BAD_USAGE: it cannot be started.
 */
enum sg_code sg_program_run(char *const *argv, const struct sg_program_setting *settings, size_t count, int *status, struct sg_err *err);

/* SG_NO_GPU, and why, unless the driver finds a GPU; appends the name of the first. In a process of
 * its own, for a driver stays in one. */
enum sg_code sg_find_gpu(struct sg_text *name, struct sg_err *err);
