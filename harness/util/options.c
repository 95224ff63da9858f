#include "util/options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_KEY 256 /* of the first option; above every character: long options only */

struct parsing {
    const struct sg_options *options;
    char *input;
    size_t option_count, argument_count;
    const char **given; /* owned; the value of each option; NULL: not given yet */
    const char *last;   /* argument that was taken; NULL: none */
    size_t taken;       /* arguments */
    int next;           /* index in argv behind what argp could not read */
    bool helped;
    const char *command; /* that is told in err */
    struct sg_err *err;
};

static size_t count_rows(const struct sg_option *rows)
{
    size_t count = 0;
    while (rows && rows[count].name)
        count++;
    return count;
}

/* "a|b"; NULL: anything goes. */
static const char *choices_of(const struct sg_option *option)
{
    const char *words = option->arg ? option->arg : option->name;
    const bool is_index = option->type == SG_OPTION_BOOL || option->type == SG_OPTION_NUMBER;
    return is_index && strchr(words, '|') ? words : NULL;
}

static uint64_t most_of(const struct sg_option *option)
{
    if (option->most > 0)
        return option->most;
    return option->type == SG_OPTION_NUMBER64 ? UINT64_MAX : UINT_MAX;
}

/* ---- one value ---- */

static enum sg_code read_number(const struct sg_option *option, const char *found, uint64_t *out, struct sg_err *err)
{
    const uint64_t most = most_of(option);
    if (sg_parse_u64(found, out) && *out >= option->least && *out <= most)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected a whole number from %" PRIu64 " to %" PRIu64 ", found '%s'", option->least, most,
                   sg_show(found, strlen(found)).text);
}

static enum sg_code read_index(const struct sg_option *option, void *place, const char *found, struct sg_err *err)
{
    uint64_t number = 1;
    unsigned index = 0;
    const char *choices = choices_of(option);
    if (choices)
        number = sg_parse_choice(choices, found, &index, err) == SG_SUCCESS ? index : 0;
    else if (option->type != SG_OPTION_BOOL)
        read_number(option, found, &number, err);
    if (option->type == SG_OPTION_BOOL)
        *(bool *)place = number == 1;
    else if (option->type == SG_OPTION_NUMBER)
        *(unsigned *)place = (unsigned)number;
    else
        *(uint64_t *)place = number;
    return err->code;
}

static enum sg_code read_percent(double *place, const char *found, struct sg_err *err)
{
    struct sg_err why = {0};
    if (sg_parse_percent(found, place, &why) == SG_SUCCESS && *place > 0 && *place < 1)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected more than 0%% and less than 100%%, with its sign, found '%s'",
                   sg_show(found, strlen(found)).text);
}

static enum sg_code read_value(const struct sg_option *option, void *place, const char *found, struct sg_err *err)
{
    if (option->read)
        return option->read(place, found, err);
    if (option->type < SG_OPTION_PERCENT)
        return read_index(option, place, found, err);
    if (option->type == SG_OPTION_PERCENT)
        return read_percent(place, found, err);
    if (!*found && !option->bare)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected %s, found ''", option->arg ? option->arg : option->name);
    if (option->type == SG_OPTION_NAMES)
        sg_names_add(place, found);
    else
        *(const char **)place = found;
    return SG_SUCCESS;
}

/* Reads it, and says of what it was where that fails: "--gpu: expected ..., found ...". An
 * argument of choices has no other name. */
static error_t take_value(const struct parsing *p, const struct sg_option *option, const char *dashes, const char *found)
{
    struct sg_err why = {0};
    if (read_value(option, p->input + option->place, found, &why) == SG_SUCCESS)
        return 0;
    if (!*dashes && choices_of(option))
        sg_fail(p->err, SG_BAD_USAGE, p->command, "%s", why.message);
    else
        sg_fail(p->err, SG_BAD_USAGE, p->command, "%s%s: %s", dashes, option->name, why.message);
    return EINVAL;
}

/* Which of two values was meant, nobody can tell: the last would
 * win over the first without a word. */
static error_t take_option(const struct parsing *p, size_t index, const char *found)
{
    const struct sg_option *option = &p->options->options[index];
    const char *first = p->given[index];
    if (first && option->arg && !option->repeats) {
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected --%s=%s once, found '%s' and '%s'", option->name, option->arg,
                sg_show(first, strlen(first)).text, sg_show(found, strlen(found)).text);
        return EINVAL;
    }
    p->given[index] = found;
    if (option->given > 0)
        *(bool *)(p->input + option->given) = true;
    return take_value(p, option, "--", found);
}

