/*
 * libFuzzer's target for what solgate reads (tests/fuzz/fuzz.sh builds and runs it): readers come
 * back, an error has a place and a message and blames neither system nor user, and what is accepted
 * is in its ranges. And: no edit of a recorded night with a slower variant, whose digest env.csv
 * has, makes `solgate compare` end with 0.
 *
 * The first byte of an input is the format, an index of `formats`. With SOLGATE_SEEDS=FOLDER the
 * good file of each format is written there as a first input.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "cli/command.h"
#include "diagnose/diagnose.h"
#include "history/history.h"
#include "import/importer.h"
#include "model/ceilings.h"
#include "plan/knobs.h"
#include "plan/suite.h"
#include "results/accepted_file.h"
#include "results/message.h"
#include "results/samples.h"
#include "results/table.h"
#include "util/file.h"
#include "diagnose/pc_samples.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static _Noreturn void give_up(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    abort();
}

static void write_bytes(const char *path, const char *bytes, size_t count)
{
    struct sg_err err = {0};
    if (sg_write_file(path, bytes, count, &err) != SG_SUCCESS)
        give_up(err.where, err.message);
}

/* Written and read again, it must be the same. */
static void read_table(const char *path, struct sg_err *err)
{
    struct sg_table table = {0}, again = {0};
    struct sg_text once = {0}, twice = {0};
    char copy[PATH_MAX];
    if (sg_table_read(path, &table, NULL, err) == SG_SUCCESS) {
        snprintf(copy, sizeof(copy), "%s.again", path);
        sg_table_format(&once, &table);
        write_bytes(copy, once.data, once.length);
        if (sg_table_read(copy, &again, NULL, err) != SG_SUCCESS)
            give_up(copy, err->message);
        sg_table_format(&twice, &again);
        if (strcmp(once.data, twice.data) != 0)
            give_up(copy, "written and read again, it is another one");
    }
    sg_text_release(&once);
    sg_text_release(&twice);
    sg_table_release(&again);
    sg_table_release(&table);
}

static void read_env(const char *path, struct sg_err *err)
{
    struct sg_env env = {0};
    if (sg_env_read(path, &env, err) == SG_SUCCESS)
        sg_env_check(&env, path, SG_SCHEMA, err);
    sg_env_release(&env);
}

static void read_pc_samples(const char *path, struct sg_err *err)
{
    struct sg_pc_samples samples = {0};
    sg_pc_samples_read(path, &samples, err);
}

/* What a disassembler prints is no file of ours: whatever it is, each wait has its producers. */
static void read_sass(const char *path, struct sg_err *err)
{
    struct sg_text text = {0};
    struct sg_sass sass = {0};
    size_t producers[SG_SASS_PRODUCERS_MAX];
    if (sg_read_text(path, &text, err) == SG_SUCCESS && text.length > 0)
        sg_sass_read(&sass, text.data, "k");
    for (size_t i = 0; i < sass.count; i++)
        if (sg_sass_producers(&sass, i, i % 2 ? "wait" : "long_scoreboard", producers) >
            SG_SASS_PRODUCERS_MAX)
            give_up(path, "more producers than there is room for");
    sg_text_release(&text);
}

static void read_samples(const char *path, struct sg_err *err)
{
    struct sg_samples samples = {0};
    sg_samples_read(path, &samples, err);
    sg_samples_release(&samples);
}

static void read_accepted(const char *path, struct sg_err *err)
{
    struct sg_accepted_suite accepted;
    sg_accepted_suite_read(path, &accepted, err);
}

static void read_night(const char *path, struct sg_err *err)
{
    struct sg_history history = {0};
    sg_night_read(path, &history, err);
    for (size_t i = 0; i < history.rows.count; i++) {
        const struct sg_night_row *row = &history.rows.items[i];
        if (row->ratio <= 0 || row->time <= 0 || row->time_se < 0 || row->beta > 1 ||
            row->build_ratio <= 0 || (!isnan(row->build_ratio) && row->build == 0))
            give_up(path, "a night with a number out of its range was accepted");
    }
}

static void read_ceilings(const char *path, struct sg_err *err)
{
    struct sg_ceilings ceilings;
    sg_ceilings_read(path, &ceilings, err);
}

static void read_suite(const char *path, struct sg_err *err)
{
    struct sg_suite suite;
    sg_suite_load(path, &suite, err);
    if (err->code == SG_SUCCESS &&
        (suite.settings.blocks % 2 ||
         (suite.settings.processes < 5 && suite.settings.processes != SG_PROCESSES_AUTO) ||
         !(suite.settings.tolerance > 0)))
        give_up(path, "a suite out of its ranges was accepted");
}

static void read_config(const char *path, struct sg_err *err)
{
    struct sg_knob_settings settings = {0};
    sg_knob_file_read(path, &settings, err);
    for (size_t i = 0; err->code == SG_SUCCESS && i < settings.count; i++)
        if (settings.items[i].count == 0 || settings.items[i].knob[0].value < 0)
            give_up(path, "a case without knobs, or with one below 0, was accepted");
}

