/*
 * What this GPU and machine can measure, and what prevents the rest: the worker's
 * part of `solgate doctor`.
 *
 * Each check is one note: a word and a sentence that says what to do. `ok`; `missing` (not on this
 * machine); `blocked` (present, but not permitted); `warn` (works, but numbers may suffer). Nothing
 * is changed on the machine.
 */
#include "worker/session.h"

#include <string.h>

#include "cupti/range_profiler.h"
#include "device/cuda/activity.h"
#include "device/cuda/clock_stamp.h"
#include "device/device.h"
#include "device/nvml.h"
#include "results/env.h"
#include "util/dynlib.h"

/* State shared by the checks; each check closes what it opened. */
struct examination {
    struct sg_cuda cuda;
    CUdevice device;
    CUcontext context;
    struct sg_emitter *emitter;
};

static const char *known(const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key);
    return value ? value : "(not known)";
}

static void check_records(struct examination *x, const struct sg_activity *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (records[i].end_ns <= records[i].start_ns) {
            sg_emit_note(x->emitter, "blocked times: CUPTI records have no end (12.6u2 to 13.0 do "
                                     "that under a timestamp callback)");
            return;
        }
    }
    sg_emit_note(x->emitter, "ok times: CUPTI activity records");
}

static enum sg_code stamp_twice(struct examination *x, struct sg_cupti *cupti, struct sg_err *err)
{
    struct sg_stamper stamper = {0};
    struct sg_activity *records = NULL;
    size_t count = 0;
    enum sg_code code = sg_activity_open(cupti, err);
    if (code == SG_SUCCESS)
        code = sg_stamper_init(&stamper, &x->cuda, err);
    if (code == SG_SUCCESS) {
        sg_activity_begin();
        CUresult result = sg_stamper_mark(&stamper, &x->cuda, NULL, 0, 0);
        SG_THEN(result, sg_stamper_mark(&stamper, &x->cuda, NULL, 1, 0));
        SG_THEN(result, x->cuda.context_synchronize());
        code = sg_cuda_check(&x->cuda, result, "launching a kernel", err);
    }
    if (code == SG_SUCCESS)
        code = sg_activity_take(cupti, 2, &records, &count, err);
    if (code == SG_SUCCESS)
        check_records(x, records, count);
    sg_stamper_release(&stamper, &x->cuda);
    return code;
}

/* Names the library, since several may be installed. */
static void check_cupti(struct sg_emitter *emitter)
{
    struct sg_cupti cupti = {0};
    struct sg_err err = {0};
    if (sg_cupti_open(&cupti, &err) == SG_SUCCESS)
        sg_emit_note(emitter, "ok CUPTI: %s", sg_dynlib_path(cupti.library));
    else
        sg_emit_note(emitter, "missing CUPTI: %s: %s", err.where, err.message);
    sg_cupti_close(&cupti);
}

static void check_times(struct examination *x)
{
    struct sg_cupti cupti = {0};
    struct sg_err err = {0};
    if (sg_cupti_open(&cupti, &err) != SG_SUCCESS)
        sg_emit_note(x->emitter,
                     "missing times by CUPTI: %s: %s; CUDA events are used, and their times are "
                     "about 2 us too long",
                     err.where, err.message);
    else if (stamp_twice(x, &cupti, &err) != SG_SUCCESS)
        sg_emit_note(x->emitter, "blocked times by CUPTI: %s: %s", err.where, err.message);
    sg_cupti_close(&cupti);
}

static void check_counters(struct examination *x)
{
    struct sg_counters *counters = NULL;
    struct sg_err err = {0};
    char chip[32] = "";
    if (sg_counters_open(&counters, &err) != SG_SUCCESS)
        sg_emit_note(x->emitter,
                     "missing counters: %s: %s; install the toolkit's CUPTI or set CUDA_HOME",
                     err.where, err.message);
    else if (sg_counters_chip(counters, (size_t)x->device, chip, sizeof(chip), &err) !=
                 SG_SUCCESS ||
             sg_counters_allowed(counters, x->context, &err) != SG_SUCCESS)
        sg_emit_note(x->emitter, "blocked counters: %s: %s", err.where, err.message);
    else
        sg_emit_note(x->emitter, "ok counters: CUPTI range profiler, chip %s", chip);
    sg_counters_close(counters);
}

static void check_neighbours(struct examination *x, const struct sg_env *env)
{
    const char *mig = sg_env_get(env, "mig");
    if (mig && strcmp(mig, "0") != 0)
        sg_emit_note(x->emitter, "warn MIG is on: other instances share memory and clocks; times "
                                 "are not comparable with a whole GPU's");
    char pci_id[32] = "";
    struct sg_nvml *nvml = NULL;
    struct sg_err err = {0};
    x->cuda.device_pci_id(pci_id, sizeof(pci_id), x->device);
    if (sg_nvml_open(pci_id, &nvml, &err) != SG_SUCCESS) {
        sg_emit_note(x->emitter, "missing clocks and power: %s: %s", err.where, err.message);
        return;
    }
    int others = sg_nvml_other_processes(nvml, 0);
    if (others < 0)
        sg_emit_note(x->emitter, "warn NVML does not show this process its neighbours (a "
                                 "container?): whether others use the GPU is not known");
    if (others > 0)
        sg_emit_note(x->emitter, "warn %d other process%s computing on this GPU: times suffer",
                     others, others == 1 ? " is" : "es are");
    sg_emit_note(
        x->emitter, "ok clocks and power: NVML, cap %s W, SM clock up to %s Hz, events now: %s",
        known(env, "power_cap_w"), known(env, "sm_clock_max_hz"), known(env, "event_reasons"));
    sg_nvml_close(nvml);
}

enum sg_code sg_cuda_doctor(int gpu, struct sg_emitter *emitter, struct sg_err *err)
{
    struct sg_device *device = NULL;
    struct examination x = {.emitter = emitter};
    SG_SCOPED(sg_env) env = {0};
    if (sg_device_open_cuda(gpu, &device, err) != SG_SUCCESS ||
        sg_cuda_open(&x.cuda, err) != SG_SUCCESS)
        goto out;
    device->ops->describe(device, &env);
    sg_emit_env(emitter, &env);
    sg_emit_note(emitter, "ok GPU: %s, driver %s, CUDA %s", known(&env, "gpu_name"),
                 known(&env, "driver"), known(&env, "cuda"));
    check_cupti(emitter);
    CUresult result = x.cuda.device_get(&x.device, gpu);
    SG_THEN(result, x.cuda.primary_retain(&x.context, x.device));
    if (sg_cuda_check(&x.cuda, result, "cuDevicePrimaryCtxRetain", err) != SG_SUCCESS)
        goto out;
    check_times(&x);
    check_counters(&x);
    check_neighbours(&x, &env);
out:
    if (x.context)
        x.cuda.primary_release(x.device);
    sg_cuda_close(&x.cuda);
    if (device)
        device->ops->close(device);
    return err->code;
}
