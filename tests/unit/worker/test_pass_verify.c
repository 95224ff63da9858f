/* worker/pass_verify.c on the null device: which launch of a variant goes wrong, where, and what is
 * said; and what is not read back unless it must be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "util/dtype.h"
#include "util/text.h"
#include "worker/output_check.h"
#include "worker/session.h"

#define ELEMENTS 5000
#define LAST_SEED \
    2 /* number of the launch that repeats are compared with: the one of the third seed */
#define INTEGERS (LAST_SEED + SG_VERIFY_REPEATS + 1)

#define PACKED_COUNT (ELEMENTS - 1) /* odd: the last byte has a half to spare */

enum { IN, OUT, INOUT, PACKED };

static uint64_t packed_count = PACKED_COUNT;

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    (void)c;
    out[IN] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = ELEMENTS, .use = SG_INPUT};
    out[OUT] = (struct sg_buffer){
        .name = "y", .dtype = SG_F32, .count = ELEMENTS, .row = 100, .use = SG_OUTPUT};
    out[INOUT] =
        (struct sg_buffer){.name = "z", .dtype = SG_BF16, .count = ELEMENTS, .use = SG_INOUT};
    out[PACKED] =
        (struct sg_buffer){.name = "p", .dtype = SG_E2M1, .count = packed_count, .use = SG_OUTPUT};
    return 4;
}

static struct sg_work work(const struct sg_case *c)
{
    (void)c;
    return (struct sg_work){.read_bytes = 1};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-2, .rel_max = 1e-2, .reason = "test"};
}

/* y is x, z is left as it is, p is 1. */
static void reference(const struct sg_reference_request *request)
{
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        request->expected[OUT][i] = ((const float *)request->host[IN])[i];
        request->expected[INOUT][i] = sg_dtype_get(SG_BF16, request->host[INOUT], i);
    }
    for (uint64_t i = 0; i < packed_count; i++)
        request->expected[PACKED][i] = 1;
}

/* In launch number `launch`, or in each, bit 0 of byte `at` of a buffer is turned over. */
#define EACH_LAUNCH (UINT64_MAX - 1)
static struct {
    uint64_t launch;
    int buffer;
    uint64_t at;
} fault;

static void launch(const struct sg_launch *l)
{
    memcpy(l->buffer[OUT], l->buffer[IN], ELEMENTS * sizeof(float));
    for (uint64_t i = 0; i < packed_count; i++)
        sg_dtype_put(SG_E2M1, l->buffer[PACKED], i, 1);
    if (l->repeat == fault.launch || fault.launch == EACH_LAUNCH)
        ((unsigned char *)l->buffer[fault.buffer])[fault.at] ^= 1;
}

static const struct sg_family family = {.device = SG_HOST,
                                        .layout = layout,
                                        .work = work,
                                        .tolerance = tolerance,
                                        .reference = reference,
                                        .exact_integers = true};
static const struct sg_variant same_bits = {.deterministic = true, .launch = launch};
static const struct sg_variant any_bits = {.launch = launch};

/* A device that counts what is read back, refuses it behind some bytes, and has no
 * room beyond the first `room` blocks. */
static const struct sg_device_ops *real;
static uint64_t read_back, refused_behind = UINT64_MAX;
static size_t room;

static enum sg_code counting_download(struct sg_device *device, void *host, const void *from,
                                      uint64_t bytes, struct sg_err *err)
{
    read_back += bytes;
    if (read_back > refused_behind)
        return sg_fail(err, SG_INVALID, "download", "no such memory");
    return real->download(device, host, from, bytes, err);
}

static void *scarce_alloc(struct sg_device *device, uint64_t bytes, enum sg_status *status)
{
    *status = SG_OOM;
    return room == 0 ? NULL : (room--, real->alloc(device, bytes, status));
}

static char said[4096]; /* of the last verification, line by line */

static void keep_what_was_said(int from)
{
    size_t length = 0;
    ssize_t more;
    while (length < sizeof(said) - 1 &&
           (more = read(from, said + length, sizeof(said) - 1 - length)) > 0)
        length += (size_t)more;
    said[length] = '\0';
}

