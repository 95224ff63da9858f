/* worker/timed_check.h on the null device: what launches of a round find, which side is
 * wrong, and what both get wrong alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/dtype.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/timed_check.h"

#define ELEMENTS     5001
#define LAUNCHES     3
#define SECRET       7
#define PLAIN_ROUNDS 8

/* y is x + k, z is doubled in place, p is 1: k is the family's
 * own, p packed and of an odd number. */
enum { X, K, Y, Z, P };

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[X] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = ELEMENTS, .use = SG_INPUT};
    out[K] = (struct sg_buffer){
        .name = "k", .dtype = SG_F32, .count = 10, .use = SG_INPUT, .fill = SG_CUSTOM};
    out[Y] = (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = ELEMENTS, .use = SG_OUTPUT};
    out[Z] = (struct sg_buffer){.name = "z", .dtype = SG_BF16, .count = ELEMENTS, .use = SG_INOUT};
    out[P] = (struct sg_buffer){.name = "p", .dtype = SG_E2M1, .count = ELEMENTS, .use = SG_OUTPUT};
    return 5;
}

static void fill(const struct sg_fill_request *request)
{
    for (unsigned i = 0; i < 10; i++)
        ((float *)request->host[K])[i] = (float)(request->seed % 1000 + i);
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6, .rel_max = 1e-5, .reason = "one rounding"};
}

static void reference(const struct sg_reference_request *r)
{
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        r->expected[Y][i] =
            (double)((const float *)r->host[X])[i] + (double)((const float *)r->host[K])[i % 10];
        r->expected[Z][i] = 2 * sg_dtype_get(SG_BF16, r->host[Z], i);
        r->expected[P][i] = 1;
    }
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant,
                                     const int64_t *knob)
{
    (void)c;
    (void)variant;
    (void)knob;
    return (struct sg_simulation){.time_ns = 1000};
}

enum fault {
    RIGHT,
    SKIPS,
    HALF,
    NOT_A_NUMBER,
    OFF_BY_A_LITTLE,
    ZEROS,
    NO_Z,
    WRITES_INPUT,
    WRITES_GUARD
};

/* What the launch of this number, the warm-up one among them, does; and what launches found. */
static struct {
    unsigned launch, wrong_launch;
    enum fault fault;
    float x[4 * (LAUNCHES + 1)], k[4 * (LAUNCHES + 1)], y[4 * (LAUNCHES + 1)];
} script;

static void compute(const struct sg_launch *l, uint64_t first)
{
    const float *x = l->buffer[X], *k = l->buffer[K];
    for (uint64_t i = first; i < ELEMENTS; i++)
        ((float *)l->buffer[Y])[i] = x[i] + k[i % 10];
}

static void misbehave(const struct sg_launch *l)
{
    float *y = l->buffer[Y];
    switch (script.fault) {
    case NOT_A_NUMBER:
        y[17] = NAN;
        break;
    case OFF_BY_A_LITTLE:
        y[17] *= 1.001F;
        break;
    case ZEROS:
        memset(y, 0, ELEMENTS * sizeof(*y));
        break;
    case WRITES_INPUT:
        ((float *)l->buffer[X])[3] += 1;
        break;
    case WRITES_GUARD:
        y[ELEMENTS] = 1;
        break;
    default:
        break;
    }
}

static void launch(const struct sg_launch *l)
{
    const unsigned number = script.launch++;
    const bool wrong = number == script.wrong_launch;
    script.x[number] = ((const float *)l->buffer[X])[1];
    script.k[number] = ((const float *)l->buffer[K])[0];
    script.y[number] = ((const float *)l->buffer[Y])[0];
    if (!wrong || script.fault != SKIPS)
        compute(l, wrong && script.fault == HALF ? ELEMENTS / 2 : 0);
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        if (!wrong || script.fault != NO_Z)
            sg_dtype_put(SG_BF16, l->buffer[Z], i, 2 * sg_dtype_get(SG_BF16, l->buffer[Z], i));
        sg_dtype_put(SG_E2M1, l->buffer[P], i, 1);
    }
    if (wrong)
        misbehave(l);
}

static const struct sg_case only = {.name = "only"};
static const struct sg_family family = {.device = SG_HOST,
                                        .layout = layout,
                                        .fill = fill,
                                        .tolerance = tolerance,
                                        .reference = reference,
                                        .simulate = simulate};
static const struct sg_module module = {.name = "test", .family = &family};
static const struct sg_variant variant = {.launch = launch};
static const struct sg_named_variant named = {"one", &variant};

/* y is x alone: all of its inputs are new. */
enum { PLAIN_X, PLAIN_Y };

