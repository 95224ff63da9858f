/*
 * plan/gate_script.h - a script in the place of a kernel module: it starts a program with the
 * functions.
 *
 * solgate.pair writes one for each gate of a Python program (python/solgate/source.py):
 *
 *     #!/bin/sh
 *     exec /usr/bin/python3 -IS "$SOLGATE_HOME/python/solgate/source.py" "$0" softmax /work \
 *       python3 gate.py
 *
 * A fork of the program that waits at the socket SCRIPT.fork (python/solgate/forks.py) does the
 * worker's pass. Where none waits, solgate-worker executes the script, which starts the program.
 * SG_GATE_VARIABLE holds the path of the library that turns a program into a worker
 * (worker/library/gate.h) and the worker's command line, separated by SG_GATE_SEPARATOR.
 */
#pragma once

#include <stdbool.h>

#include "util/err.h"
#include "util/text.h"

#define SG_GATE_VARIABLE  "SOLGATE_GATE"
#define SG_GATE_SEPARATOR "\x1f"
#define SG_GATE_LIST      "--list" /* first word: the program writes its scripts */

bool sg_is_gate_script(const char *path); /* a script, not a shared object */

/* Copies the script for the functions at a commit, and adds the path of the copy. */
enum sg_code sg_gate_script_at(const char *path, const char *commit, struct sg_text *copy,
                               struct sg_err *err);
/* The commit in the path of a copy; "": the script is not a copy. */
const char *sg_gate_script_commit(const char *path);

/* Lets this process's children find solgate's Python module and its files. */
enum sg_code sg_gate_set_paths(struct sg_err *err);
/* Lets a fork, or without a fork the program of the script, do this process's work, and ends with
 * the same exit status or signal. Returns only on failure. */
enum sg_code sg_gate_script_become(const char *path, int argc, char **argv, struct sg_err *err);