/* One line at a time, as the worker's reader hands them on. */
static void read_messages(const char *path, struct sg_err *err)
{
    char line[4096];
    SG_SCOPED(sg_text) room = {0};
    FILE *file = fopen(path, "rb");
    while (file && err->code == SG_SUCCESS && fgets(line, sizeof(line), file)) {
        struct sg_message message;
        if (sg_message_parse(line, strcspn(line, "\n"), &room, &message, err) != SG_SUCCESS)
            sg_fail_here(err, path, 1); /* the caller's to add */
    }
    if (file)
        fclose(file);
}

/* It lies where the catalogue looks for it. */
static void read_catalogue(const char *path, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_gpu_spec spec = {0};
    (void)path;
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS)
        sg_gpu_load("h200", &spec, err);
}

/* What is read through another program is not: its faults are the system's. */
static bool is_through_program(const char *path)
{
    char head[4] = {0};
    FILE *file = fopen(path, "rb");
    if (file) {
        fread(head, 1, 3, file);
        fclose(file);
    }
    return memcmp(head, "\x1f\x8b", 2) == 0 || memcmp(head, "NVR", 3) == 0;
}

/* Rows of what was accepted can be read back, but for numbers that no run has. */
static void read_import(const char *path, struct sg_err *err)
{
    static struct sg_catalogue catalogue; /* once: it is most of the time */
    struct sg_imported imported = {.importer = NULL};
    static size_t turn; /* alone, and twice as two files of one tool */
    char *paths[] = {(char *)path, (char *)path};
    const struct sg_names files = {.items = paths, .count = 1 + turn++ % 2};
    struct sg_table table = {0};
    if (!is_through_program(path) &&
        (catalogue.count > 0 || sg_catalogue_load(&catalogue, err) == SG_SUCCESS) &&
        sg_import_read(&files, &catalogue, &table, &imported, err) == SG_SUCCESS &&
        sg_table_sort(&table, err) == SG_SUCCESS)
        for (size_t i = 0; i < table.count; i++) {
            const struct sg_value value = sg_value_of(&table, &table.rows[i]);
            struct sg_err bad = {0};
            if (sg_value_check(&value, &bad) != SG_SUCCESS)
                give_up(path, bad.message);
        }
    if (err->code != SG_SUCCESS && err->where[0] == '\0')
        snprintf(err->where, sizeof(err->where), "%s", path); /* of two rows of one name */
    free(imported.gpu_name);
    free(imported.unfit);
    sg_text_release(&imported.digests);
    sg_table_release(&table);
}

/* What compare prints is not looked at. */
static void compare_slow_night(const char *path, struct sg_err *err)
{
    char command[] = "compare", folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    if (sg_cmd_compare(2, (char *[]){command, folder, NULL}, err) == 0 && err->code == SG_SUCCESS)
        give_up(path, "a night with a slower variant is green");
    *err = (struct sg_err){0};
}

static const struct format {
    const char *file; /* in the scratch home */
    const char *good; /* a file of the tree, or, if it has a line end, the text itself */
    void (*read)(const char *path, struct sg_err *err);
} formats[] = {
    {"run.csv", "tests/data/hand/clean/run.csv", read_table},
    {"env.csv", "tests/data/hand/clean/env.csv", read_env},
    {"pc_samples.csv",
     "family,case,variant,kernel,code,pc,instruction,charged_to,reason,samples\nf,c,v,k,0:1,48,a."
     "cu:2 FMUL R7,a.cu:1 LDG R6,wait,9\n",
     read_pc_samples},
    {"k.sass",
     ".section .text.k,\n.L_x_0:\n//## File \"a.cu\", line 1\n/*0000*/ LDG.E R6, [R2.64] ; /* "
     "0x0000000406067981 */\n"
     "/* 0x000ea8000c1e9500 */\n/*0010*/ @P0 BRA `(.L_x_0) ; /* 0x0000000806077220 */\n/* "
     "0x004fca0000400000 */\n",
     read_sass},
    {"samples.csv",
     "family,case,pair,process,block,position,variant,ns,sm_clock,spikes\n"
     "m,c,cand,0,3,2,base,45650.125,1.98e+09,1\nm,c,cand,0,3,3,cand,4.5,0,0\n",
     read_samples},
    {"night.csv",
     "tests/data/h200/nights/h200/nightly/20261124T020531Z-f5df2a9f-e447dfccf7ebeb3e.csv",
     read_night},
    {"accepted.csv", "tests/data/hand/baselines/hand.csv", read_accepted},
    {"ceilings.csv", "baselines/h200/ceilings.csv", read_ceilings},
    {"nightly.suite", "kernels/suites/nightly.suite", read_suite},
    {"null.config",
     "; why\n[null/tuned]\ntiny = width=4 depth=3\nlarge = depth=0\n  "
     "width=9223372036854775807\n[m/v]\nc = k=1\n",
     read_config},
    {"messages", "hello,4,time\nenv,gpu,NVIDIA \\ H200\nsample,m,c,v,0,0,1,b,4.5,0,0\n",
     read_messages},
    {"metrics/metrics.ini", "metrics/metrics.ini", read_catalogue},
    {"metrics/groups/default.group", "metrics/groups/default.group", read_catalogue},
    {"metrics/gpus/h200.gpu", "metrics/gpus/h200.gpu", read_catalogue},
    {"slow/run.csv", "tests/data/h200/slow/run.csv", compare_slow_night},
    {"ncu_2020.csv", "tests/data/import/ncu_2020_metrics.csv", read_import},
    {"ncu_2023.csv", "tests/data/import/ncu_2023_sections.csv", read_import},
    {"ncu_2024.csv", "tests/data/import/ncu_2024_raw.csv", read_import},
    {"nsys.csv", "tests/data/import/nsys_2025_trace.csv", read_import},
    {"torch.json", "tests/data/import/torch_2_kernel.json", read_import},
    {"nvbench.json", "tests/data/import/nvbench_0_1.json", read_import},
    {"google.json", "tests/data/import/google_repetitions.json", read_import},
    {"google.csv", "tests/data/import/google_bench.csv", read_import},
    {"pytest.json", "tests/data/import/pytest_5.json", read_import},
    {"nvbench.csv", "tests/data/import/nvbench_0_4.csv", read_import},
    {"ranges.json", "tests/data/import/torch_2_ranges.json", read_import},
    {"cutlass.csv", "tests/data/import/cutlass_3.csv", read_import},
    {"proton.hatchet", "tests/data/import/proton_3.hatchet", read_import},
};
/* What the home has besides. */
static const char *const others[][2] = {{"slow/env.csv", "tests/data/h200/slow/env.csv"},
                                        {"baselines/smoke.csv", "baselines/smoke.csv"}};

