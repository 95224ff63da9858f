#include "worker/checked_launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/dtype.h"
#include "util/memory.h"
#include "util/text.h"
#include "worker/error_report.h"
#include "worker/fresh_buffers.h"

/* ---- tolerance between two outputs ---- */

/* Two outputs within `bound` of the reference differ by at most twice that, relative to the
 * reference. Here the difference is relative to one of the outputs, which may be smaller than the
 * reference by the fraction `lost`. */
static double twice(double bound, double lost)
{
    return lost < 1 ? 2 * bound / (1 - lost) : INFINITY;
}

static bool is_exact(const struct sg_tolerance *tolerance)
{
    return tolerance->rel_rms == 0 || tolerance->rel_max == 0;
}

static bool may_both_be_right(const struct sg_tolerance *tolerance,
                              const struct sg_mismatch *mismatch)
{
    const double allowed = twice(tolerance->rel_rms, tolerance->rel_rms);
    if (mismatch->nan > 0 || mismatch->wrong > 0)
        return false;
    return is_exact(tolerance) ||
           mismatch->error_squares <= allowed * allowed * mismatch->reference_squares;
}

/* ---- saved outputs ---- */

bool sg_kept_is_sealed(const struct sg_kept *kept, size_t i)
{
    const struct sg_buffers *b = kept->buffers;
    return sg_is_checked(&b->layout[i]) && b->bytes[i] >= kept->seal_bytes &&
           sg_can_seal(b->layout[i].dtype) && is_exact(&b->tolerance[i]);
}

static bool is_masked(const struct sg_kept *kept, size_t i)
{
    return sg_is_checked(&kept->buffers->layout[i]) && !sg_kept_is_sealed(kept, i);
}

void sg_kept_open(struct sg_kept *kept, struct sg_buffers *buffers, unsigned slots,
                  struct sg_outcome *outcome)
{
    *kept = (struct sg_kept){.buffers = buffers, .seal_bytes = SG_SEAL_BYTES, .slots = slots};
    for (size_t i = 0; i < buffers->count; i++) {
        kept->offset[i] = kept->slot_bytes;
        if (is_masked(kept, i))
            kept->slot_bytes += (buffers->bytes[i] + 255) / 256 * 256;
    }
    sg_buffers_take_spare(
        buffers, slots * (kept->slot_bytes + SG_MAX_BUFFERS * sizeof(struct sg_sums)), outcome);
    kept->memory = buffers->spare;
}

static struct sg_sums *sums_at(const struct sg_kept *kept, unsigned slot, size_t i)
{
    return (struct sg_sums *)(void *)(kept->memory + kept->slots * kept->slot_bytes) +
           (size_t)slot * SG_MAX_BUFFERS + i;
}

static struct sg_keep keep_of(const struct sg_kept *kept, unsigned slot, size_t i, uint64_t key,
                              const void *from)
{
    return (struct sg_keep){
        .to = kept->memory + slot * kept->slot_bytes + kept->offset[i],
        .from = from,
        .count = kept->buffers->layout[i].count,
        .dtype = kept->buffers->layout[i].dtype,
        .key = sg_fresh_key(key, i),
        .squares = &sums_at(kept, slot, i)->squares,
    };
}

static struct sg_match match_of(const struct sg_kept *kept, unsigned slot, size_t i, uint64_t key,
                                const void *got)
{
    const struct sg_keep keep = keep_of(kept, slot, i, key, NULL);
    const struct sg_tolerance *tolerance = &kept->buffers->tolerance[i];
    return (struct sg_match){
        .got = got,
        .kept = keep.to,
        .count = keep.count,
        .dtype = keep.dtype,
        .key = keep.key,
        .squares = keep.squares,
        .rel_max = twice(tolerance->rel_max, tolerance->rel_max + tolerance->rel_rms),
        .exact = is_exact(tolerance),
        .out = &sums_at(kept, slot, i)->mismatch,
    };
}

static struct sg_seal seal_of(const struct sg_kept *kept, size_t i, uint64_t key, const void *from,
                              uint64_t *code)
{
    return (struct sg_seal){.from = from,
                            .count = kept->buffers->layout[i].count,
                            .dtype = kept->buffers->layout[i].dtype,
                            .key = sg_fresh_key(key, i),
                            .code = code};
}

static enum sg_code seal(const struct sg_kept *kept, unsigned slot, uint64_t key,
                         void *const *outputs, bool second, struct sg_err *err)
{
    struct sg_seal seals[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < kept->buffers->count; i++)
        if (sg_kept_is_sealed(kept, i))
            seals[count++] =
                seal_of(kept, i, key, outputs[i], &sums_at(kept, slot, i)->code[second]);
    return sg_device_seal(kept->buffers->device, seals, count, err);
}

