#include "group_reference.h"

#include <string.h>

#include "blockscaled_gemm/gemm_reference.h"
#include "group_layout.h"

/* bf16 is the upper half of an f32. */
static double bf16_value(const void *memory, int64_t i)
{
    const uint32_t bits = (uint32_t)((const uint16_t *)memory)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The product of one group, as the dense family's reference knows it. */
static void multiply_group(const struct sg_reference_request *request, int g)
{
    const struct sg_case *c = request->c;
    const struct group_sizes *sizes = group_sizes_of(c);
    const int64_t m = sizes->m[g], n = c->dim[GROUP_N], k = c->dim[GROUP_K],
                  first = group_first_row(sizes, g);
    const int64_t bytes = gemm_has_scales(c) ? sizeof(uint8_t) : sizeof(uint16_t);
    const struct sg_case one = {.name = c->name, .dim = {m, n, k}, .dtype = c->dtype};
    const void *device[GEMM_BUFFERS] = {};
    double *expected[GEMM_BUFFERS] = {};
    device[GEMM_A] = (const char *)request->device[GROUP_A] + first * k * bytes;
    device[GEMM_B] = (const char *)request->device[GROUP_B] + g * n * k * bytes;
    if (gemm_has_scales(c)) {
        device[GEMM_SFA] =
            (const float *)request->device[GROUP_SFA] + group_first_scale(sizes, g, gemm_scales(k));
        device[GEMM_SFB] =
            (const float *)request->device[GROUP_SFB] + g * gemm_scales(n) * gemm_sfb_row(k);
    }
    expected[GEMM_D] = request->expected[GROUP_D] + (first + g * c->dim[GROUP_GUARD]) * n;
    const struct sg_reference_request product = {.c = &one, .device = device, .expected = expected};
    gemm_reference_of_rows(&product, group_sfa_row(m));
}

/* Rows that belong to no group stay as they were. */
static void keep_guard(const struct sg_reference_request *request, int g)
{
    const struct sg_case *c = request->c;
    const int64_t n = c->dim[GROUP_N], guard = c->dim[GROUP_GUARD];
    const int64_t first = (group_first_row(group_sizes_of(c), g + 1) + g * guard) * n;
    for (int64_t i = first; i < first + guard * n; i++)
        request->expected[GROUP_D][i] = bf16_value(request->host[GROUP_D], i);
}

void group_reference(const struct sg_reference_request *request)
{
    for (int g = 0; g < group_sizes_of(request->c)->count; g++) {
        if (group_sizes_of(request->c)->m[g] > 0)
            multiply_group(request, g);
        keep_guard(request, g);
    }
}
