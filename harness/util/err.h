/*
 * util/err.h - an error is a value.
 *
 * A function that can fail returns enum sg_code and takes a struct sg_err; all zero means "no
 * error", so a zeroed struct is ready. Invariant: the first failure wins; later calls to sg_fail
 * leave it as it is. Only the two mains print.
 *
 *     struct sg_err err = {0};
 *     if (sg_table_read(path, &table, NULL, &err) != SG_SUCCESS)
 *         goto out;
 */
#pragma once

#include "solgate_kernel.h"

/* The rows of a table X(constant, word, ...) as enumerators, and as the words of an array. */
#define SG_CONSTANT(constant, ...)   constant,
#define SG_WORD(constant, word, ...) [constant] = (word),

/* The exit codes of solgate and its worker (docs/method.md 8): constant, number, what it means. */
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

/* One table: constant, exit code of the program that ends with it, what it means.
 * Workers send its numbers: add behind. */
#define SG_CODE_TABLE(X)                                                                           \
    X(SG_SUCCESS, SG_EXIT_DONE, "no error")                                                        \
    X(SG_BAD_USAGE, SG_EXIT_USAGE, "the command line is wrong")                                    \
    X(SG_BAD_INPUT, SG_EXIT_USAGE, "a file or a value in it is wrong")                             \
    X(SG_NOT_COMPARABLE, SG_EXIT_INVALID, "valid inputs that must not be compared")                \
    X(SG_INVALID, SG_EXIT_INVALID, "a measurement that must not be believed, or could not finish") \
    X(SG_SYSTEM, SG_EXIT_INVALID, "the operating system refused: disk, memory, processes")         \
    X(SG_NO_GPU, SG_EXIT_NO_GPU, "a GPU is needed and there is none")                              \
    X(SG_INTERRUPTED, SG_EXIT_INTERRUPTED, "stopped by a signal; what was measured is kept")       \
    X(SG_UNDECLARED, SG_EXIT_UNDECLARED, "a variant is not what its source declares it to be")

enum sg_code { SG_CODE_TABLE(SG_CONSTANT) SG_CODE_COUNT };

struct sg_err {
    enum sg_code code;
    char where[512];    /* "file:line", a path, or "" */
    char message[1024]; /* what was expected and what was found, with the numbers */
};

/* Records the failure unless one is recorded already; returns err->code. `where` may be NULL. */
enum sg_code sg_fail(struct sg_err *err, enum sg_code code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, with "path:line" for where. */
enum sg_code sg_fail_at(struct sg_err *err, enum sg_code code, const char *path, long line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Gives a failure that has no place yet the place "path:line": for what was parsed out of a line
 * by a function that knows no files. */
enum sg_code sg_fail_here(struct sg_err *err, const char *path, long line);

/*
 * Of an errno of something that was to be opened: SG_SYSTEM where the machine had no room for it
 * (files, memory), which is no fault of the input; else `otherwise`.
 */
enum sg_code sg_code_of_errno(int number, enum sg_code otherwise);

/* Exit code of a program that ends with this error. */
int sg_exit_code(enum sg_code code);
const char *sg_exit_meaning(enum sg_exit code);
/* What each verdict begins with: PASS (0), FAIL (1, 5: a kernel is slower, or wrong), or OPEN,
 * which any other leaves it. */
const char *sg_exit_decision(int code);
/* Of two steps of one job the exit code that counts (docs/method.md 8): 5, 1,
 * one that is no verdict, 3, 2, 0. */
int sg_worse_exit(int a, int b);
