#include "model/op_work.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/text.h"

#define INDEX_BYTES 4.0 /* of a row or a column of a sparse matrix */

/* ---- attention: softmax(Q K^T) V of each batch and head; the softmax is next to
 * nothing beside the products ---- */

enum { BATCH, HEADS, Q, HEAD_DIM, KV, KV_HEADS, CAUSAL };

/* The last query sees all keys, the one before all but one. */
static double pairs_of(const double *s)
{
    return s[Q] * s[KV] - (s[CAUSAL] > 0 ? s[Q] * (s[Q] - 1) / 2 : 0);
}

static const char *check_attention(const double *s)
{
    if (s[CAUSAL] > 0 && s[Q] > s[KV])
        return "q: expected at most kv where attention is causal";
    return fmod(s[HEADS], s[KV_HEADS]) != 0 ? "kv_heads: expected a divisor of heads" : NULL;
}

static void work_of_attention(const double *s, double in, double out, double *flop, double *read, double *write)
{
    *flop = 4 * s[BATCH] * s[HEADS] * pairs_of(s) * s[HEAD_DIM];
    *read = in * s[BATCH] * s[HEAD_DIM] * (s[HEADS] * s[Q] + 2 * s[KV_HEADS] * s[KV]);
    *write = out * s[BATCH] * s[HEADS] * s[Q] * s[HEAD_DIM];
}

/* ---- normalisation by the root mean square: square, add, scale by
 * the row, scale by the weight ---- */

enum { ROWS, COLS };

static void work_of_norm(const double *s, double in, double out, double *flop, double *read, double *write)
{
    *flop = 4 * s[ROWS] * s[COLS];
    *read = in * (s[ROWS] + 1) * s[COLS];
    *write = out * s[ROWS] * s[COLS];
}

static void work_of_copy(const double *s, double in, double out, double *flop, double *read, double *write)
{
    *flop = 0;
    *read = in * s[0];
    *write = out * s[0];
}

/* ---- convolution of images ---- */

enum { IMAGES, HEIGHT, WIDTH, CHANNELS, FILTERS, FILTER_H, FILTER_W, STRIDE, PAD, GROUPS };

static double steps_of(const double *s, int side, int filter)
{
    return floor((s[side] + 2 * s[PAD] - s[filter]) / s[STRIDE]) + 1;
}

/* Of the image's rows (or columns), those that some filter covers: a stride over the
 * filter's size passes over others. */
static double covered(const double *s, int side, int filter)
{
    const double steps = steps_of(s, side, filter);
    if (s[STRIDE] > s[filter])
        return fmin(s[side], steps * s[filter]);
    return fmin(s[side], fmax(0, (steps - 1) * s[STRIDE] + s[filter] - s[PAD]));
}

static const char *check_conv(const double *s)
{
    if (s[FILTER_H] > s[HEIGHT] + 2 * s[PAD] || s[FILTER_W] > s[WIDTH] + 2 * s[PAD])
        return "r, s: expected a filter no larger than the padded image";
    return fmod(s[CHANNELS], s[GROUPS]) != 0 || fmod(s[FILTERS], s[GROUPS]) != 0 ? "groups: expected a divisor of c and of k" : NULL;
}

static void work_of_conv(const double *s, double in, double out, double *flop, double *read, double *write)
{
    const double outputs = s[IMAGES] * steps_of(s, HEIGHT, FILTER_H) * steps_of(s, WIDTH, FILTER_W) * s[FILTERS];
    const double filter = s[CHANNELS] / s[GROUPS] * s[FILTER_H] * s[FILTER_W];
    *flop = 2 * outputs * filter;
    const double pixels = covered(s, HEIGHT, FILTER_H) * covered(s, WIDTH, FILTER_W);
    *read = in * (s[IMAGES] * pixels * s[CHANNELS] + s[FILTERS] * filter);
    *write = out * outputs;
}

/* ---- product of a sparse matrix, in rows (CSR), and a dense one ---- */

enum { M, N, K, NNZ };

static const char *check_spmm(const double *s)
{
    return s[NNZ] > s[M] * s[K] ? "nnz: expected at most m * k" : NULL;
}

static void work_of_spmm(const double *s, double in, double out, double *flop, double *read, double *write)
{
    *flop = 2 * s[NNZ] * s[N];
    /* An element needs one row of B. */
    *read = (in + INDEX_BYTES) * s[NNZ] + INDEX_BYTES * (s[M] + 1) + in * fmin(s[K], s[NNZ]) * s[N];
    *write = out * s[M] * s[N];
}

#define SIZE(name_, meaning_)                  \
    {                                          \
        .name = (name_), .meaning = (meaning_) \
    }
#define OPTIONAL(name_, meaning_, ...)                                        \
    {                                                                         \
        .name = (name_), .meaning = (meaning_), .optional = true, __VA_ARGS__ \
    }

