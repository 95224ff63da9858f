/* results/accepted_file.h: accepted numbers from a file and back, and which files are none. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/accepted_file.h"
#include "results/env.h"

#define HEADER            SG_BASELINE_HEADER_1 "\n"
#define NEW_HEADER        SG_BASELINE_HEADER "\n"
#define WITH(row, errors) row##_ROW "," errors "\n" /* se,sd */
#define ENV               "key,value\nschema,1\ngpu,h200\n"
#define RATIO_ROW         "matvec,c,slow,time_ratio,1,1.2,1.19,1.21,5,ok,against base,0.005,yes,,,0.0004,0,regressed,\"reverted, see log\""
#define RATIO             RATIO_ROW "\n"
#define TIME_ROW          "matvec,c,base,time,ns,1000,990,1010,5,ok,,0.005,yes,0.9,1.98e+09,0.001,0.002,,"
#define TIME              TIME_ROW "\n"
#define BROKEN_ROW        "matvec,c,wrong,status,,,,,,wrong,max error 24,,yes,,,,,wrong,"
#define BROKEN            BROKEN_ROW "\n"
#define COUNT__ROW        "matvec,c,base,registers,1,40,,,1,ok,,,no,,,,0,,"
#define COUNT_            COUNT__ROW "\n"
#define COUNT_LISTED      "matvec,c,base,[exact],,registers[1]=40,,,1,ok,,,no,,,,,,,,\n"

static const struct sg_catalogue catalogue; /* of nothing: which counters are noisy is another test's */

static enum sg_code read_text(struct scratch *s, const char *rows, const char *env, struct sg_accepted_file *baseline, struct sg_err *err)
{
    scratch_write(s, "smoke.env.csv", env, strlen(env));
    return sg_accepted_file_read(scratch_write(s, "smoke.csv", rows, strlen(rows)), baseline, err);
}

TEST(accepted_numbers_come_back_sorted)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_accepted_file baseline;
    scratch_init(&s);
    read_text(&s, NEW_HEADER WITH(BROKEN, ",") WITH(RATIO, "0.001,0.002") WITH(TIME, "0.003,") WITH(COUNT_, ","), ENV, &baseline, &err);
    assert_error("a baseline, unsorted", &err, SG_SUCCESS, "", "");
    assert_int_equal(baseline.table.count, 4);
    const struct sg_row *ratio = sg_table_find(&baseline.table, "matvec", "c", "slow", "time_ratio");
    const struct sg_accepted *slow = &baseline.accepted[ratio - baseline.table.rows], *registers = &baseline.accepted[0],
                             *time = registers + 1;
    assert_string_equal(sg_table_string(&baseline.table, slow->expect), "regressed");
    assert_string_equal(sg_table_string(&baseline.table, slow->reason), "reverted, see log");
    assert_true(slow->gate && slow->tolerance == 0.005 && isnan(slow->beta) && isnan(slow->f0) && slow->sd_day == 0);
    assert_true(!registers->gate && isnan(registers->tolerance) && isnan(registers->sd_process));
    assert_true(time->beta == 0.9 && time->f0 == 1.98e9 && time->sd_process == 0.001 && time->sd_day == 0.002);
    assert_int_equal(time->reason, 0);
    assert_string_equal(sg_env_get(&baseline.env, "gpu"), "h200");
    sg_accepted_file_write(scratch_path(&s, "again.csv"), &baseline, &catalogue, &err);
    struct sg_text again = scratch_read(&s, "again.csv"), env = scratch_read(&s, "again.env.csv");
    assert_string_equal(again.data, NEW_HEADER WITH(TIME, "0.003,") COUNT_LISTED WITH(RATIO, "0.001,0.002") WITH(BROKEN, ","));
    /* What makes it whole: three items, and a digest of both files. */
    static const char sealed[] = "key,value\nschema,3\ngpu,h200\naccepted_items,3\ndigest,";
    assert_memory_equal(env.data, sealed, strlen(sealed));
    assert_int_equal(strspn(env.data + strlen(sealed), "0123456789abcdef"), 16);
    assert_string_equal(env.data + strlen(sealed) + 16, "\n");
    sg_text_release(&again);
    sg_text_release(&env);
    sg_accepted_file_release(&baseline);
    scratch_release(&s);
}

