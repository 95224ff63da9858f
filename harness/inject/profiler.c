#define _GNU_SOURCE /* for dlinfo */
#include "inject/profiler.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/profiler_abi.h"

#define CONTEXTS_MOST 16
#define SETS_MOST     32
#define REST          (SETS_MOST - 1)         /* index of the last set while sets are planned */
#define RANGES_MOST   (SG_PROFILER_BATCH + 4) /* a launch with child kernels may add ranges */

struct set {
    const char **names; /* owned list */
    size_t *at;         /* owned; index of each name in the list of all names */
    size_t count, passes;
};

/* A set configured on a context. */
struct configured {
    void *host;
    uint8_t *config; /* owned */
    size_t config_size, data_size;
};

struct profiled {
    void *context, *range;
    const char *chip;
    uint8_t *availability; /* owned */
    struct configured set[SETS_MOST];
    bool is_broken;
};

static struct {
    struct sg_profiler_api api;
    const char **names;
    size_t count, profiled_count, set_count;
    struct set set[SETS_MOST];
    struct profiled profiled[CONTEXTS_MOST];
    /* the only enabled context, because it blocks the counters for all others */
    struct profiled *enabled;
    /* State since the last start: */
    size_t now;
    bool is_in_range;
    uint8_t *data; /* owned */
    size_t data_room;
    double *values; /* owned; of one set */
} profiler;

#define SG_PROFILER_HOST "libnvperf_host.so"

/* cuptiProfilerHostInitialize crashes without libnvperf_host. CUPTI opens it by its bare name,
 * which the loader does not find in the folder of libcupti, as in a Python environment. */
