/* The work of products by hand, and the shapes that are refused. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/gemm_work.h"

#define ZERO UINT64_MAX /* stands for the number 0 in a list: 0 ends it */

/* Lists of at most three numbers. */
struct shape {
    uint64_t m[4], n[4], k[4];
};

static struct sg_gemm_sides sides_of(uint64_t *list)
{
    size_t count = 0;
    for (; list[count] != 0; count++)
        if (list[count] == ZERO)
            list[count] = 0;
    return (struct sg_gemm_sides){list, count};
}

static enum sg_code work_of(const struct shape *given, struct sg_gemm like, struct sg_work *work, struct sg_err *err)
{
    struct shape shape = *given;
    like.m = sides_of(shape.m);
    like.n = sides_of(shape.n);
    like.k = sides_of(shape.k);
    return sg_gemm_work(&like, work, err);
}

TEST(work_is_what_the_shapes_ask_for)
{
    static const struct {
        const char *name;
        struct shape shape;
        struct sg_gemm like;
        double flop, read, write;
    } rows[] = {
        {"one product", {{3}, {5}, {7}}, {.in = SG_BF16, .out = SG_BF16}, 210, (3 + 5) * 7 * 2, 3 * 5 * 2},
        {"formats have sizes of their own", {{3}, {5}, {7}}, {.in = SG_E4M3, .out = SG_F32}, 210, (3 + 5) * 7, 3 * 5 * 4},
        {"four bits are packed", {{4}, {4}, {8}}, {.in = SG_E2M1, .out = SG_F16}, 256, 32, 32},
        {"a scale for sixteen elements of k, of both",
         {{4}, {4}, {32}},
         {.in = SG_E2M1, .out = SG_F16, .scale_block = 16, .scale_bytes = 1, .scale_rows = 1},
         1024,
         128 + 16,
         32},
        {"a block that is begun has a scale",
         {{1}, {1}, {17}},
         {.in = SG_E4M3, .out = SG_BF16, .scale_block = 16, .scale_bytes = 4, .scale_rows = 1},
         34,
         34 + 16,
         2},
        {"rows of B share scales, those of A do not",
         {{5}, {6}, {17}},
         {.in = SG_E4M3, .out = SG_BF16, .scale_block = 16, .scale_bytes = 4, .scale_rows = 4},
         2 * 5 * 6 * 17,
         (5 + 6) * 17 + (5 + 2) * 2 * 4,
         5 * 6 * 2},
        {"groups add up, and one number is for all", {{1, 2}, {8}, {8}}, {.in = SG_BF16, .out = SG_BF16}, 384, (9 + 10) * 8 * 2, 24 * 2},
        {"each group of its own size", {{1, 2}, {3, 4}, {5, 6}}, {.in = SG_BF16, .out = SG_BF16}, 126, (4 * 5 + 6 * 6) * 2, (3 + 8) * 2},
        {"as many groups as the longest list", {{2}, {8}, {8, 8, 8}}, {.in = SG_BF16, .out = SG_BF16}, 768, 480, 96},
        {"the largest there is",
         {{SG_GEMM_SIDE_MAX}, {SG_GEMM_SIDE_MAX}, {SG_GEMM_SIDE_MAX}},
         {.in = SG_F64, .out = SG_F64},
         0x1p94,
         0x1p66,
         0x1p65},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_work work;
        struct sg_err err = {0};
        if (work_of(&rows[i].shape, rows[i].like, &work, &err) != SG_SUCCESS)
            fail_msg("%s: %s: %s", rows[i].name, err.where, err.message);
        if (work.flop[rows[i].like.in] != rows[i].flop || work.read_bytes != rows[i].read || work.write_bytes != rows[i].write)
            fail_msg("%s: %g flop, %g B read, %g B written", rows[i].name, work.flop[rows[i].like.in], work.read_bytes, work.write_bytes);
    }
}

TEST(a_shape_that_cannot_be_is_named)
{
    static const struct {
        const char *name;
        struct shape shape;
        struct sg_gemm like;
        const char *where, *words;
    } rows[] = {
        {"no m", {{0}, {5}, {7}}, {.in = SG_BF16}, "m", "found none"},
        {"m of zero", {{ZERO}, {5}, {7}}, {.in = SG_BF16}, "m", "found 0"},
        {"n of zero in a later group", {{1, 1}, {5, ZERO}, {7}}, {.in = SG_BF16}, "n", "group 2: expected 1 to 2147483648 (2^31), found 0"},
        {"k beyond 2^31", {{1}, {1}, {SG_GEMM_SIDE_MAX + 1}}, {.in = SG_BF16}, "k", "found 2147483649"},
        {"unequal lists", {{1, 2}, {1, 2, 3}, {1}}, {.in = SG_BF16}, "m", "expected 3 numbers, one a group, or one for all, found 2"},
        {"scales without bytes",
         {{1}, {1}, {16}},
         {.in = SG_E2M1, .scale_block = 16, .scale_rows = 1},
         "scales",
         "bytes of a scale over 0"},
        {"of no row", {{1}, {1}, {16}}, {.in = SG_E2M1, .scale_block = 16, .scale_bytes = 1}, "scales", "rows that share a scale over 0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_work work;
        struct sg_err err = {0};
        if (work_of(&rows[i].shape, rows[i].like, &work, &err) != SG_BAD_INPUT || strcmp(err.where, rows[i].where) != 0 ||
            !strstr(err.message, rows[i].words))
            fail_msg("%s: code %d at '%s', '%s'", rows[i].name, err.code, err.where, err.message);
    }
}