static struct sg_outcome verify(const struct sg_variant *variant, size_t blocks)
{
    static const struct sg_case c = {.name = "case_"};
    const struct sg_module module = {.name = "test", .family = &family};
    const struct sg_named_variant named = {"variant", variant};
    const struct sg_target target = {
        .module = &module, .home = &module, .c = &c, .variant = &named, .name = "variant"};
    const struct sg_order order = {.kind = SG_PASS_VERIFY, .seed = 9};
    struct sg_emitter emitter;
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_device *device = NULL;
    assert_int_equal(sg_device_open_null(0, &device, &err), SG_SUCCESS);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sg_emit_open(&emitter, ends[1], &err), SG_SUCCESS);
    struct sg_device_ops ops = *device->ops;
    real = device->ops;
    ops.download = counting_download;
    ops.alloc = scarce_alloc;
    device->ops = &ops;
    room = blocks;
    read_back = 0;
    struct sg_pass pass = {.order = &order, .emitter = &emitter, .device = {[SG_HOST] = device}};
    assert_int_equal(sg_verify_item(&pass, &target, &outcome, &err), SG_SUCCESS);
    sg_pass_forget(&pass);
    free(pass.cases);
    SG_EMIT(&emitter, BYE);
    sg_emit_release(&emitter);
    close(ends[1]);
    keep_what_was_said(ends[0]);
    close(ends[0]);
    device->ops = real;
    device->ops->close(device);
    return outcome;
}

#define PLENTY SIZE_MAX

TEST(the_launch_that_goes_wrong_is_caught)
{
    static const struct {
        const char *sentence;
        uint64_t launch;
        int buffer;
        uint64_t at;
        enum sg_status status;
        const char *says;
    } rows[] = {
        {"none, though the half to spare has another poison each time", UINT64_MAX, OUT, 0, SG_OK,
         ""},
        {"a packed element in a repeat", LAST_SEED + 2, PACKED, PACKED_COUNT / 2,
         SG_NONDETERMINISTIC, "p[4998]: "},
        {"the last element in repeat 17", LAST_SEED + 17, OUT, ELEMENTS * 4 - 4,
         SG_NONDETERMINISTIC, "in repeat 17 of 20; 1 of 5000 elements; seed 11"},
        {"its place", LAST_SEED + 17, OUT, ELEMENTS * 4 - 4, SG_NONDETERMINISTIC, "y[49,99]: "},
        {"the last byte in repeat 17", LAST_SEED + 17, OUT, ELEMENTS * 4 - 1, SG_NONDETERMINISTIC,
         "in repeat 17 of 20"},
        {"the first byte in the last repeat", LAST_SEED + 20, OUT, 0, SG_NONDETERMINISTIC,
         "in repeat 20 of 20"},
        {"the first repeat", LAST_SEED + 1, OUT, 0, SG_NONDETERMINISTIC, "in repeat 1 of 20"},
        {"what the others are compared with", LAST_SEED, OUT, 0, SG_NONDETERMINISTIC,
         "in repeat 1 of 20"},
        {"a buffer that is in and out", LAST_SEED + 3, INOUT, ELEMENTS * 2 - 2, SG_NONDETERMINISTIC,
         "z[4999]: "},
        {"an input in a repeat", LAST_SEED + 20, IN, ELEMENTS * 4 - 1, SG_OVERRUN,
         "wrote to its input: x[4999] changed"},
        {"an input of the first seed", 0, IN, 7, SG_OVERRUN, "wrote to its input: x[1] changed"},
        {"one bit where integers must be exact", INTEGERS, OUT, 0, SG_WRONG, "integers of seed 9"},
        {"a guard in a repeat", LAST_SEED + 5, OUT, ELEMENTS * 4 + 300, SG_OVERRUN, "outside of y"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fault.launch = rows[i].launch;
        fault.buffer = rows[i].buffer;
        fault.at = rows[i].at;
        const struct sg_outcome outcome = verify(&same_bits, PLENTY);
        if (outcome.status != rows[i].status || !strstr(outcome.message, rows[i].says))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status),
                     outcome.message);
    }
}

/* Its poison reaches into the guard, which is made anew before each launch then. */
TEST(a_guard_behind_part_of_a_word_is_looked_at_in_each_repeat)
{
    packed_count = PACKED_COUNT - 2;
    fault.launch = LAST_SEED + 5;
    fault.buffer = PACKED;
    fault.at = (packed_count + 1) / 2;
    const struct sg_outcome outcome = verify(&same_bits, PLENTY);
    packed_count = PACKED_COUNT;
    assert_int_equal(outcome.status, SG_OVERRUN);
    assert_non_null(
        strstr(outcome.message, "outside of p (4997 elements, 2499 bytes): byte 2499 changed"));
}

/* A launch may have given the memory back: that is its own failure, and the pass goes on. */
TEST(what_cannot_be_done_behind_a_launch_is_its_doing)
{
    fault.launch = UINT64_MAX;
    refused_behind = UINT64_C(6) * ELEMENTS; /* inputs, which are read before it */
    const struct sg_outcome outcome = verify(&same_bits, PLENTY);
    refused_behind = UINT64_MAX;
    assert_int_equal(outcome.status, SG_CRASH);
    assert_string_equal(outcome.message,
                        "its worker failed after launch 1: download: no such memory");
}

