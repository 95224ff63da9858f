#include "worker/timed_check.h"

#include <math.h>
#include <stdio.h>

#include "util/text.h"
#include "worker/fresh_buffers.h"

static struct sg_buffers *buffers_of(const struct sg_timed_check *check)
{
    return check->kept.buffers;
}

void sg_timed_check_open(struct sg_timed_check *check, struct sg_buffers *buffers,
                         unsigned launches, struct sg_outcome *outcome)
{
    *check = (struct sg_timed_check){.launches = launches};
    /* Allocate once: the spare bytes also serve the check of inputs. */
    sg_buffers_take_spare(buffers, sg_fresh_largest_input(buffers), outcome);
    sg_kept_open(&check->kept, buffers, launches + 1, outcome);
}

/* ---- around a launch ---- */

#define ALL_BYTES  UINT64_MAX
#define SOME_BYTES (UINT64_C(16) << 20) /* bytes of an output */

enum use { OF_INPUTS, OF_FIRST_OUTPUTS, OF_SECOND_OUTPUTS, OF_KEPT, USES };

static uint64_t key_of(const struct sg_timed_check *check, unsigned launch, enum use use)
{
    return sg_fresh_key(check->key, (uint64_t)launch * USES + use);
}

/* With new inputs, the outputs left by the previous launch are wrong. Outputs that hardly depend on
 * inputs are the exception: one scrambled launch per batch, selected by the key, is enough to
 * detect a side that leaves them unwritten. */
static enum sg_code scramble(const struct sg_timed_check *check, unsigned launch,
                             struct sg_err *err)
{
    const enum use use = check->matching ? OF_SECOND_OUTPUTS : OF_FIRST_OUTPUTS;
    const bool is_drawn = key_of(check, check->launches, use) % check->launches == launch;
    if (!sg_fresh_inputs_are_new(buffers_of(check)))
        return sg_fresh_outputs(buffers_of(check), ALL_BYTES, key_of(check, launch, use), err);
    return is_drawn
               ? sg_fresh_outputs(buffers_of(check), SOME_BYTES, key_of(check, launch, use), err)
               : SG_SUCCESS;
}

static enum sg_code renew_inputs(const struct sg_timed_check *check, unsigned launch,
                                 struct sg_err *err)
{
    return sg_fresh_inputs(buffers_of(check), key_of(check, launch, OF_INPUTS), err);
}

static enum sg_code before(void *context, unsigned launch, struct sg_err *err)
{
    return renew_inputs(context, launch, err) == SG_SUCCESS ? scramble(context, launch, err)
                                                            : err->code;
}

/* The warm-up launch gets its own inputs: with the previous inputs a variant could return stored
 * outputs. */
static enum sg_code before_warm_up(void *context, struct sg_err *err)
{
    struct sg_timed_check *check = context;
    check->has_warm_up = true;
    return renew_inputs(check, check->launches, err);
}

static enum sg_code after(void *context, unsigned launch, struct sg_err *err)
{
    const struct sg_timed_check *check = context;
    return (check->matching ? sg_kept_match : sg_kept_put)(
        &check->kept, launch, key_of(check, launch, OF_KEPT), buffers_of(check)->memory, err);
}

void sg_timed_check_begin(struct sg_timed_check *check, uint64_t secret)
{
    check->round++;
    check->key = sg_fresh_key(secret, check->round);
}

struct sg_batch_hooks sg_timed_check_hooks(struct sg_timed_check *check, bool second)
{
    check->matching = second;
    return (struct sg_batch_hooks){
        .context = check, .before_warm_up = before_warm_up, .before = before, .after = after};
}

/* ---- after a round ---- */

/* Number of a launch in messages; the warm-up launch is 0. */
static unsigned number_of(const struct sg_timed_check *check, unsigned launch)
{
    return launch == check->launches ? 0 : launch + 1;
}

static void judge_outputs(const struct sg_timed_check *check, unsigned launch,
                          const struct sg_outputs *outputs, struct sg_outcome *outcome)
{
    char inputs[64];
    snprintf(inputs, sizeof(inputs), "batch %u, launch %u", check->round, number_of(check, launch));
    if (outcome->status == SG_OK)
        sg_outputs_judge(buffers_of(check), outputs, &(struct sg_output_terms){.inputs = inputs},
                         outcome, NULL);
}

static void describe_other_code(const struct sg_timed_check *check,
                                const struct sg_kept_difference *d, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &buffers_of(check)->layout[d->buffer];
    sg_outcome_set(
        outcome, SG_WRONG,
        "%s: must be equal to the reference, but the checksum of its %llu elements differs; "
        "batch %u, launch %u",
        buffer->name, (unsigned long long)buffer->count, check->round, number_of(check, d->slot));
}

