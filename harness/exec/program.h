/*
 * exec/program.h - runs a program as its user would, with the injected library: same standard
 * input, output and error, same terminal, same process group.
 */
#pragma once

#include <stdbool.h>

#include "exec/descendants.h"
#include "trace/trace.h"
#include "util/start_process.h"
#include "util/text.h"

struct sg_program_start {
    char *const *argv;                    /* ends with NULL */
    const char *option[SG_TRACE_OPTIONS]; /* the library's options; NULL: not given */
    const char *output;                   /* file for stdout and stderr; NULL: inherit solgate's */
    /* stdin is empty; a stop signal kills the program and all of its processes */
    bool is_in_worker;
    bool (*is_to_end)(void *given); /* called about 40 times a second; true: kill; or NULL */
    void (*on_end)(void *given);    /* called when the program has ended; or NULL */
    void *given;
};

struct sg_program_end {
    int status; /* as in a shell: 128 + signal number if a signal ended it */
    int signal; /* last stop signal to solgate, even if the program ignored it; 0: none */
};

/*
 * Waits until the program ends. Forwards SIGTERM and SIGHUP; the terminal itself delivers SIGINT
 * and SIGQUIT. SG_BAD_USAGE: the program cannot be started.
 */
enum sg_code sg_program_run(const struct sg_program_start *start,
                            const struct sg_environment_change *changes, size_t change_count,
                            struct sg_descendants *descendants, struct sg_program_end *end,
                            struct sg_err *err);
/* True if a stop signal came to solgate while the program ran. */
bool sg_program_is_stopped(void);

/* Appends the name and the PCI bus id of the first GPU. SG_NO_GPU, with the reason, if the driver
 * finds no GPU. Asks in a child process, because a loaded driver cannot be unloaded. */
enum sg_code sg_find_gpu(struct sg_text *name, struct sg_text *pci_bus_id, struct sg_err *err);
