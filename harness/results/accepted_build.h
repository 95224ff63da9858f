/*
 * results/accepted_build.h - which module file accepted numbers were measured
 * with, by the env file beside them.
 *
 * `code.<family>` is the digest of the family's module in the run that was accepted last
 * (util/digest.h, of the file's bytes). `code.<family>.<case>.<variant>` is that of an item that
 * was accepted from another one, or `unknown`. `commit.<digest>` is the commit of a build that is
 * not the family's last one, or of another commit. A file without such keys is as good: then
 * nothing is known.
 */
#pragma once

#include "results/kernel_commit.h"
#include "results/table.h"

/* The digest of the module that the item was measured with; NULL: not known. `case_` and
 * `variant` NULL: of the family. Borrowed. */
const char *sg_accepted_build(const struct sg_env *env, const char *family, const char *case_, const char *variant);

/* The commit that a build of the family was made from; NULL: not known. Borrowed. */
const char *sg_accepted_build_commit(const struct sg_env *env, const char *family, const char *digest);

/* An item of `env` that stays as `old` has it, whatever build the
 * others of its family come from now. */
void sg_accepted_build_keep(struct sg_env *env, const struct sg_env *old, const struct sg_value *item);

/* A module that numbers were measured with, once for each digest. */
struct sg_accepted_module {
    const char *family, *digest; /* borrowed from the table and the env */
};
struct sg_accepted_modules {
    struct sg_accepted_module *items; /* owned; in the order of the table */
    size_t count, capacity;
};
/* Of all items of the table, as far as it is known. To be freed: modules->items. */
void sg_accepted_modules_of(const struct sg_env *env, const struct sg_table *table, struct sg_accepted_modules *modules);
