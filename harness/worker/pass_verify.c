/*
 * Verifies a variant. docs/formats.md describes the reports,
 * kernels/solgate_kernel.h the outcomes.
 *
 * There are three fresh seeds of inputs. A variant that claims to be deterministic then repeats the
 * launch of the third seed; all repeats must give the same bits. If the family says that small
 * integers are exact, their result must match bit for bit. Repeats are compared on the device with
 * a copy of the outputs; SG_OOM if the device cannot hold the copy. Before each launch outputs are
 * poisoned. Guards are renewed too, except for repeats whose poison reaches no guard. If several
 * things are wrong with one launch, the gravest is reported: fault, overrun, unwritten, nan, wrong,
 * nondeterministic.
 */
#include "worker/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/gate_host.h"
#include "results/identity.h"
#include "results/row_kind.h"
#include "util/memory.h"
#include "util/text.h"
#include "worker/error_report.h"
#include "worker/fresh_buffers.h"
#include "worker/checked_launch.h"
#include "results/terms.h"
#include "util/digest.h"

/* The verification of one item; arrays by buffer index, NULL for buffers that are not compared. */
struct verification {
    const struct sg_target *target;
    struct sg_buffers *buffers;
    struct sg_runnable runnable;
    struct sg_outputs outputs;   /* owned */
    void *first[SG_MAX_BUFFERS]; /* owned by the device, if compared: outputs of the launch that the
                                    repeats follow */
    unsigned turn;               /* launches so far */
    bool launched;               /* at least one launch was made, whatever its result */
    uint64_t leaked;             /* bytes taken by launches after the first, which loads its code */
    struct sg_output_error error; /* largest of all outputs and seeds so far, and the description of
                                     the wrong launch */
};

static void release(struct verification *v)
{
    sg_outputs_release(&v->outputs);
    for (size_t i = 0; i < SG_MAX_BUFFERS; i++)
        if (v->first[i])
            v->buffers->device->ops->release(v->buffers->device, v->first[i]);
}

static void take_on_device(const struct verification *v, size_t i, void **memory,
                           struct sg_outcome *outcome)
{
    struct sg_device *device = v->buffers->device;
    enum sg_status status = SG_OOM;
    *memory = device->ops->alloc(device, v->buffers->bytes[i], &status);
    if (!*memory)
        sg_outcome_set(outcome, status, "no room for %llu bytes on %s to compare repeats of %s",
                       (unsigned long long)v->buffers->bytes[i], device->name,
                       v->buffers->layout[i].name);
}

/* Allocates the copies that repeats are compared with. */
static enum sg_status take_first(struct verification *v, struct sg_outcome *outcome)
{
    for (size_t i = 0; i < v->buffers->count && outcome->status == SG_OK; i++)
        if (sg_is_checked(&v->buffers->layout[i]) && v->target->variant->variant->deterministic)
            take_on_device(v, i, &v->first[i], outcome);
    return outcome->status;
}

/* Poisons and launches once. A fault becomes the outcome. */
static enum sg_code launch_once(struct verification *v, struct sg_outcome *outcome,
                                struct sg_err *err)
{
    struct sg_device *device = v->buffers->device;
    struct sg_reason why = {""};
    if (sg_buffers_poison(v->buffers, ++v->turn, err) != SG_SUCCESS)
        return err->code;
    const uint64_t before = device->ops->memory_used(device);
    struct sg_context_settings settings;
    device->ops->read_settings(device, &settings);
    v->launched = true;
    const enum sg_status status = device->ops->run(device, &v->runnable, &why);
    const uint64_t now = device->ops->memory_used(device);
    v->leaked += v->turn > 1 && now > before ? now - before : 0;
    if (status != SG_OK) {
        sg_outcome_set(outcome, status, "%s", why.text);
        return SG_SUCCESS;
    }
    sg_runnable_check_settings(device, &settings, outcome);
    return SG_SUCCESS;
}

