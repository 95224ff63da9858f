/*
 * bsr_gemm/two_tiles_overlap - broken on purpose: half2_vec4 with two
 * tiles side by side for each block.
 *
 * The second tile's columns of B begin in the middle of the first's. The H100 work log's
 * fifth attempt. Must be `wrong` in every second tile of 128 columns and right in the others,
 * where D has two tiles side by side.
 */
#include "bsr_plain.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_second_tile(c, why);
}

SG_VARIANT(bsr_gemm, two_tiles_overlap) = {
    .summary = "broken: the second of two tiles reads B 64 columns too far to the left",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = supports,
    .launch = bsr_plain_launch<bsr_plain_design{.tiles = 2, .overlaps = true}>,
};
