/*
 * blockscaled_gemm/wrong_scale_layout - broken on purpose: A's scales are taken for
 * [m][k/128], and lie as [k/128][m].
 *
 * The mistake of who calls a kernel of another layout: it turns scales over that lie right already,
 * and hands them on. Every scale is a scale of A, none is out of bounds, nothing is not a number.
 * With scales that hardly differ, as those of activations, the error is so small that a loose check
 * (cosine above 0.99) lets it pass. Here scales differ by factors, and what is allowed is the
 * output's rounding. Must be `wrong`. The kernel is the baseline's.
 */
#include <stdio.h>

#include "gemm_launch.h"
#include "solgate_cuda.h"

struct misread {
    float *scales; /* turned over */
    void *gemm;    /* of gemm_prepare_setup, with these scales */
    int64_t rows, depth;
};

/* to[k/128][m] of what is taken for from[m][k/128]. */
static __global__ void turn_over(float *to, const float *from, int64_t rows, int64_t depth)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * depth)
        to[i % depth * rows + i / depth] = from[i];
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (gemm_has_scales(c) && !gemm_is_uniform(c) && gemm_scales(c->dim[GEMM_K]) > 1)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text),
             "needs scales that differ, and more than one for a row of A");
    return false;
}

static void finish(void *state)
{
    struct misread *misread = (struct misread *)state;
    if (misread->gemm)
        gemm_finish(misread->gemm);
    cudaFree(misread->scales);
    delete misread;
}

static enum sg_status set_up(const struct sg_launch *l, struct misread *made, struct sg_reason *why)
{
    void *memory = nullptr, *buffer[GEMM_BUFFERS];
    const enum sg_status status =
        sg_cuda_allocate(&memory, (size_t)(made->rows * made->depth) * sizeof(float), why);
    made->scales = (float *)memory;
    if (status != SG_OK)
        return status;
    for (int i = 0; i < GEMM_BUFFERS; i++)
        buffer[i] = i == GEMM_SFA ? memory : l->buffer[i];
    struct sg_launch turned = *l;
    turned.buffer = buffer;
    const struct gemm_setup setup = gemm_baseline(l->c);
    return gemm_prepare_setup(&turned, &setup, &made->gemm, why);
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    struct misread *made =
        new misread{.rows = l->c->dim[GEMM_M], .depth = gemm_scales(l->c->dim[GEMM_K])};
    const enum sg_status status = set_up(l, made, why);
    if (status == SG_OK)
        *state = made;
    else
        finish(made);
    return status;
}

static void launch(const struct sg_launch *l)
{
    const struct misread *misread = (const struct misread *)l->state;
    const unsigned threads = 256,
                   blocks = (unsigned)((misread->rows * misread->depth + threads - 1) / threads);
    turn_over<<<blocks, threads, 0, (cudaStream_t)l->stream>>>(
        misread->scales, (const float *)l->buffer[GEMM_SFA], misread->rows, misread->depth);
    struct sg_launch turned = *l;
    turned.state = misread->gemm;
    gemm_launch(&turned);
}

SG_VARIANT(blockscaled_gemm, wrong_scale_layout) = {
    .summary = "broken: A's scales are turned over, which lie right already",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .finish = finish,
    .facts = gemm_facts<gemm_baseline>,
};
