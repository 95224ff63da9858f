/* Ceilings: what a run of them comes to, their files, and which of them a gap table finds. */
#include "check.h"
#include "scratch.h"
#include "temp_home.h"

#include <math.h>

#include "model/refusals.h"
#include "model/roofline.h"
#include "results/env.h"

static const struct sg_gap copy = {
    .family = "stream",
    .case_ = "c",
    .variant = "copy",
    .work = {.read_bytes = 5e8, .write_bytes = 5e8},
    .sol = {.time_ns = 200000, .memory_ns = 200000, .dtype = SG_DTYPE_COUNT, .memory_bound = true},
    .measured_ns = 250000,
};

static const struct sg_gap gemm = {
    .family = "gemm",
    .case_ = "c",
    .variant = "library",
    .work = {.flop[SG_BF16] = 1e12, .read_bytes = 1e8, .write_bytes = 1e8},
    .sol = {.time_ns = 1e6, .compute_ns = 1e6, .memory_ns = 1e4, .dtype = SG_BF16},
    .measured_ns = 1.25e6,
};

/* Next to no work: what it takes is the launch. */
static const struct sg_gap empty = {
    .family = "launch",
    .case_ = "c",
    .variant = "empty",
    .work = {.write_bytes = 4},
    .sol = {.time_ns = 0.001, .memory_ns = 0.001, .dtype = SG_DTYPE_COUNT, .memory_bound = true},
    .measured_ns = 1300,
};

static struct sg_env env_of(const char *gpu, const char *unit)
{
    struct sg_env env = {0};
    if (gpu)
        sg_env_set(&env, "gpu", gpu);
    if (unit)
        sg_env_set(&env, "gpu_uuid_hash", unit);
    sg_env_set(&env, "gpu_name", "Some, GPU");
    sg_env_set(&env, "l2", "clean");
    sg_env_set(&env, "date", "2026-11-21T10:00:00Z");
    return env;
}

TEST(the_highest_rate_of_what_binds_is_the_ceiling)
{
    struct sg_gap gaps[] = {copy, copy, gemm, gemm, gemm, empty, empty};
    struct sg_ceilings ceilings;
    struct sg_err err = {0};
    struct sg_env env = env_of("h200", "abc");
    gaps[1].variant = "faster_copy";
    gaps[1].measured_ns = 1e6 / 4.3;
    gaps[3].variant = "slower";
    gaps[3].measured_ns = 1.5e6;
    gaps[4].variant = "wrong";
    gaps[4].measured_ns = 1.1e6;
    gaps[4].status = SG_WRONG;
    gaps[5].variant = "slower";
    gaps[5].measured_ns = 1400;
    assert_int_equal(sg_ceilings_of_gaps(gaps, COUNT(gaps), &env, &ceilings, &err), SG_SUCCESS);
    assert_true(fabs(ceilings.dram_bytes_per_s - 4.3e12) < 1e3);
    assert_true(ceilings.launch_ns == 1300);
    assert_string_equal(ceilings.from[SG_CEILING_LAUNCH], "launch/c/empty");
    assert_true(fabs(ceilings.flop_per_s[SG_BF16] - 8e14) < 1);
    assert_string_equal(ceilings.from[0], "stream/c/faster_copy");
    assert_string_equal(ceilings.from[1 + SG_BF16], "gemm/c/library");
    assert_null(ceilings.from[1 + SG_F16]);
    assert_string_equal(ceilings.gpu_uuid_hash, "abc");
    assert_string_equal(ceilings.driver, "");
    assert_int_equal(ceilings.l2, SG_L2_CLEAN);
    sg_env_release(&env);
}