enum sg_code sg_kept_put(const struct sg_kept *kept, unsigned slot, uint64_t key,
                         void *const *outputs, struct sg_err *err)
{
    struct sg_keep keeps[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < kept->buffers->count; i++)
        if (is_masked(kept, i))
            keeps[count++] = keep_of(kept, slot, i, key, outputs[i]);
    if (seal(kept, slot, key, outputs, false, err) == SG_SUCCESS)
        sg_device_keep(kept->buffers->device, keeps, count, err);
    return err->code;
}

enum sg_code sg_kept_match(const struct sg_kept *kept, unsigned slot, uint64_t key,
                           void *const *outputs, struct sg_err *err)
{
    struct sg_match matches[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < kept->buffers->count; i++)
        if (is_masked(kept, i))
            matches[count++] = match_of(kept, slot, i, key, outputs[i]);
    if (seal(kept, slot, key, outputs, true, err) == SG_SUCCESS)
        sg_device_match(kept->buffers->device, matches, count, err);
    return err->code;
}

static bool agrees(const struct sg_kept *kept, size_t i, const struct sg_sums *sums)
{
    if (sg_kept_is_sealed(kept, i))
        return sums->code[0] == sums->code[1];
    return !sg_is_checked(&kept->buffers->layout[i]) ||
           may_both_be_right(&kept->buffers->tolerance[i], &sums->mismatch);
}

enum sg_code sg_kept_find(const struct sg_kept *kept, unsigned slots,
                          struct sg_kept_difference *found, struct sg_err *err)
{
    const size_t bytes = (size_t)slots * SG_MAX_BUFFERS * sizeof(struct sg_sums);
    struct sg_device *device = kept->buffers->device;
    SG_FREED struct sg_sums *all = sg_alloc(bytes, 1);
    *found = (struct sg_kept_difference){.any = false};
    device->ops->download(device, all, sums_at(kept, 0, 0), bytes, err);
    for (unsigned slot = 0; slot < slots && err->code == SG_SUCCESS; slot++)
        for (size_t i = 0; i < kept->buffers->count && !found->any; i++) {
            const struct sg_sums *sums = &all[(size_t)slot * SG_MAX_BUFFERS + i];
            if (!agrees(kept, i, sums))
                *found = (struct sg_kept_difference){
                    .any = true, .slot = slot, .buffer = i, .sums = *sums};
        }
    return err->code;
}

uint64_t sg_kept_code_of(const struct sg_kept *kept, size_t buffer, uint64_t key,
                         const double *values)
{
    uint64_t code = 0;
    SG_FREED void *array = sg_alloc(kept->buffers->bytes[buffer], 1);
    const struct sg_seal request = seal_of(kept, buffer, key, array, &code);
    for (uint64_t i = 0; i < request.count; i++)
        sg_dtype_put(request.dtype, array, i, values[i]);
    sg_host_seal(&request);
    return code;
}

/* ---- comparison with the reference ---- */

void sg_outputs_release(struct sg_outputs *outputs)
{
    for (size_t i = 0; i < SG_MAX_BUFFERS; i++) {
        free(outputs->got[i]);
        free(outputs->inputs[i]);
        free(outputs->expected[i]);
    }
    *outputs = (struct sg_outputs){.got = {NULL}};
}

/* Allocates host memory; the size may exceed what the host has. */
static void *take(uint64_t bytes, const struct sg_buffer *buffer, struct sg_outcome *outcome)
{
    void *memory = outcome->status == SG_OK ? sg_alloc_touched(bytes) : NULL;
    if (!memory)
        sg_outcome_set(outcome, SG_OOM, "no room for %llu bytes on the host to check %s",
                       (unsigned long long)bytes, buffer->name);
    return memory;
}

static enum sg_code read_output(struct sg_buffers *b, size_t i, struct sg_outputs *outputs,
                                struct sg_outcome *outcome, struct sg_err *err)
{
    if (!outputs->got[i])
        outputs->got[i] = take(b->bytes[i], &b->layout[i], outcome);
    return outputs->got[i] ? sg_buffers_read(b, i, outputs->got[i], err) : err->code;
}

enum sg_code sg_outputs_read(struct sg_buffers *b, struct sg_outputs *outputs,
                             struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++)
        if (sg_is_checked(&b->layout[i]))
            read_output(b, i, outputs, outcome, err);
    return err->code;
}

/* Applying the mask a second time removes it. */
enum sg_code sg_outputs_read_kept(const struct sg_kept *kept, unsigned slot, uint64_t key,
                                  struct sg_outputs *outputs, struct sg_outcome *outcome,
                                  struct sg_err *err)
{
    struct sg_buffers *b = kept->buffers;
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++) {
        struct sg_keep back = keep_of(kept, slot, i, key, NULL);
        back.from = back.to;
        back.to = b->memory[i];
        if (is_masked(kept, i) && sg_device_keep(b->device, &back, 1, err) == SG_SUCCESS)
            read_output(b, i, outputs, outcome, err);
    }
    return err->code;
}

