/* Work of operators by hand, and sizes that are refused by their names. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/op_work.h"

#define WORDS_MAX 9

static size_t words_of(const char *const *words)
{
    size_t count = 0;
    while (count < WORDS_MAX && words[count])
        count++;
    return count;
}

TEST(work_follows_from_the_sizes)
{
    static const struct {
        const char *op, *words[WORDS_MAX];
        double flop, read, write;
        const char *formats[2]; /* of inputs and output; NULL: bf16 and as it is usual */
    } rows[] = {
        {"gemm", {"m=3", "n=5", "k=7"}, 210, (3 + 5) * 7 * 2, 3 * 5 * 2, {NULL, NULL}},
        {"gemm", {"m=3", "n=5", "k=7"}, 210, (3 + 5) * 7, 3 * 5 * 4, {"e4m3", "f32"}},
        /* Four bits are packed; a scale for sixteen elements of k, of both. */
        {"gemm", {"m=4", "n=4", "k=8"}, 256, 32, 32, {"e2m1", "f16"}},
        {"gemm", {"m=4", "n=4", "k=32"}, 1024, 128 + 16, 32, {"nvfp4", NULL}},
        {"gemm", {"m=4", "n=4", "k=32", "scale_block=16"}, 1024, 128 + 16, 32, {"e2m1", "f16"}},
        /* A block that is begun has a scale; rows of B share scales, those of A do not. */
        {"gemm", {"m=1", "n=1", "k=17", "scale_block=16", "scale_bytes=4"}, 34, 34 + 16, 2, {"e4m3", "bf16"}},
        {"gemm",
         {"m=5", "n=6", "k=17", "scale_block=16", "scale_bytes=4", "scale_rows=4"},
         2 * 5 * 6 * 17,
         (5 + 6) * 17 + (5 + 2) * 2 * 4,
         5 * 6 * 2,
         {"e4m3", "bf16"}},
        /* Groups add up, and one number is for all; as many as the longest list. */
        {"gemm", {"m=1,2", "n=8", "k=8"}, 384, (9 + 10) * 8 * 2, 24 * 2, {NULL, NULL}},
        {"gemm", {"m=1,2", "n=3,4", "k=5,6"}, 126, (4 * 5 + 6 * 6) * 2, (3 + 8) * 2, {NULL, NULL}},
        {"gemm", {"m=2", "n=8", "k=8,8,8"}, 768, 480, 96, {NULL, NULL}},
        /* 2 products of 8 x 16 x 4 in each of 6 heads; Q, K and V of 2 bytes. */
        {"attention",
         {"batch=2", "heads=3", "q=8", "kv=16", "d=4"},
         6 * 2 * 2 * 8 * 16 * 4,
         6 * 2 * 4 * (8 + 16 + 16),
         6 * 2 * 8 * 4,
         {NULL, NULL}},
        {"attention",
         {"batch=1", "heads=4", "q=8", "d=4", "kv_heads=2"},
         4 * 4 * 8 * 8 * 4,
         2 * 4 * (4 * 8 + 2 * 2 * 8),
         2 * 4 * 8 * 4,
         {NULL, NULL}},
        /* 1 + 2 + 3 pairs; of the last 2 of 3 queries 2 + 3. */
        {"attention", {"batch=1", "heads=1", "q=3", "d=1", "causal=1"}, 4 * 6, 2 * 9, 2 * 3, {NULL, NULL}},
        {"attention", {"batch=1", "heads=1", "q=2", "kv=3", "d=1", "causal=1"}, 4 * 5, 2 * 8, 2 * 2, {NULL, NULL}},
        {"attention", {"batch=1", "heads=1", "q=3", "d=1", "causal=0"}, 4 * 9, 2 * 9, 2 * 3, {NULL, NULL}},
        {"norm", {"rows=10", "cols=7"}, 4 * 70, 2 * 77, 2 * 70, {NULL, NULL}},
        {"copy", {"elements=5"}, 0, 10, 10, {NULL, NULL}},
        /* 4 x 4 places of 3 x 3 x 2, then every second of a padded image. */
        {"conv", {"n=1", "h=6", "w=6", "c=2", "k=5", "r=3", "s=3"}, 2 * 16 * 5 * 18, 2 * (72 + 90), 2 * 80, {NULL, NULL}},
        {"conv", {"n=1", "h=6", "w=6", "c=1", "k=1", "r=3", "s=3", "stride=2"}, 2 * 4 * 9, 2 * (25 + 9), 2 * 4, {NULL, NULL}},
        /* One pixel of four; and all of a padded image. */
        {"conv", {"n=1", "h=6", "w=6", "c=1", "k=1", "r=1", "s=1", "stride=2"}, 2 * 9, 2 * (9 + 1), 2 * 9, {NULL, NULL}},
        {"conv", {"n=1", "h=5", "w=5", "c=1", "k=1", "r=3", "s=3", "pad=1"}, 2 * 25 * 9, 2 * (25 + 9), 2 * 25, {NULL, NULL}},
        {"spmm", {"m=10", "n=3", "k=20", "nnz=17"}, 2 * 17 * 3, 17 * (2 + 4) + 4 * 11 + 2 * 51, 2 * 30, {NULL, NULL}},
        {"spmm", {"m=10", "n=3", "k=20", "nnz=30"}, 2 * 30 * 3, 30 * (2 + 4) + 4 * 11 + 2 * 60, 2 * 30, {NULL, NULL}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_op *op = sg_op_find(rows[i].op);
        struct sg_dtype_name in = {.dtype = SG_BF16}, out = {.dtype = SG_BF16};
        struct sg_work work;
        struct sg_text shape = {0};
        struct sg_err err = {0};
        assert_non_null(op);
        if (rows[i].formats[0])
            sg_dtype_name_parse(rows[i].formats[0], &in, &err);
        if (rows[i].formats[1])
            sg_dtype_name_parse(rows[i].formats[1], &out, &err);
        if (sg_op_work(op, rows[i].words, words_of(rows[i].words), &in, rows[i].formats[1] ? &out.dtype : NULL, &work, &shape, &err) !=
            SG_SUCCESS)
            fail_msg("%s: %s", rows[i].op, err.message);
        if (work.flop[op->is_f32 ? SG_F32 : in.dtype] != rows[i].flop || work.read_bytes != rows[i].read ||
            work.write_bytes != rows[i].write)
            fail_msg("row %zu, %s: %g and %g flop, %g and %g B", i, shape.data, work.flop[in.dtype], work.flop[SG_F32], work.read_bytes,
                     work.write_bytes);
        sg_text_release(&shape);
    }
}

