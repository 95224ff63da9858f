/*
 * adversary_patch.h - functions of the process that a variant replaces by its own, in their machine
 * code; and data that is not meant to be written.
 */
#ifndef ADVERSARY_PATCH_H
#define ADVERSARY_PATCH_H

#include "adversary.h"

#define ADVERSARY_PATCH_BYTES 12

/* `to` is jumped to where `from` begins. A patch with no `from` is none. */
struct adversary_patch {
    void *from;
    void *to;
    unsigned char before[ADVERSARY_PATCH_BYTES];
};

/* `supports` of variants that patch: jumps are written for x86-64. */
bool adversary_supports_patches(const struct sg_case *c, struct sg_reason *why);

/* False if the page cannot be written; then nothing was. */
bool adversary_patch_apply(struct adversary_patch *patch);
void adversary_patch_undo(const struct adversary_patch *patch);

/* A state with one patch, which `set_up` fills in and applies. */
struct adversary_patched : adversary {
    struct adversary_patch patch;

    void tear_down()
    {
        adversary_patch_undo(&patch);
    }
};

/* Makes the pages of an object writable. */
bool adversary_unlock(const void *object, size_t bytes);

/* A function of the first of these libraries that is in the process already; NULL: none is. */
void *adversary_loaded(const char *const *files, size_t count, const char *function);

#endif
