/*
 * group_scales.h - the scales that an e4m3 case of groups is handed: values as in the dense family
 * (gemm_scales.h), at the places of group_layout.h. Plain C and CUDA's host.
 *
 * Invariant: what no result may depend on, the ends of rows that are padded, shows wherever it gets
 * to. Those of SFB, which no kernel may read, are not numbers; those of SFA, which the copy engine
 * may bring along, are numbers far from any other: a variant that writes rows beyond its group is
 * expected to be wrong, not to leave what is not a number. How it is used: sg_family.fill of
 * family.cpp; tests/unit/kernels/test_group_scales.c.
 */
#ifndef GROUP_SCALES_H
#define GROUP_SCALES_H

#include "blockscaled_gemm/gemm_scales.h"
#include "group_layout.h"

#define GROUP_SFA_PADDING 0x1p40f

/* Rows of scales, of which the first `used` of each are some. */
struct group_scale_rows {
    int buffer;
    int64_t first; /* number in the buffer */
    int64_t rows, row, used;
    float padding;
};

static inline void group_fill_rows(const struct sg_fill_request *request,
                                   const struct group_scale_rows *r)
{
    float *scale = (float *)request->host[r->buffer] + r->first;
    for (int64_t i = 0; i < r->rows * r->row; i++)
        scale[i] =
            i % r->row < r->used ? gemm_scale_at(request, r->buffer, r->first + i) : r->padding;
}

/* Both buffers of scales. */
static inline void group_fill_scales(const struct sg_fill_request *request)
{
    const struct group_sizes *sizes = group_sizes_of(request->c);
    const int64_t k = request->c->dim[GROUP_K], depth = gemm_scales(k);
    for (int g = 0; g < sizes->count; g++) {
        const int64_t m = sizes->m[g];
        const struct group_scale_rows a = {GROUP_SFA, group_first_scale(sizes, g, depth),
                                           depth,     group_sfa_row(m),
                                           m,         GROUP_SFA_PADDING};
        group_fill_rows(request, &a);
    }
    const int64_t rows = sizes->count * gemm_scales(request->c->dim[GROUP_N]);
    const struct group_scale_rows b = {GROUP_SFB, 0, rows, gemm_sfb_row(k), depth, NAN};
    group_fill_rows(request, &b);
}

#endif
