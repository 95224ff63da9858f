/* worker/case_buffers.h and worker/session.h: layouts that are refused, guards, inputs and SG_INOUT
 * around a launch, memory that runs out and is made room for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/random_fill.h"
#include "worker/session.h"

static const struct sg_buffer good_input = {
    .name = "x", .dtype = SG_F32, .count = 6, .row = 3, .use = SG_INPUT};
static const struct sg_buffer good_output = {
    .name = "y", .dtype = SG_F32, .count = 6, .use = SG_OUTPUT};

/* A family whose case points to its layout: buffers until one without elements and name. */
static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const struct sg_buffer *buffers = c->more;
    size_t count = 0;
    for (; buffers[count].dtype != SG_DTYPE_COUNT; count++)
        out[count] = buffers[count];
    return count;
}

#define END                     \
    {                           \
        .dtype = SG_DTYPE_COUNT \
    }

static size_t too_many(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    (void)out;
    return SG_MAX_BUFFERS + 1;
}

static struct sg_tolerance exact(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.reason = "test"};
}

static const struct sg_family family = {.device = SG_HOST, .layout = layout, .tolerance = exact};
static const struct sg_family crowded = {.device = SG_HOST, .layout = too_many};

static enum sg_code open_layout(struct sg_buffers *buffers, const struct sg_family *of,
                                const struct sg_buffer *wanted, struct sg_device *device,
                                struct sg_outcome *outcome, struct sg_err *err)
{
    static struct sg_module module;
    static struct sg_case c;
    module = (struct sg_module){.name = "test", .family = of};
    c = (struct sg_case){.name = "case_", .more = wanted};
    return sg_buffers_open(buffers,
                           &(struct sg_target){.module = &module, .home = &module, .c = &c}, device,
                           false, outcome, err);
}

TEST(layouts_are_checked)
{
    struct sg_device *device = *state;
    static const struct {
        const char *sentence, *message;
        struct sg_buffer layout[4];
    } rows[] = {
        ROW("no output", "nothing could be checked",
            LIST(LIST(.name = "x", .count = 1, .use = SG_INPUT), END)),
        ROW("no buffer at all", "nothing could be checked", LIST(END)),
        ROW("a name in capitals", "named \"Y\"",
            LIST(LIST(.name = "Y", .count = 1, .use = SG_OUTPUT), END)),
        ROW("no name", "named \"\"", LIST(LIST(.count = 1, .use = SG_OUTPUT), END)),
        ROW("a name twice", "both named y",
            LIST(LIST(.name = "y", .count = 1, .use = SG_OUTPUT),
                 LIST(.name = "y", .count = 1, .use = SG_OUTPUT), END)),
        ROW("no elements", "y has 0 elements", LIST(LIST(.name = "y", .use = SG_OUTPUT), END)),
        ROW("elements without number", "has 18446744073709551615 elements",
            LIST(LIST(.name = "y", .count = UINT64_MAX, .use = SG_OUTPUT), END)),
        ROW("a torn row", "no number of whole rows of 4",
            LIST(LIST(.name = "y", .count = 6, .row = 4, .use = SG_OUTPUT), END)),
        ROW("a negative scale", "scale -1",
            LIST(LIST(.name = "y", .count = 6, .use = SG_INOUT, .scale = -1), END)),
        ROW("a scale that is no number", "scale nan",
            LIST(LIST(.name = "y", .count = 6, .use = SG_INOUT, .scale = NAN), END)),
        ROW("an infinite scale", "scale inf",
            LIST(LIST(.name = "y", .count = 6, .use = SG_INOUT, .scale = INFINITY), END)),
        ROW("a scale beyond the format",
            "scale 1e+06: expected 0 or more, and a number that f16 can hold",
            LIST(LIST(.name = "y", .dtype = SG_F16, .count = 6, .use = SG_INOUT, .scale = 1e6),
                 END)),
        ROW("nobody to fill", "has no fill function",
            LIST(LIST(.name = "y", .count = 6, .use = SG_INOUT, .fill = SG_CUSTOM), END)),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_buffers buffers;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_err err = {0};
        if (open_layout(&buffers, &family, rows[i].layout, device, &outcome, &err) !=
                SG_BAD_INPUT ||
            !strstr(err.message, rows[i].message))
            fail_msg("%s: code %d: %s", rows[i].sentence, (int)err.code, err.message);
        sg_buffers_release(&buffers);
    }
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &crowded, NULL, device, &outcome, &err), SG_BAD_INPUT);
    assert_non_null(strstr(err.message, "layout of 17 buffers: at most 16"));
    sg_buffers_release(&buffers);
}

