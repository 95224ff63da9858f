/* results/former_names.h: names of files that are older than a rename. */
#include "check.h"
#include "scratch.h"

#include "results/env.h"
#include "results/former_names.h"
#include "results/samples.h"
#include "results/table.h"

TEST(names_of_today)
{
    static const struct {
        const char *sentence, *family, *variant, *now;
    } rows[] = {
        {"a variant that was renamed", "group_gemm", "seed_percta", "per_cta_tensormaps_rebuilt"},
        {"its name of today", "group_gemm", "per_cta_tensormaps_rebuilt", "per_cta_tensormaps_rebuilt"},
        {"one of another family", "matvec", "seed_percta", "seed_percta"},
        {"a suite's name is no variant's", "group_gemm", "percta", "percta"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(sg_variant_name_now(rows[i].family, rows[i].variant), rows[i].now) != 0)
            fail_msg("%s: %s", rows[i].sentence, sg_variant_name_now(rows[i].family, rows[i].variant));
    assert_string_equal(sg_suite_name_now("percta"), "per_cta_tensormaps");
    assert_string_equal(sg_suite_name_now("gate50"), "bench_gate");
    assert_string_equal(sg_suite_name_now("smoke"), "smoke");
    assert_string_equal(sg_suite_name_before("bench_gate"), "gate50");
    assert_null(sg_suite_name_before("smoke"));
}

TEST(files_are_read_by_them)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_table table = {0};
    struct sg_samples samples = {0};
    struct sg_env env = {0};
    scratch_init(&s);
    sg_table_read(scratch_write(&s, "run.csv", BYTES(SG_RUN_HEADER_1 "\ngroup_gemm,c,seed_percta,status,,,,,,ok,\n")), &table, NULL, &err);
    assert_error("a run", &err, SG_SUCCESS, "", "");
    assert_non_null(sg_table_find(&table, "group_gemm", "c", "per_cta_tensormaps_rebuilt", "status"));
    sg_samples_read(
        scratch_write(&s, "samples.csv", BYTES(SG_SAMPLES_HEADER "\ngroup_gemm,c,seed_percta,0,0,0,seed_percta,1000,1.9e9,0\n")), &samples,
        &err);
    assert_error("its samples", &err, SG_SUCCESS, "", "");
    assert_string_equal(sg_samples_string(&samples, samples.items[0].pair), "per_cta_tensormaps_rebuilt");
    assert_string_equal(sg_samples_string(&samples, samples.items[0].variant), "per_cta_tensormaps_rebuilt");
    sg_env_read(scratch_write(&s, "env.csv", BYTES("key,value\nsuite,gate50\n")), &env, &err);
    assert_error("its env", &err, SG_SUCCESS, "", "");
    assert_string_equal(sg_env_get(&env, "suite"), "bench_gate");
    /* The digest is of the file. */
    struct sg_digest of_file = SG_DIGEST_EMPTY, of_other = SG_DIGEST_EMPTY;
    sg_env_digest(&env, &of_file);
    sg_env_set(&env, "suite", "bench_gate");
    sg_env_digest(&env, &of_other);
    assert_true(of_file.state != of_other.state);
    sg_table_release(&table);
    sg_samples_release(&samples);
    sg_env_release(&env);
    scratch_release(&s);
}
