#include "model/op_work.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define INDEX_BYTES 4.0 /* per row or column index of a sparse matrix */

/* ---- matrix product D[m][n] = A[m][k] B[n][k]^T ---- */

enum { M, N, K, SCALE_BLOCK, SCALE_BYTES, SCALE_ROWS };

/* A partial block of k has a scale too, for each row of A and each SCALE_ROWS rows of B. */
static void work_of_gemm(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    work->flop = 2 * s[M] * s[N] * s[K];
    work->read = of->in * (s[M] + s[N]) * s[K];
    work->write = of->out * s[M] * s[N];
    if (s[SCALE_BLOCK] > 0)
        work->read += (s[M] + ceil(s[N] / s[SCALE_ROWS])) * ceil(s[K] / s[SCALE_BLOCK]) * s[SCALE_BYTES];
}

/* ---- attention: softmax(Q K^T) V of each batch and head; the softmax is negligible compared
 * with the products ---- */

enum { BATCH, HEADS, Q, HEAD_DIM, KV, KV_HEADS, CAUSAL };

/* The last query sees all keys, the second last all but one. */
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

static void work_of_attention(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    work->flop = 4 * s[BATCH] * s[HEADS] * pairs_of(s) * s[HEAD_DIM];
    work->read = of->in * s[BATCH] * s[HEAD_DIM] * (s[HEADS] * s[Q] + 2 * s[KV_HEADS] * s[KV]);
    work->write = of->out * s[BATCH] * s[HEADS] * s[Q] * s[HEAD_DIM];
}

/* ---- RMS normalisation: square, add, scale by the row, scale by the weight ---- */

enum { ROWS, COLS };

static void work_of_norm(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    work->flop = 4 * s[ROWS] * s[COLS];
    work->read = of->in * (s[ROWS] + 1) * s[COLS];
    work->write = of->out * s[ROWS] * s[COLS];
}

static void work_of_copy(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    work->flop = 0;
    work->read = of->in * s[0];
    work->write = of->out * s[0];
}

/* ---- convolution of images ---- */

enum { IMAGES, HEIGHT, WIDTH, CHANNELS, FILTERS, FILTER_H, FILTER_W, STRIDE, PAD, GROUPS };

static double steps_of(const double *s, int side, int filter)
{
    return floor((s[side] + 2 * s[PAD] - s[filter]) / s[STRIDE]) + 1;
}

/* Rows (or columns) of the image that a filter covers; a stride larger than the filter skips
 * some. */
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

static void work_of_conv(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    const double outputs = s[IMAGES] * steps_of(s, HEIGHT, FILTER_H) * steps_of(s, WIDTH, FILTER_W) * s[FILTERS];
    const double filter = s[CHANNELS] / s[GROUPS] * s[FILTER_H] * s[FILTER_W];
    work->flop = 2 * outputs * filter;
    const double pixels = covered(s, HEIGHT, FILTER_H) * covered(s, WIDTH, FILTER_W);
    work->read = of->in * (s[IMAGES] * pixels * s[CHANNELS] + s[FILTERS] * filter);
    work->write = of->out * outputs;
}

/* ---- sparse matrix in CSR times a dense matrix ---- */

enum { NNZ = K + 1 };

static const char *check_spmm(const double *s)
{
    return s[NNZ] > s[M] * s[K] ? "nnz: expected at most m * k" : NULL;
}

