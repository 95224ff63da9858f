/*
 * inject/codes.h - the machine code of each kernel, by its name, from the modules as they are
 * loaded.
 *
 * Code of one name may be loaded several times: the same for two contexts, another one when it was
 * compiled for other constants. A kernel's digest is the sum over the different ones, so that the
 * order of loading does not matter. Not synchronised: the caller holds sg_inject_lock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An ELF image with sections ".text.NAME"; others are none. */
void sg_codes_add(const void *image, size_t bytes);
/* By the digest of the name (inject/map.h). 0 codes: no module with it was seen. */
struct sg_codes {
    uint64_t sum, count;
};
struct sg_codes sg_codes_of(uint64_t name);
