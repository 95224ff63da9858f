/*
 * ab/triton_cache.h - the constants by which Triton compiled a kernel, from Triton's cache.
 *
 * Triton keeps each kernel's machine code as NAME.cubin and its metadata as NAME.json. An entry is
 * the launched one if it has the launch's threads, dynamic shared memory and registers. The cache
 * is that of this environment: TRITON_CACHE_DIR, TRITON_HOME, TORCHINDUCTOR_CACHE_DIR.
 */
#pragma once

#include "util/text.h"

/* Adds ", num_warps 4, num_stages 3, num_ctas 1" if an entry matches, and also ", or" the next one.
 * `kernel`: its symbol, SG_GEOMETRY_WORDS and registers. */
void sg_triton_add_constants(const char *kernel, struct sg_text *out);
