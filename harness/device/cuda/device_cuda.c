#include "device/device.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "device/cuda/counter_pass.h"
#include "device/cuda/driver.h"
#include "device/cuda/driver_calls.h"
#include "device/cuda/launch_check.h"
#include "device/cuda/pc_sampler.h"
#include "device/cuda/timer.h"
#include "device/energy.h"
#include "device/gate_host.h"
#include "device/nvml.h"
#include "results/units.h"
#include "solgate_cuda_error.h"
#include "util/digest.h"

#define HOPPER    90   /* the lowest compute capability whose energy is measured */
#define SAMPLED_S 0.02 /* seconds of sampling; a launch that has begun is finished */
/* sd from ratios of matvec, r4096_c4096_f32 and smaller, on H100s (docs/validation.md) */
#define PLACEMENT_NS 200.0

struct cuda_device {
    struct sg_device base; /* first, so that a struct sg_device * can be cast */
    struct sg_cuda cuda;
    CUdevice device;
    CUcontext context;
    struct sg_cuda_work work;
    struct sg_nvml *nvml; /* NULL: not available */
    uint64_t own_memory;  /* bytes, at NVML's last answer */
    struct sg_cupti cupti;
    struct sg_calls calls;    /* used in a verification */
    struct sg_err code_fault; /* why the loaded code is unknown; code SG_SUCCESS: known */
    struct sg_launch_checker checker;
    struct sg_cuda_timer timer;
    bool has_energy; /* segments read the energy counter */
    struct sg_cuda_counter counter;
    struct sg_pc_sampler sampler;
};

static struct cuda_device *cuda_of(struct sg_device *device)
{
    return (struct cuda_device *)device;
}

static CUdeviceptr pointer(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

static void device_close(struct sg_device *base)
{
    struct cuda_device *d = cuda_of(base);
    sg_pc_sampler_close(&d->sampler);
    sg_cuda_counter_release(&d->counter);
    sg_cuda_timer_release(&d->timer);
    sg_calls_close(&d->calls);
    sg_launch_checker_release(&d->checker);
    sg_cupti_close(&d->cupti);
    sg_nvml_close(d->nvml);
    sg_cuda_work_release(&d->work);
    if (d->work.stream)
        d->cuda.stream_destroy(d->work.stream);
    if (d->context)
        d->cuda.primary_release(d->device);
    sg_cuda_close(&d->cuda);
    free(d);
}

static void *device_alloc(struct sg_device *base, uint64_t bytes, enum sg_status *status)
{
    struct cuda_device *d = cuda_of(base);
    CUdeviceptr memory = 0;
    CUresult result = d->cuda.memory_alloc(&memory, bytes);
    *status = sg_cuda_status((int)result, SG_CUDA_ERROR);
    return result == CUDA_SUCCESS ? (void *)(uintptr_t)memory : NULL;
}

static void device_release(struct sg_device *base, void *memory)
{
    if (memory)
        cuda_of(base)->cuda.memory_free(pointer(memory));
}

static enum sg_code device_upload(struct sg_device *base, void *to, const void *host,
                                  uint64_t bytes, struct sg_err *err)
{
    struct sg_cuda *cuda = &cuda_of(base)->cuda;
    CUresult result = cuda->upload(pointer(to), host, bytes);
    /* From pageable memory the copy may return before the last bytes have arrived, and the
     * launches' stream does not wait for them. */
    SG_THEN(result, cuda->stream_synchronize(NULL));
    return sg_cuda_check(cuda, result, "cuMemcpyHtoD", err);
}

static enum sg_code device_download(struct sg_device *base, void *host, const void *from,
                                    uint64_t bytes, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    /* The copy does not wait for our stream, which may still be writing its source. */
    CUresult result = d->cuda.stream_synchronize(d->work.stream);
    SG_THEN(result, d->cuda.download(host, pointer(from), bytes));
    return sg_cuda_check(&d->cuda, result, "cuMemcpyDtoH", err);
}

/* One wait for all copies: with another process on the GPU, each wait takes 0.3 ms. */
static enum sg_code device_copy(struct sg_device *base, const struct sg_stretch *stretches,
                                size_t count, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++)
        result = d->cuda.copy_async(pointer(stretches[i].to), pointer(stretches[i].from),
                                    stretches[i].bytes, d->work.stream);
    SG_THEN(result, d->cuda.stream_synchronize(d->work.stream));
    return sg_cuda_check(&d->cuda, result, "cuMemcpyDtoD", err);
}

