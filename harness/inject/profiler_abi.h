/*
 * inject/profiler_abi.h - binary interface of CUPTI's range profiler and its host part; see
 * inject/cupti_abi.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SG_PROFILER_RANGE_TYPE = 0 };
enum { SG_PROFILER_AUTO_RANGE = 1, SG_PROFILER_USER_RANGE };
enum { SG_PROFILER_KERNEL_REPLAY = 2, SG_PROFILER_USER_REPLAY };

/* The size of a struct in CUPTI's sense: up to the end of its last member. */
#define SG_PROFILER_SIZE(type, last) \
    (offsetof(struct type, last) + sizeof(((struct type *)0)->last))
/* Common first members. */
#define SG_PROFILER_HEAD \
    size_t size;         \
    void *reserved

struct sg_profiler_initialize {
    SG_PROFILER_HEAD;
};
struct sg_profiler_chip {
    SG_PROFILER_HEAD;
    size_t device;
    const char *name;
};
struct sg_profiler_availability {
    SG_PROFILER_HEAD;
    void *context;
    size_t image_size;
    uint8_t *image;
};
struct sg_host_initialize {
    SG_PROFILER_HEAD;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host;
};
struct sg_host_add {
    SG_PROFILER_HEAD;
    void *host;
    const char **names;
    size_t count;
};
struct sg_host_only { /* deinitialize */
    SG_PROFILER_HEAD;
    void *host;
};
struct sg_host_image_size {
    SG_PROFILER_HEAD;
    void *host;
    size_t image_size;
};
struct sg_host_image {
    SG_PROFILER_HEAD;
    void *host;
    size_t image_size;
    uint8_t *image;
};
struct sg_host_passes {
    SG_PROFILER_HEAD;
    size_t image_size;
    uint8_t *image;
    size_t passes;
};
struct sg_host_evaluate {
    SG_PROFILER_HEAD;
    void *host;
    const uint8_t *data;
    size_t data_size, range;
    const char **names;
    size_t count;
    double *values;
};
struct sg_range_enable {
    SG_PROFILER_HEAD;
    void *context, *range;
};
struct sg_range_only { /* start, pop */
    SG_PROFILER_HEAD;
    void *range;
};
struct sg_range_push {
    SG_PROFILER_HEAD;
    void *range;
    const char *name;
};
struct sg_range_stop {
    SG_PROFILER_HEAD;
    void *range;
    size_t pass, level;
    uint8_t is_all;
};
struct sg_range_data_size {
    SG_PROFILER_HEAD;
    void *range;
    const char **names;
    size_t count, most_ranges;
    uint32_t most_nodes;
    size_t data_size;
};
struct sg_range_data_init {
    SG_PROFILER_HEAD;
    void *range;
    size_t data_size;
    uint8_t *data;
};
struct sg_range_config {
    SG_PROFILER_HEAD;
    void *range;
    size_t config_size;
    const uint8_t *config;
    size_t data_size;
    uint8_t *data;
    int range_kind, replay;
    size_t most_ranges;
    uint16_t levels, first_level;
    size_t pass;
    uint16_t level;
};
struct sg_range_decode {
    SG_PROFILER_HEAD;
    void *range;
    size_t dropped;
};
struct sg_range_info {
    SG_PROFILER_HEAD;
    const uint8_t *data;
    size_t data_size, ranges;
};

/* member, symbol, struct of its parameters */
#define SG_PROFILER_TABLE(X)                                                             \
    X(initialize, cuptiProfilerInitialize, sg_profiler_initialize)                       \
    X(chip_name, cuptiDeviceGetChipName, sg_profiler_chip)                               \
    X(availability, cuptiProfilerGetCounterAvailability, sg_profiler_availability)       \
    X(host_initialize, cuptiProfilerHostInitialize, sg_host_initialize)                  \
    X(host_deinitialize, cuptiProfilerHostDeinitialize, sg_host_only)                    \
    X(host_add, cuptiProfilerHostConfigAddMetrics, sg_host_add)                          \
    X(host_image_size, cuptiProfilerHostGetConfigImageSize, sg_host_image_size)          \
    X(host_image, cuptiProfilerHostGetConfigImage, sg_host_image)                        \
    X(host_passes, cuptiProfilerHostGetNumOfPasses, sg_host_passes)                      \
    X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues, sg_host_evaluate)             \
    X(range_enable, cuptiRangeProfilerEnable, sg_range_enable)                           \
    X(range_disable, cuptiRangeProfilerDisable, sg_range_only)                           \
    X(range_data_size, cuptiRangeProfilerGetCounterDataSize, sg_range_data_size)         \
    X(range_data_init, cuptiRangeProfilerCounterDataImageInitialize, sg_range_data_init) \
    X(range_config, cuptiRangeProfilerSetConfig, sg_range_config)                        \
    X(range_start, cuptiRangeProfilerStart, sg_range_only)                               \
    X(range_push, cuptiRangeProfilerPushRange, sg_range_push)                            \
    X(range_pop, cuptiRangeProfilerPopRange, sg_range_only)                              \
    X(range_stop, cuptiRangeProfilerStop, sg_range_stop)                                 \
    X(range_decode, cuptiRangeProfilerDecodeData, sg_range_decode)                       \
    X(range_info, cuptiRangeProfilerGetCounterDataInfo, sg_range_info)

struct sg_profiler_api {
#define X(member, symbol, parameters) int (*member)(struct parameters * given);
    SG_PROFILER_TABLE(X)
#undef X
};
