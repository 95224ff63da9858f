#include "cli/command.h"

#include "reports/report.h"
#include "results/run_reader.h"
#include "util/options.h"

enum { KEY_SPEC = 256, KEY_FORMAT, KEY_OUT }; /* above every character: long options only */

struct gap_options {
    const char *run;
    const char *spec;
    const char *format; /* NULL: text */
    const char *out;    /* NULL: the table goes to stdout alone */
    struct sg_err *err;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gap_options *options = state->input;
    switch (key) {
    case KEY_SPEC:
        return sg_option_text(options->err, state, "--gpu-spec=KEY", arg, &options->spec);
    case KEY_FORMAT:
        return sg_option_text(options->err, state, "--format", arg, &options->format);
    case KEY_OUT:
        return sg_option_text(options->err, state, "--out=DIR", arg, &options->out);
    case ARGP_KEY_ARG:
        if (options->run)
            return sg_option_fail(options->err, state, "one RUN expected, found '%s' after '%s'", arg, options->run);
        options->run = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return sg_option_fail(options->err, state, "RUN is missing: the folder of a run, or its run.csv");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum sg_code print_gap(const struct gap_options *options, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_sol_table gaps = {0};
    struct sg_text text = {0};
    const struct sg_format *format = sg_format_of_gap(options->format ? options->format : "text", err);

    if (!format)
        goto out;
    if (sg_run_read(options->run, &run, err) != SG_SUCCESS ||
        sg_sol_table_make(&run.table, &run.env, options->spec, &gaps, err) != SG_SUCCESS)
        goto out;
    format->gap(&gaps, &text);
    if (sg_print(&text, err) == SG_SUCCESS && options->out)
        sg_sol_table_write(options->out, &gaps, &run.env, err);
    sg_refusals_check(&gaps.refusals, options->run, err);
out:
    sg_text_release(&text);
    sg_sol_table_release(&gaps);
    sg_run_release(&run);
    return err->code;
}

int sg_cmd_gap(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "gpu-spec", .key = KEY_SPEC, .arg = "KEY", .doc = "peaks of metrics/gpus/KEY.gpu (default: the GPU of the run)"},
        {.name = "format", .key = KEY_FORMAT, .arg = "FORMAT", .doc = "text (default), csv or markdown"},
        {.name = "out", .key = KEY_OUT, .arg = "DIR", .doc = "also write gap.csv, gap.md, and bars and rooflines as PNG and SVG"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "RUN",
        .doc =
            "How far each variant is from the speed of light: the time its work needs at the GPU's peaks, and the measured time over it."
            "\vRUN is the folder of a run, or the run.csv in it. Each case has its baseline first, then the fastest; what was not timed "
            "is last. With a time or counters that cannot be the exit code is 3, whichever GPU the table is for: a run is held against the "
            "limits of its own.\n\n"
            "Example: solgate gap night/ --gpu-spec=h200 --out=night/gap\n\n" SG_EXIT_CODES_UNJUDGED_HELP,
    };
    struct gap_options options = {.err = err};
    bool helped = false;

    if (sg_options_parse(&(struct sg_options){&argp, &options}, argc, argv, &helped, err) != SG_SUCCESS || helped)
        return 0;
    print_gap(&options, err);
    return 0;
}
