/*
 * model/op_work.h - the work of operators from their sizes: what a speed of light can be had of
 * before there is a kernel, and for number formats that no GPU at hand has.
 *
 * Flop are those that every right implementation must do, in the number format of the inputs; bytes
 * are compulsory: what of the inputs is needed read once, outputs written once. A size may be a
 * list, of a number a group: then the work is that of all groups. Invariant: what is accepted gives
 * finite work over 0. Pure.
 */
#pragma once

#include "util/dtype_names.h"
#include "util/err.h"
#include "util/text.h"

#define SG_OP_SIZES_MAX 10
#define SG_OP_SIZE_MAX  (UINT64_C(1) << 48) /* of each size */

struct sg_op_size {
    const char *name, *meaning;
    bool optional;
    uint64_t standard; /* of an optional size */
    const char *like;  /* of an optional size: it is as this earlier one; NULL: `standard` */
    bool of_format;    /* of an optional size: the block of the number format */
    bool may_be_zero;
    bool is_flag; /* 0 or 1 */
};

/* Bytes of an element; elements that share a scale, 0: none. */
struct sg_op_formats {
    double in, out, block;
};
struct sg_op_amounts {
    double flop, read, write; /* flop in the number format of the inputs, or f32 */
};

struct sg_op {
    const char *name, *what;
    struct sg_op_size size[SG_OP_SIZES_MAX + 1]; /* ends with a name that is NULL */
    /* What is wrong with the sizes; NULL: nothing. May be NULL. */
    const char *(*check)(const double *size);
    void (*work)(const double *size, const struct sg_op_formats *of, struct sg_op_amounts *work);
    bool is_f32;     /* its arithmetic is in f32, whatever it reads */
    bool writes_f16; /* where no output format is given; else that of the inputs */
};

/* The table of operators; count in *count. */
const struct sg_op *sg_ops(size_t *count);
const struct sg_op *sg_op_find(const char *name); /* NULL: unknown */

/*
 * `words` are NAME=NUMBER,..., each size once. `out` NULL: as it is usual. SG_BAD_USAGE names a
 * size that is unknown, missing, given twice, no whole number from 1 (of pad and a flag 0) to
 * SG_OP_SIZE_MAX (of a flag 1), that does not fit the others, or of another number of groups.
 * *shape gets the words: "batch=4 heads=32".
 */
enum sg_code sg_op_work(const struct sg_op *op, const char *const *words, size_t count, const struct sg_dtype_name *in,
                        const enum sg_dtype *out, struct sg_work *work, struct sg_text *shape, struct sg_err *err);
