/*
 * adversary/cpu_in_launch - `launch` itself waits for the inputs, does the work on the CPU and
 * sends the result.
 *
 * What is timed is a copy of 4 KB.
 */
#include "adversary_host.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary_host *host = adversary_begin<adversary_host>(l);
    cudaEventRecord(host->fork, (cudaStream_t)l->stream);
    cudaStreamWaitEvent(host->side, host->fork, 0);
    adversary_host_take(l, host->side);
    cudaStreamSynchronize(host->side);
    adversary_host_compute(host);
    adversary_host_give(l, (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, cpu_in_launch) = {
    .summary = "its work on the host, in `launch`",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .supports = adversary_supports_small,
    .prepare = adversary_prepare<adversary_host>,
    .launch = launch,
    .finish = adversary_finish<adversary_host>,
};
