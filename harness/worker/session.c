#include "worker/session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "device/code_images.h"
#include "device/gate_host.h"
#include "results/env.h"
#include "util/file.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/marks.h"
#include "worker/read_files.h"

#define KEPT_BYTES_MAX \
    (UINT64_C(16) << 30) /* bytes of device memory; kept cases beyond this are freed */

const char *sg_pass_word(enum sg_pass_kind kind)
{
    static const char *const word[SG_PASS_KINDS] = {SG_PASS_TABLE(SG_WORD)};
    return word[kind];
}

struct sg_device *sg_pass_device(const struct sg_pass *pass, const struct sg_target *target)
{
    return pass->device[target->module->family->device];
}

void sg_pass_forget(struct sg_pass *pass)
{
    for (size_t i = 0; i < pass->case_count; i++)
        sg_buffers_free(pass->cases[i]);
    pass->case_count = 0;
}

struct sg_buffers *sg_pass_open_case(struct sg_pass *pass, const struct sg_target *target,
                                     struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_buffers *buffers = sg_alloc(1, sizeof(*buffers));
    if (sg_buffers_open(buffers, target, sg_pass_device(pass, target), pass->bare, outcome, err) ==
            SG_SUCCESS &&
        outcome->status == SG_OK)
        return buffers;
    sg_buffers_free(buffers);
    return NULL;
}

struct sg_buffers *sg_pass_buffers(struct sg_pass *pass, const struct sg_target *target,
                                   struct sg_outcome *outcome, struct sg_err *err)
{
    uint64_t kept_bytes = 0;
    for (size_t i = 0; i < pass->case_count; i++) {
        if (pass->cases[i]->c == target->c)
            return pass->cases[i];
        kept_bytes += sg_buffers_bytes(pass->cases[i]);
    }
    if (kept_bytes > KEPT_BYTES_MAX)
        sg_pass_forget(pass);
    struct sg_outcome first_try = {.status = SG_OK};
    struct sg_buffers *buffers = sg_pass_open_case(pass, target, &first_try, err);
    if (!buffers && err->code == SG_SUCCESS) {
        /* Free the buffers of other cases and retry. */
        sg_pass_forget(pass);
        buffers = sg_pass_open_case(pass, target, outcome, err);
    }
    if (buffers)
        *SG_APPEND(pass->cases, pass->case_count, pass->case_capacity) = buffers;
    return buffers;
}

/* An error left by a variant's own code is its outcome; `where` names the function. */
static enum sg_status settle(const struct sg_runnable *runnable, struct sg_device *device,
                             const char *where, struct sg_outcome *outcome)
{
    struct sg_reason why = {""};
    const enum sg_status status = device->ops->settle(device, runnable, &why);
    if (status != SG_OK)
        sg_outcome_set(outcome, status, "its `%s` left an error on the device: %s", where,
                       why.text);
    return status;
}

/* False: some settings could not be restored. */
static bool undo(struct sg_runnable *runnable, struct sg_device *device)
{
    if (runnable->launch.state && runnable->variant->variant->finish)
        runnable->variant->variant->finish(runnable->launch.state);
    runnable->launch.state = NULL;
    return device->ops->write_settings(device, &runnable->before);
}

enum sg_status sg_runnable_prepare(struct sg_runnable *runnable, struct sg_buffers *buffers,
                                   const struct sg_configured_variant *configured,
                                   struct sg_outcome *outcome)
{
    const struct sg_variant *v = configured->variant->variant;
    struct sg_reason *why = &runnable->note;
    *runnable = sg_buffers_runnable(buffers, configured);
    /* For a baseline of another build, pass that build's own copy of the case. */
    if (configured->module->family != buffers->family)
        runnable->launch.c = sg_module_case(configured->module, buffers->c->name);
    buffers->device->ops->read_settings(buffers->device, &runnable->before);
    if (!v->prepare)
        return SG_OK;
    const enum sg_status status = v->prepare(&runnable->launch, &runnable->launch.state, why);
    why->text[sizeof(why->text) - 1] = '\0';
    struct sg_outcome left = {.status = SG_OK};
    settle(runnable, buffers->device, "prepare", &left);
    /* A runtime error only explains a refusal; a fault stays a fault. */
    if (status != SG_OK && left.status != SG_CUDA_ERROR) {
        runnable->launch.state = NULL;
        /* After a refusal the process must stay usable. */
        if (!buffers->device->ops->write_settings(buffers->device, &runnable->before))
            return sg_outcome_set(outcome, SG_LAUNCH_FAILED, SG_SETTINGS_STAY);
        return sg_outcome_set(outcome, status, "%s", why->text);
    }
    if (left.status == SG_OK)
        return SG_OK;
    if (status == SG_OK)
        undo(runnable, buffers->device);
    runnable->launch.state = NULL;
    return sg_outcome_set(outcome, left.status, "%s", left.message);
}

