#include "model/gemm_work.h"

#include <inttypes.h>
#include <math.h>

#include "util/dtype.h"

static enum sg_code check_side(const char *name, const struct sg_gemm_sides *sides, size_t groups, struct sg_err *err)
{
    if (sides->count == 0)
        return sg_fail(err, SG_BAD_INPUT, name, "expected a number for each group, or one for all, found none");
    if (sides->count != 1 && sides->count != groups)
        return sg_fail(err, SG_BAD_INPUT, name, "expected %zu numbers, one a group, or one for all, found %zu", groups, sides->count);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->each[i] == 0 || sides->each[i] > SG_GEMM_SIDE_MAX)
            return sg_fail(err, SG_BAD_INPUT, name, "group %zu: expected 1 to %" PRIu64 " (2^31), found %" PRIu64, i + 1, SG_GEMM_SIDE_MAX,
                           sides->each[i]);
    return SG_SUCCESS;
}

static enum sg_code check_scales(const struct sg_gemm *gemm, struct sg_err *err)
{
    if (gemm->scale_block > 0 && gemm->scale_bytes == 0)
        return sg_fail(err, SG_BAD_INPUT, "scales", "expected bytes of a scale over 0, found 0");
    if (gemm->scale_block > 0 && gemm->scale_rows == 0)
        return sg_fail(err, SG_BAD_INPUT, "scales", "expected rows that share a scale over 0, found 0");
    return SG_SUCCESS;
}

static size_t groups_of(const struct sg_gemm *gemm)
{
    size_t groups = gemm->m.count;
    groups = gemm->n.count > groups ? gemm->n.count : groups;
    return gemm->k.count > groups ? gemm->k.count : groups;
}

static double side(const struct sg_gemm_sides *sides, size_t group)
{
    return (double)sides->each[sides->count == 1 ? 0 : group];
}

/* In whole bytes: numbers of 4 bits are packed. */
static double bytes_of(enum sg_dtype dtype, double elements)
{
    return elements * (double)sg_dtype_array_bytes(dtype, 8) / 8;
}

/* A block that is begun has a scale. */
static double blocks_of(double elements, uint64_t block)
{
    return ceil(elements / (double)block);
}

enum sg_code sg_gemm_work(const struct sg_gemm *gemm, struct sg_work *work, struct sg_err *err)
{
    const size_t groups = groups_of(gemm);
    *work = (struct sg_work){0};
    if (check_side("m", &gemm->m, groups, err) != SG_SUCCESS || check_side("n", &gemm->n, groups, err) != SG_SUCCESS ||
        check_side("k", &gemm->k, groups, err) != SG_SUCCESS || check_scales(gemm, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < groups; i++) {
        const double m = side(&gemm->m, i), n = side(&gemm->n, i), k = side(&gemm->k, i);
        work->flop[gemm->in] += 2 * m * n * k;
        work->read_bytes += bytes_of(gemm->in, (m + n) * k);
        work->write_bytes += bytes_of(gemm->out, m * n);
        if (gemm->scale_block > 0)
            work->read_bytes += (m + blocks_of(n, gemm->scale_rows)) * blocks_of(k, gemm->scale_block) * (double)gemm->scale_bytes;
    }
    return SG_SUCCESS;
}