static const struct sg_op ops[] = {
    {.name = "attention",
     .what = "softmax(Q K^T) V of each batch and head",
     .size = {[BATCH] = SIZE("batch", "sequences"),
              [HEADS] = SIZE("heads", "of the queries"),
              [Q] = SIZE("q", "queries of a sequence"),
              [HEAD_DIM] = SIZE("d", "elements of a head"),
              [KV] = OPTIONAL("kv", "keys of a sequence", .like = "q"),
              [KV_HEADS] = OPTIONAL("kv_heads", "of keys and values", .like = "heads"),
              [CAUSAL] = OPTIONAL("causal", "1: a query sees no later key", .may_be_zero = true, .is_flag = true)},
     .check = check_attention,
     .work = work_of_attention},
    {.name = "norm",
     .what = "each row over its root mean square, times weights",
     .size = {[ROWS] = SIZE("rows", ""), [COLS] = SIZE("cols", "")},
     .work = work_of_norm,
     .is_f32 = true},
    {.name = "copy", .what = "reads and writes each element", .size = {SIZE("elements", "")}, .work = work_of_copy},
    {.name = "conv",
     .what = "convolution of n images h x w x c with k filters r x s x c",
     .size = {[IMAGES] = SIZE("n", "images"),
              [HEIGHT] = SIZE("h", "height of an image"),
              [WIDTH] = SIZE("w", "width of an image"),
              [CHANNELS] = SIZE("c", "channels of an image"),
              [FILTERS] = SIZE("k", "filters"),
              [FILTER_H] = SIZE("r", "height of a filter"),
              [FILTER_W] = SIZE("s", "width of a filter"),
              [STRIDE] = OPTIONAL("stride", "", .standard = 1),
              [PAD] = OPTIONAL("pad", "", .may_be_zero = true),
              [GROUPS] = OPTIONAL("groups", "", .standard = 1)},
     .check = check_conv,
     .work = work_of_conv},
    {.name = "spmm",
     .what = "D[m][n] = A[m][k] B[k][n], A sparse (CSR, indices of 4 bytes)",
     .size = {[M] = SIZE("m", ""), [N] = SIZE("n", ""), [K] = SIZE("k", ""), [NNZ] = SIZE("nnz", "elements of A that are not 0")},
     .check = check_spmm,
     .work = work_of_spmm},
};

const struct sg_op *sg_ops(size_t *count)
{
    *count = sizeof(ops) / sizeof(ops[0]);
    return ops;
}

const struct sg_op *sg_op_find(const char *name)
{
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

/* Number of the size that `word` begins with, up to its `=`; -1: there is none of that name. */
static int find_size(const struct sg_op *op, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; op->size[i].name; i++)
        if (strlen(op->size[i].name) == length && strncmp(op->size[i].name, word, length) == 0)
            return i;
    return -1;
}

static enum sg_code fail_unknown(const struct sg_op *op, const char *word, struct sg_err *err)
{
    struct sg_text known = {0};
    for (int i = 0; op->size[i].name; i++)
        sg_text_addf(&known, "%s%s=N", i == 0 ? "" : ", ", op->size[i].name);
    sg_fail(err, SG_BAD_USAGE, op->name, "expected sizes of %s, found '%s'", known.data, sg_show(word, strlen(word)).text);
    sg_text_release(&known);
    return err->code;
}

/* One NAME=NUMBER. */
static enum sg_code take_size(const struct sg_op *op, const char *word, double *size, struct sg_err *err)
{
    const int which = find_size(op, word);
    uint64_t number = 0;
    if (which < 0 || !strchr(word, '='))
        return fail_unknown(op, word, err);
    if (!isnan(size[which]))
        return sg_fail(err, SG_BAD_USAGE, op->name, "expected %s once, found it twice", op->size[which].name);
    const uint64_t least = op->size[which].may_be_zero ? 0 : 1, most = op->size[which].is_flag ? 1 : SG_OP_SIZE_MAX;
    const char *value = strchr(word, '=') + 1;
    if (!sg_parse_u64(value, &number) || number < least || number > most)
        return sg_fail(err, SG_BAD_USAGE, op->name, "%s: expected a whole number from %" PRIu64 " to %" PRIu64 ", found '%s'",
                       op->size[which].name, least, most, sg_show(value, strlen(value)).text);
    size[which] = (double)number;
    return SG_SUCCESS;
}

/* What was not given has its default, or is missing. */
static enum sg_code complete(const struct sg_op *op, double *size, struct sg_err *err)
{
    for (int i = 0; op->size[i].name; i++) {
        const struct sg_op_size *asked = &op->size[i];
        if (isnan(size[i]) && !asked->optional)
            return sg_fail(err, SG_BAD_USAGE, op->name, "%s=N is missing%s%s", asked->name, asked->meaning[0] ? ": " : "", asked->meaning);
        if (isnan(size[i]))
            size[i] = asked->like ? size[find_size(op, asked->like)] : (double)asked->standard;
    }
    const char *wrong = op->check ? op->check(size) : NULL;
    return wrong ? sg_fail(err, SG_BAD_USAGE, op->name, "%s", wrong) : SG_SUCCESS;
}

enum sg_code sg_op_work(const struct sg_op *op, const char *const *words, size_t count, enum sg_dtype in, enum sg_dtype out,
                        struct sg_work *work, struct sg_text *shape, struct sg_err *err)
{
    double size[SG_OP_SIZES_MAX];
    for (size_t i = 0; i < SG_OP_SIZES_MAX; i++)
        size[i] = NAN;
    for (size_t i = 0; i < count; i++)
        if (take_size(op, words[i], size, err) != SG_SUCCESS)
            return err->code;
    if (complete(op, size, err) != SG_SUCCESS)
        return err->code;
    *work = (struct sg_work){0};
    op->work(size, (double)sg_dtype_bits(in) / 8, (double)sg_dtype_bits(out) / 8, &work->flop[op->is_f32 ? SG_F32 : in], &work->read_bytes,
             &work->write_bytes);
    for (int i = 0; op->size[i].name; i++)
        sg_text_addf(shape, "%s%s=%.0f", i == 0 ? "" : " ", op->size[i].name, size[i]);
    return SG_SUCCESS;
}