/* The same with guards: a write out of bounds becomes the outcome too. */
static enum sg_code launch_guarded(struct verification *v, struct sg_outcome *outcome,
                                   struct sg_err *err)
{
    if (sg_buffers_renew_guards(v->buffers, err) == SG_SUCCESS &&
        launch_once(v, outcome, err) == SG_SUCCESS && outcome->status == SG_OK)
        sg_buffers_check_guards(v->buffers, outcome, err);
    return err->code;
}

static void judge(struct verification *v, struct sg_outcome *outcome)
{
    char inputs[64];
    const struct sg_output_terms terms = {
        .bitwise = v->buffers->integers, .poisoned = true, .turn = v->turn, .inputs = inputs};
    snprintf(inputs, sizeof(inputs), "%sseed %llu", v->buffers->integers ? "integers of " : "",
             (unsigned long long)v->buffers->seed);
    sg_outputs_judge(v->buffers, &v->outputs, &terms, outcome, &v->error);
}

/* True after an outcome, or an error that ends the pass. */
static bool is_over(const struct sg_outcome *outcome, const struct sg_err *err)
{
    return outcome->status != SG_OK || err->code != SG_SUCCESS;
}

/* One launch on new inputs, whose expected values the reference has computed before. */
static enum sg_code check_inputs(struct verification *v, uint64_t seed, bool integers,
                                 struct sg_outcome *outcome, struct sg_err *err)
{
    sg_fill_inputs(v->buffers, seed, integers, outcome, err);
    if (!is_over(outcome, err))
        sg_outputs_expect(v->buffers, &v->outputs, outcome, err);
    if (!is_over(outcome, err))
        launch_guarded(v, outcome, err);
    if (!is_over(outcome, err))
        sg_fresh_check_inputs(v->buffers, SG_AS_DRAWN, outcome, err);
    if (!is_over(outcome, err))
        sg_outputs_read(v->buffers, &v->outputs, outcome, err);
    if (!is_over(outcome, err))
        judge(v, outcome);
    return err->code;
}

/* Describes the difference between two outputs whose bytes differ. */
static void describe_difference(struct verification *v, size_t i, const void *first,
                                unsigned repeat, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &v->buffers->layout[i];
    struct sg_error_signature line;
    char inputs[64];
    snprintf(inputs, sizeof(inputs), "repeat %u of seed %llu", repeat,
             (unsigned long long)v->buffers->seed);
    sg_error_report_repeat(buffer, first, v->outputs.got[i], inputs, &line);
    if (line.elements == 0)
        return;
    sg_outcome_set(outcome, SG_NONDETERMINISTIC,
                   "%s%s: %s at first, %s in repeat %u of %d; %llu of %llu elements; seed %llu",
                   buffer->name, line.at, line.want, line.got, repeat, SG_VERIFY_REPEATS,
                   (unsigned long long)line.elements, (unsigned long long)buffer->count,
                   (unsigned long long)v->buffers->seed);
    v->error.wrong = line;
}

static enum sg_code read_difference(struct verification *v, size_t i, unsigned repeat,
                                    struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_device *device = v->buffers->device;
    const uint64_t bytes = v->buffers->bytes[i];
    SG_FREED void *first = sg_alloc_touched(bytes);
    if (!first)
        sg_outcome_set(outcome, SG_OOM, "no room for %llu bytes on the host to compare repeats",
                       (unsigned long long)bytes);
    else if (device->ops->download(device, first, v->first[i], bytes, err) == SG_SUCCESS &&
             sg_buffers_read(v->buffers, i, v->outputs.got[i], err) == SG_SUCCESS)
        describe_difference(v, i, first, repeat, outcome);
    return err->code;
}

static enum sg_code keep_first(struct verification *v, struct sg_err *err)
{
    struct sg_device *device = v->buffers->device;
    for (size_t i = 0; i < v->buffers->count && err->code == SG_SUCCESS; i++)
        if (v->first[i])
            device->ops->copy(
                device,
                &(struct sg_stretch){v->first[i], v->buffers->memory[i], v->buffers->bytes[i]}, 1,
                err);
    return err->code;
}

