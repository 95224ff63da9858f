#include "worker/timed_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/dtype.h"
#include "util/text.h"
#include "worker/agree.h"
#include "worker/reference.h"

/* Of one output of one launch, on the device. */
struct sums {
    double squares; /* of what was kept */
    struct sg_mismatch mismatch;
    uint64_t code[2]; /* of both sides, where outputs are sealed */
};

static struct sg_device *device_of(const struct sg_timed_check *check)
{
    return check->buffers->device;
}

/* ---- memory ---- */

/* Of a large output whose values must be equal a code is enough, which moves half the bytes. */
static bool is_sealed(const struct sg_timed_check *check, size_t i)
{
    const struct sg_buffers *b = check->buffers;
    return sg_is_checked(&b->layout[i]) && b->bytes[i] >= check->seal_bytes && sg_can_seal(b->layout[i].dtype) &&
           sg_agree_is_exact(&check->tolerance);
}

static bool is_kept(const struct sg_timed_check *check, size_t i)
{
    return sg_is_checked(&check->buffers->layout[i]) && !is_sealed(check, i);
}

static uint64_t lay_out(struct sg_timed_check *check)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < check->buffers->count; i++) {
        check->offset[i] = bytes;
        if (is_kept(check, i))
            bytes += (check->buffers->bytes[i] + 255) / 256 * 256;
    }
    return bytes;
}

void sg_timed_check_open(struct sg_timed_check *check, struct sg_buffers *buffers, unsigned launches, struct sg_outcome *outcome)
{
    *check = (struct sg_timed_check){
        .buffers = buffers, .tolerance = buffers->family->tolerance(buffers->c), .launches = launches, .seal_bytes = SG_SEAL_BYTES};
    check->kept_bytes = lay_out(check);
    const uint64_t slots = (uint64_t)launches + 1; /* the last one is the warm-up launch's */
    const uint64_t kept = slots * check->kept_bytes, sums = slots * SG_MAX_BUFFERS * sizeof(struct sums);
    const uint64_t input = sg_fresh_largest_input(buffers);
    sg_buffers_take_spare(buffers, kept + sums > input ? kept + sums : input, outcome);
    check->kept = buffers->spare;
    check->sums = check->kept ? check->kept + kept : NULL;
}

static char *kept_at(const struct sg_timed_check *check, unsigned launch, size_t i)
{
    return check->kept + launch * check->kept_bytes + check->offset[i];
}

static struct sums *sums_at(const struct sg_timed_check *check, unsigned launch, size_t i)
{
    return (struct sums *)(void *)check->sums + (size_t)launch * SG_MAX_BUFFERS + i;
}

/* ---- around a launch ---- */

#define ALL_BYTES  UINT64_MAX
#define SOME_BYTES (UINT64_C(16) << 20) /* of an output */

enum use { OF_INPUTS, OF_FIRST_OUTPUTS, OF_SECOND_OUTPUTS, OF_KEPT, USES };

static uint64_t key_of(const struct sg_timed_check *check, unsigned launch, enum use use)
{
    return sg_fresh_key(check->key, (uint64_t)launch * USES + use);
}

static struct sg_keep keep_of(const struct sg_timed_check *check, unsigned launch, size_t i, void *to, const void *from)
{
    return (struct sg_keep){
        .to = to,
        .from = from,
        .count = check->buffers->layout[i].count,
        .dtype = check->buffers->layout[i].dtype,
        .key = sg_fresh_key(key_of(check, launch, OF_KEPT), i),
        .squares = &sums_at(check, launch, i)->squares,
    };
}

static struct sg_match match_of(const struct sg_timed_check *check, unsigned launch, size_t i)
{
    const struct sg_keep keep = keep_of(check, launch, i, kept_at(check, launch, i), NULL);
    struct sg_match match = {
        .got = check->buffers->memory[i],
        .kept = keep.to,
        .count = keep.count,
        .dtype = keep.dtype,
        .key = keep.key,
        .squares = keep.squares,
        .out = &sums_at(check, launch, i)->mismatch,
    };
    sg_agree_allow(&check->tolerance, &match);
    return match;
}

/*
 * What the launch before left is wrong for other inputs. So one launch of a batch, which the key
 * draws, is enough to find who leaves what hardly depends on them.
 */
static enum sg_code scramble(const struct sg_timed_check *check, unsigned launch, struct sg_err *err)
{
    const enum use use = check->matching ? OF_SECOND_OUTPUTS : OF_FIRST_OUTPUTS;
    const bool is_drawn = key_of(check, check->launches, use) % check->launches == launch;
    if (!sg_fresh_inputs_are_new(check->buffers))
        return sg_fresh_outputs(check->buffers, ALL_BYTES, key_of(check, launch, use), err);
    return is_drawn ? sg_fresh_outputs(check->buffers, SOME_BYTES, key_of(check, launch, use), err) : SG_SUCCESS;
}

