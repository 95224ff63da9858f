/* Work of products by hand, and sizes that are refused by their names. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/gemm_work.h"

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
        const char *words[WORDS_MAX];
        double flop, read, write;
        const char *formats[2]; /* of inputs and output; NULL: bf16 and f16 */
    } rows[] = {
        ROW(LIST("m=3", "n=5", "k=7"), 210, (3 + 5) * 7 * 2, 3 * 5 * 2, LIST(NULL, NULL)),
        ROW(LIST("m=3", "n=5", "k=7"), 210, (3 + 5) * 7, 3 * 5 * 4, LIST("e4m3", "f32")),
        /* Four bits are packed; a scale for sixteen elements of k, of both. */
        ROW(LIST("m=4", "n=4", "k=8"), 256, 32, 32, LIST("e2m1", "f16")),
        ROW(LIST("m=4", "n=4", "k=32"), 1024, 128 + 16, 32, LIST("nvfp4", NULL)),
        ROW(LIST("m=4", "n=4", "k=32", "scale_block=16"), 1024, 128 + 16, 32, LIST("e2m1", "f16")),
        /* A block that is begun has a scale; rows of B share scales, those of A do not. */
        ROW(LIST("m=1", "n=1", "k=17", "scale_block=16", "scale_bytes=4"), 34, 34 + 16, 2,
            LIST("e4m3", "bf16")),
        ROW(LIST("m=5", "n=6", "k=17", "scale_block=16", "scale_bytes=4", "scale_rows=4"),
            2 * 5 * 6 * 17, (5 + 6) * 17 + (5 + 2) * 2 * 4, 5 * 6 * 2, LIST("e4m3", "bf16")),
        /* Groups add up, and one number is for all; as many as the longest list. */
        ROW(LIST("m=1,2", "n=8", "k=8"), 384, (9 + 10) * 8 * 2, 24 * 2, LIST(NULL, NULL)),
        ROW(LIST("m=1,2", "n=3,4", "k=5,6"), 126, (4 * 5 + 6 * 6) * 2, (3 + 8) * 2,
            LIST(NULL, NULL)),
        ROW(LIST("m=2", "n=8", "k=8,8,8"), 768, 480, 96, LIST(NULL, NULL)),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_dtype_name in = {.dtype = SG_BF16}, out = {.dtype = SG_F16};
        struct sg_work work;
        SG_SCOPED(sg_text) shape = {0};
        struct sg_err err = {0};
        if (rows[i].formats[0])
            sg_dtype_name_parse(rows[i].formats[0], &in, &err);
        if (rows[i].formats[1])
            sg_dtype_name_parse(rows[i].formats[1], &out, &err);
        if (sg_gemm_work(rows[i].words, words_of(rows[i].words), &in, out.dtype, &work, &shape,
                         &err) != SG_SUCCESS)
            fail_msg("row %zu: %s", i, err.message);
        if (work.flop[in.dtype] != rows[i].flop || work.read_bytes != rows[i].read ||
            work.write_bytes != rows[i].write)
            fail_msg("row %zu, %s: %g flop, %g and %g B", i, shape.data, work.flop[in.dtype],
                     work.read_bytes, work.write_bytes);
    }
}

TEST(sizes_that_do_not_fit_are_refused)
{
    static const struct {
        const char *words[WORDS_MAX], *part;
    } rows[] = {
        {{"m=3", "n=2"}, "k=N is missing: columns of A and B"},
        {{"m=1,2", "n=1,2,3", "k=1"},
         "m: expected 3 numbers, one per group, or one for all, found 2"},
        {{"m=1", "n=5,0", "k=1"}, "n: expected a whole number from 1"},
        {{"m=0"}, "m: expected a whole number from 1 to 281474976710656, found '0'"},
        {{"m=3", "n=4", "m=3"}, "expected m once"},
        {{"m"}, "of the sizes m n k [scale_block] [scale_bytes] [scale_rows], found 'm'"},
        {{"rows=3"}, "found 'rows=3'"},
        {{"=3"}, "found '=3'"},
        {{"m=1e3"}, "found '1e3'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_dtype_name in = {.dtype = SG_BF16};
        struct sg_work work;
        SG_SCOPED(sg_text) shape = {0};
        struct sg_err err = {0};
        if (sg_gemm_work(rows[i].words, words_of(rows[i].words), &in, SG_F16, &work, &shape,
                         &err) != SG_BAD_USAGE ||
            !strstr(err.message, rows[i].part) || shape.length > 0)
            fail_msg("%s: code %d, '%s'", rows[i].part, err.code, err.message);
    }
}