/* Compares on the device, since reading every repeat back would take longer than the rest of the
 * pass. */
static enum sg_code compare_with_first(struct verification *v, unsigned repeat,
                                       struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_device *device = v->buffers->device;
    for (size_t i = 0; i < v->buffers->count && outcome->status == SG_OK; i++) {
        const struct sg_stretch both = {v->first[i], v->buffers->memory[i], v->buffers->bytes[i]};
        uint64_t at = both.bytes;
        if ((both.to && device->ops->compare(device, &both, 1, &at, err) != SG_SUCCESS) ||
            (at < both.bytes && read_difference(v, i, repeat, outcome, err) != SG_SUCCESS))
            return err->code;
    }
    return SG_SUCCESS;
}

/* Repeats the previous, correct launch with the same inputs and compares the outputs. Guards and
 * inputs are checked once after all repeats, because each check synchronizes several times. */
static enum sg_code check_repeats(struct verification *v, struct sg_outcome *outcome,
                                  struct sg_err *err)
{
    const bool guards_stay = sg_buffers_poison_spares_guards(v->buffers);
    if (keep_first(v, err) != SG_SUCCESS)
        return err->code;
    for (unsigned repeat = 1; repeat <= SG_VERIFY_REPEATS && outcome->status == SG_OK; repeat++) {
        if ((guards_stay ? launch_once : launch_guarded)(v, outcome, err) != SG_SUCCESS ||
            (outcome->status == SG_OK && compare_with_first(v, repeat, outcome, err) != SG_SUCCESS))
            return err->code;
    }
    if (outcome->status == SG_OK &&
        sg_buffers_check_guards(v->buffers, outcome, err) == SG_SUCCESS && outcome->status == SG_OK)
        sg_fresh_check_inputs(v->buffers, SG_AS_DRAWN, outcome, err);
    return err->code;
}

/* Checks repeats before integer inputs, whose sums are the same in any order. */
static enum sg_code check_all(struct verification *v, uint64_t seed, struct sg_outcome *outcome,
                              struct sg_err *err)
{
    for (unsigned i = 0; i < SG_VERIFY_SEEDS; i++)
        if (check_inputs(v, seed + i, false, outcome, err) != SG_SUCCESS ||
            outcome->status != SG_OK)
            return err->code;
    if (v->target->variant->variant->deterministic)
        if (check_repeats(v, outcome, err) != SG_SUCCESS || outcome->status != SG_OK)
            return err->code;
    return v->target->module->family->exact_integers ? check_inputs(v, seed, true, outcome, err)
                                                     : SG_SUCCESS;
}

/* If the worker cannot go on after a launch, that launch may be the cause. So a variant that frees
 * the harness's memory fails its own row, not the run. */
static void fail_by_launches(const struct verification *v, struct sg_outcome *outcome,
                             struct sg_err *err)
{
    if (!v->launched || err->code != SG_INVALID)
        return;
    sg_outcome_set(outcome, SG_CRASH, "its worker failed after launch %u: %.60s%s%.300s", v->turn,
                   err->where, err->where[0] ? ": " : "", err->message);
    *err = (struct sg_err){0};
}

/* Tests whether other inputs give wrong elements at the same place. These launches come after the
 * outcome and cannot change it. A variant whose repeats differ is not tested, since the inputs are
 * not the cause. */
static void find_hold(struct verification *v, enum sg_status status)
{
    const struct sg_error_signature first = v->error.wrong;
    const uint64_t seed = v->buffers->seed;
    bool agrees = true;
    for (unsigned i = 1; i < SG_SIGNATURE_SEEDS && agrees; i++) {
        struct sg_outcome again = {.status = SG_OK};
        agrees =
            check_inputs(v, seed + i, v->buffers->integers, &again, SG_IGNORED) == SG_SUCCESS &&
            again.status == status && strcmp(first.where, v->error.wrong.where) == 0;
    }
    v->error.wrong = first;
    v->error.wrong.recurrence = agrees ? SG_RECURS_IN_PLACE : SG_RECURS_ELSEWHERE;
}

