#include "null.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Columns of sg_case.dim. */
enum { ROWS, COLS, NS };

static const struct sg_case cases[] = {
    {.name = "tiny",
     .dim = {31, 33, 5000},
     .dtype = SG_F32,
     .summary = "as short as a launch gets"},
    {.name = "small",
     .dim = {64, 64, 13000},
     .dtype = SG_F32,
     .summary = "short, some of it launch overhead"},
    {.name = "ragged",
     .dim = {100, 257, 74000},
     .dtype = SG_F32,
     .summary = "rows that no vector width divides"},
    {.name = "middle",
     .dim = {256, 256, 126000},
     .dtype = SG_F32,
     .summary = "bound by memory: the clock hardly matters"},
    {.name = "large",
     .dim = {64, 64, 400000},
     .dtype = SG_F32,
     .summary = "bound by arithmetic: time follows the clock"},
};

/* Variants that are not here take as long as `ok`. */
static const struct {
    const char *variant;
    double factor, noise;
} nature[] = {
    {.variant = "faster", .factor = 0.95},
    {.variant = "noisy", .factor = 1, .noise = 0.05},
    {.variant = "slower", .factor = 1.02},
    {.variant = "slower_noisy", .factor = 1.05, .noise = 0.03},
    {.variant = "slower_slightly", .factor = 1.0025},
};

/*
 * The CUDA runtime keeps its last error in the process, not in an argument, and so does this: a
 * number of calls of last_error to go until the error shows, 0 for no error.
 */
static int calls_until_error;
static const char *error_text;

void null_refuse_launch(void)
{
    calls_until_error = 1;
    error_text = "simulated: too many resources requested for launch";
}

void null_fault(void)
{
    calls_until_error = 2;
    error_text = "simulated: an illegal memory access was encountered";
}

static int last_error(struct sg_reason *why)
{
    if (calls_until_error == 0 || --calls_until_error > 0)
        return 0;
    snprintf(why->text, sizeof(why->text), "%s", error_text);
    return 1;
}

uint64_t null_count(const struct sg_case *c)
{
    return (uint64_t)(c->dim[ROWS] * c->dim[COLS]);
}

double null_time_ns(const struct sg_case *c)
{
    return (double)c->dim[NS];
}

void null_launch(const struct sg_launch *l)
{
    const float *x = l->buffer[IN_X];
    const float *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    for (uint64_t i = 0; i < null_count(l->c); i++)
        y[i] = 2 * x[i] + z[i];
}

enum sg_status null_prepare_counter(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l;
    *state = calloc(1, sizeof(uint64_t));
    if (*state)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "no memory for a counter of launches");
    return SG_OOM;
}

void null_finish_counter(void *state)
{
    free(state);
}

uint64_t null_launches_before(const struct sg_launch *l)
{
    uint64_t *count = l->state;
    return (*count)++;
}

void null_wait_forever(void)
{
    for (;;)
        pause();
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t count = null_count(c);
    const uint64_t row = (uint64_t)c->dim[COLS];
    out[IN_X] = (struct sg_buffer){
        .name = "x", .dtype = SG_F32, .count = count, .row = row, .use = SG_INPUT};
    out[IN_Z] = (struct sg_buffer){
        .name = "z", .dtype = SG_F32, .count = count, .row = row, .use = SG_INPUT};
    out[OUT_Y] = (struct sg_buffer){
        .name = "y", .dtype = SG_F32, .count = count, .row = row, .use = SG_OUTPUT};
    return 3;
}

static struct sg_work work(const struct sg_case *c)
{
    const double count = (double)null_count(c);
    return (struct sg_work){
        .flop[SG_F32] = 2 * count, .read_bytes = 8 * count, .write_bytes = 4 * count};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){
        .rel_rms = 1e-6,
        .rel_max = 1e-5,
        .reason = "two roundings to f32 of 6e-8 each; the sum may cancel, hence rel_max is wider"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *x = request->host[IN_X];
    const float *z = request->host[IN_Z];
    for (uint64_t i = 0; i < null_count(request->c); i++)
        request->expected[OUT_Y][i] = 2.0 * (double)x[i] + (double)z[i];
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant,
                                     const int64_t *knob)
{
    struct sg_simulation what = {.time_ns = null_time_ns(c),
                                 .clock_exponent = strcmp(c->name, "middle") == 0 ? 0.05 : 1};
    for (size_t i = 0; i < sizeof(nature) / sizeof(nature[0]); i++) {
        if (strcmp(variant, nature[i].variant) == 0) {
            what.time_ns *= nature[i].factor;
            what.noise = nature[i].noise;
        }
    }
    if (strcmp(variant, "tuned") == 0)
        what.time_ns *= null_tuned_factor(c, knob);
    return what;
}

/* Simulated times of other sizes are those of a launch and of their elements. */
SG_TAKE_CASE(c, why)
{
    if (c->dim[ROWS] > 0 && c->dim[COLS] > 0 && c->dim[ROWS] < INT32_MAX / c->dim[COLS] &&
        c->dtype == SG_F32) {
        c->dim[NS] = c->dim[NS] > 0 ? c->dim[NS] : 5000 + 2 * c->dim[ROWS] * c->dim[COLS];
        return true;
    }
    snprintf(why->text, sizeof(why->text),
             "expected rows and cols of less than 2^31 elements of f32");
    return false;
}

SG_FAMILY(null) = {
    .summary = "y = 2 x + z on the host, with simulated times: every outcome solgate knows, on any "
               "machine",
    .device = SG_HOST,
    .dims = "rows,cols,ns",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = last_error,
    .simulate = simulate,
    .simulate_counter = null_counter,
};
