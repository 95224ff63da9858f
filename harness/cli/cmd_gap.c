#include "cli/command.h"

#include "cli/judged_run.h"

struct gap_options {
    struct sg_names runs;
    struct sg_filters filters;
    uint64_t top; /* 0: all */
    const char *spec;
    const struct sg_format *format;
};

static enum sg_code print_gap(const struct gap_options *options, struct sg_err *err)
{
    struct sg_document document = {.name = "gap"};
    const size_t count = options->runs.count;
    struct sg_run *run = sg_alloc(count, sizeof(*run));
    struct sg_sol_table *gaps = sg_alloc(count, sizeof(*gaps));
    for (size_t i = 0; i < count; i++) {
        const char *path = options->runs.items[i];
        if (sg_run_read(path, &run[i], err) != SG_SUCCESS ||
            sg_filters_check_table(&options->filters, &run[i].table, path, err) != SG_SUCCESS ||
            sg_sol_table_make(&run[i].table, &run[i].env, options->spec, false, &gaps[i], err) !=
                SG_SUCCESS)
            return err->code;
        gaps[i].path = path;
        sg_sol_table_keep(&gaps[i], &options->filters);
        if (options->top > 0)
            sg_sol_table_keep_best(&gaps[i], options->top);
    }
    sg_document_of_gaps(&document, gaps, count, false);
    for (size_t i = 0; i < count; i++)
        if (gaps[i].count == 0)
            sg_document_add_times(&document, &run[i].table);
    sg_print_document(&document, options->format, err);
    for (size_t i = 0; i < count; i++)
        sg_refusals_check(&gaps[i].refusals, gaps[i].path, err);
    return err->code;
}

static enum sg_code print_two(const struct gap_options *options, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    const struct sg_judge_request request = {
        .sides = {.run = options->runs.items[1], .baseline = options->runs.items[0]},
        .filters = &options->filters,
        .catalogue = &catalogue};
    return sg_catalogue_load(&catalogue, err) == SG_SUCCESS
               ? sg_print_side_by_side(&request, options->spec, options->top, options->format, err)
               : err->code;
}

int sg_cmd_gap(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FILTER_OPTIONS(struct gap_options, filters, "only these variants, and their baselines"),
        SG_VALUE("top", "N", struct gap_options, top,
                 .help =
                     "per case only the baseline and the N others with the smallest gap; of two "
                     "runs the N items that gain least",
                 .least = 1, .standard = "all"),
        SG_VALUE("gpu-spec", "KEY", struct gap_options, spec, .help = SG_SPEC_HELP,
                 .standard = "the GPU of the run"),
        SG_FORMAT_OPTION(struct gap_options),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct gap_options, runs, .help = SG_RUN_HELP,
                                  .repeats = true)},
        .usage = "RUN...\nA B",
        .summary = "How far each variant is from the speed of light: the time its work needs at "
                   "the GPU's peaks, and the measured time over it. "
                   "Of two runs, A and B: what each item gains from B.",
        .notes =
            "RUN is the folder of a run, or the run.csv in it. Cases whose best variant is "
            "farthest from its limit come first, and cases that a launch bounds come last; in "
            "a case the smallest gap comes first. A paired variant has its baseline's time "
            "times the paired "
            "ratio, so that the order agrees with the verdicts. Where the launch floor of the "
            "GPU was measured (`solgate doctor "
            "--ceilings`), no limit is below it. The exit code is 3 if a time is shorter than "
            "the GPU allows, or if counters are impossible. Kernels of a program have the limit of "
            "the work that the group `work` of `solgate exec` counted.\n\n"
            "A and B may be of one GPU model or of two. Each item has its time on both, its share "
            "of each GPU's limit, and the ratio of the times beside that of the limits. Items that "
            "gain less than the hardware come first. This is information, not a verdict; it is the "
            "table of `solgate compare B A --info`.\n\n"
            "Example: solgate gap night/ --top=3\n"
            "         solgate gap h100/ h200/ --case='m8192*'\n"
            "         solgate gap night/ --gpu-spec=h200 --format=markdown",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct gap_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err))
        given.runs.count == 2 ? print_two(&given, err) : print_gap(&given, err);
    return 0;
}
