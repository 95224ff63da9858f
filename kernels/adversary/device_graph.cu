/*
 * adversary/device_graph - half of its work in a graph that a kernel of its graph launches from the
 * device.
 */
#include "adversary_device.cuh"
#include "adversary_graph.h"
#include "solgate_cuda.h"

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    starts_graph(problem<float> p, cudaGraphExec_t rest)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cudaGraphLaunch(rest, cudaStreamGraphFireAndForget);
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

struct device_graph : adversary_graph {
    cudaGraph_t rest_graph;
    cudaGraphExec_t rest;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why)
    {
        const problem<float> p = adversary_problem(l);
        const unsigned half = adversary_half(p);
        begin_capture();
        rows_from<<<(unsigned)p.rows - half, ADVERSARY_THREADS, 0, side>>>(p, half);
        /* The host's launch makes it ready. So does cudaGraphUpload, but then the first launch from
         * the device faults while CUPTI records (driver 580). */
        const bool made =
            cudaStreamEndCapture(side, &rest_graph) == cudaSuccess &&
            cudaGraphInstantiate(&rest, rest_graph, cudaGraphInstantiateFlagDeviceLaunch) ==
                cudaSuccess &&
            cudaGraphLaunch(rest, side) == cudaSuccess &&
            cudaStreamSynchronize(side) == cudaSuccess;
        if (!made)
            return sg_cuda_refused(why);
        begin_capture();
        starts_graph<<<half, ADVERSARY_THREADS, 0, side>>>(p, rest);
        return end_capture(why);
    }

    void tear_down()
    {
        adversary_graph::tear_down();
        if (rest)
            cudaGraphExecDestroy(rest);
        if (rest_graph)
            cudaGraphDestroy(rest_graph);
    }
};

SG_VARIANT(adversary, device_graph) = {
    .summary = "half of its work in a graph that its graph launches from the device",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<device_graph>,
    .launch = adversary_launch_graph,
    .finish = adversary_finish<device_graph>,
};
