#include "cli/command.h"

int sg_cmd_baseline(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .usage = "show [FILE|GPU/SUITE]\naccept RUN... [--unit|--out=FILE] [--reason=TEXT] "
                 "[--waive=ITEM [--until=DATE]] [--prune] "
                 "[--dry-run]\nverify [FILE] [--max-age=90d] [--driver=VERSION]\nseal FILE|RUN "
                 "--reason=TEXT",
        .summary = "Shows, accepts and verifies accepted numbers, the files in baselines/.",
        .notes = "Each of the four has its own -h.\n\n"
                 "Example: solgate baseline accept night/ --reason='larger tiles, fewer registers'",
        .exits = SG_EXITS_UNJUDGED,
    };
    return sg_command_run_part(&table, argc, argv, err);
}
