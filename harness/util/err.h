/*
 * util/err.h - errors are values.
 *
 * A function that can fail returns enum sg_code and takes a struct sg_err. All zero means "no
 * error", so a zeroed struct is ready. Invariant: the first failure wins; later calls of sg_fail do
 * not change it. Only the two mains print.
 *
 *     struct sg_err err = {0};
 *     if (sg_table_read(path, &table, NULL, &err) != SG_SUCCESS)
 *         goto out;
 */
#pragma once

#include "solgate_kernel.h"

/* Expand the rows of a table X(constant, word, ...) to enumerators, and to the words of an
 * array. */
#define SG_CONSTANT(constant, ...)   constant,
#define SG_WORD(constant, word, ...) [constant] = (word),

/* The exit codes of solgate and its worker (docs/method.md 8): constant, number, meaning. */
#define SG_EXIT_TABLE(X)                                                  \
    X(SG_EXIT_DONE, 0, "nothing to report")                               \
    X(SG_EXIT_REGRESSED, 1, "regressed")                                  \
    X(SG_EXIT_INCONCLUSIVE, 2, "inconclusive")                            \
    X(SG_EXIT_INVALID, 3, "invalid or not comparable")                    \
    X(SG_EXIT_USAGE, 4, "command line or input")                          \
    X(SG_EXIT_UNDECLARED, 5, "a variant is not what its source declares") \
    X(SG_EXIT_NO_GPU, 77, "a GPU is needed and there is none")            \
    X(SG_EXIT_INTERRUPTED, 130, "stopped by a signal")

enum sg_exit {
#define X(constant, number, meaning) constant = (number),
    SG_EXIT_TABLE(X)
#undef X
};

/* Constant, exit code of a program that ends with this error, meaning. Workers send the numbers,
 * so add new rows at the end. */
#define SG_CODE_TABLE(X)                                                                   \
    X(SG_SUCCESS, SG_EXIT_DONE, "no error")                                                \
    X(SG_BAD_USAGE, SG_EXIT_USAGE, "the command line is wrong")                            \
    X(SG_BAD_INPUT, SG_EXIT_USAGE, "a file or a value in it is wrong")                     \
    X(SG_NOT_COMPARABLE, SG_EXIT_INVALID, "valid inputs that must not be compared")        \
    X(SG_INVALID, SG_EXIT_INVALID, "a measurement that is invalid or could not finish")    \
    X(SG_SYSTEM, SG_EXIT_INVALID, "the operating system refused: disk, memory, processes") \
    X(SG_NO_GPU, SG_EXIT_NO_GPU, "a GPU is needed and there is none")                      \
    X(SG_INTERRUPTED, SG_EXIT_INTERRUPTED, "stopped by a signal; results so far are kept") \
    X(SG_UNDECLARED, SG_EXIT_UNDECLARED, "a variant is not what its source declares it to be")

enum sg_code { SG_CODE_TABLE(SG_CONSTANT) SG_CODE_COUNT };

struct sg_err {
    enum sg_code code;
    char where[512];    /* "file:line", a path, or "" */
    char message[1024]; /* the expected and the found value, with the numbers */
};

/* For a caller that goes on after any failure: sg_read_file(path, &text, SG_IGNORED). */
#define SG_IGNORED (&(struct sg_err){0})

/* Records the failure unless one is recorded already. Returns err->code. `where` may be NULL. */
enum sg_code sg_fail(struct sg_err *err, enum sg_code code, const char *where, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Like sg_fail, with "path:line" for `where`. */
enum sg_code sg_fail_at(struct sg_err *err, enum sg_code code, const char *path, long line,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sets "path:line" in a failure without a place, for parsers of a line that do not know the
 * file. */
enum sg_code sg_fail_here(struct sg_err *err, const char *path, long line);

/* Code for the errno of a failed open: SG_SYSTEM if the machine lacked files or memory, which is
 * not the input's fault, otherwise `otherwise`. */
enum sg_code sg_code_of_errno(int number, enum sg_code otherwise);

int sg_exit_code(enum sg_code code);
const char *sg_exit_meaning(enum sg_exit code);
/* First word of a verdict line: PASS (0), FAIL (1, 5: a kernel is slower, or wrong), otherwise
 * OPEN. */
const char *sg_exit_decision(int code);
/* Combines the exit codes of two steps of a job, worst first (docs/method.md 8): 5, 1, any without
 * a verdict, 3, 2, 0. */
int sg_worse_exit(int a, int b);
