/*
 * compare/sick_gpu.h - rows that are slower by what their GPU is slower than its siblings
 * (results/unit_health.h): the GPU is at fault, so they are invalid instead of regressed.
 *
 * Pure. Only absolute times: both sides of a ratio, and of a pair with an accepted build, ran on
 * the same GPU. Invariant: a row that is slower by more than the GPU and its tolerance stays as it
 * is.
 */
#pragma once

#include "compare/findings.h"
#include "results/unit_health.h"

void sg_sick_gpu_judge(struct sg_comparison *comparison, const struct sg_table *run,
                       const struct sg_env *env, const struct sg_unit_health *gpus, size_t count);
