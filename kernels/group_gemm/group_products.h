/*
 * group_products.h - the groups of a case as products by themselves, for libraries that know no groups: each a case and buffers of the
 * dense family (gemm_layout.h). Groups without rows are no products. Invariant: pointers hold as long as the buffers of the launch.
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

static inline void group_products_init(struct group_products *products, const struct sg_launch *l)
{
    const struct group_sizes *sizes = group_sizes_of(l->c);
    const int64_t n = l->c->dim[GROUP_N], k = l->c->dim[GROUP_K], guard = l->c->dim[GROUP_GUARD];
    products->count = 0;
    for (int g = 0; g < sizes->count; g++) {
        const int64_t first = group_first_row(sizes, g);
        struct group_product *product = &products->of[products->count];
        if (sizes->m[g] == 0)
            continue;
        *product = {.c = {.name = l->c->name, .dim = {sizes->m[g], n, k}, .dtype = l->c->dtype}, .buffer = {}, .launch = *l};
        product->buffer[GEMM_A] = (uint16_t *)l->buffer[GROUP_A] + first * k;
        product->buffer[GEMM_B] = (uint16_t *)l->buffer[GROUP_B] + g * n * k;
        product->buffer[GEMM_D] = (uint16_t *)l->buffer[GROUP_D] + (first + g * guard) * n;
        product->launch.c = &product->c;
        product->launch.buffer = product->buffer;
        products->count++;
    }
}

#endif
