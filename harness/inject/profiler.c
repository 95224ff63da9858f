#include "inject/profiler.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "inject/profiler_abi.h"

#define CONTEXTS_MOST 16
#define RANGES_MOST   (SG_PROFILER_BATCH + 4) /* a launch with children may bring more */

struct profiled {
    void *context, *host, *range;
    uint8_t *config, *data; /* owned */
    size_t config_size, data_size;
    bool is_broken, is_in_range;
};

static struct {
    struct sg_profiler_api api;
    const char **names;
    size_t count, passes, profiled_count;
    struct profiled profiled[CONTEXTS_MOST];
    struct profiled *enabled; /* the only one: it keeps the counters from all others */
} profiler;

bool sg_profiler_open(void *library, const char **names, size_t count)
{
#define X(member, symbol, parameters)                         \
    *(void **)&profiler.api.member = dlsym(library, #symbol); \
    if (!profiler.api.member)                                 \
        return false;
    SG_PROFILER_TABLE(X)
#undef X
    profiler.names = names;
    profiler.count = count;
    return true;
}

/* Calls a function of CUPTI with its parameters, and returns from here if it fails. */
#define CALL(member, given)                                                   \
    do {                                                                      \
        const int result_ = profiler.api.member(given);                       \
        if (result_ != 0)                                                     \
            return (struct sg_profiler_failure){symbol_of_##member, result_}; \
    } while (0)
#define X(member, symbol, parameters) static const char symbol_of_##member[] __attribute__((unused)) = #symbol;
SG_PROFILER_TABLE(X)
#undef X
#define GIVEN(type, name, last, ...) struct type name = {.size = SG_PROFILER_SIZE(type, last), __VA_ARGS__}

static const struct sg_profiler_failure none = {NULL, 0}, no_memory = {"malloc", 0};

static struct sg_profiler_failure open_host(struct profiled *p)
{
    GIVEN(sg_profiler_initialize, initialize, reserved, .reserved = NULL);
    GIVEN(sg_profiler_chip, chip, name, .device = 0);
    GIVEN(sg_profiler_availability, availability, image, .context = p->context);
    CALL(initialize, &initialize);
    CALL(chip_name, &chip);
    CALL(availability, &availability);
    availability.image = malloc(availability.image_size + 1);
    if (!availability.image)
        return no_memory;
    CALL(availability, &availability);
    GIVEN(sg_host_initialize, host, host, .type = SG_PROFILER_RANGE_TYPE, .chip = chip.name, .availability = availability.image);
    CALL(host_initialize, &host);
    p->host = host.host;
    GIVEN(sg_host_add, add, count, .host = p->host, .names = profiler.names, .count = profiler.count);
    CALL(host_add, &add);
    return none;
}

static struct sg_profiler_failure configure(struct profiled *p)
{
    GIVEN(sg_host_image_size, size, image_size, .host = p->host);
    CALL(host_image_size, &size);
    p->config_size = size.image_size;
    p->config = malloc(p->config_size + 1);
    if (!p->config)
        return no_memory;
    GIVEN(sg_host_image, image, image, .host = p->host, .image_size = p->config_size, .image = p->config);
    CALL(host_image, &image);
    GIVEN(sg_host_passes, passes, passes, .image_size = p->config_size, .image = p->config);
    CALL(host_passes, &passes);
    profiler.passes = passes.passes;
    return none;
}

static struct sg_profiler_failure enable(struct profiled *p)
{
    GIVEN(sg_range_enable, given, range, .context = p->context);
    CALL(range_enable, &given);
    p->range = given.range;
    profiler.enabled = p;
    if (p->data)
        return none;
    GIVEN(sg_range_data_size, size, data_size, .range = p->range, .names = profiler.names, .count = profiler.count,
          .most_ranges = RANGES_MOST, .most_nodes = RANGES_MOST);
    CALL(range_data_size, &size);
    p->data_size = size.data_size;
    p->data = malloc(p->data_size + 1);
    return p->data ? none : no_memory;
}

static void disable(void)
{
    if (!profiler.enabled)
        return;
    GIVEN(sg_range_only, given, range, .range = profiler.enabled->range);
    profiler.api.range_disable(&given); /* what fails here fails again when the next one is enabled */
    profiler.enabled->range = NULL;
    profiler.enabled = NULL;
}

static struct sg_profiler_failure open_context(struct profiled *p)
{
    struct sg_profiler_failure failure = open_host(p);
    if (!failure.call)
        failure = configure(p);
    return failure.call ? failure : enable(p);
}

static struct profiled *find(const void *context)
{
    for (size_t i = 0; i < profiler.profiled_count; i++)
        if (profiler.profiled[i].context == context)
            return &profiler.profiled[i];
    return NULL;
}

struct sg_profiler_failure sg_profiler_start(void *context, const char *range)
{
    struct profiled *p = find(context);
    if (!p) {
        p = find(NULL);
        if (!p && profiler.profiled_count == CONTEXTS_MOST)
            return (struct sg_profiler_failure){"more than 16 contexts", 0};
        p = p ? p : &profiler.profiled[profiler.profiled_count++];
        *p = (struct profiled){.context = context};
    }
    if (profiler.enabled != p)
        disable();
    if (!p->range && !p->is_broken) {
        const struct sg_profiler_failure failure = p->config ? enable(p) : open_context(p);
        p->is_broken = failure.call != NULL;
        if (failure.call)
            return failure;
    }
    if (p->is_broken)
        return (struct sg_profiler_failure){"an earlier call on this context", 0};
    if (range && profiler.passes > 1)
        return (struct sg_profiler_failure){"a range is counted in one pass, and these counters need more", (int)profiler.passes};
    GIVEN(sg_range_data_init, data, data, .range = p->range, .data_size = p->data_size, .data = p->data);
    CALL(range_data_init, &data);
    GIVEN(sg_range_config, config, level, .range = p->range, .config_size = p->config_size, .config = p->config, .data_size = p->data_size,
          .data = p->data, .range_kind = range ? SG_PROFILER_USER_RANGE : SG_PROFILER_AUTO_RANGE,
          .replay = profiler.passes == 1 ? SG_PROFILER_USER_REPLAY : SG_PROFILER_KERNEL_REPLAY, .most_ranges = RANGES_MOST, .levels = 1,
          .first_level = 1);
    CALL(range_config, &config);
    GIVEN(sg_range_only, start, range, .range = p->range);
    CALL(range_start, &start);
    p->is_in_range = range != NULL;
    if (range) {
        GIVEN(sg_range_push, push, name, .range = p->range, .name = range);
        CALL(range_push, &push);
    }
    return none;
}

struct sg_profiler_failure sg_profiler_stop(void *context, size_t *kernels)
{
    const struct profiled *p = find(context);
    *kernels = 0;
    if (!p || p->is_broken)
        return none;
    GIVEN(sg_range_only, pop, range, .range = p->range);
    if (p->is_in_range)
        CALL(range_pop, &pop);
    GIVEN(sg_range_stop, stop, is_all, .range = p->range);
    CALL(range_stop, &stop);
    GIVEN(sg_range_decode, decode, dropped, .range = p->range);
    CALL(range_decode, &decode);
    GIVEN(sg_range_info, info, ranges, .data = p->data, .data_size = p->data_size);
    CALL(range_info, &info);
    *kernels = info.ranges + decode.dropped;
    return none;
}

struct sg_profiler_failure sg_profiler_values(void *context, size_t kernel, double *values)
{
    const struct profiled *p = find(context);
    if (!p || p->is_broken)
        return none;
    GIVEN(sg_host_evaluate, evaluate, values, .host = p->host, .data = p->data, .data_size = p->data_size, .range = kernel,
          .names = profiler.names, .count = profiler.count, .values = values);
    CALL(host_evaluate, &evaluate);
    return none;
}

void sg_profiler_forget(const void *context)
{
    struct profiled *p = context ? find(context) : NULL;
    if (!p)
        return;
    if (profiler.enabled == p)
        disable();
    free(p->config);
    free(p->data);
    *p = (struct profiled){.context = NULL}; /* another one may have its address */
}

size_t sg_profiler_passes(void)
{
    return profiler.passes;
}
