#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "results/aa_log.h"
#include "stats/aa_check.h"
#include "util/csv_reader.h"
#include "util/escape.h"
#include "util/options.h"
#include "util/paths.h"

struct input {
    struct sg_names paths;
    const char *append; /* a tally that takes the pairs; NULL: none */
    bool csv;
};

static enum sg_code read_tally(const char *path, struct sg_aa_log *tally, struct sg_err *err)
{
    struct sg_text file = {0};
    sg_text_add(&file, path);
    const bool is_folder = sg_is_folder(path);
    if (is_folder)
        sg_text_add(&file, "/" SG_AA_LOG_FILE);
    if (is_folder && access(file.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path, "expected the folder of a run of `solgate ab`, or a tally file; its " SG_AA_LOG_FILE ": %s",
                strerror(errno));
    else
        sg_aa_log_read(file.data, tally, err);
    sg_text_release(&file);
    return err->code;
}

/* Everything there is to count, and what is kept of it: a pair that is there twice
 * leaves the file of --append as it is. */
static enum sg_code gather(const struct input *in, struct sg_aa_log *tally, struct sg_err *err)
{
    struct stat facts;
    if (in->append && stat(in->append, &facts) == 0)
        sg_aa_log_read(in->append, tally, err);
    for (size_t i = 0; i < in->paths.count && err->code == SG_SUCCESS; i++)
        read_tally(in->paths.items[i], tally, err);
    if (err->code == SG_SUCCESS && sg_aa_log_finish(tally, err) == SG_SUCCESS && in->append)
        sg_aa_log_write(in->append, tally, err);
    return err->code;
}

static void add_text(const struct sg_aa_log_sum *sum, struct sg_text *out)
{
    const size_t wrong = sum->regressed + sum->improved;
    sg_add_terminal(out, sum->gpu);
    sg_text_addf(out, ": %zu pair%s of a kernel with itself, %zu false verdict%s", sum->pairs, sum->pairs == 1 ? "" : "s", wrong,
                 wrong == 1 ? "" : "s");
    if (wrong > 0)
        sg_text_addf(out, " (%zu regressed, %zu improved)", sum->regressed, sum->improved);
    if (sum->inconclusive > 0)
        sg_text_addf(out, ", %zu inconclusive", sum->inconclusive);
    sg_text_addf(out, "; fewer than %.2g %% are false, at 95 %%\n", 100 * sg_false_rate_bound(wrong, sum->pairs));
}

static void add_csv(const struct sg_aa_log_sum *sum, struct sg_text *out)
{
    sg_csv_add_field(out, sum->gpu);
    sg_text_add(out, ",");
    sg_csv_add_field(out, sum->gpu_name);
    sg_text_addf(out, ",%zu,%zu,%zu,%zu,", sum->pairs, sum->regressed, sum->improved, sum->inconclusive);
    sg_text_add_number(out, sg_false_rate_bound(sum->regressed + sum->improved, sum->pairs), 9);
    sg_text_add(out, "\n");
}

static enum sg_code show(const struct input *in, struct sg_err *err)
{
    struct sg_aa_log tally = {0};
    struct sg_text out = {0};
    gather(in, &tally, err);
    if (in->csv)
        sg_text_add(&out, "gpu,gpu_name,pairs,regressed,improved,inconclusive,false_rate_bound\n");
    else if (tally.count == 0)
        sg_text_add(&out, "no pair in these files\n");
    for (size_t i = 0; i < tally.count; i++)
        (in->csv ? add_csv : add_text)(&tally.sums[i], &out);
    if (err->code == SG_SUCCESS)
        sg_print(&out, err);
    sg_text_release(&out);
    sg_aa_log_release(&tally);
    return err->code;
}

int sg_cmd_aa(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        {.name = "append",
         .arg = "FILE",
         SG_INTO(struct input, append),
         .help = "add the pairs to this tally, new or not, and count all that it then has"},
        {.name = "format", .arg = "text|csv", SG_INTO(struct input, csv), .help = "how it is written"},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "RUN", SG_INTO(struct input, paths), .repeats = true, .help = "the folder of a run of `solgate ab`, or a tally file"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "The false-alarm rate: counts pairs of a kernel with itself, and the verdicts on them that are false, by GPU, with the "
                   "largest rate of false verdicts that agrees with that at 95 % (exact binomial bound).",
        .notes = "RUN is the folder of a run of `solgate ab`, or a file of the form of its aa.csv, such as a tally that is kept.\n\n"
                 "A pair that is there twice is refused, and nothing is added.\n\n"
                 "Examples:\n"
                 "  solgate aa out/ab-*\n"
                 "  solgate aa --append=baselines/h200/aa.csv out/ab-*",
        .exits = {{SG_EXIT_DONE, "counted"}, {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.append = NULL};
    if (sg_options_parse(&table, &in, argc, argv, err))
        show(&in, err);
    sg_names_release(&in.paths);
    return 0;
}
