/* worker/case_buffers.h and worker/session.h: layouts that are refused, guards, inputs and SG_INOUT
 * around a launch, memory that runs out and is made room for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/text.h"
#include "worker/random_fill.h"
#include "worker/session.h"

#define PERIOD ((uint64_t)SG_FILL_PERIOD)

static const struct sg_buffer good_input = {.name = "x", .dtype = SG_F32, .count = 6, .row = 3, .use = SG_INPUT};
static const struct sg_buffer good_output = {.name = "y", .dtype = SG_F32, .count = 6, .use = SG_OUTPUT};

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

static const struct sg_family family = {.device = SG_HOST, .layout = layout};
static const struct sg_family crowded = {.device = SG_HOST, .layout = too_many};

static enum sg_code open_layout(struct sg_buffers *buffers, const struct sg_family *of, const struct sg_buffer *wanted,
                                struct sg_device *device, struct sg_outcome *outcome, struct sg_err *err)
{
    static struct sg_module module;
    static struct sg_case c;
    module = (struct sg_module){.name = "test", .family = of};
    c = (struct sg_case){.name = "case_", .more = wanted};
    if (sg_buffers_lay_out(buffers, &(struct sg_target){.module = &module, .home = &module, .c = &c}, outcome, err) == SG_SUCCESS)
        sg_buffers_open(buffers, device, outcome);
    return err->code;
}

TEST(layouts_are_checked)
{
    struct sg_device *device = *state;
    static const struct {
        const char *sentence, *message;
        struct sg_buffer layout[4];
    } rows[] = {
        {"no output", "nothing could be checked", {{.name = "x", .count = 1, .use = SG_INPUT}, END}},
        {"no buffer at all", "nothing could be checked", {END}},
        {"a name in capitals", "named \"Y\"", {{.name = "Y", .count = 1, .use = SG_OUTPUT}, END}},
        {"no name", "named \"\"", {{.count = 1, .use = SG_OUTPUT}, END}},
        {"a name twice", "both named y", {{.name = "y", .count = 1, .use = SG_OUTPUT}, {.name = "y", .count = 1, .use = SG_OUTPUT}, END}},
        {"no elements", "y has 0 elements", {{.name = "y", .use = SG_OUTPUT}, END}},
        {"elements without number", "has 18446744073709551615 elements", {{.name = "y", .count = UINT64_MAX, .use = SG_OUTPUT}, END}},
        {"a torn row", "no number of whole rows of 4", {{.name = "y", .count = 6, .row = 4, .use = SG_OUTPUT}, END}},
        {"an unknown use", "out of range", {{.name = "y", .count = 6, .use = (enum sg_use)9}, END}},
        {"a negative scale", "scale -1", {{.name = "y", .count = 6, .use = SG_INOUT, .scale = -1}, END}},
        {"a scale that is no number", "scale nan", {{.name = "y", .count = 6, .use = SG_INOUT, .scale = NAN}, END}},
        {"an infinite scale", "scale inf", {{.name = "y", .count = 6, .use = SG_INOUT, .scale = INFINITY}, END}},
        {"a scale beyond the format",
         "scale 1e+06: expected 0 or more, and a number that f16 can hold",
         {{.name = "y", .dtype = SG_F16, .count = 6, .use = SG_INOUT, .scale = 1e6}, END}},
        {"nobody to fill", "has no fill function", {{.name = "y", .count = 6, .use = SG_INOUT, .fill = SG_CUSTOM}, END}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_buffers buffers;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_err err = {0};
        if (open_layout(&buffers, &family, rows[i].layout, device, &outcome, &err) != SG_BAD_INPUT || !strstr(err.message, rows[i].message))
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
    const struct sg_buffer layout_[] = {good_input,
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
        {"nor what follows an output", 1, 24, SG_OVERRUN, "outside of y (6 elements, 24 bytes): byte 24 changed"},
        {"nor far behind it", 1, 4000, SG_OVERRUN, "byte 4000 changed"},
        {"nor what is before it", 1, -1, SG_OVERRUN, "byte -1 changed"},
        {"nor far before it", 1, -4096, SG_OVERRUN, "byte -4096 changed"},
        {"nor what follows half a word", 2, 6, SG_OVERRUN, "outside of z (3 elements, 6 bytes): byte 6 changed"},
        {"nor what follows scratch", 3, 5, SG_OVERRUN, "byte 5 changed"},
        {"nor what is before an input", 0, -100, SG_OVERRUN, "outside of x"},
    };
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_fill(&buffers, 1, false, &err), SG_SUCCESS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        outcome = (struct sg_outcome){.status = SG_OK};
        /* The poison leaves the guards as they are. */
        assert_int_equal(sg_buffers_renew_guards(&buffers, &err), SG_SUCCESS);
        assert_int_equal(sg_buffers_poison(&buffers, (unsigned)i, &err), SG_SUCCESS);
        char *byte = (char *)buffers.memory[rows[i].which] + rows[i].at;
        const char was = *byte;
        *byte = (char)(was ^ 0x10);
        assert_int_equal(sg_buffers_check_guards(&buffers, &outcome, &err), SG_SUCCESS);
        assert_int_equal(sg_buffers_check_inputs(&buffers, &outcome, &err), SG_SUCCESS);
        if (outcome.status != rows[i].status || !strstr(outcome.message, rows[i].message))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status), outcome.message);
        /* Inputs are not written again between launches, because no right variant needs it. */
        *byte = was;
    }
    sg_buffers_release(&buffers);
}

