#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static enum sg_code record(struct sg_err *err, enum sg_code code, const char *where,
                           const char *format, va_list args)
{
    if (err->code != SG_SUCCESS)
        return err->code;
    err->code = code;
    snprintf(err->where, sizeof(err->where), "%s", where ? where : "");
    vsnprintf(err->message, sizeof(err->message), format, args);
    return code;
}

enum sg_code sg_fail(struct sg_err *err, enum sg_code code, const char *where, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    enum sg_code first = record(err, code, where, format, args);
    va_end(args);
    return first;
}

enum sg_code sg_fail_at(struct sg_err *err, enum sg_code code, const char *path, long line,
                        const char *format, ...)
{
    char where[sizeof(err->where)];
    snprintf(where, sizeof(where), "%s:%ld", path, line);
    va_list args;
    va_start(args, format);
    enum sg_code first = record(err, code, where, format, args);
    va_end(args);
    return first;
}

enum sg_code sg_fail_here(struct sg_err *err, const char *path, long line)
{
    if (err->code != SG_SUCCESS && err->where[0] == '\0')
        snprintf(err->where, sizeof(err->where), "%s:%ld", path, line);
    return err->code;
}

enum sg_code sg_code_of_errno(int number, enum sg_code otherwise)
{
    static const int of_the_machine[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS, EIO,      ENOSPC,
                                         EDQUOT, EAGAIN, EINTR,  ESTALE,  ETIMEDOUT};
    for (size_t i = 0; i < sizeof(of_the_machine) / sizeof(of_the_machine[0]); i++)
        if (of_the_machine[i] == number)
            return SG_SYSTEM;
    return otherwise;
}

int sg_exit_code(enum sg_code code)
{
    static const int exit_code[SG_CODE_COUNT] = {
#define X(constant, number, meaning) [constant] = number,
        SG_CODE_TABLE(X)
#undef X
    };
    return exit_code[code];
}

const char *sg_exit_decision(int code)
{
    return code == SG_EXIT_DONE                                      ? "PASS"
           : code == SG_EXIT_REGRESSED || code == SG_EXIT_UNDECLARED ? "FAIL"
                                                                     : "OPEN";
}

const char *sg_exit_meaning(enum sg_exit code)
{
    switch (code) {
#define X(constant, number, meaning) \
    case constant:                   \
        return meaning;
        SG_EXIT_TABLE(X)
#undef X
    }
    return "?";
}

/* Rank of an exit code within a job; the worst has the highest rank. */
static int exit_rank(int code)
{
    switch (code) {
    case SG_EXIT_DONE:
        return 0;
    case SG_EXIT_INCONCLUSIVE:
        return 1;
    case SG_EXIT_INVALID:
        return 2;
    case SG_EXIT_REGRESSED:
        return 4;
    case SG_EXIT_UNDECLARED:
        return 5;
    default: /* not a verdict: usage, no GPU, a signal */
        return 3;
    }
}

int sg_worse_exit(int a, int b)
{
    return exit_rank(b) > exit_rank(a) ? b : a;
}
