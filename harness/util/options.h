/*
 * util/options.h - a command line as a table: each row is an option or an argument with
 * its type, its place and its help.
 *
 *     static const struct sg_option options[] = {
 *         SG_VALUE("gpu", "N", struct input, gpu, .help = "which GPU", .most = 63),
 *         {0},
 *     };
 *     const struct sg_options table = {.summary = "...", .options = options};
 *     if (!sg_options_parse(&table, &input, argc, argv, err))
 *         return 0;
 *
 * getopt_long is underneath. A wrong command line is SG_BAD_USAGE in err. Help shows ranges,
 * choices and defaults by the table: a default is what stands in the input before it is parsed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/names.h"
#include "util/text.h"

enum sg_option_type {
    SG_OPTION_OWN,    /* of any other type: `read` knows it */
    SG_OPTION_BOOL,   /* a flag; with choices: the second of them */
    SG_OPTION_NUMBER, /* unsigned, or an enum: with choices, which of them */
    SG_OPTION_NUMBER64,
    SG_OPTION_PERCENT, /* double: a ratio above 0 and below 1 */
    SG_OPTION_TEXT,    /* borrowed, not empty */
    SG_OPTION_NAMES,   /* each value that is given is added */
};

/* Nothing is there, and nothing is read from it: it stands where a
 * field is asked only for its type. */
extern void *sg_nowhere;

/* The place of a value in the command's input, and the type that follows from it. */
#define SG_INTO(input, field) \
    .place = offsetof(input, field),               \
    .type = _Generic(((input *)sg_nowhere)->field, \
        bool: SG_OPTION_BOOL,                      \
        unsigned: SG_OPTION_NUMBER,                \
        uint64_t: SG_OPTION_NUMBER64,              \
        double: SG_OPTION_PERCENT,                 \
        const char *: SG_OPTION_TEXT,              \
        struct sg_names: SG_OPTION_NAMES,          \
        default: SG_OPTION_OWN)

struct sg_option {
    const char *name;            /* of an option without its dashes; of an argument as usage shows it, or its choices "a|b" */
    const char *arg;             /* of an option: what its value is called, or its choices "a|b"; NULL: it takes none */
    const char *(*arg_of)(void); /* the same, of a list that only the program has; arg is NULL */
    enum sg_option_type type;
    size_t place;
    uint64_t least, most; /* of a number; most 0: as large as its type holds */
    const char *help;     /* of an argument: what it is, for the message that it is missing */
    const char *standard; /* the default in words, where the input does not show it; "": none is shown */
    /* In place of the type's own: "expected ..., found ..." in err, SG_BAD_USAGE or
     * SG_BAD_INPUT, whose place is not looked at. */
    enum sg_code (*read)(void *place, const char *found, struct sg_err *err);
    size_t given;        /* place of a bool: was it given? 0: none */
    const char *needs;   /* another option without which it says nothing */
    const char *without; /* another option that it cannot go with */
    bool optional;       /* of an argument: may be left out */
    bool required;       /* of an option: may not */
    bool repeats;        /* may be given more than once; of an argument: the last one only */
    bool bare;           /* its value may be left out, which is "" */
};

/* Rows of options with a value, of options without one, and of arguments; further fields follow by
 * their names. */
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
    const char *meaning; /* NULL: that of SG_EXIT_TABLE */
};

struct sg_options {
    const char *summary, *notes;                 /* before and after the list of options; notes may be NULL */
    const struct sg_option *options, *arguments; /* each ends with {0}; NULL: none */
    const char *usage;                           /* of the arguments, in place of their names; NULL: those */
    struct sg_option_exit exits[8];              /* in ascending order */
};

/* Of a command that judges, and of one that shows or writes what others judge. */
#define SG_EXITS_JUDGED                                                                                                                \
    {                                                                                                                                  \
        {SG_EXIT_DONE, NULL}, {SG_EXIT_REGRESSED, NULL}, {SG_EXIT_INCONCLUSIVE, NULL}, {SG_EXIT_INVALID, NULL}, {SG_EXIT_USAGE, NULL}, \
            {SG_EXIT_UNDECLARED, NULL},                                                                                                \
    }
#define SG_EXITS_UNJUDGED                                                                                               \
    {                                                                                                                   \
        {SG_EXIT_DONE, "done, whatever the numbers are"}, {SG_EXIT_INVALID, "invalid, not comparable, or not written"}, \
            {SG_EXIT_USAGE, NULL},                                                                                      \
    }
/* " 0 done; 4 command line or input." */
void sg_options_add_exits(struct sg_text *out, const struct sg_option_exit *exits, size_t count);

/* Is there something to do? false: -h printed the help to stdout, or err says what is wrong. */
bool sg_options_parse(const struct sg_options *options, void *input, int argc, char **argv, struct sg_err *err);

/* Writes to stdout and makes sure that it arrived; SG_SYSTEM when it did not (a full disk). */
enum sg_code sg_print(const struct sg_text *text, struct sg_err *err);
