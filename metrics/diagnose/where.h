/*
 * diagnose/where.h - compares the samples of two variants: where the time of each goes, by
 * instruction and stall reason.
 *
 * A sample belongs to one warp, so an instruction's share of the samples is its share of the warps'
 * time. The unit is points of the baseline's time. The baseline's rows sum to 100, the candidate's
 * to 100 times its ratio, and the differences to the added time. A wait counts for its producer, in
 * equal parts if there are several. Instructions with the same source line and opcode share a row.
 */
#pragma once

#include "diagnose/pc_samples.h"

#define SG_WHERE_REASONS 32

/* Two sides, in the order of a pair; a variant alone is the second side. */
enum { SG_WHERE_BASELINE, SG_WHERE_CANDIDATE, SG_WHERE_SIDES };

struct sg_where_row {
    sg_id place, opcode; /* source line, or address and kernel; all ids are of the samples' pool */
    sg_id instruction;   /* the instruction of the row with the most points */
    double points[SG_WHERE_SIDES];
    double of_reason[SG_WHERE_REASONS]; /* points of both sides, by index in `reason` */
    /* the instruction that waits longest for this row; 0: the row itself */
    sg_id waits_at;
    double most; /* points of that wait */
};

struct sg_where {
    struct sg_where_row *rows; /* owned; largest difference first */
    size_t count, capacity;
    sg_id reason[SG_WHERE_REASONS];
    size_t reason_count;
    double samples[SG_WHERE_SIDES]; /* number of samples; 0: the side has none */
};

/* `variant`: family, case and variant of each side, NULL for none. `ratio`: time of the
 * candidate over that of the baseline; 1 if not known. */
void sg_where_find(struct sg_pc_samples *samples, const char *const *const variant[SG_WHERE_SIDES],
                   double ratio, struct sg_where *where);
