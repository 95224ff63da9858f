/*
 * device/host_graphs.h - which CUDA graphs have a node that runs on the host.
 *
 * Pure: handles are only compared. Fed with what happens to graphs, in order. A graph that was
 * given another one as a child while any graph with such a node lives counts as having one too:
 * whose child it is, nobody tells.
 */
#ifndef SG_DEVICE_HOST_GRAPHS_H
#define SG_DEVICE_HOST_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>

enum sg_graph_event_kind {
    SG_GRAPH_HOST_NODE, /* it was given a node that runs on the host */
    SG_GRAPH_CHILD,     /* it was given a child, which nodes of conditions have too */
    SG_GRAPH_MADE_OF,   /* it was cloned from another one, or made ready to be launched */
    SG_GRAPH_GONE,
};

struct sg_graph_event {
    enum sg_graph_event_kind kind;
    const void *graph; /* or a graph that is ready to be launched */
    const void *of;    /* SG_GRAPH_MADE_OF: the other one */
};

struct sg_host_graphs {
    const void **items; /* owned array of handles */
    size_t count, capacity;
};

void sg_host_graphs_note(struct sg_host_graphs *graphs, const struct sg_graph_event *event);
bool sg_host_graphs_has(const struct sg_host_graphs *graphs, const void *graph);
void sg_host_graphs_release(struct sg_host_graphs *graphs);

#endif
