#include "cupti/range_profiler.h"

#include <stdlib.h>
#include <string.h>

#include "cupti/cupti_api.h"
#include "util/dynlib.h"
#include "util/memory.h"
#include "util/text.h"

#define CHIP_LENGTH 32

struct sg_counters {
    struct sg_cupti api;
    /* for queries about names of `names_chip`; never configured */
    CUpti_Profiler_Host_Object *names;
    char names_chip[CHIP_LENGTH];
    struct sg_counters_options options;
    CUpti_Profiler_Host_Object *host; /* holds the configuration in use */
    CUpti_RangeProfiler_Object *range;
    uint8_t *config; /* owned */
    size_t config_size;
    uint8_t *data; /* owned: counter data image */
    size_t data_size;
    size_t data_kernels; /* capacity of the image in ranges */
    unsigned passes;
};

enum sg_code sg_counters_open(struct sg_counters **counters, struct sg_err *err)
{
    struct sg_counters *made = sg_alloc(1, sizeof(*made));
    /* cuptiProfilerHostInitialize crashes without this library. CUPTI opens it by its bare name,
     * which the loader does not find in the folder of libcupti, as in a Python environment. */
    static const char *const host_names[] = {"libnvperf_host.so", NULL};
    void *host = NULL;
    if (sg_cupti_open(&made->api, err) != SG_SUCCESS ||
        sg_dynlib_open(host_names, &host, err) != SG_SUCCESS) {
        sg_counters_close(made);
        return err->code;
    }
    *counters = made;
    return SG_SUCCESS;
}

/* --- one function for each CUPTI call, with its parameter struct --- */

#define PARAMS(type, name, ...) \
    type##_Params name = {.structSize = type##_Params_STRUCT_SIZE, __VA_ARGS__}
#define CALL(function, params, name) sg_cupti_check(&c->api, c->api.function(&(params)), name, err)

static enum sg_code host_open(struct sg_counters *c, const char *chip, const uint8_t *availability,
                              CUpti_Profiler_Host_Object **host, struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Host_Initialize, params,
           .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER, .pChipName = chip,
           .pCounterAvailabilityImage = availability);
    enum sg_code code = CALL(host_initialize, params, "cuptiProfilerHostInitialize");
    *host = params.pHostObject;
    return code;
}

static void host_close(struct sg_counters *c, CUpti_Profiler_Host_Object *host)
{
    PARAMS(CUpti_Profiler_Host_Deinitialize, params, .pHostObject = host);
    if (host)
        c->api.host_deinitialize(&params);
}

static CUptiResult host_properties(struct sg_counters *c, CUpti_Profiler_Host_Object *host,
                                   const char *name)
{
    PARAMS(CUpti_Profiler_Host_GetMetricProperties, params, .pHostObject = host,
           .pMetricName = name);
    return c->api.host_properties(&params);
}

static enum sg_code host_add(struct sg_counters *c, CUpti_Profiler_Host_Object *host,
                             const char *const *names, size_t count, struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Host_ConfigAddMetrics, params, .pHostObject = host,
           .ppMetricNames = (const char **)names, .numMetrics = count);
    return CALL(host_add, params, "cuptiProfilerHostConfigAddMetrics");
}

static enum sg_code host_image(struct sg_counters *c, CUpti_Profiler_Host_Object *host,
                               uint8_t **image, size_t *size, struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Host_GetConfigImageSize, size_params, .pHostObject = host);
    if (CALL(host_image_size, size_params, "cuptiProfilerHostGetConfigImageSize") != SG_SUCCESS)
        return err->code;
    *size = size_params.configImageSize;
    *image = sg_alloc(*size, 1);
    PARAMS(CUpti_Profiler_Host_GetConfigImage, params, .pHostObject = host,
           .configImageSize = *size, .pConfigImage = *image);
    return CALL(host_image, params, "cuptiProfilerHostGetConfigImage");
}

static enum sg_code host_passes(struct sg_counters *c, uint8_t *image, size_t size,
                                unsigned *passes, struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Host_GetNumOfPasses, params, .configImageSize = size,
           .pConfigImage = image);
    enum sg_code code = CALL(host_passes, params, "cuptiProfilerHostGetNumOfPasses");
    *passes = (unsigned)params.numOfPasses;
    return code;
}

static enum sg_code host_evaluate(struct sg_counters *c, size_t kernel, double *values,
                                  struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues, params, .pHostObject = c->host,
           .pCounterDataImage = c->data, .counterDataImageSize = c->data_size, .rangeIndex = kernel,
           .ppMetricNames = (const char **)c->options.cupti_names, .numMetrics = c->options.count,
           .pMetricValues = values);
    return CALL(host_evaluate, params, "cuptiProfilerHostEvaluateToGpuValues");
}

static enum sg_code profiler_initialize(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_Profiler_Initialize, params);
    return CALL(profiler_initialize, params, "cuptiProfilerInitialize");
}

