/*
 * util/options.h - a command line as a table: each row is an option or an argument with its type,
 * its field and its help.
 *
 *     static const struct sg_option options[] = {
 *         SG_VALUE("gpu", "N", struct input, gpu, .help = "which GPU", .most = 63),
 *     };
 *     const struct sg_options table = {.summary = "...", .options = SG_OPTIONS(options)};
 *     if (!sg_options_parse(&table, &input, argc, argv, err))
 *         return 0;
 *
 * Built on getopt_long. An invalid command line is SG_BAD_USAGE in err. Help shows ranges, choices
 * and defaults from the table; a default is the value of the field before parsing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/names.h"
#include "util/record.h"

/* The offset of an option in the command's input, and its type, which follows from the member:
 * a flag (bool; with choices: true for the second one), a whole number or an enum (unsigned; with
 * choices: the index of the choice), a ratio (double), a text that is not empty, or a list to
 * which each value is added. Any other type is parsed by `read`. */
#define SG_INTO(input, field) \
    .offset = offsetof(input, field), .size = sizeof(((input *)0)->field),             \
    .type = _Generic((*(input *)sizeof(input)).field, bool: SG_FIELD_YES,             \
                     unsigned: SG_FIELD_COUNT, uint64_t: SG_FIELD_COUNT,              \
                     double: SG_FIELD_RATIO, const char *: SG_FIELD_TEXT,             \
                     struct sg_names: SG_FIELD_NAMES, default: SG_FIELD_STRING)

struct sg_option {
    const char *name; /* option: without dashes; argument: as in the usage, or its choices "a|b" */
    const char *arg;  /* option: name of its value, or its choices "a|b"; NULL: no value */
    /* computes `arg` from a list known at run time; `arg` is NULL then */
    const char *(*arg_of)(void);
    enum sg_field_type type;
    size_t offset, size;
    uint64_t least, most; /* range of a number; most 0: the maximum of its type */
    const char *help;     /* for an argument: also used in the message that it is missing */
    const char *standard; /* the default in words, if the field does not show it; "": show none */
    /* Replaces the parser of the type. Sets "expected ..., found ..." in err, SG_BAD_USAGE or
     * SG_BAD_INPUT; its `where` is ignored. */
    enum sg_code (*read)(void *place, const char *found, struct sg_err *err);
    size_t given;        /* offset of a bool that is set if the option is given; 0: none */
    const char *needs;   /* another option that must be given too */
    const char *without; /* another option that must not be given too */
    unsigned usages;     /* bits of the usages that have this option; 0: all */
    bool kept;           /* part of the command that repeats the run */
    bool optional;       /* argument: may be omitted */
    bool required;       /* option: must be given */
    bool repeats;        /* may be given more than once; an argument only if it is the last */
    bool bare;           /* the value may be omitted and is "" then */
};

/* Rows for options with a value, options without one, and arguments. Designated fields may
 * follow. */
#define SG_VALUE(title, value, input, field, ...)                           \
    {                                                                       \
        .name = (title), .arg = (value), SG_INTO(input, field), __VA_ARGS__ \
    }
#define SG_FLAG(title, input, field, ...)                   \
    {                                                       \
        .name = (title), SG_INTO(input, field), __VA_ARGS__ \
    }
#define SG_ARGUMENT SG_FLAG

/* A line of the exit codes in a command's help. */
struct sg_option_exit {
    enum sg_exit code;
    const char *meaning; /* NULL: the meaning of SG_EXIT_TABLE */
};

/* One usage of a command, with the number of arguments it takes. */
struct sg_option_usage {
    const char *usage;
    unsigned least, most;
};

struct sg_options {
    /* text before and after the list of options; notes may be NULL */
    const char *summary, *notes;
    const struct sg_option *options; /* see SG_OPTIONS; NULL: none */
    size_t option_count;
    struct sg_option arguments[6]; /* ends with {0} */
    /* replaces the names of the arguments in the usage; NULL: the names */
    const char *usage;
    /* usages with different options, in place of `usage`, and their choice by the given options;
     * ends with {0}; none: one usage for all */
    struct sg_option_usage usages[5];
    unsigned (*usage_of)(const void *input);
    struct sg_option_exit exits[8]; /* in ascending order */
};

/* `.options` of this array of rows. */
#define SG_OPTIONS(rows) (rows), .option_count = sizeof(rows) / sizeof((rows)[0])

/* Exit codes of a command that judges, and of one that only shows or writes. */
#define SG_EXITS_JUDGED                                                                 \
    {                                                                                   \
        {SG_EXIT_DONE, NULL}, {SG_EXIT_REGRESSED, NULL}, {SG_EXIT_INCONCLUSIVE, NULL},  \
            {SG_EXIT_INVALID, NULL}, {SG_EXIT_USAGE, NULL}, {SG_EXIT_UNDECLARED, NULL}, \
    }
#define SG_EXITS_UNJUDGED                                                                        \
    {                                                                                            \
        {SG_EXIT_DONE, "done, whatever the numbers are"},                                        \
            {SG_EXIT_INVALID, "invalid, not comparable, or not written"}, {SG_EXIT_USAGE, NULL}, \
    }
/* A command that measures too. */
#define SG_EXITS_GATED                                                                  \
    {                                                                                   \
        {SG_EXIT_DONE, NULL}, {SG_EXIT_REGRESSED, NULL}, {SG_EXIT_INCONCLUSIVE, NULL},  \
            {SG_EXIT_INVALID, NULL}, {SG_EXIT_USAGE, NULL}, {SG_EXIT_UNDECLARED, NULL}, \
            {SG_EXIT_NO_GPU, NULL}, {SG_EXIT_INTERRUPTED, NULL},                        \
    }
/* " 0 done; 4 command line or input." */
void sg_options_add_exits(struct sg_text *out, const struct sg_option_exit *exits, size_t count);

/* Returns false if the command has to end: -h printed the help to stdout, or err has the error. */
bool sg_options_parse(const struct sg_options *options, void *input, int argc, char **argv,
                      struct sg_err *err);

/* Appends the kept options that differ from `defaults`, as on a command line. A percentage is
 * always appended. */
void sg_options_add_kept(struct sg_text *out, const struct sg_option *options, size_t count,
                         const void *input, const void *defaults);

/* Index of the first "--", which ends the options and precedes a program; argc if there is none. */
int sg_find_program(int argc, char **argv);

/* Writes to stdout and checks that the text was written; SG_SYSTEM if not (a full disk). */
enum sg_code sg_print(const struct sg_text *text, struct sg_err *err);
