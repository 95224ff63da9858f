#include "cli/cmd_builds.h"

enum sg_code sg_builds_desk_load(struct sg_builds_desk *desk, struct sg_err *err)
{
    if (desk->store.length == 0)
        sg_builds_place(&desk->store, err);
    if (err->code == SG_SUCCESS &&
        sg_builds_read(desk->store.data, &desk->builds, err) == SG_SUCCESS)
        sg_builds_references(desk->store.data, &desk->references, err);
    return err->code;
}

int sg_cmd_builds(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .usage = "list [--format=csv]\nshow DIGEST|FILE|GPU/SUITE\nprune [--keep=N] "
                 "[--dry-run]\nrebuild DIGEST|FILE|GPU/SUITE "
                 "[--repo=DIR] [--dry-run]",
        .summary = "The store of accepted builds: the modules that accepted numbers were measured "
                   "with, by the digest of their bytes.",
        .notes = "`solgate accept` puts them there. Each of the four has its own -h, and "
                 "takes --builds=DIR.\n\n"
                 "Example: solgate builds list",
        .exits = SG_EXITS_UNJUDGED,
    };
    return sg_command_run_part(&table, argc, argv, err);
}
