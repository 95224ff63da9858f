#include "inject/count.h"

#include <dirent.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/inject.h"
#include "inject/map.h"
#include "inject/output.h"
#include "inject/profiler.h"

#define NAMES_MOST 512
#define FIRST_ONES 3 /* first launches of a kernel, all counted */

static struct {
    const char *names[NAMES_MOST];
    size_t count;
    double values[NAMES_MOST];
    regex_t kernel, left_out;
    bool has_kernel, has_left_out, has_window, of_ranges;
    uint64_t skip, most, so_far;
    /* Key: digest of a launch plus the index of a set (choose). Value: how often the launch was
     * counted with that set; if there is one set, how often the launch occurred. */
    struct sg_map times;
    pthread_mutex_t lock; /* held from the entry of a launch to its exit */
} counting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct {
    int result; /* CUptiResult */
    const char *words;
} reasons[] = {
    {SG_PROFILER_BUSY,
     ": another client has them, such as DCGM, a profiler, or another process of this program"},
    {27, ": not available here, for example under MPS"},
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

static bool compile(enum sg_trace_option option, regex_t *regex)
{
    const char *pattern = sg_inject_option[option];
    return pattern && regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
}

bool sg_count_open(void *library)
{
    char *list = sg_inject_option[SG_TRACE_COUNTERS];
    const char *window = sg_inject_option[SG_TRACE_WINDOW];
    if (!list)
        return false;
    for (const char *name; counting.count < NAMES_MOST && (name = strsep(&list, ","));)
        counting.names[counting.count++] = name;
    counting.has_kernel = compile(SG_TRACE_KERNEL, &counting.kernel);
    counting.has_left_out = compile(SG_TRACE_LEFT_OUT, &counting.left_out);
    counting.has_window = window != NULL;
    if (window) {
        char *rest = NULL;
        counting.skip = strtoull(window, &rest, 10);
        counting.most = strtoull(rest + 1, NULL, 10);
    }
    counting.of_ranges = sg_inject_option[SG_TRACE_WHOLE] != NULL;
    if (!sg_profiler_open(library, counting.names, counting.count))
        fail((struct sg_profiler_failure){"CUPTI has no range profiler, or no libnvperf_host.so",
                                          0});
    return true;
}

/* ---- processes of a program take the counters one after the other ---- */

#define BUSY_TRIES_MAX 1000 /* times that a process tries to get the counters */
#define RETRY_NS       10000000L

static void wait_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Returns true if the program has, or had, another process with a trace. */
static bool has_other_process(void)
{
    size_t traces = 0;
    DIR *folder = opendir(sg_inject_option[SG_TRACE_FOLDER]);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        traces += strstr(entry->d_name, SG_TRACE_ENDING) != NULL;
    if (folder)
        closedir(folder);
    return traces > 1;
}

/* Returns true if the caller should try again, because another process has the counters. */
static bool waits_for_counters(struct sg_profiler_failure failure)
{
    static unsigned tries;
    if (!failure.call || failure.result != SG_PROFILER_BUSY)
        tries = 0;
    if (!failure.call || failure.result != SG_PROFILER_BUSY || ++tries > BUSY_TRIES_MAX ||
        !has_other_process())
        return false;
    wait_ns(RETRY_NS);
    return true;
}

/* Releases the counters for twice the retry interval of another process. */
static void release_counters(void)
{
    if (!has_other_process())
        return;
    sg_profiler_rest();
    wait_ns(2 * RETRY_NS);
}

/* ---- choice of launches and sets (inject/profiler.h) ---- */

/* Returns true for the first three launches, the fourth, the eighth, ... */
static bool is_one_of_few(uint64_t occurrence)
{
    return occurrence < FIRST_ONES || ((occurrence + 1) & occurrence) == 0;
}

static uint64_t times_of(uint64_t launch, size_t set)
{
    uint64_t times = 0;
    sg_map_get(&counting.times, launch + set, &times);
    return times;
}

static void add_time(uint64_t launch, size_t set)
{
    sg_map_put(&counting.times, launch + set, times_of(launch, set) + 1);
}

/* Number of consecutive launches counted with one set. A change of the set costs a third of a
 * second, so a set is kept for many launches. One launch is enough if each launch is replayed. */
static uint64_t launches_per_set(size_t set)
{
    const uint64_t share = counting.most / sg_profiler_sets();
    if (sg_profiler_passes(set) > 1 || counting.of_ranges)
        return 1;
    return share < FIRST_ONES ? FIRST_ONES : share > SG_PROFILER_BATCH ? SG_PROFILER_BATCH : share;
}

static uint64_t counts_of_set(uint64_t launch, size_t set)
{
    return times_of(launch, set) / launches_per_set(set);
}

/* Returns the set after set 0 with the fewest counts; 0: none. A range is not replayed. */
static size_t next_set(uint64_t launch)
{
    size_t least = 0;
    for (size_t set = 1; set < sg_profiler_sets(); set++)
        if ((!counting.of_ranges || sg_profiler_passes(set) == 1) &&
            (least == 0 || counts_of_set(launch, set) < counts_of_set(launch, least)))
            least = set;
    return least;
}

struct choice {
    bool is_wanted;
    size_t set;
    uint64_t launch; /* its digest */
};

static bool is_range_wanted(const char *range)
{
    const char *pattern = sg_inject_option[SG_TRACE_RANGE];
    return !pattern || fnmatch(pattern, range, 0) == 0;
}

static bool is_left_out(const char *symbol)
{
    if (sg_output_head()->flags & SG_TRACE_NO_COUNTERS ||
        (counting.has_kernel && regexec(&counting.kernel, symbol, 0, NULL, 0) != 0) ||
        (counting.has_left_out && regexec(&counting.left_out, symbol, 0, NULL, 0) == 0))
        return true;
    const uint64_t number = counting.has_window ? counting.so_far++ : 0;
    return counting.has_window &&
           (number < counting.skip || number - counting.skip >= counting.most);
}

/* Counts a few launches of a kernel, each with all counters, or the launches selected by --skip
 * and --count. Of selected launches the first gets all counters; each later one gets one of the
 * other sets in rotation. `now` is the current set; SIZE_MAX: none. */
static struct choice choose(const struct sg_trace_series_key *key, size_t now)
{
    struct choice choice = {.launch = sg_map_digest(key, sizeof(*key))};
    choice.is_wanted = counting.has_window || is_one_of_few(times_of(choice.launch, 0));
    if (!choice.is_wanted)
        add_time(choice.launch, 0);
    if (!counting.has_window || sg_profiler_sets() == 1 || times_of(choice.launch, 0) == 0)
        return choice;
    choice.set = next_set(choice.launch);
    if (now > 0 && now < sg_profiler_sets() &&
        counts_of_set(choice.launch, now) == counts_of_set(choice.launch, choice.set))
        choice.set = now;
    return choice;
}

/* ---- batches: several launches between a start and a stop ---- */

/* a batch older than this is stopped at the next call of the driver: a process that dies loses the
 * counts of its last batch */
#define HELD_MOST_NS UINT64_C(2000000000)

static struct {
    void *context; /* NULL: no batch */
    struct sg_trace_series_key launch[SG_PROFILER_BATCH];
    size_t set, count;
    uint64_t since_ns;
} batch; /* protected by counting.lock */
/* protected by counting.lock: true during a counted launch; true once batches of one are
 * required */
static bool is_counting, is_one_by_one;
static _Thread_local bool is_our_call; /* true while we call the driver */

static void set_counted(uint32_t symbol, uint64_t since_ns)
{
    SG_INJECT_LOCKED;
    sg_output_head()->counting = symbol;
    __atomic_store_n(&sg_output_head()->counting_since_ns, since_ns, __ATOMIC_RELEASE);
}

static void write_batch(void)
{
    for (size_t i = 0; i < batch.count; i++) {
        const struct sg_profiler_failure failure = sg_profiler_values(i, counting.values);
        if (failure.call) {
            fail(failure);
            return;
        }
        SG_INJECT_LOCKED;
        sg_output_counts(&batch.launch[i], counting.values, counting.count);
    }
}

/* If the number of kernels that ran differs from the launches, the values cannot be assigned.
 * From then on launches are counted one by one, including those of this batch. */
static void end_batch(void)
{
    size_t kernels = 0;
    if (!batch.context)
        return;
    is_our_call = true;
    const struct sg_profiler_failure failure = sg_profiler_stop(&kernels);
    is_our_call = false;
    if (failure.call)
        fail(failure);
    else if (kernels == batch.count)
        write_batch();
    else if (batch.count > 1) {
        is_one_by_one = true;
        free(counting.times.slots);
        counting.times = (struct sg_map){.slots = NULL};
    }
    batch.context = NULL;
    batch.count = 0;
    release_counters();
}

#define NO_SET SIZE_MAX

/* Prepares the context, or starts a set on it. The calls wait for the device, and so hang if a
 * kernel waits for another kernel. */
static bool prepare(void *context, size_t set, uint32_t symbol)
{
    struct sg_profiler_failure failure;
    do {
        set_counted(symbol, sg_inject_now_ns());
        is_our_call = true;
        failure = set == NO_SET ? sg_profiler_take(context) : sg_profiler_start(context, set, NULL);
        is_our_call = false;
        set_counted(0, 0);
    } while (waits_for_counters(failure));
    if (failure.call)
        fail(failure);
    return !failure.call;
}

static bool begin_batch(void *context, size_t set, uint32_t symbol)
{
    if (!prepare(context, set, symbol))
        return false;
    batch.context = context;
    batch.set = set;
    batch.since_ns = sg_inject_now_ns();
    return true;
}

void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key)
{
    const char *symbol = call->symbol ? call->symbol : "";
    struct sg_trace_series_key launch = *key;
    bool is_in_range;
    if (counting.of_ranges)
        return;
    pthread_mutex_lock(&counting.lock);
    {
        SG_INJECT_LOCKED;
        launch.symbol = sg_output_name(symbol);
        is_in_range = is_range_wanted(sg_output_text(key->range));
    }
    struct choice choice = {.is_wanted = false};
    if (batch.context && call->context != batch.context)
        end_batch();
    if (is_in_range && !is_left_out(symbol) && prepare(call->context, NO_SET, launch.symbol))
        choice = choose(&launch, batch.context ? batch.set : NO_SET);
    if (!choice.is_wanted || batch.count == SG_PROFILER_BATCH || choice.set != batch.set)
        end_batch();
    if (!choice.is_wanted)
        return;
    is_counting = batch.context || begin_batch(call->context, choice.set, launch.symbol);
    if (!is_counting)
        return;
    set_counted(launch.symbol, sg_inject_now_ns());
    add_time(choice.launch, choice.set);
    batch.launch[batch.count++] = launch;
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
            driver->wait(); /* hangs if the kernel waits for another kernel */
        is_our_call = false;
        set_counted(0, 0);
        if (is_one_by_one || sg_inject_now_ns() - batch.since_ns > HELD_MOST_NS ||
            has_other_process())
            end_batch();
    }
    is_counting = false;
    pthread_mutex_unlock(&counting.lock);
}

