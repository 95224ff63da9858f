#include "worker/counted_check.h"

#include <stdlib.h>

#include "util/dtype.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/random_fill.h"

/* ---- memory ---- */

static void take_outputs(const struct sg_counted_check *check, void *memory[SG_MAX_BUFFERS],
                         struct sg_outcome *outcome)
{
    const struct sg_buffers *b = check->buffers;
    for (size_t i = 0; i < b->count && outcome->status == SG_OK; i++) {
        enum sg_status status = SG_OOM;
        if (!sg_is_checked(&b->layout[i]))
            continue;
        memory[i] = b->device->ops->alloc(b->device, b->bytes[i], &status);
        if (!memory[i])
            sg_outcome_set(outcome, status,
                           "no room for %llu bytes on %s to check the counted "
                           "launches",
                           (unsigned long long)b->bytes[i], b->device->name);
    }
}

static void release_outputs(const struct sg_counted_check *check, void *memory[SG_MAX_BUFFERS])
{
    for (size_t i = 0; i < SG_MAX_BUFFERS; i++)
        if (memory[i])
            check->buffers->device->ops->release(check->buffers->device, memory[i]);
}

#define DECOY_ELEMENTS 4096u /* the most elements to draw; they are repeated */

/* Fills a decoy with normal numbers, which look like computed ones. */
static enum sg_code make_decoy(const struct sg_counted_check *check, size_t i, uint64_t secret,
                               struct sg_err *err)
{
    const struct sg_buffers *b = check->buffers;
    const struct sg_fill_plan plan = {
        .dtype = b->layout[i].dtype,
        .count = b->layout[i].count < DECOY_ELEMENTS ? b->layout[i].count : DECOY_ELEMENTS,
        .kind = SG_NORMAL,
        .seed = sg_fresh_key(secret, i),
    };
    const uint64_t drawn = sg_dtype_array_bytes(plan.dtype, plan.count);
    char *host = sg_alloc(drawn, 1), *decoy = check->decoy[i];
    sg_fill(&plan, host);
    b->device->ops->upload(b->device, decoy, host, drawn, err);
    /* Doubles the filled part until all is filled. */
    for (uint64_t done = drawn; done < b->bytes[i] && err->code == SG_SUCCESS; done *= 2)
        b->device->ops->copy(
            b->device,
            &(struct sg_stretch){decoy + done, decoy,
                                 b->bytes[i] - done < done ? b->bytes[i] - done : done},
            1, err);
    free(host);
    return err->code;
}

enum sg_code sg_counted_check_open(struct sg_counted_check *check, struct sg_buffers *buffers,
                                   uint64_t secret, struct sg_outcome *outcome, struct sg_err *err)
{
    *check = (struct sg_counted_check){.buffers = buffers};
    take_outputs(check, check->decoy, outcome);
    for (size_t i = 0; i < buffers->count && outcome->status == SG_OK && err->code == SG_SUCCESS;
         i++)
        if (buffers->layout[i].use == SG_OUTPUT)
            make_decoy(check, i, secret, err);
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

static enum sg_code copy_outputs(const struct sg_counted_check *check, void *const *to,
                                 void *const *from, struct sg_err *err)
{
    const struct sg_buffers *b = check->buffers;
    struct sg_stretch stretches[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (sg_is_checked(&b->layout[i]))
            stretches[count++] = (struct sg_stretch){to[i], from[i], b->bytes[i]};
    return b->device->ops->copy(b->device, stretches, count, err);
}

void sg_counted_check_add(struct sg_counted_check *check, struct sg_runnable *runnable,
                          struct sg_outcome *outcome)
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
            runnable->restore[runnable->restore_count++] =
                (struct sg_stretch){b->memory[i], check->decoy[i], b->bytes[i]};
}

enum sg_code sg_counted_check_launched(struct sg_counted_check *check, size_t item,
                                       struct sg_err *err)
{
    check->items[item].launched = true;
    return copy_outputs(check, check->items[item].put_away, check->buffers->memory, err);
}

/* ---- after all counts ---- */

/* All suspects of a case are compared with one reference, computed for the first of them. */
static enum sg_code ask_reference(const struct sg_counted_check *check, struct sg_outputs *outputs,
                                  bool *is_known, struct sg_counted_item *item, struct sg_err *err)
{
    static const struct sg_output_terms terms = {.inputs = "the launch that was counted last"};
    if (copy_outputs(check, check->buffers->memory, item->put_away, err) == SG_SUCCESS)
        sg_outputs_read(check->buffers, outputs, &item->outcome, err);
    if (err->code == SG_SUCCESS && item->outcome.status == SG_OK && !*is_known)
        *is_known = sg_outputs_expect(check->buffers, outputs, &item->outcome, err) == SG_SUCCESS &&
                    item->outcome.status == SG_OK;
    if (err->code == SG_SUCCESS && item->outcome.status == SG_OK)
        sg_outputs_judge(check->buffers, outputs, &terms, &item->outcome, NULL);
    return err->code;
}

/* The first launched item from `k` on; `count`: none. */
static size_t next_launched(const struct sg_counted_check *check, size_t k)
{
    while (k < check->count && !check->items[k].launched)
        k++;
    return k;
}

/* If an item's outputs differ from the first item's, both are suspect. Without memory to compare,
 * all are suspect. */
static enum sg_code find_suspects(struct sg_counted_check *check, size_t first, struct sg_err *err)
{
    struct sg_kept kept;
    struct sg_outcome room = {.status = SG_OK};
    sg_kept_open(&kept, check->buffers, 1, &room);
    if (room.status == SG_OK)
        sg_kept_put(&kept, 0, 0, check->items[first].put_away, err);
    for (size_t k = next_launched(check, first + 1); k < check->count && err->code == SG_SUCCESS;
         k = next_launched(check, k + 1)) {
        struct sg_kept_difference difference = {.any = true};
        if (room.status == SG_OK &&
            sg_kept_match(&kept, 0, 0, check->items[k].put_away, err) == SG_SUCCESS)
            sg_kept_find(&kept, 1, &difference, err);
        if (difference.any)
            check->items[k].suspect = check->items[first].suspect = true;
    }
    return err->code;
}

enum sg_code sg_counted_check_judge(struct sg_counted_check *check, struct sg_err *err)
{
    /* The first item is not launched if it failed before. */
    const size_t first = next_launched(check, 0);
    if (first < check->count && next_launched(check, first + 1) == check->count)
        check->items[first].suspect = true;
    else if (first < check->count)
        find_suspects(check, first, err);
    SG_SCOPED(sg_outputs) outputs = {.got = {NULL}};
    bool is_known = false;
    for (size_t k = first; k < check->count && err->code == SG_SUCCESS; k++)
        if (check->items[k].suspect)
            ask_reference(check, &outputs, &is_known, &check->items[k], err);
    return err->code;
}
