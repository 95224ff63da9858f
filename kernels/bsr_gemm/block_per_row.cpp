/*
 * bsr_gemm/block_per_row - the baseline's kernel, a cluster for each block row: it multiplies all
 * tiles of its row, one after the other.
 *
 * What is natural for a list of rows. 64 rows are 64 clusters of two, fewer than there is room for
 * on 132 multiprocessors; and the longest row's cluster is the last to end, by a power law after a
 * multiple of the others' time. A's blocks stay in the L2 for the whole row; B comes once a row.
 * Expect low sm_active and more DRAM traffic.
 */
#include "bsr_launch.h"

static struct bsr_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct bsr_setup setup = bsr_baseline(c, knob);
    setup.order = BSR_WORKER_A_ROW;
    return setup;
}

SG_VARIANT(bsr_gemm, block_per_row) = {
    .summary = "the baseline with a cluster for each row",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = bsr_check_aligned,
    .prepare = bsr_prepare<choose>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<choose>,
};
