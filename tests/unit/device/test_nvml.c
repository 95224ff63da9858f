/* device/nvml.h against a driver that a test tells what it is (fake_nvml.h). */
#include "scratch.h"

#include <dlfcn.h>
#include <math.h>

#include "device/nvml.h"
#include "fake_nvml.h"
#include "results/throttle_reasons.h"

#define POWER SG_EVENT_SW_POWER_CAP
#define HEAT  SG_EVENT_SW_THERMAL

/* Looks at the driver while it is as it says; what befell the GPU since the look before. */
static uint64_t look(struct sg_nvml *nvml, struct fake_nvml *driver, const struct fake_nvml *as)
{
    double figure[SG_FIGURE_COUNT] = {0};
    uint64_t events = 0;
    *driver = *as;
    assert_true(sg_nvml_read(nvml, 0, figure, &events));
    assert_true(figure[SG_FIGURE_SM_CLOCK] == as->clock_mhz * 1e6);
    return events;
}

static void what_three_looks_see(void **state)
{
    (void)state;
    static const struct {
        const char *proves, *library;
        struct fake_nvml driver[3];
        uint64_t events[3];
    } rows[] = {
        ROW("only what grew since the last look is an event", FAKE_NVML_NEW,
            LIST(LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(7, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(8, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(8, 10))),
            LIST(0, POWER, HEAT)),
        ROW("a sum that could not be read at first is no event when it can be", FAKE_NVML_NEW,
            LIST(LIST(.clock_mhz = 1980, .held_known = LIST(true, false), .held_ns = LIST(7, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(7, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(7, 10))),
            LIST(0, 0, HEAT)),
        ROW("a look that could not read it loses nothing", FAKE_NVML_NEW,
            LIST(LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(7, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(false, false), .held_ns = LIST(0, 0)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(8, 9))),
            LIST(0, 0, POWER)),
        ROW("a driver without such sums still says the rest", FAKE_NVML_OLD,
            LIST(LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(7, 9)),
                 LIST(.clock_mhz = 1500, .held_known = LIST(true, true), .held_ns = LIST(8, 9)),
                 LIST(.clock_mhz = 1980, .held_known = LIST(true, true), .held_ns = LIST(8, 10))),
            LIST(0, 0, 0)),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_nvml *nvml = NULL;
        void *library = dlopen(rows[i].library, RTLD_NOW | RTLD_LOCAL);
        struct fake_nvml *driver = library ? dlsym(library, "fake_nvml") : NULL;
        assert_non_null(driver);
        if (sg_nvml_open("0000:00:00.0", &nvml, &err) != SG_SUCCESS)
            fail_msg("%s: %s: %s", rows[i].proves, err.where, err.message);
        for (size_t k = 0; k < COUNT(rows[i].driver); k++) {
            const uint64_t events = look(nvml, driver, &rows[i].driver[k]);
            if (events != rows[i].events[k])
                fail_msg("%s: look %zu: 0x%llx", rows[i].proves, k, (unsigned long long)events);
        }
        driver->energy_mj = 2500;
        const double joules = sg_nvml_energy(nvml);
        assert_true(strcmp(rows[i].library, FAKE_NVML_OLD) == 0 ? isnan(joules) : joules == 2.5);
        sg_nvml_close(nvml);
        dlclose(library);
    }
}

/* Memory of one's own, whatever others have; 0 where it is not known. */
static void own_memory_and_others(void **state)
{
    (void)state;
    static const struct {
        const char *proves;
        struct fake_nvml driver;
        uint64_t own;
        int others;
    } rows[] = {
        {"alone", {.processes = 1, .used_bytes = 7 << 20}, 7 << 20, 0},
        {"beside two", {.processes = 3, .used_bytes = 7 << 20}, 7 << 20, 2},
        {"a driver that does not know it", {.processes = 1, .used_bytes = ~0ULL}, 0, 0},
        {"under another number", {.processes = 1, .is_hidden = true}, 0, -1},
        {"under another number beside one", {.processes = 2, .is_hidden = true}, 0, 1},
        {"no list", {.processes = 0}, 0, -1},
    };
    struct sg_err err = {0};
    struct sg_nvml *nvml = NULL;
    void *library = dlopen(FAKE_NVML_NEW, RTLD_NOW | RTLD_LOCAL);
    struct fake_nvml *driver = library ? dlsym(library, "fake_nvml") : NULL;
    assert_non_null(driver);
    assert_int_equal(sg_nvml_open("0000:00:00.0", &nvml, &err), SG_SUCCESS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        *driver = rows[i].driver;
        const int others = sg_nvml_other_processes(nvml, 0);
        if (sg_nvml_own_memory(nvml) != rows[i].own || others != rows[i].others)
            fail_msg("%s: %llu bytes, %d others", rows[i].proves,
                     (unsigned long long)sg_nvml_own_memory(nvml), others);
    }
    sg_nvml_close(nvml);
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_three_looks_see),
                                       cmocka_unit_test(own_memory_and_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
