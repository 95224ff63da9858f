#include "device/device.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "device/energy.h"
#include "device/gate_host.h"
#include "device/null/fault_injection.h"
#include "device/null/noise_model.h"
#include "results/counter_repeats.h"
#include "results/row_kind.h"
#include "results/units.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/random.h"
#include "util/text.h"

#define ALIGNMENT 256u
#define FIRST     "null0" /* the first simulated GPU */

/* Uses host memory as device memory, and simulated times. Launches really run in every pass, so
 * that a variant can misbehave only in timing. */
struct null_device {
    struct sg_device base; /* first, so that a struct sg_device * can be cast */
    uint64_t launches;     /* of this process */
    struct sg_fault fault; /* of this process */
    struct sg_simulator simulator;
    /* first side of the current pair; another runnable is the second side */
    const struct sg_runnable *first;
    uint64_t batches;                  /* batches of the current pair */
    struct sg_counting_order counting; /* of begin_counting */
    char unit[64], host[72], pci[24];  /* of SG_NULL_UNIT_VARIABLE; unit: or by the GPU's number */
    bool is_named;                     /* by that variable */
    char lost[256];                    /* the file that says that this GPU is lost; "": none */
    struct sg_context_settings usual;  /* before any variant was prepared */
    /* descriptor of this process's statm, read around each launch */
    int statm;
    unsigned memory_reads; /* calls of memory_used */
    bool has_energy;       /* segments read the simulated energy counter */
    unsigned segments;     /* with energy, of the current pair */
};

static struct null_device *null_of(struct sg_device *device)
{
    return (struct null_device *)device;
}

static bool is_lost(const struct null_device *null)
{
    return null->fault.lost || (null->lost[0] && access(null->lost, F_OK) == 0);
}

static void null_close(struct sg_device *device)
{
    if (null_of(device)->statm >= 0)
        close(null_of(device)->statm);
    free(device);
}

static void *null_alloc(struct sg_device *device, uint64_t bytes, enum sg_status *status)
{
    (void)device;
    if (bytes > SIZE_MAX - ALIGNMENT) {
        *status = SG_OOM;
        return NULL;
    }
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    *status = memory ? SG_OK : SG_OOM;
    return memory;
}

static void null_release(struct sg_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static enum sg_code null_send(struct sg_device *device, void *to, const void *from, uint64_t bytes,
                              struct sg_err *err)
{
    (void)device;
    (void)err;
    memcpy(to, from, bytes);
    return SG_SUCCESS;
}

static enum sg_code null_copy(struct sg_device *device, const struct sg_stretch *stretches,
                              size_t count, struct sg_err *err)
{
    (void)device;
    (void)err;
    for (size_t i = 0; i < count; i++)
        memcpy(stretches[i].to, stretches[i].from, stretches[i].bytes);
    return SG_SUCCESS;
}

static enum sg_code null_compare(struct sg_device *device, const struct sg_stretch *stretches,
                                 size_t count, uint64_t *first, struct sg_err *err)
{
    (void)device;
    (void)err;
    *first = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at =
            sg_first_difference(stretches[i].to, stretches[i].from, stretches[i].bytes);
        *first += at;
        if (at < stretches[i].bytes)
            break;
    }
    return SG_SUCCESS;
}

static enum sg_code null_fill32(struct sg_device *device, void *to, uint32_t pattern,
                                uint64_t words, struct sg_err *err)
{
    (void)device;
    (void)err;
    for (uint64_t i = 0; i < words; i++)
        memcpy((char *)to + i * sizeof(pattern), &pattern, sizeof(pattern));
    return SG_SUCCESS;
}

static enum sg_code null_check(struct sg_device *device, enum sg_check_kind kind,
                               const void *requests, size_t count, struct sg_err *err)
{
    (void)device;
    (void)err;
    sg_host_check(kind, requests, count);
    return SG_SUCCESS;
}

static void *null_stream(struct sg_device *device)
{
    (void)device;
    return NULL;
}