static enum sg_code before(void *context, unsigned launch, struct sg_err *err)
{
    const struct sg_timed_check *check = context;
    if (sg_fresh_inputs(check->buffers, key_of(check, launch, OF_INPUTS), err) != SG_SUCCESS)
        return err->code;
    return scramble(check, launch, err);
}

/* Inputs of its own: a variant that has seen those in place could return the outputs it kept. */
static enum sg_code before_warm_up(void *context, struct sg_err *err)
{
    struct sg_timed_check *check = context;
    check->has_warm_up = true;
    return sg_fresh_inputs(check->buffers, key_of(check, check->launches, OF_INPUTS), err);
}

static struct sg_seal seal_of(const struct sg_timed_check *check, unsigned launch, size_t i)
{
    return (struct sg_seal){
        .from = check->buffers->memory[i],
        .count = check->buffers->layout[i].count,
        .dtype = check->buffers->layout[i].dtype,
        .key = sg_fresh_key(key_of(check, launch, OF_KEPT), i),
        .code = &sums_at(check, launch, i)->code[check->matching],
    };
}

static enum sg_code seal_outputs(const struct sg_timed_check *check, unsigned launch, struct sg_err *err)
{
    struct sg_seal seals[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < check->buffers->count; i++)
        if (is_sealed(check, i))
            seals[count++] = seal_of(check, launch, i);
    return sg_device_seal(device_of(check), seals, count, err);
}

static enum sg_code after(void *context, unsigned launch, struct sg_err *err)
{
    const struct sg_timed_check *check = context;
    struct sg_keep keeps[SG_MAX_BUFFERS];
    struct sg_match matches[SG_MAX_BUFFERS];
    size_t count = 0;
    if (seal_outputs(check, launch, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < check->buffers->count; i++) {
        if (!is_kept(check, i))
            continue;
        keeps[count] = keep_of(check, launch, i, kept_at(check, launch, i), check->buffers->memory[i]);
        matches[count++] = match_of(check, launch, i);
    }
    return check->matching ? sg_device_match(device_of(check), matches, count, err) : sg_device_keep(device_of(check), keeps, count, err);
}

void sg_timed_check_begin(struct sg_timed_check *check, uint64_t secret)
{
    check->round++;
    check->key = sg_fresh_key(secret, check->round);
}

struct sg_batch_hooks sg_timed_check_hooks(struct sg_timed_check *check, bool second)
{
    check->matching = second;
    return (struct sg_batch_hooks){.context = check, .before_warm_up = before_warm_up, .before = before, .after = after};
}

/* ---- the reference ---- */

/* The inputs of that launch are made once more; what the reference
 * says of them is in host->expected. */
static enum sg_code ask_reference(const struct sg_timed_check *check, unsigned launch, struct sg_on_host *host, struct sg_err *err)
{
    if (sg_fresh_inputs(check->buffers, key_of(check, launch, OF_INPUTS), err) != SG_SUCCESS)
        return err->code;
    return sg_on_host_expect(check->buffers, host, err);
}

/* In messages; the warm-up launch is 0. */
static unsigned number_of(const struct sg_timed_check *check, unsigned launch)
{
    return launch == check->launches ? 0 : launch + 1;
}

static void check_outputs(const struct sg_timed_check *check, unsigned launch, const struct sg_on_host *got,
                          const struct sg_on_host *expected, struct sg_outcome *outcome)
{
    char inputs[64];
    snprintf(inputs, sizeof(inputs), "batch %u, launch %u", check->round, number_of(check, launch));
    sg_reference_check(check->buffers, got->data, expected->expected, inputs, outcome);
}

/* ---- after a round ---- */

struct difference {
    unsigned launch;
    size_t buffer;
    struct sums sums;
};

static bool agrees(const struct sg_timed_check *check, size_t i, const struct sums *sums)
{
    if (is_sealed(check, i))
        return sums->code[0] == sums->code[1];
    return !sg_is_checked(&check->buffers->layout[i]) || sg_agree(&check->tolerance, &sums->mismatch);
}

/* The first launch of which an output differs; false if none does. */
static bool find_difference(const struct sg_timed_check *check, struct difference *found, struct sg_err *err)
{
    const unsigned launches = check->launches + check->has_warm_up;
    const size_t bytes = (size_t)launches * SG_MAX_BUFFERS * sizeof(struct sums);
    struct sums *all = sg_alloc(bytes, 1);
    bool any = false;
    device_of(check)->ops->download(device_of(check), all, check->sums, bytes, err);
    for (unsigned launch = 0; launch < launches && err->code == SG_SUCCESS && !any; launch++)
        for (size_t i = 0; i < check->buffers->count && !any; i++) {
            const struct sums *sums = &all[(size_t)launch * SG_MAX_BUFFERS + i];
            any = !agrees(check, i, sums);
            if (any)
                *found = (struct difference){.launch = launch, .buffer = i, .sums = *sums};
        }
    free(all);
    return any;
}

/* What was put away of a launch comes back to the buffers, and from there to the host: the mask
 * comes off by being put on again. */
static enum sg_code read_kept(const struct sg_timed_check *check, unsigned launch, struct sg_on_host *host, struct sg_err *err)
{
    struct sg_buffers *b = check->buffers;
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++) {
        const struct sg_keep back = keep_of(check, launch, i, b->memory[i], kept_at(check, launch, i));
        if (is_kept(check, i) && sg_device_keep(b->device, &back, 1, err) == SG_SUCCESS)
            sg_on_host_read(b, i, host, err);
    }
    return err->code;
}

