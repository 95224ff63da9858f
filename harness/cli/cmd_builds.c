#include "cli/cmd_builds.h"

#include <string.h>

#include "baseline/find.h"

enum sg_code sg_builds_desk_load(struct sg_builds_desk *desk, struct sg_err *err)
{
    if (desk->store.length == 0)
        sg_builds_place(&desk->store, err);
    if (err->code == SG_SUCCESS &&
        sg_builds_read(desk->store.data, &desk->builds, err) == SG_SUCCESS)
        sg_builds_references(desk->store.data, &desk->references, err);
    return err->code;
}

enum sg_code sg_builds_named(const char *name, struct sg_accepted_suite *suite,
                             struct sg_accepted_modules *modules, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, gpu = {0};
    if (sg_accepted_path(name, &path, &gpu, err) != SG_SUCCESS ||
        sg_accepted_suite_read(path.data, suite, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < suite->count; i++)
        if (gpu.length == 0 || strcmp(suite->items[i].gpu, gpu.data) == 0)
            sg_accepted_modules_of(&suite->items[i], 1, modules);
    if (modules->count == 0)
        sg_fail(err, SG_NOT_COMPARABLE, path.data,
                "the numbers of %s name no build: accept a run of this version of solgate", name);
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
