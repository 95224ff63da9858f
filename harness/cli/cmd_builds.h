/*
 * cli/cmd_builds.h - the parts of `solgate builds`:
 * cli/cmd_builds_list.c, _show.c, _prune.c, _rebuild.c.
 *
 * Each is a command of its own: argv[0] is "solgate builds NAME"; the
 * contract is that of cli/command.h.
 */
#pragma once

#include "builds/accepted.h"
#include "util/options.h"

int sg_builds_list(int argc, char **argv, struct sg_err *err);
int sg_builds_show(int argc, char **argv, struct sg_err *err);
int sg_builds_prune(int argc, char **argv, struct sg_err *err);
int sg_builds_rebuild(int argc, char **argv, struct sg_err *err);

/* What a part works on: all of a store, and all that refers to it. After a
 * failure there is nothing to release. */
struct sg_builds_desk {
    struct sg_text store;
    struct sg_builds builds;
    struct sg_build_references references;
};
enum sg_code sg_builds_desk_load(struct sg_builds_desk *desk, struct sg_err *err);
void sg_builds_desk_release(struct sg_builds_desk *desk);
