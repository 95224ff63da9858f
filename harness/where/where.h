/*
 * where/where.h - samples of two variants side by side: where the time of each went, instruction by
 * instruction, and what for.
 *
 * A sample is of one warp, so that the share of an instruction is its share of the warps' time. It
 * is given in points of the baseline's time: all rows of the baseline are 100, those of the
 * candidate 100 times its ratio, and their differences add up to what is added. A wait is its
 * producer's, in equal parts where there are several. Instructions of the same source line and
 * opcode are one row.
 */
#pragma once

#include "where/pc_samples.h"

#define SG_WHERE_REASONS 32

/* Two sides, in the order of a pair; of one variant alone the second. */
enum { SG_WHERE_BASELINE, SG_WHERE_CANDIDATE, SG_WHERE_SIDES };

struct sg_where_row {
    sg_id place, opcode; /* source line, or address and kernel; in the pool of the samples, like the others */
    sg_id instruction;   /* the heaviest of the row */
    double points[SG_WHERE_SIDES];
    double of_reason[SG_WHERE_REASONS]; /* points of both sides, by the number of the reason */
    sg_id waits_at;                     /* the instruction that waits longest for it; 0: it is the row's own */
    double most;                        /* points of that wait */
};

struct sg_where {
    struct sg_where_row *rows; /* owned; the largest difference first */
    size_t count, capacity;
    sg_id reason[SG_WHERE_REASONS];
    size_t reason_count;
    double share[SG_WHERE_REASONS][SG_WHERE_SIDES]; /* of a side's samples: "long_scoreboard" 0.4 */
    double samples[SG_WHERE_SIDES];                 /* all; 0: there are none of this side */
};

/* `variant`: family, case and variant of each side, NULL for none. `ratio`: time of the candidate
 * to that of the baseline; 1 where it is not known. */
void sg_where_find(struct sg_pc_samples *samples, const char *const *const variant[SG_WHERE_SIDES], double ratio, struct sg_where *where);
void sg_where_release(struct sg_where *where);