/* A long input is drawn in part, and the rest is copied from
 * there: no byte of either may change. */
TEST(writes_to_long_inputs_are_noticed)
{
    struct sg_device *device = *state;
    const uint64_t count = 3 * PERIOD + 5;
    const struct sg_buffer layout_[] = {{.name = "x", .dtype = SG_F32, .count = count, .use = SG_INPUT},
                                        {.name = "p", .dtype = SG_E2M1, .count = count, .use = SG_INPUT, .fill = SG_UNIFORM, .scale = 6},
                                        good_output,
                                        END};
    static const struct {
        const char *sentence;
        size_t which;
        uint64_t at[2]; /* bytes that change; the same twice: one */
        const char *message;
    } rows[] = {
        {"the first", 0, {0, 0}, "x[0] changed"},
        {"the last that was drawn", 0, {4 * PERIOD - 1, 4 * PERIOD - 1}, "x[1048572] changed"},
        {"the first that was copied", 0, {4 * PERIOD, 4 * PERIOD}, "x[1048573] changed"},
        {"the last", 0, {4 * (3 * PERIOD + 5) - 1, 4 * (3 * PERIOD + 5) - 1}, "x[3145723] changed"},
        {"of two the first is told", 0, {9000000, 8000000}, "x[2000000] changed"},
        {"the byte between drawn and copied of a packed one", 1, {PERIOD / 2, PERIOD / 2}, "p[1048572] changed"},
        {"half a byte at the end", 1, {3 * PERIOD / 2 + 2, 3 * PERIOD / 2 + 2}, "p[3145722] changed"},
    };
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_fill(&buffers, 1, false, &err), SG_SUCCESS);
    assert_memory_equal(buffers.memory[0], buffers.host[0], buffers.bytes[0]);
    assert_memory_equal(buffers.memory[1], buffers.host[1], buffers.bytes[1]);
    assert_int_equal(sg_buffers_check_inputs(&buffers, &outcome, &err), SG_SUCCESS);
    assert_int_equal(outcome.status, SG_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char *memory = buffers.memory[rows[i].which];
        outcome = (struct sg_outcome){.status = SG_OK};
        memory[rows[i].at[0]] ^= 8;
        if (rows[i].at[1] != rows[i].at[0])
            memory[rows[i].at[1]] ^= 8;
        assert_int_equal(sg_buffers_check_inputs(&buffers, &outcome, &err), SG_SUCCESS);
        if (outcome.status != SG_OVERRUN || !strstr(outcome.message, rows[i].message))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status), outcome.message);
        memory[rows[i].at[0]] ^= 8;
        if (rows[i].at[1] != rows[i].at[0])
            memory[rows[i].at[1]] ^= 8;
    }
    sg_buffers_release(&buffers);
}