static size_t plain_layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[PLAIN_X] =
        (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = ELEMENTS, .use = SG_INPUT};
    out[PLAIN_Y] =
        (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = ELEMENTS, .use = SG_OUTPUT};
    return 2;
}

static float plain_left[ELEMENTS];                               /* by the launch before */
static bool plain_is_as_left[PLAIN_ROUNDS * 2 * (LAUNCHES + 1)]; /* what a launch finds in y */

static void plain_launch(const struct sg_launch *l)
{
    const float *y = l->buffer[PLAIN_Y];
    bool is_as_left = true;
    for (uint64_t i = 0; i < ELEMENTS; i++)
        is_as_left &= y[i] == plain_left[i];
    plain_is_as_left[script.launch++] = is_as_left;
    memcpy(l->buffer[PLAIN_Y], l->buffer[PLAIN_X], sizeof(plain_left));
    if (script.launch - 1 == script.wrong_launch && script.fault == OFF_BY_A_LITTLE)
        ((float *)l->buffer[PLAIN_Y])[ELEMENTS - 1] += 1;
    if (script.launch - 1 == script.wrong_launch && script.fault == ZEROS)
        memset(l->buffer[PLAIN_Y], 0, sizeof(plain_left));
    memcpy(plain_left, l->buffer[PLAIN_Y], sizeof(plain_left));
}

static struct sg_tolerance plain_tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.reason = "a copy is bitwise"};
}

static void plain_reference(const struct sg_reference_request *r)
{
    for (uint64_t i = 0; i < ELEMENTS; i++)
        r->expected[PLAIN_Y][i] = (double)((const float *)r->host[PLAIN_X])[i];
}

static const struct sg_family plain_family = {.device = SG_HOST,
                                              .layout = plain_layout,
                                              .tolerance = plain_tolerance,
                                              .reference = plain_reference,
                                              .simulate = simulate};
static const struct sg_module plain_module = {.name = "plain", .family = &plain_family};
static const struct sg_variant plain_variant = {.launch = plain_launch};
static const struct sg_named_variant plain_named = {"plain", &plain_variant};

struct bench {
    struct sg_device *device;
    struct sg_buffers buffers;
    struct sg_timed_check check;
    struct sg_runnable runnable;
};

static void set_up_with(struct bench *b, const struct sg_module *of,
                        const struct sg_named_variant *what)
{
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    const struct sg_target target = {.module = of, .home = of, .c = &only};
    const struct sg_timing_order order = {.l2 = SG_L2_COLD};
    static const int64_t no_knob = 0;
    const struct sg_configured_variant way = {.module = of, .variant = what, .knob = &no_knob};
    memset(&script, 0, sizeof(script));
    script.wrong_launch = UINT32_MAX;
    assert_int_equal(sg_device_open_null(0, &b->device, &err), SG_SUCCESS);
    assert_int_equal(b->device->ops->begin_timing(b->device, &order, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_open(&b->buffers, &target, b->device, false, &outcome, &err),
                     SG_SUCCESS);
    const struct sg_pool_plan plan = {.seed = 1, .sets = SG_FRESH_SETS};
    assert_int_equal(sg_pools_make(&b->buffers, &plan, &outcome, &err), SG_SUCCESS);
    assert_int_equal(sg_buffers_renew_guards(&b->buffers, &err), SG_SUCCESS);
    sg_timed_check_open(&b->check, &b->buffers, LAUNCHES, &outcome);
    assert_int_equal(outcome.status, SG_OK);
    b->runnable = sg_buffers_runnable(&b->buffers, &way);
    /* A launch that skips its work leaves what the allocation held. */
    for (size_t i = 0; i < b->buffers.count; i++)
        if (b->buffers.layout[i].use == SG_OUTPUT)
            memset(b->buffers.memory[i], 0, b->buffers.bytes[i]);
}

static void set_up(struct bench *b)
{
    set_up_with(b, &module, &named);
}

static void tear_down(struct bench *b)
{
    sg_buffers_release(&b->buffers);
    b->device->ops->close(b->device);
}

static void batch(struct bench *b, bool second)
{
    struct sg_batch batch;
    struct sg_reason why;
    const struct sg_batch_hooks hooks = sg_timed_check_hooks(&b->check, second);
    assert_int_equal(b->device->ops->batch(b->device, &b->runnable, LAUNCHES, &hooks, &batch, &why),
                     SG_OK);
}

static void run_round(struct bench *b, struct sg_timed_finding *finding)
{
    struct sg_err err = {0};
    sg_timed_check_begin(&b->check, SECRET);
    batch(b, false);
    batch(b, true);
    assert_int_equal(sg_timed_check_judge(&b->check, finding, &err), SG_SUCCESS);
}

TEST(launches_find_what_is_new)
{
    struct bench b;
    struct sg_timed_finding finding;
    set_up(&b);
    for (unsigned round = 0; round < 2; round++) {
        run_round(&b, &finding);
        assert_int_equal(finding.outcome.status, SG_OK);
    }
    const unsigned batch_launches = LAUNCHES + 1;
    for (unsigned i = 1; i <= LAUNCHES; i++) {
        /* The same for both sides, and for nobody else. */
        assert_true(script.x[i] == script.x[batch_launches + i] &&
                    script.k[i] == script.k[batch_launches + i]);
        for (unsigned k = 1; k <= LAUNCHES; k++) {
            assert_true(k == i || script.x[i] != script.x[k]);
            assert_true(script.x[i] != script.x[2 * batch_launches + k]);
        }
        assert_true(script.y[i] != script.x[i] + script.k[i]);
        /* The second side's warm-up has seen none of them. */
        assert_true(script.x[batch_launches] != script.x[i]);
    }
    tear_down(&b);
}

/* How many contents of `k` launches of so many rounds find. */
static unsigned sets_found(struct bench *b, unsigned rounds)
{
    float found[SG_FRESH_SETS + 1];
    unsigned count = 0;
    for (unsigned round = 0; round < rounds; round++) {
        struct sg_timed_finding finding;
        script.launch = 0;
        run_round(b, &finding);
        assert_int_equal(finding.outcome.status, SG_OK);
        for (unsigned i = 0; i < script.launch; i++) {
            unsigned at = 0;
            while (at < count && found[at] != script.k[i])
                at++;
            assert_true(at <= SG_FRESH_SETS);
            found[at] = script.k[i];
            count += at == count;
        }
    }
    return count;
}

TEST(a_set_that_no_launch_has_seen_is_kept_for_the_end)
{
    struct bench b;
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    const struct sg_pool_plan plan = {.seed = 1, .sets = SG_FRESH_SETS, .unseen = 1};
    set_up(&b);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sg_pools_make(&b.buffers, &plan, &outcome, &err), SG_SUCCESS);
        assert_int_equal(sets_found(&b, 10), SG_FRESH_SETS);
        sg_fresh_show_unseen(&b.buffers);
        assert_int_equal(sets_found(&b, 10), SG_FRESH_SETS + 1);
    }
    tear_down(&b);
}

