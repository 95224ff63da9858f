/*
 * model/op_work.h - the work of operators from their sizes. Gives a speed of light before a kernel
 * exists, and for number formats that the present GPU lacks.
 *
 * Flop are those that every correct implementation needs, in the number format of the inputs. Bytes
 * are compulsory: the needed inputs read once, the outputs written once. A size may be a list with
 * a number for each group: the work is then the sum over the groups. Invariant: accepted sizes give
 * finite work over 0. Pure.
 */
#pragma once

#include "util/dtype_names.h"
#include "util/err.h"
#include "util/text.h"

#define SG_OP_SIZES_MAX 10
#define SG_OP_SIZE_MAX  (UINT64_C(1) << 48) /* largest value of a size */

struct sg_op_size {
    const char *name, *meaning;
    bool optional;
    uint64_t standard; /* default of an optional size */
    const char *like;  /* an optional size defaults to this earlier size; NULL: to `standard` */
    bool of_format;    /* an optional size defaults to the block of the number format */
    bool may_be_zero;
    bool is_flag; /* 0 or 1 */
};

/* Bytes per element; elements that share a scale, 0: none. */
struct sg_op_formats {
    double in, out, block;
};
struct sg_op_amounts {
    double flop, read, write; /* flop in the number format of the inputs, or f32 */
};

struct sg_op {
    const char *name, *what;
    struct sg_op_size size[SG_OP_SIZES_MAX + 1]; /* ends with a NULL name */
    /* Returns the fault of the sizes, or NULL. May be NULL. */
    const char *(*check)(const double *size);
    void (*work)(const double *size, const struct sg_op_formats *of, struct sg_op_amounts *work);
    bool is_f32;     /* its arithmetic is in f32, whatever the input format */
    bool writes_f16; /* default output format; otherwise that of the inputs */
};

/* The table of operators; count in *count. */
const struct sg_op *sg_ops(size_t *count);
const struct sg_op *sg_op_find(const char *name); /* NULL: unknown */

/* `words` are NAME=NUMBER,..., each size once. `out` NULL: the default format. SG_BAD_USAGE
 * names a size that is unknown, missing or given twice, does not fit the others, or has another
 * number of groups. A size is a whole number from 1 to SG_OP_SIZE_MAX; pad may be 0, and a flag
 * is 0 or 1. *shape gets the words: "batch=4 heads=32". */
enum sg_code sg_op_work(const struct sg_op *op, const char *const *words, size_t count, const struct sg_dtype_name *in,
                        const enum sg_dtype *out, struct sg_work *work, struct sg_text *shape, struct sg_err *err);
