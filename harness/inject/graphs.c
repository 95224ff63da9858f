#include "inject/graphs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "inject/inject.h"
#include "inject/launches.h"
#include "inject/map.h"

#define DEPTH_MOST 16

static struct sg_map kernels; /* executable graph -> number of kernels */

static bool count_graph(const struct sg_inject_driver *driver, void *graph, unsigned depth,
                        uint32_t *count);

static bool count_node(const struct sg_inject_driver *driver, void *node, unsigned depth,
                       uint32_t *count)
{
    void *child = NULL;
    int type = 0;
    if (driver->node_type(node, &type) != 0 || type == SG_NODE_CONDITIONAL)
        return false;
    *count += type == SG_NODE_KERNEL;
    return type != SG_NODE_GRAPH ||
           (driver->child_graph(node, &child) == 0 && count_graph(driver, child, depth + 1, count));
}

static bool count_graph(const struct sg_inject_driver *driver, void *graph, unsigned depth,
                        uint32_t *count)
{
    size_t node_count = 0;
    if (depth > DEPTH_MOST || driver->graph_nodes(graph, NULL, &node_count) != 0)
        return false;
    void **nodes = calloc(node_count + 1, sizeof(*nodes));
    bool is_known = nodes && driver->graph_nodes(graph, nodes, &node_count) == 0;
    for (size_t i = 0; is_known && i < node_count; i++)
        is_known = count_node(driver, nodes[i], depth, count);
    free(nodes);
    return is_known;
}

static void set(void *executable, uint32_t count)
{
    SG_INJECT_LOCKED;
    sg_map_put(&kernels, (uintptr_t)executable, count);
}

void sg_graphs_add(const struct sg_inject_driver *driver, void *executable, void *graph)
{
    uint32_t count = 0;
    const bool can_ask = driver->graph_nodes && driver->node_type && driver->child_graph;
    set(executable, can_ask && count_graph(driver, graph, 0, &count) ? count : SG_KERNELS_UNKNOWN);
}

void sg_graphs_change(void *executable)
{
    set(executable, SG_KERNELS_UNKNOWN);
}

uint32_t sg_graphs_kernels(void *executable)
{
    uint64_t count = SG_KERNELS_UNKNOWN;
    SG_INJECT_LOCKED;
    sg_map_get(&kernels, (uintptr_t)executable, &count);
    return (uint32_t)count;
}
