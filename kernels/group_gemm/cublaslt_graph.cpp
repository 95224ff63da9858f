/*
 * group_gemm/cublaslt_graph - the vendor's dense kernels, one after the other: a product for
 * each group, all in one CUDA graph.
 *
 * Each group's product has the fastest of the algorithms that cuBLASLt proposes for its shape,
 * timed by itself, as in the dense family; the row `note` says which the first group has. The graph
 * takes the calls' time out of it; kernels still follow each other, and between two of them the
 * memory is idle. Groups of one size and another alignment may differ. No two of the kernels run at
 * once, so they share a workspace.
 *
 * In e4m3 the library reads the scales as they lie, those of A as vectors of 128 of k and those of
 * B by blocks of 128x128, as in the dense family's cublaslt_fp8_block: rows of A's scales are m
 * long then, as ours are where m is a multiple of 4.
 */
#include "blockscaled_gemm/cublaslt.cuh"
#include "group_launch.h"
#include "group_products.h"

/* n is a multiple of 8 wherever rows of D start at multiples of 16 bytes. */
static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    for (int g = 0; gemm_has_scales(c) && g < group_sizes_of(c)->count; g++) {
        const int64_t m = group_sizes_of(c)->m[g];
        if (m == group_sfa_row(m))
            continue;
        snprintf(why->text, sizeof(why->text),
                 "m of group %d is %lld: cuBLASLt wants multiples of 4 beside scales of blocks", g,
                 (long long)m);
        return false;
    }
    return true;
}

struct graph_state {
    struct group_products products;
    void *workspace;          /* of all of them */
    void *chosen[GROUP_MOST]; /* of lt_prepare */
    cudaStream_t stream;      /* to record on */
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};

static enum sg_status choose_algorithms(struct graph_state *s, struct sg_reason *why)
{
    struct sg_reason first = {""};
    enum sg_status status = sg_cuda_allocate(&s->workspace, LT_WORKSPACE_BYTES, why);
    for (int i = 0; i < s->products.count && status == SG_OK; i++) {
        const struct sg_launch *l = &s->products.of[i].launch;
        status = lt_prepare(l, gemm_has_scales(l->c) ? lt_scales_of_blocks : lt_no_scales,
                            s->workspace, &s->chosen[i], why);
        if (i == 0)
            first = *why;
    }
    if (status == SG_OK)
        *why = first;
    return status;
}

/* The calls for all products, on the stream that is recorded: what the library
 * says of the first that it refuses. */
static cublasStatus_t multiply_all(struct graph_state *s)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < s->products.count && status == CUBLAS_STATUS_SUCCESS; i++) {
        const struct lt_vendor *v = (const struct lt_vendor *)s->chosen[i];
        s->products.of[i].launch.stream = s->stream;
        status = lt_multiply(v, &s->products.of[i].launch, &v->algorithm);
    }
    return status;
}

static enum sg_status record(struct graph_state *s, struct sg_reason *why)
{
    if (cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return sg_cuda_refused(why);
    const cublasStatus_t status = multiply_all(s);
    if (cudaStreamEndCapture(s->stream, &s->graph) != cudaSuccess ||
        cudaGraphInstantiate(&s->ready, s->graph, 0) != cudaSuccess)
        return sg_cuda_refused(why);
    if (status == CUBLAS_STATUS_SUCCESS)
        return SG_OK;
    snprintf(why->text, sizeof(why->text),
             "a group's product could not be recorded: cuBLASLt status %d", (int)status);
    return SG_LAUNCH_FAILED;
}

enum sg_status graph_state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    group_products_init(&products, l);
    const enum sg_status status = choose_algorithms(this, why);
    return status == SG_OK ? record(this, why) : status;
}

void graph_state::tear_down()
{
    if (ready)
        cudaGraphExecDestroy(ready);
    if (graph)
        cudaGraphDestroy(graph);
    if (stream)
        cudaStreamDestroy(stream);
    for (int i = 0; i < products.count; i++)
        if (chosen[i])
            lt_finish(chosen[i]);
    cudaFree(workspace);
}

static void launch(const struct sg_launch *l)
{
    cudaGraphLaunch(((const struct graph_state *)l->state)->ready, (cudaStream_t)l->stream);
}

SG_VARIANT(group_gemm, cublaslt_graph) = {
    .summary = "cuBLASLt for each group, in one CUDA graph",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = sg_prepare_state<graph_state>,
    .launch = launch,
    .finish = sg_finish_state<graph_state>,
};
