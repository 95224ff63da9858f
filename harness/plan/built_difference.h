/*
 * plan/built_difference.h - which variants of a family are not the same in two builds of it?
 *
 * By the object files that the module was linked from: a variant is its own object, what that takes
 * from others, and what all share. Invariant: where the objects do not answer it, all variants
 * differ.
 */
#pragma once

#include "util/digest.h"
#include "util/names.h"

/*
 * Digest of what was built: of a module all that is loaded, device code and host code, but for its
 * build id; of an object file the same with its symbols, but for names of its own; of any other
 * file all bytes. Debug information does not count, and neither does the hash of the commit, where
 * 7 digits of it or more stand. SG_BAD_INPUT, SG_SYSTEM.
 */
enum sg_code sg_built_digest(const char *path, const char *commit, struct sg_digest *digest, struct sg_err *err);

/* A build of a commit: its objects and archives in one folder, a '/' of a path as '+'. */
struct sg_built {
    const char *objects, *commit; /* the full hash of the commit */
};

/* Adds those of `variants` that differ: `a` and `b` are builds whose modules do. */
enum sg_code sg_built_difference(const struct sg_built *a, const struct sg_built *b, const char *family, const struct sg_names *variants,
                                 struct sg_names *different, struct sg_err *err);
