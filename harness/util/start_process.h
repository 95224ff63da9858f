/*
 * util/start_process.h - the one place where solgate starts a program.
 *
 * By posix_spawn and an argument vector, never through a shell. The program begins with no blocked
 * signals, and with the default action of each signal that the caller handles.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/err.h"

#define SG_PROCESS_DESCRIPTORS 4
enum {
    SG_FROM_NOTHING = -1, /* /dev/null */
    SG_FROM_CALLER = -2,  /* the caller's descriptor of the same number */
    SG_CALLERS_GROUP = -1,
    SG_NEW_GROUP = 0
};

struct sg_environment_change {
    const char *name, *value; /* value NULL: the variable is unset */
};

struct sg_process_start {
    char *const *argv;  /* ends with NULL; PATH is searched for argv[0] unless it contains a slash,
                           and then it is relative to `folder` */
    const char *folder; /* the working folder; NULL: the caller's */
    const struct sg_environment_change *changes;
    size_t change_count;
    int descriptors[SG_PROCESS_DESCRIPTORS]; /* a descriptor of the caller for 0 to 3, or
                                                SG_FROM_... */
    pid_t group; /* SG_CALLERS_GROUP, SG_NEW_GROUP, or a process group */
};

/* SG_SYSTEM: argv[0] cannot be executed, or no process can be made; errno says why. */
enum sg_code sg_process_start(const struct sg_process_start *start, pid_t *process,
                              struct sg_err *err);
/* Also returns the output of the program, for the caller to read and close. NULL: failed. */
FILE *sg_process_open(struct sg_process_start start, pid_t *process, struct sg_err *err);

/* Waits for the end. Returns the exit status, or minus the signal that killed the process; 255 if
 * it cannot be waited for. */
int sg_process_wait(pid_t process);
