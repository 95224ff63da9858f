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

static const struct {
    int result; /* of CUPTI */
    const char *words;
} reasons[] = {
    {26, ": another client has them, such as DCGM or a profiler"},
    {27, ": not here, as under MPS"},
    {35, ": not permitted, see `solgate doctor`"},
    {40, ": not permitted on this virtual GPU"},
};

static void fail(struct sg_profiler_failure failure)
{
    const char *words = "";
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].result == failure.result)
            words = reasons[i].words;
    SG_INJECT_LOCKED;
    sg_output_flag(SG_TRACE_NO_COUNTERS, "%s (%d)%s", failure.call, failure.result, words);
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
        fail((struct sg_profiler_failure){"CUPTI has no range profiler", 0});
    return true;
}

/* The first three, the fourth, the eighth, ... */
static bool is_one_of_few(uint64_t occurrence)
{
    return occurrence < FIRST_ONES || ((occurrence + 1) & occurrence) == 0;
}

enum choice { LEFT_OUT, RIDES, WANTED };

static enum choice choose(const char *symbol, const struct sg_trace_series_key *key)
{
    uint64_t occurrence = 0;
    const uint64_t digest = sg_map_digest(key, sizeof(*key));
    if (sg_output_head()->flags & SG_TRACE_NO_COUNTERS || (counting.has_kernel && regexec(&counting.kernel, symbol, 0, NULL, 0) != 0) ||
        (counting.has_left_out && regexec(&counting.left_out, symbol, 0, NULL, 0) == 0))
        return LEFT_OUT;
    if (counting.has_place) {
        const uint64_t place = counting.so_far++;
        return place >= counting.skip && place - counting.skip < counting.most ? WANTED : LEFT_OUT;
    }
    SG_INJECT_LOCKED;
    sg_map_get(&counting.occurrences, digest, &occurrence);
    return sg_map_put(&counting.occurrences, digest, occurrence + 1) && is_one_of_few(occurrence) ? WANTED : RIDES;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---- launches, several between a beginning and its end ---- */

#define HELD_MOST_NS UINT64_C(2000000000) /* until it is ended at the next occasion: so much is lost with a process that dies */
#define IDLE_PASSES  32                   /* a beginning and an end cost as much as so many passes of a kernel */

static struct {
    void *context; /* NULL: nothing is begun */
    struct {
        struct sg_trace_series_key key;
        bool is_wanted;
    } launch[SG_PROFILER_BATCH];
    size_t count, idle; /* launches, those behind the last one that is wanted */
    uint64_t since_ns;
} batch;                                /* under counting.lock */
static bool is_counting, is_one_by_one; /* under counting.lock: the launch that is under way; from now on */
static _Thread_local bool is_our_call;  /* of the driver */

static void set_counted(uint32_t symbol, uint64_t since_ns)
{
    SG_INJECT_LOCKED;
    sg_output_head()->counting = symbol;
    __atomic_store_n(&sg_output_head()->counting_since_ns, since_ns, __ATOMIC_RELEASE);
}

static void write_batch(void)
{
    for (size_t i = 0; i < batch.count; i++) {
        if (!batch.launch[i].is_wanted)
            continue;
        const struct sg_profiler_failure failure = sg_profiler_values(batch.context, i, counting.values);
        if (failure.call) {
            fail(failure);
            return;
        }
        SG_INJECT_LOCKED;
        sg_output_counts(&batch.launch[i].key, counting.values, counting.count);
    }
}

/* Where other kernels ran than were launched it is not known which is which: the next ones are
 * counted one by one, and those of the batch again. */
static void end_batch(void)
{
    size_t kernels = 0;
    if (!batch.context)
        return;
    is_our_call = true;
    const struct sg_profiler_failure failure = sg_profiler_stop(batch.context, &kernels);
    is_our_call = false;
    if (failure.call)
        fail(failure);
    else if (kernels == batch.count)
        write_batch();
    else if (batch.count > 1) {
        is_one_by_one = true;
        SG_INJECT_LOCKED;
        free(counting.occurrences.slots);
        counting.occurrences = (struct sg_map){.slots = NULL};
    }
    SG_INJECT_LOCKED;
    sg_output_head()->passes = sg_profiler_passes();
    batch.context = NULL;
    batch.count = batch.idle = 0;
}

static bool is_to_end(void *context, enum choice choice)
{
    return choice == LEFT_OUT || context != batch.context || batch.count == SG_PROFILER_BATCH ||
           (choice == RIDES && batch.idle > IDLE_PASSES / sg_profiler_passes());
}

static bool begin_batch(void *context)
{
    is_our_call = true;
    const struct sg_profiler_failure failure = sg_profiler_start(context, NULL);
    is_our_call = false;
    if (failure.call) {
        fail(failure);
        return false;
    }
    batch.context = context;
    batch.since_ns = now_ns();
    return true;
}

void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key)
{
    const char *symbol = call->symbol ? call->symbol : "";
    struct sg_trace_series_key launch = *key;
    char range[256] = "";
    if (counting.of_ranges)
        return;
    pthread_mutex_lock(&counting.lock);
    {
        SG_INJECT_LOCKED;
        launch.symbol = sg_output_name(symbol);
        snprintf(range, sizeof(range), "%s", sg_output_text(key->range));
    }
    const bool is_in_range = !counting.range || fnmatch(counting.range, range, 0) == 0;
    const enum choice choice = is_in_range ? choose(symbol, &launch) : LEFT_OUT;
    if (batch.context && is_to_end(call->context, choice))
        end_batch();
    if (!batch.context && choice != WANTED)
        return;
    set_counted(launch.symbol, now_ns()); /* to begin waits for the device, too */
    is_counting = batch.context || begin_batch(call->context);
    if (!is_counting) {
        set_counted(0, 0);
        return;
    }
    batch.launch[batch.count].key = launch;
    batch.launch[batch.count++].is_wanted = choice == WANTED;
    batch.idle = choice == WANTED ? 0 : batch.idle + 1;
}