static enum sg_code compute(const struct sg_buffers *b, const void *const *inputs,
                            double *const *expected, struct sg_err *err)
{
    struct sg_reason why = {""};
    b->family->reference(&(struct sg_reference_request){
        .c = b->c,
        .host = inputs,
        .device = b->family->device == SG_HOST ? NULL : (const void *const *)b->memory,
        .expected = expected,
    });
    /* An error left by the reference would be taken for the variant's. */
    if (b->family->last_error && b->family->last_error(&why))
        return sg_fail(err, SG_INVALID, NULL, "the reference of case %s failed: %s", b->c->name,
                       why.text);
    return SG_SUCCESS;
}

static enum sg_code read_input(struct sg_buffers *b, size_t i, struct sg_outputs *outputs,
                               struct sg_outcome *outcome, struct sg_err *err)
{
    if (!outputs->inputs[i])
        outputs->inputs[i] = take(b->bytes[i], &b->layout[i], outcome);
    if (b->pristine[i])
        b->device->ops->copy(
            b->device, &(struct sg_stretch){b->memory[i], b->pristine[i], b->bytes[i]}, 1, err);
    if (outputs->inputs[i] && err->code == SG_SUCCESS)
        sg_buffers_read(b, i, outputs->inputs[i], err);
    return err->code;
}

enum sg_code sg_outputs_expect(struct sg_buffers *b, struct sg_outputs *outputs,
                               struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++) {
        if (sg_is_filled(&b->layout[i]))
            read_input(b, i, outputs, outcome, err);
        if (sg_is_checked(&b->layout[i]) && !outputs->expected[i])
            outputs->expected[i] =
                take(b->layout[i].count * sizeof(double), &b->layout[i], outcome);
    }
    if (err->code == SG_SUCCESS && outcome->status == SG_OK)
        compute(b, (const void *const *)outputs->inputs, outputs->expected, err);
    return err->code;
}

static void add_uncompared(const struct sg_buffer *buffer, const struct sg_output_difference *d,
                           struct sg_text *text)
{
    const unsigned long long count = buffer->count, nan = d->both_nan, outliers = d->outliers;
    if (nan > 0)
        sg_text_addf(sg_text_next(text),
                     "%s: %llu of %llu elements are NaN on both sides, and were not compared",
                     buffer->name, nan, count);
    if (outliers > 0)
        sg_text_addf(sg_text_next(text),
                     "%s: %llu of %llu elements are outliers: errors are relative to %.3g, and "
                     "not to the root mean square",
                     buffer->name, outliers, count, d->rms);
}

void sg_outputs_judge(const struct sg_buffers *b, const struct sg_outputs *outputs,
                      const struct sg_output_terms *terms, struct sg_outcome *outcome,
                      struct sg_output_error *error)
{
    SG_SCOPED(sg_names) wrong = {0};
    struct sg_check gravest = {.buffer = NULL};
    struct sg_output_difference found = {0};
    SG_SCOPED(sg_text) uncompared = {0};
    uint64_t floats = 0, nan = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (!outputs->got[i])
            continue;
        struct sg_outcome one = {.status = SG_OK};
        struct sg_output_difference difference;
        const struct sg_check check = {
            .buffer = &b->layout[i],
            .got = outputs->got[i],
            .expected = outputs->expected[i],
            .tolerance = b->tolerance[i],
            .bitwise = terms->bitwise,
            .poisoned = terms->poisoned && b->layout[i].use == SG_OUTPUT,
            .turn = terms->turn,
            .inputs = terms->inputs,
        };
        sg_check_measure(&check, &difference);
        if (sg_check_judge(&check, &difference, &one) != SG_OK)
            sg_names_add(&wrong, check.buffer->name);
        /* The enum declares wrong, nan and unwritten in order of gravity. */
        if (one.status > outcome->status) {
            *outcome = one;
            gravest = check;
            found = difference;
        }
        floats +=
            isnan(sg_dtype_decode(check.buffer->dtype, sg_dtype_encode(check.buffer->dtype, NAN)))
                ? check.buffer->count
                : 0;
        nan += difference.both_nan;
        add_uncompared(check.buffer, &difference, &uncompared);
        if (error) {
            error->rms = fmax(error->rms, difference.rel_rms);
            error->max = fmax(error->max, difference.rel_max);
        }
    }
    if (floats > 0 && nan == floats)
        sg_outcome_set(outcome, SG_NAN,
                       "every element of every output of floats is NaN, and so is the reference: "
                       "nothing was compared; %s",
                       terms->inputs);
    if (error && !*error->uncompared)
        snprintf(error->uncompared, sizeof(error->uncompared), "%s", sg_text_string(&uncompared));
    if (error && gravest.buffer)
        sg_error_report_check(&gravest, &found, outcome->status, &wrong, &error->wrong);
}
