#include "util/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

/* key of the first option, above every character; -h is the only short option */
#define FIRST_KEY   256
#define HELP_COLUMN 29

struct parsing {
    const struct sg_options *options;
    char *input;
    size_t option_count, argument_count;
    const char **given;  /* owned; value of each option; NULL: not given yet */
    const char *last;    /* last argument taken; NULL: none */
    size_t taken;        /* number of arguments taken */
    const char *command; /* for error messages */
    struct sg_err *err;
};

static const char *arg_of(const struct sg_option *option)
{
    return option->arg_of ? option->arg_of() : option->arg;
}

/* "a|b"; NULL: any value is valid. */
static const char *choices_of(const struct sg_option *option)
{
    const char *words = arg_of(option) ? arg_of(option) : option->name;
    const bool is_index = option->type == SG_FIELD_YES || option->type == SG_FIELD_COUNT;
    return is_index && strchr(words, '|') ? words : NULL;
}

/* ---- one value ---- */

static enum sg_code read_value(const struct sg_option *option, void *place, const char *found,
                               struct sg_err *err)
{
    const struct sg_field field = {.type = option->type,
                                   .size = option->size,
                                   .least = (double)option->least,
                                   .most = (double)option->most};
    const struct sg_ini_entry entry = {.value = found};
    unsigned index = 1;
    if (option->read)
        return option->read(place, found, err);
    if (choices_of(option) && sg_parse_choice(choices_of(option), found, &index, err) != SG_SUCCESS)
        return err->code;
    if (option->type == SG_FIELD_YES)
        *(bool *)place = index == 1;
    else if (choices_of(option))
        *(unsigned *)place = index;
    else if (!*found && !option->bare && option->type != SG_FIELD_COUNT)
        sg_fail(err, SG_BAD_USAGE, NULL, "expected %s, found ''",
                arg_of(option) ? arg_of(option) : option->name);
    else
        sg_field_read(&field, &entry, place, NULL, err);
    return err->code;
}

/* An error names the option: "--gpu: expected ..., found ...". An argument with choices has no
 * name. */
static enum sg_code take_value(const struct parsing *p, const struct sg_option *option,
                               const char *dashes, const char *found)
{
    struct sg_err why = {0};
    if (read_value(option, p->input + option->offset, found, &why) == SG_SUCCESS)
        return SG_SUCCESS;
    if (!*dashes && choices_of(option))
        return sg_fail(p->err, SG_BAD_USAGE, p->command, "%s", why.message);
    return sg_fail(p->err, SG_BAD_USAGE, p->command, "%s%s: %s", dashes, option->name, why.message);
}

/* An option given twice is ambiguous. */
static enum sg_code take_option(const struct parsing *p, size_t index, const char *found)
{
    const struct sg_option *option = &p->options->options[index];
    const char *first = p->given[index];
    if (first && arg_of(option) && !option->repeats)
        return sg_fail(p->err, SG_BAD_USAGE, p->command,
                       "expected --%s=%s once, found '%s' and '%s'", option->name, arg_of(option),
                       sg_show_string(first).text, sg_show_string(found).text);
    p->given[index] = found;
    if (option->given > 0)
        *(bool *)(p->input + option->given) = true;
    return take_value(p, option, "--", found);
}

/* "RUN [BASELINE]", "RUN..." */
static void add_arguments(struct sg_text *out, const struct sg_options *options)
{
    for (const struct sg_option *row = options->arguments; row && row->name; row++)
        sg_text_addf(out, "%s%s%s%s%s", out->length > 0 ? " " : "", row->optional ? "[" : "",
                     row->name, row->repeats ? "..." : "", row->optional ? "]" : "");
}

