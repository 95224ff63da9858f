/*
 * device/device.h - what the passes of the worker need of a device; two implementations:
 * device/cuda/device_cuda.c (driver API, CUPTI, all dlopen'ed) and device/null/device_null.c (host
 * memory, simulated times and counters).
 *
 * Invariant: every function but `check` is synchronous: when it returns,
 * what it started on the device has ended, or failed and said so.
 * A failed launch or a fault is an outcome of the variant (enum
 * sg_status), not an error of the harness.
 */
#pragma once

#include "catalogue/source.h"
#include "device/context_settings.h"
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

/* Memory on the device that is copied, or compared, from one place to another. */
struct sg_stretch {
    void *to;
    const void *from;
    uint64_t bytes;
};

/* A variant ready to run on buffers of its case. */
struct sg_runnable {
    const struct sg_module *module;
    const struct sg_named_variant *variant;
    struct sg_launch launch;
    struct sg_reason note;                     /* of its preparation, for readers of the run */
    struct sg_stretch restore[SG_MAX_BUFFERS]; /* before each launch (SG_INOUT): from its pristine copy */
    size_t restore_count;
    const uint64_t *buffer_bytes; /* borrowed: of each of launch.buffer */
    size_t buffer_count;
    struct sg_context_settings before; /* its `prepare`; put back behind its `finish` */
};

/* What a time pass is begun with. Process and attempt are of no use but to
 * a device that makes its times up. */
struct sg_timing_order {
    enum sg_l2 l2;
    uint64_t seed;
    unsigned process, attempt;
    bool sustained; /* segments (sustain), no batches */
};

/* What a count pass is begun with. */
struct sg_counting_order {
    enum sg_l2 l2;
    uint64_t seed;                          /* of no use but to a device that makes its counters up */
    const struct sg_metric *const *metrics; /* borrowed until the device is closed */
    size_t count;
};

/* One batch: a warm-up launch, then `launches` timed ones (docs/method.md 2). */
struct sg_batch {
    double ns[SG_LAUNCHES_MAX]; /* of each timed launch: first kernel's start to last kernel's end */
    unsigned launches;
    unsigned kernels;                         /* kernels of one launch */
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* of one launch, as sources have them (device/kernel_name.h): "reduce x2; splitk"; "": not
                                                 known */
    double sm_clock;                          /* Hz over the batch; 0: not known */
    bool host_bound;                          /* of a guest: launches waited for the device, or the device for the host */
};

/* What is enqueued around each timed launch of a batch, 0 to launches - 1, outside of what
 * is timed. An error ends the batch. */
struct sg_batch_hooks {
    void *context;
    /* As `before`; not of a segment, which warms up inside. Its `after` is of number `launches`. */
    enum sg_code (*before_warm_up)(void *context, struct sg_err *err);
    enum sg_code (*before)(void *context, unsigned launch, struct sg_err *err); /* ahead of what restores inputs and prepares the L2 */
    enum sg_code (*after)(void *context, unsigned launch, struct sg_err *err);
};

/* One launch of a set. */
struct sg_count_item {
    const struct sg_runnable *what;
    struct sg_counted *values;    /* out; room for one a metric of begin_counting and repeat: values[repeat * metrics + metric] */
    struct sg_launch_facts facts; /* out */
    enum sg_status status;        /* out: of the launch; SG_OK although counters may be missing: each value says so */
    struct sg_reason why;         /* out */
};

/*
 * Launches that are counted together: setting up a pass costs more than all of them
 * (device/cuda/counter_pass.h). After an item of SG_CUDA_ERROR the device is lost, and
 * values of the others are not there.
 */
struct sg_count_set {
    struct sg_count_item *items;
    size_t count;
    unsigned repeats; /* counts of each item: in every pass, launch i is of item sg_counter_repeats_item(count, i) */
    void (*launching)(void *context, size_t item); /* before every launch of an item: whatever kills the process now is its doing */
    /* Behind it, when it has ended; launches no kernel. It may set the item's status. */
    enum sg_code (*launched)(void *context, size_t item, struct sg_err *err);
    void *context;
    unsigned passes; /* out */
};

/* How often warps of a kernel were found at an instruction, for one reason. */
struct sg_pc_count {
    const char *kernel; /* mangled */
    const char *code;   /* which module, and where in it: equal names are apart */
    uint32_t pc;        /* from the start of the kernel, bytes */
    const char *reason; /* as metrics.ini has it behind stall_ */
    uint32_t samples;
};
struct sg_pc_sink {
    void (*take)(void *context, const struct sg_pc_count *count);
    void *context;
};