TEST(a_run_that_cannot_be_believed_has_no_ceilings)
{
    static const struct {
        const char *sentence, *gpu, *unfit, *l2;
        size_t count;
        bool refused, broken;
        enum sg_code code;
        const char *part;
    } rows[] = {
        {"one that cannot be says that something is wrong", "h200", NULL, "cold", 1, true, false,
         SG_INVALID, "stream/c/copy: too fast"},
        {"a run under bad conditions", "h200", "process 3: hot", "cold", 1, false, false,
         SG_INVALID, "process 3: hot"},
        {"nothing that was right", "h200", NULL, "cold", 1, false, true, SG_INVALID,
         "none of its 1 variants"},
        {"nothing at all", "h200", NULL, "cold", 0, false, false, SG_INVALID,
         "none of its 0 variants"},
        {"bytes of a warm L2 are none of DRAM's", "h200", NULL, "warm", 1, false, false, SG_INVALID,
         "with its warm L2"},
        {"a run that names no GPU", NULL, NULL, "cold", 1, false, false, SG_BAD_INPUT,
         "gpu: the key is missing"},
        {"a run that says nothing of its L2", "h200", NULL, NULL, 1, false, false, SG_BAD_INPUT,
         "l2: the key is missing"},
        {"a run that does not know of its L2", "h200", NULL, "unknown", 1, false, false,
         SG_BAD_INPUT, "l2: expected cold, clean or warm, found 'unknown'"},
    };
    static char reason[] = "too fast";
    static const struct sg_refusal refusal = {.finding = SG_TOO_FAST, .why = reason};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_gap gap = copy;
        struct sg_ceilings ceilings;
        struct sg_err err = {0};
        struct sg_env env = env_of(rows[i].gpu, NULL);
        if (rows[i].unfit)
            sg_env_set(&env, "unfit", rows[i].unfit);
        if (rows[i].l2)
            sg_env_set(&env, "l2", rows[i].l2);
        else
            sg_env_unset(&env, "l2");
        gap.refusal = rows[i].refused ? &refusal : NULL;
        gap.status = rows[i].broken ? SG_CRASH : SG_OK;
        const enum sg_code code = sg_ceilings_of_gaps(&gap, rows[i].count, &env, &ceilings, &err);
        if (code != rows[i].code || !strstr(err.message, rows[i].part) ||
            sg_ceilings_any(&ceilings))
            fail_msg("%s: code %d, '%s'", rows[i].sentence, code, err.message);
        sg_env_release(&env);
    }
}

#define HEAD   "ceiling,unit,value,from,l2,gpu,gpu_name,gpu_uuid_hash,driver,date\n"
#define IN(l2) ",f/c/v," l2 ",h200,NVIDIA H200,abc,580,2026-11-21\n"
#define TAIL   IN("clean")

static void read_ceilings(const char *path, struct sg_err *err)
{
    struct sg_ceilings ceilings;
    sg_ceilings_read(path, &ceilings, err);
}

TEST(a_file_that_is_none_is_refused_with_its_line)
{
    static const struct damage rows[] = {
        {"an unknown ceiling", BYTES(HEAD "dram,B/s,4e12" TAIL "bf61,flop/s,1" TAIL), ":3", "bf61"},
        {"another unit", BYTES(HEAD "dram,GB/s,4e3" TAIL), ":2", "expected B/s, found 'GB/s'"},
        {"a number that is none", BYTES(HEAD "dram,B/s,fast" TAIL), ":2", "fast"},
        {"zero, which nobody may divide by", BYTES(HEAD "dram,B/s,0" TAIL), ":2", "over 0"},
        {"another unit of the launch", BYTES(HEAD "launch,us,1" TAIL), ":2",
         "expected ns, found 'us'"},
        {"a negative rate", BYTES(HEAD "bf16,flop/s,-1" TAIL), ":2", "over 0"},
        {"not a number", BYTES(HEAD "bf16,flop/s,nan" TAIL), ":2", "nan"},
        {"one that is there twice", BYTES(HEAD "dram,B/s,4e12" TAIL "dram,B/s,3e12" TAIL), ":3",
         "once"},
        {"two GPUs",
         BYTES(HEAD "dram,B/s,4e12" TAIL
                    "bf16,flop/s,8e14,f/c/v,clean,h200,NVIDIA H200,xyz,580,2026-11-21\n"),
         ":3", "the GPU of the line before"},
        {"a state of the L2 that is none", BYTES(HEAD "dram,B/s,4e12" IN("hot")), ":2",
         "l2: expected cold, clean or warm, found 'hot'"},
        {"no state of the L2", BYTES(HEAD "dram,B/s,4e12" IN("")), ":2",
         "l2: expected cold, clean or warm, found ''"},
        {"two states of the L2", BYTES(HEAD "dram,B/s,4e12" TAIL "bf16,flop/s,8e14" IN("cold")),
         ":3", "the state of the line before"},
        {"a rate of DRAM that a warm L2 gave",
         BYTES(HEAD "bf16,flop/s,8e14" IN("warm") "dram,B/s,9e12" IN("warm")), ":3",
         "another state for a rate of DRAM"},
        {"another header", BYTES("ceiling,value\n"), ":1", "unit"},
        {"a header alone", BYTES(HEAD), "ceilings.csv:1", "found none"},
    };
    assert_refused(rows, COUNT(rows), "ceilings.csv", read_ceilings);
}

