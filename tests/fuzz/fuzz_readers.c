/*
 * Damages sample files of every format that solgate reads, the same way each time, and asks three
 * things of the readers: that they come back, that an error says what and where, and that what they
 * accept is written and read again as the same.
 *
 *     fuzz_readers [ITERATIONS]          for each format; run under the sanitizers to mean
 *                                        something
 *
 * For libFuzzer: clang -fsanitize=fuzzer,address -DSOLGATE_LIBFUZZER with the sources of the core;
 * the first byte chooses the format.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "diagnose/diagnose.h"
#include "model/ceilings.h"
#include "plan/knob_file.h"
#include "plan/suite.h"
#include "process/protocol.h"
#include "history/night.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/process_log.h"
#include "results/samples.h"
#include "results/table.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/random.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLE_BYTES 32768 /* the largest sample, and what it may grow to, with room to spare */
#define ITERATIONS   1500  /* for each format: a few seconds in all */

static _Noreturn void give_up(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s (the file is kept)\n", path, what);
    abort();
}

static void write_bytes(const char *path, const char *bytes, size_t count)
{
    /* A new file, for a file system may sync one that is cut and
     * written again, thousands of times. */
    remove(path);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0)
        give_up(path, "cannot be written");
}

static void format_table(struct sg_text *out, const struct sg_table *table)
{
    sg_text_add(out, SG_RUN_HEADER "\n");
    for (size_t i = 0; i < table->count; i++) {
        sg_row_format(out, table, &table->rows[i]);
        sg_row_format_errors(out, table, &table->rows[i]);
    }
}

/* The same rows must come out of a file that was written from what was read. */
static void check_table(const char *path, const struct sg_table *table)
{
    struct sg_text once = {0}, twice = {0}, again_path = {0};
    struct sg_table again;
    struct sg_err err = {0};
    sg_table_init(&again);
    sg_text_addf(&again_path, "%s.again", path);
    format_table(&once, table);
    write_bytes(again_path.data, once.data, once.length);
    if (sg_table_read(again_path.data, &again, NULL, &err) != SG_SUCCESS)
        give_up(again_path.data, err.message);
    format_table(&twice, &again);
    if (strcmp(once.data, twice.data) != 0)
        give_up(again_path.data, "written and read again, it is another one");
    sg_table_release(&again);
    sg_text_release(&once);
    sg_text_release(&twice);
    sg_text_release(&again_path);
}

static void read_table(const char *path, struct sg_err *err)
{
    struct sg_table table;
    sg_table_init(&table);
    if (sg_table_read(path, &table, NULL, err) == SG_SUCCESS)
        check_table(path, &table);
    sg_table_release(&table);
}

static void read_journal(const char *path, struct sg_err *err)
{
    struct sg_table table;
    struct stat facts;
    uint64_t whole_bytes = 0;
    sg_table_init(&table);
    sg_table_read_journal(path, &table, &whole_bytes, err);
    if (stat(path, &facts) != 0 || whole_bytes > (uint64_t)facts.st_size)
        give_up(path, "more is whole than there is");
    sg_table_release(&table);
}

static void read_env(const char *path, struct sg_err *err)
{
    struct sg_env env = {0};
    if (sg_env_read(path, &env, err) == SG_SUCCESS)
        sg_env_check(&env, path, SG_SCHEMA, err);
    sg_env_release(&env);
}

static void read_samples(const char *path, struct sg_err *err)
{
    struct sg_samples samples;
    sg_samples_init(&samples);
    sg_samples_read(path, &samples, err);
    sg_samples_release(&samples);
}

static void read_processes(const char *path, struct sg_err *err)
{
    struct sg_process_log processes = {0};
    sg_process_log_read(path, &processes, err);
    sg_process_log_release(&processes);
}

static void read_baseline(const char *path, struct sg_err *err)
{
    struct sg_accepted_file baseline;
    sg_accepted_file_read(path, &baseline, err);
    sg_accepted_file_release(&baseline);
}

static void read_night(const char *path, struct sg_err *err)
{
    struct sg_night night = {0};
    struct sg_night_rows rows = {0};
    struct sg_intern_pool *pool = NULL;
    sg_night_read(path, NULL, &pool, &rows, &night, err);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.items[i].ratio <= 0 || rows.items[i].time <= 0 || rows.items[i].time_se < 0 || rows.items[i].beta > 1 ||
            rows.items[i].build_ratio <= 0 || (!isnan(rows.items[i].build_ratio) && rows.items[i].build == 0))
            give_up(path, "a night with a number out of its range was accepted");
    sg_night_release(&night);
    free(rows.items);
    sg_intern_pool_free(pool);
}