TEST(inout_is_restored)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {{.name = "z", .dtype = SG_F32, .count = 64, .use = SG_INOUT}, END};
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_fill(&buffers, 1, true, &err), SG_SUCCESS);
    memset(buffers.memory[0], 0x77, buffers.bytes[0]);
    assert_int_equal(sg_buffers_poison(&buffers, 0, &err), SG_SUCCESS);
    assert_memory_equal(buffers.memory[0], buffers.host[0], buffers.bytes[0]);
    const struct sg_runnable runnable = sg_buffers_runnable(&buffers, &(struct sg_configured_variant){0});
    assert_int_equal(runnable.restore_count, 1);
    assert_ptr_equal(runnable.restore[0].to, buffers.memory[0]);
    assert_int_equal(runnable.restore[0].bytes, buffers.bytes[0]);
    sg_buffers_release(&buffers);
}

TEST(kept_inputs_are_filled_once)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {good_input, good_output, END};
    struct sg_buffers buffers;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&buffers, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_keep_filled(&buffers, 4, &err), SG_SUCCESS);
    assert_null(buffers.host[0]);
    float first;
    memcpy(&first, buffers.memory[0], sizeof(first));
    assert_true(first != 0);
    memset(buffers.memory[0], 0, buffers.bytes[0]);
    assert_int_equal(sg_buffers_keep_filled(&buffers, 4, &err), SG_SUCCESS);
    memcpy(&first, buffers.memory[0], sizeof(first));
    assert_true(first == 0);
    sg_buffers_release(&buffers);
}

