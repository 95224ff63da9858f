/*
 * plan/gate_file.h - a file that stands where a kernel module does: which program holds the
 * functions of a family, and how it is started.
 *
 *     solgate gate 1
 *     softmax                          the family
 *     2                                its variants: baseline, and candidate; `2 COMMIT`: as of it,
 *                                      for a worker whose module is the file without it
 *     rows8_cols4 rows=8 cols=4        a case, and its shape; one a line
 *
 *     /work                            behind an empty line: where it is started
 *     python3                          the program and its arguments, one a line
 *     gate.py
 *
 * solgate-worker becomes that program, or a fork of one that has begun (plan/gate_fork.h). It finds
 * its command line in SOLGATE_GATE_ARGUMENTS, one argument after each SG_GATE_SEPARATOR, and the
 * library to go on in by SOLGATE_GATE_LIBRARY (worker/library/gate.h).
 */
#pragma once

#include <stdbool.h>

#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

#define SG_GATE_MAGIC              "solgate gate 1\n"
#define SG_GATE_SEPARATOR          "\x1f"
#define SG_GATE_ARGUMENTS_VARIABLE "SOLGATE_GATE_ARGUMENTS"
#define SG_GATE_NAMES_VARIABLE     "SOLGATE_GATE_NAMES"     /* a file: the program adds a line a gate to it, and measures nothing */
#define SG_GATE_SIMULATED_VARIABLE "SOLGATE_GATE_SIMULATED" /* set: no GPU, arrays of the host, times that are made up */
#define SG_GATE_LIBRARY_VARIABLE   "SOLGATE_GATE_LIBRARY"
#define SG_GATE_LIBRARY            "libsolgate_gate.so"
#define SG_GATE_PYTHON             "python" /* of the home: in front of PYTHONPATH */

struct sg_gate_file {
    char *family;                  /* owned */
    unsigned sides;                /* 1 or 2 */
    char *commit;                  /* owned; "": its functions are those of today */
    struct sg_names cases, shapes; /* as many */
    struct sg_names command;       /* the folder, then the program and its arguments */
};

bool sg_is_gate_file(const char *path);
enum sg_code sg_gate_file_read(const char *path, struct sg_gate_file *gate, struct sg_err *err);
enum sg_code sg_gate_file_write(const char *path, const struct sg_gate_file *gate, struct sg_err *err);
/* The commit that the program's folder is at, short, with `-dirty` where it is changed; nothing
 * where git knows none. */
void sg_gate_commit(const struct sg_gate_file *gate, struct sg_text *commit);
void sg_gate_file_release(struct sg_gate_file *gate);

/* Puts solgate's Python module into this process's environment, for what it starts. */
enum sg_code sg_gate_set_path(struct sg_err *err);
/* Does not return: the program has taken over. SG_SYSTEM: it cannot be started. */
enum sg_code sg_gate_become(const char *path, int argc, char **argv, struct sg_err *err);
