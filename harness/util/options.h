/*
 * util/options.h - what every command shares: its options through argp, as an error value, and its output.
 *
 * argp on its own prints to stderr and leaves the process; here a wrong command line is SG_BAD_USAGE in err and the command returns.
 * `-h` prints the help to stdout: then *helped is true, nothing else was parsed, and the command returns 0.
 * An option that takes a value is given once: a second time is SG_BAD_USAGE with both values, unless its row in the option table has
 * SG_OPTION_REPEATS. One without a value says the same however often it is given.
 * A parser fails through sg_option_fail and reads its own input from state->input, as argp hands it to children.
 */
#ifndef SG_UTIL_OPTIONS_H
#define SG_UTIL_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "util/err.h"
#include "util/text.h"

/* The last paragraph of a command's help, after what is its own: of one that judges, and of one that shows or writes what others judge. */
#define SG_EXIT_CODES_HELP                                                                                       \
    "Exit codes: 0 nothing to report; 1 regressed; 2 inconclusive; 3 invalid or not comparable; 4 command line " \
    "or input; 5 a variant is not what its source declares."
#define SG_EXIT_CODES_UNJUDGED_HELP \
    "Exit codes: 0 done, whatever the numbers say; 3 invalid, not comparable, or not written; 4 command line or input."

/* In the flags of an argp_option, above those of argp: each value that is given counts. */
#define SG_OPTION_REPEATS 0x10000

struct sg_options {
    const struct argp *argp; /* options, parser, args_doc, doc */
    void *input;             /* handed to the parser */
};

enum sg_code sg_options_parse(const struct sg_options *options, int argc, char **argv, bool *helped, struct sg_err *err);

/* For parsers: records SG_BAD_USAGE and returns what ends argp. */
error_t sg_option_fail(struct sg_err *err, const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What an option or an argument may be; `name` is how messages call it. Each fails through sg_option_fail and returns what ends argp. */
struct sg_option_range {
    const char *name;
    uint64_t least, most;
};
error_t sg_option_number(struct sg_err *err, const struct argp_state *state, const struct sg_option_range *range, const char *found,
                         uint64_t *out);
/* Not empty. */
error_t sg_option_text(struct sg_err *err, const struct argp_state *state, const char *name, const char *found, const char **place);

/* Writes to stdout and makes sure that it arrived; SG_SYSTEM when it did not (a full disk). */
enum sg_code sg_print(const struct sg_text *text, struct sg_err *err);

#endif
