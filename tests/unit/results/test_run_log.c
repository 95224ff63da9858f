/* results/run_log.h: what a run has added is found again wherever its writer is killed. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"

#include "results/run_log.h"

static void add_row(struct sg_run_log *run, const char *metric, struct sg_err *err)
{
    SG_SCOPED(sg_table) group = {0};
    sg_table_add(&group, &(struct sg_value){.family = "f",
                                            .case_ = "c",
                                            .variant = "v",
                                            .metric = metric,
                                            .value = 7,
                                            .has = SG_HAS_VALUE});
    sg_table_add(&group, &(struct sg_value){
                             .family = "f", .case_ = "c", .variant = "v", .metric = "status"});
    sg_run_log_add(run, &group, NULL, err);
}

static void add_samples(struct sg_run_log *run, unsigned process, struct sg_err *err)
{
    SG_SCOPED(sg_samples) group = {0};
    struct sg_sample sample = {.process = (uint16_t)process, .ns = 1000.25};
    sample.family = sg_samples_intern(&group, "f");
    sample.case_ = sg_samples_intern(&group, "c");
    sample.pair = sample.variant = sg_samples_intern(&group, "v");
    for (uint8_t position = 0; position < 4; position++) {
        sample.position = position;
        sg_samples_add(&group, &sample);
    }
    sg_run_log_add(run, NULL, &group, err);
}

static void put_process(struct sg_run_log *run, unsigned number, const char *ended,
                        struct sg_err *err)
{
    struct sg_process process = sg_process_new(number, 0);
    snprintf(process.ended, sizeof(process.ended), "%s", ended);
    sg_run_log_put_process(run, &process, err);
}

/* A folder with a log of so many groups; *bytes[i] is its length with i of them. */
enum { GROUPS = 8 };

static void write_run(const char *path, uint64_t bytes[GROUPS + 1], struct sg_err *err)
{
    SG_SCOPED(sg_run_log) run;
    sg_run_log_init(&run);
    assert_int_equal(sg_run_log_create(path, &run, err), SG_SUCCESS);
    sg_env_set(&run.env, "schema", SG_SCHEMA);
    sg_run_log_write_env(&run, err);
    bytes[0] = run.whole_bytes;
    for (int i = 0; i < GROUPS; i++) {
        switch (i) {
        case 0:
            add_row(&run, "m", err);
            break;
        case 1:
            put_process(&run, 0, "", err);
            break;
        case 2:
            add_samples(&run, 0, err);
            break;
        case 3:
            put_process(&run, 0, "2026-11-21T01:00:14Z", err);
            break;
        case 4:
            sg_run_log_drop_process(&run, 0, "hw_thermal", err);
            break;
        case 5:
            put_process(&run, 1, "", err);
            break;
        case 6:
            add_samples(&run, 1, err);
            break;
        default:
            sg_run_log_drop_process(&run, 1, "", err);
            break;
        }
        bytes[i + 1] = run.whole_bytes;
    }
}

TEST(what_was_added_is_found_wherever_its_writer_is_killed)
{
    /* of so many groups: rows, samples, processes, of which dropped */
    static const size_t found[GROUPS + 1][4] = {{0},          {2},          {2, 0, 1},
                                                {2, 4, 1},    {2, 4, 1},    {2, 0, 1, 1},
                                                {2, 0, 2, 1}, {2, 4, 2, 1}, {2, 0, 1, 1}};
    struct sg_err err = {0};
    uint64_t bytes[GROUPS + 1];
    SCRATCH(s);
    write_run(s.folder, bytes, &err);
    assert_error("a run", &err, SG_SUCCESS, "", "");
    struct sg_text log = scratch_read(&s, SG_RUN_LOG_NAME);
    assert_int_equal(log.length, bytes[GROUPS]);
    for (size_t groups = 0, cut = 0; cut <= log.length; cut++) {
        SG_SCOPED(sg_run_log) run;
        struct stat facts;
        groups += groups < GROUPS && cut == bytes[groups + 1];
        FILE *file = fopen(scratch_path(&s, SG_RUN_LOG_NAME), "wb");
        assert_true(file && fwrite(log.data, 1, cut, file) == cut && fclose(file) == 0);
        sg_run_log_init(&run);
        assert_int_equal(sg_run_log_open(s.folder, &run, &err), SG_SUCCESS);
        assert_int_equal(sg_run_log_resume(&run, &err), SG_SUCCESS);
        size_t dropped = 0;
        for (size_t i = 0; i < run.processes.count; i++)
            dropped += run.processes.items[i].dropped[0] != '\0';
        const size_t is[4] = {run.rows.count, run.samples.count, run.processes.count, dropped};
        if (memcmp(is, found[groups], sizeof(is)) != 0)
            fail_msg("cut at %zu, %zu groups: %zu rows, %zu samples, %zu processes, %zu dropped",
                     cut, groups, is[0], is[1], is[2], is[3]);
        assert_int_equal(stat(s.path, &facts), 0);
        assert_int_equal(facts.st_size, bytes[groups]); /* what is torn was cut off */
    }
    sg_text_release(&log);
}

TEST(a_full_disk_keeps_whole_groups)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_run_log) run;
    struct rlimit before;
    SCRATCH(s);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    sg_run_log_init(&run);
    assert_int_equal(sg_run_log_create(s.folder, &run, &err), SG_SUCCESS);
    add_row(&run, "m", &err);
    const uint64_t whole = run.whole_bytes;
    const struct rlimit tight = {.rlim_cur = whole + 10, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    add_row(&run, "n", &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_error("the group that does not fit", &err, SG_SYSTEM, SG_RUN_LOG_NAME,
                 "bytes before this group");
    assert_non_null(strstr(err.message, "File too large"));
    struct sg_text log = scratch_read(&s, SG_RUN_LOG_NAME);
    assert_int_equal(log.length, whole);
    sg_text_release(&log);
}

TEST(a_log_is_not_excused_a_wrong_line)
{
    static const struct {
        const char *proves, *line, *words;
    } rows[] = {
        {"no message", "null,tiny,ok", "expected a message"},
        {"one of a worker's others", "bye", "expected a message of a run's log"},
        {"a value that is none", "value,F,,,,,,,,,,,,", "family: expected a name"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) log = {0};
        struct sg_err err = {0};
        SG_SCOPED(sg_run_log) run;
        uint64_t bytes[GROUPS + 1];
        SCRATCH(s);
        write_run(s.folder, bytes, &err);
        sg_text_addf(&log, "whole\n%s\nwhole\n", rows[i].line);
        scratch_write(&s, SG_RUN_LOG_NAME, log.data, log.length);
        sg_run_log_init(&run);
        assert_int_equal(sg_run_log_open(s.folder, &run, &err), SG_SUCCESS);
        sg_run_log_resume(&run, &err);
        assert_error(rows[i].proves, &err, SG_BAD_INPUT, "/" SG_RUN_LOG_NAME ":2", rows[i].words);
    }
}
