#include "cli/command.h"

#include "reports/report.h"
#include "results/run_reader.h"
#include "util/options.h"

struct gap_options {
    const char *run;
    const char *spec;
    const struct sg_format *format;
    const char *out; /* NULL: the table goes to stdout alone */
};

static enum sg_code print_gap(const struct gap_options *options, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_sol_table gaps = {0};
    struct sg_text text = {0};

    if (sg_run_read(options->run, &run, err) != SG_SUCCESS ||
        sg_sol_table_make(&run.table, &run.env, options->spec, &gaps, err) != SG_SUCCESS)
        goto out;
    options->format->gap(&gaps, &text);
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
    static const struct sg_option options[] = {
        {.name = "gpu-spec",
         .arg = "KEY",
         SG_INTO(struct gap_options, spec),
         .help = "peaks of metrics/gpus/KEY.gpu",
         .standard = "the GPU of the run"},
        {.name = "format",
         .arg = "text|csv|markdown",
         SG_INTO(struct gap_options, format),
         .read = sg_format_of_gap,
         .help = "how the table is written",
         .standard = "text"},
        {.name = "out",
         .arg = "DIR",
         SG_INTO(struct gap_options, out),
         .help = "also write gap.csv, gap.md, and bars and rooflines as PNG and SVG"},
        {0},
    };
    static const struct sg_option arguments[] = {{.name = "RUN", SG_INTO(struct gap_options, run), .help = SG_RUN_HELP}, {0}};
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary =
            "How far each variant is from the speed of light: the time its work needs at the GPU's peaks, and the measured time over it.",
        .notes =
            "RUN is the folder of a run, or the run.csv in it. Each case has its baseline first, then the fastest; what was not timed "
            "is last. With a time or counters that cannot be the exit code is 3, whichever GPU the table is for: a run is held against the "
            "limits of its own.\n\n"
            "Example: solgate gap night/ --gpu-spec=h200 --out=night/gap",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct gap_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err))
        print_gap(&given, err);
    return 0;
}