static void read_ceilings(const char *path, struct sg_err *err)
{
    struct sg_ceilings ceilings;
    sg_ceilings_read(path, &ceilings, err);
    sg_ceilings_release(&ceilings);
}

static void read_suite(const char *path, struct sg_err *err)
{
    struct sg_suite suite;
    sg_suite_load(path, &suite, err);
    if (err->code == SG_SUCCESS && (suite.blocks % 2 || suite.processes < 5 || !(suite.tolerance > 0)))
        give_up(path, "a suite out of its ranges was accepted");
    sg_suite_release(&suite);
}

static void read_config(const char *path, struct sg_err *err)
{
    struct sg_settings settings = {0};
    sg_knob_file_read(path, &settings, err);
    for (size_t i = 0; err->code == SG_SUCCESS && i < settings.count; i++)
        if (settings.items[i].count == 0 || settings.items[i].knob[0].value < 0)
            give_up(path, "a case without knobs, or with one below 0, was accepted");
    sg_settings_release(&settings);
}

/* One line at a time, as the worker's reader hands them on. */
static void read_messages(const char *path, struct sg_err *err)
{
    char line[SAMPLE_BYTES];
    FILE *file = fopen(path, "rb");
    while (file && err->code == SG_SUCCESS && fgets(line, sizeof(line), file)) {
        struct sg_message message;
        line[strcspn(line, "\n")] = '\0';
        sg_message_parse(line, &message, err);
    }
    if (file)
        fclose(file);
}

static void read_catalogue(const char *path, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_rules *rules = NULL;
    (void)path; /* it lies where the catalogue looks for it */
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS && sg_rules_load(&catalogue, &rules, err) == SG_SUCCESS)
        sg_rules_free(rules);
    sg_catalogue_release(&catalogue);
}

static void read_gpu(const char *path, struct sg_err *err)
{
    struct sg_gpu_spec spec = {0};
    (void)path;
    sg_gpu_load("h200", &spec, err);
    sg_gpu_release(&spec);
}

struct format {
    const char *file; /* in the folder of this run */
    const char *text; /* a good one; NULL: the tree's own file of this name */
    void (*read)(const char *path, struct sg_err *err);
    unsigned share; /* of the iterations, 1 in so many: large files take long */
};

#define ROWS                                                                                                                   \
    "matvec,c1,base,time,ns,45650.1234,45000,46000.5,5,ok,\nmatvec,c1,cand,time_ratio,1,1.002,0.999,1.005,5,ok,against base\n" \
    "matvec,c1,cand,l2_hit_rate,%,nan,,,2,nan,\"none, \"\"really\"\"\"\nnull,c2,bad,status,,,,,,crash,killed\n"

