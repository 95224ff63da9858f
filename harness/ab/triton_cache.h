/* ab/triton_cache.h - the constants that Triton compiled a kernel with, from Triton's cache:
 * TRITON_CACHE_DIR, TRITON_HOME or the home folder, and Inductor's TORCHINDUCTOR_CACHE_DIR. */
#pragma once

#include "util/text.h"

/* `kernel`: a launch in words (results/row_kind.h). Adds ", num_warps 4, num_stages 3" for each
 * different entry that has its name, threads, dynamic shared memory and registers. */
void sg_triton_add_constants(const char *kernel, struct sg_text *out);
