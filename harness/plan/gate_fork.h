/*
 * plan/gate_fork.h - a worker out of the program that has listed its gates, and still is there
 * (python/solgate/forks.py): a fork of it has imported what it needs.
 */
#pragma once

#include "util/text.h"

/* Where it waits: a socket beside the gate file. */
#define SG_GATE_FORK_SUFFIX ".fork"
/* Descriptor 3 of the program is a pipe that closes when solgate ends; this is its inode. */
#define SG_GATE_LIFELINE_VARIABLE "SOLGATE_GATE_LIFELINE"
#define SG_GATE_LIFELINE_FD       3

/* Between `settings`, which are NAME=VALUE of the environment. */
#define SG_GATE_FORK_SEPARATOR "\x1e"

/* A fork takes over descriptors 0 to 3. Returns its exit code, or dies of the same signal; -1:
 * nothing waits for this gate. */
int sg_gate_fork(const char *gate, const struct sg_text *settings);
