/* worker/checked_launch.h: two outputs that are both right always agree, however coarse the
 * tolerance; two that are further apart do not. */
#include "check.h"
#include "worker/checked_launch.h"

#define ELEMENTS 8

static struct sg_tolerance allowed;

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[0] = (struct sg_buffer){.name = "y", .dtype = SG_F64, .count = ELEMENTS, .use = SG_OUTPUT};
    return 1;
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return allowed;
}

static const struct sg_case only = {.name = "only"};
static const struct sg_family family = {
    .device = SG_HOST, .layout = layout, .tolerance = tolerance};
static const struct sg_module module = {.name = "test", .family = &family};

/* The reference is all ones: an error of `error` is rel_rms of that, and rel_max of half of it. */
static bool agree(double first, double second)
{
    const struct sg_target target = {.module = &module, .home = &module, .c = &only};
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_device *device = NULL;
    struct sg_buffers buffers;
    struct sg_kept kept;
    struct sg_kept_difference difference;
    assert_int_equal(sg_device_open_null(0, &device, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_open(&buffers, &target, device, false, &outcome, &err), SG_SUCCESS);
    sg_kept_open(&kept, &buffers, 1, &outcome);
    assert_int_equal(outcome.status, SG_OK);
    double *y = buffers.memory[0];
    for (size_t i = 0; i < ELEMENTS; i++)
        y[i] = 1 + first;
    assert_int_equal(sg_kept_put(&kept, 0, 7, buffers.memory, &err), SG_SUCCESS);
    for (size_t i = 0; i < ELEMENTS; i++)
        y[i] = 1 + second;
    assert_int_equal(sg_kept_match(&kept, 0, 7, buffers.memory, &err), SG_SUCCESS);
    assert_int_equal(sg_kept_find(&kept, 1, &difference, &err), SG_SUCCESS);
    sg_buffers_release(&buffers);
    device->ops->close(device);
    return !difference.any;
}

TEST(the_far_ends_of_a_tolerance_agree)
{
    static const double errors[] = {1e-6, 1e-3, 0.01, 0.1, 0.2, 0.25, 0.3};
    for (size_t i = 0; i < COUNT(errors); i++) {
        const double error = errors[i];
        /* Beyond what it allows by the last bits only. */
        allowed =
            (struct sg_tolerance){.rel_rms = error * (1 + 1e-9), .rel_max = error / 2 * (1 + 1e-9)};
        if (!agree(-error, error) || !agree(error, -error))
            fail_msg("two that are right do not agree: each is off by %g", error);
        /* With a coarser one hardly anything is too far. */
        if (error <= 0.1 && (agree(-error, 4 * error) || agree(4 * error, -error)))
            fail_msg("one that is off by four times %g agrees", error);
    }
}

TEST(what_must_be_exact_is)
{
    allowed = (struct sg_tolerance){.rel_rms = 0, .rel_max = 1};
    assert_true(agree(0, 0));
    assert_false(agree(0, 1e-15));
}
