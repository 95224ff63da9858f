/* cli/cmd_builds.h - shared by the subcommands of `solgate builds`. */
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

/* Finds the builds that accepted numbers name: of a file, or in GPU/SUITE of that GPU. `suite`
 * keeps what `modules` borrow. SG_NOT_COMPARABLE: they name none; SG_BAD_INPUT, SG_BAD_USAGE. */
enum sg_code sg_builds_named(const char *name, struct sg_accepted_suite *suite,
                             struct sg_accepted_modules *modules, struct sg_err *err);

/* How a build is made again. */
struct sg_rebuild {
    const char *repository, *build, *module; /* NULL: kernels/FAMILY of solgate's repository */
    bool dry_run, stand_in;                  /* stand_in: keep other bytes, too */
};
/* Makes one build of accepted numbers again if the store lacks it, and appends a line.
 * SG_NOT_COMPARABLE, SG_SYSTEM, SG_INTERRUPTED. */
enum sg_code sg_build_again(const struct sg_builds_desk *desk, const struct sg_rebuild *how,
                            const struct sg_accepted_module *accepted, struct sg_text *out,
                            struct sg_err *err);

/* Makes lacking builds again during a nightly run. Each build is tried once. A build of a user's
 * project is not tried, because only its owner knows the command. Other bytes are kept, too. */
struct sg_rebuilder {
    struct sg_names tried; /* digests */
    struct sg_text *out;
    double deadline_s; /* by sg_monotonic_s; 0: none */
};
/* A sg_rebuild_fn (run/run_plan.h); `context` is a struct sg_rebuilder. */
enum sg_code sg_rebuild_once(void *context, const struct sg_env *accepted, const char *family,
                             const char *digest, struct sg_err *err);
