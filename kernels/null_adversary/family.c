/*
 * null_adversary - a family on the simulated GPU whose variants break behind their verification,
 * each in its way, beside neighbours that never do: what one of them may cost the others, and what
 * must be found while times are taken and counters are counted, on any machine.
 */
#include <math.h>
#include <string.h>

#include "null_adversary.h"

enum { ROWS, COLS, NS };

static const struct sg_case cases[] = {
    {.name = "tiny", .dim = {8, 25, 5000}, .dtype = SG_F32, .summary = "200 elements: the size is no part of a trick"},
};

/* Of a launch of any variant, by element or as they are. */
static const struct {
    const char *metric;
    double value;
    bool of_element;
} counters[] = {
    {.metric = "registers", .value = 24},
    {.metric = "instructions", .value = 0.5, .of_element = true},
    {.metric = "ipc", .value = 0.9},
    {.metric = "dram_throughput", .value = 80},
    {.metric = "dram_read_bytes", .value = 8, .of_element = true},
    {.metric = "dram_write_bytes", .value = 4, .of_element = true},
    {.metric = "global_load_sectors", .value = 0.25, .of_element = true},
    {.metric = "global_store_sectors", .value = 0.125, .of_element = true},
};

static bool counter(const struct sg_case *c, const char *variant, const char *metric, double *out)
{
    (void)variant;
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        if (strcmp(metric, counters[i].metric) == 0) {
            *out = counters[i].of_element ? ceil(counters[i].value * (double)adversary_count(c)) : counters[i].value;
            return true;
        }
    }
    return false;
}

uint64_t adversary_count(const struct sg_case *c)
{
    return (uint64_t)(c->dim[ROWS] * c->dim[COLS]);
}

void adversary_compute(const struct sg_launch *l)
{
    const float *x = l->buffer[IN_X];
    const float *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    for (uint64_t i = 0; i < adversary_count(l->c); i++)
        y[i] = x[i] * z[i];
}

uint64_t adversary_launches_before(const struct sg_launch *l)
{
    struct adversary *adversary = l->state;
    return adversary->launches++;
}

void adversary_launch(const struct sg_launch *l)
{
    adversary_launches_before(l);
    adversary_compute(l);
    adversary_strike(l);
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const struct sg_buffer input = {.dtype = SG_F32, .count = adversary_count(c), .row = (uint64_t)c->dim[COLS], .use = SG_INPUT};
    out[IN_X] = out[IN_Z] = out[OUT_Y] = input;
    out[IN_X].name = "x";
    out[IN_Z].name = "z";
    out[OUT_Y].name = "y";
    out[OUT_Y].use = SG_OUTPUT;
    return 3;
}

static struct sg_work work(const struct sg_case *c)
{
    const double count = (double)adversary_count(c);
    return (struct sg_work){.flop[SG_F32] = count, .read_bytes = 8 * count, .write_bytes = 4 * count};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6, .rel_max = 1e-6, .reason = "one rounding to f32 of 6e-8"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *x = request->host[IN_X];
    const float *z = request->host[IN_Z];
    for (uint64_t i = 0; i < adversary_count(request->c); i++)
        request->expected[OUT_Y][i] = (double)x[i] * (double)z[i];
}

/* The same for all: nothing here may be found by its time. */
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)variant;
    (void)knob;
    return (struct sg_simulation){.time_ns = (double)c->dim[NS], .clock_exponent = 1};
}

SG_FAMILY(null_adversary) = {
    .summary = "y = x z on the host, with simulated times: variants that break behind their verification",
    .device = SG_HOST,
    .dims = "rows,cols,ns",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = adversary_last_error,
    .simulate = simulate,
    .simulate_counter = counter,
};
