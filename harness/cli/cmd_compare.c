#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "baseline/load.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/options.h"

enum { KEY_FORMAT = 256, KEY_INCONCLUSIVE, KEY_EXPLAIN }; /* above every character: long options only */

struct command {
    const char *run;
    const char *baseline; /* NULL: the one of the run's gpu and suite */
    const char *format;
    bool explain;
    struct sg_compare_options options;
    struct sg_err *err;
};

static error_t parse_inconclusive(const char *arg, struct command *command, const struct argp_state *state)
{
    const bool fails = strcmp(arg, "fail") == 0;
    if (!fails && strcmp(arg, "pass") != 0)
        return sg_option_fail(command->err, state, "--inconclusive=pass or --inconclusive=fail expected, found '%s'", arg);
    command->options.inconclusive_fails = fails;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *command = state->input;
    switch (key) {
    case KEY_FORMAT:
        command->format = arg;
        return 0;
    case KEY_EXPLAIN:
        command->explain = true;
        return 0;
    case KEY_INCONCLUSIVE:
        return parse_inconclusive(arg, command, state);
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            return sg_option_fail(command->err, state, "RUN and at most one BASELINE expected, found '%s' after them", arg);
        if (state->arg_num == 0)
            command->run = arg;
        else
            command->baseline = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return sg_option_fail(command->err, state, "RUN is missing: the folder of a run, or its run.csv");
    case ARGP_KEY_SUCCESS:
        if (command->explain && strcmp(command->format, "text") != 0)
            return sg_option_fail(command->err, state, "--explain lists more in the format text: it cannot go with --format=%s",
                                  sg_show(command->format, strlen(command->format)).text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What cannot be compared may still be broken, which no lack of accepted numbers hides. */
static void check_declared(const char *path, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_err unread = {0};
    if (sg_run_read(path, &run, &unread) == SG_SUCCESS)
        sg_check_declared(&run.table, path, err);
    sg_run_release(&run);
}

/* What is printed before an error stays printed. */
static void print_so_far(void *context, struct sg_text *text)
{
    struct sg_err *err = context;
    if (err->code == SG_SUCCESS)
        sg_print(text, err);
    text->length = 0;
}

static int compare(const struct command *command, struct sg_err *err)
{
    int exit_code = 0;
    struct sg_against against = {0};
    struct sg_catalogue catalogue = {0};
    struct sg_rules *rules = NULL;
    struct sg_comparison comparison = {0};
    struct sg_refusals refusals = {0};
    struct sg_text text = {0};
    const struct sg_format *format = sg_format_of_comparison(command->format, err);

    if (!format)
        goto out;
    if (sg_catalogue_load(&catalogue, err) != SG_SUCCESS || sg_rules_load(&catalogue, &rules, err) != SG_SUCCESS)
        goto out;
    if (sg_against_load(command->run, command->baseline, &catalogue, &against, err) != SG_SUCCESS)
        goto out;
    if (sg_refusals_make(&against.run.table, &against.run.env, NULL, &refusals, err) != SG_SUCCESS)
        goto out;
    if (sg_compare(&against.run.table, &against.run.env, &refusals, &against.baseline, &catalogue, &comparison, err) != SG_SUCCESS)
        goto out;
    const struct sg_report_input input = {
        .comparison = &comparison,
        .run = &against.run.table,
        .baseline = &against.baseline,
        .catalogue = &catalogue,
        .rules = rules,
        .env = &against.run.env,
        .note = refusals.unjudged,
        .events = sg_env_get(&against.run.env, "events"),
        .colour = isatty(STDOUT_FILENO) != 0,
        .explain = command->explain,
        .spill = print_so_far,
        .spill_context = err,
    };
    format->comparison(&input, &text);
    if (err->code == SG_SUCCESS && sg_print(&text, err) == SG_SUCCESS)
        exit_code = sg_comparison_exit_code(&comparison, &command->options);
out:
    if (err->code == SG_NOT_COMPARABLE)
        check_declared(command->run, err);
    sg_text_release(&text);
    sg_comparison_release(&comparison);
    sg_refusals_release(&refusals);
    sg_rules_free(rules);
    sg_catalogue_release(&catalogue);
    sg_against_release(&against);
    return exit_code;
}

int sg_cmd_compare(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "format", .key = KEY_FORMAT, .arg = "FORMAT", .doc = "text (default), csv, markdown or junit"},
        {.name = "explain",
         .key = KEY_EXPLAIN,
         .doc = "list also what is slower than its baseline variant, as accepted, with the counters that moved and, where cases "
                "differ in one dimension alone, how its extra time goes with that (text)"},
        {.name = "inconclusive",
         .key = KEY_INCONCLUSIVE,
         .arg = "pass|fail",
         .doc = "what a row does that is too noisy to judge (default: fail)"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "RUN [BASELINE]",
        .doc = "Judges a run: candidates against their family's baseline variant, and every row against its accepted number."
               "\vRUN is the folder of a run, or the run.csv in it. BASELINE is a baseline file or another run; by default "
               "baselines/<gpu>/<gpu_uuid_hash>/<suite>.csv, if the run's own GPU has one, else baselines/<gpu>/<suite>.csv.\n\n"
               "Example: solgate compare night/ --format=markdown\n\n" SG_EXIT_CODES_HELP,
    };
    struct command command = {.format = "text", .options = {.inconclusive_fails = true}, .err = err};
    bool helped = false;

    if (sg_options_parse(&(struct sg_options){&argp, &command}, argc, argv, &helped, err) != SG_SUCCESS || helped)
        return 0;
    return compare(&command, err);
}
