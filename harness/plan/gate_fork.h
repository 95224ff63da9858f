/*
 * plan/gate_fork.h - gets a worker by forking the program that listed the gates and is still
 * running (python/solgate/forks.py). The fork has already imported its modules.
 */
#pragma once

#include "util/text.h"

/* Suffix of the socket that the program listens on, next to the gate file. */
#define SG_GATE_FORK_SUFFIX ".fork"
/* Descriptor 3 of the program is a pipe that closes when solgate ends. The variable holds its
 * inode. */
#define SG_GATE_LIFELINE_VARIABLE "SOLGATE_GATE_LIFELINE"
#define SG_GATE_LIFELINE_FD       3

/* Separates `settings`, which are environment entries NAME=VALUE. */
#define SG_GATE_FORK_SEPARATOR "\x1e"

/* Hands descriptors 0 to 3 to a fork and waits. Returns the fork's exit code, or dies of the fork's
 * signal. Returns -1 if no program listens for this gate. */
int sg_gate_fork(const char *gate, const struct sg_text *settings);
