#include "util/dtype_names.h"

#include <string.h>
#include <strings.h>

/* For each format, the word of SG_DTYPE_TABLE comes first. */
static const struct sg_dtype_name names[] = {
    {"f64", SG_F64, 0},       {"double", SG_F64, 0},    {"fp64", SG_F64, 0},
    {"float64", SG_F64, 0},   {"f32", SG_F32, 0},       {"float", SG_F32, 0},
    {"fp32", SG_F32, 0},      {"float32", SG_F32, 0},   {"tf32", SG_TF32, 0},
    {"f16", SG_F16, 0},       {"half", SG_F16, 0},      {"fp16", SG_F16, 0},
    {"float16", SG_F16, 0},   {"bf16", SG_BF16, 0},     {"bfloat16", SG_BF16, 0},
    {"e4m3", SG_E4M3, 0},     {"fp8", SG_E4M3, 0},      {"f8", SG_E4M3, 0},
    {"fp8_e4m3", SG_E4M3, 0}, {"e4m3fn", SG_E4M3, 0},   {"float8_e4m3fn", SG_E4M3, 0},
    {"mxfp8", SG_E4M3, 32},   {"e2m1", SG_E2M1, 0},     {"fp4", SG_E2M1, 0},
    {"f4", SG_E2M1, 0},       {"fp4_e2m1", SG_E2M1, 0}, {"float4_e2m1fn", SG_E2M1, 0},
    {"nvfp4", SG_E2M1, 16},   {"mxfp4", SG_E2M1, 32},   {"i32", SG_I32, 0},
    {"int32", SG_I32, 0},     {"i8", SG_I8, 0},         {"int8", SG_I8, 0},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

void sg_dtype_names_add(struct sg_text *out)
{
    for (size_t i = 0; i < NAMES; i++) {
        const bool is_word = i == 0 || names[i].dtype != names[i - 1].dtype;
        const bool is_last = i + 1 == NAMES || names[i + 1].dtype != names[i].dtype;
        const bool has_others = i > 0 && !is_word && names[i - 1].dtype == names[i].dtype &&
                                strcmp(names[i - 1].name, sg_dtype_word(names[i].dtype)) == 0;
        sg_text_addf(out, "%s%s%s",
                     is_word      ? i == 0 ? "" : ", "
                     : has_others ? " ("
                                  : ", ",
                     names[i].name, is_last && !is_word ? ")" : "");
    }
}

enum sg_code sg_dtype_name_parse(const char *name, struct sg_dtype_name *found, struct sg_err *err)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcasecmp(names[i].name, name) == 0) {
            *found = names[i];
            return SG_SUCCESS;
        }
    SG_SCOPED(sg_text) known = {0};
    sg_dtype_names_add(&known);
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected %s, found '%s'", known.data,
                   sg_show_string(name).text);
}
