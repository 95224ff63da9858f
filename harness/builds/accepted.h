/*
 * builds/accepted.h - which builds of a store accepted numbers refer to, and
 * where the module of such a number is.
 *
 * A store serves many folders of accepted numbers. It remembers the path of each file that was
 * accepted while it was in use; what such a file refers to today is read from the file itself. A
 * file that is gone refers to nothing.
 */
#ifndef SG_BUILDS_ACCEPTED_H
#define SG_BUILDS_ACCEPTED_H

#include "builds/store.h"
#include "results/accepted_build.h"
#include "results/accepted_file.h"

/* Remembers the path of accepted numbers, which are there or not. To be
 * called with the lock. SG_SYSTEM. */
enum sg_code sg_builds_remember(const char *store, const char *accepted, struct sg_err *err);

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

#endif
