#include "worker/counted_check.h"

#include <stdlib.h>

#include "util/dtype.h"
#include "util/text.h"
#include "worker/agree.h"
#include "worker/fresh_buffers.h"
#include "worker/reference.h"

static const char *const counted = "the launch that was counted last";

static struct sg_device *device_of(const struct sg_counted_check *check)
{
    return check->buffers->device;
}

/* ---- memory ---- */

static void take_outputs(const struct sg_counted_check *check, void *memory[SG_MAX_BUFFERS], struct sg_outcome *outcome)
{
    const struct sg_buffers *b = check->buffers;
    for (size_t i = 0; i < b->count && outcome->status == SG_OK; i++) {
        enum sg_status status = SG_OOM;
        if (!sg_is_checked(&b->layout[i]))
            continue;
        memory[i] = b->device->ops->alloc(b->device, b->bytes[i], &status);
        if (!memory[i])
            sg_outcome_set(outcome, status, "no room for %llu bytes on %s to check what is counted", (unsigned long long)b->bytes[i],
                           b->device->name);
    }
}

static void release_outputs(const struct sg_counted_check *check, void *memory[SG_MAX_BUFFERS])
{
    for (size_t i = 0; i < SG_MAX_BUFFERS; i++)
        if (memory[i])
            device_of(check)->ops->release(device_of(check), memory[i]);
}

/* Numbers like those of an input: nobody sees that they were not computed. */
static enum sg_code make_decoy(const struct sg_counted_check *check, size_t i, uint64_t secret, struct sg_err *err)
{
    const struct sg_buffers *b = check->buffers;
    const struct sg_fill_plan plan = {.dtype = b->layout[i].dtype, .count = SG_FRESH_ELEMENTS, .kind = SG_NORMAL, .seed = secret};
    const uint64_t bytes = sg_dtype_array_bytes(plan.dtype, plan.count);
    enum sg_status status = SG_OOM;
    void *host = sg_alloc(bytes, 1), *pool = b->device->ops->alloc(b->device, bytes, &status);
    const struct sg_refill refill = {.to = check->decoy[i],
                                     .pool = pool,
                                     .bytes = b->bytes[i],
                                     .pool_bytes = bytes,
                                     .unit_bytes = (unsigned)sg_dtype_bytes(plan.dtype),
                                     .key = secret};
    sg_fill(&plan, host);
    if (!pool)
        sg_fail(err, SG_SYSTEM, b->c->name, "no room for %llu bytes on %s", (unsigned long long)bytes, b->device->name);
    else if (b->device->ops->upload(b->device, pool, host, bytes, err) == SG_SUCCESS &&
             sg_device_refill(b->device, &refill, 1, err) == SG_SUCCESS)
        /* Waits, so that the pool is not let go while it is read. */
        b->device->ops->download(b->device, host, pool, bytes, err);
    b->device->ops->release(b->device, pool);
    free(host);
    return err->code;
}

enum sg_code sg_counted_check_open(struct sg_counted_check *check, struct sg_buffers *buffers, uint64_t secret, struct sg_outcome *outcome,
                                   struct sg_err *err)
{
    *check = (struct sg_counted_check){.buffers = buffers};
    take_outputs(check, check->decoy, outcome);
    for (size_t i = 0; i < buffers->count && outcome->status == SG_OK && err->code == SG_SUCCESS; i++)
        if (buffers->layout[i].use == SG_OUTPUT)
            make_decoy(check, i, sg_fresh_key(secret, i), err);
    return err->code;
}

void sg_counted_check_release(struct sg_counted_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        release_outputs(check, check->items[i].put_away);
    release_outputs(check, check->decoy);
    free(check->items);
    *check = (struct sg_counted_check){.count = 0};
}

/* ---- around a launch ---- */