struct sg_device_ops {
    void (*close)(struct sg_device *device);
    /* 256-byte aligned; NULL and SG_OOM in *status when there is not enough. */
    void *(*alloc)(struct sg_device *device, uint64_t bytes, enum sg_status *status);
    void (*release)(struct sg_device *device, void *memory);
    enum sg_code (*upload)(struct sg_device *device, void *to, const void *host, uint64_t bytes, struct sg_err *err);
    enum sg_code (*download)(struct sg_device *device, void *host, const void *from, uint64_t bytes, struct sg_err *err);
    /* In their order, all on the device; none overlaps itself. */
    enum sg_code (*copy)(struct sg_device *device, const struct sg_stretch *stretches, size_t count, struct sg_err *err);
    /* *first: number of the first byte that differs, counted over all of them in their order;
     * the sum of their bytes if none. */
    enum sg_code (*compare)(struct sg_device *device, const struct sg_stretch *stretches, size_t count, uint64_t *first,
                            struct sg_err *err);
    enum sg_code (*fill32)(struct sg_device *device, void *to, uint32_t pattern, uint64_t words, struct sg_err *err);
    /*
     * Requests of device/launch_check.h, by the five functions below. Unlike the rest they need not
     * have ended on return: they are enqueued on the stream behind what is there, and the requests
     * themselves may be gone by then. A download waits for them; if one of them failed, that says
     * so.
     */
    enum sg_code (*check)(struct sg_device *device, enum sg_check_kind kind, const void *requests, size_t count, struct sg_err *err);
    void *(*stream)(struct sg_device *device);
    uint64_t (*memory_used)(struct sg_device *device); /* bytes; 0: not known. Of all processes, unless memory_is_own */
    /* One launch and its end: SG_OK, SG_LAUNCH_FAILED, SG_CUDA_ERROR with the reason. */
    enum sg_status (*run)(struct sg_device *device, const struct sg_runnable *what, struct sg_reason *why);
    /*
     * Waits for all work of the context, and asks for errors that were not asked for yet,
     * which are gone then: SG_OK, or the statuses of `run`. Behind code of a variant that is no
     * launch, so that its errors are not taken for the next one's.
     */
    enum sg_status (*settle)(struct sg_device *device, const struct sg_runnable *what, struct sg_reason *why);
    void (*read_settings)(struct sg_device *device, struct sg_context_settings *settings);
    /* False: they are not as they should be. */
    bool (*write_settings)(struct sg_device *device, const struct sg_context_settings *settings);
    /* What code is loaded into the device, from watch_code on: once, in a process that neither
     * times nor counts. SG_INVALID: not known. Both NULL of a device that runs the host's code. */
    void (*watch_code)(struct sg_device *device);
    enum sg_code (*add_code)(struct sg_device *device, struct sg_digest *digest, struct sg_err *err);
    /* Timing and counting must be begun, each in a process of its own,
     * before the first batch or count. */
    enum sg_code (*begin_timing)(struct sg_device *device, const struct sg_timing_order *order, struct sg_err *err);
    /* Before the batches of an item, whose sides are prepared by then. Makes times that are made up
     * independent of the items before. */
    void (*begin_item)(struct sg_device *device, uint64_t seed);
    /* `hooks` may be NULL. */
    enum sg_status (*batch)(struct sg_device *device, const struct sg_runnable *what, unsigned launches, const struct sg_batch_hooks *hooks,
                            struct sg_batch *batch, struct sg_reason *why);
    /*
     * A segment: launches on end for so many seconds, a quarter of them to warm up; one time, the
     * mean of a launch over the rest. Only after a begin_timing that said so, and with a warm L2.
     * The hooks are called around all of it, as around one launch.
     */
    enum sg_status (*sustain)(struct sg_device *device, const struct sg_runnable *what, double seconds, const struct sg_batch_hooks *hooks,
                              struct sg_batch *batch, struct sg_reason *why);
    enum sg_code (*begin_counting)(struct sg_device *device, const struct sg_counting_order *order, struct sg_err *err);
    void (*count)(struct sg_device *device, struct sg_count_set *set);
    /* Before any code of a variant is loaded, in a process that neither times nor counts. The code
     * of what is sampled is left in the folder as DIGEST.cubin. */
    enum sg_code (*begin_sampling)(struct sg_device *device, enum sg_l2 l2, const char *folder, struct sg_err *err);
    /* Launches, again and again for a while, and where their warps were meanwhile; statuses of
     * `run`. */
    enum sg_status (*sample)(struct sg_device *device, const struct sg_runnable *what, const struct sg_pc_sink *sink,
                             struct sg_reason *why);
    /* Facts for env.csv: GPU, UUID hash, driver, CUDA, CUPTI, clocks,
     * power, temperature, event reasons. */
    void (*describe)(struct sg_device *device, struct sg_env *env);
    /* What it is like now: sets the figures it knows but those of drift, adds to *events
     * (results/throttle_reasons.h). False: those are not known. */
    bool (*look)(struct sg_device *device, double figure[SG_FIGURE_COUNT], uint64_t *events);
};

#define SG_LEAK_BYTES (UINT64_C(8) << 20) /* more than that neither a driver nor a C library takes for itself between launches */

struct sg_device {
    const struct sg_device_ops *ops;
    int sm_count;
    int capability; /* compute capability, 10 times major plus minor: 90; 0: it has none, or it is not known */
    uint64_t l2_bytes;
    double place_ns;         /* by how much the places of code and buffers move a launch (sd, ns); 0: by nothing */
    char name[128];          /* "NVIDIA H200", "null" */
    char chip[32];           /* "GH100", "null" */
    const char *time_source; /* "cupti_activity", "cuda_event", "simulated" */
    int siblings;            /* processes of the same run that wait beside this one, with the device open: `look` does not count them */
    bool memory_is_own;      /* memory_used tells of only this process; on a GPU at most in a time pass */
};

/* sg_device_refill(device, refills, count, err), and so on. */
#define X(constant, name, words)                                                                                          \
    static inline enum sg_code sg_device_##name(struct sg_device *device, const struct sg_##name *requests, size_t count, \
                                                struct sg_err *err)                                                       \
    {                                                                                                                     \
        return device->ops->check(device, constant, requests, count, err);                                                \
    }
SG_CHECK_TABLE(X)
#undef X

/* One of SG_NULL_GPUS simulated GPUs; SG_NO_GPU for another index. */
#define SG_NULL_GPUS 8
enum sg_code sg_device_open_null(unsigned index, struct sg_device **device, struct sg_err *err);
/* SG_NO_GPU with what was looked for and what to do when there is no driver or no device. Compiled
 * only where CUDA headers are found. */
enum sg_code sg_device_open_cuda(int index, struct sg_device **device, struct sg_err *err);
