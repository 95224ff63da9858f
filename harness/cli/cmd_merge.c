#include "cli/command.h"

#include "results/run_folder.h"
#include "schedule/merge.h"
#include "util/escape.h"

struct input {
    struct sg_names parts;
    const char *out;
};

/* Writes the run as a whole; an earlier merged run in its place is replaced. */
static enum sg_code merge(const struct input *in, struct sg_merged *merged, struct sg_err *err)
{
    struct sg_run_draft draft;
    if (sg_run_draft_begin(in->out, SG_ANY_MERGED, &draft, err) == SG_SUCCESS) {
        const struct sg_merge_request request = {.parts = &in->parts, .folder = draft.folder.data};
        if (sg_merge(&request, merged, err) == SG_SUCCESS)
            sg_run_draft_finish(&draft, err);
    }
    sg_run_draft_release(&draft);
    return err->code;
}

static enum sg_code describe(const struct input *in, const struct sg_merged *merged,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) out = {0};
    sg_add_terminal(&out, in->out);
    sg_text_addf(&out, ": %zu item%s of %zu part%s, measured on %zu GPU%s\n", merged->items,
                 SG_PLURAL(merged->items), in->parts.count, SG_PLURAL(in->parts.count),
                 merged->units, SG_PLURAL(merged->units));
    if (sg_print(&out, err) == SG_SUCCESS && merged->missing.length > 0)
        sg_fail(err, SG_INVALID, in->out,
                "no part has these shards, which are not_measured: %s; make them with solgate run "
                "SUITE --shard=I/N, and merge again",
                merged->missing.data);
    return err->code;
}

int sg_cmd_merge(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("out", "DIR", struct input, out,
                 .help = "folder of the run: new, empty, or an earlier merged run",
                 .required = true),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("PART", struct input, parts,
                                  .help = "the folder of a part of the suite", .repeats = true)},
        .summary = "Joins the parts of a suite, which `solgate run --shard` measured on any GPUs "
                   "of one model, to one run.",
        .notes = "The parts must have the same suite, code, seed, GPU model and driver, and "
                 "contain each shard exactly once. Samples stay in the parts: keep the parts until "
                 "the run is accepted "
                 "and in the history.\n\n"
                 "Examples:\n"
                 "  solgate run nightly --shard=0/2 --out=P0     on one GPU\n"
                 "  solgate run nightly --shard=1/2 --out=P1     on another\n"
                 "  solgate merge P0 P1 --out=R && solgate compare R",
        .exits = {{SG_EXIT_DONE, "each shard was there"},
                  {SG_EXIT_INVALID, "a shard is missing (the run has the others), or the parts do "
                                    "not belong together (nothing is written)"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.out = NULL};
    struct sg_merged merged = {0};
    if (sg_options_parse(&table, &in, argc, argv, err) && merge(&in, &merged, err) == SG_SUCCESS)
        describe(&in, &merged, err);
    return 0;
}
