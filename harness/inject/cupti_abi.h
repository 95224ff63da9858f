/*
 * inject/cupti_abi.h - the used part of the binary interfaces of CUPTI and the driver. With it, a
 * machine without a toolkit can build the library and test it with a stand-in.
 *
 * The structs are those of CUDA 12.6, the oldest supported; newer libraries append members. A build
 * with the toolkit checks everything against the headers (inject/abi_check_cuda.c).
 */
#pragma once

#include <stdint.h>
#include <stddef.h>

enum { SG_CUPTI_SUCCESS = 0, SG_CUPTI_MAX_LIMIT_REACHED = 12, SG_CUPTI_MULTIPLE_SUBSCRIBERS = 39 };
enum { SG_CUPTI_DRIVER = 1, SG_CUPTI_RESOURCE = 3 };
enum { SG_CUPTI_ENTER = 0, SG_CUPTI_EXIT = 1 };
enum {
    SG_CUPTI_CONTEXT_CREATED = 1,
    SG_CUPTI_CONTEXT_DESTROY_STARTING = 2,
    SG_CUPTI_MODULE_LOADED = 6
};
enum { SG_CUPTI_KIND_KERNEL = 3, SG_CUPTI_KIND_CONCURRENT_KERNEL = 10 };
enum { SG_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER = 9 };

/* functions of the driver: name, callback number, kind */
#define SG_CUPTI_CALL_TABLE(X)                             \
    X(cuLaunchKernel, 307, LAUNCH)                         \
    X(cuLaunchKernel_ptsz, 442, LAUNCH)                    \
    X(cuLaunchCooperativeKernel, 477, LAUNCH)              \
    X(cuLaunchCooperativeKernel_ptsz, 478, LAUNCH)         \
    X(cuLaunchKernelEx, 652, LAUNCH_EX)                    \
    X(cuLaunchKernelEx_ptsz, 653, LAUNCH_EX)               \
    X(cuGraphLaunch, 514, GRAPH)                           \
    X(cuGraphLaunch_ptsz, 515, GRAPH)                      \
    X(cuGraphInstantiate, 513, INSTANTIATE)                \
    X(cuGraphInstantiate_v2, 578, INSTANTIATE)             \
    X(cuGraphInstantiateWithFlags, 643, INSTANTIATE)       \
    X(cuGraphInstantiateWithParams, 656, INSTANTIATE)      \
    X(cuGraphInstantiateWithParams_ptsz, 657, INSTANTIATE) \
    X(cuGraphNodeSetEnabled, 650, CHANGE)                  \
    X(cuStreamBeginCapture, 495, CAPTURE)                  \
    X(cuStreamBeginCapture_ptsz, 496, CAPTURE)             \
    X(cuStreamBeginCapture_v2, 539, CAPTURE)               \
    X(cuStreamBeginCapture_v2_ptsz, 540, CAPTURE)          \
    X(cuStreamBeginCaptureToGraph, 720, CAPTURE)           \
    X(cuStreamBeginCaptureToGraph_ptsz, 721, CAPTURE)      \
    X(cuCtxSynchronize, 17, WAIT)                          \
    X(cuCtxSynchronize_v2, 800, WAIT)                      \
    X(cuEventSynchronize, 121, WAIT)                       \
    X(cuStreamSynchronize, 126, WAIT)                      \
    X(cuStreamSynchronize_ptsz, 440, WAIT)                 \
    X(cuMemcpyHtoD_v2, 276, WAIT)                          \
    X(cuMemcpyDtoH_v2, 278, WAIT)                          \
    X(cuMemcpyHtoD_v2_ptds, 397, WAIT)                     \
    X(cuMemcpyDtoH_v2_ptds, 398, WAIT)                     \
    X(cuMemcpy, 305, WAIT)                                 \
    X(cuMemcpy_ptds, 408, WAIT)

struct sg_cupti_kernel { /* CUpti_ActivityKernel9 */
    uint32_t kind;
    uint8_t cache, shared;
    uint16_t registers;
    uint32_t partition[2];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_bytes, local_total, correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, is_carveout, carveout, padding;
    uint32_t shared_executed;
    uint64_t graph_node;
    uint32_t limit, graph;
};

