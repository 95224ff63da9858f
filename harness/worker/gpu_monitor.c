/*
 * The state of the GPU during a time pass, and the drift references at its start and end
 * (docs/guards.md).
 *
 * Invariant: unknown figures are omitted and never fail an item. When the figures of the end are
 * reported, all items have been timed.
 */
#include "worker/session.h"

#include <math.h>
#include <string.h>

#include "device/null/noise_model.h"
#include "stats/statistics.h"
#include "worker/fresh_buffers.h"

#define WARM_UP_BATCHES 24 /* an idle GPU is slower, which must not be taken for drift */
#define BATCHES         9  /* their median is reported */

/* The loaded module of this path; NULL: none. */
static const struct sg_module *find_loaded(const struct sg_modules *modules, const char *path)
{
    for (size_t i = 0; i < modules->count; i++)
        if (strcmp(modules->paths[i], path) == 0)
            return modules->items[i];
    return NULL;
}

static enum sg_code find_targets(struct sg_watch *watch, const struct sg_modules *modules,
                                 const struct sg_module *module, struct sg_err *err)
{
    const struct sg_sides sides = {.modules = modules, .against = &(const struct sg_modules){0}};
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT && err->code == SG_SUCCESS; kind++) {
        SG_FORMATTED(item, "%s/%s/" SG_DRIFT_VARIANT, module->name,
                     sg_drift_references[kind].case_);
        sg_sides_find(&sides, item.data, &watch->targets[kind], err);
    }
    watch->has_references = err->code == SG_SUCCESS;
    return err->code;
}

enum sg_code sg_watch_open(struct sg_watch *watch, const struct sg_order *order,
                           const struct sg_modules *loaded, struct sg_err *err)
{
    if (!order->drift)
        return SG_SUCCESS;
    const struct sg_module *module = find_loaded(loaded, order->drift);
    if (module)
        return find_targets(watch, loaded, module, err);
    if (sg_modules_load(&watch->modules, &order->drift, 1, err) != SG_SUCCESS)
        return err->code;
    return find_targets(watch, &watch->modules, watch->modules.items[0], err);
}

/* All items of a worker run on one kind of device. */
static struct sg_device *device_of(const struct sg_pass *pass)
{
    return sg_pass_device(pass, &pass->targets[0]);
}

void sg_watch_item(struct sg_pass *pass, double figure[SG_FIGURE_COUNT])
{
    pass->watch.events_known |=
        device_of(pass)->ops->read_state(device_of(pass), figure, &pass->watch.events);
    pass->watch.others = fmax(pass->watch.others, figure[SG_FIGURE_OTHERS]);
}

/* A simulated time must not depend on earlier items. */
static void begin_reference(const struct sg_pass *pass, const struct sg_target *target,
                            enum sg_moment moment)
{
    struct sg_device *device = device_of(pass);
    SG_SCOPED(sg_text) name = {0};
    if (!device->ops->begin_item)
        return;
    sg_text_addf(&name, "%u.%u/%s/%s", pass->order->process, pass->order->attempt, target->c->name,
                 sg_moment_words[moment]);
    device->ops->begin_item(device, sg_simulate_seed(pass->order->seed, name.data));
}

/* Sets *ns and *clock to medians over the batches. */
static enum sg_status reference_batch(struct sg_pass *pass, const struct sg_runnable *what,
                                      double *ns, double *clock, struct sg_reason *why)
{
    struct sg_device *device = device_of(pass);
    double times[BATCHES], clocks[BATCHES];
    for (unsigned i = 0; i < WARM_UP_BATCHES + BATCHES; i++) {
        struct sg_batch batch = {0};
        const enum sg_status status =
            device->ops->batch(device, what, pass->order->settings.launches, NULL, &batch, why);
        if (status != SG_OK)
            return status;
        if (i < WARM_UP_BATCHES)
            continue;
        times[i - WARM_UP_BATCHES] = sg_mean(batch.ns, batch.launches);
        clocks[i - WARM_UP_BATCHES] = batch.sm_clock;
    }
    *ns = sg_median(times, BATCHES);
    *clock = sg_median(clocks, BATCHES);
    return SG_OK;
}

