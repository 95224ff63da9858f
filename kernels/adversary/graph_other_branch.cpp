/*
 * adversary/graph_other_branch - a graph whose first branch is an empty kernel, and whose second
 * one does the work.
 *
 * A launch ends when all branches have, so this is honest where all of a launch is timed, and a
 * trick where its first kernel is.
 */
#include "adversary_graph.h"
#include "solgate_cuda.h"

namespace
{
struct branches : adversary_graph {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
};
} // namespace

enum sg_status branches::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    cudaStream_t branch = nullptr;
    if (cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking) != cudaSuccess)
        return sg_cuda_refused(why);
    begin_capture();
    cudaEventRecord(fork, side);
    cudaStreamWaitEvent(branch, fork, 0);
    adversary_compute_in(l, branch);
    cudaEventRecord(join, branch);
    struct sg_launch first = *l;
    first.stream = side;
    adversary_nothing(&first);
    cudaStreamWaitEvent(side, join, 0);
    const enum sg_status status = end_capture(why);
    cudaStreamDestroy(branch);
    return status;
}

SG_VARIANT(adversary, graph_other_branch) = {
    .summary = "a graph with its work on another branch",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<branches>,
    .launch = adversary_launch_graph,
    .finish = adversary_finish<branches>,
};
