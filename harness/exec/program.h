/*
 * exec/program.h - a program as its user starts it, with the injected library: same standard input,
 * output and error, same terminal, same group.
 */
#pragma once

#include <stdbool.h>

#include "util/names.h"
#include "util/text.h"

struct sg_program_setting {
    const char *name, *value; /* value NULL: not set */
};

struct sg_program_start {
    char *const *argv; /* ends with NULL */
    const struct sg_program_setting *settings;
    size_t count;
    const char *output;             /* a file for standard output and error; NULL: they are solgate's */
    bool signals_are_held;          /* by the caller, who asks for them in is_to_end: it has a group of its own, no input */
    bool (*is_to_end)(void *given); /* asked about forty times a second; true: it is killed. NULL: it is not asked */
    void *given;
};

struct sg_program_end {
    int status; /* what a shell says: 128 and the number of the signal that ended it */
    int signal; /* that was to stop solgate meanwhile, however the program took it; 0: none */
};

/*
 * Waits for its end, and hands SIGTERM and SIGHUP on to it; of SIGINT and SIGQUIT the terminal
 * tells it itself. SG_BAD_USAGE: it cannot be started.
 */
enum sg_code sg_program_run(const struct sg_program_start *start, struct sg_program_end *end, struct sg_err *err);

/* SG_NO_GPU, and why, unless the driver finds a GPU; appends the name and the PCI bus id of the
 * first. In a process of its own, for a driver stays in one. */
enum sg_code sg_find_gpu(struct sg_text *name, struct sg_text *pci_bus_id, struct sg_err *err);
