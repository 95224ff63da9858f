/* counted_check.h on the null device: which of a case's items are wrong,
 * whichever of them were launched. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "worker/counted_check.h"
#include "worker/fresh_buffers.h"

#define ELEMENTS 1000
#define ITEMS    3

enum { X, Y };

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[X] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = ELEMENTS, .use = SG_INPUT};
    out[Y] = (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = ELEMENTS, .use = SG_OUTPUT};
    return 2;
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6, .rel_max = 1e-5, .reason = "one rounding"};
}

static void reference(const struct sg_reference_request *r)
{
    for (uint64_t i = 0; i < ELEMENTS; i++)
        r->expected[Y][i] = 2 * (double)((const float *)r->host[X])[i];
}

static const struct sg_case only = {.name = "only"};
static const struct sg_family family = {
    .device = SG_HOST, .layout = layout, .tolerance = tolerance, .reference = reference};
static const struct sg_module module = {.name = "test", .family = &family};

struct bench {
    struct sg_device *device;
    struct sg_buffers buffers;
    struct sg_counted_check check;
    struct sg_runnable runnables[ITEMS];
};

static void set_up(struct bench *b)
{
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    const struct sg_target target = {.module = &module, .home = &module, .c = &only};
    assert_int_equal(sg_device_open_null(0, &b->device, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_open(&b->buffers, &target, b->device, false, &outcome, &err),
                     SG_SUCCESS);
    assert_int_equal(sg_fill_inputs(&b->buffers, 1, false, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_counted_check_open(&b->check, &b->buffers, 5, &outcome, &err), SG_SUCCESS);
    for (size_t i = 0; i < ITEMS; i++)
        sg_counted_check_add(&b->check, &b->runnables[i], &outcome);
    assert_int_equal(outcome.status, SG_OK);
}

static void tear_down(struct bench *b)
{
    sg_counted_check_release(&b->check);
    sg_buffers_release(&b->buffers);
    b->device->ops->close(b->device);
}

/* Overwrites the output as the device does before a launch, then computes. A
 * wrong one leaves the last element. */
static void launch(struct bench *b, size_t item, bool right)
{
    struct sg_err err = {0};
    const struct sg_runnable *what = &b->runnables[item];
    const float *x = b->buffers.memory[X];
    assert_int_equal(b->device->ops->copy(b->device, what->restore, what->restore_count, &err),
                     SG_SUCCESS);
    for (uint64_t i = 0; i < ELEMENTS - (right ? 0 : 1); i++)
        ((float *)b->buffers.memory[Y])[i] = 2 * x[i];
    assert_int_equal(sg_counted_check_launched(&b->check, item, &err), SG_SUCCESS);
}

TEST(test_judge)
{
    /* R: launched and right; W: launched and wrong; -: not launched. */
    static const struct {
        const char *name, *items, *wrong;
    } rows[] = {
        {"all are right", "RRR", "..."},
        {"the first one is wrong", "WRR", "W.."},
        {"the last one is wrong", "RRW", "..W"},
        {"all are wrong alike", "WWW",
         "..."}, /* what nobody can see without asking the reference of each */
        {"behind one that was not launched a wrong one is found", "-WR", ".W."},
        {"so is the last one", "-RW", "..W"},
        {"between two that were not launched it is asked by itself", "-W-", ".W."},
        {"the first one alone is asked, too", "W--", "W.."},
        {"a right one alone is right", "--R", "..."},
        {"none was launched", "---", "..."},
    };
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct bench b = {.device = NULL};
        struct sg_err err = {0};
        set_up(&b);
        for (size_t i = 0; i < ITEMS; i++)
            if (rows[row].items[i] != '-')
                launch(&b, i, rows[row].items[i] == 'R');
        assert_int_equal(sg_counted_check_judge(&b.check, &err), SG_SUCCESS);
        for (size_t i = 0; i < ITEMS; i++)
            if ((b.check.items[i].outcome.status == SG_WRONG) != (rows[row].wrong[i] == 'W'))
                fail_msg("%s: item %zu is %d: %s", rows[row].name, i,
                         (int)b.check.items[i].outcome.status, b.check.items[i].outcome.message);
        tear_down(&b);
    }
}

/* A device with room for so many more buffers. */
static const struct sg_device_ops *real_ops;
static unsigned room;

static void *alloc_until_full(struct sg_device *device, uint64_t bytes, enum sg_status *status)
{
    *status = SG_OOM;
    return room > 0 ? (room--, real_ops->alloc(device, bytes, status)) : NULL;
}

TEST(test_no_room)
{
    struct bench b = {.device = NULL};
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_runnable one_more = {.restore_count = 0};
    set_up(&b);
    real_ops = b.device->ops;
    struct sg_device_ops full = *real_ops;
    full.alloc = alloc_until_full;
    b.device->ops = &full;
    room = 0;
    sg_counted_check_add(&b.check, &one_more, &outcome);
    assert_int_equal(outcome.status, SG_OOM);
    assert_int_equal(b.check.count, ITEMS);
    assert_int_equal(one_more.restore_count, 0);
    b.device->ops = real_ops;
    tear_down(&b);
}
