/*
 * model/gemm_work.h - the work of a matrix product from its sizes: D[m][n] = A[m][k] B[n][k]^T, or
 * a group of products. Gives a speed of light before a kernel exists, and for number formats that
 * the present GPU lacks.
 *
 * Flop are those that every correct implementation needs, in the number format of the inputs. Bytes
 * are compulsory: the inputs read once, the outputs written once. A size may be a list with a
 * number for each group: the work is then the sum over the groups. Invariant: accepted sizes give
 * finite work over 0. Pure.
 */
#pragma once

#include "util/dtype_names.h"
#include "util/err.h"
#include "util/text.h"

/* optional sizes in brackets */
#define SG_GEMM_SIZES "m n k [scale_block] [scale_bytes] [scale_rows]"

/* `words` are NAME=NUMBER,..., each size once; a number is from 1 to 2^48. SG_BAD_USAGE names a
 * size that is unknown, missing or given twice, or has another number of groups. *shape gets the
 * words: "m=192,320 n=3072 k=4096". */
enum sg_code sg_gemm_work(const char *const *words, size_t count, const struct sg_dtype_name *in,
                          enum sg_dtype out, struct sg_work *work, struct sg_text *shape,
                          struct sg_err *err);