enum sg_status sg_runnable_check_settings(struct sg_device *device,
                                          const struct sg_context_settings *before,
                                          struct sg_outcome *outcome)
{
    struct sg_context_settings behind;
    device->ops->read_settings(device, &behind);
    if (sg_context_settings_differ(before, &behind))
        return sg_outcome_set(outcome, SG_MISPLACED, SG_SETS_IN_LAUNCH);
    return SG_OK;
}

void sg_runnable_finish(struct sg_runnable *runnable, struct sg_device *device,
                        struct sg_outcome *outcome)
{
    const bool undone = undo(runnable, device);
    settle(runnable, device, "finish", outcome);
    if (!undone)
        sg_outcome_set(outcome, SG_LAUNCH_FAILED, SG_SETTINGS_STAY);
}

/* Checks that need no device. */
static bool supports(const struct sg_target *target, struct sg_outcome *outcome)
{
    const struct sg_variant *variant = target->variant->variant;
    const struct sg_case *own = target->module == target->home
                                    ? target->c
                                    : sg_module_case(target->module, target->c->name);
    struct sg_reason why = {""};
    if (!variant->supports || variant->supports(own, &why))
        return true;
    why.text[sizeof(why.text) - 1] = '\0';
    sg_outcome_set(outcome, SG_UNSUPPORTED, "%s", why.text);
    return false;
}

static bool device_runs(const struct sg_device *device, const struct sg_module *module,
                        struct sg_outcome *outcome)
{
    struct sg_reason why = {""};
    if (sg_module_runs_on(module, device->capability, &why))
        return true;
    sg_outcome_set(outcome, SG_UNSUPPORTED, "%s", why.text);
    return false;
}

bool sg_pass_can_run(const struct sg_pass *pass, const struct sg_target *target,
                     struct sg_outcome *outcome)
{
    const struct sg_device *device = sg_pass_device(pass, target);
    if (!supports(target, outcome) || !device_runs(device, target->module, outcome))
        return false;
    /* Only a time pass also launches the baseline. */
    outcome->of_baseline =
        pass->order->kind == SG_PASS_TIME && !device_runs(device, target->against, outcome);
    return !outcome->of_baseline;
}

static enum sg_code open_device(struct sg_pass *pass, enum sg_device_kind kind, struct sg_err *err)
{
    if (pass->device[kind])
        return SG_SUCCESS;
    if (kind == SG_HOST)
        return sg_device_open_null(pass->order->gpu, &pass->device[kind], err);
#ifdef SOLGATE_HAVE_CUDA
    return sg_device_open_cuda((int)pass->order->gpu, &pass->device[kind], err);
#else
    return sg_fail(err, SG_NO_GPU, NULL, "this solgate-worker " SG_NO_TOOLKIT);
#endif
}

static enum sg_code begin_on_device(struct sg_pass *pass, struct sg_device *device,
                                    struct sg_err *err)
{
    const struct sg_order *order = pass->order;
    const struct sg_timing_order timing = {.l2 = order->settings.l2,
                                           .seed = order->seed,
                                           .process = order->process,
                                           .attempt = order->attempt,
                                           .sustained = order->settings.sustained,
                                           .energy = order->settings.energy};
    SG_SCOPED(sg_env) env = {0};
    if (order->kind == SG_PASS_VERIFY && device->ops->watch_code)
        device->ops->watch_code(device);
    if (order->kind == SG_PASS_TIME)
        device->ops->begin_timing(device, &timing, err);
    if (order->kind == SG_PASS_COUNT)
        sg_counting_begin(pass->counting, device, order, err);
    if (order->kind == SG_PASS_WHERE)
        device->ops->begin_sampling(device, order->settings.l2, order->code, err);
    /* Only now are the time source and the CUPTI version known. */
    device->ops->describe(device, &env);
    if (order->kind == SG_PASS_TIME && device->time_source)
        sg_env_set(&env, "time_source", device->time_source);
    if (err->code == SG_SUCCESS)
        sg_emit_env(pass->emitter, &env);
    return err->code;
}

/* The A/A pairs of a Python gate come first, to reveal what a candidate does to its baseline, or
 * last, where the candidate's code is loaded first. */
