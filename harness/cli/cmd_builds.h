/*
 * cli/cmd_builds.h - shared by the subcommands of `solgate builds`.
 */
#pragma once

#include "builds/accepted.h"
#include "cli/command.h"

/* All builds of a store, and all references to them. After a failure nothing needs to be
 * released. */
struct sg_builds_desk {
    struct sg_text store;
    struct sg_builds builds;
    struct sg_build_references references;
};
enum sg_code sg_builds_desk_load(struct sg_builds_desk *desk, struct sg_err *err);