/* Describes a second side that differs from a correct first side. */
static void describe_difference(const struct sg_timed_check *check,
                                const struct sg_kept_difference *d, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &buffers_of(check)->layout[d->buffer];
    const struct sg_tolerance *tolerance = &buffers_of(check)->tolerance[d->buffer];
    const struct sg_mismatch *m = &d->sums.mismatch;
    SG_SCOPED(sg_text) text = {0};
    const enum sg_status status = m->nan > 0 && isnan(m->got) ? SG_NAN : SG_WRONG;
    if (m->first < buffer->count) {
        sg_element_name(buffer, m->first, &text);
        sg_text_addf(&text, ": %.9g, the other side has %.9g; %llu of %llu elements; ", m->got,
                     m->want, (unsigned long long)m->wrong + m->nan,
                     (unsigned long long)buffer->count);
    } else {
        sg_text_addf(&text, "%s: ", buffer->name);
    }
    sg_outcome_set(outcome, status,
                   "%srel_rms %.3g, rel_max %.3g, allowed twice %.3g and %.3g; batch %u, launch %u",
                   text.data, sqrt(m->error_squares / m->reference_squares), m->rel_max,
                   tolerance->rel_rms, tolerance->rel_max, check->round, number_of(check, d->slot));
}

/* Compares the first side with the reference, which needs the inputs of that launch again. */
static enum sg_code judge_first(struct sg_timed_check *check, const struct sg_kept_difference *d,
                                struct sg_outcome *outcome, struct sg_err *err)
{
    const uint64_t key = key_of(check, d->slot, OF_KEPT);
    SG_SCOPED(sg_outputs) outputs = {.got = {NULL}};
    if (renew_inputs(check, d->slot, err) == SG_SUCCESS &&
        sg_outputs_expect(buffers_of(check), &outputs, outcome, err) == SG_SUCCESS &&
        sg_outputs_read_kept(&check->kept, d->slot, key, &outputs, outcome, err) == SG_SUCCESS &&
        outcome->status == SG_OK) {
        if (!sg_kept_is_sealed(&check->kept, d->buffer))
            judge_outputs(check, d->slot, &outputs, outcome);
        else if (sg_kept_code_of(&check->kept, d->buffer, key, outputs.expected[d->buffer]) !=
                 d->sums.code[0])
            describe_other_code(check, d, outcome);
    }
    return err->code;
}

enum sg_code sg_timed_check_judge(struct sg_timed_check *check, struct sg_timed_finding *finding,
                                  struct sg_err *err)
{
    struct sg_kept_difference difference;
    *finding = (struct sg_timed_finding){.outcome = {.status = SG_OK}};
    if (sg_kept_find(&check->kept, check->launches + check->has_warm_up, &difference, err) !=
            SG_SUCCESS ||
        !difference.any)
        return err->code;
    if (judge_first(check, &difference, &finding->outcome, err) != SG_SUCCESS)
        return err->code;
    finding->first = finding->outcome.status != SG_OK;
    if (finding->first)
        return SG_SUCCESS;
    if (sg_kept_is_sealed(&check->kept, difference.buffer))
        describe_other_code(check, &difference, &finding->outcome);
    else
        describe_difference(check, &difference, &finding->outcome);
    return SG_SUCCESS;
}

/* ---- after a batch ---- */

enum sg_code sg_timed_check_memory(struct sg_timed_check *check, struct sg_outcome *outcome,
                                   struct sg_err *err)
{
    if (sg_buffers_check_guards(buffers_of(check), outcome, err) != SG_SUCCESS ||
        outcome->status != SG_OK)
        return err->code;
    return sg_fresh_check_inputs(buffers_of(check), key_of(check, check->launches - 1, OF_INPUTS),
                                 outcome, err);
}

enum sg_code sg_timed_check_reference(struct sg_timed_check *check, struct sg_outcome *outcome,
                                      struct sg_err *err)
{
    const unsigned last = check->launches - 1;
    SG_SCOPED(sg_outputs) outputs = {.got = {NULL}};
    if (sg_outputs_read(buffers_of(check), &outputs, outcome, err) == SG_SUCCESS &&
        renew_inputs(check, last, err) == SG_SUCCESS &&
        sg_outputs_expect(buffers_of(check), &outputs, outcome, err) == SG_SUCCESS)
        judge_outputs(check, last, &outputs, outcome);
    return err->code;
}
