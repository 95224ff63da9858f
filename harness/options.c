#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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
    int next; /* index of the argument after the one that could not be read */
};

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    struct wrapped *wrapped = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = wrapped->options->input;
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

enum sg_code sg_options_parse(const struct sg_options *options, int argc, char **argv, bool *helped, struct sg_err *err)
{
    static const struct argp_option help[] = {
        {.name = "help", .key = 'h', .doc = "print this and leave", .group = -1},
        {0},
    };
    const struct argp_child children[] = {{.argp = options->argp}, {0}};
    const struct argp argp = {.options = help, .parser = parse_help, .children = children};
    struct wrapped wrapped = {.options = options, .helped = helped};

    *helped = false;
    const error_t failed = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &wrapped);
    if (*helped) {
        argp_help(&argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, argv[0]);
        return SG_DONE;
    }
    if (failed == 0)
        return SG_DONE;
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
    if (!*found || *place)
        return sg_option_fail(err, state, "expected %s once, found '%s'", name, sg_show(found, strlen(found)).text);
    *place = found;
    return 0;
}

enum sg_code sg_print(const struct sg_text *text, struct sg_err *err)
{
    errno = 0;
    const size_t written = fwrite(sg_text_string(text), 1, text->length, stdout);
    if (written == text->length && fflush(stdout) == 0)
        return SG_DONE;
    if (errno != EPIPE)
        return sg_fail(err, SG_SYSTEM, "standard output", "%zu of %zu bytes written: %s", written, text->length, strerror(errno));
    // A reader that has seen enough (`| head`) is no failure.
    clearerr(stdout);
    return SG_DONE;
}
