#include "util/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* argv[0] is "solgate compare", and who prints the error says solgate already. */
static const char *command_of(const char *name)
{
    const char *blank = strchr(name, ' ');
    return blank ? blank + 1 : name;
}

struct wrapped {
    const struct sg_options *options;
    bool *helped;
    int next;           /* index of the argument after the one that could not be read */
    const char **given; /* owned; the value of each row of the command's option table; NULL: not given yet */
    struct sg_err *err;
};

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    struct wrapped *wrapped = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = wrapped;
        return 0;
    case ARGP_KEY_ERROR:
        wrapped->next = state->next;
        return 0;
    case 'h':
        *wrapped->helped = true;
        return ECANCELED;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static size_t count_options(const struct argp_option *table)
{
    size_t count = 0;
    while (table && table[count].key != 0)
        count++;
    return count;
}

/* Which of two values was meant, nobody can tell: the last would win over the first without a word. */
static error_t take_value(const struct wrapped *wrapped, const struct argp_state *state, size_t index, const char *value)
{
    const struct argp_option *option = &wrapped->options->argp->options[index];
    const char *first = wrapped->given[index];
    if (first && !(option->flags & SG_OPTION_REPEATS))
        return sg_option_fail(wrapped->err, state, "expected --%s=%s once, found '%s' and '%s'", option->name, option->arg,
                              sg_show(first, strlen(first)).text, sg_show(value, strlen(value)).text);
    wrapped->given[index] = value;
    return 0;
}

/* Stands before the command's own parser, for what is the same in all of them. */
static error_t parse_command(int key, char *arg, struct argp_state *state)
{
    const struct wrapped *wrapped = state->input;
    const struct argp *argp = wrapped->options->argp;
    const size_t count = count_options(argp->options);
    for (size_t i = 0; i < count; i++)
        if (argp->options[i].key == key && argp->options[i].arg && take_value(wrapped, state, i, arg ? arg : "") != 0)
            return EINVAL;
    state->input = wrapped->options->input;
    return argp->parser(key, arg, state);
}

enum sg_code sg_options_parse(const struct sg_options *options, int argc, char **argv, bool *helped, struct sg_err *err)
{
    static const struct argp_option help[] = {
        {.name = "help", .key = 'h', .doc = "print this and leave", .group = -1},
        {0},
    };
    struct argp command = *options->argp;
    const struct argp_child children[] = {{.argp = &command}, {0}};
    const struct argp argp = {.options = help, .parser = parse_help, .children = children};
    struct wrapped wrapped = {.options = options, .helped = helped, .err = err};

    *helped = false;
    command.parser = parse_command;
    wrapped.given = sg_alloc(count_options(command.options) + 1, sizeof(*wrapped.given));
    const error_t failed = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &wrapped);
    free(wrapped.given);
    if (*helped) {
        argp_help(&argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, argv[0]);
        return SG_SUCCESS;
    }
    if (failed == 0)
        return SG_SUCCESS;
    const char *word = wrapped.next > 0 && wrapped.next <= argc ? argv[wrapped.next - 1] : "";
    return sg_fail(err, SG_BAD_USAGE, command_of(argv[0]), "'%s' is no option, or lacks its argument; %s -h shows what there is", word,
                   argv[0]);
}

error_t sg_option_fail(struct sg_err *err, const struct argp_state *state, const char *format, ...)
{
    char message[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    sg_fail(err, SG_BAD_USAGE, command_of(state->argv[0]), "%s", message);
    return EINVAL;
}

error_t sg_option_number(struct sg_err *err, const struct argp_state *state, const struct sg_option_range *range, const char *found,
                         uint64_t *out)
{
    if (sg_parse_u64(found, out) && *out >= range->least && *out <= range->most)
        return 0;
    return sg_option_fail(err, state, "%s: expected a whole number from %" PRIu64 " to %" PRIu64 ", found '%s'", range->name, range->least,
                          range->most, sg_show(found, strlen(found)).text);
}

error_t sg_option_text(struct sg_err *err, const struct argp_state *state, const char *name, const char *found, const char **place)
{
    if (!*found)
        return sg_option_fail(err, state, "expected %s, found it empty", name);
    *place = found;
    return 0;
}

enum sg_code sg_print(const struct sg_text *text, struct sg_err *err)
{
    errno = 0;
    if (fwrite(sg_text_string(text), 1, text->length, stdout) == text->length && fflush(stdout) == 0)
        return SG_SUCCESS;
    if (errno != EPIPE)
        return sg_fail(err, SG_SYSTEM, "standard output", "cannot be written: %s", strerror(errno));
    // A reader that has seen enough (`| head`) is no failure.
    clearerr(stdout);
    return SG_SUCCESS;
}
