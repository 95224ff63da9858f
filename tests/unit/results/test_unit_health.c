/* results/unit_health.h: GPUs against their siblings. A slow one is named and no other, a GPU
 * without siblings is not judged, and chance makes no GPU slow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#include "results/unit_health.h"
#include "util/random.h"

#define GPUS_MAX 16

struct fleet {
    struct sg_unit unit[GPUS_MAX];
    size_t count;
};

static struct sg_unit *add(struct fleet *fleet, const char *name, const char *date, double chain,
                           double copy)
{
    struct sg_unit *unit = &fleet->unit[fleet->count++];
    *unit = (struct sg_unit){.processes = 10, .chain_cycles = chain, .copy_ns = copy, .date = date};
    snprintf(unit->name, sizeof(unit->name), "%s", name);
    return unit;
}

/* `count` healthy GPUs, "a" and so on. */
static void add_healthy(struct fleet *fleet, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(fleet, (const char[]){(char)('a' + i), '\0'}, "2026-11-20T02:00:00Z",
            101800 + 10 * (double)i, 67650 + 5 * (double)i);
}

/* "g slow; " for each GPU that is not ok. */
static void expect(const char *proves, const struct fleet *fleet, const char *words)
{
    struct sg_unit_health gpus[GPUS_MAX];
    SG_SCOPED(sg_text) found = {0};
    const size_t count = sg_unit_health_of(fleet->unit, fleet->count, gpus);
    for (size_t i = 0; i < count; i++)
        if (gpus[i].health != SG_HEALTHY)
            sg_text_addf(&found, "%s %s; ", gpus[i].unit.name, sg_health_word(gpus[i].health));
    if (strcmp(sg_text_string(&found), words) != 0)
        fail_msg("%s: '%s'", proves, sg_text_string(&found));
}

TEST(sick_gpus)
{
    struct fleet fleet = {.count = 0};
    add_healthy(&fleet, 6);
    expect("six alike", &fleet, "");
    struct fleet slow = fleet, few = fleet;
    add(&slow, "z", "2026-11-20", 101800 * 1.0055, 67650);
    expect("the chain is 0.55 % slower", &slow, "z slow; ");
    slow = fleet;
    add(&slow, "z", "2026-11-20", 101800, 67650 * 1.032);
    expect("the copy is 3.2 % slower", &slow, "z slow; ");
    slow = fleet;
    add(&slow, "z", "2026-11-20", 101800 * 1.004, 67650 * 1.02);
    expect("both are within the limits of drift", &slow, "");
    few.count = 5;
    expect("five have four siblings each", &few, "a thin; b thin; c thin; d thin; e thin; ");
    struct fleet sick = fleet;
    add(&sick, "x", "2026-11-20", 101800, 67650)->dropped = 1;
    snprintf(add(&sick, "y", "2026-11-20", NAN, NAN)->lost, sizeof(sick.unit[0].lost),
             "off the bus");
    expect("one of eleven processes dropped, and one lost", &sick, "x unsteady; y lost; ");
    struct sg_unit_health gpus[GPUS_MAX];
    SG_SCOPED(sg_text) lost = {0};
    sg_unit_health_describe(&gpus[sg_unit_health_of(sick.unit, sick.count, gpus) - 1], &lost);
    assert_non_null(strstr(lost.data, "off the bus; its last run timed neither chain nor copy"));
}

TEST(the_last_reading_counts)
{
    struct fleet fleet = {.count = 0};
    add_healthy(&fleet, 6);
    add(&fleet, "z", "2026-11-19", 101800, 67650);
    add(&fleet, "z", "2026-11-20", 103800, 67650);
    expect("slow since the last night", &fleet, "z slow; ");
    add(&fleet, "z", "2026-11-21", NAN, NAN);
    expect("not read in the last night", &fleet, "z thin; ");
    fleet.count = 6;
    add(&fleet, "z", "2026-11-05", 103800, 67650);
    expect("not read for over 14 days", &fleet, "");
}

/* Fleets of eight with twice the spread between the recorded GPUs; a third of the copies run at the
 * faster pace that an H200 also has. */
TEST(chance_makes_no_gpu_slow)
{
    uint64_t random = 5;
    size_t slow = 0;
    for (int i = 0; i < 1000; i++) {
        struct fleet fleet = {.count = 0};
        struct sg_unit_health gpus[GPUS_MAX];
        for (int g = 0; g < 8; g++)
            add(&fleet, (const char[]){(char)('a' + g), '\0'}, "2026-11-20",
                101800 * exp(0.0006 * sg_random_normal(&random)),
                67650 * exp(0.0010 * sg_random_normal(&random)) *
                    (sg_random_unit(&random) < 1.0 / 3 ? 0.979 : 1));
        const size_t count = sg_unit_health_of(fleet.unit, fleet.count, gpus);
        size_t found = 0;
        for (size_t g = 0; g < count; g++)
            found += gpus[g].health != SG_HEALTHY;
        slow += found > 0;
    }
    assert_true(slow <= 5);
}
