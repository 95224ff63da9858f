/*
 * Two small jobs of tables.sh, in C because neither awk nor sh does them in time or at all:
 *   tables generate ROWS CASES VARIANTS KIND RUN_FOLDER BASELINE_FILE    a made-up run
 *       and what was accepted, sorted
 *           CASES: of a family; VARIANTS: of a case, the first is its baseline; KIND: green,
 *           nothing moved, or none, every time and every counter moved for the worse
 *   tables measure COMMAND...                        runs it; prints seconds, processor seconds,
 *                                                    peak resident MB and exit status
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 5
#define BLOCKS    1
#define DAY_SD    0.0005 /* ln */

/* What is to be made. */
struct shape {
    long rows, cases, variants; /* cases of a family, variants of a case */
    int none_green;
};

/* As a run has them, sorted. A value moves by a thousandth from the run to
 * the baseline unless it is exact. */
static const struct {
    const char *name, *unit;
    double value;
    int exact;
} metrics[] = {
    {"count_passes", "1", 12, 1},
    {"cycles", "cycle", 83213, 0},
    {"dram_bytes", "B", 134217728, 0},
    {"dram_read_bytes", "B", 134201344, 0},
    {"dram_throughput", "%", 71.4, 0},
    {"dram_write_bytes", "B", 16384, 0},
    {"global_load_requests", "request", 1048576, 1},
    {"global_load_sectors", "sector", 4194304, 1},
    {"instructions", "inst", 2122317, 1},
    {"ipc", "inst/cycle", 1.31, 0},
    {"issue_active", "%", 33.1, 0},
    {"kernels", "1", 1, 1},
    {"l1_hit_rate", "%", 12.5, 0},
    {"l1_throughput", "%", 44.2, 0},
    {"l2_hit_rate", "%", 3.25, 0},
    {"l2_sectors", "sector", 4200000, 0},
    {"l2_throughput", "%", 50.7, 0},
    {"local_memory", "B", 0, 1},
    {"memory_throughput", "%", 71.4, 0},
    {"occupancy_achieved", "%", 61.2, 0},
    {"occupancy_theoretical", "%", 75, 1},
    {"pipe_alu", "%", 9.1, 0},
    {"pipe_fma", "%", 21.4, 0},
    {"pipe_lsu", "%", 17.6, 0},
    {"registers", "register", 40, 1},
    {"role", "", 0, 1},
    {"shape", "", 0, 1},
    {"shared_load_conflicts", "wavefront", 0, 1},
    {"shared_static", "B", 1024, 1},
    {"sm_clock", "Hz", 1.83e9, 0},
    {"sm_throughput", "%", 31.7, 0},
    {"stall_barrier", "%", 20.3, 0},
    {"stall_branch_resolving", "%", 8.8, 0},
    {"stall_dispatch", "%", 1.2, 0},
    {"stall_drain", "%", 4.5, 0},
    {"stall_lg_throttle", "%", 12.7, 0},
    {"stall_long_scoreboard", "%", 912.4, 0},
    {"stall_math_pipe_throttle", "%", 3.3, 0},
    {"stall_membar", "%", 0.4, 0},
    {"stall_mio_throttle", "%", 6.6, 0},
    {"stall_no_instruction", "%", 10.1, 0},
    {"stall_not_selected", "%", 22.9, 0},
    {"stall_selected", "%", 100, 0},
    {"stall_short_scoreboard", "%", 7.7, 0},
    {"stall_wait", "%", 64.2, 0},
    {"status", "", 0, 1},
    {"time", "ns", 45650, 0},
    {"time_ratio", "1", 1.012, 0},
    {"work_flop_f32", "flop", 33554432, 1},
    {"work_read_bytes", "B", 67125248, 1},
    {"work_write_bytes", "B", 16384, 1},
};
#define METRICS (long)(sizeof(metrics) / sizeof(metrics[0]))

static void put_names(FILE *file, const struct shape *shape, long variant)
{
    fprintf(file, "family%04ld,case%04ld,variant%02ld,", variant / (shape->cases * shape->variants),
            variant / shape->variants % shape->cases, variant % shape->variants);
}

/* Of the run: as accepted but for a thousandth, or moved. */
static double value_now(const struct shape *shape, long metric, int timed)
{
    const double was = metrics[metric].value;
    /* Another work would be another case. */
    if (!shape->none_green || strncmp(metrics[metric].name, "work_", 5) == 0)
        return was * (metrics[metric].exact || timed ? 1 : 1.001);
    return timed ? was * 1.05 : metrics[metric].exact ? was + 1 : was * 1.5;
}

