/*
 * util/dtype_names.h - number formats by every name that people use: the words of SG_DTYPE_TABLE,
 * and what CUDA, PyTorch, CUTLASS and NumPy call them.
 *
 * Files hold only the words of SG_DTYPE_TABLE (util/text.h); these names are for command lines.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

/* nvfp4, mxfp4 and mxfp8 are formats with a scale for each block of
 * elements; `block` is 0 for all others. */
struct sg_dtype_name {
    const char *name;
    enum sg_dtype dtype;
    uint64_t block; /* elements that share a scale */
};

/* SG_BAD_USAGE lists what there is: "expected f64 (double, fp64, float64), f32 (...),
 * found 'f33'". In any case of letters. */
enum sg_code sg_dtype_name_parse(const char *name, struct sg_dtype_name *found, struct sg_err *err);
/* That list. */
void sg_dtype_names_add(struct sg_text *out);
