/* results/env.h: facts of a run, from a file and back, damaged ones included. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/env.h"

TEST(env_comes_back_in_order)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_env) env = {0}, again = {0};
    SCRATCH(s);
    sg_env_set(&env, "schema", "1");
    sg_env_set(&env, "gpu_name", "NVIDIA H200, \"SXM\"");
    sg_env_set(&env, "tolerance.matvec", "0.01");
    for (int i = 0; i < 30; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key%d", i);
        sg_env_set(&env, key, "");
    }
    sg_env_set(&env, "schema", "2");
    assert_int_equal(sg_env_write(scratch_path(&s, "env.csv"), &env, &err), SG_SUCCESS);
    assert_int_equal(sg_env_read(s.path, &again, &err), SG_SUCCESS);
    assert_int_equal(again.count, 33);
    assert_string_equal(again.key[0], "schema");
    assert_string_equal(sg_env_get(&again, "schema"), "2");
    assert_string_equal(sg_env_get(&again, "gpu_name"), "NVIDIA H200, \"SXM\"");
    assert_string_equal(sg_env_get(&again, "key29"), "");
    assert_null(sg_env_get(&again, "gpu"));
}

TEST(env_lets_go_of_a_key)
{
    static const struct {
        const char *proves, *key, *left;
    } rows[] = {
        {"the first", "a", "b=2 c=3 "},
        {"one between others", "b", "a=1 c=3 "},
        {"the last", "c", "a=1 b=2 "},
        {"one that is not there", "d", "a=1 b=2 c=3 "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_env) env = {0};
        SG_SCOPED(sg_text) left = {0};
        sg_env_set(&env, "a", "1");
        sg_env_set(&env, "b", "2");
        sg_env_set(&env, "c", "3");
        sg_env_unset(&env, rows[i].key);
        for (size_t k = 0; k < env.count; k++)
            sg_text_addf(&left, "%s=%s ", env.key[k], env.value[k]);
        if (strcmp(left.data, rows[i].left) != 0)
            fail_msg("%s: left is %s", rows[i].proves, left.data);
    }
}

static void read_env(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    if (sg_env_read(path, &env, err) == SG_SUCCESS)
        sg_env_check(&env, path, SG_SCHEMA, err);
}

/* Whoever vouches for an env by its digest vouches for what is read back. */
TEST(env_holds_what_its_file_will)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_env) env = {0}, again = {0};
    struct sg_digest before = SG_DIGEST_EMPTY, after = SG_DIGEST_EMPTY;
    SCRATCH(s);
    sg_env_set(&env, "schema", SG_SCHEMA);
    sg_env_set(&env, "reason", "=two\nlines\x1b[31m");
    sg_env_set(&env, "again", sg_env_get(&env, "reason"));
    sg_env_set(&env, "again", sg_env_get(&env, "again"));
    assert_string_equal(sg_env_get(&env, "again"), "=two lines\\x1b[31m");
    assert_int_equal(sg_env_line(&env, "reason"), 1);
    sg_env_digest(&env, &before);
    assert_int_equal(sg_env_write(scratch_path(&s, "env.csv"), &env, &err), SG_SUCCESS);
    assert_int_equal(sg_env_read(s.path, &again, &err), SG_SUCCESS);
    sg_env_digest(&again, &after);
    assert_string_equal(sg_digest_word(&after).text, sg_digest_word(&before).text);
    assert_int_equal(sg_env_line(&again, "reason"), 3);
    sg_env_unset(&again, "schema");
    assert_int_equal(sg_env_line(&again, "reason"), 3);
    assert_int_equal(sg_env_line(&again, "schema"), 1);
    sg_env_set(&again, "reason", "another");
    assert_int_equal(sg_env_line(&again, "reason"), 1);
}

TEST(damaged_envs_are_refused)
{
    static const struct damage table[] = {
        {"another header", BYTES("name,value\n"), ":1", "the column 'key' is missing"},
        {"a key twice", BYTES("key,value\ngpu,a\ngpu,b\n"), ":3",
         "key: expected each key once, found 'gpu'"},
        {"a key that is none", BYTES("key,value\nGPU name,a\n"), ":2",
         "key: expected a key of [a-z0-9_.], found 'GPU name'"},
        {"no value", BYTES("key,value\ngpu\n"), ":2",
         "expected 2 fields as in the header, found 1"},
        {"a choice as of earlier versions", BYTES("key,value\nschema,2\ntimed,all: why\n"), ":3",
         "timed: expected all or changed (scripts/convert.py"},
        {"half a file", BYTES("key,value\nschema,1\nsta"), ":3", "the last line is incomplete"},
        {"a header only", BYTES("key,value\n"), ":1", "the key 'schema' is missing"},
        {"no tolerance", BYTES("key,value\nschema,1\ngpu,a\ntolerance,wide\n"), ":4",
         "tolerance: expected a ratio above 0 and below 1, found 'wide'"},
        {"a family's", BYTES("key,value\nschema,1\ntolerance.matvec,1\n"), ":3",
         "tolerance.matvec: expected a ratio above 0 and below 1"},
        {"a tolerance that is no number", BYTES("key,value\nschema,1\ntolerance,nan\n"), ":3",
         "tolerance: expected a ratio"},
        {"another state", BYTES("key,value\nschema,1\nstate,Finished\n"), ":3",
         "state: expected running or finished, found 'Finished'"},
        {"no state of the L2", BYTES("key,value\nschema,1\nl2,hot\n"), ":3",
         "l2: expected cold, clean, warm or unknown, found 'hot'"},
        {"no date", BYTES("key,value\nschema,1\ndate,yesterday\n"), ":3",
         "date: expected a date such as 2026-11-20"},
        {"a GPU that is a path", BYTES("key,value\nschema,1\ngpu,../h200\n"), ":3",
         "gpu: expected a name of [a-z0-9_], found '../h200'"},
        {"another clock", BYTES("key,value\nschema,1\ntime_source,sundial\n"), ":3",
         "time_source: expected cupti_activity, cuda_event"},
        {"no process", BYTES("key,value\nschema,1\nprocesses,0\n"), ":3",
         "processes: expected a whole number from 1 to 64, or auto"},
        {"auto is one key's", BYTES("key,value\nschema,1\nblocks,auto\n"), ":3",
         "blocks: expected a whole number from 1 to 512"},
        {"a power without end", BYTES("key,value\nschema,1\npower_w,inf\n"), ":3",
         "power_w: expected a number"},
        {"no seed", BYTES("key,value\nschema,1\nseed,-1\n"), ":3",
         "seed: expected a whole number, found '-1'"},
        {"a banana", BYTES("key,value\nschema,1\naccepted_runs,banana\n"), ":3",
         "accepted_runs: expected a whole number of 1 or more, found 'banana'"},
    };
    assert_refused(table, COUNT(table), "env.csv", read_env);
}
