/*
 * group_scales.h - the scales that an e4m3 case of groups is handed: values as in the dense family (gemm_scales.h), at the places of
 * group_layout.h. Plain C and CUDA's host.
 *
 * Invariant: what no result may depend on, the ends of rows that are padded, is not a number. That of SFB no kernel may read; that of SFA
 * the copy engine may bring along, and whoever lets it into a sum of a row of D is found out. How it is used: sg_family.fill of family.cu;
 * tests/unit/test_group_scales.c.
 */
#ifndef GROUP_SCALES_H
#define GROUP_SCALES_H

#include "blockscaled_gemm/gemm_scales.h"
#include "group_layout.h"

/* `rows` rows of `row` scales, from number `first` of a buffer on; those from `used` on in each are padding. */
static inline void group_fill_rows(const struct sg_fill_request *request, int buffer, int64_t first, int64_t rows, int64_t row,
                                   int64_t used)
{
    float *scale = (float *)request->host[buffer] + first;
    for (int64_t i = 0; i < rows * row; i++)
        scale[i] = i % row < used ? gemm_scale_at(request, buffer, first + i) : NAN;
}

/* Both buffers of scales. */
static inline void group_fill_scales(const struct sg_fill_request *request)
{
    const struct group_sizes *sizes = group_sizes_of(request->c);
    const int64_t k = request->c->dim[GROUP_K], depth = gemm_scales(k);
    for (int g = 0; g < sizes->count; g++)
        group_fill_rows(request, GROUP_SFA, group_first_scale(sizes, g, depth), depth, group_sfa_row(sizes->m[g]), sizes->m[g]);
    group_fill_rows(request, GROUP_SFB, 0, sizes->count * gemm_scales(request->c->dim[GROUP_N]), gemm_sfb_row(k), depth);
}

#endif
