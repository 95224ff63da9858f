#include "worker/prefetch.h"

#include <stdlib.h>

#include "util/text.h"

void sg_ahead_add(struct sg_ahead *ahead, const struct sg_target *target, bool is_item)
{
    bool known = ahead->count == SG_AHEAD_MAX;
    for (size_t i = 0; i < ahead->count; i++)
        known |= ahead->targets[i]->c == target->c;
    if (known)
        return;
    ahead->targets[ahead->count] = target;
    ahead->is_item[ahead->count++] = is_item;
}

static struct sg_buffers *make(const struct sg_ahead *ahead, size_t i)
{
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    struct sg_buffers *buffers = sg_alloc(1, sizeof(*buffers));
    if (sg_buffers_lay_out(buffers, ahead->targets[i], &outcome, &err) == SG_SUCCESS && outcome.status == SG_OK &&
        !(ahead->is_item[i] && sg_buffers_are_custom(buffers))) {
        sg_buffers_draw(buffers, ahead->seed, false, ahead->whole);
        return buffers;
    }
    sg_buffers_free(buffers);
    return NULL;
}

static void *make_all(void *argument)
{
    struct sg_ahead *ahead = argument;
    for (size_t i = 0; i < ahead->count; i++)
        ahead->made[i] = make(ahead, i);
    return NULL;
}

void sg_ahead_start(struct sg_ahead *ahead, uint64_t seed, bool whole)
{
    ahead->seed = seed;
    ahead->whole = whole;
    ahead->running = ahead->count > 0 && pthread_create(&ahead->thread, NULL, make_all, ahead) == 0;
}

static void wait_for_thread(struct sg_ahead *ahead)
{
    if (ahead->running)
        pthread_join(ahead->thread, NULL);
    ahead->running = false;
}

struct sg_buffers *sg_ahead_take(struct sg_ahead *ahead, const struct sg_case *c)
{
    wait_for_thread(ahead);
    for (size_t i = 0; i < ahead->count; i++) {
        struct sg_buffers *buffers = ahead->made[i];
        if (!buffers || buffers->c != c)
            continue;
        ahead->made[i] = NULL;
        return buffers;
    }
    return NULL;
}

void sg_ahead_release(struct sg_ahead *ahead)
{
    wait_for_thread(ahead);
    for (size_t i = 0; i < ahead->count; i++)
        sg_buffers_free(ahead->made[i]);
    *ahead = (struct sg_ahead){0};
}
