/*
 * builds/keep.h - puts the modules that fresh accepted numbers were measured with into the store.
 *
 * Modules are looked for in the files that are given and beside solgate, and taken by their digest
 * alone: what was built since is none.
 */
#ifndef SG_BUILDS_KEEP_H
#define SG_BUILDS_KEEP_H

#include "builds/accepted.h"

/*
 * Takes the store's lock into *descriptor, which the caller closes when the accepted numbers stand
 * at `path`: prune waits until then. What is not kept is added to *warnings, a line each with the
 * reason; nothing of that is an error of the numbers. `modules` may be empty.
 */
void sg_builds_keep_accepted(const struct sg_accepted_file *fresh, const char *path, const struct sg_names *modules, int *descriptor,
                             struct sg_text *warnings);

#endif