TEST(what_is_written_is_read)
{
    const struct sg_gap gaps[] = {copy, gemm, empty};
    struct sg_ceilings written, found;
    struct sg_err err = {0};
    struct sg_env env = env_of("h200", NULL);
    SCRATCH(s);
    assert_int_equal(sg_ceilings_of_gaps(gaps, COUNT(gaps), &env, &written, &err), SG_SUCCESS);
    assert_int_equal(sg_ceilings_write(scratch_path(&s, "ceilings.csv"), &written, &err),
                     SG_SUCCESS);
    assert_int_equal(sg_ceilings_read(s.path, &found, &err), SG_SUCCESS);
    assert_true(found.dram_bytes_per_s == 4e12 && found.flop_per_s[SG_BF16] == 8e14 &&
                found.flop_per_s[SG_F16] == 0 && found.launch_ns == 1300);
    assert_string_equal(found.gpu_name, "Some, GPU");
    assert_string_equal(found.gpu_uuid_hash, "");
    assert_string_equal(found.from[0], "stream/c/copy");
    assert_string_equal(found.path, s.path);
    assert_int_equal(found.l2, SG_L2_CLEAN);
    sg_env_release(&env);
}

/* A home with ceilings of two GPUs and their model; each file has a rate of its own. */
TEST(those_of_the_very_gpu_come_first)
{
    static const struct {
        const char *place, *text;
    } files[] = {
        {"baselines/h200/ceilings.csv",
         HEAD "dram,B/s,1,f/c/v,clean,h200,NVIDIA H200,abc,580,2026-11-21\n"},
        {"baselines/h200/abc/ceilings.csv",
         HEAD "dram,B/s,2,f/c/v,clean,h200,NVIDIA H200,abc,580,2026-11-21\n"},
        {"baselines/h200/moved/ceilings.csv",
         HEAD "dram,B/s,3,f/c/v,clean,h200,NVIDIA H200,abc,580,2026-11-21\n"},
        {"baselines/b200/ceilings.csv",
         HEAD "dram,B/s,4,f/c/v,clean,b200,NVIDIA B200,,580,2026-11-21\n"},
        {"baselines/a100/ceilings.csv",
         HEAD "dram,B/s,5,f/c/v,clean,h200,NVIDIA H200,abc,580,2026-11-21\n"},
    };
    static const struct {
        const char *sentence, *gpu, *unit, *spec;
        double rate; /* 0: none; below 0: refused */
        const char *path;
    } rows[] = {
        {"of the GPU of the run", "h200", "abc", "h200", 2, "baselines/h200/abc/ceilings.csv"},
        {"of its model, where the GPU has none", "h200", "other", "h200", 1,
         "baselines/h200/ceilings.csv"},
        {"of its model, where the run does not say which GPU it was", "h200", NULL, "h200", 1,
         "baselines/h200/ceilings.csv"},
        {"a name that leads out of the folder is none", "h200", "../h200/abc", "h200", 1,
         "baselines/h200/ceilings.csv"},
        {"of the spec that was asked for, not of the run's GPU", "h200", "abc", "b200", 4,
         "baselines/b200/ceilings.csv"},
        {"none, which is no error", "h200", "abc", "h100", 0, NULL},
        {"a file in the folder of a GPU that it is not of", "h200", "moved", "h200", -1, NULL},
        {"a file in the folder of a model that it is not of", "a100", NULL, "a100", -1, NULL},
    };
    struct temp_home home;
    temp_home_begin(&home);
    for (size_t i = 0; i < COUNT(files); i++)
        temp_home_write(&home, files[i].place, files[i].text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_env env = env_of(rows[i].gpu, rows[i].unit);
        struct sg_ceilings found;
        struct sg_err why = {0};
        const enum sg_code code = sg_ceilings_find(&env, rows[i].spec, &found, &why);
        if (code != (rows[i].rate < 0 ? SG_BAD_INPUT : SG_SUCCESS) ||
            found.dram_bytes_per_s != fmax(rows[i].rate, 0))
            fail_msg("%s: code %d, %g, '%s'", rows[i].sentence, code, found.dram_bytes_per_s,
                     why.message);
        if (rows[i].path)
            assert_string_equal(found.path, rows[i].path);
        sg_env_release(&env);
    }
    temp_home_end(&home);
}