static enum sg_code copy_outputs(const struct sg_counted_check *check, void *const *to, void *const *from, struct sg_err *err)
{
    const struct sg_buffers *b = check->buffers;
    struct sg_stretch stretches[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (sg_is_checked(&b->layout[i]))
            stretches[count++] = (struct sg_stretch){to[i], from[i], b->bytes[i]};
    return b->device->ops->copy(b->device, stretches, count, err);
}

void sg_counted_check_add(struct sg_counted_check *check, struct sg_runnable *runnable, struct sg_outcome *outcome)
{
    const struct sg_buffers *b = check->buffers;
    struct sg_counted_item *item = SG_APPEND(check->items, check->count, check->capacity);
    *item = (struct sg_counted_item){.launched = false};
    take_outputs(check, item->put_away, outcome);
    if (outcome->status != SG_OK) {
        release_outputs(check, item->put_away);
        check->count--;
        return;
    }
    for (size_t i = 0; i < b->count; i++)
        if (b->layout[i].use == SG_OUTPUT)
            runnable->restore[runnable->restore_count++] = (struct sg_stretch){b->memory[i], check->decoy[i], b->bytes[i]};
}

enum sg_code sg_counted_check_launched(struct sg_counted_check *check, size_t item, struct sg_err *err)
{
    check->items[item].launched = true;
    return copy_outputs(check, check->items[item].put_away, check->buffers->memory, err);
}

/* ---- when all is counted ---- */

static enum sg_code ask_reference(const struct sg_counted_check *check, struct sg_counted_item *item, struct sg_err *err)
{
    struct sg_on_host got = {.data = {NULL}}, expected = {.data = {NULL}};
    if (copy_outputs(check, check->buffers->memory, item->put_away, err) == SG_SUCCESS &&
        sg_on_host_read_outputs(check->buffers, &got, err) == SG_SUCCESS && sg_on_host_expect(check->buffers, &expected, err) == SG_SUCCESS)
        sg_reference_check(check->buffers, got.data, expected.expected, counted, &item->outcome);
    sg_on_host_release(&got);
    sg_on_host_release(&expected);
    return err->code;
}

/* One output of an item, as others are compared with it; all of it on the device. */
struct model {
    char *memory; /* owned; a sum of squares and a mismatch, and behind them what was kept */
    struct sg_keep keep;
    struct sg_mismatch *mismatch;
};

#define MODEL_HEAD 256 /* bytes */

static enum sg_code take_model(const struct sg_counted_check *check, size_t item, size_t i, struct model *model, struct sg_err *err)
{
    struct sg_device *device = device_of(check);
    enum sg_status status = SG_OOM;
    model->memory = device->ops->alloc(device, MODEL_HEAD + check->buffers->bytes[i], &status);
    if (!model->memory)
        return sg_fail(err, SG_SYSTEM, check->buffers->c->name, "no room on %s to compare what was counted", device->name);
    model->mismatch = (struct sg_mismatch *)(void *)(model->memory + sizeof(double));
    model->keep = (struct sg_keep){
        .to = model->memory + MODEL_HEAD,
        .from = check->items[item].put_away[i],
        .count = check->buffers->layout[i].count,
        .dtype = check->buffers->layout[i].dtype,
        .squares = (double *)(void *)model->memory,
    };
    return sg_device_keep(device, &model->keep, 1, err);
}

static enum sg_code compare(const struct sg_counted_check *check, const struct model *model, const void *got, bool *agrees,
                            struct sg_err *err)
{
    const struct sg_tolerance tolerance = check->buffers->family->tolerance(check->buffers->c);
    struct sg_device *device = device_of(check);
    struct sg_mismatch mismatch;
    struct sg_match match = {
        .got = got,
        .kept = model->keep.to,
        .count = model->keep.count,
        .dtype = model->keep.dtype,
        .squares = model->keep.squares,
        .out = model->mismatch,
    };
    sg_agree_allow(&tolerance, &match);
    if (sg_device_match(device, &match, 1, err) == SG_SUCCESS &&
        device->ops->download(device, &mismatch, model->mismatch, sizeof(mismatch), err) == SG_SUCCESS)
        *agrees = sg_agree(&tolerance, &mismatch);
    return err->code;
}

/* From this one on, the number of the next item that was launched; `count` if there is none. */
static size_t next_launched(const struct sg_counted_check *check, size_t k)
{
    while (k < check->count && !check->items[k].launched)
        k++;
    return k;
}

/* Marks the items of which output i is not the first one's, and that one. */
static enum sg_code find_different(const struct sg_counted_check *check, size_t first, size_t i, bool *suspect, struct sg_err *err)
{
    struct model model = {.memory = NULL};
    take_model(check, first, i, &model, err);
    for (size_t k = next_launched(check, first + 1); k < check->count && err->code == SG_SUCCESS; k = next_launched(check, k + 1)) {
        bool agrees = true;
        if (compare(check, &model, check->items[k].put_away[i], &agrees, err) == SG_SUCCESS && !agrees)
            suspect[k] = suspect[first] = true;
    }
    device_of(check)->ops->release(device_of(check), model.memory);
    return err->code;
}

enum sg_code sg_counted_check_judge(struct sg_counted_check *check, struct sg_err *err)
{
    /* One of which no kernel can be counted, as of a graph, is not
     * launched: it may be the case's first. */
    const size_t first = next_launched(check, 0);
    const bool alone = next_launched(check, first + 1) >= check->count;
    bool *suspect = sg_alloc(check->count + 1, sizeof(*suspect));
    suspect[first] = alone;
    for (size_t i = 0; i < check->buffers->count && !alone && err->code == SG_SUCCESS; i++)
        if (sg_is_checked(&check->buffers->layout[i]))
            find_different(check, first, i, suspect, err);
    for (size_t k = first; k < check->count && err->code == SG_SUCCESS; k++)
        if (suspect[k])
            ask_reference(check, &check->items[k], err);
    free(suspect);
    return err->code;
}
