/*
 * builds/accepted.h - which builds of a store accepted numbers refer to, and
 * where the module of such a number is.
 *
 * A store serves many folders of accepted numbers. It remembers the path of each file that was
 * accepted while it was in use; what such a file refers to today is read from the file itself. A
 * file that is gone refers to nothing.
 */
#pragma once

#include "builds/store.h"
#include "results/accepted_build.h"
#include "results/accepted_file.h"

/* A module that a file of accepted numbers refers to. */
struct sg_build_reference {
    char *digest, *family, *file; /* owned */
};
struct sg_build_references {
    struct sg_build_reference *items; /* owned; sorted by digest, then file; each once */
    size_t count, capacity;
    struct sg_names gone; /* names inside of the store: of remembered files that are not there any more */
    struct sg_err fault;  /* the first file that cannot be read: it is not known what it refers to; code SG_SUCCESS: all can */
};
/* Of all files that the store remembers, and of those that baseline/find.h finds. SG_SYSTEM. */
enum sg_code sg_builds_references(const char *store, struct sg_build_references *references, struct sg_err *err);
void sg_build_references_release(struct sg_build_references *references);
bool sg_build_is_referred(const struct sg_build_references *references, const char *digest);

/* An item of accepted numbers; case_ and variant NULL: the family's build. */
struct sg_build_item {
    const char *family, *case_, *variant;
};
/*
 * Appends the path of the module that an item was accepted from, by the env of its numbers; its
 * bytes have been digested just now. *is_rebuilt: it was built again from the same commit, and its
 * bytes are others. SG_NOT_COMPARABLE says why there is none to be used: the numbers name no build,
 * the store lacks it, or what it has is not what was put there.
 */
enum sg_code sg_build_of_accepted(const char *store, const struct sg_env *accepted, const struct sg_build_item *item, struct sg_text *path,
                                  bool *is_rebuilt, struct sg_err *err);

/*
 * Puts the modules that fresh accepted numbers were measured with into the store, which remembers
 * `path`. They are looked for in the files that are given and beside solgate, and taken by their
 * digest alone: what was built since is none. Takes the store's lock into *descriptor, which the
 * caller closes when the accepted numbers stand at `path`: prune waits until then. What is not kept
 * is added to *warnings, a line each with the reason; nothing of that is an error of the numbers.
 * `modules` may be empty.
 */
void sg_builds_keep_accepted(const struct sg_accepted_file *fresh, const char *path, const struct sg_names *modules, int *descriptor,
                             struct sg_text *warnings);
