/*
 * plan/built_difference.h - finds the variants of a family that differ between two builds.
 *
 * Compares the object files that the module was linked from. A variant is its own object, the
 * objects whose symbols it uses, and the shared objects. Invariant: if the objects give no
 * answer, all variants differ.
 */
#pragma once

#include "util/digest.h"
#include "util/names.h"

/*
 * Digest of a built file. A module: everything loaded, device code and host code, except the
 * build id. An object file: the same and its symbols, except local names. Any other file:
 * all bytes. Debug information is left out, and so is each occurrence of at least 7 digits of
 * the commit's hash. SG_BAD_INPUT, SG_SYSTEM.
 */
enum sg_code sg_built_digest(const char *path, const char *commit, struct sg_digest *digest,
                             struct sg_err *err);

/* A build of a commit: objects and archives in one folder, with '+' in place of '/' in their
 * paths. */
struct sg_built {
    const char *objects, *commit; /* the full hash of the commit */
};

/* Adds the `variants` that differ. `a` and `b` are builds whose modules differ. */
enum sg_code sg_built_difference(const struct sg_built *a, const struct sg_built *b,
                                 const char *family, const struct sg_names *variants,
                                 struct sg_names *different, struct sg_err *err);