static void put_alone(struct sg_target *targets, size_t count, bool last)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sg_target target = targets[i];
        if (sg_is_aa_pair(&target) == last)
            continue;
        memmove(&targets[first + 1], &targets[first], (i - first) * sizeof(target));
        targets[first++] = target;
    }
}

/* Records the loaded file, which may differ from the file of that name by now. */
static enum sg_code emit_code(struct sg_pass *pass, const struct sg_modules *modules,
                              const char *key, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    for (size_t i = 0; i < modules->count && err->code == SG_SUCCESS; i++) {
        SG_SCOPED(sg_text) mark = {0};
        if (sg_file_mark(modules->paths[i], &mark, err) == SG_SUCCESS)
            sg_fact_set(&env, key, SG_OF(modules->items[i]->name), mark.data);
    }
    sg_emit_env(pass->emitter, &env);
    return err->code;
}

static enum sg_code open_devices(struct sg_pass *pass, struct sg_err *err)
{
    const struct sg_order *order = pass->order;
    for (size_t i = 0; i < order->asked.count; i++)
        if (open_device(pass, pass->targets[i].module->family->device, err) != SG_SUCCESS)
            return err->code;
    for (size_t i = 0; i < pass->modules.count && order->kind == SG_PASS_DOCTOR; i++)
        if (open_device(pass, pass->modules.items[i]->family->device, err) != SG_SUCCESS)
            return err->code;
    for (size_t kind = 0; kind <= SG_HOST; kind++)
        if (pass->device[kind] && begin_on_device(pass, pass->device[kind], err) != SG_SUCCESS)
            return err->code;
    return SG_SUCCESS;
}