static enum sg_code device_compare(struct sg_device *base, const struct sg_stretch *stretches,
                                   size_t count, uint64_t *first, struct sg_err *err)
{
    return sg_launch_checker_compare(&cuda_of(base)->checker, stretches, count, first, err);
}

static enum sg_code device_fill32(struct sg_device *base, void *to, uint32_t pattern,
                                  uint64_t words, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    CUresult result = d->cuda.fill32_async(pointer(to), pattern, words, d->work.stream);
    SG_THEN(result, d->cuda.stream_synchronize(d->work.stream));
    return sg_cuda_check(&d->cuda, result, "cuMemsetD32", err);
}

static enum sg_code device_check(struct sg_device *base, enum sg_check_kind kind,
                                 const void *requests, size_t count, struct sg_err *err)
{
    cuda_of(base)->work.checks[SG_ACTIVITY_KERNEL] += SG_CHECK_KERNELS_OF(count);
    return sg_launch_checker_do(&cuda_of(base)->checker, kind, requests, count, err);
}

static void *device_stream(struct sg_device *base)
{
    return cuda_of(base)->work.stream;
}

/* The error of the module's runtime, independent of the driver's. */
static enum sg_status refusal_of(const struct sg_runnable *what, struct sg_reason *why)
{
    const struct sg_family *family = what->module->family;
    const int refused = family->last_error ? family->last_error(why) : 0;
    return refused != 0 ? sg_cuda_status(refused, SG_LAUNCH_FAILED) : SG_OK;
}

static enum sg_status wait_for_all(const struct cuda_device *d, struct sg_reason *why)
{
    const CUresult result = d->cuda.context_synchronize();
    if (result == CUDA_SUCCESS)
        return SG_OK;
    sg_cuda_words(&d->cuda, result, why);
    return sg_cuda_status((int)result, SG_CUDA_ERROR);
}

static enum sg_status device_run(struct sg_device *base, const struct sg_runnable *what,
                                 struct sg_reason *why)
{
    what->variant->variant->launch(&what->launch);
    const CUresult taken = sg_cuda_take_returned(&cuda_of(base)->work, what);
    const enum sg_status refused = refusal_of(what, why);
    if (refused != SG_OK)
        return refused;
    const enum sg_status waited = wait_for_all(cuda_of(base), why);
    if (waited != SG_OK || taken == CUDA_SUCCESS)
        return waited;
    sg_cuda_words(&cuda_of(base)->cuda, taken, why);
    return SG_CUDA_ERROR;
}

/* Reports a fault first: after a fault, all calls fail. */
static enum sg_status device_settle(struct sg_device *base, const struct sg_runnable *what,
                                    struct sg_reason *why)
{
    const struct cuda_device *d = cuda_of(base);
    struct sg_reason of_wait = {""};
    d->cuda.context_set(d->context);
    const enum sg_status waited = wait_for_all(d, &of_wait), refused = refusal_of(what, why);
    if (waited == SG_OK)
        return refused;
    *why = of_wait;
    return waited;
}

static void device_watch_code(struct sg_device *base)
{
    struct cuda_device *d = cuda_of(base);
    /* Loads the harness's kernels first, because they are not part of a variant's code. An error is
     * reported only when these kernels are needed. */
    sg_launch_checker_load(&d->checker, SG_IGNORED);
    d->calls.cupti = &d->cupti;
    if (sg_cupti_open(&d->cupti, &d->code_fault) == SG_SUCCESS &&
        sg_calls_open(&d->calls, &d->code_fault) == SG_SUCCESS)
        sg_calls_show_modules(&d->calls, &d->code_fault);
}

static enum sg_code device_add_code(struct sg_device *base, struct sg_digest *digest,
                                    struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    if (d->code_fault.code != SG_SUCCESS)
        return sg_fail(err, SG_INVALID, NULL, "reading which code was loaded: %.300s",
                       d->code_fault.message);
    sg_calls_add_code(&d->calls, digest);
    return SG_SUCCESS;
}

