#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "counters.h"
#include "cuda_driver.h"
#include "cuda_facts.h"
#include "cuda_timing.h"
#include "nvml.h"

#define KERNELS_MAX 64 /* of one launch, when counting */

struct cuda_device {
    struct sg_device base; /* first: a struct sg_device * is a struct cuda_device * */
    struct sg_cuda cuda;
    CUdevice device;
    CUcontext context;
    struct sg_cuda_work work;
    struct sg_nvml *nvml; /* NULL: not here */
    struct sg_cupti cupti;
    struct sg_cuda_timer timer;
    struct sg_counters *counters;
    struct sg_facts facts;
    const struct sg_metric *const *metrics; /* borrowed, while counting */
    const char **cupti_names;               /* owned array: those of `metrics` that this chip has */
    size_t *cupti_of;                       /* owned: index in cupti_names of each metric; SIZE_MAX: not here */
    size_t metric_count, cupti_count;
    struct sg_err counting_err; /* why there are no counters at all */
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
    sg_facts_close(&d->facts);
    sg_counters_close(d->counters);
    sg_cuda_timer_release(&d->timer);
    sg_cupti_close(&d->cupti);
    sg_nvml_close(d->nvml);
    if (d->work.flush)
        d->cuda.memory_free(d->work.flush);
    if (d->work.stream)
        d->cuda.stream_destroy(d->work.stream);
    if (d->context)
        d->cuda.primary_release(d->device);
    sg_cuda_close(&d->cuda);
    free(d->cupti_names);
    free(d->cupti_of);
    free(d);
}

static void *device_alloc(struct sg_device *base, uint64_t bytes, enum sg_status *status)
{
    struct cuda_device *d = cuda_of(base);
    CUdeviceptr memory = 0;
    CUresult result = d->cuda.memory_alloc(&memory, bytes);
    *status = result == CUDA_SUCCESS ? SG_OK : result == CUDA_ERROR_OUT_OF_MEMORY ? SG_OOM : SG_CUDA_ERROR;
    return result == CUDA_SUCCESS ? (void *)(uintptr_t)memory : NULL;
}

static void device_release(struct sg_device *base, void *memory)
{
    if (memory)
        cuda_of(base)->cuda.memory_free(pointer(memory));
}

static enum sg_code device_upload(struct sg_device *base, void *to, const void *host, uint64_t bytes, struct sg_err *err)
{
    struct sg_cuda *cuda = &cuda_of(base)->cuda;
    return sg_cuda_check(cuda, cuda->upload(pointer(to), host, bytes), "cuMemcpyHtoD", err);
}

static enum sg_code device_download(struct sg_device *base, void *host, const void *from, uint64_t bytes, struct sg_err *err)
{
    struct sg_cuda *cuda = &cuda_of(base)->cuda;
    return sg_cuda_check(cuda, cuda->download(host, pointer(from), bytes), "cuMemcpyDtoH", err);
}

static enum sg_code device_copy(struct sg_device *base, void *to, const void *from, uint64_t bytes, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    CUresult result = d->cuda.copy_async(pointer(to), pointer(from), bytes, d->work.stream);
    if (result == CUDA_SUCCESS)
        result = d->cuda.stream_synchronize(d->work.stream);
    return sg_cuda_check(&d->cuda, result, "cuMemcpyDtoD", err);
}

static enum sg_code device_fill32(struct sg_device *base, void *to, uint32_t pattern, uint64_t words, struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    CUresult result = d->cuda.fill32_async(pointer(to), pattern, words, d->work.stream);
    if (result == CUDA_SUCCESS)
        result = d->cuda.stream_synchronize(d->work.stream);
    return sg_cuda_check(&d->cuda, result, "cuMemsetD32", err);
}

static void *device_stream(struct sg_device *base)
{
    return cuda_of(base)->work.stream;
}

static enum sg_status device_run(struct sg_device *base, const struct sg_runnable *what, struct sg_why *why)
{
    struct cuda_device *d = cuda_of(base);
    what->variant->variant->launch(&what->launch);
    if (what->module->family->last_error && what->module->family->last_error(why) != 0)
        return SG_LAUNCH_FAILED;
    CUresult result = d->cuda.context_synchronize();
    if (result == CUDA_SUCCESS)
        return SG_OK;
    sg_cuda_words(&d->cuda, result, why);
    return SG_CUDA_ERROR;
}

