/*
 * adversary/honest_graph - honest: a graph of the baseline's kernel, launched in the stream of the
 * launch.
 */
#include "adversary.h"
#include "solgate_cuda.h"

namespace
{
struct graph_state : adversary {
    cudaGraph_t graph;
    cudaGraphExec_t run;

    enum sg_status set_up(const struct sg_launch *l, struct sg_why *why);
    void tear_down()
    {
        if (run)
            cudaGraphExecDestroy(run);
        if (graph)
            cudaGraphDestroy(graph);
    }
};
} // namespace

enum sg_status graph_state::set_up(const struct sg_launch *l, struct sg_why *why)
{
    cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
    adversary_compute_in(l, side);
    const bool made = cudaStreamEndCapture(side, &graph) == cudaSuccess && cudaGraphInstantiate(&run, graph, 0) == cudaSuccess;
    return made ? SG_OK : sg_cuda_refused(why);
}

static void launch(const struct sg_launch *l)
{
    cudaGraphLaunch(adversary_begin<graph_state>(l)->run, (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, honest_graph) = {
    .summary = "honest: the baseline's kernel in a graph",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .prepare = adversary_prepare<graph_state>,
    .launch = launch,
    .finish = adversary_finish<graph_state>,
};