static enum sg_code availability_image(struct sg_counters *c, void *context, uint8_t **image,
                                       struct sg_err *err)
{
    PARAMS(CUpti_Profiler_GetCounterAvailability, params, .ctx = context);
    if (CALL(counter_availability, params, "cuptiProfilerGetCounterAvailability") != SG_SUCCESS)
        return err->code;
    params.pCounterAvailabilityImage = *image = sg_alloc(params.counterAvailabilityImageSize, 1);
    return CALL(counter_availability, params, "cuptiProfilerGetCounterAvailability");
}

static enum sg_code range_enable(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_Enable, params, .ctx = c->options.context);
    enum sg_code code = CALL(range_enable, params, "cuptiRangeProfilerEnable");
    c->range = params.pRangeProfilerObject;
    return code;
}

static void range_disable(struct sg_counters *c)
{
    PARAMS(CUpti_RangeProfiler_Disable, params, .pRangeProfilerObject = c->range);
    if (c->range)
        c->api.range_disable(&params);
}

static enum sg_code range_data_size(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_GetCounterDataSize, params, .pRangeProfilerObject = c->range,
           .pMetricNames = (const char **)c->options.cupti_names, .numMetrics = c->options.count,
           .maxNumOfRanges = c->data_kernels, .maxNumRangeTreeNodes = (uint32_t)c->data_kernels);
    enum sg_code code = CALL(range_data_size, params, "cuptiRangeProfilerGetCounterDataSize");
    c->data_size = params.counterDataSize;
    return code;
}

static enum sg_code range_data_init(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, params,
           .pRangeProfilerObject = c->range, .counterDataSize = c->data_size,
           .pCounterData = c->data);
    return CALL(range_data_init, params, "cuptiRangeProfilerCounterDataImageInitialize");
}

static enum sg_code range_config(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_SetConfig, params, .pRangeProfilerObject = c->range,
           .configSize = c->config_size, .pConfig = c->config, .counterDataImageSize = c->data_size,
           .pCounterDataImage = c->data, .range = CUPTI_AutoRange, .replayMode = CUPTI_UserReplay,
           .maxRangesPerPass = c->data_kernels, .numNestingLevels = 1, .minNestingLevel = 1,
           .passIndex = 0, .targetNestingLevel = 0);
    return CALL(range_config, params, "cuptiRangeProfilerSetConfig");
}

static enum sg_code range_start(struct sg_counters *c, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_Start, params, .pRangeProfilerObject = c->range);
    return CALL(range_start, params, "cuptiRangeProfilerStart");
}

static enum sg_code range_stop(struct sg_counters *c, bool *all_passes, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_Stop, params, .pRangeProfilerObject = c->range);
    enum sg_code code = CALL(range_stop, params, "cuptiRangeProfilerStop");
    *all_passes = params.isAllPassSubmitted != 0;
    return code;
}

static enum sg_code range_decode(struct sg_counters *c, size_t *dropped, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_DecodeData, params, .pRangeProfilerObject = c->range);
    enum sg_code code = CALL(range_decode, params, "cuptiRangeProfilerDecodeData");
    *dropped = params.numOfRangeDropped;
    return code;
}

static enum sg_code range_count(struct sg_counters *c, size_t *kernels, struct sg_err *err)
{
    PARAMS(CUpti_RangeProfiler_GetCounterDataInfo, params, .pCounterDataImage = c->data,
           .counterDataImageSize = c->data_size);
    enum sg_code code = CALL(range_info, params, "cuptiRangeProfilerGetCounterDataInfo");
    *kernels = params.numTotalRanges;
    return code;
}

/* --- functions of the header --- */

void sg_counters_close(struct sg_counters *c)
{
    if (!c)
        return;
    range_disable(c);
    host_close(c, c->host);
    host_close(c, c->names);
    sg_cupti_close(&c->api);
    free(c->config);
    free(c->data);
    free(c);
}

enum sg_code sg_counters_known(struct sg_counters *c, const char *chip, const char *cupti_name,
                               bool *known, struct sg_err *err)
{
    if (!c->names || strcmp(chip, c->names_chip) != 0) {
        host_close(c, c->names);
        c->names = NULL;
        if (host_open(c, chip, NULL, &c->names, err) != SG_SUCCESS)
            return err->code;
        strncpy(c->names_chip, chip, sizeof(c->names_chip) - 1);
    }
    CUptiResult result = host_properties(c, c->names, cupti_name);
    /* GetMetricProperties accepts a base name without its rollup, which AddMetrics refuses. */
    *known = result == CUPTI_SUCCESS && strchr(cupti_name, '.');
    if (result == CUPTI_SUCCESS || result == CUPTI_ERROR_INVALID_METRIC_NAME)
        return SG_SUCCESS;
    return sg_cupti_check(&c->api, result, "cuptiProfilerHostGetMetricProperties", err);
}

/* Adds the names to a new host object, and makes the image that assigns counters to passes. */
static enum sg_code configure(struct sg_counters *c, CUpti_Profiler_Host_Object *host,
                              const char *const *names, size_t count, uint8_t **image, size_t *size,
                              struct sg_err *err)
{
    if (host_add(c, host, names, count, err) != SG_SUCCESS)
        return err->code;
    return host_image(c, host, image, size, err);
}