static char home[] = "/tmp/solgate_fuzz.XXXXXX";

static void load(const char *good, struct sg_text *into)
{
    char path[PATH_MAX];
    struct sg_err err = {0};
    snprintf(path, sizeof(path), "%s/%s", SOLGATE_TREE, good);
    if (strchr(good, '\n'))
        sg_text_add(into, good);
    else if (sg_read_file(path, into, &err) != SG_SUCCESS)
        give_up(err.where, err.message);
}

static void put(const char *name, const char *good)
{
    struct sg_text bytes = {0};
    struct sg_err err = {0};
    char path[PATH_MAX], folder[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", home, name);
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    if (sg_make_folders(folder, &err) != SG_SUCCESS)
        give_up(err.where, err.message);
    load(good, &bytes);
    write_bytes(path, sg_text_string(&bytes), bytes.length);
    sg_text_release(&bytes);
}

/* As a first input, with the index before it. */
static void put_seed(size_t format, const char *folder)
{
    struct sg_text bytes = {0};
    char path[PATH_MAX];
    const char index = (char)format;
    snprintf(path, sizeof(path), "%s/seed.%zu", folder, format);
    sg_text_add_bytes(&bytes, &index, 1);
    load(formats[format].good, &bytes);
    write_bytes(path, bytes.data, bytes.length);
    sg_text_release(&bytes);
}

/* Every format must accept its good file, or its damage would prove nothing. */
static void check_good(const struct format *format)
{
    struct sg_err err = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", home, format->file);
    format->read(path, &err);
    if (err.code != SG_SUCCESS)
        give_up(err.where, err.message);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *seeds = getenv("SOLGATE_SEEDS");
    (void)argc;
    (void)argv;
    if (!mkdtemp(home) || setenv("SOLGATE_HOME", home, 1) != 0 ||
        !freopen("/dev/null", "w", stdout))
        give_up(home, "cannot be made");
    for (size_t i = 0; i < COUNT(others); i++)
        put(others[i][0], others[i][1]);
    for (size_t i = 0; i < COUNT(formats); i++) {
        put(formats[i].file, formats[i].good);
        if (seeds)
            put_seed(i, seeds);
    }
    for (size_t i = 0; i < COUNT(formats); i++)
        check_good(&formats[i]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t last = COUNT(formats);
    struct sg_err err = {0};
    char path[PATH_MAX];
    if (size == 0 || data[0] >= COUNT(formats))
        return 0;
    const struct format *format = &formats[data[0]];
    if (last < COUNT(formats) && last != data[0])
        put(formats[last].file, formats[last].good);
    last = data[0];
    snprintf(path, sizeof(path), "%s/%s", home, format->file);
    write_bytes(path, (const char *)data + 1, size - 1);
    format->read(path, &err);
    if (err.code != SG_SUCCESS && (err.message[0] == '\0' || err.where[0] == '\0'))
        give_up(path, "an error without message or place");
    if (err.code == SG_SYSTEM || err.code == SG_BAD_USAGE)
        give_up(path, "damage is neither the system's fault nor the user's");
    return 0;
}
