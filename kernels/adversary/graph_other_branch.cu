/*
 * adversary/graph_other_branch - a graph whose first branch is an empty kernel, and whose second
 * one does the work.
 *
 * A launch ends when all branches have, so this is honest where all of a launch is timed, and a
 * trick where its first kernel is.
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
    cudaStream_t branch = nullptr;
    if (cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking) != cudaSuccess)
        return sg_cuda_refused(why);
    cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(fork, side);
    cudaStreamWaitEvent(branch, fork, 0);
    adversary_compute_in(l, branch);
    cudaEventRecord(join, branch);
    struct sg_launch first = *l;
    first.stream = side;
    adversary_nothing(&first);
    cudaStreamWaitEvent(side, join, 0);
    const bool made = cudaStreamEndCapture(side, &graph) == cudaSuccess && cudaGraphInstantiate(&run, graph, 0) == cudaSuccess;
    cudaStreamDestroy(branch);
    return made ? SG_OK : sg_cuda_refused(why);
}

static void launch(const struct sg_launch *l)
{
    cudaGraphLaunch(adversary_begin<graph_state>(l)->run, (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, graph_other_branch) = {
    .summary = "a graph with its work on another branch",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<graph_state>,
    .launch = launch,
    .finish = adversary_finish<graph_state>,
};
