#include "null.h"

#include <math.h>
#include <string.h>

enum of { OF_LAUNCH, OF_ELEMENT, OF_NANOSECOND, OF_SECOND };

/*
 * Counters of a launch of `ok`, and what `slower` and `slower_noisy` multiply them by: they read
 * with a stride, so they touch more sectors for the same requests, move more bytes and wait longer
 * for memory. `of`: what there is one value of.
 */
static const struct {
    const char *metric;
    double value;
    enum of of;
    double slower; /* factor; 0 means 1 */
} counters[] = {
    {.metric = "cupti:dram__bytes_read.sum", .value = 4, .of = OF_ELEMENT, .slower = 1.3},
    {.metric = "sm_throughput", .value = 41, .slower = 0.97},
    {.metric = "memory_throughput", .value = 83, .slower = 1.05},
    {.metric = "dram_throughput", .value = 82, .slower = 1.06},
    {.metric = "l1_throughput", .value = 38, .slower = 1.5},
    {.metric = "l2_throughput", .value = 46, .slower = 1.4},
    {.metric = "issue_active", .value = 22, .slower = 0.95},
    {.metric = "ipc", .value = 0.88, .slower = 0.95},
    {.metric = "instructions", .value = 0.5, .of = OF_ELEMENT},
    {.metric = "occupancy_achieved", .value = 88},
    {.metric = "occupancy_theoretical", .value = 100},
    {.metric = "registers", .value = 24},
    {.metric = "shared_static", .value = 0},
    {.metric = "shared_dynamic", .value = 0},
    {.metric = "local_memory", .value = 0},
    {.metric = "grid", .value = 1.0 / 1024, .of = OF_ELEMENT},
    {.metric = "block", .value = 256},
    {.metric = "cluster", .value = 1},
    {.metric = "stall_barrier", .value = 0},
    {.metric = "stall_mio_throttle", .value = 2},
    {.metric = "stall_membar", .value = 0},
    {.metric = "stall_math_pipe_throttle", .value = 6},
    {.metric = "stall_long_scoreboard", .value = 540, .slower = 1.3},
    {.metric = "stall_short_scoreboard", .value = 4},
    {.metric = "stall_lg_throttle", .value = 12, .slower = 4},
    {.metric = "stall_wait", .value = 90},
    {.metric = "pipe_fma", .value = 9, .slower = 0.98},
    {.metric = "pipe_alu", .value = 7, .slower = 0.98},
    {.metric = "pipe_lsu", .value = 12, .slower = 0.98},
    {.metric = "dram_read_bytes", .value = 8, .of = OF_ELEMENT, .slower = 1.1},
    {.metric = "dram_write_bytes", .value = 4, .of = OF_ELEMENT},
    {.metric = "l2_hit_rate", .value = 34, .slower = 1.6},
    {.metric = "l1_hit_rate", .value = 1, .slower = 20},
    {.metric = "l1_to_l2_read_sectors", .value = 0.25, .of = OF_ELEMENT, .slower = 1.9},
    {.metric = "l1_to_l2_write_sectors", .value = 0.125, .of = OF_ELEMENT},
    {.metric = "global_load_sectors", .value = 0.25, .of = OF_ELEMENT, .slower = 2},
    {.metric = "global_load_requests", .value = 1.0 / 64, .of = OF_ELEMENT},
    {.metric = "global_store_sectors", .value = 0.125, .of = OF_ELEMENT},
    {.metric = "global_store_requests", .value = 1.0 / 128, .of = OF_ELEMENT},
    {.metric = "local_load_sectors", .value = 0},
    {.metric = "local_store_sectors", .value = 0},
    {.metric = "shared_load_conflicts", .value = 0},
    {.metric = "shared_store_conflicts", .value = 0},
    {.metric = "shared_load_wavefronts", .value = 0},
    {.metric = "shared_store_wavefronts", .value = 0},
    {.metric = "counted_time", .value = 1, .of = OF_NANOSECOND, .slower = 1.02},
    {.metric = "cycles", .value = 1.98, .of = OF_NANOSECOND, .slower = 1.02},
    {.metric = "sm_active_cycles", .value = 1.9, .of = OF_NANOSECOND, .slower = 1.02},
    {.metric = "counted_clock", .value = 1.98e9},
    {.metric = "energy", .value = 300, .of = OF_SECOND, .slower = 1.06},
};

/* Hardware counters are of the launch that was the last, and so is this. */
static bool last_launch_polled;

void null_note_polling(bool looked_again)
{
    last_launch_polled = looked_again;
}

/* More of what a loop around a flag in shared memory executes. */
static double add_polling(const char *variant, const char *metric, double value)
{
    if (!last_launch_polled || strcmp(variant, "polls") != 0)
        return value;
    if (strcmp(metric, "instructions") == 0)
        return value + ceil(value / 100);
    return strcmp(metric, "shared_load_wavefronts") == 0 ? value + 4 : value;
}

bool null_counter(const struct sg_case *c, const char *variant, const char *metric, double *out)
{
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        if (strcmp(metric, counters[i].metric) != 0)
            continue;
        const bool slow = strcmp(variant, "slower") == 0 || strcmp(variant, "slower_noisy") == 0;
        const double factor = slow && counters[i].slower > 0 ? counters[i].slower : 1;
        const double value = counters[i].value * factor;
        if (counters[i].of == OF_SECOND) {
            *out = value * null_time_ns(c) * 1e-9;
            return true;
        }
        const double units[] = {
            [OF_ELEMENT] = (double)null_count(c), [OF_NANOSECOND] = null_time_ns(c)};
        /* What is counted comes in whole things: there is no half sector. */
        *out =
            add_polling(variant, metric,
                        counters[i].of == OF_LAUNCH ? value : ceil(value * units[counters[i].of]));
        return true;
    }
    return false;
}