/* Reports the outcome before any further launch, which may end the worker. */
static void emit_wrong(struct sg_pass *pass, struct verification *v, struct sg_outcome *outcome)
{
    SG_SCOPED(sg_text) line = {0};
    sg_pass_report_failure(pass, v->target, outcome);
    outcome->is_reported = true;
    if (outcome->status != SG_NONDETERMINISTIC)
        find_hold(v, outcome->status);
    sg_error_signature_add(&line, &v->error.wrong);
    sg_emit_word(pass->emitter, v->target, SG_SIGNATURE_METRIC, line.data);
}

void sg_emit_work(struct sg_emitter *emitter, const struct sg_target *target)
{
    const struct sg_work work = target->module->family->work(target->c);
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        char metric[64];
        snprintf(metric, sizeof(metric), "work_flop_%s", sg_dtype_word((enum sg_dtype)dtype));
        if (work.flop[dtype] > 0)
            sg_emit_number(emitter, target, metric, "flop", work.flop[dtype]);
    }
    sg_emit_number(emitter, target, "work_read_bytes", "B", work.read_bytes);
    sg_emit_number(emitter, target, "work_write_bytes", "B", work.write_bytes);
    if (sg_gate_host && sg_gate_host->guesses)
        sg_emit_word(emitter, target, SG_GUESSED_METRIC, sg_gate_host->guesses);
}

static void emit_terms(struct sg_emitter *emitter, const struct verification *v)
{
    const struct sg_family *family = v->target->module->family;
    const struct sg_tolerance tolerance = family->tolerance(v->target->c);
    struct sg_digest buffers = SG_DIGEST_EMPTY;
    for (size_t i = 0; i < v->buffers->count; i++) {
        const struct sg_buffer *buffer = &v->buffers->layout[i];
        SG_FORMATTED(words, "%s %s %d %d %g %llu", buffer->name, sg_dtype_word(buffer->dtype),
                     (int)buffer->use, (int)buffer->fill, buffer->scale,
                     (unsigned long long)buffer->count);
        sg_digest_add_string(&buffers, words.data);
    }
    sg_emit_number(emitter, v->target, SG_TERM_RMS, "1", tolerance.rel_rms);
    sg_emit_number(emitter, v->target, SG_TERM_MAX, "1", tolerance.rel_max);
    sg_emit_number(emitter, v->target, SG_TERM_REPEATS, "1",
                   v->target->variant->variant->deterministic);
    sg_emit_number(emitter, v->target, SG_TERM_INTEGERS, "1", family->exact_integers);
    sg_emit_number(emitter, v->target, SG_TERM_BUFFERS, "1",
                   (double)(buffers.state % SG_TERM_DIGEST_MAX));
}

/* Reports the error of a correct variant; nothing if it equals the reference. */
static void emit_error(struct sg_emitter *emitter, const struct verification *v)
{
    if (v->error.rms == 0)
        return;
    sg_emit_number(emitter, v->target, "error_rms", "1", v->error.rms);
    sg_emit_number(emitter, v->target, "error_max", "1", v->error.max);
}

