/*
 * cli/cmd_builds.h - what the parts of `solgate builds` share.
 */
#pragma once

#include "builds/accepted.h"
#include "cli/command.h"

/* What a part works on: all of a store, and all that refers to it. After a
 * failure there is nothing to release. */
struct sg_builds_desk {
    struct sg_text store;
    struct sg_builds builds;
    struct sg_build_references references;
};
enum sg_code sg_builds_desk_load(struct sg_builds_desk *desk, struct sg_err *err);
void sg_builds_desk_release(struct sg_builds_desk *desk);
