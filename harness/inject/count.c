#include "inject/count.h"

#include <fnmatch.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/inject.h"
#include "inject/map.h"
#include "inject/output.h"
#include "inject/profiler.h"
#include "inject/ranges.h"

#define FIRST_ONES 3 /* of a kernel are counted */

static struct {
    char *list; /* that the names are in */
    const char **names;
    size_t count;
    double *values;
    const char *range; /* pattern; NULL: all */
    regex_t kernel, left_out;
    bool has_kernel, has_left_out, has_place, of_ranges;
    uint64_t skip, most, so_far;
    struct sg_map occurrences; /* of a key */
    pthread_mutex_t lock;      /* held from the entry of a launch to its exit */
} counting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void fail(const struct sg_profiler_failure *failure)
{
    SG_INJECT_LOCKED;
    sg_output_flag(SG_TRACE_NO_COUNTERS, "%s (%d)", failure->call, failure->result);
}

/* "a,b": an array that ends where the text does; the text is cut up. */
static void split(char *list)
{
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        const char **more = realloc(counting.names, (counting.count + 1) * sizeof(*more));
        if (!more)
            return;
        counting.names = more;
        counting.names[counting.count++] = name;
    }
}

static bool compile(const char *variable, regex_t *regex)
{
    const char *pattern = getenv(variable);
    return pattern && *pattern && regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
}

bool sg_count_open(void *library)
{
    const char *names = getenv(SG_TRACE_COUNTERS_VARIABLE), *place = getenv(SG_TRACE_PLACE_VARIABLE);
    counting.list = names && *names ? strdup(names) : NULL;
    if (!counting.list)
        return false;
    split(counting.list);
    counting.values = calloc(counting.count + 1, sizeof(*counting.values));
    counting.range = getenv(SG_TRACE_RANGE_VARIABLE);
    counting.has_kernel = compile(SG_TRACE_KERNEL_VARIABLE, &counting.kernel);
    counting.has_left_out = compile(SG_TRACE_LEFT_OUT_VARIABLE, &counting.left_out);
    counting.has_place = place && *place;
    if (counting.has_place) {
        char *rest = NULL;
        counting.skip = strtoull(place, &rest, 10);
        counting.most = *rest == ',' ? strtoull(rest + 1, NULL, 10) : UINT64_MAX;
    }
    counting.of_ranges = getenv(SG_TRACE_WHOLE_VARIABLE) != NULL;
    if (!counting.values || !sg_profiler_open(library, counting.names, counting.count))
        fail(&(struct sg_profiler_failure){"CUPTI has no range profiler", 0});
    return true;
}

/* The first three, the fourth, the eighth, ... */
static bool is_one_of_few(uint64_t occurrence)
{
    return occurrence < FIRST_ONES || ((occurrence + 1) & occurrence) == 0;
}

static bool is_wanted(const char *symbol, const struct sg_trace_series_key *key)
{
    uint64_t occurrence = 0;
    const uint64_t digest = sg_map_digest(key, sizeof(*key));
    if (sg_output_head()->flags & SG_TRACE_NO_COUNTERS || (counting.has_kernel && regexec(&counting.kernel, symbol, 0, NULL, 0) != 0) ||
        (counting.has_left_out && regexec(&counting.left_out, symbol, 0, NULL, 0) == 0))
        return false;
    if (counting.has_place) {
        const uint64_t place = counting.so_far++;
        return place >= counting.skip && place - counting.skip < counting.most;
    }
    SG_INJECT_LOCKED;
    sg_map_get(&counting.occurrences, digest, &occurrence);
    return sg_map_put(&counting.occurrences, digest, occurrence + 1) && is_one_of_few(occurrence);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static struct sg_trace_series_key current; /* under counting.lock */
static bool is_counting;

void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key)
{
    const char *symbol = call->symbol ? call->symbol : "";
    char range[256] = "";
    if (counting.of_ranges)
        return;
    pthread_mutex_lock(&counting.lock);
    current = *key;
    {
        SG_INJECT_LOCKED;
        current.symbol = sg_output_name(symbol);
        snprintf(range, sizeof(range), "%s", sg_output_text(key->range));
    }
    is_counting = (!counting.range || fnmatch(counting.range, range, 0) == 0) && is_wanted(symbol, &current);
    if (!is_counting)
        return;
    const struct sg_profiler_failure failure = sg_profiler_start(call->context, NULL);
    if (failure.call) {
        fail(&failure);
        is_counting = false;
        return;
    }
    SG_INJECT_LOCKED;
    sg_output_head()->counting = current.symbol;
    __atomic_store_n(&sg_output_head()->counting_since_ns, now_ns(), __ATOMIC_RELEASE);
}

void sg_count_leave(const struct sg_cupti_call *call)
{
    size_t kernels = 0;
    if (counting.of_ranges)
        return;
    if (is_counting) {
        const struct sg_profiler_failure failure = sg_profiler_stop(call->context, counting.values, &kernels);
        if (failure.call)
            fail(&failure);
        SG_INJECT_LOCKED;
        __atomic_store_n(&sg_output_head()->counting_since_ns, 0, __ATOMIC_RELEASE);
        sg_output_head()->passes = sg_profiler_passes();
        if (!failure.call && *call->result == 0 && kernels == 1)
            sg_output_counts(&current, counting.values, counting.count);
    }
    is_counting = false;
    pthread_mutex_unlock(&counting.lock);
}

/* ---- whole ranges ---- */

static _Thread_local unsigned depth; /* of ranges that the thread has begun inside the one that is counted, and that one */
static void *range_context;          /* under counting.lock, which is held while a range is counted */

void sg_count_begin_range(uint32_t name, const char *text, const struct sg_inject_driver *driver)
{
    void *context = NULL;
    if (!counting.of_ranges)
        return;
    if (depth > 0) {
        depth++;
        return;
    }
    if ((counting.range && fnmatch(counting.range, text, 0) != 0) || !driver->current_context || driver->current_context(&context) != 0 ||
        !context || !driver->wait || driver->wait() != 0 || pthread_mutex_trylock(&counting.lock) != 0)
        return;
    const struct sg_profiler_failure failure = sg_profiler_start(context, text);
    if (failure.call) {
        pthread_mutex_unlock(&counting.lock);
        fail(&failure);
        return;
    }
    range_context = context;
    current = (struct sg_trace_series_key){.range = name};
    depth = 1;
}

void sg_count_end_range(const struct sg_inject_driver *driver)
{
    size_t ranges = 0;
    if (depth == 0 || --depth > 0)
        return;
    driver->wait();
    const struct sg_profiler_failure failure = sg_profiler_stop(range_context, counting.values, &ranges);
    if (failure.call)
        fail(&failure);
    else {
        SG_INJECT_LOCKED;
        if (ranges == 1)
            sg_output_counts(&current, counting.values, counting.count);
    }
    pthread_mutex_unlock(&counting.lock);
}
