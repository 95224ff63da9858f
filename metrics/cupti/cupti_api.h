/*
 * cupti/cupti_api.h - libcupti by run-time loading: one table of the functions solgate calls,
 * errors in words with what to do about them.
 *
 * One API generation: the range profiler, host profiler, activity and callback headers of CUDA
 * 12.6 and later. A newer library accepts the smaller structs of older headers. libcupti
 * itself needs libnvperf_host beside it.
 */
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host_c.h> /* made by cmake/SolgateCuda.cmake of cupti_profiler_host.h */
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "util/err.h"

/* field, symbol, arguments; all return CUptiResult */
#define SG_CUPTI_TABLE(X)                                                                                                                 \
    X(version, "cuptiGetVersion", (uint32_t * version))                                                                                   \
    X(result_string, "cuptiGetResultString", (CUptiResult result, const char **text))                                                     \
    X(activity_register, "cuptiActivityRegisterCallbacks",                                                                                \
      (CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed))                                          \
    X(activity_attribute, "cuptiActivitySetAttribute", (CUpti_ActivityAttribute attribute, size_t * size, void *value))                   \
    X(activity_enable, "cuptiActivityEnable", (CUpti_ActivityKind kind))                                                                  \
    X(activity_disable, "cuptiActivityDisable", (CUpti_ActivityKind kind))                                                                \
    X(activity_flush, "cuptiActivityFlushAll", (uint32_t flag))                                                                           \
    X(activity_next, "cuptiActivityGetNextRecord", (uint8_t * buffer, size_t size, CUpti_Activity * *record))                             \
    X(activity_dropped, "cuptiActivityGetNumDroppedRecords", (CUcontext context, uint32_t stream, size_t * dropped))                      \
    X(subscribe, "cuptiSubscribe", (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *user))                        \
    X(unsubscribe, "cuptiUnsubscribe", (CUpti_SubscriberHandle subscriber))                                                               \
    X(enable_callback, "cuptiEnableCallback",                                                                                             \
      (uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain, CUpti_CallbackId id))                             \
    X(profiler_initialize, "cuptiProfilerInitialize", (CUpti_Profiler_Initialize_Params * params))                                        \
    X(counter_availability, "cuptiProfilerGetCounterAvailability", (CUpti_Profiler_GetCounterAvailability_Params * params))               \
    X(chip_name, "cuptiDeviceGetChipName", (CUpti_Device_GetChipName_Params * params))                                                    \
    X(host_initialize, "cuptiProfilerHostInitialize", (CUpti_Profiler_Host_Initialize_Params * params))                                   \
    X(host_deinitialize, "cuptiProfilerHostDeinitialize", (CUpti_Profiler_Host_Deinitialize_Params * params))                             \
    X(host_properties, "cuptiProfilerHostGetMetricProperties", (CUpti_Profiler_Host_GetMetricProperties_Params * params))                 \
    X(host_add, "cuptiProfilerHostConfigAddMetrics", (CUpti_Profiler_Host_ConfigAddMetrics_Params * params))                              \
    X(host_image_size, "cuptiProfilerHostGetConfigImageSize", (CUpti_Profiler_Host_GetConfigImageSize_Params * params))                   \
    X(host_image, "cuptiProfilerHostGetConfigImage", (CUpti_Profiler_Host_GetConfigImage_Params * params))                                \
    X(host_passes, "cuptiProfilerHostGetNumOfPasses", (CUpti_Profiler_Host_GetNumOfPasses_Params * params))                               \
    X(host_evaluate, "cuptiProfilerHostEvaluateToGpuValues", (CUpti_Profiler_Host_EvaluateToGpuValues_Params * params))                   \
    X(range_enable, "cuptiRangeProfilerEnable", (CUpti_RangeProfiler_Enable_Params * params))                                             \
    X(range_disable, "cuptiRangeProfilerDisable", (CUpti_RangeProfiler_Disable_Params * params))                                          \
    X(range_data_size, "cuptiRangeProfilerGetCounterDataSize", (CUpti_RangeProfiler_GetCounterDataSize_Params * params))                  \
    X(range_data_init, "cuptiRangeProfilerCounterDataImageInitialize", (CUpti_RangeProfiler_CounterDataImage_Initialize_Params * params)) \
    X(range_config, "cuptiRangeProfilerSetConfig", (CUpti_RangeProfiler_SetConfig_Params * params))                                       \
    X(range_start, "cuptiRangeProfilerStart", (CUpti_RangeProfiler_Start_Params * params))                                                \
    X(range_stop, "cuptiRangeProfilerStop", (CUpti_RangeProfiler_Stop_Params * params))                                                   \
    X(range_decode, "cuptiRangeProfilerDecodeData", (CUpti_RangeProfiler_DecodeData_Params * params))                                     \
    X(range_info, "cuptiRangeProfilerGetCounterDataInfo", (CUpti_RangeProfiler_GetCounterDataInfo_Params * params))                       \
    X(pc_name_code, "cuptiRegisterComputeCrcCallback", (CUpti_ComputeCrcCallbackFunc name))                                               \
    X(pc_enable, "cuptiPCSamplingEnable", (CUpti_PCSamplingEnableParams * params))                                                        \
    X(pc_disable, "cuptiPCSamplingDisable", (CUpti_PCSamplingDisableParams * params))                                                     \
    X(pc_configure, "cuptiPCSamplingSetConfigurationAttribute", (CUpti_PCSamplingConfigurationInfoParams * params))                       \
    X(pc_reason_count, "cuptiPCSamplingGetNumStallReasons", (CUpti_PCSamplingGetNumStallReasonsParams * params))                          \
    X(pc_reasons, "cuptiPCSamplingGetStallReasons", (CUpti_PCSamplingGetStallReasonsParams * params))                                     \
    X(pc_start, "cuptiPCSamplingStart", (CUpti_PCSamplingStartParams * params))                                                           \
    X(pc_stop, "cuptiPCSamplingStop", (CUpti_PCSamplingStopParams * params))                                                              \
    X(pc_data, "cuptiPCSamplingGetData", (CUpti_PCSamplingGetDataParams * params))

struct sg_cupti {
    void *library;
#define X(field, symbol, arguments) CUptiResult(*field) arguments;
    SG_CUPTI_TABLE(X)
#undef X
};

/* SG_INVALID when libcupti is not found or too old. */
enum sg_code sg_cupti_open(struct sg_cupti *cupti, struct sg_err *err);
/* Forgets the functions; the library stays until the process ends. */
void sg_cupti_close(struct sg_cupti *cupti);

/* SG_SUCCESS for CUPTI_SUCCESS; else SG_INVALID: the call, CUPTI's words, and what to do where that
 * is known (permission, DCGM, ...). */
enum sg_code sg_cupti_check(const struct sg_cupti *cupti, CUptiResult result, const char *call, struct sg_err *err);