/* x, y, z, the pristine z, p and a copy of all guards are six blocks; copies of y, of z and of p,
 * two pools and what inputs are compared with are six more. */
TEST(a_copy_to_compare_with_needs_room)
{
    fault.launch = UINT64_MAX;
    const struct sg_outcome outcome = verify(&same_bits, 7);
    assert_int_equal(outcome.status, SG_OOM);
    assert_string_equal(outcome.message, "no room for 10000 bytes on null to compare repeats of z");
    assert_int_equal(verify(&same_bits, 12).status, SG_OK);
    assert_int_equal(verify(&any_bits, 9).status, SG_OK);
}

/* NaN: it was not said. */
static double said_number(const char *metric)
{
    static const char before[] = ",1,";
    const char *at = strstr(said, metric);
    if (!at)
        return NAN;
    at += strlen(metric);
    assert_true(strncmp(at, before, strlen(before)) == 0);
    return strtod(at + strlen(before), NULL);
}

/* What is turned over: bit 0 of y[49,99], or bit 16, which weighs 2^-7; or bit 0 of
 * the last z, which weighs as much. */
TEST(the_error_of_what_is_right_is_said)
{
    static const struct {
        const char *sentence;
        uint64_t launch;
        int buffer;
        uint64_t at;
        double least, most; /* of error_max; 0: nothing is said */
    } rows[] = {
        {"an output that equals its reference has none", UINT64_MAX, OUT, 0, 0, 0},
        {"a last bit", LAST_SEED, OUT, ELEMENTS * 4 - 4, 1e-12, 1.2e-7},
        {"a bit of weight", LAST_SEED, OUT, ELEMENTS * 4 - 2, 1e-6, 8e-3},
        {"the largest of the seeds counts, not the last", 0, OUT, ELEMENTS * 4 - 2, 1e-6, 8e-3},
        {"in 16 bits", 1, INOUT, ELEMENTS * 2 - 2, 1e-6, 8e-3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fault.launch = rows[i].launch;
        fault.buffer = rows[i].buffer;
        fault.at = rows[i].at;
        assert_int_equal(verify(&any_bits, PLENTY).status, SG_OK);
        const double rms = said_number("error_rms"), max = said_number("error_max");
        if (rows[i].most == 0
                ? !isnan(rms) || !isnan(max)
                : !(max >= rows[i].least && max <= rows[i].most && rms > 0 && rms < max))
            fail_msg("%s: rms %g, max %g", rows[i].sentence, rms, max);
    }
}

/* What is turned over: bit 24 of y[49,99], which no tolerance allows,
 * or of p[0], a 1 that becomes 1.5. */
TEST(how_an_output_is_wrong_is_said)
{
    static const struct {
        const char *sentence;
        uint64_t launch;
        int buffer;
        uint64_t at;
        enum sg_status status;
        const char *says; /* "": no such row */
    } rows[] = {
        {"none of one that is right", UINT64_MAX, OUT, 0, SG_OK, ""},
        {"with every seed", EACH_LAUNCH, OUT, ELEMENTS * 4 - 1, SG_WRONG,
         ",\"y: one element at [49,99]; 1 of 5000 elements; [49,99] is "},
        {"and so it is told", EACH_LAUNCH, OUT, ELEMENTS * 4 - 1, SG_WRONG,
         "; seed 9; same place with 3 seeds\""},
        {"with one seed", 1, OUT, ELEMENTS * 4 - 1, SG_WRONG,
         "; seed 10; another with other seeds\""},
        {"a packed one", EACH_LAUNCH, PACKED, 0, SG_WRONG,
         ",\"p: one element at [0]; 1 of 4999 elements; [0] is 1.5, reference 1; seed 9; same"},
        {"integers alone", INTEGERS, OUT, 0, SG_WRONG,
         "; integers of seed 9; another with other seeds\""},
        {"a repeat", LAST_SEED + 17, OUT, ELEMENTS * 4 - 4, SG_NONDETERMINISTIC,
         "; repeat 17 of seed 11; not launched again\""},
        {"none of a write elsewhere", 0, IN, 7, SG_OVERRUN, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fault.launch = rows[i].launch;
        fault.buffer = rows[i].buffer;
        fault.at = rows[i].at;
        const struct sg_outcome outcome = verify(&same_bits, PLENTY);
        const char *line = strstr(said, "error_signature");
        if (outcome.status != rows[i].status || (line != NULL) != (*rows[i].says != '\0') ||
            (line && !strstr(line, rows[i].says)))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status),
                     line ? line : "");
        assert_true(outcome.is_reported == (line != NULL));
        assert_true(!line || strstr(said, "\nstatus,") < line);
    }
}