static enum sg_code take_argument(struct parsing *p, const char *found)
{
    const struct sg_option *rows = p->options->arguments;
    SG_SCOPED(sg_text) expected = {0};
    size_t index = p->taken++;
    if (index >= p->argument_count && p->argument_count > 0 && rows[p->argument_count - 1].repeats)
        index = p->argument_count - 1;
    if (index < p->argument_count) {
        p->last = found;
        return take_value(p, &rows[index], "", found);
    }
    add_arguments(&expected, p->options);
    if (p->last)
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected %s, found '%s' after '%s'",
                expected.data, sg_show_string(found).text, sg_show_string(p->last).text);
    else
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected options only, found '%s'",
                sg_show_string(found).text);
    return p->err->code;
}

/* ---- checks over all options ---- */

/* Index of the named option, which is in the table; SIZE_MAX if name is NULL. */
static size_t index_of(const struct parsing *p, const char *name)
{
    for (size_t i = 0; name && i < p->option_count; i++)
        if (strcmp(p->options->options[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

struct form {
    char text[80];
};

/* "--out=DIR" */
static struct form form_of(const struct sg_option *option)
{
    struct form form;
    const char *arg = arg_of(option);
    snprintf(form.text, sizeof(form.text), "--%s%s%s", option->name, arg ? "=" : "",
             arg ? arg : "");
    return form;
}

static enum sg_code check_option(const struct parsing *p, size_t index, struct sg_err *err)
{
    const struct sg_option *options = p->options->options, *option = &options[index];
    const size_t needed = index_of(p, option->needs), other = index_of(p, option->without);
    if (option->required && !p->given[index])
        return sg_fail(err, SG_BAD_USAGE, p->command, "%s is missing: %s", form_of(option).text,
                       option->help);
    if (p->given[index] && needed < SIZE_MAX && !p->given[needed])
        return sg_fail(err, SG_BAD_USAGE, p->command, "--%s needs %s", option->name,
                       form_of(&options[needed]).text);
    if (p->given[index] && other < SIZE_MAX && p->given[other])
        return sg_fail(err, SG_BAD_USAGE, p->command, "--%s cannot go with --%s", option->name,
                       option->without);
    return SG_SUCCESS;
}

static void add_usages(struct sg_text *out, const struct sg_option_usage *usages, unsigned bits)
{
    for (unsigned i = 0; usages[i].usage; i++)
        if (bits >> i & 1)
            sg_text_addf(out, "%s%s", out->length > 0 ? " | " : "", usages[i].usage);
}

/* Does this usage accept each given option, and this number of arguments? */
static enum sg_code check_usage(const struct parsing *p, struct sg_err *err)
{
    const unsigned index = p->options->usage_of(p->input);
    const struct sg_option_usage *of = &p->options->usages[index];
    SG_SCOPED(sg_text) usages = {0};
    for (size_t i = 0; i < p->option_count; i++) {
        const struct sg_option *option = &p->options->options[i];
        if (!p->given[i] || option->usages == 0 || option->usages >> index & 1)
            continue;
        add_usages(&usages, p->options->usages, option->usages);
        return sg_fail(err, SG_BAD_USAGE, p->command, "--%s goes with: %s", option->name,
                       usages.data);
    }
    if (p->taken < of->least || p->taken > of->most)
        sg_fail(err, SG_BAD_USAGE, p->command, "expected %s, found %zu argument%s", of->usage,
                p->taken, SG_PLURAL(p->taken));
    return err->code;
}

static enum sg_code check(const struct parsing *p, struct sg_err *err)
{
    const struct sg_option *next = &p->options->arguments[p->taken];
    if (p->taken < p->argument_count && !next->optional)
        return sg_fail(err, SG_BAD_USAGE, p->command, "%s is missing: %s", next->name, next->help);
    if (p->options->usage_of && check_usage(p, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < p->option_count && err->code == SG_SUCCESS; i++)
        check_option(p, i, err);
    return err->code;
}

/* ---- the command again ---- */

static uint64_t number_at(const struct sg_option *option, const void *place)
{
    return option->size == sizeof(unsigned) ? *(const unsigned *)place : *(const uint64_t *)place;
}

static void add_value(struct sg_text *out, const struct sg_option *option, const void *place)
{
    const char *choices = choices_of(option);
    if (choices)
        sg_text_add_choice(out, choices, *(const unsigned *)place);
    else if (option->type == SG_FIELD_COUNT)
        sg_text_addf(out, "%" PRIu64, number_at(option, place));
    else if (option->type == SG_FIELD_RATIO)
        sg_text_addf(out, "%s%.9g%%", SG_WIDE_IF(*(const double *)place),
                     100 * *(const double *)place);
    else
        sg_text_add_word(out, *(const char *const *)place);
}

static bool is_standard(const struct sg_option *option, const void *place, const void *standard)
{
    return option->type == SG_FIELD_TEXT
               ? !*(const char *const *)place
               : (option->type == SG_FIELD_YES || option->type == SG_FIELD_COUNT) &&
                     memcmp(place, standard, option->size) == 0;
}

void sg_options_add_kept(struct sg_text *out, const struct sg_option *options, size_t count,
                         const void *input, const void *defaults)
{
    for (const struct sg_option *option = options; option < options + count; option++) {
        const void *place = (const char *)input + option->offset;
        if (!option->kept || is_standard(option, place, (const char *)defaults + option->offset))
            continue;
        const struct sg_names *names = option->type == SG_FIELD_NAMES ? place : NULL;
        for (size_t i = 0; i < (names ? names->count : 1); i++) {
            sg_text_addf(out, " --%s%s", option->name, option->type == SG_FIELD_YES ? "" : "=");
            if (option->type != SG_FIELD_YES)
                add_value(out, option, names ? (const void *)&names->items[i] : place);
        }
    }
}

/* ---- help ---- */

static void add_default(struct sg_text *out, const struct sg_option *option, const void *place)
{
    const char *choices = choices_of(option);
    if (option->standard || option->required)
        sg_text_add(out, option->standard ? option->standard : "");
    else if (choices)
        sg_text_add_choice(out, choices,
                           option->type == SG_FIELD_YES ? *(const bool *)place
                                                        : *(const unsigned *)place);
    else if (option->type == SG_FIELD_COUNT)
        sg_text_addf(out, "%" PRIu64, number_at(option, place));
    else if (option->type == SG_FIELD_RATIO)
        sg_text_addf(out, "%g%%", 100 * *(const double *)place);
}

/* "seed of inputs (1 to 9; default: 1); may repeat" */
static void add_meaning(struct sg_text *out, const struct sg_option *option, const void *place)
{
    SG_SCOPED(sg_text) standard = {0};
    const bool is_number = option->type == SG_FIELD_COUNT && !choices_of(option);
    add_default(&standard, option, place);
    sg_text_add(out, option->help);
    if (is_number && option->most > 0 && option->most <= UINT16_MAX)
        sg_text_addf(out, " (%" PRIu64 " to %" PRIu64 "%s", option->least, option->most,
                     standard.length > 0 ? "; " : ")");
    else if (standard.length > 0)
        sg_text_add(out, " (");
    if (standard.length > 0)
        sg_text_addf(out, "default: %s)", standard.data);
    if (option->repeats)
        sg_text_add(out, "; may repeat");
}

/* "  --gpu=N                    number of the GPU" */
static void add_option(struct sg_text *out, const char *form, const char *meaning)
{
    const int room = HELP_COLUMN - 4;
    if (strlen(form) > (size_t)room)
        sg_text_addf(out, "  %s\n%*s", form, HELP_COLUMN, "");
    else
        sg_text_addf(out, "  %-*s  ", room, form);
    sg_add_wrapped(out, meaning, HELP_COLUMN, HELP_COLUMN);
    sg_text_add(out, "\n");
}

/* Lines that begin with a blank are preformatted. */
static void add_paragraphs(struct sg_text *out, const char *text)
{
    SG_SCOPED(sg_names) lines = {0};
    sg_names_add_split(&lines, text, '\n');
    for (size_t i = 0; i < lines.count; i++) {
        if (lines.items[i][0] == ' ')
            sg_text_add(out, lines.items[i]);
        else
            sg_add_wrapped(out, lines.items[i], 0, 0);
        sg_text_add(out, "\n");
    }
}

void sg_options_add_exits(struct sg_text *out, const struct sg_option_exit *exits, size_t count)
{
    for (size_t i = 0; i < count && (i == 0 || exits[i].code != SG_EXIT_DONE); i++) {
        const char *meaning = exits[i].meaning ? exits[i].meaning : sg_exit_meaning(exits[i].code);
        sg_text_addf(out, "%s %d %s", i ? ";" : "", (int)exits[i].code, meaning);
    }
    sg_text_add(out, ".");
}

/* "Usage: solgate list [OPTION...] WHAT"; further usages follow, one per line. */
static void add_usage(struct sg_text *out, const struct sg_options *options, const char *program)
{
    SG_SCOPED(sg_text) arguments = {0};
    SG_SCOPED(sg_names) forms = {0};
    add_arguments(&arguments, options);
    for (const struct sg_option_usage *one = options->usages; one->usage; one++)
        sg_names_add(&forms, one->usage);
    if (!options->usage_of)
        sg_names_add_split(&forms, options->usage ? options->usage : sg_text_string(&arguments),
                           '\n');
    for (size_t i = 0; i < forms.count; i++) {
        SG_FORMATTED(form, "%s [OPTION...] %s", program, forms.items[i]);
        sg_text_add(out, i == 0 ? "Usage: " : "  or:  ");
        sg_add_wrapped(out, form.data, 7, 12);
        sg_text_add(out, "\n");
    }
}

static enum sg_code print_help(const struct parsing *p, const char *program)
{
    const struct sg_options *options = p->options;
    SG_SCOPED(sg_text) out = {0}, exits = {0};
    add_usage(&out, options, program);
    add_paragraphs(&out, options->summary);
    sg_text_add(&out, "\n");
    for (size_t i = 0; i < p->option_count; i++) {
        const struct sg_option *option = &options->options[i];
        SG_SCOPED(sg_text) meaning = {0};
        add_meaning(&meaning, option, p->input + option->offset);
        add_option(&out, form_of(option).text, meaning.data);
    }
    add_option(&out, "-h, --help", "print this help and exit");
    sg_text_add(&out, "\n");
    if (options->notes) {
        add_paragraphs(&out, options->notes);
        sg_text_add(&out, "\n");
    }
    sg_text_add(&exits, "Exit codes:");
    sg_options_add_exits(&exits, options->exits,
                         sizeof(options->exits) / sizeof(options->exits[0]));
    add_paragraphs(&out, exits.data);
    sg_print(&out, p->err);
    return p->err->code;
}

/* argv[0] is "solgate compare", and the message already begins with solgate. */
static const char *command_of(const char *name)
{
    const char *blank = strchr(name, ' ');
    return blank ? blank + 1 : name;
}

/* getopt's table, ending with a row of zeros; owned by the caller. */
static struct option *rows_for_getopt(const struct parsing *p)
{
    struct option *rows = sg_alloc(p->option_count + 2, sizeof(*rows));
    for (size_t i = 0; i < p->option_count; i++) {
        const struct sg_option *option = &p->options->options[i];
        const int has_arg = option->bare     ? optional_argument
                            : arg_of(option) ? required_argument
                                             : no_argument;
        rows[i] =
            (struct option){.name = option->name, .has_arg = has_arg, .val = FIRST_KEY + (int)i};
    }
    rows[p->option_count] = (struct option){.name = "help", .val = 'h'};
    return rows;
}

/* getopt takes any beginning of a name. */
static bool is_abbreviated(const char *word, const char *name)
{
    return strncmp(word, "--", 2) == 0 && strcspn(word + 2, "=") < strlen(name);
}

/* Reports the word that getopt rejected, or took although it is abbreviated. `key` identifies its
 * option, if known. */
static void fail_option(const struct parsing *p, const char *word, int key, const char *program)
{
    const struct sg_option *option =
        key >= FIRST_KEY ? &p->options->options[key - FIRST_KEY] : NULL;
    SG_SCOPED(sg_names) names = {0};
    SG_SCOPED(sg_text) name = {0};
    for (size_t i = 0; i < p->option_count; i++)
        sg_names_addf(&names, "--%s", p->options->options[i].name);
    sg_names_add(&names, "--help");
    sg_text_add_bytes(&name, word, strcspn(word, "="));
    if (option && is_abbreviated(word, option->name))
        sg_fail(p->err, SG_BAD_USAGE, p->command,
                "unknown option '%s': is it --%s; options cannot be abbreviated",
                sg_show_string(word).text, option->name);
    else if (option && arg_of(option))
        sg_fail(p->err, SG_BAD_USAGE, p->command, "'%s' needs a value: %s",
                sg_show_string(word).text, form_of(option).text);
    else if (option)
        sg_fail(p->err, SG_BAD_USAGE, p->command, "expected %s without a value, found '%s'",
                form_of(option).text, sg_show_string(word).text);
    else
        sg_fail(p->err, SG_BAD_USAGE, p->command, "unknown option '%s'%s; %s -h lists the options",
                sg_show_string(word).text, sg_names_hint(&names, name.data).text, program);
}

/* Returns false after -h or an error. */
static bool take_all(struct parsing *p, int argc, char **argv)
{
    SG_FREED struct option *rows = rows_for_getopt(p);
    int key = 0;
    opterr = 0;
    optind = 0; /* restarts getopt, as in glibc */
    while (p->err->code == SG_SUCCESS && key != 'h' &&
           (key = getopt_long(argc, argv, "h", rows, NULL)) != -1)
        if (key >= FIRST_KEY && is_abbreviated(argv[optind - 1 - (optarg == argv[optind - 1])],
                                               rows[key - FIRST_KEY].name))
            fail_option(p, argv[optind - 1 - (optarg == argv[optind - 1])], key, argv[0]);
        else if (key >= FIRST_KEY)
            take_option(p, (size_t)(key - FIRST_KEY), optarg ? optarg : "");
        else if (key != 'h')
            fail_option(p, argv[optind - 1], optopt, argv[0]);
    for (int i = optind; i < argc && key == -1 && p->err->code == SG_SUCCESS; i++)
        take_argument(p, argv[i]);
    if (key == 'h')
        print_help(p, argv[0]);
    return key != 'h' && p->err->code == SG_SUCCESS;
}

bool sg_options_parse(const struct sg_options *options, void *input, int argc, char **argv,
                      struct sg_err *err)
{
    struct parsing p = {
        .options = options, .input = input, .command = command_of(argv[0]), .err = err};
    p.option_count = options->option_count;
    while (options->arguments[p.argument_count].name)
        p.argument_count++;
    p.given = sg_alloc(p.option_count, sizeof(*p.given));
    const bool is_taken = take_all(&p, argc, argv) && check(&p, err) == SG_SUCCESS;
    free(p.given);
    return is_taken;
}

enum sg_code sg_print(const struct sg_text *text, struct sg_err *err)
{
    errno = 0;
    if (fwrite(sg_text_string(text), 1, text->length, stdout) == text->length &&
        fflush(stdout) == 0)
        return SG_SUCCESS;
    if (errno != EPIPE)
        return sg_fail(err, SG_SYSTEM, "standard output", "cannot be written: %s", strerror(errno));
    /* A closed reader (`| head`) is not an error. */
    clearerr(stdout);
    return SG_SUCCESS;
}

int sg_find_program(int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    return i;
}
