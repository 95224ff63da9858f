/* The stand-in of the driver: see standin.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#define GRAPH_MOST 64

struct graph {
    size_t count;
    struct standin_kernel kernel[GRAPH_MOST];
};

static uint32_t last_correlation;
static struct graph captured;
static int is_capturing, is_initialised;

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    int (*begin)(void) = NULL;
    (void)flags;
    if (getenv("STANDIN_NO_GPU"))
        return 100;
    void *library = !is_initialised && path ? dlopen(path, RTLD_NOW) : NULL;
    if (library)
        *(void **)&begin = dlsym(library, "InitializeInjection");
    is_initialised = 1;
    if (begin)
        begin();
    return 0;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    *count = 1;
    return is_initialised ? 0 : 3; /* as CUDA has it */
}

int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    FILE *asked = getenv("STANDIN_ASKED") ? fopen(getenv("STANDIN_ASKED"), "a") : NULL;
    (void)device;
    snprintf(name, (size_t)size, "NVIDIA H200");
    if (asked) {
        fputs("name\n", asked);
        fclose(asked);
    }
    return 0;
}

int cuDeviceGetPCIBusId(char *id, int size, int device);
int cuDeviceGetPCIBusId(char *id, int size, int device)
{
    (void)device;
    snprintf(id, (size_t)size, "0000:01:00.0");
    return 0;
}

int cuCtxGetCurrent(void **context);
int cuCtxGetCurrent(void **context)
{
    *context = &last_correlation;
    return 0;
}

/* ---- graphs ---- */

int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status)
{
    (void)stream;
    *status = is_capturing;
    return 0;
}

/* A node is the kernel that it launches. */
int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
int cuGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    struct graph *of = graph;
    for (size_t i = 0; nodes && i < of->count && i < *count; i++)
        nodes[i] = &of->kernel[i];
    *count = of->count;
    return 0;
}

int cuGraphNodeGetType(void *node, int *type);
int cuGraphNodeGetType(void *node, int *type)
{
    *type = strcmp(((const struct standin_kernel *)node)->symbol, "conditional") == 0
                ? SG_NODE_CONDITIONAL
                : SG_NODE_KERNEL;
    return 0;
}

int cuGraphChildGraphNodeGetGraph(void *node, void **graph);
int cuGraphChildGraphNodeGetGraph(void *node, void **graph)
{
    (void)node;
    *graph = NULL;
    return 1;
}

int standin_begin_capture(void);
int standin_begin_capture(void)
{
    captured.count = 0;
    is_capturing = 1;
    return 0;
}

void *standin_instantiate(void);
void *standin_instantiate(void)
{
    struct graph *executable = malloc(sizeof(*executable));
    void *result = executable;
    int ok = 0;
    uint64_t own = 0;
    const struct sg_graph_instantiate_parameters given = {&result, &captured};
    is_capturing = 0;
    standin_call(643, "cuGraphInstantiateWithFlags", SG_CUPTI_ENTER, &given, &ok, &own,
                 ++last_correlation);
    if (executable)
        *executable = captured;
    standin_call(643, "cuGraphInstantiateWithFlags", SG_CUPTI_EXIT, &given, &ok, &own,
                 last_correlation);
    return executable;
}

/* ---- launches ---- */

static void run(const struct standin_kernel *kernel, uint32_t correlation, uint32_t graph)
{
    const uint64_t now = standin_now() + (uint64_t)kernel->shift_ns;
    const struct sg_cupti_kernel record = {.kind = SG_CUPTI_KIND_CONCURRENT_KERNEL,
                                           .registers = 32,
                                           .start = now,
                                           .end = now + kernel->ns,
                                           .grid = {(int32_t)kernel->grid, 1, 1},
                                           .block = {(int32_t)kernel->block, 1, 1},
                                           .correlation = correlation,
                                           .name = kernel->symbol,
                                           .graph = graph};
    standin_count(&record);
    standin_record(&record);
}

void standin_launch(const struct standin_kernel *kernel)
{
    struct sg_launch_parameters given = {.grid = {kernel->grid, 1, 1},
                                         .block = {kernel->block, 1, 1}};
    const uint32_t correlation = ++last_correlation;
    int result = 0;
    uint64_t own = 0;
    standin_pass(kernel->idle_ns);
    standin_symbol(kernel->symbol);
    standin_call(307, "cuLaunchKernel", SG_CUPTI_ENTER, &given, &result, &own, correlation);
    result = kernel->fails;
    if (is_capturing && captured.count < GRAPH_MOST)
        captured.kernel[captured.count++] = *kernel;
    else if (!kernel->fails)
        run(kernel, correlation, 0);
    standin_call(307, "cuLaunchKernel", SG_CUPTI_EXIT, &given, &result, &own, correlation);
}

void standin_launch_graph(void *executable);
void standin_launch_graph(void *executable)
{
    const struct graph *graph = executable;
    const struct sg_graph_launch_parameters given = {executable, NULL};
    const uint32_t correlation = ++last_correlation;
    const int result = 0;
    uint64_t own = 0;
    standin_call(514, "cuGraphLaunch", SG_CUPTI_ENTER, &given, &result, &own, correlation);
    for (size_t i = 0; i < graph->count; i++)
        run(&graph->kernel[i], correlation, 1);
    standin_call(514, "cuGraphLaunch", SG_CUPTI_EXIT, &given, &result, &own, correlation);
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    const int result = 0;
    uint64_t own = 0;
    standin_call(17, "cuCtxSynchronize", SG_CUPTI_ENTER, NULL, &result, &own, ++last_correlation);
    standin_call(17, "cuCtxSynchronize", SG_CUPTI_EXIT, NULL, &result, &own, last_correlation);
    return 0;
}

void standin_load_module(const void *image, size_t bytes)
{
    const struct sg_cupti_module module = {1, bytes, image};
    standin_resource(SG_CUPTI_MODULE_LOADED, &module);
}