static enum sg_code device_begin_timing(struct sg_device *base, const struct sg_timing_order *order,
                                        struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    if (sg_cuda_work_begin(&d->work, order->l2, base->l2_bytes, err) != SG_SUCCESS ||
        sg_launch_checker_load(&d->checker, err) != SG_SUCCESS)
        return err->code;
    d->own_memory = d->nvml ? sg_nvml_own_memory(d->nvml) : 0;
    base->memory_is_own = d->own_memory > 0;
    /* Records of every launch over seconds would take too much memory. */
    bool cupti = !order->sustained && sg_cupti_open(&d->cupti, SG_IGNORED) == SG_SUCCESS;
    base->time_source = cupti ? "cupti_activity" : "cuda_event";
    const bool has_counter = d->nvml && !isnan(sg_nvml_energy(d->nvml));
    base->no_energy = base->capability < HOPPER ? "energy needs an H100 or newer"
                      : has_counter             ? NULL
                                                : "NVML has no energy counter here";
    d->has_energy = order->energy && !base->no_energy;
    return sg_cuda_timer_init(&d->timer, &d->work, cupti ? &d->cupti : NULL, err);
}

static void device_begin_item(struct sg_device *base, uint64_t seed)
{
    (void)seed;
    sg_cuda_timer_begin_item(&cuda_of(base)->timer);
}

static enum sg_status device_batch(struct sg_device *base, const struct sg_runnable *what,
                                   unsigned launches, const struct sg_batch_hooks *hooks,
                                   struct sg_batch *batch, struct sg_reason *why)
{
    return sg_cuda_timer_batch(&cuda_of(base)->timer, what, launches, hooks, batch, why);
}

static enum sg_status hook_failed(const struct sg_err *err, struct sg_reason *why)
{
    snprintf(why->text, sizeof(why->text), "%.60s: %.180s", err->where, err->message);
    return SG_CUDA_ERROR;
}

/* Reads the energy counter in another thread, because the host is busy with launching. */
struct energy_poll {
    struct sg_nvml *nvml;
    struct sg_energy energy;
    atomic_bool is_over;
};

static void *poll_energy(void *given)
{
    struct energy_poll *poll = given;
    while (!atomic_load(&poll->is_over)) {
        const double at_s = sg_monotonic_s();
        sg_energy_take(&poll->energy, at_s, sg_nvml_energy(poll->nvml));
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * SG_ENERGY_POLL_S)}, NULL);
    }
    return NULL;
}

static enum sg_status sustain(struct cuda_device *d, const struct sg_runnable *what, double seconds,
                              struct sg_batch *batch, struct sg_reason *why)
{
    struct energy_poll poll = {.nvml = d->nvml,
                               .energy.from_s = sg_monotonic_s() + SG_WARM_UP_PART * seconds};
    pthread_t thread;
    const bool polls = d->has_energy && pthread_create(&thread, NULL, poll_energy, &poll) == 0;
    if (d->has_energy)
        d->base.no_energy = polls ? NULL : "the thread that reads the energy counter did not start";
    const enum sg_status status = sg_cuda_timer_sustain(&d->timer, what, seconds, batch, why);
    atomic_store(&poll.is_over, true);
    if (polls)
        pthread_join(thread, NULL);
    if (status == SG_OK)
        batch->joules = sg_energy_of_launch(&poll.energy, batch->ns[0]);
    return status;
}

static enum sg_status device_sustain(struct sg_device *base, const struct sg_runnable *what,
                                     double seconds, const struct sg_batch_hooks *hooks,
                                     struct sg_batch *batch, struct sg_reason *why)
{
    struct cuda_device *d = cuda_of(base);
    struct sg_cupti *records = d->timer.cupti;
    struct sg_err err = {0};
    if ((records && sg_activity_switch(records, false, &err) != SG_SUCCESS) ||
        hooks->before(hooks->context, 0, &err) != SG_SUCCESS)
        return hook_failed(&err, why);
    const enum sg_status status = sustain(d, what, seconds, batch, why);
    if ((records && sg_activity_switch(records, true, &err) != SG_SUCCESS) ||
        (status == SG_OK && hooks->after(hooks->context, 0, &err) != SG_SUCCESS))
        return hook_failed(&err, why);
    return status;
}

static uint64_t device_memory_used(struct sg_device *base)
{
    struct cuda_device *d = cuda_of(base);
    size_t left = 0, all = 0;
    if (base->memory_is_own) {
        const uint64_t own = sg_nvml_own_memory(d->nvml);
        /* An NVML error must not look like memory that was freed, and then leaked. */
        d->own_memory = own > 0 ? own : d->own_memory;
        return d->own_memory;
    }
    return d->cuda.memory_info(&left, &all) == CUDA_SUCCESS ? all - left : 0;
}

/* A limit that the device lacks is 0. */
static uint64_t limit_of(const struct sg_cuda *cuda, CUlimit which)
{
    size_t value = 0;
    return cuda->context_limit(&value, which) == CUDA_SUCCESS ? value : 0;
}

