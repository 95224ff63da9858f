#include "adversary_graph.h"

#include "solgate_cuda.h"

void adversary_graph::begin_capture()
{
    cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
}

enum sg_status adversary_graph::end_capture(struct sg_reason *why)
{
    const bool made = cudaStreamEndCapture(side, &graph) == cudaSuccess &&
                      cudaGraphInstantiate(&run, graph, 0) == cudaSuccess;
    return made ? SG_OK : sg_cuda_refused(why);
}

enum sg_status adversary_graph::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    begin_capture();
    adversary_compute_in(l, side);
    return end_capture(why);
}

void adversary_graph::tear_down()
{
    if (run)
        cudaGraphExecDestroy(run);
    if (graph)
        cudaGraphDestroy(graph);
}

void adversary_launch_graph(const struct sg_launch *l)
{
    cudaGraphLaunch(adversary_begin<adversary_graph>(l)->run, (cudaStream_t)l->stream);
}