TEST(refused)
{
    static const struct {
        const char *proves, *rows, *env;
        enum sg_code code;
        const char *place, *words;
    } table[] = {
        {"a run is no baseline", SG_RUN_HEADER_1 "\n", ENV, SG_BAD_INPUT, ":1", "the column 'tolerance' is missing"},
        {"a gate that is neither open nor closed", HEADER "f,c,v,m,1,1,,,,ok,,,maybe,,,,,,\n", ENV, SG_BAD_INPUT, ":2",
         "gate: expected yes or no"},
        {"a tolerance above 1", HEADER "f,c,v,m,1,1,,,,ok,,5,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2",
         "tolerance: expected a ratio above 0 and below 1, found '5'"},
        {"a tolerance of 1", HEADER "f,c,v,m,1,1,,,,ok,,1,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2", "above 0 and below 1, found '1'"},
        {"a tolerance of 0", HEADER "f,c,v,m,1,1,,,,ok,,0,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2", "above 0 and below 1, found '0'"},
        {"a tolerance below 0", HEADER "f,c,v,m,1,1,,,,ok,,-0.1,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2", "found '-0.1'"},
        {"a tolerance that is not a number", HEADER "f,c,v,m,1,1,,,,ok,,nan,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2",
         "tolerance: expected a number"},
        {"a tolerance in percent", HEADER "f,c,v,m,1,1,,,,ok,,0.5%,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2", "tolerance: expected a number"},
        {"a negative beta", HEADER "f,c,v,m,1,1,,,,ok,,,yes,-0.1,,,,,\n", ENV, SG_BAD_INPUT, ":2", "beta: expected a clock sensitivity"},
        {"a beta above 1", HEADER "f,c,v,m,1,1,,,,ok,,,yes,1.1,,,,,\n", ENV, SG_BAD_INPUT, ":2", "beta: expected a clock sensitivity"},
        {"a negative clock", HEADER "f,c,v,m,1,1,,,,ok,,,yes,,-1,,,,\n", ENV, SG_BAD_INPUT, ":2", "f0: expected a clock in Hz"},
        {"a negative spread of processes", HEADER "f,c,v,m,1,1,,,,ok,,,yes,,,-1,,,\n", ENV, SG_BAD_INPUT, ":2", "sd_process: expected"},
        {"a spread of days that is not a number", HEADER "f,c,v,m,1,1,,,,ok,,,yes,,,,nan,,\n", ENV, SG_BAD_INPUT, ":2",
         "sd_day: expected a number"},
        {"an expectation that does not exist", HEADER "f,c,v,m,1,1,,,,ok,,,yes,,,,,slow,\n", ENV, SG_BAD_INPUT, ":2",
         "expect: expected nothing, a status word or regressed, found 'slow'"},
        {"what a run refuses", HEADER "f,c,v,m,1,x,,,,ok,,,yes,,,,,,\n", ENV, SG_BAD_INPUT, ":2", "value: expected a number"},
        {"a row twice", HEADER TIME RATIO TIME, ENV, SG_BAD_INPUT, ":4", "found matvec/c/base time again; it is on line 2 too"},
        {"a torn last row", HEADER TIME "matvec,c", ENV, SG_BAD_INPUT, ":3", "the last line is torn"},
        {"an env of another schema", HEADER TIME, "key,value\nschema,4\n", SG_NOT_COMPARABLE, "smoke.env.csv:2",
         "expected a schema from 1 to 3, found '4'"},
        {"an env without schema", HEADER TIME, "key,value\n", SG_BAD_INPUT, "smoke.env.csv:1", "the key 'schema' is missing"},
        {"an empty env", HEADER TIME, "", SG_BAD_INPUT, "smoke.env.csv:1", "found an empty file"},
    };
    struct scratch s;
    scratch_init(&s);
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        struct sg_accepted_file baseline;
        read_text(&s, table[i].rows, table[i].env, &baseline, &err);
        assert_error(table[i].proves, &err, table[i].code, table[i].place, table[i].words);
        sg_accepted_file_release(&baseline);
    }
    scratch_release(&s);
}

TEST(a_baseline_needs_its_name_and_its_env)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_accepted_file baseline;
    scratch_init(&s);
    sg_accepted_file_read(scratch_write(&s, "smoke.csv", BYTES(HEADER TIME)), &baseline, &err);
    assert_error("no env beside it", &err, SG_BAD_INPUT, "smoke.env.csv", "No such file");
    sg_accepted_file_release(&baseline);
    err = (struct sg_err){0};
    sg_accepted_file_read(scratch_write(&s, "smoke.txt", BYTES(HEADER TIME)), &baseline, &err);
    assert_error("another ending", &err, SG_BAD_INPUT, "smoke.txt", "expected a baseline, whose name ends in .csv");
    sg_accepted_file_release(&baseline);
    err = (struct sg_err){0};
    sg_accepted_file_read(s.folder, &baseline, &err);
    assert_error("a folder", &err, SG_BAD_INPUT, s.folder, "expected a baseline");
    sg_accepted_file_release(&baseline);
    scratch_release(&s);
}