static bool open_host(void *library)
{
    struct link_map *map = NULL;
    char path[4096];
    if (dlopen(SG_PROFILER_HOST, RTLD_NOW | RTLD_GLOBAL))
        return true;
    const char *end =
        dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? strrchr(map->l_name, '/') : NULL;
    return end &&
           (size_t)snprintf(path, sizeof(path), "%.*s/" SG_PROFILER_HOST, (int)(end - map->l_name),
                            map->l_name) < sizeof(path) &&
           dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

bool sg_profiler_open(void *library, const char **names, size_t count)
{
#define X(member, symbol, parameters)                         \
    *(void **)&profiler.api.member = dlsym(library, #symbol); \
    if (!profiler.api.member)                                 \
        return false;
    SG_PROFILER_TABLE(X)
#undef X
    if (!open_host(library))
        return false;
    profiler.names = names;
    profiler.count = count;
    profiler.values = calloc(count + 1, sizeof(*profiler.values));
    return profiler.values != NULL;
}

/* Calls a function of CUPTI, and returns from the caller if the call fails. */
#define CALL(member, given)                                                   \
    do {                                                                      \
        const int result_ = profiler.api.member(given);                       \
        if (result_ != 0)                                                     \
            return (struct sg_profiler_failure){symbol_of_##member, result_}; \
    } while (0)
#define X(member, symbol, parameters) \
    static const char symbol_of_##member[] __attribute__((unused)) = #symbol;
SG_PROFILER_TABLE(X)
#undef X
#define GIVEN(type, name, last, ...) \
    struct type name = {.size = SG_PROFILER_SIZE(type, last), __VA_ARGS__}

static const struct sg_profiler_failure none = {NULL, 0}, no_memory = {"malloc", 0};

/* ---- sets ---- */

static void release(struct configured *of)
{
    GIVEN(sg_host_only, given, host, .host = of->host);
    if (of->host)
        profiler.api.host_deinitialize(&given);
    free(of->config);
    *of = (struct configured){.host = NULL};
}

static struct sg_profiler_failure configure(const struct profiled *p, struct set *set,
                                            struct configured *made)
{
    GIVEN(sg_host_initialize, host, host, .type = SG_PROFILER_RANGE_TYPE, .chip = p->chip,
          .availability = p->availability);
    CALL(host_initialize, &host);
    made->host = host.host;
    GIVEN(sg_host_add, add, count, .host = made->host, .names = set->names, .count = set->count);
    CALL(host_add, &add);
    GIVEN(sg_host_image_size, size, image_size, .host = made->host);
    CALL(host_image_size, &size);
    made->config_size = size.image_size;
    made->config = malloc(made->config_size + 1);
    if (!made->config)
        return no_memory;
    GIVEN(sg_host_image, image, image, .host = made->host, .image_size = made->config_size,
          .image = made->config);
    CALL(host_image, &image);
    GIVEN(sg_host_passes, passes, passes, .image_size = made->config_size, .image = made->config);
    CALL(host_passes, &passes);
    set->passes = passes.passes;
    return none;
}

static struct sg_profiler_failure ask_passes(const struct profiled *p, struct set *set)
{
    struct configured tried = {.host = NULL};
    const struct sg_profiler_failure failure = configure(p, set, &tried);
    release(&tried);
    return failure;
}

static void add(struct set *set, size_t name)
{
    set->names[set->count] = profiler.names[name];
    set->at[set->count++] = name;
}

static bool make_room(struct set *set)
{
    *set = (struct set){.names = calloc(profiler.count, sizeof(*set->names)),
                        .at = calloc(profiler.count, sizeof(*set->at))};
    return set->names && set->at;
}

/* Adds the counter to the first one-pass set with room, to a new set, or to the set of counters
 * that need several passes alone. */
static struct sg_profiler_failure sort_in(const struct profiled *p, size_t name)
{
    for (size_t i = 1; i < REST; i++) {
        struct set *set = &profiler.set[i];
        const bool is_new = i == profiler.set_count;
        if (is_new && !set->names && !make_room(set))
            return no_memory;
        add(set, name);
        const struct sg_profiler_failure failure = ask_passes(p, set);
        if (failure.call)
            return failure;
        if (set->passes == 1) {
            profiler.set_count += is_new;
            return none;
        }
        set->count--;
        set->passes = 1;
        if (is_new)
            break;
    }
    add(&profiler.set[REST], name);
    return none;
}

static struct sg_profiler_failure plan(const struct profiled *p)
{
    struct set *all = &profiler.set[0], *rest = &profiler.set[REST];
    if (!make_room(all) || !make_room(rest))
        return no_memory;
    for (size_t i = 0; i < profiler.count; i++)
        add(all, i);
    struct sg_profiler_failure failure = ask_passes(p, all);
    profiler.set_count = failure.call ? 0 : 1;
    for (size_t i = 0; i < profiler.count && !failure.call && all->passes > 1; i++)
        failure = sort_in(p, i);
    if (failure.call || rest->count == 0 || rest->count == all->count)
        return failure;
    const struct set unused = profiler.set[profiler.set_count];
    profiler.set[profiler.set_count] = *rest;
    *rest = unused;
    return ask_passes(p, &profiler.set[profiler.set_count++]);
}

size_t sg_profiler_sets(void)
{
    return profiler.set_count;
}

size_t sg_profiler_passes(size_t set)
{
    return profiler.set[set].passes;
}

/* ---- contexts ---- */

static struct sg_profiler_failure open_context(struct profiled *p)
{
    GIVEN(sg_profiler_initialize, initialize, reserved, .reserved = NULL);
    GIVEN(sg_profiler_chip, chip, name, .device = 0);
    GIVEN(sg_profiler_availability, availability, image, .context = p->context);
    CALL(initialize, &initialize);
    CALL(chip_name, &chip);
    CALL(availability, &availability);
    p->chip = chip.name;
    p->availability = availability.image = malloc(availability.image_size + 1);
    if (!p->availability)
        return no_memory;
    CALL(availability, &availability);
    return profiler.set_count == 0 ? plan(p) : none;
}

void sg_profiler_rest(void)
{
    if (!profiler.enabled)
        return;
    GIVEN(sg_range_only, given, range, .range = profiler.enabled->range);
    profiler.api.range_disable(&given); /* an error here shows again at the next enable */
    profiler.enabled->range = NULL;
    profiler.enabled = NULL;
}

static struct profiled *find(const void *context)
{
    for (size_t i = 0; i < profiler.profiled_count; i++)
        if (profiler.profiled[i].context == context)
            return &profiler.profiled[i];
    return NULL;
}

/* Disables the enabled context first: it blocks the counters for a new context. */
struct sg_profiler_failure sg_profiler_take(void *context)
{
    struct profiled *p = find(context);
    if (p)
        return p->is_broken ? (struct sg_profiler_failure){"an earlier call on this context", 0}
                            : none;
    p = find(NULL);
    if (!p && profiler.profiled_count == CONTEXTS_MOST)
        return (struct sg_profiler_failure){"more than 16 contexts", 0};
    p = p ? p : &profiler.profiled[profiler.profiled_count++];
    *p = (struct profiled){.context = context};
    sg_profiler_rest();
    const struct sg_profiler_failure failure = open_context(p);
    p->is_broken = failure.call && failure.result != SG_PROFILER_BUSY;
    if (failure.result == SG_PROFILER_BUSY)
        sg_profiler_forget(context);
    return failure;
}

void sg_profiler_forget(const void *context)
{
    struct profiled *p = context ? find(context) : NULL;
    if (!p)
        return;
    if (profiler.enabled == p)
        sg_profiler_rest();
    for (size_t i = 0; i < SETS_MOST; i++)
        release(&p->set[i]);
    free(p->availability);
    *p = (struct profiled){.context = NULL}; /* another context may get the same address */
}

/* ---- counting ---- */

/* A range profiler keeps the set that it was first configured with. It initialises counter data
 * with the latest requested size. So another set needs a new profiler. */
static struct sg_profiler_failure enable(struct profiled *p, size_t number)
{
    const struct set *set = &profiler.set[number];
    GIVEN(sg_range_enable, given, range, .context = p->context);
    CALL(range_enable, &given);
    p->range = given.range;
    profiler.enabled = p;
    profiler.now = number;
    GIVEN(sg_range_data_size, size, data_size, .range = p->range, .names = set->names,
          .count = set->count, .most_ranges = RANGES_MOST, .most_nodes = RANGES_MOST);
    CALL(range_data_size, &size);
    p->set[number].data_size = size.data_size;
    if (size.data_size > profiler.data_room) {
        free(profiler.data);
        profiler.data = malloc(size.data_size);
        profiler.data_room = profiler.data ? size.data_size : 0;
    }
    return profiler.data ? none : no_memory;
}

struct sg_profiler_failure sg_profiler_start(void *context, size_t number, const char *range)
{
    struct profiled *p = find(context);
    struct set *set = &profiler.set[number];
    struct configured *own = &p->set[number];
    struct sg_profiler_failure failure = none;
    if (profiler.enabled != p || profiler.now != number)
        sg_profiler_rest();
    if (!own->host)
        failure = configure(p, set, own);
    if (!failure.call && !p->range)
        failure = enable(p, number);
    if (failure.call)
        return failure;
    GIVEN(sg_range_data_init, data, data, .range = p->range, .data_size = own->data_size,
          .data = profiler.data);
    CALL(range_data_init, &data);
    GIVEN(sg_range_config, config, level, .range = p->range, .config_size = own->config_size,
          .config = own->config, .data_size = own->data_size, .data = profiler.data,
          .range_kind = range ? SG_PROFILER_USER_RANGE : SG_PROFILER_AUTO_RANGE,
          .replay = set->passes == 1 ? SG_PROFILER_USER_REPLAY : SG_PROFILER_KERNEL_REPLAY,
          .most_ranges = RANGES_MOST, .levels = 1, .first_level = 1);
    CALL(range_config, &config);
    GIVEN(sg_range_only, start, range, .range = p->range);
    CALL(range_start, &start);
    profiler.is_in_range = range != NULL;
    if (range) {
        GIVEN(sg_range_push, push, name, .range = p->range, .name = range);
        CALL(range_push, &push);
    }
    return none;
}

struct sg_profiler_failure sg_profiler_stop(size_t *kernels)
{
    const struct profiled *p = profiler.enabled;
    *kernels = 0;
    GIVEN(sg_range_only, pop, range, .range = p->range);
    if (profiler.is_in_range)
        CALL(range_pop, &pop);
    GIVEN(sg_range_stop, stop, is_all, .range = p->range);
    CALL(range_stop, &stop);
    GIVEN(sg_range_decode, decode, dropped, .range = p->range);
    CALL(range_decode, &decode);
    GIVEN(sg_range_info, info, ranges, .data = profiler.data,
          .data_size = p->set[profiler.now].data_size);
    CALL(range_info, &info);
    *kernels = info.ranges + decode.dropped;
    return none;
}

struct sg_profiler_failure sg_profiler_values(size_t kernel, double *values)
{
    const struct set *set = &profiler.set[profiler.now];
    const struct configured *own = &profiler.enabled->set[profiler.now];
    GIVEN(sg_host_evaluate, evaluate, values, .host = own->host, .data = profiler.data,
          .data_size = own->data_size, .range = kernel, .names = set->names, .count = set->count,
          .values = profiler.values);
    CALL(host_evaluate, &evaluate);
    for (size_t i = 0; i < profiler.count; i++)
        values[i] = NAN;
    for (size_t i = 0; i < set->count; i++)
        values[set->at[i]] = profiler.values[i];
    return none;
}