static void device_read_settings(struct sg_device *base, struct sg_context_settings *settings)
{
    const struct sg_cuda *cuda = &cuda_of(base)->cuda;
    CUfunc_cache preference = CU_FUNC_CACHE_PREFER_NONE;
    cuda->context_cache(&preference);
    *settings = (struct sg_context_settings){
        .l2_set_aside = limit_of(cuda, CU_LIMIT_PERSISTING_L2_CACHE_SIZE),
        .l2_fetch_granularity = limit_of(cuda, CU_LIMIT_MAX_L2_FETCH_GRANULARITY),
        .l1_preference = (uint64_t)preference,
    };
}

/* Changing the L2 set-aside also drops persisting lines. A count pass must not call this, because
 * its counters include that work. */
static bool device_write_settings(struct sg_device *base,
                                  const struct sg_context_settings *settings)
{
    const struct sg_cuda *cuda = &cuda_of(base)->cuda;
    struct sg_context_settings now;
    device_read_settings(base, &now);
    if (now.l2_set_aside != settings->l2_set_aside) {
        cuda->context_reset_l2();
        cuda->context_set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)settings->l2_set_aside);
    }
    if (now.l2_fetch_granularity != settings->l2_fetch_granularity)
        cuda->context_set_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
                                (size_t)settings->l2_fetch_granularity);
    if (now.l1_preference != settings->l1_preference)
        cuda->context_set_cache((CUfunc_cache)settings->l1_preference);
    /* Checks the settings in effect for the next launch, not the results of the calls. */
    device_read_settings(base, &now);
    return !sg_context_settings_differ(&now, settings);
}

static enum sg_code device_begin_counting(struct sg_device *base,
                                          const struct sg_counting_order *order, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    if (sg_cuda_work_begin(&d->work, order->l2, base->l2_bytes, err) != SG_SUCCESS)
        return err->code;
    sg_cuda_counter_init(&d->counter, &d->work, d->device, d->context, order);
    snprintf(base->chip, sizeof(base->chip), "%s", d->counter.chip);
    return SG_SUCCESS;
}

static void device_count(struct sg_device *base, struct sg_count_set *set)
{
    sg_cuda_counter_count(&cuda_of(base)->counter, set);
}

static enum sg_code device_begin_sampling(struct sg_device *base, enum sg_l2 l2, const char *folder,
                                          struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    if (sg_pc_sampler_open(&d->sampler, d->context, folder, err) != SG_SUCCESS)
        return err->code;
    return sg_cuda_work_begin(&d->work, l2, base->l2_bytes, err);
}

static enum sg_status run_prepared(struct cuda_device *d, const struct sg_runnable *what,
                                   struct sg_reason *why)
{
    const CUresult result = sg_cuda_prepare_launch(&d->work, what);
    if (result == CUDA_SUCCESS)
        return device_run(&d->base, what, why);
    sg_cuda_words(&d->cuda, result, why);
    return SG_CUDA_ERROR;
}

static enum sg_status device_sample(struct sg_device *base, const struct sg_runnable *what,
                                    const struct sg_pc_sink *sink, struct sg_reason *why)
{
    struct cuda_device *d = cuda_of(base);
    struct sg_err err = {0};
    enum sg_status status = run_prepared(d, what, why);
    if (status != SG_OK)
        return status;
    sg_pc_sampler_start(&d->sampler, &err);
    for (const double began = sg_monotonic_s();
         err.code == SG_SUCCESS && status == SG_OK && sg_monotonic_s() < began + SAMPLED_S;)
        status = run_prepared(d, what, why);
    if (err.code == SG_SUCCESS && status == SG_OK)
        sg_pc_sampler_stop(&d->sampler, sink, &err);
    return err.code == SG_SUCCESS ? status : hook_failed(&err, why);
}

/* FNV-1a of the UUID: distinguishes machines in a tally without identifying them. */
static void set_uuid_hash(struct sg_env *env, const CUuuid *uuid)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, uuid->bytes, sizeof(uuid->bytes));
    sg_env_set(env, "gpu_uuid_hash", sg_digest_word(&digest).text);
}

