/*
 * group_layout.h - where a case's numbers and buffers are: D_g[m_g][n] = A_g[m_g][k] B_g[n][k]^T
 * for each group g, fp32 sums, in bf16 or in e4m3 with scales of blocks, which gives bf16.
 *
 * Plain C and CUDA. The rows of all groups (tokens) lie behind each other in A and D, the matrices
 * B (weights) too; n and k are common. The list of m_g is what sg_case.more points to. Behind each
 * group's rows of D there may be guard rows, which belong to no group and must stay as they were.
 * Invariant: no case is used that group_check has refused.
 *
 *     const struct group_sizes *sizes = group_sizes_of(c);
 *     for (int g = 0; g < sizes->count; g++)
 *         first_row_of_d = group_first_row(sizes, g) + g * guard;
 */
#ifndef GROUP_LAYOUT_H
#define GROUP_LAYOUT_H

#include <stdio.h>

#include "blockscaled_gemm/gemm_layout.h"

#define GROUP_MOST 64 /* groups of a case: the kernel's parameter holds them */

/* sg_case.dim, and their names for sg_family.dims; m: of all groups. */
#define GROUP_DIMS "groups,m,n,k,guard"
enum { GROUP_GROUPS, GROUP_M, GROUP_N, GROUP_K, GROUP_GUARD, GROUP_DIM_COUNT };

/* The first three are there in every case, the scales in those of e4m3. */
enum {
    GROUP_A,   /* [m][k] */
    GROUP_B,   /* [groups][n][k] */
    GROUP_D,   /* [m + groups * guard][n] */
    GROUP_SFA, /* f32, group by group [ceil(k/128)][group_sfa_row(m_g)]: a scale for 128 of k in a
                  row of A, neighbours in m side by side */
    GROUP_SFB, /* f32 [groups][ceil(n/128)][gemm_sfb_row(k)]: a scale for 128x128 of B, neighbours
                  in k side by side */
    GROUP_BUFFERS
};

/* What sg_case.more points to. */
struct group_sizes {
    int count;
    int64_t m[GROUP_MOST];
};

static inline const struct group_sizes *group_sizes_of(const struct sg_case *c)
{
    return (const struct group_sizes *)c->more;
}

/* Rows of A before those of group g; with g = count all of them. */
GEMM_BOTH int64_t group_first_row(const struct group_sizes *sizes, int g)
{
    int64_t rows = 0;
    for (int i = 0; i < g; i++)
        rows += sizes->m[i];
    return rows;
}

/* Elements from one row of a group's SFA to the next, where the copy engine can begin;
 * those beyond its m are never needed. */
GEMM_BOTH int64_t group_sfa_row(int64_t m)
{
    return (m + GEMM_SCALE_BOX - 1) / GEMM_SCALE_BOX * GEMM_SCALE_BOX;
}

/* Elements of SFA before those of group g, of `depth` rows for each
 * group; with g = count all of them. */
GEMM_BOTH int64_t group_first_scale(const struct group_sizes *sizes, int g, int64_t depth)
{
    int64_t row = 0;
    for (int i = 0; i < g; i++)
        row += group_sfa_row(sizes->m[i]);
    return row * depth;
}

static inline int64_t group_rows_of_d(const struct sg_case *c)
{
    return c->dim[GROUP_M] + c->dim[GROUP_GROUPS] * c->dim[GROUP_GUARD];
}

/* Groups that have rows: the others' weights need not be read. */
static inline int group_busy(const struct group_sizes *sizes)
{
    int busy = 0;
    for (int g = 0; g < sizes->count; g++)
        busy += sizes->m[g] > 0;
    return busy;
}

#define GROUP_MOST_TILES (1 << 28) /* that 32 bits count, however they are grouped */

static inline bool group_refuse(struct sg_reason *why, const char *what, int64_t found,
                                const char *expected)
{
    snprintf(why->text, sizeof(why->text), "%s is %lld, expected %s", what, (long long)found,
             expected);
    return false;
}

/* The list of m_g by itself, and against the dimensions of the case. */
static inline bool group_check_sizes(const struct sg_case *c, struct sg_reason *why)
{
    const struct group_sizes *sizes = group_sizes_of(c);
    if (!sizes)
        return group_refuse(why, "the list of m", 0, "one of as many numbers as there are groups");
    if (sizes->count < 1 || sizes->count > GROUP_MOST)
        return group_refuse(why, "the length of the list of m", sizes->count, "1 to 64");
    if (sizes->count != c->dim[GROUP_GROUPS])
        return group_refuse(why, "the length of the list of m", sizes->count, "as many as groups");
    for (int g = 0; g < sizes->count; g++) {
        char name[32];
        snprintf(name, sizeof(name), "m of group %d", g);
        if (sizes->m[g] < 0 || sizes->m[g] > INT32_MAX)
            return group_refuse(why, name, sizes->m[g], "0 to 2^31 - 1");
    }
    const int64_t sum = group_first_row(sizes, sizes->count);
    return sum == c->dim[GROUP_M] ||
           group_refuse(why, "the sum of the list of m", sum, "m of the case");
}

/* May this case be laid out and multiplied? false: *why names what is wrong with it. */
static inline bool group_check(const struct sg_case *c, struct sg_reason *why)
{
    static const struct {
        int dim;
        const char *name;
        int64_t least;
    } dims[] = {{GROUP_M, "m", 1}, {GROUP_N, "n", 1}, {GROUP_K, "k", 1}, {GROUP_GUARD, "guard", 0}};
    for (int i = 0; i < 4; i++)
        if (c->dim[dims[i].dim] < dims[i].least || c->dim[dims[i].dim] > INT32_MAX)
            return group_refuse(why, dims[i].name, c->dim[dims[i].dim],
                                dims[i].least ? "1 to 2^31 - 1" : "0 to 2^31 - 1");
    if (!group_check_sizes(c, why))
        return false;
    if (c->dim[GROUP_GROUPS] * c->dim[GROUP_N] > INT32_MAX)
        return group_refuse(why, "groups * n", c->dim[GROUP_GROUPS] * c->dim[GROUP_N],
                            "at most 2^31 - 1 rows of weights");
    if (group_rows_of_d(c) > INT32_MAX)
        return group_refuse(why, "m with the guards", group_rows_of_d(c),
                            "at most 2^31 - 1 rows of D");
    /* Of the smallest that a variant has, with one more for the end of each group. */
    const int64_t tiles =
        (group_rows_of_d(c) / 64 + c->dim[GROUP_GROUPS]) * (c->dim[GROUP_N] / 64 + 1);
    if (tiles > GROUP_MOST_TILES)
        return group_refuse(why, "m by n in tiles of 64 by 64", tiles, "at most 2^28 of them");
    const struct group_sizes *sizes = group_sizes_of(c);
    const int64_t depth = c->dtype == SG_E4M3 ? gemm_scales(c->dim[GROUP_K]) : 1,
                  scales = group_first_scale(sizes, sizes->count, depth);
    if (scales > INT32_MAX)
        return group_refuse(why, "scales of rows of A", scales, "at most 2^31 - 1");
    return c->dtype == SG_BF16 || c->dtype == SG_E4M3 ||
           group_refuse(why, "the dtype's number", c->dtype, "that of bf16 or e4m3");
}

#endif