/* One row; `accepted` adds the columns of a baseline. */
static void put_row(FILE *file, const struct shape *shape, long variant, long metric, int accepted)
{
    const char *name = metrics[metric].name;
    const int first = variant % shape->variants == 0, timed = strncmp(name, "time", 4) == 0;
    put_names(file, shape, variant);
    fprintf(file, "%s,%s,", name, metrics[metric].unit);
    const double value = accepted ? metrics[metric].value : value_now(shape, metric, timed);
    if (strcmp(name, "role") == 0)
        fprintf(file, ",,,,ok,%s", first ? "baseline" : "candidate");
    else if (strcmp(name, "shape") == 0)
        fprintf(file, ",,,,ok,m=%ld k=%ld", 64 + variant / (shape->cases * shape->variants),
                512 * (1 + variant / shape->variants % shape->cases));
    else if (strcmp(name, "status") == 0)
        fputs(",,,,ok,", file);
    else if (timed)
        fprintf(file, "%.9g,%.9g,%.9g,5,ok,%s", value, value * 0.999, value * 1.001, strcmp(name, "time") == 0 ? "" : "against variant00");
    else
        fprintf(file, "%.9g,,,12,ok,", value);
    if (accepted && timed)
        fprintf(file, ",0.01,%s,0.1,1.83e+09,0.0005,%g,,", first || strcmp(name, "time") != 0 ? "yes" : "no", DAY_SD);
    else if (accepted)
        fprintf(file, ",,%s,,,,,,", strcmp(name, "status") == 0 ? "yes" : "no");
    fputc('\n', file);
}

/* Whole variants, and no fewer rows than asked for. A family's
 * baseline variant has no ratio to itself. */
static int put_table(const char *path, const struct shape *shape, int accepted)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fprintf(file, "family,case,variant,metric,unit,value,low,high,n,status,message%s\n",
            accepted ? ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason" : "");
    for (long put = 0, variant = 0; put < shape->rows; variant++)
        for (long metric = 0; metric < METRICS; metric++) {
            if (variant % shape->variants == 0 && strcmp(metrics[metric].name, "time_ratio") == 0)
                continue;
            put_row(file, shape, variant, metric, accepted);
            put++;
        }
    return fclose(file);
}

static long find_metric(const char *name)
{
    long metric = 0;
    while (strcmp(metrics[metric].name, name) != 0)
        metric++;
    return metric;
}

/* The batches of each candidate and its baseline, by which all of them
 * take the time that their rows have. */
static int put_samples(const char *path, const struct shape *shape)
{
    const double ns = value_now(shape, find_metric("time"), 1);
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs("family,case,pair,process,block,position,variant,ns,sm_clock,spikes\n", file);
    for (long put = 0, variant = 0; put < shape->rows; variant++) {
        const int first = variant % shape->variants == 0;
        put += METRICS - first;
        for (int batch = 0; batch < PROCESSES * BLOCKS * 4; batch++) {
            const int own = batch % 4 == 1 || batch % 4 == 2;
            put_names(file, shape, variant);
            fprintf(file, "%d,%d,%d,variant%02ld,%.9g,1.83e+09,0\n", batch / (4 * BLOCKS), batch / 4 % BLOCKS, batch % 4,
                    own ? variant % shape->variants : 0, ns);
        }
    }
    return fclose(file);
}

static int put_env(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs("key,value\nschema,1\nstate,finished\ntool_version,0\ncommit,bench\ndate,2026-01-01T00:00:00Z\nsuite,bench\nseed,1\nl2,cold\n"
          "tolerance,0.01\nprocesses,5\nblocks,1\ngpu,h200\ngpu_name,made up\nchip,GH100\ndriver,580.1\ntime_source,simulated\n",
          file);
    return fclose(file);
}

static int generate(const struct shape *shape, const char *run, const char *baseline)
{
    char path[4096];
    int failed = shape->rows <= 0 || shape->cases < 1 || shape->variants <= 1;
    snprintf(path, sizeof(path), "%s/run.csv", run);
    failed = failed || put_table(path, shape, 0) != 0;
    snprintf(path, sizeof(path), "%s/samples.csv", run);
    failed = failed || put_samples(path, shape) != 0;
    snprintf(path, sizeof(path), "%s/env.csv", run);
    failed = failed || put_env(path) != 0;
    failed = failed || put_table(baseline, shape, 1) != 0;
    snprintf(path, sizeof(path), "%.*s.env.csv", (int)strlen(baseline) - 4, baseline);
    failed = failed || put_env(path) != 0;
    if (failed)
        perror("tables: the made-up run cannot be written");
    return failed;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static int measure(char **argv)
{
    struct timespec begin, end;
    struct rusage usage;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("tables: the command cannot be run");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.2f %.2f %.0f %d\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           seconds(usage.ru_utime) + seconds(usage.ru_stime), (double)usage.ru_maxrss * 1024 / 1e6,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "generate") == 0) {
        const struct shape shape = {strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10),
                                    strcmp(argv[5], "none") == 0};
        return generate(&shape, argv[6], argv[7]);
    }
    if (argc > 2 && strcmp(argv[1], "measure") == 0)
        return measure(argv + 2);
    fputs("tables: generate ROWS CASES VARIANTS green|none RUN_FOLDER BASELINE_FILE, or measure COMMAND...\n", stderr);
    return 4;
}
