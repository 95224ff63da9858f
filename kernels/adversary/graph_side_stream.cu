/*
 * adversary/graph_side_stream - a graph of the work, launched in a stream that is not timed.
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
    const struct graph_state *s = adversary_begin<graph_state>(l);
    cudaEventRecord(s->fork, (cudaStream_t)l->stream);
    cudaStreamWaitEvent(s->side, s->fork, 0);
    cudaGraphLaunch(s->run, s->side);
    adversary_nothing(l);
}

SG_VARIANT(adversary, graph_side_stream) = {
    .summary = "its work in a graph, in a stream that is not timed",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<graph_state>,
    .launch = launch,
    .finish = adversary_finish<graph_state>,
};