/* Twice the L2, written before every launch; and no line of a former program pinned in it. */
static enum sg_code prepare_l2(struct cuda_device *d, enum sg_l2 l2, struct sg_err *err)
{
    d->cuda.context_reset_l2();
    if (l2 == SG_L2_WARM)
        return SG_DONE;
    d->work.flush_bytes = 2 * d->base.l2_bytes;
    return sg_cuda_check(&d->cuda, d->cuda.memory_alloc(&d->work.flush, d->work.flush_bytes), "allocating the L2 flush buffer", err);
}

static enum sg_code device_begin_timing(struct sg_device *base, enum sg_l2 l2, uint64_t seed, struct sg_err *err)
{
    (void)seed; /* nothing is drawn at random on a real device */
    struct cuda_device *d = cuda_of(base);
    if (prepare_l2(d, l2, err) != SG_DONE)
        return err->code;
    struct sg_err no_cupti = {0};
    bool cupti = sg_cupti_open(&d->cupti, &no_cupti) == SG_DONE;
    base->time_source = cupti ? "cupti_activity" : "cuda_event";
    return sg_cuda_timer_init(&d->timer, &d->work, cupti ? &d->cupti : NULL, err);
}

static enum sg_status device_visit(struct sg_device *base, const struct sg_runnable *what, unsigned launches, struct sg_visit *visit,
                                   struct sg_why *why)
{
    return sg_cuda_timer_visit(&cuda_of(base)->timer, what, launches, visit, why);
}

/* Which of the metrics this chip has, by name; what it lacks is said per value, not an error. */
static enum sg_code choose_names(struct cuda_device *d, struct sg_err *err)
{
    d->cupti_names = sg_alloc(d->metric_count + 1, sizeof(*d->cupti_names));
    d->cupti_of = sg_alloc(d->metric_count + 1, sizeof(*d->cupti_of));
    for (size_t i = 0; i < d->metric_count; i++) {
        const char *name = sg_metric_cupti(d->metrics[i], d->base.chip);
        bool known = false;
        if (name && sg_counters_known(d->counters, d->base.chip, name, &known, err) != SG_DONE)
            return err->code;
        d->cupti_of[i] = known ? d->cupti_count : SIZE_MAX;
        if (known)
            d->cupti_names[d->cupti_count++] = name;
    }
    return SG_DONE;
}

static enum sg_code start_counters(struct cuda_device *d, struct sg_err *err)
{
    if (sg_counters_open(&d->counters, err) != SG_DONE ||
        sg_counters_chip(d->counters, (size_t)d->device, d->base.chip, sizeof(d->base.chip), err) != SG_DONE ||
        choose_names(d, err) != SG_DONE)
        return err->code;
    if (d->cupti_count == 0)
        return SG_DONE;
    const char *replay = getenv("SOLGATE_REPLAY");
    const struct sg_counters_options options = {
        .cupti_names = d->cupti_names,
        .count = d->cupti_count,
        .replay = replay && strcmp(replay, "kernel") == 0 ? SG_REPLAY_KERNEL : SG_REPLAY_USER,
        .context = d->context,
        .chip = d->base.chip,
    };
    return sg_counters_start(d->counters, &options, err);
}

static enum sg_code device_begin_counting(struct sg_device *base, enum sg_l2 l2, const struct sg_metric *const *metrics, size_t count,
                                          struct sg_err *err)
{
    struct cuda_device *d = cuda_of(base);
    d->metrics = metrics;
    d->metric_count = count;
    if (prepare_l2(d, l2, err) != SG_DONE)
        return err->code;
    /* Without counters the facts of the launch are still worth having: each value then says why it is not there. */
    d->facts = (struct sg_facts){.cuda = &d->cuda, .cupti = &d->cupti, .device = d->device};
    if (sg_cupti_open(&d->cupti, &d->counting_err) == SG_DONE && sg_facts_open(&d->facts, &d->counting_err) == SG_DONE)
        start_counters(d, &d->counting_err);
    return SG_DONE;
}

/* One pass of a launch; what went wrong on the device is kept apart from what went wrong with CUPTI. */
struct pass {
    struct cuda_device *device;
    const struct sg_runnable *what;
    enum sg_status status;
    struct sg_why why;
};

static enum sg_code run_pass(void *context, struct sg_err *err)
{
    struct pass *pass = context;
    CUresult result = sg_cuda_prepare_launch(&pass->device->work, pass->what);
    if (result == CUDA_SUCCESS)
        pass->status = device_run(&pass->device->base, pass->what, &pass->why);
    else {
        pass->status = SG_CUDA_ERROR;
        sg_cuda_words(&pass->device->cuda, result, &pass->why);
    }
    if (pass->status != SG_OK)
        sg_fail(err, SG_INVALID, "counting", "%s", pass->why.text);
    return err->code;
}

