/*
 * device/context_settings.h - settings of the context that a variant's code can change for all
 * later launches, including those of its partner. A `prepare` may change them: the worker restores
 * them after the variant. A count pass, which prepares many variants together, counts such a
 * variant alone. A launch must not change them. Stack sizes are not included: the driver raises
 * them for kernels that need it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sg_context_settings {
    /* bytes for persisting accesses (CU_LIMIT_PERSISTING_L2_CACHE_SIZE) */
    uint64_t l2_set_aside;
    uint64_t l2_fetch_granularity; /* bytes (CU_LIMIT_MAX_L2_FETCH_GRANULARITY) */
    uint64_t l1_preference;        /* CUfunc_cache */
};

#define SG_SETS_IN_LAUNCH                                                                 \
    "its launch changes settings of the context (L2 set aside, L2 fetch granularity, L1 " \
    "preference), which also apply to all later launches"

#define SG_SETTINGS_STAY                                                                         \
    "the context settings of its `prepare` (L2 set aside, L2 fetch granularity, L1 preference) " \
    "could not be restored and apply to all later launches"

static inline bool sg_context_settings_differ(const struct sg_context_settings *a,
                                              const struct sg_context_settings *b)
{
    return a->l2_set_aside != b->l2_set_aside ||
           a->l2_fetch_granularity != b->l2_fetch_granularity ||
           a->l1_preference != b->l1_preference;
}
