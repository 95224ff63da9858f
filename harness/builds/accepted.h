/*
 * builds/accepted.h - which builds of a store accepted numbers refer to, and the module of an
 * accepted item.
 *
 * A store serves many folders of accepted numbers. The store records the path of each file accepted
 * while it was in use; the references are read from the file itself. A deleted file refers to
 * nothing.
 */
#pragma once

#include "builds/store.h"
#include "results/accepted_build.h"
#include "results/accepted_file.h"

struct sg_build_reference {
    char *digest, *family, *file; /* owned */
};
struct sg_build_references {
    struct sg_build_reference *items; /* owned; sorted by digest, then file; unique */
    size_t count, capacity;
    struct sg_names gone; /* names in the store of recorded files that no longer exist */
    /* the first unreadable file, whose references are unknown; code SG_SUCCESS: none */
    struct sg_err fault;
};
/* Reads the files that the store has recorded, and those that baseline/find.h finds. SG_SYSTEM. */
enum sg_code sg_builds_references(const char *store, struct sg_build_references *references,
                                  struct sg_err *err);
bool sg_build_is_referred(const struct sg_build_references *references, const char *digest);

/* An item of accepted numbers; case_ and variant NULL: the family's build. */
struct sg_build_item {
    const char *family, *case_, *variant;
};
/* Appends the path of the stored module that `accepted`, the env of the numbers, names for an item.
 * A module built again from the same commit will do. Checks the digest of the module first.
 * SG_NOT_COMPARABLE gives the reason: the numbers name no build, the store lacks it, or its bytes
 * have changed. */
enum sg_code sg_build_of_accepted(const char *store, const struct sg_env *accepted,
                                  const struct sg_build_item *item, struct sg_text *path,
                                  struct sg_err *err);

/* Puts the modules of fresh accepted numbers into the store, which records `path`. Searches the
 * given files and the folder of solgate, and matches the digest only; a later build does not
 * match. Takes the store's lock into *descriptor; the caller closes it once the accepted numbers
 * are at `path`, and prune waits until then. Adds one line with the reason to *warnings for each
 * module that is not kept; this is not an error of the numbers. `modules` may be empty. */
void sg_builds_keep_accepted(const struct sg_accepted_file *fresh, const char *path,
                             const struct sg_names *modules, int *descriptor,
                             struct sg_text *warnings);
