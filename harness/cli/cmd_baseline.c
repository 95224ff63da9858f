#include "cli/command.h"

#include "cli/cmd_baseline.h"

static const struct sg_command_part parts[] = {
    {"show", sg_baseline_show},
    {"accept", sg_baseline_accept_runs},
    {"verify", sg_baseline_verify},
    {"seal", sg_baseline_seal},
};

int sg_cmd_baseline(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option arguments[] = {
        {.name = "show|accept|verify|seal", .type = SG_OPTION_NUMBER, .help = "each of them has its own -h"},
        {0},
    };
    static const struct sg_options table = {
        .arguments = arguments,
        .usage = "show [FILE|GPU/SUITE]\naccept RUN... [--unit|--out=FILE] [--reason=TEXT] [--waive=ITEM [--until=DATE]] [--prune] "
                 "[--dry-run]\nverify [FILE] [--max-age=90d] [--driver=VERSION]\nseal FILE|RUN --reason=TEXT",
        .summary = "The accepted numbers of baselines/: what they are, taking new ones, whether they are still good.",
        .notes = "Each of the four has its own -h.\n\n"
                 "Example: solgate baseline accept night/ --reason='larger tiles, fewer registers'",
        .exits = SG_EXITS_UNJUDGED,
    };
    return sg_command_run_part(parts, sizeof(parts) / sizeof(parts[0]), &table, argc, argv, err);
}