void sg_count_leave(const struct sg_cupti_call *call, const struct sg_inject_driver *driver)
{
    if (counting.of_ranges)
        return;
    if (is_counting) {
        is_our_call = true;
        if (*call->result != 0)
            batch.count--;
        else if (driver->wait)
            driver->wait(); /* one that waits for another kernel does not come back from here */
        is_our_call = false;
        set_counted(0, 0);
        if (is_one_by_one || now_ns() - batch.since_ns > HELD_MOST_NS)
            end_batch();
    }
    is_counting = false;
    pthread_mutex_unlock(&counting.lock);
}

void sg_count_pause(void)
{
    if (counting.of_ranges || is_our_call || pthread_mutex_trylock(&counting.lock) != 0)
        return;
    if (batch.context && now_ns() - batch.since_ns > HELD_MOST_NS)
        end_batch();
    pthread_mutex_unlock(&counting.lock);
}

void sg_count_end(const void *context)
{
    if (counting.of_ranges || is_our_call)
        return;
    pthread_mutex_lock(&counting.lock);
    end_batch();
    sg_profiler_forget(context);
    pthread_mutex_unlock(&counting.lock);
}

/* ---- whole ranges ---- */

static _Thread_local unsigned depth; /* of ranges that the thread has begun inside the one that is counted, and that one */
/* Under counting.lock, which is held while a range is counted. */
static void *range_context;
static struct sg_trace_series_key current;

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
        fail(failure);
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
    struct sg_profiler_failure failure = sg_profiler_stop(range_context, &ranges);
    if (!failure.call && ranges == 1)
        failure = sg_profiler_values(range_context, 0, counting.values);
    if (failure.call)
        fail(failure);
    else if (ranges == 1) {
        SG_INJECT_LOCKED;
        sg_output_counts(&current, counting.values, counting.count);
    }
    pthread_mutex_unlock(&counting.lock);
}
