/*
 * group_products.h - the groups of a case as products by themselves, for libraries that know no
 * groups: each a case and buffers of the dense family (gemm_layout.h). Groups without rows are no
 * products. Rows of a product's SFA are group_sfa_row(m) long: as the dense family has them where m
 * is a multiple of 4. Invariant: pointers hold as long as the buffers of the launch.
 *
 *     struct group_products products;
 *     group_products_init(&products, l);
 *     for (int i = 0; i < products.count; i++)
 *         ... products.of[i].launch ...
 */
#ifndef GROUP_PRODUCTS_H
#define GROUP_PRODUCTS_H

#include "group_layout.h"

struct group_product {
    struct sg_case c;
    void *buffer[GEMM_BUFFERS];
    struct sg_launch launch; /* of the two above */
};

struct group_products {
    int count;
    struct group_product of[GROUP_MOST];
};

/* Where group g's operands, results and scales begin. */
static inline void group_product_buffers(const struct sg_launch *l, int g,
                                         void *buffer[GEMM_BUFFERS])
{
    const struct group_sizes *sizes = group_sizes_of(l->c);
    const int64_t n = l->c->dim[GROUP_N], k = l->c->dim[GROUP_K], first = group_first_row(sizes, g);
    const int64_t bytes = gemm_has_scales(l->c) ? sizeof(uint8_t) : sizeof(uint16_t);
    buffer[GEMM_A] = (char *)l->buffer[GROUP_A] + first * k * bytes;
    buffer[GEMM_B] = (char *)l->buffer[GROUP_B] + g * n * k * bytes;
    buffer[GEMM_D] = (uint16_t *)l->buffer[GROUP_D] + (first + g * l->c->dim[GROUP_GUARD]) * n;
    if (gemm_has_scales(l->c)) {
        buffer[GEMM_SFA] =
            (float *)l->buffer[GROUP_SFA] + group_first_scale(sizes, g, gemm_scales(k));
        buffer[GEMM_SFB] = (float *)l->buffer[GROUP_SFB] + g * gemm_scales(n) * gemm_sfb_row(k);
    }
}

static inline void group_products_init(struct group_products *products, const struct sg_launch *l)
{
    const struct group_sizes *sizes = group_sizes_of(l->c);
    products->count = 0;
    for (int g = 0; g < sizes->count; g++) {
        struct group_product *product = &products->of[products->count];
        if (sizes->m[g] == 0)
            continue;
        *product = {.c = {.name = l->c->name,
                          .dim = {sizes->m[g], l->c->dim[GROUP_N], l->c->dim[GROUP_K]},
                          .dtype = l->c->dtype},
                    .buffer = {},
                    .launch = *l};
        group_product_buffers(l, g, product->buffer);
        product->launch.c = &product->c;
        product->launch.buffer = product->buffer;
        products->count++;
    }
}

#endif
