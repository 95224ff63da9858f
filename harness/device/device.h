/*
 * device/device.h - the device interface of the worker's passes. Two implementations:
 * device/cuda/device_cuda.c (driver API, CUPTI, all loaded by dlopen) and device/null/device_null.c
 * (host memory, simulated times and counters).
 *
 * Invariant: every function except `check` is synchronous: on return its work on the device has
 * finished, or it failed with an error. A failed launch or a fault is an outcome of the variant
 * (enum sg_status), not an error of the harness.
 */
#pragma once

#include "catalogue/source.h"
#include "device/launch_check.h"
#include "results/env.h"
#include "results/l2_state.h"
#include "results/process_log.h"
#include "results/table.h"
#include "stats/run_limits.h"
#include "util/digest.h"
#include "util/err.h"

struct sg_metric; /* metrics/catalogue/catalogue.h */

struct sg_device;

/* Device memory to copy or compare. */
struct sg_stretch {
    void *to;
    const void *from;
    uint64_t bytes;
};

/*
 * Settings of the context that a variant's code can change for all later launches, including those
 * of its partner. A `prepare` may change them: the worker restores them after the variant. A count
 * pass, which prepares many variants together, counts such a variant alone. A launch must not
 * change them. Stack sizes are not included: the driver raises them for kernels that need it.
 */
struct sg_context_settings {
    /* bytes for persisting accesses (CU_LIMIT_PERSISTING_L2_CACHE_SIZE) */
    uint64_t l2_set_aside;
    uint64_t l2_fetch_granularity; /* bytes (CU_LIMIT_MAX_L2_FETCH_GRANULARITY) */
    uint64_t l1_preference;        /* CUfunc_cache */
};

#define SG_SETS_IN_LAUNCH                                                                 \
    "its launch changes settings of the context (L2 set aside, L2 fetch granularity, L1 " \
    "preference), which also apply to all later launches"

#define SG_SETTINGS_STAY                                                                         \
    "the context settings of its `prepare` (L2 set aside, L2 fetch granularity, L1 preference) " \
    "could not be restored and apply to all later launches"

static inline bool sg_context_settings_differ(const struct sg_context_settings *a,
                                              const struct sg_context_settings *b)
{
    return a->l2_set_aside != b->l2_set_aside ||
           a->l2_fetch_granularity != b->l2_fetch_granularity ||
           a->l1_preference != b->l1_preference;
}

struct sg_runnable {
    const struct sg_module *module;
    const struct sg_named_variant *variant;
    struct sg_launch launch;
    struct sg_reason note; /* of its preparation, for readers of the run */
    /* pristine copies of SG_INOUT buffers, restored before each launch */
    struct sg_stretch restore[SG_MAX_BUFFERS];
    size_t restore_count;
    const uint64_t *buffer_bytes; /* borrowed: size of each launch.buffer */
    size_t buffer_count;
    /* settings before its `prepare`, restored after its `finish` */
    struct sg_context_settings before;
};

/* share of a segment; the power cap reacts within tenths of a second */
#define SG_WARM_UP_PART 0.25

/* Options of a time pass. Only a simulated device uses process and attempt. */
struct sg_timing_order {
    enum sg_l2 l2;
    uint64_t seed;
    unsigned process, attempt;
    bool sustained; /* segments (sustain) instead of batches */
    bool energy;    /* segments have their energy */
};

struct sg_counting_order {
    enum sg_l2 l2;
    uint64_t seed;                          /* used only by a simulated device */
    const struct sg_metric *const *metrics; /* borrowed until the device is closed */
    size_t count;
};

/* One batch: a warm-up launch, then `launches` timed ones (docs/method.md 2). */
struct sg_batch {
    /* time of each timed launch: start of its first kernel to end of its last */
    double ns[SG_LAUNCHES_MAX];
    unsigned launches;
    unsigned kernels; /* kernels per launch */
    /* names in one launch, as in the source (device/kernel_name.h): "reduce x2; splitk"; "": not
     * known */
    char kernel_names[SG_KERNEL_NAMES_BYTES];
    /* Python gates only: the different kernels of a launch (SG_CHOICE_PREFIX); lives as long as the
     * device; NULL: not known */
    const char *launched;
    double sm_clock; /* Hz over the batch; 0: not known */
    double joules;   /* energy of one launch of a segment (device/energy.h); 0: not known */
    bool host_bound; /* Python gates only: launches waited for the device, or the device for the
                        host */
};

/* Enqueue work around each timed launch, 0 to launches - 1, outside of the timed interval. An
 * error ends the batch. */
