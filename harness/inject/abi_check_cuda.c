/*
 * Checks inject/cupti_abi.h and inject/profiler_abi.h against the toolkit's headers at compile
 * time. No code.
 */
#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host_c.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "inject/cupti_abi.h"
#include "inject/profiler_abi.h"

#define SAME(type, member, theirs, their_member)                                                  \
    _Static_assert(offsetof(struct type, member) == offsetof(theirs, their_member) &&             \
                       sizeof(((struct type *)0)->member) == sizeof(((theirs *)0)->their_member), \
                   #type "." #member)

/* `last` is the last member. */
#define WHOLE(type, last, theirs, their_last) \
    SAME(type, last, theirs, their_last);     \
    _Static_assert(SG_PROFILER_SIZE(type, last) == theirs##_STRUCT_SIZE, #type)

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

_Static_assert(CUPTI_CB_DOMAIN_DRIVER_API == (int)SG_CUPTI_DRIVER &&
                   CUPTI_CB_DOMAIN_RESOURCE == (int)SG_CUPTI_RESOURCE &&
                   CUPTI_CBID_RESOURCE_CONTEXT_CREATED == (int)SG_CUPTI_CONTEXT_CREATED &&
                   CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING ==
                       (int)SG_CUPTI_CONTEXT_DESTROY_STARTING &&
                   CUPTI_CBID_RESOURCE_MODULE_LOADED == (int)SG_CUPTI_MODULE_LOADED &&
                   CUPTI_API_EXIT == (int)SG_CUPTI_EXIT &&
                   CUPTI_ACTIVITY_KIND_KERNEL == (int)SG_CUPTI_KIND_KERNEL &&
                   CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == (int)SG_CUPTI_KIND_CONCURRENT_KERNEL &&
                   CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER ==
                       (int)SG_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER &&
                   CUPTI_ERROR_MAX_LIMIT_REACHED == (int)SG_CUPTI_MAX_LIMIT_REACHED &&
                   CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ==
                       (int)SG_CUPTI_MULTIPLE_SUBSCRIBERS &&
                   CU_GRAPH_NODE_TYPE_KERNEL == (int)SG_NODE_KERNEL &&
                   CU_GRAPH_NODE_TYPE_GRAPH == (int)SG_NODE_GRAPH &&
                   CU_GRAPH_NODE_TYPE_CONDITIONAL == (int)SG_NODE_CONDITIONAL,
               "numbers of CUPTI and of the driver");

WHOLE(sg_profiler_initialize, reserved, CUpti_Profiler_Initialize_Params, pPriv);
SAME(sg_profiler_chip, device, CUpti_Device_GetChipName_Params, deviceIndex);
WHOLE(sg_profiler_chip, name, CUpti_Device_GetChipName_Params, pChipName);
SAME(sg_profiler_availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
WHOLE(sg_profiler_availability, image, CUpti_Profiler_GetCounterAvailability_Params,
      pCounterAvailabilityImage);
SAME(sg_host_initialize, type, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME(sg_host_initialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME(sg_host_initialize, availability, CUpti_Profiler_Host_Initialize_Params,
     pCounterAvailabilityImage);
WHOLE(sg_host_initialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
WHOLE(sg_host_only, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SAME(sg_host_add, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
WHOLE(sg_host_add, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SAME(sg_host_image_size, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
WHOLE(sg_host_image_size, image_size, CUpti_Profiler_Host_GetConfigImageSize_Params,
      configImageSize);
SAME(sg_host_image, image_size, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
WHOLE(sg_host_image, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME(sg_host_passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
WHOLE(sg_host_passes, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SAME(sg_host_evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
SAME(sg_host_evaluate, data_size, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     counterDataImageSize);
SAME(sg_host_evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(sg_host_evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
SAME(sg_host_evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
WHOLE(sg_host_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SAME(sg_range_enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
WHOLE(sg_range_enable, range, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
WHOLE(sg_range_only, range, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SAME(sg_range_stop, level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
WHOLE(sg_range_stop, is_all, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SAME(sg_range_data_size, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params,
     maxNumOfRanges);
SAME(sg_range_data_size, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
     maxNumRangeTreeNodes);
WHOLE(sg_range_data_size, data_size, CUpti_RangeProfiler_GetCounterDataSize_Params,
      counterDataSize);
SAME(sg_range_data_init, data_size, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     counterDataSize);
WHOLE(sg_range_data_init, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
      pCounterData);
SAME(sg_range_config, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
SAME(sg_range_config, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME(sg_range_config, range_kind, CUpti_RangeProfiler_SetConfig_Params, range);
SAME(sg_range_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME(sg_range_config, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
SAME(sg_range_config, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
SAME(sg_range_config, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME(sg_range_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
WHOLE(sg_range_config, level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
WHOLE(sg_range_decode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
SAME(sg_range_info, data_size, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);
WHOLE(sg_range_info, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);

_Static_assert(CUPTI_PROFILER_TYPE_RANGE_PROFILER == (int)SG_PROFILER_RANGE_TYPE &&
                   CUPTI_AutoRange == (int)SG_PROFILER_AUTO_RANGE &&
                   CUPTI_KernelReplay == (int)SG_PROFILER_KERNEL_REPLAY,
               "kinds of profiling");
