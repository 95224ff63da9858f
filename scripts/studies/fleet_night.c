/*
 * A module of 200 rows that need no GPU, for fleet_nights.py: 40 cases of a baseline
 * and four candidates. Their simulated times depend on GPU, day and process; FLEET_GPU and
 * FLEET_NIGHT in the environment are the numbers of the first two. The noise of launches, the clock
 * and spikes are those of device/null/noise_model.h.
 *
 * BUILD makes files differ. CHANGED makes the candidates of six cases slower.
 */
#include "doubling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUILD
#define BUILD 0
#endif
#ifndef CHANGED
#define CHANGED 0 /* the tolerance in %, times 1000; 0: the build is clean */
#endif
#ifndef NOISE_40_US
#define NOISE_40_US 0.06 /* a night, in %, of the rows that may change */
#endif
#ifndef SPREAD
#define SPREAD 1 /* of what GPUs differ by */
#endif
#define CASES      40
#define PROCESSES  10.0 /* of a night before anything is measured on: its noise is that of their mean */
#define STATE_RATE 0.3  /* share of a candidate's processes that are in its slow state */
#define STATE_MEAN 1.2  /* by how much it is slower on average, in tolerances */

const char fleet_build[] = {'b', '0' + BUILD, 0}; /* makes the files differ */

/* Rows of one kind: one case in ten each. */
static const struct kind {
    double time_ns;
    double night_sd; /* of a night's paired ratio, from its processes */
    double gpu_sd;   /* of its time, between GPUs */
} kinds[10] = {
    {40000, NOISE_40_US / 100, 0.0005},
    {40000, NOISE_40_US / 100, 0.010},
    {74000, 0.0006, 0.010},
    {200000, 0.0006, 0.0005},
    {400000, 0.0006, 0.020},
    {12000, 0.0014, 0.010},
    {20000, 0.0014, 0.010},
    {74000, 0.0014, 0.020},
    {8000, 0.0014, 0.040},
    {5000, 0.0045, 0.040},
};
#define DAY_SD 0.0014 /* of its time, from night to night */

static uint64_t stir(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Of what the numbers name, the same wherever it is asked. */
static double uniform(uint64_t a, uint64_t b, uint64_t c)
{
    return ((double)(stir(stir(stir(a) + b) + c) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t a, uint64_t b, uint64_t c)
{
    return sqrt(-2 * log(uniform(a, b, c))) * cos(2 * 3.14159265358979323846 * uniform(a + (UINT64_C(1) << 40), b, c));
}

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* Which of a run's processes this is: its worker's --process=N. */
static uint64_t process_number(void)
{
    static uint64_t number;
    static bool is_known;
    if (is_known)
        return number;
    is_known = true;
    FILE *file = fopen("/proc/self/cmdline", "r");
    char *argument = NULL;
    size_t capacity = 0;
    while (file && getdelim(&argument, &capacity, '\0', file) > 0)
        if (strncmp(argument, "--process=", 10) == 0)
            number = strtoull(argument + 10, NULL, 10);
    free(argument);
    if (file)
        fclose(file);
    return number;
}

enum { GPU = 1, DAY, SIDE, STATE }; /* what is drawn */

/* ln of what this build does to the row: nothing, but to candidates of 40 us. */
static double change_of(uint64_t case_, uint64_t variant, uint64_t at)
{
    const double tolerance = CHANGED / 1e5;
    if (CHANGED == 0 || case_ >= 30 || case_ % 10 > 1 || variant == 0)
        return 0;
    if (case_ / 10 == 0)
        return log(1.01);
    if (case_ / 10 == 1)
        return log(1.005);
    return uniform(STATE, at, case_ * 8 + variant) < STATE_RATE ? log(1 + tolerance * STATE_MEAN / STATE_RATE) : 0;
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    const uint64_t case_ = strtoull(c->name + 1, NULL, 10), v = strcmp(variant, "base") == 0 ? 0 : strtoull(variant + 1, NULL, 10);
    const uint64_t row = case_ * 8 + v, night = number_of("FLEET_NIGHT"), at = night * 64 + process_number();
    const struct kind *kind = &kinds[case_ % 10];
    double ln = SPREAD * kind->gpu_sd * normal(GPU, number_of("FLEET_GPU"), row) + DAY_SD * normal(DAY, night, row);
    ln += kind->night_sd * sqrt(PROCESSES / 2) * normal(SIDE + 8 * BUILD, at, row);
    return (struct sg_simulation){.time_ns = kind->time_ns * exp(ln + change_of(case_, v, at)), .clock_exponent = 1};
}

#define CASE(n)                                                                             \
    {                                                                                       \
        .name = "c" #n, .dim = {DOUBLING_COUNT}, .dtype = SG_F32, .summary = "one of forty" \
    }
#define TEN(n) CASE(n##0), CASE(n##1), CASE(n##2), CASE(n##3), CASE(n##4), CASE(n##5), CASE(n##6), CASE(n##7), CASE(n##8), CASE(n##9)
static const struct sg_case cases[CASES] = {TEN(0), TEN(1), TEN(2), TEN(3)};
static const struct sg_family family = {.summary = "y = 2 x",
                                        .device = SG_HOST,
                                        .dims = "count",
                                        .cases = cases,
                                        .case_count = CASES,
                                        .layout = doubling_layout,
                                        .work = doubling_work,
                                        .tolerance = doubling_tolerance,
                                        .reference = doubling_reference,
                                        .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"v1", &other}, {"v2", &other}, {"v3", &other}, {"v4", &other}};

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {
        .abi_version = SG_ABI_VERSION, .name = "fleet", .commit = fleet_build, .family = &family, .variants = variants, .variant_count = 5};
    return &module;
}
