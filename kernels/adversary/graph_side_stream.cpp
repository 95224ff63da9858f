/*
 * adversary/graph_side_stream - a graph of the work, launched in a stream that is not timed.
 */
#include "adversary_graph.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary_graph *s = adversary_begin<adversary_graph>(l);
    cudaEventRecord(s->fork, (cudaStream_t)l->stream);
    cudaStreamWaitEvent(s->side, s->fork, 0);
    cudaGraphLaunch(s->run, s->side);
    adversary_nothing(l);
}

ADVERSARY(graph_side_stream, SG_MISPLACED, adversary_graph,
          "its work in a graph, in a stream that is not timed");
