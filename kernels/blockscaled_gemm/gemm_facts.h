/*
 * gemm_facts.h - a plan as the facts of a variant (sg_variant.facts): rows of a run, which
 * compare, explain and report show.
 *
 *     static size_t facts(const struct sg_case *c, const int64_t *knob, struct
 *     sg_fact out[SG_MAX_FACTS]) {
 *         return gemm_facts_of(gemm_plan_of(GEMM_HOPPER, gemm_tile_of(c), GEMM_GREEDY), out);
 *     }
 *
 * Invariant: the names are those of metrics.ini, where their meaning is.
 */
#ifndef GEMM_FACTS_H
#define GEMM_FACTS_H

#include "gemm_plan.h"

#define GEMM_FACTS 7

static inline size_t gemm_facts_of(struct gemm_plan plan, struct sg_fact out[SG_MAX_FACTS])
{
    const struct sg_fact facts[GEMM_FACTS] = {
        {"stages_acc", "1", (double)plan.acc, NULL},
        {"stages_ab", "1", (double)plan.ab, NULL},
        {"stages_c", "1", (double)plan.c, NULL},
        {"stage_ab_bytes", "B", (double)plan.ab_bytes, NULL},
        {"stage_c_bytes", "B", (double)plan.c_bytes, NULL},
        {"stages_bytes", "B", (double)plan.smem_bytes,
         plan.free_bytes < 0 ? "more than a block can have" : NULL},
        {"acc_registers", "register", (double)plan.acc_used,
         plan.acc_free < 0 ? "more than a thread can have beside the rest" : NULL},
    };
    for (int i = 0; i < GEMM_FACTS; i++)
        out[i] = facts[i];
    return GEMM_FACTS;
}

#endif