/* What a launch is timed on must be what it was verified on. */
TEST(kept_inputs_are_those_that_are_checked)
{
    struct sg_device *device = *state;
    const uint64_t periods = 2 * (uint64_t)SG_FILL_PERIOD + 77;
    const struct sg_buffer layout_[] = {
        {.name = "short", .dtype = SG_BF16, .count = 5, .use = SG_INPUT, .fill = SG_NORMAL, .scale = 1},
        {.name = "long", .dtype = SG_F32, .count = periods, .use = SG_INPUT, .fill = SG_NORMAL, .scale = 0.5},
        {.name = "packed", .dtype = SG_E2M1, .count = periods, .use = SG_INPUT, .fill = SG_NORMAL, .scale = 1},
        {.name = "both", .dtype = SG_F16, .count = periods, .use = SG_INOUT, .fill = SG_NORMAL, .scale = 1},
        END,
    };
    struct sg_buffers checked, kept;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    assert_int_equal(open_layout(&checked, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(open_layout(&kept, &family, layout_, device, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_fill(&checked, 4, false, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_keep_filled(&kept, 4, &err), SG_SUCCESS);
    for (size_t i = 0; i < checked.count; i++)
        if (memcmp(kept.memory[i], checked.memory[i], checked.bytes[i]) != 0)
            fail_msg("%s differs", layout_[i].name);
    assert_memory_equal(kept.pristine[3], checked.memory[3], checked.bytes[3]);
    sg_buffers_release(&checked);
    sg_buffers_release(&kept);
}

/* What is made while the device is opened is what is made without that, and is used once. */
TEST(inputs_made_ahead_are_the_same)
{
    struct sg_device *device = *state;
    const struct sg_buffer layout_[] = {
        {.name = "x", .dtype = SG_F32, .count = SG_FILL_PERIOD + 99, .use = SG_INPUT, .fill = SG_UNIFORM}, good_output, END};
    const struct sg_buffer broken[] = {good_input, END};
    static const struct {
        const char *sentence;
        bool whole;
        uint64_t seed;
        bool integers; /* that are asked for afterwards */
    } rows[] = {
        {"of the same seed", false, 7, false},
        {"as the reference reads them", true, 7, false},
        {"of another seed", true, 8, false},
        {"of integers", true, 7, true},
    };
    const struct sg_module module = {.name = "test", .family = &family};
    const struct sg_case cases[] = {{.name = "a", .more = layout_}, {.name = "b", .more = broken}};
    const struct sg_target good = {.module = &module, .home = &module, .c = &cases[0]},
                           bad = {.module = &module, .home = &module, .c = &cases[1]};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_pass pass = {.device = {[SG_HOST] = device}};
        struct sg_buffers fresh;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_err err = {0};
        sg_ahead_add(&pass.ahead, &good, true);
        sg_ahead_add(&pass.ahead, &good, true);
        sg_ahead_add(&pass.ahead, &bad, true);
        assert_int_equal(pass.ahead.count, 2);
        sg_ahead_start(&pass.ahead, 7, rows[i].whole);
        struct sg_buffers *ahead = sg_pass_buffers(&pass, &good, &outcome, &err);
        assert_non_null(ahead);
        assert_true(ahead->drawn);
        assert_null(sg_ahead_take(&pass.ahead, &cases[0]));
        assert_int_equal(open_layout(&fresh, &family, layout_, device, &outcome, &err), SG_SUCCESS);
        assert_int_equal(sg_buffers_fill(ahead, rows[i].seed, rows[i].integers, &err), SG_SUCCESS);
        assert_int_equal(sg_buffers_fill(&fresh, rows[i].seed, rows[i].integers, &err), SG_SUCCESS);
        if (memcmp(ahead->host[0], fresh.host[0], fresh.bytes[0]) != 0 || memcmp(ahead->memory[0], fresh.memory[0], fresh.bytes[0]) != 0)
            fail_msg("%s: other inputs than without", rows[i].sentence);
        /* What is wrong with a layout is told to whoever needs it. */
        assert_null(sg_pass_buffers(&pass, &bad, &outcome, &err));
        assert_non_null(strstr(err.message, "nothing could be checked"));
        sg_buffers_release(&fresh);
        sg_ahead_release(&pass.ahead);
        sg_pass_forget(&pass);
        free(pass.cases);
    }
}

static unsigned fills;

static void count_fill(const struct sg_fill_request *request)
{
    (void)request;
    fills++;
}

/* What a family's own fill does to the worker is laid at the door of the item that has begun. */
TEST(only_references_call_a_familys_fill_ahead)
{
    const struct sg_buffer layout_[] = {{.name = "x", .dtype = SG_F32, .count = 9, .use = SG_INPUT, .fill = SG_CUSTOM}, good_output, END};
    static const struct {
        const char *sentence;
        bool is_item;
        unsigned fills;
    } rows[] = {{"an item's inputs are made in its turn", true, 0}, {"a reference's are made ahead", false, 1}};
    const struct sg_family filling = {.device = SG_HOST, .layout = layout, .fill = count_fill};
    const struct sg_module module = {.name = "test", .family = &filling};
    const struct sg_case c = {.name = "c", .more = layout_};
    const struct sg_target target = {.module = &module, .home = &module, .c = &c};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_ahead ahead = {0};
        fills = 0;
        sg_ahead_add(&ahead, &target, rows[i].is_item);
        sg_ahead_start(&ahead, 7, true);
        struct sg_buffers *made = sg_ahead_take(&ahead, &c);
        if (fills != rows[i].fills || (made != NULL) != (rows[i].fills > 0))
            fail_msg("%s: %u fills", rows[i].sentence, fills);
        sg_buffers_free(made);
        sg_ahead_release(&ahead);
    }
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

    blocks_left = 4;
    struct sg_buffers *kept = sg_pass_buffers(&pass, &first, &outcome, &err);
    assert_non_null(kept);
    assert_non_null(sg_pass_buffers(&pass, &second, &outcome, &err));
    assert_ptr_equal(sg_pass_buffers(&pass, &first, &outcome, &err), kept);
    sg_pass_forget(&pass);

    blocks_left = 2;
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