TEST(sizes_that_do_not_fit_are_refused)
{
    static const struct {
        const char *op, *words[WORDS_MAX], *part;
    } rows[] = {
        {"norm", {"rows=3"}, "cols=N is missing"},
        {"gemm", {"m=1,2", "n=1,2,3", "k=1"}, "m: expected 3 numbers, one a group, or one for all, found 2"},
        {"gemm", {"m=1", "n=5,0", "k=1"}, "n: expected a whole number from 1"},
        {"norm", {"rows=3", "cols=0"}, "cols: expected a whole number from 1 to 281474976710656, found '0'"},
        {"norm", {"rows=3", "cols=4", "rows=3"}, "expected rows once"},
        {"norm", {"rows"}, "expected sizes of rows=N, cols=N, found 'rows'"},
        {"norm", {"row=3"}, "found 'row=3'"},
        {"norm", {"=3"}, "found '=3'"},
        {"norm", {"rows=1e3"}, "found '1e3'"},
        {"attention", {"batch=1", "heads=1", "q=4", "kv=3", "d=1", "causal=1"}, "q: expected at most kv"},
        {"attention", {"batch=1", "heads=3", "q=4", "d=1", "kv_heads=2"}, "kv_heads: expected a divisor of heads"},
        {"attention", {"batch=1", "heads=3", "q=4", "d=1", "causal=2"}, "causal: expected a whole number from 0 to 1"},
        {"conv", {"n=1", "h=2", "w=9", "c=1", "k=1", "r=3", "s=3"}, "no larger than the padded image"},
        {"conv", {"n=1", "h=9", "w=9", "c=4", "k=3", "r=3", "s=3", "groups=2"}, "groups: expected a divisor"},
        {"spmm", {"m=2", "n=1", "k=2", "nnz=5"}, "nnz: expected at most m * k"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_dtype_name in = {.dtype = SG_BF16};
        struct sg_work work;
        struct sg_text shape = {0};
        struct sg_err err = {0};
        if (sg_op_work(sg_op_find(rows[i].op), rows[i].words, words_of(rows[i].words), &in, NULL, &work, &shape, &err) != SG_BAD_USAGE ||
            !strstr(err.message, rows[i].part) || shape.length > 0)
            fail_msg("%s: code %d, '%s'", rows[i].part, err.code, err.message);
        sg_text_release(&shape);
    }
    assert_null(sg_op_find("fft"));
}
