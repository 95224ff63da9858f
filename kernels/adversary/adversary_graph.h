/*
 * adversary_graph.h - a state with a CUDA graph: the honest work, or what `set_up` of a variant of
 * its own captures.
 */
#ifndef ADVERSARY_GRAPH_H
#define ADVERSARY_GRAPH_H

#include "adversary.h"

struct adversary_graph : adversary {
    cudaGraph_t graph;
    cudaGraphExec_t run;

    /* The work of one launch, in one node. */
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();

    /* What is launched in `side` between these two becomes the graph. */
    void begin_capture();
    enum sg_status end_capture(struct sg_reason *why);
};

/* For variants that launch theirs where they should. */
void adversary_launch_graph(const struct sg_launch *l);

#endif