struct sg_cupti_call { /* CUpti_CallbackData */
    uint32_t site;
    const char *function;
    const void *parameters;
    const int *result;
    const char *symbol;
    void *context;
    uint32_t context_id;
    uint64_t *own; /* our slot, from the entry of a call to its exit */
    uint32_t correlation;
};
struct sg_cupti_resource { /* CUpti_ResourceData */
    void *context, *handle;
    const void *descriptor;
};
struct sg_cupti_module { /* CUpti_ModuleResourceData */
    uint32_t id;
    size_t bytes;
    const void *image;
};

/* Parameters of the driver's functions. */
struct sg_launch_parameters {
    void *function;
    uint32_t grid[3], block[3], shared;
    void *stream;
};
struct sg_launch_config {
    uint32_t grid[3], block[3], shared;
    void *stream;
};
struct sg_launch_ex_parameters {
    const struct sg_launch_config *config;
    void *function;
};
struct sg_graph_launch_parameters {
    void *executable, *stream;
};
struct sg_graph_instantiate_parameters { /* common prefix of all variants */
    void **executable;
    void *graph;
};
struct sg_graph_change_parameters {
    void *executable;
};
#define SG_STREAM_PER_THREAD ((void *)2)
enum { SG_NODE_KERNEL = 0, SG_NODE_GRAPH = 4, SG_NODE_CONDITIONAL = 13 };

typedef void (*sg_cupti_callback)(void *user, uint32_t domain, uint32_t id, const void *data);
typedef void (*sg_cupti_requested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*sg_cupti_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                   size_t valid);

/* member, symbol, arguments; all return CUptiResult */
#define SG_INJECT_CUPTI_TABLE(X)                                                               \
    X(version, cuptiGetVersion, (uint32_t * version))                                          \
    X(result_words, cuptiGetResultString, (int result, const char **words))                    \
    X(timestamp, cuptiGetTimestamp, (uint64_t * time))                                         \
    X(subscribe, cuptiSubscribe, (void **subscriber, sg_cupti_callback callback, void *user))  \
    X(enable_callback, cuptiEnableCallback,                                                    \
      (uint32_t enable, void *subscriber, uint32_t domain, uint32_t id))                       \
    X(callback_state, cuptiGetCallbackState,                                                   \
      (uint32_t * enabled, void *subscriber, uint32_t domain, uint32_t id))                    \
    X(register_buffers, cuptiActivityRegisterCallbacks,                                        \
      (sg_cupti_requested requested, sg_cupti_completed completed))                            \
    X(set_attribute, cuptiActivitySetAttribute, (int attribute, size_t *size, void *value))    \
    X(enable_activity, cuptiActivityEnable, (uint32_t kind))                                   \
    X(flush, cuptiActivityFlushAll, (uint32_t flag))                                           \
    X(next_record, cuptiActivityGetNextRecord, (uint8_t * buffer, size_t size, void **record)) \
    X(dropped, cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped))

struct sg_inject_cupti {
#define X(member, symbol, arguments) int(*member) arguments;
    SG_INJECT_CUPTI_TABLE(X)
#undef X
};

/* Driver functions that are called from inside of driver calls; NULL: missing. All return
 * CUresult. */
#define SG_INJECT_DRIVER_TABLE(X)                                               \
    X(is_capturing, cuStreamIsCapturing, (void *stream, int *status))           \
    X(graph_nodes, cuGraphGetNodes, (void *graph, void **nodes, size_t *count)) \
    X(node_type, cuGraphNodeGetType, (void *node, int *type))                   \
    X(current_context, cuCtxGetCurrent, (void **context))                       \
    X(wait, cuCtxSynchronize, (void))                                           \
    X(child_graph, cuGraphChildGraphNodeGetGraph, (void *node, void **graph))

struct sg_inject_driver {
#define X(member, symbol, arguments) int(*member) arguments;
    SG_INJECT_DRIVER_TABLE(X)
#undef X
};
