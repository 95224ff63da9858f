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
    } rows[] = {
        /* 2 products of 8 x 16 x 4 in each of 6 heads; Q, K and V of 2 bytes. */
        {"attention", {"batch=2", "heads=3", "q=8", "kv=16", "d=4"}, 6 * 2 * 2 * 8 * 16 * 4, 6 * 2 * 4 * (8 + 16 + 16), 6 * 2 * 8 * 4},
        {"attention", {"batch=1", "heads=4", "q=8", "d=4", "kv_heads=2"}, 4 * 4 * 8 * 8 * 4, 2 * 4 * (4 * 8 + 2 * 2 * 8), 2 * 4 * 8 * 4},
        /* 1 + 2 + 3 pairs; of the last 2 of 3 queries 2 + 3. */
        {"attention", {"batch=1", "heads=1", "q=3", "d=1", "causal=1"}, 4 * 6, 2 * 9, 2 * 3},
        {"attention", {"batch=1", "heads=1", "q=2", "kv=3", "d=1", "causal=1"}, 4 * 5, 2 * 8, 2 * 2},
        {"attention", {"batch=1", "heads=1", "q=3", "d=1", "causal=0"}, 4 * 9, 2 * 9, 2 * 3},
        {"norm", {"rows=10", "cols=7"}, 4 * 70, 2 * 77, 2 * 70},
        {"copy", {"elements=5"}, 0, 10, 10},
        /* 4 x 4 places of 3 x 3 x 2, then every second of a padded image. */
        {"conv", {"n=1", "h=6", "w=6", "c=2", "k=5", "r=3", "s=3"}, 2 * 16 * 5 * 18, 2 * (72 + 90), 2 * 80},
        {"conv", {"n=1", "h=6", "w=6", "c=1", "k=1", "r=3", "s=3", "stride=2"}, 2 * 4 * 9, 2 * (25 + 9), 2 * 4},
        /* One pixel of four; and all of a padded image. */
        {"conv", {"n=1", "h=6", "w=6", "c=1", "k=1", "r=1", "s=1", "stride=2"}, 2 * 9, 2 * (9 + 1), 2 * 9},
        {"conv", {"n=1", "h=5", "w=5", "c=1", "k=1", "r=3", "s=3", "pad=1"}, 2 * 25 * 9, 2 * (25 + 9), 2 * 25},
        {"spmm", {"m=10", "n=3", "k=20", "nnz=17"}, 2 * 17 * 3, 17 * (2 + 4) + 4 * 11 + 2 * 51, 2 * 30},
        {"spmm", {"m=10", "n=3", "k=20", "nnz=30"}, 2 * 30 * 3, 30 * (2 + 4) + 4 * 11 + 2 * 60, 2 * 30},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_op *op = sg_op_find(rows[i].op);
        struct sg_work work;
        struct sg_text shape = {0};
        struct sg_err err = {0};
        assert_non_null(op);
        if (sg_op_work(op, rows[i].words, words_of(rows[i].words), SG_BF16, SG_BF16, &work, &shape, &err) != SG_SUCCESS)
            fail_msg("%s: %s", rows[i].op, err.message);
        if (work.flop[op->is_f32 ? SG_F32 : SG_BF16] != rows[i].flop || work.read_bytes != rows[i].read ||
            work.write_bytes != rows[i].write)
            fail_msg("row %zu, %s: %g and %g flop, %g and %g B", i, shape.data, work.flop[SG_BF16], work.flop[SG_F32], work.read_bytes,
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
        struct sg_work work;
        struct sg_text shape = {0};
        struct sg_err err = {0};
        if (sg_op_work(sg_op_find(rows[i].op), rows[i].words, words_of(rows[i].words), SG_BF16, SG_BF16, &work, &shape, &err) !=
                SG_BAD_USAGE ||
            !strstr(err.message, rows[i].part) || shape.length > 0)
            fail_msg("%s: code %d, '%s'", rows[i].part, err.code, err.message);
        sg_text_release(&shape);
    }
    assert_null(sg_op_find("gemm"));
}
