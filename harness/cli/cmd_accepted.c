#include "cli/command.h"

int sg_cmd_accepted(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .usage = "show [FILE|GPU/SUITE]\nverify [FILE] [--max-age=90d] [--driver=VERSION]\nseal "
                 "FILE|RUN --reason=TEXT",
        .summary = "Shows, verifies and seals the accepted numbers in baselines/. `solgate accept` "
                   "adds new ones.",
        .notes = "Each of the three has its own -h.\n\nExample: solgate accepted show h200/smoke",
        .exits = SG_EXITS_UNJUDGED,
    };
    return sg_command_run_part(&table, argc, argv, err);
}