/* What a launch does to the memory of buffer `which`, `at` bytes from
 * its start, and what is said of it. */
TEST(writes_are_noticed)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {
        good_input,
        good_output,
        {.name = "z", .dtype = SG_BF16, .count = 3, .use = SG_INOUT},
        {.name = "s", .dtype = SG_I8, .count = 5, .use = SG_SCRATCH},
        END};
    static const struct {
        const char *sentence;
        size_t which;
        long at;
        enum sg_status status;
        const char *message;
    } rows[] = {
        {"an output may be written", 1, 23, SG_OK, ""},
        {"so may what is in and out", 2, 5, SG_OK, ""},
        {"so may scratch", 3, 4, SG_OK, ""},
        {"an input may not", 0, 13, SG_OVERRUN, "wrote to its input: x[1,0] changed"},
        {"nor what follows an output", 1, 24, SG_OVERRUN,
         "outside of y (6 elements, 24 bytes): byte 24 changed"},
        {"nor far behind it", 1, 4000, SG_OVERRUN, "byte 4000 changed"},
        {"nor what is before it", 1, -1, SG_OVERRUN, "byte -1 changed"},
        {"nor far before it", 1, -4096, SG_OVERRUN, "byte -4096 changed"},
        {"nor what follows half a word", 2, 6, SG_OVERRUN,
         "outside of z (3 elements, 6 bytes): byte 6 changed"},
        {"nor what follows scratch", 3, 5, SG_OVERRUN, "byte 5 changed"},
        {"nor what is before an input", 0, -100, SG_OVERRUN, "outside of x"},
    };
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_fill_inputs(&buffers, 1, false, &outcome, &err), SG_SUCCESS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        outcome = (struct sg_outcome){.status = SG_OK};
        /* The poison leaves the guards as they are. */
        assert_int_equal(sg_buffers_renew_guards(&buffers, &err), SG_SUCCESS);
        assert_int_equal(sg_buffers_poison(&buffers, (unsigned)i, &err), SG_SUCCESS);
        char *byte = (char *)buffers.memory[rows[i].which] + rows[i].at;
        const char was = *byte;
        *byte = (char)(was ^ 0x10);
        assert_int_equal(sg_buffers_check_guards(&buffers, &outcome, &err), SG_SUCCESS);
        assert_int_equal(sg_fresh_check_inputs(&buffers, SG_AS_DRAWN, &outcome, &err), SG_SUCCESS);
        if (outcome.status != rows[i].status || !strstr(outcome.message, rows[i].message))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status),
                     outcome.message);
        /* Inputs are not written again between launches, because no right variant needs it. */
        *byte = was;
    }
    sg_buffers_release(&buffers);
}

TEST(inout_is_restored)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {
        {.name = "z", .dtype = SG_F32, .count = 64, .use = SG_INOUT}, END};
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_fill_inputs(&buffers, 1, true, &outcome, &err), SG_SUCCESS);
    memset(buffers.memory[0], 0x77, buffers.bytes[0]);
    assert_int_equal(sg_buffers_poison(&buffers, 0, &err), SG_SUCCESS);
    assert_memory_equal(buffers.memory[0], buffers.pristine[0], buffers.bytes[0]);
    const struct sg_runnable runnable =
        sg_buffers_runnable(&buffers, &(struct sg_configured_variant){0});
    assert_int_equal(runnable.restore_count, 1);
    assert_ptr_equal(runnable.restore[0].to, buffers.memory[0]);
    assert_int_equal(runnable.restore[0].bytes, buffers.bytes[0]);
    sg_buffers_release(&buffers);
}