TEST(outputs_are_moved_once_a_batch_where_inputs_are_new)
{
    struct bench b;
    struct sg_timed_finding finding;
    unsigned times[LAUNCHES] = {0};
    set_up_with(&b, &plain_module, &plain_named);
    for (unsigned round = 0; round < PLAIN_ROUNDS; round++) {
        run_round(&b, &finding);
        assert_int_equal(finding.outcome.status, SG_OK);
    }
    for (unsigned batch_number = 0; batch_number < 2 * PLAIN_ROUNDS; batch_number++) {
        const bool *is_as_left = &plain_is_as_left[(size_t)batch_number * (LAUNCHES + 1)];
        unsigned moved = 0;
        for (unsigned i = 0; i < LAUNCHES; i++) {
            moved += !is_as_left[i + 1];
            times[i] += !is_as_left[i + 1];
        }
        assert_int_equal(moved, 1);
    }
    /* Which one nobody foresees. */
    for (unsigned i = 0; i < LAUNCHES; i++)
        assert_true(times[i] > 0);
    tear_down(&b);
}

TEST(of_large_outputs_a_drawn_part_is_moved)
{
    enum { MOST = 1024, PLACE = 256 };
    struct bench b;
    struct sg_err err = {0};
    uint64_t lowest = UINT64_MAX, highest = 0;
    set_up_with(&b, &plain_module, &plain_named);
    float *y = b.buffers.memory[PLAIN_Y];
    for (uint64_t key = 1; key <= 20; key++) {
        for (uint64_t i = 0; i < ELEMENTS; i++)
            y[i] = plain_left[i] = (float)i;
        assert_int_equal(sg_fresh_outputs(&b.buffers, MOST, key, &err), SG_SUCCESS);
        uint64_t first = 0, end = ELEMENTS;
        while (first < end && y[first] == plain_left[first])
            first++;
        while (end > first && y[end - 1] == plain_left[end - 1])
            end--;
        assert_true(first < end && end - first <= MOST / sizeof(*y));
        assert_true(end * sizeof(*y) <= first * sizeof(*y) / PLACE * PLACE + MOST);
        lowest = first < lowest ? first : lowest;
        highest = end > highest ? end : highest;
    }
    assert_true(lowest < ELEMENTS / 4 && highest > UINT64_C(3) * ELEMENTS / 4);
    tear_down(&b);
}