/* "RUN [BASELINE]", "RUN..." */
static void add_arguments(struct sg_text *out, const struct sg_options *options)
{
    for (const struct sg_option *row = options->arguments; row && row->name; row++)
        sg_text_addf(out, "%s%s%s%s%s", out->length > 0 ? " " : "", row->optional ? "[" : "", row->name, row->repeats ? "..." : "",
                     row->optional ? "]" : "");
}

static error_t take_argument(struct parsing *p, const char *found)
{
    const struct sg_option *rows = p->options->arguments;
    struct sg_text expected = {0};
    size_t index = p->taken++;
    if (index >= p->argument_count && p->argument_count > 0 && rows[p->argument_count - 1].repeats)
        index = p->argument_count - 1;
    if (index < p->argument_count) {
        p->last = found;
        return take_value(p, &rows[index], "", found);
    }
    add_arguments(&expected, p->options);
    if (p->last)
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected %s, found '%s' after '%s'", expected.data, sg_show(found, strlen(found)).text,
                sg_show(p->last, strlen(p->last)).text);
    else
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected options only, found '%s'", sg_show(found, strlen(found)).text);
    sg_text_release(&expected);
    return EINVAL;
}

static error_t take(int key, char *found, struct argp_state *state)
{
    struct parsing *p = state->input;
    const size_t index = key >= FIRST_KEY ? (size_t)(key - FIRST_KEY) : SIZE_MAX;
    if (key >= FIRST_KEY && index < 2 * p->option_count) {
        const struct sg_option *option = &p->options->options[index % p->option_count];
        if (index >= p->option_count)
            fprintf(stderr, "solgate: --%s is called --%s now\n", option->was, option->name);
        return take_option(p, index % p->option_count, found ? found : "");
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return take_argument(p, found);
    case ARGP_KEY_ERROR:
        p->next = state->next;
        return 0;
    case 'h':
        p->helped = true;
        return ECANCELED;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what was given, as a whole ---- */

/* Index of the option of that name, which is in the table; SIZE_MAX: none is asked for. */
static size_t index_of(const struct parsing *p, const char *name)
{
    for (size_t i = 0; name && i < p->option_count; i++)
        if (strcmp(p->options->options[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* "--out=DIR" */
static struct sg_shown form_of(const struct sg_option *option)
{
    struct sg_shown form;
    snprintf(form.text, sizeof(form.text), "--%s%s%s", option->name, option->arg ? "=" : "", option->arg ? option->arg : "");
    return form;
}

static enum sg_code check_option(const struct parsing *p, size_t index, struct sg_err *err)
{
    const struct sg_option *options = p->options->options, *option = &options[index];
    const size_t needed = index_of(p, option->needs), other = index_of(p, option->without);
    if (option->required && !p->given[index])
        return sg_fail(err, SG_BAD_USAGE, p->command, "%s is missing: %s", form_of(option).text, option->help);
    if (p->given[index] && needed < SIZE_MAX && !p->given[needed])
        return sg_fail(err, SG_BAD_USAGE, p->command, "--%s needs %s", option->name, form_of(&options[needed]).text);
    if (p->given[index] && other < SIZE_MAX && p->given[other])
        return sg_fail(err, SG_BAD_USAGE, p->command, "--%s cannot go with --%s", option->name, option->without);
    return SG_SUCCESS;
}

static enum sg_code check(const struct parsing *p, struct sg_err *err)
{
    const struct sg_option *next = p->taken < p->argument_count ? &p->options->arguments[p->taken] : NULL;
    if (next && !next->optional)
        return sg_fail(err, SG_BAD_USAGE, p->command, "%s is missing: %s", next->name, next->help);
    for (size_t i = 0; i < p->option_count && err->code == SG_SUCCESS; i++)
        check_option(p, i, err);
    return err->code;
}

/* ---- help ---- */

static void add_default(struct sg_text *out, const struct sg_option *option, const void *place)
{
    const char *choices = choices_of(option);
    if (option->standard || option->required)
        sg_text_add(out, option->standard ? option->standard : "");
    else if (choices)
        sg_text_add_choice(out, choices, option->type == SG_OPTION_BOOL ? *(const bool *)place : *(const unsigned *)place);
    else if (option->type == SG_OPTION_NUMBER)
        sg_text_addf(out, "%u", *(const unsigned *)place);
    else if (option->type == SG_OPTION_NUMBER64)
        sg_text_addf(out, "%" PRIu64, *(const uint64_t *)place);
    else if (option->type == SG_OPTION_PERCENT)
        sg_text_addf(out, "%g%%", 100 * *(const double *)place);
}

/* "seed of inputs (1 to 9; default: 1); may repeat" */
static char *help_of(const struct sg_option *option, const void *place)
{
    struct sg_text out = {0}, standard = {0};
    const bool is_number = (option->type == SG_OPTION_NUMBER || option->type == SG_OPTION_NUMBER64) && !choices_of(option);
    add_default(&standard, option, place);
    sg_text_add(&out, option->help);
    if (is_number && option->most > 0 && option->most <= UINT16_MAX)
        sg_text_addf(&out, " (%" PRIu64 " to %" PRIu64 "%s", option->least, option->most, standard.length > 0 ? "; " : ")");
    else if (standard.length > 0)
        sg_text_add(&out, " (");
    if (standard.length > 0)
        sg_text_addf(&out, "default: %s)", standard.data);
    if (option->repeats)
        sg_text_add(&out, "; may repeat");
    sg_text_release(&standard);
    return out.data;
}

void sg_options_add_exits(struct sg_text *out, const struct sg_option_exit *exits, size_t count)
{
    for (size_t i = 0; i < count && (i == 0 || exits[i].code != SG_EXIT_DONE); i++) {
        const char *meaning = exits[i].meaning ? exits[i].meaning : sg_exit_meaning(exits[i].code);
        sg_text_addf(out, "%s %d %s", i ? ";" : "", (int)exits[i].code, meaning);
    }
    sg_text_add(out, ".");
}

static char *doc_of(const struct sg_options *options)
{
    struct sg_text out = {0};
    sg_text_addf(&out, "%s\v%s%sExit codes:", options->summary, options->notes ? options->notes : "", options->notes ? "\n\n" : "");
    sg_options_add_exits(&out, options->exits, sizeof(options->exits) / sizeof(options->exits[0]));
    return out.data;
}

/* Keys of old names are those of the options, and so many more as there are
 * options. Help does not show them. */
static void add_old_names(const struct parsing *p, struct argp_option *rows)
{
    for (size_t i = 0, next = 0; i < p->option_count; i++) {
        const struct sg_option *option = &p->options->options[i];
        if (option->was)
            rows[next++] = (struct argp_option){.name = option->was,
                                                .key = FIRST_KEY + (int)(p->option_count + i),
                                                .arg = option->arg,
                                                .flags = OPTION_HIDDEN | (option->bare ? OPTION_ARG_OPTIONAL : 0)};
    }
}

/* argp's table, with -h behind what is the command's own, and old names behind
 * that; the texts in it are owned. */
static struct argp_option *rows_for_argp(const struct parsing *p)
{
    struct argp_option *rows = sg_alloc(2 * p->option_count + 2, sizeof(*rows));
    for (size_t i = 0; i < p->option_count; i++) {
        const struct sg_option *option = &p->options->options[i];
        rows[i] = (struct argp_option){
            .name = option->name,
            .key = FIRST_KEY + (int)i,
            .arg = option->arg,
            .flags = option->bare ? OPTION_ARG_OPTIONAL : 0,
            .doc = help_of(option, p->input + option->place),
        };
    }
    rows[p->option_count] = (struct argp_option){.name = "help", .key = 'h', .doc = sg_copy_string("print this and leave"), .group = -1};
    add_old_names(p, rows + p->option_count + 1);
    return rows;
}

/* argv[0] is "solgate compare", and who prints the error says solgate already. */
static const char *command_of(const char *name)
{
    const char *blank = strchr(name, ' ');
    return blank ? blank + 1 : name;
}

static void parse(struct parsing *p, const struct argp *argp, int argc, char **argv)
{
    const error_t failed = argp_parse(argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, p);
    if (p->helped)
        argp_help(argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, argv[0]);
    else if (failed != 0)
        sg_fail(p->err, SG_BAD_USAGE, p->command, "'%s' is no option, or lacks its argument; %s -h shows what there is",
                p->next > 0 && p->next <= argc ? argv[p->next - 1] : "", argv[0]);
    else
        check(p, p->err);
}

bool sg_options_parse(const struct sg_options *options, void *input, int argc, char **argv, struct sg_err *err)
{
    struct parsing p = {.options = options, .input = input, .command = command_of(argv[0]), .err = err};
    struct sg_text usage = {0};
    p.option_count = count_rows(options->options);
    p.argument_count = count_rows(options->arguments);
    p.given = sg_alloc(p.option_count, sizeof(*p.given));
    struct argp_option *rows = rows_for_argp(&p);
    char *doc = doc_of(options);
    add_arguments(&usage, options);
    const struct argp argp = {
        .options = rows,
        .parser = take,
        .args_doc = options->usage ? options->usage : usage.data,
        .doc = doc,
    };
    parse(&p, &argp, argc, argv);
    for (size_t i = 0; i <= p.option_count; i++)
        free((char *)rows[i].doc);
    free(rows);
    free(doc);
    free(p.given);
    sg_text_release(&usage);
    return !p.helped && err->code == SG_SUCCESS;
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