struct sg_batch_hooks {
    void *context;
    /* Called instead of `before` for the warm-up launch, whose `after` gets the index `launches`.
     * Not called for a segment, which warms up inside. */
    enum sg_code (*before_warm_up)(void *context, struct sg_err *err);
    /* ahead of restoring inputs and preparing the L2 */
    enum sg_code (*before)(void *context, unsigned launch, struct sg_err *err);
    enum sg_code (*after)(void *context, unsigned launch, struct sg_err *err);
};

struct sg_count_item {
    const struct sg_runnable *what;
    /* out: values[repeat * metrics + metric], for each metric of begin_counting and each repeat */
    struct sg_counted *values;
    struct sg_launch_facts facts; /* out */
    /* out: of the launch; SG_OK even if counters are missing, which each value reports */
    enum sg_status status;
    struct sg_reason why; /* out */
};

/* Launches counted together, because setting up a pass costs more than all of them
 * (device/cuda/counter_pass.h). After an item with SG_CUDA_ERROR the device is lost, and the
 * other items have no values. */
struct sg_count_set {
    struct sg_count_item *items;
    size_t count;
    /* counts of each item; in every pass, launch i belongs to item
     * sg_counter_repeats_item(count, i) */
    unsigned repeats;
    /* called before every launch, to attribute a crash */
    void (*launching)(void *context, size_t item);
    /* Called after the launch has ended; launches no kernel. May set the item's status. */
    enum sg_code (*launched)(void *context, size_t item, struct sg_err *err);
    void *context;
    unsigned passes; /* out */
};

/* Number of samples of a kernel's warps at one instruction with one stall reason. */
struct sg_pc_count {
    const char *kernel; /* mangled */
    const char *code;   /* identifies the module and the place in it: separates equal names */
    uint32_t pc;        /* from the start of the kernel, bytes */
    const char *reason; /* the suffix after stall_ in metrics.ini */
    uint32_t samples;
};
struct sg_pc_sink {
    void (*take)(void *context, const struct sg_pc_count *count);
    void *context;
};