static const struct format formats[] = {
    {"run.csv", SG_RUN_HEADER "\nm,c,v,time,ns,1000,990,1010,5,ok,,0.0036,0.008\nm,c,v,role,,,,,,ok,candidate,,\n", read_table, 1},
    {"run1.csv", SG_RUN_HEADER_1 "\n" ROWS, read_table, 1},
    {"journal.csv", SG_RUN_HEADER_1 "\n" ROWS, read_journal, 1},
    {"env.csv", "key,value\nschema,1\nstate,finished\ngpu_name,\"NVIDIA H200, SXM\"\ntolerance.matvec,0.01\n", read_env, 1},
    {"samples.csv", SG_SAMPLES_HEADER "\nmatvec,c,cand,0,3,2,base,45650.125,1.98e+09,1\nmatvec,c,cand,0,3,3,cand,4.5,0,0\n", read_samples,
     1},
    {"processes.csv",
     SG_PROCESSES_HEADER
     "\n0,0,2026-11-21T01:00:14Z,,sw_power_cap+0x800,\"chain +1 %, or so\",1.98e+09,700,60,0,0,0,51390,1.98e+09,67000,1.9e9,"
     ",,,,,,,,,\n",
     read_processes, 1},
    {"night.csv",
     SG_NIGHT_HEADER "\n"
                     "fact,schema,3,,,,,,,,,,,,,\n"
                     "fact,date,2026-01-01,,,,,,,,,,,,,\n"
                     "fact,gpu,h100,,,,,,,,,,,,,\n"
                     "fact,suite,old,,,,,,,,,,,,,\n"
                     "fact,run,46c7a3a7590b4de2,,,,,,,,,,,,,\n"
                     "item,a/b/c,ok,,,120.5,0.004149,,,grid=1,1.01,0.0004,00112233445566ff,ffeeddccbbaa9988,,\n"
                     "item,bench,ok,,,7,,,,,,,,,,\n"
                     "fact,digest,f831d8522da9a440,,,,,,,,,,,,,\n",
     read_night, 1},
    {"night_1.csv",
     SG_NIGHT_HEADER_1 "\n"
                       "fact,schema,1,,,,,,,\n"
                       "fact,date,2026-01-01,,,,,,,\n"
                       "fact,gpu,h100,,,,,,,\n"
                       "fact,suite,old,,,,,,,\n"
                       "fact,run,46c7a3a7590b4de2,,,,,,,\n"
                       "fact,imported,o.csv,,,,,,,\n"
                       "item,a/b/c,ok,,,120.5,0.004149,,,\n"
                       "item,bench,ok,,,7,,,,\n"
                       "fact,digest,3556734ff77baab3,,,,,,,\n",
     read_night, 1},
    {"smoke.csv",
     SG_BASELINE_HEADER_1 "\nm,c,base,time,ns,1000,990,1010,5,ok,,0.005,yes,0.9,1.98e+09,0.001,0.002,,\n"
                          "m,c,slow,time_ratio,1,1.2,1.19,1.21,5,ok,against base,0.005,no,,,0.0004,0,regressed,\"no, see log\"\n",
     read_baseline, 1},
    {"smoke.env.csv", "key,value\nschema,1\ngpu,h200\n", read_env, 1},
    {"ceilings.csv",
     SG_CEILINGS_HEADER "\ndram,B/s,4.3e12,stream/c/copy,cold,h200,\"NVIDIA H200, SXM\",abc,580,2026-11-21\n"
                        "bf16,flop/s,7.9e14,gemm/c/v,cold,h200,\"NVIDIA H200, SXM\",abc,580,2026-11-21\n",
     read_ceilings, 1},
    {"nightly.suite",
     "; why\n[suite]\ntitle = Every night\n  at home\nl2 = warm\ntolerance = 0.25%\nmetrics = stall\nprocesses = 8\nblocks = 32\nlaunches "
     "= 2\n"
     "deadline = 150ms\n[matvec]\ncase = a\nvariant = v\ntolerance = 2%\n[null]\n",
     read_suite, 1},
    {"null.config", "; why\n[null/tuned]\ntiny = width=4 depth=3\nlarge = depth=0\n  width=9223372036854775807\n[m/v]\nc = k=1\n",
     read_config, 1},
    {"messages",
     "hello\t2\ttime\nenv\tgpu\tNVIDIA \\\\ "
     "H200\nbegin\tm\tc\tv\nsample\tm\tc\tv\t0\t0\t1\tb\t4.5\t0\t0\nstatus\tm\tc\tv\tcrash\ta\\tb\\n\nbye\n",
     read_messages, 1},
    {"metrics/metrics.ini", NULL, read_catalogue, 20},
    {"metrics/groups/default.group", NULL, read_catalogue, 20},
    {"metrics/rules.ini", NULL, read_catalogue, 20},
    {"metrics/gpus/h200.gpu", NULL, read_gpu, 1},
};

/* What a mutation puts in: the bytes and words that mean something to one of the formats. */
static const char *const tokens[] = {"\n",         "\r\n",
                                     "\r",         ",",
                                     "\"",         "\"\"",
                                     "\t",         "\\",
                                     "[suite]",    "[",
                                     "]",          "=",
                                     ";",          "#",
                                     "  ",         "nan",
                                     "inf",        "-1",
                                     "1e999",      "0x1",
                                     "%",          "ok",
                                     "regressed",  "\xEF\xBB\xBF",
                                     "4294967296", "18446744073709551616",
                                     "yes",        "..",
                                     "/",          "{",
                                     "%s%n",       "\x01",
                                     "\x7f",       "\xff"};

struct bytes {
    char at[SAMPLE_BYTES];
    size_t count;
};

static void cut_out(struct bytes *b, size_t from, size_t count)
{
    if (count > b->count - from)
        count = b->count - from;
    memmove(b->at + from, b->at + from + count, b->count - from - count);
    b->count -= count;
}

static void put_in(struct bytes *b, size_t where, const char *bytes, size_t count)
{
    if (b->count + count > sizeof(b->at))
        return;
    memmove(b->at + where + count, b->at + where, b->count - where);
    memcpy(b->at + where, bytes, count);
    b->count += count;
}