void sg_count_pause(void)
{
    if (counting.of_ranges || is_our_call || pthread_mutex_trylock(&counting.lock) != 0)
        return;
    if (batch.context &&
        (sg_inject_now_ns() - batch.since_ns > HELD_MOST_NS || has_other_process()))
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

static _Thread_local unsigned depth; /* open ranges of the thread, the counted one first */
/* Protected by counting.lock, which is held while a range is counted. */
static struct sg_trace_series_key current;
static uint64_t current_launch;
static size_t current_set;

static struct sg_profiler_failure start_range(void *context, const char *text)
{
    const struct sg_profiler_failure failure = sg_profiler_take(context);
    if (failure.call)
        return failure;
    current_launch = sg_map_digest(&current, sizeof(current));
    current_set = next_set(current_launch);
    if (current_set == 0 && sg_profiler_passes(0) > 1)
        return (struct sg_profiler_failure){
            "a range is counted in one pass, and these counters need more",
            (int)sg_profiler_passes(0)};
    return sg_profiler_start(context, current_set, text);
}

void sg_count_begin_range(uint32_t name, const char *text, const struct sg_inject_driver *driver)
{
    void *context = NULL;
    if (!counting.of_ranges)
        return;
    if (depth > 0) {
        depth++;
        return;
    }
    if (sg_output_head()->flags & SG_TRACE_NO_COUNTERS || !is_range_wanted(text) ||
        !driver->current_context || driver->current_context(&context) != 0 || !context ||
        !driver->wait || driver->wait() != 0 || pthread_mutex_trylock(&counting.lock) != 0)
        return;
    current = (struct sg_trace_series_key){.range = name};
    struct sg_profiler_failure failure;
    do
        failure = start_range(context, text);
    while (waits_for_counters(failure));
    if (failure.call) {
        pthread_mutex_unlock(&counting.lock);
        fail(failure);
        return;
    }
    depth = 1;
}

void sg_count_end_range(const struct sg_inject_driver *driver)
{
    size_t ranges = 0;
    if (depth == 0 || --depth > 0)
        return;
    driver->wait();
    struct sg_profiler_failure failure = sg_profiler_stop(&ranges);
    if (!failure.call && ranges == 1)
        failure = sg_profiler_values(0, counting.values);
    if (failure.call)
        fail(failure);
    else if (ranges == 1) {
        add_time(current_launch, current_set);
        SG_INJECT_LOCKED;
        sg_output_counts(&current, counting.values, counting.count);
    }
    release_counters();
    pthread_mutex_unlock(&counting.lock);
}