static enum sg_code open_pass(struct sg_pass *pass, struct sg_err *err)
{
    const struct sg_order *order = pass->order;
    const struct sg_sides sides = {.modules = &pass->modules,
                                   .against = &pass->against,
                                   .others = &order->others,
                                   .baseline = order->baseline,
                                   .pairs_builds = order->kind == SG_PASS_TIME,
                                   .settings = &order->knobs};
    if (order->kind == SG_PASS_VERIFY)
        sg_reads_begin();
    if (sg_modules_load(&pass->modules, (const char *const *)order->modules.items,
                        order->modules.count, err) != SG_SUCCESS ||
        sg_modules_load(&pass->against, (const char *const *)order->against.items,
                        order->against.count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < order->cases.count; i++)
        if (sg_modules_add_case(&pass->modules, order->cases.items[i], err) != SG_SUCCESS ||
            sg_modules_add_case(&pass->against, order->cases.items[i], err) != SG_SUCCESS)
            return err->code;
    if (order->kind != SG_PASS_LIST && order->kind != SG_PASS_DESCRIBE &&
        (emit_code(pass, &pass->modules, SG_CODE_KEY, err) != SG_SUCCESS ||
         emit_code(pass, &pass->against, SG_ACCEPTED_CODE_KEY, err) != SG_SUCCESS))
        return err->code;
    pass->targets = sg_alloc(order->asked.count, sizeof(*pass->targets));
    for (size_t i = 0; i < order->asked.count; i++) {
        if (sg_sides_find(&sides, order->asked.items[i].item, &pass->targets[i], err) != SG_SUCCESS)
            return err->code;
        pass->targets[i].tolerance = order->asked.items[i].tolerance;
        pass->targets[i].noise = order->asked.items[i].noise;
    }
    if (order->kind == SG_PASS_TIME && sg_gate_host) {
        sg_gate_host->loads_candidate_first = sg_loads_candidate_first(pass);
        put_alone(pass->targets, order->asked.count, sg_gate_host->loads_candidate_first);
    }
    if ((order->kind == SG_PASS_COUNT &&
         sg_counting_open(&pass->counting, &order->metrics, err) != SG_SUCCESS) ||
        (order->kind == SG_PASS_TIME &&
         sg_watch_open(&pass->watch, order, &pass->modules, err) != SG_SUCCESS))
        return err->code;
    sg_reads_pause();
    open_devices(pass, err);
    sg_reads_resume();
    return err->code;
}

static void release_pass(struct sg_pass *pass)
{
    sg_pass_forget(pass);
    for (size_t kind = 0; kind <= SG_HOST; kind++)
        if (pass->device[kind])
            pass->device[kind]->ops->close(pass->device[kind]);
    sg_counting_end(pass->counting);
}

void sg_pass_report_failure(struct sg_pass *pass, const struct sg_target *target,
                            const struct sg_outcome *outcome)
{
    if (outcome->of_baseline)
        SG_EMIT(pass->emitter, BASELINE, SG_OF_TARGET(target), .status = outcome->status,
                .text = outcome->message);
    else
        SG_EMIT(pass->emitter, STATUS, SG_OF_TARGET(target), .status = outcome->status,
                .text = outcome->message);
    /* A verification starts from fresh buffers; times and counts do not. */
    pass->spoiled |= pass->order->kind != SG_PASS_VERIFY && sg_status_is_spoiling(outcome->status);
}

struct where_item {
    struct sg_emitter *emitter;
    const struct sg_target *target;
};

static void take_pc(void *context, const struct sg_pc_count *count)
{
    const struct where_item *item = context;
    SG_EMIT(item->emitter, PC, SG_OF_TARGET(item->target), .kernel = count->kernel,
            .code = count->code, .pc = (unsigned)count->pc, .reason = count->reason,
            .pc_samples = (unsigned)count->samples);
}

/* A single launch for an external profiler; in a where pass, enough launches to sample the
 * warps. */
static enum sg_code launch_item(struct sg_pass *pass, const struct sg_target *target,
                                struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_device *device = sg_pass_device(pass, target);
    struct sg_buffers *buffers = sg_pass_buffers(pass, target, outcome, err);
    const struct sg_configured_variant configured = sg_target_configured(target);
    struct sg_runnable runnable;
    struct sg_reason why = {""};
    if (!buffers || sg_fill_inputs(buffers, pass->order->seed, false, outcome, err) != SG_SUCCESS ||
        outcome->status != SG_OK ||
        sg_runnable_prepare(&runnable, buffers, &configured, outcome) != SG_OK)
        return err->code;
    struct where_item item = {pass->emitter, target};
    const struct sg_pc_sink sink = {take_pc, &item};
    const enum sg_status status = pass->order->kind == SG_PASS_WHERE
                                      ? device->ops->sample(device, &runnable, &sink, &why)
                                      : device->ops->run(device, &runnable, &why);
    if (status != SG_OK)
        sg_outcome_set(outcome, status, "%s", why.text);
    sg_runnable_finish(&runnable, device, outcome);
    return SG_SUCCESS;
}

static enum sg_code do_item(struct sg_pass *pass, const struct sg_target *target,
                            struct sg_outcome *outcome, struct sg_err *err)
{
    if (!sg_pass_can_run(pass, target, outcome))
        return SG_SUCCESS;
    switch (pass->order->kind) {
    case SG_PASS_VERIFY:
        sg_pass_forget(pass); /* each item starts from new buffers */
        return sg_verify_item(pass, target, outcome, err);
    case SG_PASS_LAUNCH:
    case SG_PASS_WHERE:
        return launch_item(pass, target, outcome, err);
    default:
        sg_time_item(pass, target, outcome, err);
        sg_watch_item(pass, (double[SG_FIGURE_COUNT]){0});
        return err->code;
    }
}

/* Runs the items of a verify or time pass in order. After a failure another process takes the
 * rest. */
static enum sg_code do_items(struct sg_pass *pass, struct sg_err *err)
{
    for (size_t i = 0; i < pass->order->asked.count && !pass->spoiled; i++) {
        const struct sg_target *target = &pass->targets[i];
        struct sg_outcome outcome = {.status = SG_OK};
        SG_EMIT(pass->emitter, BEGIN, SG_OF_TARGET(target));
        sg_mark(SG_MARK_CASE, target->c->name);
        sg_mark(SG_MARK_VARIANT, target->name);
        if (do_item(pass, target, &outcome, err) != SG_SUCCESS)
            return err->code;
        if (outcome.status != SG_OK && !outcome.is_reported)
            sg_pass_report_failure(pass, target, &outcome);
        if (pass->emitter->err.code != SG_SUCCESS)
            return pass->emitter->err.code;
    }
    return SG_SUCCESS;
}

/* Returns 0 also if the other end is closed. */
static unsigned char await_byte(void)
{
    unsigned char byte = 0;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : 0;
}

/* In standby: prepares what needs no code of a variant, then waits for a byte. A failure here
 * recurs after that byte and is reported then. */
static void await_turn(struct sg_pass *pass)
{
    if (!pass->order->standby)
        return;
    if (pass->order->kind == SG_PASS_TIME) {
        sg_watch_prepare(pass);
        sg_time_prepare(pass, &pass->targets[0]);
    }
    if (write(STDIN_FILENO, "", 1) == 1)
        sg_pass_device(pass, &pass->targets[0])->siblings = await_byte();
}

/* Runs the items of a time pass between two reports of the GPU's state. */
static enum sg_code time_items(struct sg_pass *pass, struct sg_err *err)
{
    if (sg_watch_report(pass, SG_AT_START, err) == SG_SUCCESS &&
        do_items(pass, err) == SG_SUCCESS && !pass->spoiled)
        sg_watch_report(pass, SG_AT_END, err);
    return err->code;
}

static void list(struct sg_pass *pass)
{
    for (size_t i = 0; i < pass->modules.count; i++)
        sg_emit_module(pass->emitter, pass->modules.items[i]);
}

/* Reports facts of modules that need no device: the work of their cases, and build facts. */
static void describe(struct sg_pass *pass)
{
    for (size_t i = 0; i < pass->modules.count; i++) {
        const struct sg_module *module = pass->modules.items[i];
        for (size_t c = 0; c < module->family->case_count; c++) {
            const struct sg_target target = {
                .module = module, .c = &module->family->cases[c], .name = "limit"};
            SG_SCOPED(sg_text) shape = {0};
            sg_case_shape(module->family, target.c, &shape);
            sg_emit_word(pass->emitter, &target, "shape", shape.data);
            sg_emit_value(pass->emitter, &target,
                          &(struct sg_value){.metric = "status", .status = SG_SKIPPED});
            sg_emit_work(pass->emitter, &target);
        }
        for (const struct sg_kernel_build *kernel = module->kernels; kernel && kernel->name;
             kernel++)
            sg_emit_kernel(pass->emitter, module, kernel);
    }
}

/* With a module, opening its device has reported the facts. */
static enum sg_code doctor(struct sg_pass *pass, struct sg_err *err)
{
    if (pass->modules.count > 0)
        return SG_SUCCESS;
#ifdef SOLGATE_HAVE_CUDA
    return sg_cuda_doctor((int)pass->order->gpu, pass->emitter, err);
#else
    (void)err;
    sg_emit_note(pass->emitter, "missing this solgate-worker " SG_NO_TOOLKIT);
    return SG_SUCCESS;
#endif
}

static enum sg_code draw_secret(struct sg_pass *pass, struct sg_err *err)
{
    if (getrandom(&pass->secret, sizeof(pass->secret), 0) != (ssize_t)sizeof(pass->secret))
        return sg_fail(err, SG_SYSTEM, NULL, "getrandom() gave no random numbers: %s",
                       strerror(errno));
    return SG_SUCCESS;
}

enum sg_code sg_pass_run(const struct sg_order *order, struct sg_emitter *emitter,
                         struct sg_err *err)
{
    struct sg_pass pass = {.order = order,
                           .emitter = emitter,
                           .bare = order->kind == SG_PASS_LAUNCH || order->kind == SG_PASS_WHERE};
    bool has_begun = false;
    SG_EMIT(emitter, HELLO, .version = SG_PROTOCOL_VERSION, .pass = sg_pass_word(order->kind));
    if (order->kind == SG_PASS_TRACE) {
        sg_pass_trace(order, emitter, err);
        goto out;
    }
    if (draw_secret(&pass, err) != SG_SUCCESS || open_pass(&pass, err) != SG_SUCCESS)
        goto out;
    await_turn(&pass);
    has_begun = true;
    sg_mark(SG_MARK_PASS, sg_pass_word(order->kind));
    if (order->kind == SG_PASS_LIST)
        list(&pass);
    else if (order->kind == SG_PASS_DESCRIBE)
        describe(&pass);
    else if (order->kind == SG_PASS_DOCTOR)
        doctor(&pass, err);
    else if (order->kind == SG_PASS_COUNT)
        sg_count_items(&pass, err);
    else if (order->kind == SG_PASS_TIME)
        time_items(&pass, err);
    else
        do_items(&pass, err);
    sg_mark(SG_MARK_PASS, NULL);
    if (order->standby && !pass.spoiled)
        sg_pass_forget(&pass);
out:
    if (err->code != SG_SUCCESS)
        sg_emit_fail(emitter, err);
    else
        SG_EMIT(emitter, BYE);
    /* After a fault or a hang, releasing resources may block in the driver. _exit always works, and
     * is faster than CUPTI's exit from sampling. */
    if (pass.spoiled || order->kind == SG_PASS_WHERE)
        _exit(sg_exit_code(emitter->err.code));
    /* The exit of a process uses the device, where another process may be measuring. A worker that
     * could not open its pass ends at once, as the parent waits for it to be ready. */
    if (order->standby && has_begun)
        await_byte();
    release_pass(&pass);
    if (emitter->err.code != SG_SUCCESS)
        sg_fail(err, emitter->err.code, emitter->err.where, "%s", emitter->err.message);
    return err->code;
}
