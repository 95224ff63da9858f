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
    const int64_t m = group_sizes_of(c)->m[g], n = c->dim[GROUP_N], k = c->dim[GROUP_K];
    const int64_t first = group_first_row(group_sizes_of(c), g);
    const struct sg_case one = {.name = c->name, .dim = {m, n, k}, .dtype = c->dtype};
    const void *device[GEMM_BUFFERS] = {};
    double *expected[GEMM_BUFFERS] = {};
    device[GEMM_A] = (const uint16_t *)request->device[GROUP_A] + first * k;
    device[GEMM_B] = (const uint16_t *)request->device[GROUP_B] + g * n * k;
    expected[GEMM_D] = request->expected[GROUP_D] + (first + g * c->dim[GROUP_GUARD]) * n;
    const struct sg_reference_request product = {.c = &one, .device = device, .expected = expected};
    gemm_reference(&product);
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
