/* Every number format has its word and the names that people use;
 * the list of them reads as a list. */
#include <string.h>

#include "check.h"
#include "util/dtype_names.h"

TEST(names_find_their_format)
{
    static const struct {
        const char *name;
        enum sg_dtype dtype;
        uint64_t block;
    } rows[] = {
        {"fp8", SG_E4M3, 0},    {"e4m3", SG_E4M3, 0},     {"fp8_e4m3", SG_E4M3, 0},
        {"bf16", SG_BF16, 0},   {"bfloat16", SG_BF16, 0}, {"fp32", SG_F32, 0},
        {"f32", SG_F32, 0},     {"float", SG_F32, 0},     {"FP32", SG_F32, 0},
        {"nvfp4", SG_E2M1, 16}, {"mxfp4", SG_E2M1, 32},   {"fp4", SG_E2M1, 0},
        {"half", SG_F16, 0},    {"double", SG_F64, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_dtype_name found;
        struct sg_err err = {0};
        if (sg_dtype_name_parse(rows[i].name, &found, &err) != SG_SUCCESS ||
            found.dtype != rows[i].dtype || found.block != rows[i].block)
            fail_msg("%s: %s", rows[i].name, err.message);
    }
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++) {
        struct sg_dtype_name found;
        struct sg_err err = {0};
        assert_int_equal(sg_dtype_name_parse(sg_dtype_word(d), &found, &err), SG_SUCCESS);
        assert_int_equal(found.dtype, d);
        assert_true(found.block == 0);
    }
}

TEST(an_unknown_name_lists_them)
{
    struct sg_dtype_name found;
    struct sg_err err = {0};
    assert_int_equal(sg_dtype_name_parse("fp6", &found, &err), SG_BAD_USAGE);
    assert_non_null(
        strstr(err.message,
               "expected f64 (double, fp64, float64), f32 (float, fp32, float32), tf32, f16 ("));
    assert_non_null(strstr(err.message, "i32 (int32), i8 (int8), found 'fp6'"));
}
