#include "cli/command.h"

#include <stdlib.h>

#include "compare/compare.h"
#include "reports/report.h"
#include "results/run_reader.h"
#include "util/options.h"

struct gap_options {
    struct sg_names runs;
    struct sg_filters filters;
    uint64_t top; /* 0: all */
    const char *spec;
    const struct sg_format *format;
};

/* Runs and their gap tables, which the printed tables borrow. */
struct read_runs {
    struct sg_run *run; /* owned, like gaps */
    struct sg_sol_table *gaps;
    size_t count;
    bool is_pair; /* shown side by side; --top limits these rows */
};

/* Kernels of a program match as in a comparison of B with A. */
static enum sg_code pair_kernels(struct sg_run *a, const struct sg_run *b, struct sg_err *err)
{
    SG_FREED struct sg_accepted *rows = sg_alloc(a->table.count + 1, sizeof(*rows));
    struct sg_accepted_file as_accepted = {.table = a->table, .env = a->env, .accepted = rows};
    sg_pair_kernels(&b->table, &as_accepted, err);
    a->table = as_accepted.table;
    return err->code;
}

static enum sg_code make_gaps(const struct gap_options *options, size_t i, struct read_runs *read,
                              struct sg_err *err)
{
    const char *path = options->runs.items[i];
    struct sg_run *run = &read->run[i];
    struct sg_sol_table *gaps = &read->gaps[i];
    if (sg_filters_check_table(&options->filters, &run->table, path, err) != SG_SUCCESS ||
        sg_sol_table_make(&run->table, &run->env, options->spec, read->is_pair, gaps, err) !=
            SG_SUCCESS)
        return err->code;
    gaps->path = path;
    sg_sol_table_keep(gaps, &options->filters);
    if (options->top > 0 && !read->is_pair)
        sg_sol_table_keep_best(gaps, options->top);
    return SG_SUCCESS;
}

static enum sg_code print_gap(const struct gap_options *options, struct sg_err *err)
{
    struct sg_document document = {.name = "gap"};
    struct read_runs read = {
        .run = sg_alloc(options->runs.count, sizeof(*read.run)),
        .gaps = sg_alloc(options->runs.count, sizeof(*read.gaps)),
        .count = options->runs.count,
        .is_pair = options->runs.count == 2,
    };
    for (size_t i = 0; i < read.count && err->code == SG_SUCCESS; i++)
        sg_run_read(options->runs.items[i], &read.run[i], err);
    if (read.is_pair && err->code == SG_SUCCESS)
        pair_kernels(&read.run[0], &read.run[1], err);
    for (size_t i = 0; i < read.count && err->code == SG_SUCCESS; i++)
        make_gaps(options, i, &read, err);
    if (err->code != SG_SUCCESS)
        return err->code;
    if (read.is_pair)
        sg_document_of_two(&document, read.gaps, options->top);
    else
        sg_document_of_gaps(&document, read.gaps, read.count, false);
    for (size_t i = 0; i < read.count && !read.is_pair; i++)
        if (read.gaps[i].count == 0)
            sg_document_add_times(&document, &read.run[i].table);
    sg_print_document(&document, options->format, err);
    for (size_t i = 0; i < read.count; i++)
        sg_refusals_check(&read.gaps[i].refusals, options->runs.items[i], err);
    return err->code;
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
        {0},
    };
    static const struct sg_options table = {
        .options = options,
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
        print_gap(&given, err);
    return 0;
}
