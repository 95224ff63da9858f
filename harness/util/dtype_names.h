/*
 * util/dtype_names.h - all names of the number formats: the words of SG_DTYPE_TABLE, and the names
 * in CUDA, PyTorch, CUTLASS and NumPy.
 *
 * Files hold only the words of SG_DTYPE_TABLE (util/text.h); the other names are for command lines.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

/* nvfp4, mxfp4 and mxfp8 have a scale for each block of elements; `block` is 0 for all others. */
struct sg_dtype_name {
    const char *name;
    enum sg_dtype dtype;
    uint64_t block; /* elements that share a scale */
};

/* Ignores case. SG_BAD_USAGE lists the valid names: "expected f64 (double, fp64, float64), f32
 * (...), found 'f33'". */
enum sg_code sg_dtype_name_parse(const char *name, struct sg_dtype_name *found, struct sg_err *err);
/* Adds the list of that message. */
void sg_dtype_names_add(struct sg_text *out);
