/*
 * inject/codes.h - digests of the machine code of each kernel, by name, from the loaded modules.
 *
 * Several codes of one name may be loaded: equal codes for two contexts, or different codes for
 * different compile-time constants. A kernel's digest is the sum over its different codes, so that
 * the order of loading does not matter. Not synchronised: the caller holds sg_inject_lock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Adds the sections ".text.NAME" of an ELF image. Ignores other images. */
void sg_codes_add(const void *image, size_t bytes);
/* Takes the digest of the name (inject/map.h). count 0: no module with that name was loaded. */
struct sg_codes {
    uint64_t sum, count;
};
struct sg_codes sg_codes_of(uint64_t name);
