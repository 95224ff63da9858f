#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "reports/report.h"
#include "results/aa_log.h"
#include "stats/aa_check.h"
#include "util/options.h"
#include "util/paths.h"

struct input {
    struct sg_names paths;
    const struct sg_format *format;
};

static enum sg_code read_tally(const char *path, struct sg_aa_log *tally, struct sg_err *err)
{
    SG_SCOPED(sg_text) file = {0};
    sg_text_add(&file, path);
    const bool is_folder = sg_is_folder(path);
    if (is_folder)
        sg_text_add(&file, "/" SG_AA_LOG_FILE);
    if (is_folder && access(file.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path,
                "expected the folder of a run of `solgate ab`, or a tally file; its " SG_AA_LOG_FILE
                ": %s",
                strerror(errno));
    else
        sg_aa_log_read(file.data, tally, err);
    return err->code;
}

static const struct sg_column columns[] = {
    {.title = "gpu"},
    {.title = "gpu_name"},
    {.title = "pairs",
     .meaning = "of a kernel with itself",
     .right = true,
     .number = true,
     .unit = "1"},
    {.title = "regressed", .meaning = "false verdicts", .right = true, .number = true, .unit = "1"},
    {.title = "improved", .meaning = "false verdicts", .right = true, .number = true, .unit = "1"},
    {.title = "inconclusive", .right = true, .number = true, .unit = "1"},
    {.title = "false rate below",
     .name = "false_rate_bound",
     .meaning = "fewer verdicts are false, at 95 %",
     .right = true,
     .number = true,
     .unit = "1"},
};

static void add_sum(struct sg_sheet *sheet, const struct sg_aa_log_sum *sum)
{
    sg_sheet_row(sheet, sum->regressed + sum->improved > 0 ? SG_RED : SG_ASIDE);
    sg_sheet_cells(sheet, sum->gpu, sum->gpu_name);
    sg_sheet_numbers(sheet, (double)sum->pairs, (double)sum->regressed, (double)sum->improved,
                     (double)sum->inconclusive);
    /* rounded up, to remain an upper bound */
    sg_sheet_number(
        sheet, ceil(1e6 * sg_false_rate_bound(sum->regressed + sum->improved, sum->pairs)) / 1e6);
}

static enum sg_code show(const struct input *in, struct sg_err *err)
{
    SG_SCOPED(sg_aa_log) tally = {0};
    SG_SCOPED(sg_document) document = {.name = "aa"};
    struct sg_sheet *sheet = sg_document_sheet(&document, "gpus", SG_COLUMNS(columns), SG_FOR_ALL);
    for (size_t i = 0; i < in->paths.count && err->code == SG_SUCCESS; i++)
        read_tally(in->paths.items[i], &tally, err);
    for (size_t i = 0; i < tally.count; i++)
        add_sum(sheet, &tally.sums[i]);
    if (tally.count == 0)
        sg_document_note(&document, SG_FOR_ALL, "no pair in these files");
    if (err->code == SG_SUCCESS)
        sg_print_document(&document, in->format, err);
    return err->code;
}

int sg_cmd_aa(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION(struct input),
        {0},
    };
    static const struct sg_option arguments[] = {
        SG_ARGUMENT("RUN", struct input, paths,
                    .help = "the folder of a run of `solgate ab`, or a tally file",
                    .repeats = true),
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary =
            "The false-alarm rate: counts pairs of a kernel with itself, and the verdicts on them "
            "that are false, by GPU, with the "
            "largest rate of false verdicts that agrees with that at 95 % (exact binomial bound).",
        .notes = "RUN is the folder of a run of `solgate ab`, or a file of the form of its aa.csv, "
                 "such as a tally: the rows of many of "
                 "them.\n\n"
                 "A pair that occurs twice is refused.\n\n"
                 "Example: solgate aa baselines/h200/aa.csv out/ab-*",
        .exits = {{SG_EXIT_DONE, "counted"}, {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        show(&in, err);
    sg_names_release(&in.paths);
    return 0;
}
