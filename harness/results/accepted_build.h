/*
 * results/accepted_build.h - which module file the accepted numbers were measured with, according
 * to their env file.
 *
 * `code.<family>` is the digest of the family's module file in the run accepted last
 * (util/digest.h). `code.<family>.<case>.<variant>` is the digest for an item that was accepted
 * from another build, or `unknown`. `commit.<digest>` is the commit of a build that is not the
 * family's last one, or whose commit differs. These keys are optional; without them the build is
 * unknown.
 */
#pragma once

#include "results/accepted_file.h"
#include "results/kernel_commit.h"

/* The digest of the module that the item was measured with; NULL: unknown. Without `case_` and
 * `variant`: the family's digest. Borrowed. */
const char *sg_accepted_build(const struct sg_env *env, const char *family, const char *case_,
                              const char *variant);

/* The commit that a build of the family was made from; NULL: unknown. Borrowed. */
const char *sg_accepted_build_commit(const struct sg_env *env, const char *family,
                                     const char *digest);

/* Keeps the build that `old` names for an item, although the family's other items now come from a
 * new build. */
void sg_accepted_build_keep(struct sg_env *env, const struct sg_env *old,
                            const struct sg_value *item);

/* A module that numbers were measured with; each digest is listed once. */
struct sg_accepted_module {
    const char *family, *digest; /* borrowed from the table and the env */
    const struct sg_env *env;    /* of the numbers that name it first */
};
struct sg_accepted_modules {
    struct sg_accepted_module *items; /* owned; in the order of the table */
    size_t count, capacity;
};
/* Adds the known modules of all items. */
void sg_accepted_modules_of(const struct sg_accepted_file *files, size_t count,
                            struct sg_accepted_modules *modules);
