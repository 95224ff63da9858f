/* results/units.h: the GPU of a plain run from its processes, GPUs of parts joined in any order,
 * and units.csv there and back. */
#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "near.h"
#include "scratch.h"

#include "results/throttle_reasons.h"
#include "results/units.h"

static void add_process(struct sg_process_log *all, const char *dropped, double chain_ns,
                        double copy_ns)
{
    struct sg_process process = sg_process_new((unsigned)all->count, 0);
    snprintf(process.dropped, sizeof(process.dropped), "%s", dropped);
    process.events.known = true;
    process.events.seen = *dropped ? SG_EVENT_HW_THERMAL : SG_EVENT_SW_POWER_CAP;
    for (size_t m = 0; m < SG_MOMENTS; m++) {
        process.figure[m][SG_FIGURE_CHAIN_NS] = chain_ns;
        process.figure[m][SG_FIGURE_CHAIN_CLOCK] = 2e9;
        process.figure[m][SG_FIGURE_COPY_NS] = copy_ns;
        process.figure[m][SG_FIGURE_POWER] = m == SG_AT_END ? 500 : 100;
    }
    sg_process_log_add(all, &process);
}

TEST(a_plain_run_has_one_gpu)
{
    struct sg_process_log all = {0};
    struct sg_env env = {0};
    sg_env_set(&env, "gpu_uuid_hash", "null7");
    sg_env_set(&env, SG_HOST_KEY, "node1");
    add_process(&all, "", 50000, 67000);
    add_process(&all, "", 50500, 67000);
    add_process(&all, "", 51000, 67000);
    add_process(&all, "hw_thermal", 90000, 99000);
    const struct sg_unit unit = sg_unit_make(&env, &all);
    assert_string_equal(unit.name, "null7");
    assert_string_equal(unit.host, "node1");
    assert_int_equal(unit.processes, 3);
    assert_int_equal(unit.dropped, 1);
    assert_int_equal(unit.events.seen, SG_EVENT_HW_THERMAL | SG_EVENT_SW_POWER_CAP);
    assert_near("chain", unit.chain_cycles, 101000, 1e-9);
    assert_near("its sd", unit.chain_sd, 1.4826022185056018 * 500 / 50500, 1e-9);
    assert_near("copy", unit.copy_ns, 67000, 1e-9);
    assert_near("power under load", unit.power_w, 500, 1e-9);
    assert_true(isnan(unit.temperature_c));
    free(all.items);
    sg_env_release(&env);
}

TEST(parts_join_and_units_csv_reads_back)
{
    struct sg_units units = {0}, back = {0};
    struct sg_env env = {0};
    struct sg_err err = {0};
    struct sg_unit unit = {
        .name = "b", .driver = "580.1", .processes = 10, .chain_cycles = 100, .copy_ns = NAN};
    unit.sm_clock = unit.power_w = unit.temperature_c = unit.chain_sd = unit.copy_sd = NAN;
    sg_units_join(&units, &unit);
    unit.processes = 30;
    unit.chain_cycles = 104;
    unit.events.known = true;
    sg_units_join(&units, &unit);
    snprintf(unit.name, sizeof(unit.name), "a");
    sg_units_join(&units, &unit);
    SCRATCH(s);
    assert_int_equal(sg_units_write(s.folder, &units, &err), SG_SUCCESS);
    assert_int_equal(sg_units_of_run(s.folder, &env, &back, &err), SG_SUCCESS);
    assert_int_equal(back.count, 2);
    assert_string_equal(back.items[0].name, "a");
    const struct sg_unit *joined = sg_units_find(&back, "b");
    assert_non_null(joined);
    assert_int_equal(joined->processes, 40);
    assert_near("weighted", joined->chain_cycles, 103, 1e-9);
    assert_true(joined->events.known && isnan(joined->copy_ns));
    assert_string_equal(joined->driver, "580.1");
    sg_units_release(&units);
    sg_units_release(&back);
}

TEST(other_users_can_lock_a_gpu_that_this_process_may_hold_twice)
{
    struct sg_err err = {0};
    struct stat facts;
    SG_SCOPED(sg_text) file = {0};
    sg_text_addf(&file, "/tmp/solgate-gpu-test%d", (int)getpid());
    const mode_t before = umask(077);
    assert_int_equal(sg_unit_hold(strstr(file.data, "test"), &err), SG_SUCCESS);
    assert_int_equal(sg_unit_hold(strstr(file.data, "test"), &err), SG_SUCCESS);
    umask(before);
    const int other = open(file.data, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    close(other);
    assert_int_equal(stat(file.data, &facts), 0);
    unlink(file.data);
    assert_int_equal(facts.st_mode & 0777, 0644);
}