TEST(whose_fault_it_is_shows)
{
    static const struct {
        enum fault fault;
        enum sg_status status;
        const char *words;
    } rows[] = {
        {SKIPS, SG_WRONG, "y["},         {HALF, SG_WRONG, "y["},
        {NOT_A_NUMBER, SG_NAN, "y[17]"}, {OFF_BY_A_LITTLE, SG_WRONG, "y[17]"},
        {ZEROS, SG_WRONG, "y["},         {NO_Z, SG_WRONG, "z["},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned side = 0; side < 2; side++)
            for (unsigned launch_number = 0; launch_number <= LAUNCHES; launch_number++) {
                struct bench b;
                struct sg_timed_finding finding;
                char where[40];
                set_up(&b);
                script.fault = rows[i].fault;
                script.wrong_launch = side * (LAUNCHES + 1) + launch_number;
                run_round(&b, &finding);
                snprintf(where, sizeof(where), "batch 1, launch %u", launch_number);
                if (finding.outcome.status != rows[i].status || finding.first != (side == 0) ||
                    !strstr(finding.outcome.message, rows[i].words) ||
                    !strstr(finding.outcome.message, where))
                    fail_msg("fault %zu of side %u in launch %u: status %d, first %d: %s", i, side,
                             launch_number, (int)finding.outcome.status, finding.first,
                             finding.outcome.message);
                tear_down(&b);
            }
}

/* As of a large output that is to be bitwise right. */
TEST(whose_fault_it_is_shows_by_codes)
{
    static const enum fault faults[] = {RIGHT, OFF_BY_A_LITTLE, ZEROS};
    for (size_t i = 0; i < COUNT(faults); i++)
        for (unsigned side = 0; side < 2; side++)
            for (unsigned launch_number = 0; launch_number <= LAUNCHES; launch_number++) {
                const bool right = faults[i] == RIGHT;
                struct bench b;
                struct sg_timed_finding finding;
                char words[80];
                set_up_with(&b, &plain_module, &plain_named);
                b.check.kept.seal_bytes = 1;
                script.fault = faults[i];
                script.wrong_launch = side * (LAUNCHES + 1) + launch_number;
                run_round(&b, &finding);
                snprintf(words, sizeof(words),
                         "checksum of its %d elements differs; batch 1, launch %u", ELEMENTS,
                         launch_number);
                assert_int_equal(finding.outcome.status, right ? SG_OK : SG_WRONG);
                assert_int_equal(finding.first, !right && side == 0);
                assert_true(right || strstr(finding.outcome.message, words));
                tear_down(&b);
            }
}

/* Doing nothing in the same launch of both sides leaves different things; zeros
 * are the same, and the reference's. */
TEST(what_both_get_wrong_shows)
{
    struct bench b;
    struct sg_timed_finding finding;
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_err err = {0};
    set_up(&b);
    sg_timed_check_begin(&b.check, SECRET);
    script.fault = SKIPS;
    script.wrong_launch = 2;
    batch(&b, false);
    script.wrong_launch = LAUNCHES + 1 + 2;
    batch(&b, true);
    assert_int_equal(sg_timed_check_judge(&b.check, &finding, &err), SG_SUCCESS);
    assert_int_equal(finding.outcome.status, SG_WRONG);

    script.launch = 0;
    script.fault = ZEROS;
    sg_timed_check_begin(&b.check, SECRET);
    script.wrong_launch = LAUNCHES;
    batch(&b, false);
    script.wrong_launch = LAUNCHES + 1 + LAUNCHES;
    batch(&b, true);
    assert_int_equal(sg_timed_check_judge(&b.check, &finding, &err), SG_SUCCESS);
    assert_int_equal(finding.outcome.status, SG_OK);
    assert_int_equal(sg_timed_check_reference(&b.check, &outcome, &err), SG_SUCCESS);
    assert_int_equal(outcome.status, SG_WRONG);
    tear_down(&b);
}

TEST(memory_is_looked_at)
{
    static const enum fault faults[] = {RIGHT, WRITES_INPUT, WRITES_GUARD};
    static const char *const words[] = {"", "wrote to its input: x[3]", "wrote outside of y"};
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct bench b;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_err err = {0};
        set_up(&b);
        script.fault = faults[i];
        script.wrong_launch = LAUNCHES;
        sg_timed_check_begin(&b.check, SECRET);
        batch(&b, false);
        assert_int_equal(sg_timed_check_memory(&b.check, &outcome, &err), SG_SUCCESS);
        assert_int_equal(outcome.status, faults[i] == RIGHT ? SG_OK : SG_OVERRUN);
        assert_non_null(strstr(outcome.message, words[i]));
        if (faults[i] == RIGHT) {
            assert_int_equal(sg_timed_check_reference(&b.check, &outcome, &err), SG_SUCCESS);
            assert_int_equal(outcome.status, SG_OK);
        }
        tear_down(&b);
    }
}
