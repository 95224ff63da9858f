/*
 * adversary/honest_condition - honest: a graph whose second half is a node with a condition, which
 * a kernel sets. No launch from the device: both halves are in the records.
 */
#include "adversary_device.cuh"
#include "adversary_graph.h"
#include "solgate_cuda.h"

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    sets_condition(problem<float> p, cudaGraphConditionalHandle condition)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cudaGraphSetConditional(condition, 1);
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

struct honest_condition : adversary_graph {
    /* Adds a kernel to a graph; true: it did. */
    static bool add_kernel(cudaGraph_t to, void *kernel, unsigned blocks, void **arguments,
                           cudaGraphNode_t *node)
    {
        cudaKernelNodeParams params = {};
        params.func = kernel;
        params.gridDim = dim3(blocks);
        params.blockDim = dim3(ADVERSARY_THREADS);
        params.kernelParams = arguments;
        return cudaGraphAddKernelNode(node, to, nullptr, 0, &params) == cudaSuccess;
    }

    /* The runtime's call has one argument more from CUDA 13 on. */
    bool add_condition(cudaGraphConditionalHandle condition, const cudaGraphNode_t *behind,
                       cudaGraph_t *body)
    {
        cudaGraphNode_t node;
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = condition;
        params.conditional.type = cudaGraphCondTypeIf;
        params.conditional.size = 1;
#if CUDART_VERSION >= 13000
        const cudaError_t added = cudaGraphAddNode(&node, graph, behind, nullptr, 1, &params);
#else
        const cudaError_t added = cudaGraphAddNode(&node, graph, behind, 1, &params);
#endif
        if (added == cudaSuccess)
            *body = params.conditional.phGraph_out[0];
        return added == cudaSuccess;
    }

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why)
    {
        problem<float> p = adversary_problem(l);
        int64_t half = adversary_half(p);
        cudaGraphConditionalHandle condition;
        cudaGraphNode_t first, second;
        cudaGraph_t body = nullptr;
        if (cudaGraphCreate(&graph, 0) != cudaSuccess ||
            cudaGraphConditionalHandleCreate(&condition, graph, 0, cudaGraphCondAssignDefault) !=
                cudaSuccess)
            return sg_cuda_refused(why);
        void *of_first[] = {&p, &condition}, *of_second[] = {&p, &half};
        const bool made =
            add_kernel(graph, (void *)sets_condition, (unsigned)half, of_first, &first) &&
            add_condition(condition, &first, &body) &&
            add_kernel(body, (void *)rows_from, (unsigned)(p.rows - half), of_second, &second) &&
            cudaGraphInstantiate(&run, graph, 0) == cudaSuccess;
        return made ? SG_OK : sg_cuda_refused(why);
    }
};

SG_VARIANT(adversary, honest_condition) = {
    .summary = "honest: half of its work in a graph's node with a condition",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<honest_condition>,
    .launch = adversary_launch_graph,
    .finish = adversary_finish<honest_condition>,
};
