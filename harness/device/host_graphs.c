#include "device/host_graphs.h"

#include <stdlib.h>

#include "util/text.h"

static size_t find(const struct sg_host_graphs *graphs, const void *graph)
{
    size_t i = 0;
    while (i < graphs->count && graphs->items[i] != graph)
        i++;
    return i;
}

bool sg_host_graphs_has(const struct sg_host_graphs *graphs, const void *graph)
{
    return find(graphs, graph) < graphs->count;
}

static void add(struct sg_host_graphs *graphs, const void *graph)
{
    if (sg_host_graphs_has(graphs, graph))
        return;
    *SG_APPEND(graphs->items, graphs->count, graphs->capacity) = graph;
}

/* A handle is used again for another graph. */
static void forget(struct sg_host_graphs *graphs, const void *graph)
{
    const size_t i = find(graphs, graph);
    if (i < graphs->count)
        graphs->items[i] = graphs->items[--graphs->count];
}

void sg_host_graphs_note(struct sg_host_graphs *graphs, const struct sg_graph_event *event)
{
    switch (event->kind) {
    case SG_GRAPH_HOST_NODE:
        add(graphs, event->graph);
        break;
    case SG_GRAPH_CHILD:
        if (graphs->count > 0)
            add(graphs, event->graph);
        break;
    case SG_GRAPH_MADE_OF:
        if (sg_host_graphs_has(graphs, event->of))
            add(graphs, event->graph);
        break;
    case SG_GRAPH_GONE:
        forget(graphs, event->graph);
        break;
    }
}

void sg_host_graphs_release(struct sg_host_graphs *graphs)
{
    free(graphs->items);
    *graphs = (struct sg_host_graphs){0};
}
