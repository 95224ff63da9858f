#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/judged_run.h"

struct command {
    struct sg_names runs, against; /* runs: RUN [BASELINE], or NEW... if `against` is not empty */
    struct sg_results results;     /* of other tools; now NULL: none */
    const struct sg_format *format;
    bool explain, verbose, info;
    struct sg_filters filters;
    struct sg_compare_options options;
};

/* CSV cannot hold a note, so stderr reports a selection. */
static void print_selection(const struct command *command)
{
    SG_SCOPED(sg_text) selection = {0};
    sg_filters_add_to(&selection, &command->filters);
    if (selection.length > 0 && command->format == sg_format_find("csv"))
        fprintf(stderr, "solgate: compare: only the items%s are judged\n", selection.data);
}

/* Writes the failure into the output, so that no reader mistakes it for a green comparison. */
static void print_refusal(const struct command *command, const struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (command->format->refusal) {
        command->format->refusal(err, &text);
        sg_print(&text, SG_IGNORED);
    }
}

static int compare(const struct command *command, struct sg_err *err)
{
    int exit_code = 0;
    struct sg_catalogue catalogue = {0};
    struct sg_judged_run judged = {.comparison = {.count = 0}};
    SG_SCOPED(sg_text) text = {0};
    const struct sg_judge_request request = {
        .sides = {.run = command->runs.items[0],
                  .baseline = command->runs.count > 1 ? command->runs.items[1] : NULL,
                  .results = command->results.now ? &command->results : NULL},
        .filters = &command->filters,
        .catalogue = &catalogue};

    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS && command->info) {
        sg_print_side_by_side(&request, NULL, 0, command->format, err);
        return exit_code;
    }
    if (err->code != SG_SUCCESS || sg_judge_run(&request, &judged, err) != SG_SUCCESS) {
        print_refusal(command, err);
        return exit_code;
    }
    struct sg_report_input input = sg_judged_report(&judged, &request);
    input.colour = isatty(STDOUT_FILENO) != 0;
    input.explain = command->explain;
    input.verbose = command->verbose;
    input.options = command->options;
    sg_format_comparison(command->format, &input, &text);
    if (err->code == SG_SUCCESS && sg_print(&text, err) == SG_SUCCESS)
        exit_code = sg_comparison_exit_code(&judged.comparison, &command->options);
    print_selection(command);
    return exit_code;
}

static enum sg_code check_text_only(const struct command *command, struct sg_err *err)
{
    if (command->info && (command->explain || command->verbose || command->results.gates ||
                          !command->format->document))
        return sg_fail(err, SG_BAD_USAGE, "compare",
                       "--info shows no verdict: it cannot be combined with --explain, --verbose, "
                       "--gate or --format=junit");
    if ((command->explain || command->verbose) && command->format != sg_format_find("text"))
        return sg_fail(err, SG_BAD_USAGE, "compare",
                       "--%s is for --format=text: it cannot be combined with --format=%s",
                       command->explain ? "explain" : "verbose", command->format->name);
    return SG_SUCCESS;
}

/* Results of other tools: both sides are lists. `compare NEW OLD --gate` is `compare NEW
 * --against=OLD --gate`. */
static enum sg_code take_sides(struct command *command, struct sg_err *err)
{
    struct sg_names *now = &command->runs, *then = &command->against;
    const bool is_gate = command->results.gates || command->results.tolerance > 0;
    if (then->count == 0 && now->count > 2)
        return sg_fail(err, SG_BAD_USAGE, "compare",
                       "expected RUN and BASELINE, found %zu: name the older files after --against",
                       now->count);
    if (then->count == 0 && is_gate && now->count == 2)
        sg_names_add(then, now->items[--now->count]);
    if (then->count == 0 && is_gate)
        return sg_fail(err, SG_BAD_USAGE, "compare",
                       "--gate and --tolerance need the older results: --against OLD...");
    command->results.now = then->count > 0 ? now : NULL;
    command->results.then = then;
    return SG_SUCCESS;
}

/* "--against a b --gate" as "--against a --against b --gate": all words up to the next option. */
static char **repeat_against(int *argc, char **argv)
{
    static char option[] = "--against";
    char **all = sg_alloc(2 * (size_t)*argc + 1, sizeof(*all));
    int count = 0;
    bool is_after = false;
    for (int i = 0; i < *argc; i++) {
        const bool is_value = argv[i][0] != '-' && is_after;
        if (is_value)
            all[count++] = option;
        const bool is_option = strcmp(argv[i], option) == 0,
                   has_values = i + 1 < *argc && argv[i + 1][0] != '-';
        is_after = is_value || is_option || strncmp(argv[i], "--against=", 10) == 0;
        if (!is_option || !has_values)
            all[count++] = argv[i];
    }
    *argc = count;
    return all;
}

int sg_cmd_compare(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION_OF_COMPARISON(struct command, format),
        SG_FLAG("explain", struct command, explain,
                .help = "list also rows that are slower than their baseline variant, as accepted, "
                        "with the counters that changed (text)"),
        SG_FLAG("verbose", struct command, verbose,
                .help = "list every row and every counter that differs, green rows too (text)"),
        SG_FILTER_OPTIONS(struct command, filters,
                          "only these variants, and the baselines that they are compared with"),
        SG_BASELINES_OPTION,
        SG_VALUE(
            "inconclusive", "pass|fail", struct command, options.inconclusive_fails,
            .help =
                "whether rows that are too noisy to judge pass, or fail the comparison (exit 2)"),
        SG_VALUE("against", "OLD...", struct command, against,
                 .help = "older results of another tool: its files, or the run imported from them; "
                         "RUN is then NEW...; each of several files is a replicate",
                 .repeats = true),
        SG_FLAG("gate", struct command, results.gates,
                .help = "results of another tool decide the exit code; without it they are shown"),
        SG_VALUE("tolerance", "RATIO", struct command, results.tolerance,
                 .help = "the slowdown of such results that is accepted, such as 3%",
                 .standard = "5%"),
        SG_FLAG("info", struct command, info,
                .help = "show both side by side, also of two GPU models, without a verdict: the "
                        "table of `solgate gap BASELINE RUN`"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct command, runs, .help = SG_RUN_HELP,
                                  .repeats = true)},
        .usage = "RUN [BASELINE]\nNEW... --against OLD... --gate",
        .summary = "Judges a run: candidates against their family's baseline variant, and every "
                   "row against its accepted number.",
        .notes = "RUN is the folder of a run, or the run.csv in it. BASELINE is a file of accepted "
                 "numbers or another run; by default "
                 "baselines/<suite>.csv: those of the run's own GPU, if there are some, before "
                 "those of its model.\n\n"
                 "Example: solgate compare night/ --format=markdown\n"
                 "         solgate compare new/*.json --against old/*.json --tolerance=3% --gate",
        .exits = SG_EXITS_JUDGED,
    };
    const struct sg_format *text = sg_format_find("text");
    struct command command = {.format = text, .options = {.inconclusive_fails = true}};
    SG_FREED char **repeated = repeat_against(&argc, argv);
    if (!sg_options_parse(&table, &command, argc, repeated, err) ||
        check_text_only(&command, err) != SG_SUCCESS || take_sides(&command, err) != SG_SUCCESS)
        return 0;
    return compare(&command, err);
}