struct sg_device_ops {
    void (*close)(struct sg_device *device);
    /* 256-byte aligned. Returns NULL, with SG_OOM in *status, if memory is short. */
    void *(*alloc)(struct sg_device *device, uint64_t bytes, enum sg_status *status);
    void (*release)(struct sg_device *device, void *memory);
    enum sg_code (*upload)(struct sg_device *device, void *to, const void *host, uint64_t bytes,
                           struct sg_err *err);
    enum sg_code (*download)(struct sg_device *device, void *host, const void *from, uint64_t bytes,
                             struct sg_err *err);
    /* Copies the stretches in order, all on the device; no stretch overlaps itself. */
    enum sg_code (*copy)(struct sg_device *device, const struct sg_stretch *stretches, size_t count,
                         struct sg_err *err);
    /* *first: offset of the first different byte over all stretches in order; the sum of their
     * bytes if none differs. */
    enum sg_code (*compare)(struct sg_device *device, const struct sg_stretch *stretches,
                            size_t count, uint64_t *first, struct sg_err *err);
    enum sg_code (*fill32)(struct sg_device *device, void *to, uint32_t pattern, uint64_t words,
                           struct sg_err *err);
    /* Requests of device/launch_check.h, for the five functions below. Asynchronous: enqueued on
     * the stream, and the request structs may be released on return. A download waits for them
     * and reports their failure. */
    enum sg_code (*check)(struct sg_device *device, enum sg_check_kind kind, const void *requests,
                          size_t count, struct sg_err *err);
    void *(*stream)(struct sg_device *device);
    /* bytes used by all processes, or by this one if memory_is_own; 0: not known */
    uint64_t (*memory_used)(struct sg_device *device);
    /* Launches and waits. Returns SG_OK, or SG_LAUNCH_FAILED or SG_CUDA_ERROR with the reason. */
    enum sg_status (*run)(struct sg_device *device, const struct sg_runnable *what,
                          struct sg_reason *why);
    /* Waits for all work of the context, and takes pending errors: SG_OK, or a status of `run`.
     * Call after code of a variant that is not a launch, so that its errors are not attributed
     * to the next launch. */
    enum sg_status (*settle)(struct sg_device *device, const struct sg_runnable *what,
                             struct sg_reason *why);
    void (*read_settings)(struct sg_device *device, struct sg_context_settings *settings);
    /* Returns false if a setting could not be restored. */
    bool (*write_settings)(struct sg_device *device, const struct sg_context_settings *settings);
    /* Digest the code loaded into the device since watch_code. Call watch_code once, in a
     * process that neither times nor counts. SG_INVALID: not known. Both are NULL for a device
     * that runs host code. */
    void (*watch_code)(struct sg_device *device);
    enum sg_code (*add_code)(struct sg_device *device, struct sg_digest *digest,
                             struct sg_err *err);
    /* Begin timing or counting before the first batch or count; use a separate process for each. */
    enum sg_code (*begin_timing)(struct sg_device *device, const struct sg_timing_order *order,
                                 struct sg_err *err);
    /* Call before the batches of an item, when its sides are prepared. Makes simulated times
     * independent of earlier items. */
    void (*begin_item)(struct sg_device *device, uint64_t seed);
    /* `hooks` may be NULL. */
    enum sg_status (*batch)(struct sg_device *device, const struct sg_runnable *what,
                            unsigned launches, const struct sg_batch_hooks *hooks,
                            struct sg_batch *batch, struct sg_reason *why);
    /* A segment: back-to-back launches for `seconds`, a quarter of them as warm-up. Returns one
     * time, the mean of a launch over the rest. Needs begin_timing with `sustained`, or with
     * `energy`. The L2 is warm. The hooks are called around the whole segment, as around one
     * launch. */
    enum sg_status (*sustain)(struct sg_device *device, const struct sg_runnable *what,
                              double seconds, const struct sg_batch_hooks *hooks,
                              struct sg_batch *batch, struct sg_reason *why);
    enum sg_code (*begin_counting)(struct sg_device *device, const struct sg_counting_order *order,
                                   struct sg_err *err);
    void (*count)(struct sg_device *device, struct sg_count_set *set);
    /* Call before any code of a variant is loaded, in a process that neither times nor counts.
     * Stores the code of sampled modules in the folder as DIGEST.cubin. */
    enum sg_code (*begin_sampling)(struct sg_device *device, enum sg_l2 l2, const char *folder,
                                   struct sg_err *err);
    /* Launches repeatedly for a while, and samples the warps. Returns a status of `run`. */
    enum sg_status (*sample)(struct sg_device *device, const struct sg_runnable *what,
                             const struct sg_pc_sink *sink, struct sg_reason *why);
    /* Sets facts for env.csv: GPU, UUID hash, driver, CUDA, CUPTI, clocks, power, temperature,
     * event reasons. */
    void (*describe)(struct sg_device *device, struct sg_env *env);
    /* Reads the present state: sets all known figures except drift, adds to *events
     * (results/throttle_reasons.h). Returns false if the events are not known. */
    bool (*read_state)(struct sg_device *device, double figure[SG_FIGURE_COUNT], uint64_t *events);
};

/* smaller growth between launches is due to the driver or a C library */
#define SG_LEAK_BYTES (UINT64_C(8) << 20)

struct sg_device {
    const struct sg_device_ops *ops;
    int sm_count;
    int capability; /* compute capability, 10 times major plus minor: 90; 0: none, or not known */
    uint64_t l2_bytes;
    /* sd of a launch's time due to the addresses of code and buffers, ns; 0: no effect */
    double placement_ns;
    char name[128];          /* "NVIDIA H200", "null" */
    char chip[32];           /* "GH100", "null" */
    const char *time_source; /* "cupti_activity", "cuda_event", "simulated" */
    const char *no_energy;   /* why segments have no energy; NULL: they have */
    /* waiting processes of the same run with the device open; `read_state` does not count them */
    int siblings;
    bool memory_is_own; /* memory_used covers only this process; on a GPU at most in a time pass */
};

/* sg_device_refill(device, refills, count, err), and so on. */
#define X(constant, name, words)                                                                \
    static inline enum sg_code sg_device_##name(struct sg_device *device,                       \
                                                const struct sg_##name *requests, size_t count, \
                                                struct sg_err *err)                             \
    {                                                                                           \
        return device->ops->check(device, constant, requests, count, err);                      \
    }
SG_CHECK_TABLE(X)
#undef X

/* Opens one of SG_NULL_GPUS simulated GPUs; SG_NO_GPU for another index. */
#define SG_NULL_GPUS 8
enum sg_code sg_device_open_null(unsigned index, struct sg_device **device, struct sg_err *err);
/* SG_NO_GPU with the reason and the remedy if the driver or the device is missing. Compiled only
 * with CUDA headers. */
enum sg_code sg_device_open_cuda(int index, struct sg_device **device, struct sg_err *err);
