/*
 * worker/pair_sides.h - what the two sides of a pair must have in common: the layout of their
 * buffers, and the kernels that a baseline launches alone and paired with a candidate.
 */
#pragma once

#include "worker/session.h"

bool sg_is_aa_pair(const struct sg_target *target);

/* Both sides share buffers: SG_UNSUPPORTED if the case of two builds has different buffers. */
bool sg_check_layout(const struct sg_target *target, struct sg_outcome *outcome);

/* True if this process loads the code of candidates first. */
bool sg_loads_candidate_first(const struct sg_pass *pass);

/* Takes a baseline batch of a Python gate. Stores its kernels for an A/A pair; otherwise sets
 * SG_MISPLACED if they differ from the stored kernels. */
void sg_compare_with_alone(struct sg_pass *pass, const struct sg_target *target,
                           const struct sg_batch *batch, struct sg_outcome *outcome);