static void mutate(struct bytes *b, uint64_t *random)
{
    size_t where = sg_random_next(random) % (b->count + 1), span = sg_random_next(random) % 40;
    const char *token = tokens[sg_random_next(random) % COUNT(tokens)];
    char copied[40];
    switch (sg_random_next(random) % 8) {
    case 0:
        b->count = where;
        break;
    case 1:
    case 2:
        if (where < b->count)
            b->at[where] ^= (char)(1u << sg_random_next(random) % 8);
        break;
    case 3:
        if (where < b->count)
            b->at[where] = '\0';
        break;
    case 4:
        cut_out(b, where, span);
        break;
    case 5:
        if (where + span > b->count)
            span = b->count - where;
        memcpy(copied, b->at + where, span);
        put_in(b, sg_random_next(random) % (b->count + 1), copied, span);
        break;
    default:
        put_in(b, where, token, strlen(token));
    }
}

static void check_one(const struct format *format, const char *folder, const char *bytes, size_t count)
{
    char path[PATH_MAX];
    struct sg_err err = {0};
    snprintf(path, sizeof(path), "%s/%s", folder, format->file);
    write_bytes(path, bytes, count);
    format->read(path, &err);
    if (err.code != SG_SUCCESS && (err.message[0] == '\0' || err.where[0] == '\0'))
        give_up(path, "an error without message or place");
    if (err.code == SG_SYSTEM || err.code == SG_BAD_USAGE)
        give_up(path, "damage is neither the system's fault nor the user's");
}

static void load(const char *path, struct bytes *into)
{
    struct sg_err err = {0};
    int descriptor;
    if (sg_open_to_read(path, &descriptor, &err) != SG_SUCCESS ||
        sg_read_bytes(path, descriptor, into->at, sizeof(into->at), &into->count, &err) != SG_SUCCESS)
        give_up(path, err.message);
    close(descriptor);
}

/* The good file of a format, from the table or from the tree at `home`. */
static void load_good(const struct format *format, const char *home, struct bytes *good)
{
    char path[PATH_MAX];
    if (format->text) {
        good->count = strlen(format->text);
        memcpy(good->at, format->text, good->count);
        return;
    }
    snprintf(path, sizeof(path), "%s/%s", home, format->file);
    load(path, good);
}

/* A folder with a whole file of every format, the home of the catalogue. */
static void set_up(const char *home, char *folder)
{
    static const char *const folders[] = {"metrics", "metrics/groups", "metrics/gpus"};
    static struct bytes good;
    char path[PATH_MAX];
    if (!mkdtemp(folder))
        give_up(folder, "cannot be made");
    for (size_t i = 0; i < COUNT(folders); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
        mkdir(path, 0777);
    }
    setenv("SOLGATE_HOME", folder, 1);
    for (size_t i = 0; i < COUNT(formats); i++) {
        load_good(&formats[i], home, &good);
        snprintf(path, sizeof(path), "%s/%s", folder, formats[i].file);
        write_bytes(path, good.at, good.count);
    }
}

#ifdef SOLGATE_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/solgate_fuzz.XXXXXX";
    if (!getenv("SOLGATE_HOME"))
        set_up("..", folder);
    if (size > 0)
        check_one(&formats[data[0] % COUNT(formats)], folder, (const char *)data + 1, size - 1);
    return 0;
}
#else
static void take_down(const char *folder)
{
    static const char *const rest[] = {"run.csv.again", "metrics/groups", "metrics/gpus", "metrics", ""};
    char path[PATH_MAX];
    for (size_t i = 0; i < COUNT(formats); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, formats[i].file);
        remove(path);
    }
    for (size_t i = 0; i < COUNT(rest); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, rest[i]);
        remove(path);
    }
}

/* Every format must accept its good file, or its damage would prove nothing. */
static void fuzz(const struct format *format, const char *home, const char *folder, unsigned long iterations)
{
    static struct bytes good, bad;
    char path[PATH_MAX];
    struct sg_err err = {0};
    uint64_t random = 1;
    load_good(format, home, &good);
    snprintf(path, sizeof(path), "%s/%s", folder, format->file);
    format->read(path, &err);
    if (err.code != SG_SUCCESS)
        give_up(err.where, err.message);
    for (unsigned long i = 0; i < iterations / format->share; i++) {
        bad = good;
        for (uint64_t count = 1 + sg_random_next(&random) % 4; count > 0; count--)
            mutate(&bad, &random);
        check_one(format, folder, bad.at, bad.count);
    }
    write_bytes(path, good.at, good.count);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/solgate_fuzz.XXXXXX";
    unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 10) : ITERATIONS;
    set_up("..", folder);
    for (size_t i = 0; i < COUNT(formats); i++)
        fuzz(&formats[i], "..", folder, iterations);
    printf("%zu formats, %lu damaged files each\n", COUNT(formats), iterations);
    take_down(folder);
    return 0;
}
#endif