static void describe_other_code(const struct sg_timed_check *check, const struct difference *d, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &check->buffers->layout[d->buffer];
    sg_outcome_set(outcome, SG_WRONG, "%s: must be equal to the reference, and a code of its %llu elements differs; batch %u, launch %u",
                   buffer->name, (unsigned long long)buffer->count, check->round, number_of(check, d->launch));
}

/* Is the code of the first side's output that of the reference? */
static void check_code(const struct sg_timed_check *check, const struct difference *d, const double *expected, struct sg_outcome *outcome)
{
    struct sg_seal seal = seal_of(check, d->launch, d->buffer);
    uint64_t code = 0;
    void *wanted = sg_alloc(sg_dtype_array_bytes(seal.dtype, seal.count), 1);
    for (uint64_t i = 0; i < seal.count; i++)
        sg_dtype_put(seal.dtype, wanted, i, expected[i]);
    seal.from = wanted;
    seal.code = &code;
    sg_host_seal(&seal);
    if (code != d->sums.code[0])
        describe_other_code(check, d, outcome);
    free(wanted);
}

/* Of a second side that differs from a first one that is right. */
static void describe_difference(const struct sg_timed_check *check, const struct difference *d, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &check->buffers->layout[d->buffer];
    const struct sg_mismatch *m = &d->sums.mismatch;
    struct sg_text text = {0};
    if (is_sealed(check, d->buffer)) {
        describe_other_code(check, d, outcome);
        return;
    }
    const enum sg_status status = m->nan > 0 && isnan(m->got) ? SG_NAN : SG_WRONG;
    if (m->first < buffer->count) {
        sg_element_name(buffer, m->first, &text);
        sg_text_addf(&text, ": %.9g, the other side has %.9g; %llu of %llu elements; ", m->got, m->want,
                     (unsigned long long)m->wrong + m->nan, (unsigned long long)buffer->count);
    } else {
        sg_text_addf(&text, "%s: ", buffer->name);
    }
    sg_outcome_set(outcome, status, "%srel_rms %.3g, rel_max %.3g, allowed twice %.3g and %.3g; batch %u, launch %u", text.data,
                   sqrt(m->error_squares / m->reference_squares), m->rel_max, check->tolerance.rel_rms, check->tolerance.rel_max,
                   check->round, number_of(check, d->launch));
    sg_text_release(&text);
}

enum sg_code sg_timed_check_judge(struct sg_timed_check *check, struct sg_timed_finding *finding, struct sg_err *err)
{
    struct difference difference;
    struct sg_on_host host = {.data = {NULL}};
    *finding = (struct sg_timed_finding){.outcome = {.status = SG_OK}};
    if (!find_difference(check, &difference, err))
        return err->code;
    if (ask_reference(check, difference.launch, &host, err) == SG_SUCCESS &&
        read_kept(check, difference.launch, &host, err) == SG_SUCCESS) {
        if (is_sealed(check, difference.buffer))
            check_code(check, &difference, host.expected[difference.buffer], &finding->outcome);
        else
            check_outputs(check, difference.launch, &host, &host, &finding->outcome);
        finding->first = finding->outcome.status != SG_OK;
        if (!finding->first)
            describe_difference(check, &difference, &finding->outcome);
    }
    sg_on_host_release(&host);
    return err->code;
}

/* ---- after a batch ---- */

enum sg_code sg_timed_check_memory(struct sg_timed_check *check, struct sg_outcome *outcome, struct sg_err *err)
{
    if (sg_buffers_check_guards(check->buffers, outcome, err) != SG_SUCCESS || outcome->status != SG_OK)
        return err->code;
    return sg_fresh_check_inputs(check->buffers, key_of(check, check->launches - 1, OF_INPUTS), outcome, err);
}

/* Outputs are read before the reference runs: it needs the inputs of SG_INOUT where they were. */
enum sg_code sg_timed_check_reference(struct sg_timed_check *check, struct sg_outcome *outcome, struct sg_err *err)
{
    const unsigned last = check->launches - 1;
    struct sg_on_host got = {.data = {NULL}}, expected = {.data = {NULL}};
    if (sg_on_host_read_outputs(check->buffers, &got, err) == SG_SUCCESS && ask_reference(check, last, &expected, err) == SG_SUCCESS)
        check_outputs(check, last, &got, &expected, outcome);
    sg_on_host_release(&got);
    sg_on_host_release(&expected);
    return err->code;
}
