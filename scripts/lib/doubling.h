/*
 * doubling.h - y = 2 x for 64 numbers: the problem of the families made for tests and benchmarks.
 * Each such family is a separate module that uses these functions.
 */
#ifndef SG_DOUBLING_H
#define SG_DOUBLING_H

#include "solgate_kernel.h"

#define DOUBLING_COUNT 64

static inline size_t doubling_layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[0] =
        (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = DOUBLING_COUNT, .use = SG_INPUT};
    out[1] =
        (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = DOUBLING_COUNT, .use = SG_OUTPUT};
    return 2;
}

static inline struct sg_work doubling_work(const struct sg_case *c)
{
    (void)c;
    return (struct sg_work){.flop = {[SG_F32] = DOUBLING_COUNT},
                            .read_bytes = 4 * DOUBLING_COUNT,
                            .write_bytes = 4 * DOUBLING_COUNT};
}

static inline struct sg_tolerance doubling_tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6, .rel_max = 1e-5, .reason = "one rounding"};
}

static inline void doubling_reference(const struct sg_reference_request *r)
{
    for (int i = 0; i < DOUBLING_COUNT; i++)
        r->expected[1][i] = 2.0 * (double)((const float *)r->host[0])[i];
}

static inline void doubling_launch(const struct sg_launch *l)
{
    for (int i = 0; i < DOUBLING_COUNT; i++)
        ((float *)l->buffer[1])[i] = 2 * ((const float *)l->buffer[0])[i];
}

/* The fields of a family that are the same for all of them; a field that follows replaces one. */
#define DOUBLING_FIELDS(family_cases)                                                        \
    .summary = "y = 2 x", .device = SG_HOST, .dims = "count", .cases = family_cases,         \
    .case_count = sizeof(family_cases) / sizeof(family_cases[0]), .layout = doubling_layout, \
    .work = doubling_work, .tolerance = doubling_tolerance, .reference = doubling_reference

#define DOUBLING_CASE(case_name)                                                          \
    {                                                                                     \
        .name = case_name, .dim = {DOUBLING_COUNT}, .dtype = SG_F32, .summary = case_name \
    }

/* What the module exports; variants are in the order of their names. */
#define DOUBLING_MODULE(module_name, module_family, module_variants)                          \
    const struct sg_module *solgate_module(void)                                              \
    {                                                                                         \
        static const struct sg_module module = {.abi_version = SG_ABI_VERSION,                \
                                                .name = module_name,                          \
                                                .commit = "",                                 \
                                                .family = &(module_family),                   \
                                                .variants = module_variants,                  \
                                                .variant_count = sizeof(module_variants) /    \
                                                                 sizeof(module_variants[0])}; \
        return &module;                                                                       \
    }

#endif