/*
 * One value of a launch from those of its kernels: amounts add up, everything else is the mean weighted by the kernels' time.
 */
static double over_kernels(const struct cuda_device *d, const double *values, size_t kernels, size_t metric, size_t duration)
{
    const char *name = d->cupti_names[metric];
    size_t length = strlen(name);
    bool amount = (length > 4 && strcmp(name + length - 4, ".sum") == 0) || strcmp(name, "gpc__cycles_elapsed.max") == 0;
    double sum = 0, weights = 0;
    for (size_t k = 0; k < kernels; k++) {
        double value = values[k * d->cupti_count + metric];
        double weight = amount || duration == SIZE_MAX ? 1 : values[k * d->cupti_count + duration];
        sum += value * weight;
        weights += weight;
    }
    return amount ? sum : sum / weights;
}

static size_t find_duration(const struct cuda_device *d)
{
    for (size_t i = 0; i < d->cupti_count; i++) {
        if (strcmp(d->cupti_names[i], "gpu__time_duration.sum") == 0)
            return i;
    }
    return SIZE_MAX;
}

static void fill_values(const struct cuda_device *d, const double *values, size_t kernels, struct sg_counted *out)
{
    size_t duration = find_duration(d);
    for (size_t i = 0; i < d->metric_count; i++) {
        out[i] = (struct sg_counted){.metric = d->metrics[i]->name, .value = NAN, .status = SG_UNAVAILABLE};
        if (d->cupti_of[i] == SIZE_MAX) {
            snprintf(out[i].message, sizeof(out[i].message), "%s has no such counter", d->base.chip);
            continue;
        }
        out[i].value = over_kernels(d, values, kernels, d->cupti_of[i], duration);
        out[i].status = isnan(out[i].value) ? SG_NAN : SG_OK;
        if (out[i].status == SG_NAN)
            snprintf(out[i].message, sizeof(out[i].message), "CUPTI gave no number: the unit may be shared or switched off here");
    }
}

static void fill_unavailable(const struct cuda_device *d, const struct sg_err *err, struct sg_counted *out)
{
    for (size_t i = 0; i < d->metric_count; i++) {
        out[i] = (struct sg_counted){.metric = d->metrics[i]->name, .value = NAN, .status = SG_UNAVAILABLE};
        snprintf(out[i].message, sizeof(out[i].message), "%.40s: %.110s", err->where, err->message);
    }
}

/* One launch outside of the profiler, watched by callbacks: its geometry, and a kernel that is loaded before it is counted. */
static enum sg_status take_facts(struct cuda_device *d, const struct sg_runnable *what, struct sg_launch_facts *facts, struct sg_why *why)
{
    struct sg_err err = {0};
    *facts = (struct sg_launch_facts){
        .kernels = NAN,
        .registers = NAN,
        .shared_static_bytes = NAN,
        .shared_dynamic_bytes = NAN,
        .local_bytes = NAN,
        .grid_blocks = NAN,
        .block_threads = NAN,
        .cluster_blocks = NAN,
        .occupancy_theoretical = NAN,
        .occupancy_limit = "",
    };
    bool watching = d->facts.subscriber && sg_facts_begin(&d->facts, &err) == SG_DONE;
    struct pass pass = {.device = d, .what = what};
    run_pass(&pass, &err);
    if (watching)
        sg_facts_end(&d->facts, facts, &err);
    *why = pass.why;
    return pass.status;
}

static enum sg_status device_count(struct sg_device *base, const struct sg_runnable *what, struct sg_counted *out, unsigned *passes,
                                   struct sg_launch_facts *facts, struct sg_why *why)
{
    struct cuda_device *d = cuda_of(base);
    *passes = 0;
    enum sg_status status = take_facts(d, what, facts, why);
    if (status != SG_OK)
        return status;
    if (d->counting_err.code != SG_DONE || d->cupti_count == 0) {
        if (d->counting_err.code != SG_DONE)
            fill_unavailable(d, &d->counting_err, out);
        else
            fill_values(d, NULL, 0, out);
        return SG_OK;
    }
    struct pass pass = {.device = d, .what = what};
    double *values = sg_alloc(KERNELS_MAX * d->cupti_count, sizeof(*values));
    struct sg_counters_job job = {.work = run_pass, .context = &pass, .values = values, .max_kernels = KERNELS_MAX};
    struct sg_err err = {0};
    if (sg_counters_collect(d->counters, &job, &err) == SG_DONE) {
        fill_values(d, values, job.kernels, out);
        *passes = job.passes;
    } else {
        fill_unavailable(d, &err, out);
    }
    free(values);
    *why = pass.why;
    return pass.status;
}