/* Fills the buffers of a drift reference. NULL: failed, with the reason in outcome or err. */
static struct sg_buffers *fill_reference(struct sg_pass *pass, enum sg_drift_kind kind,
                                         struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_target *target = &pass->watch.targets[kind];
    struct sg_buffers *buffers =
        sg_pass_can_run(pass, target, outcome) ? sg_pass_buffers(pass, target, outcome, err) : NULL;
    if (buffers && sg_fill_inputs(buffers, pass->order->seed, false, outcome, err) == SG_SUCCESS &&
        outcome->status == SG_OK)
        return buffers;
    return NULL;
}

void sg_watch_prepare(struct sg_pass *pass)
{
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT && pass->watch.has_references; kind++)
        fill_reference(pass, kind, &(struct sg_outcome){.status = SG_OK}, &(struct sg_err){0});
}

static enum sg_code time_reference(struct sg_pass *pass, enum sg_drift_kind kind,
                                   enum sg_moment moment, double figure[SG_FIGURE_COUNT],
                                   struct sg_err *err)
{
    const struct sg_target *target = &pass->watch.targets[kind];
    const struct sg_configured_variant configured = sg_target_configured(target);
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_runnable runnable;
    struct sg_reason why = {""};
    struct sg_buffers *buffers = fill_reference(pass, kind, &outcome, err);
    if (buffers && sg_runnable_prepare(&runnable, buffers, &configured, &outcome) == SG_OK) {
        double ns = NAN, clock = NAN;
        begin_reference(pass, target, moment);
        const enum sg_status status = reference_batch(pass, &runnable, &ns, &clock, &why);
        if (status != SG_OK)
            sg_outcome_set(&outcome, status, "%s", why.text);
        sg_runnable_finish(&runnable, device_of(pass), &outcome);
        figure[sg_drift_references[kind].ns] = ns;
        figure[sg_drift_references[kind].clock] = clock > 0 ? clock : NAN;
    }
    if (outcome.status != SG_OK)
        sg_emit_note(pass->emitter, "drift reference %s: %s: %s", target->c->name,
                     sg_status_word(outcome.status), outcome.message);
    return err->code;
}

static void emit_figures(struct sg_pass *pass, enum sg_moment moment,
                         const double figure[SG_FIGURE_COUNT])
{
    for (enum sg_figure f = 0; f < SG_FIGURE_COUNT; f++)
        if (!isnan(figure[f]))
            SG_EMIT(pass->emitter, FIGURE, .moment = moment, .figure = (enum sg_figure)f,
                    .figure_value = figure[f]);
}

enum sg_code sg_watch_report(struct sg_pass *pass, enum sg_moment moment, struct sg_err *err)
{
    struct sg_watch *watch = &pass->watch;
    double state[SG_FIGURE_COUNT], drift[SG_FIGURE_COUNT];
    for (enum sg_figure f = 0; f < SG_FIGURE_COUNT; f++)
        state[f] = drift[f] = NAN;
    /* Read events before the references run, so that a later crash is not blamed on the last item.
     */
    watch->events_known |= device_of(pass)->ops->read_state(device_of(pass), state, &watch->events);
    if (watch->others > 0) /* includes processes that have ended */
        state[SG_FIGURE_OTHERS] = fmax(state[SG_FIGURE_OTHERS], watch->others);
    sg_emit_events(pass->emitter, moment, watch->events_known, watch->events);
    emit_figures(pass, moment, state);
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT && watch->has_references; kind++)
        if (time_reference(pass, kind, moment, drift, err) != SG_SUCCESS)
            return err->code;
    emit_figures(pass, moment, drift);
    return SG_SUCCESS;
}