enum sg_code sg_counters_passes(struct sg_counters *c, const char *chip,
                                const char *const *cupti_names, size_t count, unsigned *passes,
                                struct sg_err *err)
{
    CUpti_Profiler_Host_Object *host = NULL;
    SG_FREED uint8_t *image = NULL;
    size_t size = 0;
    if (host_open(c, chip, NULL, &host, err) == SG_SUCCESS &&
        configure(c, host, cupti_names, count, &image, &size, err) == SG_SUCCESS)
        host_passes(c, image, size, passes, err);
    host_close(c, host);
    return err->code;
}

enum sg_code sg_counters_chip(struct sg_counters *c, size_t device_index, char *chip, size_t size,
                              struct sg_err *err)
{
    if (profiler_initialize(c, err) != SG_SUCCESS)
        return err->code;
    PARAMS(CUpti_Device_GetChipName, params, .deviceIndex = device_index);
    if (CALL(chip_name, params, "cuptiDeviceGetChipName") != SG_SUCCESS)
        return err->code;
    strncpy(chip, params.pChipName, size - 1);
    chip[size - 1] = '\0';
    return SG_SUCCESS;
}

enum sg_code sg_counters_allowed(struct sg_counters *c, void *context, struct sg_err *err)
{
    SG_FREED uint8_t *image = NULL;
    if (profiler_initialize(c, err) == SG_SUCCESS)
        availability_image(c, context, &image, err);
    return err->code;
}

/* Makes room for `kernels` kernels in CUPTI's counter data image. A configured range profiler
 * keeps its number of ranges until it is enabled again. */
static enum sg_code make_room(struct sg_counters *c, size_t kernels, struct sg_err *err)
{
    if (kernels <= c->data_kernels)
        return SG_SUCCESS;
    c->data_kernels = kernels;
    range_disable(c);
    if (range_enable(c, err) != SG_SUCCESS || range_data_size(c, err) != SG_SUCCESS)
        return err->code;
    free(c->data);
    c->data = sg_alloc_touched(c->data_size); /* 1.3 MB per kernel */
    return c->data ? SG_SUCCESS
                   : sg_fail(err, SG_SYSTEM, "counting", "no room for %zu bytes of counter data",
                             c->data_size);
}

enum sg_code sg_counters_start(struct sg_counters *c, const struct sg_counters_options *options,
                               struct sg_err *err)
{
    c->options = *options;
    SG_FREED uint8_t *available = NULL;
    enum sg_code code = profiler_initialize(c, err);
    if (code == SG_SUCCESS)
        code = availability_image(c, options->context, &available, err);
    if (code == SG_SUCCESS)
        code = host_open(c, options->chip, available, &c->host, err);
    if (code == SG_SUCCESS)
        code = configure(c, c->host, options->cupti_names, options->count, &c->config,
                         &c->config_size, err);
    if (code == SG_SUCCESS)
        code = host_passes(c, c->config, c->config_size, &c->passes, err);
    return code;
}

static enum sg_code replay(struct sg_counters *c, struct sg_counters_job *job, struct sg_err *err)
{
    bool all_passes = false;
    /* Limited to passes + 1 rounds, so that a CUPTI that never reports completion cannot hang
     * the worker. */
    for (unsigned round = 0; !all_passes && round <= c->passes; round++) {
        if (range_start(c, err) != SG_SUCCESS)
            return err->code;
        enum sg_code code = job->work(job->context, err);
        if (range_stop(c, &all_passes, code == SG_SUCCESS ? err : SG_IGNORED) != SG_SUCCESS ||
            code != SG_SUCCESS)
            return err->code;
    }
    if (!all_passes)
        return sg_fail(err, SG_INVALID, "cuptiRangeProfilerStop",
                       "not all passes are collected after %u rounds", c->passes + 1);
    return SG_SUCCESS;
}

enum sg_code sg_counters_collect(struct sg_counters *c, struct sg_counters_job *job,
                                 struct sg_err *err)
{
    size_t dropped = 0, kernels = 0;
    if (make_room(c, job->kernels, err) != SG_SUCCESS || range_data_init(c, err) != SG_SUCCESS ||
        range_config(c, err) != SG_SUCCESS || replay(c, job, err) != SG_SUCCESS ||
        range_decode(c, &dropped, err) != SG_SUCCESS || range_count(c, &kernels, err) != SG_SUCCESS)
        return err->code;
    if (dropped > 0 || kernels != job->kernels)
        return sg_fail(err, SG_INVALID, "cuptiRangeProfilerDecodeData",
                       "%zu kernels were launched, %zu were counted", job->kernels,
                       kernels + dropped);
    job->passes = c->passes;
    for (size_t i = 0; i < job->wanted_count && err->code == SG_SUCCESS; i++)
        host_evaluate(c, job->wanted[i], job->values + i * c->options.count, err);
    return err->code;
}