/* Call while the variant is prepared: the files it loaded are still mapped. */
static void add_identity(const struct sg_pass *pass, const struct sg_target *target,
                         struct sg_text *identity)
{
    const char *own = sg_modules_path(&pass->modules, target->module);
    const struct sg_built_module module = {
        .path = own ? own : sg_modules_path(&pass->against, target->module),
        .digest = pass->order->built};
    sg_variant_identity_add(target, &module, sg_pass_device(pass, target), identity);
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

/* A NaN as a tolerance would let everything pass. */
static enum sg_code check_promises(const struct sg_target *target, struct sg_err *err)
{
    const struct sg_family *family = target->module->family;
    const struct sg_tolerance tolerance = family->tolerance(target->c);
    const struct sg_work work = family->work(target->c);
    SG_FORMATTED(where, "%s/%s", target->module->name, target->c->name);
    if (!is_amount(tolerance.rel_rms) || !is_amount(tolerance.rel_max))
        sg_fail(err, SG_BAD_INPUT, where.data,
                "expected tolerances of 0 or more, found rel_rms %g, rel_max %g", tolerance.rel_rms,
                tolerance.rel_max);
    if (tolerance.rel_rms >= 1 && tolerance.rel_max >= 1)
        sg_fail(err, SG_BAD_INPUT, where.data,
                "expected a tolerance below 1, or outputs of zeros would be right, found rel_rms "
                "%g, rel_max %g",
                tolerance.rel_rms, tolerance.rel_max);
    bool amounts = is_amount(work.read_bytes) && is_amount(work.write_bytes),
         some = work.read_bytes > 0 || work.write_bytes > 0;
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        amounts = amounts && is_amount(work.flop[dtype]);
        some = some || work.flop[dtype] > 0;
    }
    if (!amounts)
        sg_fail(err, SG_BAD_INPUT, where.data,
                "expected finite amounts of work of 0 or more, found %g B read, %g B written",
                work.read_bytes, work.write_bytes);
    else if (!some)
        sg_fail(err, SG_BAD_INPUT, where.data,
                "expected some work, found none: a variant writes at least its outputs");
    return err->code;
}

enum sg_code sg_verify_item(struct sg_pass *pass, const struct sg_target *target,
                            struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_configured_variant configured = sg_target_configured(target);
    struct verification v = {.target = target,
                             .buffers = sg_pass_buffers(pass, target, outcome, err)};
    SG_SCOPED(sg_text) identity = {0};
    if (!v.buffers || check_promises(target, err) != SG_SUCCESS ||
        sg_variant_facts_check(target, err) != SG_SUCCESS || take_first(&v, outcome) != SG_OK)
        goto out;
    if (sg_runnable_prepare(&v.runnable, v.buffers, &configured, outcome) != SG_OK)
        goto out;
    check_all(&v, pass->order->seed, outcome, err);
    fail_by_launches(&v, outcome, err);
    struct sg_reason why = {""};
    if (sg_gate_host && outcome->status == SG_OK &&
        strcmp(target->variant->name, "candidate") == 0 && sg_gate_host->is_wrong(target->c, &why))
        sg_outcome_set(outcome, SG_WRONG, "%s", why.text);
    /* On a GPU other verifications allocate memory at the same time. There the time pass looks for
     * leaks, since its worker runs alone. */
    if (err->code == SG_SUCCESS && v.leaked >= SG_LEAK_BYTES && v.buffers->device->memory_is_own)
        sg_outcome_set(outcome, SG_LEAK, "%u launches leaked %llu bytes of device memory",
                       v.turn - 1, (unsigned long long)v.leaked);
    const bool is_wrong = err->code == SG_SUCCESS && sg_has_error_signature(outcome->status) &&
                          v.error.wrong.count > 0;
    if (is_wrong)
        emit_wrong(pass, &v, outcome);
    add_identity(pass, target, &identity);
    sg_runnable_finish(&v.runnable, v.buffers->device, outcome);
    if (err->code == SG_SUCCESS && outcome->status == SG_OK) {
        SG_EMIT(pass->emitter, STATUS, SG_OF_TARGET(target), .status = SG_OK,
                .text = v.error.uncompared);
        sg_emit_work(pass->emitter, target);
        emit_terms(pass->emitter, &v);
        emit_error(pass->emitter, &v);
        sg_variant_facts_emit(pass->emitter, target, &v.runnable);
        sg_emit_word(pass->emitter, target, SG_IDENTITY_METRIC, identity.data);
    }
out:
    release(&v);
    return err->code;
}
