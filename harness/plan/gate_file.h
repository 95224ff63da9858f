/*
 * plan/gate_file.h - a text file used in place of a kernel module. It names the program that has
 * a family's functions, and how to start the program.
 *
 *     solgate gate 1
 *     softmax                          the family
 *     2                                number of variants: baseline, and candidate. `2 COMMIT`: the
 *                                      functions at that commit; the worker's module is the file
 *                                      without a commit
 *     rows8_cols4 rows=8 cols=4        a case and its shape; one per line
 *
 *     /work                            after an empty line: the working directory
 *     python3                          the program and its arguments, one per line
 *     gate.py
 *
 * solgate-worker becomes that program by exec, or hands over to a fork of the running program
 * (plan/gate_fork.h). The program finds the worker's command line in SOLGATE_GATE_ARGUMENTS, each
 * argument followed by SG_GATE_SEPARATOR. SOLGATE_GATE_LIBRARY is the path of the library that
 * continues as the worker (worker/library/gate.h).
 */
#pragma once

#include <stdbool.h>

#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

#define SG_GATE_MAGIC              "solgate gate 1\n"
#define SG_GATE_SEPARATOR          "\x1f"
#define SG_GATE_ARGUMENTS_VARIABLE "SOLGATE_GATE_ARGUMENTS"
#define SG_GATE_NAMES_VARIABLE \
    "SOLGATE_GATE_NAMES" /* a file to list gates in, one per line; no measuring */
#define SG_GATE_SIMULATED_VARIABLE                                \
    "SOLGATE_GATE_SIMULATED" /* set: host arrays, simulated times \
                              */
#define SG_GATE_LIBRARY_VARIABLE "SOLGATE_GATE_LIBRARY"
#define SG_GATE_LIBRARY          "libsolgate_gate.so"
#define SG_GATE_PYTHON           "python" /* below solgate's home; first in PYTHONPATH */

struct sg_gate_file {
    char *family;                  /* owned */
    unsigned sides;                /* 1 or 2 */
    char *commit;                  /* owned; "": the functions of the working tree */
    struct sg_names cases, shapes; /* of equal length */
    struct sg_names command;       /* working directory, then the program and its arguments */
};

bool sg_is_gate_file(const char *path);
enum sg_code sg_gate_file_read(const char *path, struct sg_gate_file *gate, struct sg_err *err);
enum sg_code sg_gate_file_write(const char *path, const struct sg_gate_file *gate,
                                struct sg_err *err);
/* Adds the abbreviated commit of the program's folder, with `-dirty` if there are changes. Adds
 * nothing if git finds no commit. */
void sg_gate_commit(const struct sg_gate_file *gate, struct sg_text *commit);
void sg_gate_file_release(struct sg_gate_file *gate);

/* Adds solgate's Python module to this process's environment, for its child processes. */
enum sg_code sg_gate_set_path(struct sg_err *err);
/* Replaces this process by the program. Returns only on failure. SG_SYSTEM: the program cannot be
 * started. */
enum sg_code sg_gate_become(const char *path, int argc, char **argv, struct sg_err *err);
