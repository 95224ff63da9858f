/*
 * exec/program.h - runs a program as its user would, with the injected library: same standard
 * input, output and error, same terminal, same process group.
 */
#pragma once

#include <stdbool.h>

#include "util/start_process.h"
#include "util/text.h"

struct sg_program_start {
    char *const *argv; /* ends with NULL */
    const struct sg_environment_change *changes;
    size_t change_count;
    const char *output;             /* file for stdout and stderr; NULL: inherit solgate's */
    bool signals_are_held;          /* is_to_end checks blocked signals; own group, no input */
    bool (*is_to_end)(void *given); /* called about 40 times a second; true: kill */
    void *given;
};

struct sg_program_end {
    int status; /* as in a shell: 128 + signal number if a signal ended it */
    int signal; /* last stop signal to solgate meanwhile, even if the program ignored it; 0: none */
};

/*
 * Waits until the program ends. Forwards SIGTERM and SIGHUP; the terminal itself delivers SIGINT
 * and SIGQUIT. SG_BAD_USAGE: the program cannot be started.
 */
enum sg_code sg_program_run(const struct sg_program_start *start, struct sg_program_end *end,
                            struct sg_err *err);

/* Appends the name and the PCI bus id of the first GPU. SG_NO_GPU, with the reason, if the driver
 * finds no GPU. Asks in a child process, because a loaded driver cannot be unloaded. */
enum sg_code sg_find_gpu(struct sg_text *name, struct sg_text *pci_bus_id, struct sg_err *err);