static void set_version(struct sg_env *env, const char *key, int version)
{
    char text[32];
    snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
    sg_env_set(env, key, text);
}

/* FNV-1a of the UUID: tells machines apart in a tally without saying which they are. */
static void set_uuid_hash(struct sg_env *env, const CUuuid *uuid)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof(uuid->bytes); i++)
        hash = (hash ^ (unsigned char)uuid->bytes[i]) * 0x100000001b3u;
    char text[32];
    snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
    sg_env_set(env, "gpu_uuid_hash", text);
}

static void device_describe(struct sg_device *base, struct sg_env *env)
{
    struct cuda_device *d = cuda_of(base);
    char text[32];
    sg_env_set(env, "gpu_name", base->name);
    if (base->chip[0])
        sg_env_set(env, "chip", base->chip);
    snprintf(text, sizeof(text), "%d", base->sm_count);
    sg_env_set(env, "sm_count", text);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)base->l2_bytes);
    sg_env_set(env, "l2_bytes", text);
    int version = 0;
    if (d->cuda.driver_version(&version) == CUDA_SUCCESS)
        set_version(env, "cuda", version);
    CUuuid uuid;
    if (d->cuda.device_uuid(&uuid, d->device) == CUDA_SUCCESS)
        set_uuid_hash(env, &uuid);
    uint32_t cupti = 0;
    if (d->cupti.library && d->cupti.version(&cupti) == CUPTI_SUCCESS) {
        snprintf(text, sizeof(text), "%u", cupti);
        sg_env_set(env, "cupti", text);
    }
    if (base->time_source)
        sg_env_set(env, "time_source", base->time_source);
    if (d->nvml)
        sg_nvml_describe(d->nvml, env);
}

static const struct sg_device_ops operations = {
    .close = device_close,
    .alloc = device_alloc,
    .release = device_release,
    .upload = device_upload,
    .download = device_download,
    .copy = device_copy,
    .fill32 = device_fill32,
    .stream = device_stream,
    .run = device_run,
    .begin_timing = device_begin_timing,
    .visit = device_visit,
    .begin_counting = device_begin_counting,
    .count = device_count,
    .describe = device_describe,
};

static enum sg_code open_context(struct cuda_device *d, int index, struct sg_err *err)
{
    struct sg_cuda *cuda = &d->cuda;
    int count = 0, sms = 0, l2 = 0;
    cuda->device_count(&count);
    if (index < 0 || index >= count)
        return sg_fail(err, SG_NO_GPU, "--gpu", "GPU %d was asked for; this machine has %d", index, count);
    CUresult result = cuda->device_get(&d->device, index);
    if (result == CUDA_SUCCESS)
        result = cuda->device_name(d->base.name, sizeof(d->base.name), d->device);
    if (result == CUDA_SUCCESS)
        result = cuda->device_attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d->device);
    if (result == CUDA_SUCCESS)
        result = cuda->device_attribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, d->device);
    if (result == CUDA_SUCCESS)
        result = cuda->primary_retain(&d->context, d->device);
    if (result == CUDA_SUCCESS)
        result = cuda->context_set(d->context);
    if (result == CUDA_SUCCESS)
        result = cuda->stream_create(&d->work.stream, CU_STREAM_NON_BLOCKING);
    d->base.sm_count = sms;
    d->base.l2_bytes = (uint64_t)l2;
    return sg_cuda_check(cuda, result, "opening the GPU", err);
}

static void open_nvml(struct cuda_device *d)
{
    char pci_id[32] = "";
    struct sg_err absent = {0};
    if (d->cuda.device_pci_id(pci_id, sizeof(pci_id), d->device) == CUDA_SUCCESS)
        sg_nvml_open(pci_id, &d->nvml, &absent);
}

enum sg_code sg_device_open_cuda(int index, struct sg_device **device, struct sg_err *err)
{
    struct cuda_device *d = sg_alloc(1, sizeof(*d));
    d->base.ops = &operations;
    d->work.cuda = &d->cuda;
    if (sg_cuda_open(&d->cuda, err) != SG_DONE || open_context(d, index, err) != SG_DONE) {
        device_close(&d->base);
        return err->code;
    }
    open_nvml(d);
    *device = &d->base;
    return SG_DONE;
}
