/* The declarations of inject/cupti_abi.h against those of the toolkit; it has no code. */
#include <cuda.h>
#include <cupti.h>

#include "inject/cupti_abi.h"

#define SAME(type, member, theirs, their_member)                                                  \
    _Static_assert(offsetof(struct type, member) == offsetof(theirs, their_member) &&             \
                       sizeof(((struct type *)0)->member) == sizeof(((theirs *)0)->their_member), \
                   #type "." #member)

SAME(sg_cupti_kernel, kind, CUpti_ActivityKernel9, kind);
SAME(sg_cupti_kernel, registers, CUpti_ActivityKernel9, registersPerThread);
SAME(sg_cupti_kernel, start, CUpti_ActivityKernel9, start);
SAME(sg_cupti_kernel, end, CUpti_ActivityKernel9, end);
SAME(sg_cupti_kernel, device, CUpti_ActivityKernel9, deviceId);
SAME(sg_cupti_kernel, grid[0], CUpti_ActivityKernel9, gridX);
SAME(sg_cupti_kernel, block[2], CUpti_ActivityKernel9, blockZ);
SAME(sg_cupti_kernel, static_shared, CUpti_ActivityKernel9, staticSharedMemory);
SAME(sg_cupti_kernel, dynamic_shared, CUpti_ActivityKernel9, dynamicSharedMemory);
SAME(sg_cupti_kernel, local_bytes, CUpti_ActivityKernel9, localMemoryPerThread);
SAME(sg_cupti_kernel, correlation, CUpti_ActivityKernel9, correlationId);
SAME(sg_cupti_kernel, name, CUpti_ActivityKernel9, name);
SAME(sg_cupti_kernel, graph_node, CUpti_ActivityKernel9, graphNodeId);
SAME(sg_cupti_kernel, graph, CUpti_ActivityKernel9, graphId);
SAME(sg_cupti_call, site, CUpti_CallbackData, callbackSite);
SAME(sg_cupti_call, function, CUpti_CallbackData, functionName);
SAME(sg_cupti_call, parameters, CUpti_CallbackData, functionParams);
SAME(sg_cupti_call, result, CUpti_CallbackData, functionReturnValue);
SAME(sg_cupti_call, context, CUpti_CallbackData, context);
SAME(sg_cupti_call, own, CUpti_CallbackData, correlationData);
SAME(sg_cupti_call, correlation, CUpti_CallbackData, correlationId);
SAME(sg_cupti_resource, context, CUpti_ResourceData, context);
SAME(sg_cupti_resource, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(sg_cupti_module, bytes, CUpti_ModuleResourceData, cubinSize);
SAME(sg_cupti_module, image, CUpti_ModuleResourceData, pCubin);
SAME(sg_launch_parameters, function, cuLaunchKernel_params, f);
SAME(sg_launch_parameters, stream, cuLaunchKernel_params, hStream);
SAME(sg_launch_parameters, stream, cuLaunchCooperativeKernel_params, hStream);
SAME(sg_launch_config, stream, CUlaunchConfig, hStream);
SAME(sg_launch_ex_parameters, config, cuLaunchKernelEx_params, config);
SAME(sg_graph_launch_parameters, executable, cuGraphLaunch_params, hGraph);
SAME(sg_graph_launch_parameters, stream, cuGraphLaunch_params, hStream);
SAME(sg_graph_instantiate_parameters, executable, cuGraphInstantiateWithFlags_params, phGraphExec);
SAME(sg_graph_instantiate_parameters, graph, cuGraphInstantiateWithFlags_params, hGraph);
SAME(sg_graph_instantiate_parameters, graph, cuGraphInstantiateWithParams_params, hGraph);
SAME(sg_graph_instantiate_parameters, graph, cuGraphInstantiate_params, hGraph);
SAME(sg_graph_change_parameters, executable, cuGraphNodeSetEnabled_params, hGraphExec);

#define X(name, number, kind) _Static_assert(CUPTI_DRIVER_TRACE_CBID_##name == (number), #name);
SG_CUPTI_CALL_TABLE(X)
#undef X

_Static_assert(CUPTI_CB_DOMAIN_DRIVER_API == (int)SG_CUPTI_DRIVER && CUPTI_CB_DOMAIN_RESOURCE == (int)SG_CUPTI_RESOURCE &&
                   CUPTI_CBID_RESOURCE_CONTEXT_CREATED == (int)SG_CUPTI_CONTEXT_CREATED &&
                   CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING == (int)SG_CUPTI_CONTEXT_DESTROY_STARTING &&
                   CUPTI_CBID_RESOURCE_MODULE_LOADED == (int)SG_CUPTI_MODULE_LOADED && CUPTI_API_EXIT == (int)SG_CUPTI_EXIT &&
                   CUPTI_ACTIVITY_KIND_KERNEL == (int)SG_CUPTI_KIND_KERNEL &&
                   CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == (int)SG_CUPTI_KIND_CONCURRENT_KERNEL &&
                   CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER == (int)SG_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER &&
                   CUPTI_ERROR_MAX_LIMIT_REACHED == (int)SG_CUPTI_MAX_LIMIT_REACHED &&
                   CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == (int)SG_CUPTI_MULTIPLE_SUBSCRIBERS &&
                   CU_GRAPH_NODE_TYPE_KERNEL == (int)SG_NODE_KERNEL && CU_GRAPH_NODE_TYPE_GRAPH == (int)SG_NODE_GRAPH &&
                   CU_GRAPH_NODE_TYPE_CONDITIONAL == (int)SG_NODE_CONDITIONAL,
               "numbers of CUPTI and of the driver");
