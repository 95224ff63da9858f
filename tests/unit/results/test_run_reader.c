/* results/run_reader.h: which runs are finished and whole. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/run_reader.h"

#define HEADER  "family,case,variant,metric,unit,value,low,high,n,status,message\n"
#define RUN_ROW "null,small,ok,time,ns,1000,990,1010,5,ok,\n"

TEST(only_finished_runs_are_read)
{
    static const struct {
        const char *proves, *env;
        enum sg_code code;
        const char *place, *words;
    } table[] = {
        {"a finished run is read", "key,value\nschema,1\nstate,finished\nsuite,smoke\n", SG_SUCCESS,
         "", ""},
        {"an unfinished run says how to go on", "key,value\nschema,1\nstate,running\nsuite,smoke\n",
         SG_INVALID, "", "go on with: solgate run smoke --out=/tmp/solgate_test."},
        {"also one that does not know its suite", "key,value\nschema,1\nstate,running\n",
         SG_INVALID, "", "solgate run SUITE --out="},
        {"a state that does not exist", "key,value\nschema,1\nstate,resting\n", SG_BAD_INPUT,
         "env.csv:3", "found 'resting'"},
        {"no state", "key,value\nschema,1\n", SG_BAD_INPUT, "env.csv:1",
         "the key 'state' is missing"},
        {"another schema", "key,value\nschema,7\nstate,finished\n", SG_NOT_COMPARABLE, "env.csv:2",
         "expected a schema from 1 to 2, found '7'"},
        {"no schema", "key,value\nstate,finished\n", SG_BAD_INPUT, "env.csv:1",
         "the key 'schema' is missing"},
        {"a tolerance of nothing", "key,value\nschema,1\nstate,finished\ntolerance,0\n",
         SG_BAD_INPUT, "env.csv:4", "tolerance: expected a ratio above 0 and below 1, found '0'"},
        {"a family's tolerance in words",
         "key,value\nschema,1\nstate,finished\ntolerance.matvec,small\n", SG_BAD_INPUT, "env.csv:4",
         "tolerance.matvec: expected a ratio"},
    };
    SCRATCH(s);
    scratch_write(&s, "run.csv", BYTES(HEADER RUN_ROW));
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err by_folder = {0}, by_file = {0};
        struct sg_run run;
        scratch_write(&s, "env.csv", table[i].env, strlen(table[i].env));
        sg_run_read(s.folder, &run, &by_folder);
        assert_error(table[i].proves, &by_folder, table[i].code, table[i].place, table[i].words);
        assert_int_equal(run.table.count, table[i].code == SG_SUCCESS ? 1 : 0);
        sg_run_release(&run);
        sg_run_read(scratch_path(&s, "run.csv"), &run, &by_file);
        assert_error(table[i].proves, &by_file, table[i].code, table[i].place, table[i].words);
        assert_string_equal(run.folder, s.folder);
        sg_run_release(&run);
    }
}

TEST(a_run_without_its_files_is_refused)
{
    struct sg_err err = {0};
    struct sg_run run;
    SCRATCH(s);
    sg_run_read(s.folder, &run, &err);
    assert_error("no env.csv", &err, SG_BAD_INPUT, s.folder, "its env.csv: No such file");
    sg_run_release(&run);
    err = (struct sg_err){0};
    scratch_write(&s, "env.csv", BYTES("key,value\nschema,1\nstate,finished\n"));
    sg_run_read(s.folder, &run, &err);
    assert_error("no run.csv", &err, SG_BAD_INPUT, "/run.csv", "No such file");
    sg_run_release(&run);
}