static void work_of_spmm(const double *s, const struct sg_op_formats *of, struct sg_op_amounts *work)
{
    work->flop = 2 * s[NNZ] * s[N];
    /* An element needs one row of B. */
    work->read = (of->in + INDEX_BYTES) * s[NNZ] + INDEX_BYTES * (s[M] + 1) + of->in * fmin(s[K], s[NNZ]) * s[N];
    work->write = of->out * s[M] * s[N];
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
    {.name = "gemm",
     .what = "D[m][n] = A[m][k] B[n][k]^T, or a group of them",
     .size = {[M] = SIZE("m", "rows of A and D"),
              [N] = SIZE("n", "rows of B, columns of D"),
              [K] = SIZE("k", "columns of A and B"),
              [SCALE_BLOCK] = OPTIONAL("scale_block", "elements along k that share a scale", .of_format = true),
              [SCALE_BYTES] = OPTIONAL("scale_bytes", "of one scale", .standard = 1),
              [SCALE_ROWS] = OPTIONAL("scale_rows", "rows of B that share a scale", .standard = 1)},
     .work = work_of_gemm,
     .writes_f16 = true},
    {.name = "attention",
     .what = "softmax(Q K^T) V of each batch and head",
     .size = {[BATCH] = SIZE("batch", "sequences"),
              [HEADS] = SIZE("heads", "of the queries"),
              [Q] = SIZE("q", "queries of a sequence"),
              [HEAD_DIM] = SIZE("d", "elements of a head"),
              [KV] = OPTIONAL("kv", "keys of a sequence", .like = "q"),
              [KV_HEADS] = OPTIONAL("kv_heads", "of keys and values", .like = "heads"),
              [CAUSAL] = OPTIONAL("causal", "1: a query sees no later key", .is_flag = true)},
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

/* ---- sizes on the command line ---- */

/* Each size is a list: one number per group, or one for all groups. */
struct sizes {
    double *each[SG_OP_SIZES_MAX]; /* owned; NULL: not given */
    size_t count[SG_OP_SIZES_MAX];
    const char *word[SG_OP_SIZES_MAX];
    size_t groups;
};

/* Index of the size whose name is `word` up to its `=`; -1: unknown. */
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
    SG_SCOPED(sg_text) known = {0};
    for (int i = 0; op->size[i].name; i++)
        sg_text_addf(&known, "%s%s=N", i == 0 ? "" : ", ", op->size[i].name);
    return sg_fail(err, SG_BAD_USAGE, op->name, "expected sizes of %s, found '%s'", known.data, sg_show_string(word).text);
}

static enum sg_code take_number(const struct sg_op *op, const struct sg_op_size *size, const char *word, double *out, struct sg_err *err)
{
    const uint64_t least = size->may_be_zero || size->is_flag ? 0 : 1, most = size->is_flag ? 1 : SG_OP_SIZE_MAX;
    uint64_t number = 0;
    if (!sg_parse_u64(word, &number) || number < least || number > most)
        return sg_fail(err, SG_BAD_USAGE, op->name, "%s: expected a whole number from %" PRIu64 " to %" PRIu64 ", found '%s'", size->name,
                       least, most, sg_show_string(word).text);
    *out = (double)number;
    return SG_SUCCESS;
}

/* One NAME=NUMBER,... */
static enum sg_code take_size(const struct sg_op *op, const char *word, struct sizes *sizes, struct sg_err *err)
{
    const int which = find_size(op, word);
    size_t capacity = 0;
    if (which < 0 || !strchr(word, '='))
        return fail_unknown(op, word, err);
    if (sizes->word[which])
        return sg_fail(err, SG_BAD_USAGE, op->name, "expected %s once, found it twice", op->size[which].name);
    sizes->word[which] = word;
    char *copy = sg_copy_string(strchr(word, '=') + 1), *rest = copy;
    for (const char *number; err->code == SG_SUCCESS && (number = strsep(&rest, ",")) != NULL;)
        take_number(op, &op->size[which], number, SG_APPEND(sizes->each[which], sizes->count[which], capacity), err);
    sizes->groups = sizes->count[which] > sizes->groups ? sizes->count[which] : sizes->groups;
    free(copy);
    return err->code;
}

static enum sg_code check_given(const struct sg_op *op, const struct sizes *sizes, struct sg_err *err)
{
    for (int i = 0; op->size[i].name; i++) {
        const struct sg_op_size *size = &op->size[i];
        if (!sizes->word[i] && !size->optional)
            return sg_fail(err, SG_BAD_USAGE, op->name, "%s=N is missing%s%s", size->name, size->meaning[0] ? ": " : "", size->meaning);
        if (sizes->count[i] > 1 && sizes->count[i] != sizes->groups)
            return sg_fail(err, SG_BAD_USAGE, op->name, "%s: expected %zu numbers, one a group, or one for all, found %zu", size->name,
                           sizes->groups, sizes->count[i]);
    }
    return SG_SUCCESS;
}

/* The sizes of one group, including defaults. */
static void pick_group(const struct sg_op *op, const struct sizes *sizes, const struct sg_op_formats *of, size_t group, double *size)
{
    for (int i = 0; op->size[i].name; i++) {
        const struct sg_op_size *one = &op->size[i];
        if (sizes->count[i] > 0)
            size[i] = sizes->each[i][sizes->count[i] == 1 ? 0 : group];
        else if (one->like)
            size[i] = size[find_size(op, one->like)];
        else
            size[i] = one->of_format ? of->block : (double)one->standard;
    }
}

static enum sg_code add_groups(const struct sg_op *op, const struct sizes *sizes, const struct sg_op_formats *of, struct sg_op_amounts *all,
                               struct sg_err *err)
{
    for (size_t group = 0; group < sizes->groups; group++) {
        struct sg_op_amounts amounts = {0};
        double size[SG_OP_SIZES_MAX] = {0};
        pick_group(op, sizes, of, group, size);
        const char *wrong = op->check ? op->check(size) : NULL;
        if (wrong)
            return sg_fail(err, SG_BAD_USAGE, op->name, "%s", wrong);
        op->work(size, of, &amounts);
        all->flop += amounts.flop;
        all->read += amounts.read;
        all->write += amounts.write;
    }
    return SG_SUCCESS;
}

enum sg_code sg_op_work(const struct sg_op *op, const char *const *words, size_t count, const struct sg_dtype_name *in,
                        const enum sg_dtype *out, struct sg_work *work, struct sg_text *shape, struct sg_err *err)
{
    const enum sg_dtype written = out ? *out : op->writes_f16 ? SG_F16 : in->dtype;
    const struct sg_op_formats of = {
        .in = (double)sg_dtype_bits(in->dtype) / 8, .out = (double)sg_dtype_bits(written) / 8, .block = (double)in->block};
    struct sizes sizes = {.groups = 1};
    struct sg_op_amounts all = {0};
    *work = (struct sg_work){0};
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        take_size(op, words[i], &sizes, err);
    if (err->code == SG_SUCCESS && check_given(op, &sizes, err) == SG_SUCCESS && add_groups(op, &sizes, &of, &all, err) == SG_SUCCESS) {
        work->flop[op->is_f32 ? SG_F32 : in->dtype] = all.flop;
        work->read_bytes = all.read;
        work->write_bytes = all.write;
        for (size_t i = 0; i < SG_OP_SIZES_MAX; i++)
            if (sizes.word[i])
                sg_text_addf(shape, "%s%s", shape->length > 0 ? " " : "", sizes.word[i]);
    }
    for (size_t i = 0; i < SG_OP_SIZES_MAX; i++)
        free(sizes.each[i]);
    return err->code;
}