/* What a launch is timed on is of the kind that it was verified on, and as long. */
TEST(inputs_are_drawn_anew_or_as_before)
{
    struct sg_device *device = *state;
    const uint64_t periods = 2 * (uint64_t)SG_FILL_PERIOD + 77;
    const struct sg_buffer layout_[] = {
        ROW(.name = "short", .dtype = SG_BF16, .count = 5, .use = SG_INPUT, .fill = SG_NORMAL,
            .scale = 1),
        ROW(.name = "long", .dtype = SG_F32, .count = periods, .use = SG_INPUT, .fill = SG_NORMAL,
            .scale = 0.5),
        ROW(.name = "packed", .dtype = SG_E2M1, .count = periods, .use = SG_INPUT,
            .fill = SG_NORMAL, .scale = 1),
        ROW(.name = "both", .dtype = SG_F16, .count = periods, .use = SG_INOUT, .fill = SG_NORMAL,
            .scale = 1),
        END,
    };
    struct sg_buffers one, other;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&one, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(open_layout(&other, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_fill_inputs(&one, 4, false, &outcome, &err), SG_SUCCESS);
    for (unsigned turn = 0; turn < 3; turn++) {
        const uint64_t seed = turn == 1 ? 5 : 4;
        assert_int_equal(sg_fill_inputs(&other, seed, false, &outcome, &err), SG_SUCCESS);
        if (turn == 2)
            assert_int_equal(sg_fresh_inputs(&other, 99, &err), SG_SUCCESS);
        for (size_t i = 0; i < one.count; i++) {
            const void *a = one.pristine[i] ? one.pristine[i] : one.memory[i],
                       *b = other.pristine[i] ? other.pristine[i] : other.memory[i];
            if ((memcmp(a, b, one.bytes[i]) == 0) != (turn == 0))
                fail_msg("%s in turn %u", layout_[i].name, turn);
        }
    }
    sg_buffers_release(&one);
    sg_buffers_release(&other);
}

/* A device with little memory: the ops of the null device but for a budget of blocks. */
static size_t blocks_left;
static const struct sg_device_ops *real;

static void *scarce_alloc(struct sg_device *device, uint64_t bytes, enum sg_status *status)
{
    if (blocks_left == 0) {
        *status = SG_OOM;
        return NULL;
    }
    blocks_left--;
    return real->alloc(device, bytes, status);
}

static void scarce_release(struct sg_device *device, void *memory)
{
    blocks_left++;
    real->release(device, memory);
}

TEST(memory_runs_out)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {good_input, good_output, END};
    const struct sg_module module = {.name = "test", .family = &family};
    const struct sg_case c[] = {{.name = "a", .more = layout_}, {.name = "b", .more = layout_}};
    const struct sg_target first = {.module = &module, .home = &module, .c = &c[0]},
                           second = {.module = &module, .home = &module, .c = &c[1]};
    struct sg_pass pass = {.device = {[SG_HOST] = device}};
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    struct sg_device_ops scarce = *device->ops;
    real = device->ops;
    scarce.alloc = scarce_alloc;
    scarce.release = scarce_release;
    device->ops = &scarce;

    blocks_left = 6; /* x, y and a copy of their guards, of two cases */
    struct sg_buffers *kept = sg_pass_buffers(&pass, &first, &outcome, &err);
    assert_non_null(kept);
    assert_non_null(sg_pass_buffers(&pass, &second, &outcome, &err));
    assert_ptr_equal(sg_pass_buffers(&pass, &first, &outcome, &err), kept);
    sg_pass_forget(&pass);

    blocks_left = 3;
    assert_non_null(sg_pass_buffers(&pass, &first, &outcome, &err));
    assert_non_null(sg_pass_buffers(&pass, &second, &outcome, &err));
    assert_int_equal(outcome.status, SG_OK);
    sg_pass_forget(&pass);

    blocks_left = 1;
    assert_null(sg_pass_buffers(&pass, &first, &outcome, &err));
    assert_int_equal(outcome.status, SG_OOM);
    assert_non_null(strstr(outcome.message, "no room for buffer y"));
    assert_int_equal(err.code, SG_SUCCESS);
    assert_int_equal(blocks_left, 1);
    free(pass.cases);
    device->ops = real;
}

static int open_device(void **state)
{
    struct sg_err err = {0};
    struct sg_device *device = NULL;
    sg_device_open_null(0, &device, &err);
    *state = device;
    return err.code;
}

static int close_device(void **state)
{
    struct sg_device *device = *state;
    device->ops->close(device);
    return 0;
}

int main(void)
{
    return check_run("tests", open_device, close_device);
}