static void device_describe(struct sg_device *base, struct sg_env *env)
{
    struct cuda_device *d = cuda_of(base);
    sg_env_set(env, "gpu_name", base->name);
    if (base->chip[0])
        sg_env_set(env, "chip", base->chip);
    sg_env_setf(env, "sm_count", "%d", base->sm_count);
    sg_env_setf(env, "l2_bytes", "%llu", (unsigned long long)base->l2_bytes);
    int version = 0;
    if (d->cuda.driver_version(&version) == CUDA_SUCCESS)
        sg_env_setf(env, "cuda", "%d.%d", version / 1000, version % 1000 / 10);
    CUuuid uuid;
    if (d->cuda.device_uuid(&uuid, d->device) == CUDA_SUCCESS)
        set_uuid_hash(env, &uuid);
    char pci[32], host[72] = "";
    if (d->cuda.device_pci_id(pci, sizeof(pci), d->device) == CUDA_SUCCESS)
        sg_env_set(env, SG_PCI_KEY, pci);
    if (gethostname(host, sizeof(host) - 1) == 0 && *host)
        sg_env_set(env, SG_HOST_KEY, host);
    uint32_t cupti = 0;
    const struct sg_cupti *library = d->cupti.library ? &d->cupti : &d->counter.cupti;
    if (library->library && library->version(&cupti) == CUPTI_SUCCESS)
        sg_env_setf(env, "cupti", "%u", cupti);
    if (d->nvml)
        sg_nvml_describe(d->nvml, env);
}

static bool device_read_state(struct sg_device *base, double figure[SG_FIGURE_COUNT],
                              uint64_t *events)
{
    struct cuda_device *d = cuda_of(base);
    return d->nvml && sg_nvml_read(d->nvml, base->siblings, figure, events);
}

static const struct sg_device_ops operations = {
    .close = device_close,
    .alloc = device_alloc,
    .release = device_release,
    .upload = device_upload,
    .download = device_download,
    .copy = device_copy,
    .compare = device_compare,
    .fill32 = device_fill32,
    .check = device_check,
    .stream = device_stream,
    .memory_used = device_memory_used,
    .run = device_run,
    .settle = device_settle,
    .read_settings = device_read_settings,
    .write_settings = device_write_settings,
    .watch_code = device_watch_code,
    .add_code = device_add_code,
    .begin_timing = device_begin_timing,
    .begin_item = device_begin_item,
    .batch = device_batch,
    .sustain = device_sustain,
    .begin_counting = device_begin_counting,
    .count = device_count,
    .begin_sampling = device_begin_sampling,
    .sample = device_sample,
    .describe = device_describe,
    .read_state = device_read_state,
};

static enum sg_code open_context(struct cuda_device *d, int index, struct sg_err *err)
{
    struct sg_cuda *cuda = &d->cuda;
    int count = 0, sms = 0, l2 = 0, major = 0, minor = 0;
    cuda->device_count(&count);
    if (index < 0 || index >= count)
        return sg_fail(err, SG_NO_GPU, "--gpu", "expected a GPU below %d, found %d", count, index);
    CUresult result = cuda->device_get(&d->device, index);
    SG_THEN(result, cuda->device_name(d->base.name, sizeof(d->base.name), d->device));
    SG_THEN(result,
            cuda->device_attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d->device));
    SG_THEN(result, cuda->device_attribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, d->device));
    SG_THEN(result, cuda->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                           d->device));
    SG_THEN(result, cuda->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                           d->device));
    SG_THEN(result, cuda->primary_retain(&d->context, d->device));
    SG_THEN(result, cuda->context_set(d->context));
    if (!sg_gate_host) /* Python libraries launch on the default stream */
        SG_THEN(result, cuda->stream_create(&d->work.stream, CU_STREAM_NON_BLOCKING));
    d->base.sm_count = sms;
    d->base.capability = 10 * major + minor;
    d->base.l2_bytes = (uint64_t)l2;
    d->base.placement_ns = PLACEMENT_NS;
    return sg_cuda_check(cuda, result, "opening the GPU", err);
}

static void open_nvml(struct cuda_device *d)
{
    char pci_id[32] = "";
    if (d->cuda.device_pci_id(pci_id, sizeof(pci_id), d->device) == CUDA_SUCCESS)
        sg_nvml_open(pci_id, &d->nvml, SG_IGNORED);
}

enum sg_code sg_device_open_cuda(int index, struct sg_device **device, struct sg_err *err)
{
    struct cuda_device *d = sg_alloc(1, sizeof(*d));
    d->base.ops = &operations;
    d->work.cuda = &d->cuda;
    if (sg_cuda_open(&d->cuda, err) != SG_SUCCESS || open_context(d, index, err) != SG_SUCCESS) {
        device_close(&d->base);
        return err->code;
    }
    d->checker = (struct sg_launch_checker){.cuda = &d->cuda, .stream = d->work.stream};
    open_nvml(d);
    *device = &d->base;
    return SG_SUCCESS;
}