/* Memory of this process (the first number of statm, in pages) plus the memory of a tenant. */
static uint64_t null_memory_used(struct sg_device *device)
{
    char line[128];
    const bool is_taken = null_of(device)->fault.tenant && null_of(device)->memory_reads++ % 2 == 1;
    const ssize_t length = pread(null_of(device)->statm, line, sizeof(line) - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    return strtoull(line, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) +
           (is_taken ? UINT64_C(1) << 30 : 0);
}

/* The module's last error; 0 if the module records none. */
static int last_error(const struct sg_runnable *what, struct sg_reason *why)
{
    const struct sg_family *family = what->module->family;
    return family->last_error ? family->last_error(why) : 0;
}

static void take_returned(const struct sg_runnable *what)
{
    for (size_t i = 0; sg_gate_host && i < what->buffer_count; i++) {
        if (sg_gate_host->returned[i])
            memcpy(what->launch.buffer[i], sg_gate_host->returned[i], what->buffer_bytes[i]);
        sg_gate_host->returned[i] = NULL;
    }
}

static enum sg_status null_run(struct sg_device *device, const struct sg_runnable *what,
                               struct sg_reason *why)
{
    struct sg_launch launch = what->launch;
    if (is_lost(null_of(device))) {
        snprintf(why->text, sizeof(why->text), "the simulated GPU %s is lost",
                 null_of(device)->unit);
        return SG_CUDA_ERROR;
    }
    for (size_t i = 0; i < what->restore_count; i++)
        memcpy(what->restore[i].to, what->restore[i].from, what->restore[i].bytes);
    launch.repeat = null_of(device)->launches++;
    what->variant->variant->launch(&launch);
    take_returned(what);
    if (last_error(what, why))
        return SG_LAUNCH_FAILED;
    /* On a GPU a kernel fault shows when the host waits for the kernel, which corresponds to
     * this point. */
    return last_error(what, why) ? SG_CUDA_ERROR : SG_OK;
}

static enum sg_status null_settle(struct sg_device *device, const struct sg_runnable *what,
                                  struct sg_reason *why)
{
    (void)device;
    return last_error(what, why) ? SG_LAUNCH_FAILED : SG_OK;
}

/* The timer slack of the thread replaces the L2 set-aside of a context. */
static void null_read_settings(struct sg_device *device, struct sg_context_settings *settings)
{
    (void)device;
    *settings = (struct sg_context_settings){.l2_set_aside = (uint64_t)prctl(PR_GET_TIMERSLACK)};
}

static bool null_write_settings(struct sg_device *device,
                                const struct sg_context_settings *settings)
{
    (void)device;
    return prctl(PR_SET_TIMERSLACK, settings->l2_set_aside) == 0;
}

/* With an L2 set-aside everything takes longer and moves more. */
static double slowdown(struct sg_device *device)
{
    struct sg_context_settings settings;
    null_read_settings(device, &settings);
    return settings.l2_set_aside != null_of(device)->usual.l2_set_aside ? 1.5 : 1;
}

static enum sg_code null_begin_timing(struct sg_device *device, const struct sg_timing_order *order,
                                      struct sg_err *err)
{
    device->ops->begin_item(device, order->seed);
    sg_fault_of(getenv(SG_FAULT_VARIABLE), null_of(device)->unit, order->process, order->attempt,
                &null_of(device)->fault, err);
    if (null_of(device)->fault.lost && null_of(device)->lost[0])
        sg_write_file(null_of(device)->lost, "", 0, err);
    device->memory_is_own = !null_of(device)->fault.tenant;
    null_of(device)->has_energy = order->energy;
    return err->code;
}

static void null_begin_item(struct sg_device *device, uint64_t seed)
{
    struct null_device *null = null_of(device);
    sg_simulator_init(&null->simulator, &sg_simulate_defaults,
                      null->is_named ? sg_simulate_seed(seed, null->unit) : seed);
    null->first = NULL;
    null->batches = 0;
    null->segments = 0;
}

static enum sg_status simulate(struct null_device *null, const struct sg_runnable *what,
                               unsigned launches, struct sg_batch *batch, struct sg_reason *why)
{
    if (!null->first)
        null->first = what;
    struct sg_simulation truth =
        what->module->family->simulate(what->launch.c, what->variant->name, what->launch.knob);
    if (!(truth.time_ns > 0 && isfinite(truth.time_ns))) {
        snprintf(why->text, sizeof(why->text), "expected a simulated time above 0 ns, found %g ns",
                 truth.time_ns);
        return SG_LAUNCH_FAILED;
    }
    if (null->fault.slow)
        truth.time_ns *= SG_FAULT_SLOW;
    truth.time_ns *= slowdown(&null->base);
    const struct sg_simulated_batch simulated = {
        .what = truth,
        .side = what != null->first,
        .position = (unsigned)(null->batches++ % SG_BLOCK_BATCHES),
        .launches = launches,
    };
    *batch = (struct sg_batch){.launches = launches,
                               .kernels = 1,
                               .launched = sg_gate_host ? sg_gate_host->launched : NULL,
                               .host_bound = sg_gate_host && sg_gate_host->waits};
    batch->sm_clock = sg_simulate_batch(&null->simulator, &simulated, batch->ns);
    return SG_OK;
}

/* Hooks of this device cannot fail. */
static enum sg_status run_between(struct sg_device *device, const struct sg_runnable *what,
                                  const struct sg_batch_hooks *hooks, unsigned launch,
                                  struct sg_reason *why)
{
    struct sg_err err = {0};
    if (hooks)
        hooks->before(hooks->context, launch, &err);
    const enum sg_status status = null_run(device, what, why);
    if (hooks && status == SG_OK)
        hooks->after(hooks->context, launch, &err);
    return status;
}

static enum sg_status null_batch(struct sg_device *device, const struct sg_runnable *what,
                                 unsigned launches, const struct sg_batch_hooks *hooks,
                                 struct sg_batch *batch, struct sg_reason *why)
{
    struct sg_err err = {0};
    if (hooks)
        hooks->before_warm_up(hooks->context, &err);
    enum sg_status status = null_run(device, what, why);
    if (hooks && status == SG_OK)
        hooks->after(hooks->context, launches, &err);
    for (unsigned i = 0; i < launches && status == SG_OK; i++)
        status = run_between(device, what, hooks, i, why);
    return status == SG_OK ? simulate(null_of(device), what, launches, batch, why) : status;
}

static bool counter(const struct sg_runnable *what, const char *metric, double *value)
{
    const struct sg_family *family = what->module->family;
    return family->simulate_counter &&
           family->simulate_counter(what->launch.c, what->variant->name, metric, value);
}

/* A fact that the family simulates under the name of its metric; NaN otherwise. */
static double fact(const struct sg_runnable *what, const char *metric)
{
    double value = NAN;
    return counter(what, metric, &value) ? value : NAN;
}

#define ENERGY_TICK_S 0.05
#define ENERGY_STEP   0.1   /* J */
#define ENERGY_DRIFT  0.003 /* growth of the power per segment, ln: the GPU warms up */
#define ENERGY_SD     0.002 /* sd of a segment's power, ln */

/* Simulates readings of a counter that changes at ticks, in steps, and starts at any phase. */
static double simulate_energy(struct null_device *null, const struct sg_runnable *what,
                              double seconds, double ns)
{
    uint64_t *random = &null->simulator.random;
    const double drift = ENERGY_DRIFT * null->segments++,
                 watts = fact(what, SG_ENERGY_METRIC) * 1e9 / ns *
                         exp(drift + ENERGY_SD * sg_random_normal(random)),
                 begun_s = 10 + sg_random_unit(random);
    struct sg_energy energy = {.from_s = begun_s + SG_WARM_UP_PART * seconds};
    for (unsigned i = 0; i * SG_ENERGY_POLL_S < seconds; i++) {
        const double s = begun_s + i * SG_ENERGY_POLL_S, tick = floor(s / ENERGY_TICK_S);
        sg_energy_take(&energy, s, ENERGY_STEP * floor(watts * ENERGY_TICK_S * tick / ENERGY_STEP));
    }
    return watts > 0 ? sg_energy_of_launch(&energy, ns) : 0;
}

/* The seconds are simulated too: one real launch represents them all. */
static enum sg_status null_sustain(struct sg_device *device, const struct sg_runnable *what,
                                   double seconds, const struct sg_batch_hooks *hooks,
                                   struct sg_batch *batch, struct sg_reason *why)
{
    enum sg_status status = run_between(device, what, hooks, 0, why);
    if (status == SG_OK)
        status = simulate(null_of(device), what, SG_LAUNCHES_MAX, batch, why);
    if (status == SG_OK)
        batch->ns[0] = sg_mean(batch->ns, batch->launches);
    batch->launches = 1;
    if (status == SG_OK && null_of(device)->has_energy)
        batch->joules = simulate_energy(null_of(device), what, seconds, batch->ns[0]);
    return status;
}

static enum sg_code null_begin_counting(struct sg_device *device,
                                        const struct sg_counting_order *order, struct sg_err *err)
{
    (void)err;
    null_of(device)->counting = *order;
    return SG_SUCCESS;
}

static struct sg_launch_facts simulated_facts(const struct sg_runnable *what)
{
    struct sg_launch_facts facts = {
        .kernels = 1,
        .registers = fact(what, "registers"),
        .shared_static_bytes = fact(what, "shared_static"),
        .shared_dynamic_bytes = fact(what, "shared_dynamic"),
        .local_bytes = fact(what, "local_memory"),
        .grid_blocks = fact(what, "grid"),
        .block_threads = fact(what, "block"),
        .cluster_blocks = fact(what, "cluster"),
        .occupancy_theoretical = fact(what, "occupancy_theoretical"),
        .occupancy_limit = "warps",
    };
    sg_launch_facts_unknown(&facts);
    return facts;
}

/* Noise factor of a counter, independent of the other counters in the pass. */
static double wander(const struct null_device *null, const struct sg_runnable *what,
                     const struct sg_metric *metric, size_t turn)
{
    const double sd =
        what->module->family->simulate(what->launch.c, what->variant->name, what->launch.knob)
            .noise;
    if (metric->klass == SG_EXACT || !(sd > 0))
        return 1;
    SG_FORMATTED(name, "%s/%s/%s/%s/%zu", what->module->name, what->launch.c->name,
                 what->variant->name, metric->name, turn);
    uint64_t random = sg_simulate_seed(null->counting.seed, sg_text_string(&name));
    return exp(sd * sg_random_normal(&random));
}

static void count_one(struct null_device *null, struct sg_count_item *item, size_t turn)
{
    const struct sg_counting_order *counting = &null->counting;
    item->status = null_run(&null->base, item->what, &item->why);
    for (size_t i = 0; i < counting->count; i++) {
        struct sg_counted *value = &item->values[turn * counting->count + i];
        double number = NAN;
        if (!counter(item->what, counting->metrics[i]->name, &number)) {
            sg_counted_fail(value, SG_UNAVAILABLE, "the null family has no such counter");
            continue;
        }
        /* Half a sector is impossible, half a percent is not. */
        const bool whole = number == floor(number) && strcmp(counting->metrics[i]->unit, "%") != 0;
        number *= wander(null, item->what, counting->metrics[i], turn) * slowdown(&null->base);
        *value = (struct sg_counted){.value = whole ? round(number) : number, .status = SG_OK};
    }
    item->facts = simulated_facts(item->what);
}

static void null_count(struct sg_device *device, struct sg_count_set *set)
{
    for (size_t launch = 0; launch < set->count * set->repeats; launch++) {
        const size_t i = sg_counter_repeats_item(set->count, launch);
        if (set->items[i].status != SG_OK)
            continue;
        set->launching(set->context, i);
        count_one(null_of(device), &set->items[i], launch / set->count);
        if (set->items[i].status == SG_OK)
            set->launched(set->context, i, SG_IGNORED);
    }
    set->passes = 1;
}

static enum sg_code null_begin_sampling(struct sg_device *device, enum sg_l2 l2, const char *folder,
                                        struct sg_err *err)
{
    (void)device;
    (void)l2;
    (void)folder; /* no code here; tests/data/sass has a disassembler's output */
    return err->code;
}

#define SAMPLES_A_PERCENT 10 /* samples for a warp that waits in 1 % of the issue cycles */

/* Returns as many samples of each reason as the family's stall counter implies, at the
 * instruction with that stall. */
static enum sg_status null_sample(struct sg_device *device, const struct sg_runnable *what,
                                  const struct sg_pc_sink *sink, struct sg_reason *why)
{
    static const struct {
        const char *metric;
        uint32_t pc;
    } seen[] = {{"stall_long_scoreboard", 0x30},
                {"stall_short_scoreboard", 0x10},
                {"stall_lg_throttle", 0x20},
                {"stall_wait", 0x40},
                {"stall_math_pipe_throttle", 0x30},
                {"stall_mio_throttle", 0x40},
                {"stall_selected", 0x20}};
    const enum sg_status status = null_run(device, what, why);
    struct sg_pc_count count = {.kernel = "null_kernel", .code = "0000000000000000:0"};
    for (size_t i = 0; status == SG_OK && i < sizeof(seen) / sizeof(seen[0]); i++) {
        /* an instruction is issued in each counted cycle */
        const bool is_issue = strcmp(seen[i].metric, "stall_selected") == 0;
        const double percent = is_issue ? 100 : fact(what, seen[i].metric);
        count.pc = seen[i].pc;
        count.reason = seen[i].metric + strlen("stall_");
        count.samples = percent > 0 ? (uint32_t)(percent * SAMPLES_A_PERCENT) : 0;
        if (count.samples > 0)
            sink->take(sink->context, &count);
    }
    return status;
}

static void null_describe(struct sg_device *device, struct sg_env *env)
{
    sg_env_set(env, "gpu_name", device->name);
    sg_env_set(env, "chip", device->chip);
    /* The first simulated GPU has no UUID. */
    if (null_of(device)->is_named || strcmp(null_of(device)->unit, FIRST) != 0)
        sg_env_set(env, "gpu_uuid_hash", null_of(device)->unit);
    if (null_of(device)->host[0])
        sg_env_set(env, SG_HOST_KEY, null_of(device)->host);
    if (null_of(device)->pci[0])
        sg_env_set(env, SG_PCI_KEY, null_of(device)->pci);
}

static bool null_read_state(struct sg_device *device, double figure[SG_FIGURE_COUNT],
                            uint64_t *events)
{
    const struct sg_fault *fault = &null_of(device)->fault;
    if (fault->unknown)
        return false;
    figure[SG_FIGURE_OTHERS] = fault->others || fault->tenant;
    figure[SG_FIGURE_MIG] = fault->mig;
    figure[SG_FIGURE_MPS] = fault->mps;
    *events |= fault->events;
    return true;
}

static const struct sg_device_ops null_ops = {
    .close = null_close,
    .alloc = null_alloc,
    .release = null_release,
    .upload = null_send,
    .download = null_send,
    .copy = null_copy,
    .compare = null_compare,
    .fill32 = null_fill32,
    .check = null_check,
    .stream = null_stream,
    .memory_used = null_memory_used,
    .run = null_run,
    .settle = null_settle,
    .read_settings = null_read_settings,
    .write_settings = null_write_settings,
    .begin_timing = null_begin_timing,
    .begin_item = null_begin_item,
    .batch = null_batch,
    .sustain = null_sustain,
    .begin_counting = null_begin_counting,
    .count = null_count,
    .begin_sampling = null_begin_sampling,
    .sample = null_sample,
    .describe = null_describe,
    .read_state = null_read_state,
};

/* The GPU's name, host and address, by the environment. */
static void find_names(struct null_device *null, unsigned index)
{
    const char *named = getenv(SG_NULL_UNIT_VARIABLE), *lost = getenv(SG_NULL_LOST_VARIABLE);
    null->is_named = named && *named;
    snprintf(null->unit, sizeof(null->unit), "null%u", index);
    if (null->is_named)
        sscanf(named, "%63[^@]@%71[^/]/%23s", null->unit, null->host, null->pci);
    if (lost && *lost)
        snprintf(null->lost, sizeof(null->lost), "%s/%s", lost, null->unit);
}

enum sg_code sg_device_open_null(unsigned index, struct sg_device **device, struct sg_err *err)
{
    if (index >= SG_NULL_GPUS)
        return sg_fail(err, SG_NO_GPU, "--gpu", "expected a GPU below %d, found %u", SG_NULL_GPUS,
                       index);
    struct null_device *null = sg_alloc(1, sizeof(*null));
    null->base = (struct sg_device){.ops = &null_ops,
                                    .sm_count = 1,
                                    .name = "null",
                                    .chip = "null",
                                    .time_source = "simulated",
                                    .memory_is_own = true};
    find_names(null, index);
    if (is_lost(null)) {
        sg_fail(err, SG_NO_GPU, null->lost, "the simulated GPU %s is lost", null->unit);
        free(null);
        return err->code;
    }
    null->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    null_read_settings(&null->base, &null->usual);
    *device = &null->base;
    return SG_SUCCESS;
}
