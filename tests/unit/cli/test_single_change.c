/*
 * No single change of one field, row or file of a night that is not green, or of its
 * accepted numbers, makes it green.
 *
 * Nights are the recorded H200 runs with one fault each, sealed as `solgate run` does it; changes
 * are drawn at random from a fixed seed. They go through `solgate compare` itself. SINGLE_CHANGES
 * in the environment: how many, in place of CHANGES. In a second half the run carries no digest, so
 * that the rules alone have to hold: there only run.csv is changed, and of the row with the fault
 * nothing that may make its number better.
 */
#include <fcntl.h>

#include "cli/command.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "scratch.h"
#include "util/random.h"

#define CHANGES 4000
#define LINES   4096

#ifdef __SANITIZE_ADDRESS__
#define SLOWER 10
#else
#define SLOWER 1
#endif

/* A file as lines, each with its end, owned. */
struct lines {
    char *line[LINES];
    size_t count;
};

static void lines_release(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->line[i]);
    lines->count = 0;
}

static void lines_read(const char *path, struct lines *lines)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    for (lines->count = 0; getline(&line, &capacity, file) > 0;) {
        assert_true(lines->count < LINES);
        lines->line[lines->count++] = sg_copy_string(line);
    }
    free(line);
    fclose(file);
}

static struct sg_text lines_join(const struct lines *lines)
{
    struct sg_text text = {0};
    for (size_t i = 0; i < lines->count; i++)
        sg_text_add(&text, lines->line[i]);
    return text;
}

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void lines_write(const char *path, const struct lines *lines)
{
    struct sg_text text = lines_join(lines);
    put(path, sg_text_string(&text), text.length);
    sg_text_release(&text);
}

/* Where field `index` of a line begins, and how long it is; a quoted one with its quotes. */
static bool find_field(const char *line, size_t index, size_t *from, size_t *length)
{
    size_t at = 0;
    for (size_t i = 0;; i++) {
        size_t end = at;
        for (bool quoted = false; line[end] && line[end] != '\n' && (quoted || line[end] != ','); end++)
            quoted ^= line[end] == '"';
        if (i == index) {
            *from = at;
            *length = end - at;
            return true;
        }
        if (line[end] != ',')
            return false;
        at = end + 1;
    }
}

static size_t count_fields(const char *line)
{
    size_t count = 0, from, length;
    while (find_field(line, count, &from, &length))
        count++;
    return count;
}

static void set_field(char **line, size_t index, const char *value)
{
    size_t from = 0, length = 0;
    struct sg_text text = {0};
    assert_true(find_field(*line, index, &from, &length));
    sg_text_add_bytes(&text, *line, from);
    sg_text_add(&text, value);
    sg_text_add(&text, *line + from + length);
    free(*line);
    *line = text.data;
}

static void copy_field(const char *line, size_t index, char *out, size_t size)
{
    size_t from = 0, length = 0;
    find_field(line, index, &from, &length);
    snprintf(out, size, "%.*s", (int)length, line + from);
}

/* ---- nights ---- */

enum { FAMILY, CASE, VARIANT, METRIC, UNIT, VALUE, LOW, HIGH, N, STATUS, MESSAGE };

/* One fault: in the row of run.csv that begins so, or, where that
 * is NULL, a row more in env.csv. */
static const struct night {
    const char *sentence, *recorded, *row;
    void (*spoil)(char **line);
    const char *fact;
} nights[];

static void scale(char **line, double low, double value, double high)
{
    const double factor[] = {value, low, high};
    for (size_t i = 0; i < 3; i++) {
        char field[32];
        copy_field(*line, VALUE + i, field, sizeof(field));
        snprintf(field, sizeof(field), "%.9g", strtod(field, NULL) * factor[i]);
        set_field(line, VALUE + i, field);
    }
}

static void twice(char **line)
{
    scale(line, 2, 2, 2);
}

static void noisy(char **line)
{
    scale(line, 0.8, 1.01, 1.25);
}

static void outside(char **line)
{
    scale(line, 1, 0.5, 1);
}

static void wrong(char **line)
{
    set_field(line, STATUS, "wrong");
}

static void passes(char **line)
{
    set_field(line, STATUS, "ok");
}

static void unavailable(char **line)
{
    set_field(line, STATUS, "unavailable");
}

static void gone(char **line)
{
    (*line)[0] = '\0';
}

static void misspelt(char **line)
{
    set_field(line, MESSAGE, "bsaeline");
}

static void more_work(char **line)
{
    set_field(line, VALUE, "12345");
}

#define MATVEC "matvec,r2048_c2048_f32,"

static const struct night nights[] = {
    {"a variant is slower by 3 %", "slow", NULL, NULL, NULL},
    {"a candidate is twice as slow", "clean", MATVEC "block_reduce,time_ratio,", twice, NULL},
    {"a vendor's is twice as slow", "clean", MATVEC "cublas,time_ratio,", twice, NULL},
    {"a baseline is twice as slow", "clean", MATVEC "vec16_rows,time,", twice, NULL},
    {"an interval is wide", "clean", MATVEC "block_reduce,time_ratio,", noisy, NULL},
    {"a value is not in its interval", "clean", MATVEC "block_reduce,time_ratio,", outside, NULL},
    {"a variant is wrong", "clean", MATVEC "block_reduce,status,", wrong, NULL},
    {"one that should fail passes", "clean", MATVEC "zeros,status,", passes, NULL},
    {"a library is not there", "clean", MATVEC "cublas,status,", unavailable, NULL},
    {"a ratio is gone", "clean", MATVEC "cublas,time_ratio,", gone, NULL},
    {"a status is gone", "clean", MATVEC "cublas,status,", gone, NULL},
    {"a role is misspelt", "clean", MATVEC "vec16_rows,role,", misspelt, NULL},
    {"a case has other work", "clean", MATVEC "block_reduce,work_flop_f32,", more_work, NULL},
    {"somebody else was on the GPU", "clean", NULL, NULL, "neighbours,another process\n"},
};

#define RUN_FILES 2
#define ALL_FILES 6
#define UNIT      "baselines/h200/2eb3df26fe7e2f59/smoke"
#define MODEL     "baselines/h200/smoke"

enum { UNIT_TABLE = 2, MODEL_TABLE = 4 }; /* each with its env behind it */

/* The files that may be changed, below the scratch home; the first two are the run's. */
static const char *const names[ALL_FILES] = {"run.csv", "env.csv", UNIT ".csv", UNIT ".env.csv", MODEL ".csv", MODEL ".env.csv"};

struct stage {
    char home[64];
    char path[ALL_FILES][160];
    struct lines file[ALL_FILES]; /* as they are before a change */
    char fault[160];              /* beginning of the row with the fault; "": none */
    uint64_t random;
};

static size_t draw(struct stage *stage, size_t below)
{
    return (size_t)(sg_random_unit(&stage->random) * (double)below);
}

static int compare(struct stage *stage)
{
    char command[] = "compare";
    char *argv[] = {command, stage->home, NULL};
    struct sg_err err = {0};
    const int exit_code = sg_cmd_compare(2, argv, &err);
    return err.code != SG_SUCCESS ? sg_exit_code(err.code) : exit_code;
}

static void make_folder(const struct stage *stage, const char *name)
{
    struct sg_text path = {0};
    struct sg_err err = {0};
    sg_text_addf(&path, "%s/%s", stage->home, name);
    assert_int_equal(sg_make_folders(path.data, &err), SG_SUCCESS);
    sg_text_release(&path);
}

static void link_tree(const struct stage *stage, const char *name)
{
    struct sg_text from = {0}, to = {0};
    char *tree = realpath("..", NULL);
    sg_text_addf(&from, "%s/%s", tree, name);
    sg_text_addf(&to, "%s/%s", stage->home, name);
    assert_int_equal(symlink(from.data, to.data), 0);
    sg_text_release(&from);
    sg_text_release(&to);
    free(tree);
}

/* One case is enough, and a third of the time: every night is read again for each change. */
static void keep_one_case(struct lines *lines)
{
    size_t kept = 0;
    for (size_t i = 0; i < lines->count; i++) {
        if (i == 0 || strncmp(lines->line[i], MATVEC, strlen(MATVEC)) == 0)
            lines->line[kept++] = lines->line[i];
        else
            free(lines->line[i]);
    }
    lines->count = kept;
}

static void seal_accepted(struct stage *stage, size_t table)
{
    struct sg_accepted_file baseline;
    struct sg_catalogue catalogue;
    struct sg_err err = {0};
    assert_int_equal(sg_catalogue_load(&catalogue, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_file_read(stage->path[table], &baseline, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_file_write(stage->path[table], &baseline, &catalogue, &err), SG_SUCCESS);
    sg_accepted_file_release(&baseline);
    sg_catalogue_release(&catalogue);
    for (size_t i = table; i < table + 2; i++) {
        lines_release(&stage->file[i]);
        lines_read(stage->path[i], &stage->file[i]);
    }
}

static void stage_begin(struct stage *stage)
{
    memset(stage, 0, sizeof(*stage));
    stage->random = 7;
    snprintf(stage->home, sizeof(stage->home), "/tmp/solgate_change.XXXXXX");
    assert_non_null(mkdtemp(stage->home));
    make_folder(stage, "baselines/h200/2eb3df26fe7e2f59");
    link_tree(stage, "metrics");
    for (size_t i = 0; i < ALL_FILES; i++)
        snprintf(stage->path[i], sizeof(stage->path[i]), "%s/%s", stage->home, names[i]);
    for (size_t i = RUN_FILES; i < ALL_FILES; i++) {
        char from[160];
        snprintf(from, sizeof(from), "../%s", names[i]);
        lines_read(from, &stage->file[i]);
        if (i == UNIT_TABLE || i == MODEL_TABLE)
            keep_one_case(&stage->file[i]);
        lines_write(stage->path[i], &stage->file[i]);
    }
    seal_accepted(stage, UNIT_TABLE);
    seal_accepted(stage, MODEL_TABLE);
    assert_int_equal(setenv("SOLGATE_HOME", stage->home, 1), 0);
}

static void stage_end(struct stage *stage)
{
    static const char *const folders[] = {"baselines/h200/2eb3df26fe7e2f59", "baselines/h200", "baselines", "."};
    char path[160];
    for (size_t i = 0; i < ALL_FILES; i++) {
        unlink(stage->path[i]);
        lines_release(&stage->file[i]);
    }
    snprintf(path, sizeof(path), "%s/metrics", stage->home);
    unlink(path);
    for (size_t i = 0; i + 1 < COUNT(folders); i++) {
        snprintf(path, sizeof(path), "%s/%s", stage->home, folders[i]);
        rmdir(path);
    }
    rmdir(stage->home);
    unsetenv("SOLGATE_HOME");
}

static void seal(struct stage *stage)
{
    struct sg_env env = {0};
    struct sg_err err = {0};
    assert_int_equal(sg_env_read(stage->path[1], &env, &err), SG_SUCCESS);
    assert_int_equal(sg_run_seal(stage->home, &env, &err), SG_SUCCESS);
    assert_int_equal(sg_env_write(stage->path[1], &env, &err), SG_SUCCESS);
    sg_env_release(&env);
}

static void drop_digests(struct lines *env)
{
    size_t kept = 0;
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->line[i], "digest", strlen("digest")) == 0)
            free(env->line[i]);
        else
            env->line[kept++] = env->line[i];
    }
    env->count = kept;
}

static void spoil_rows(struct stage *stage, const struct night *night)
{
    struct lines *rows = &stage->file[0];
    size_t found = 0;
    snprintf(stage->fault, sizeof(stage->fault), "%s", night->row ? night->row : "");
    for (size_t i = 0; i < rows->count && night->row; i++)
        if (strncmp(rows->line[i], night->row, strlen(night->row)) == 0) {
            night->spoil(&rows->line[i]);
            found++;
        }
    if (night->row)
        assert_int_equal(found, 1);
}

static void stage_night(struct stage *stage, const struct night *night, bool sealed)
{
    for (size_t i = 0; i < RUN_FILES; i++) {
        char from[160];
        snprintf(from, sizeof(from), "data/h200/%s/%s", night->recorded, names[i]);
        lines_release(&stage->file[i]);
        lines_read(from, &stage->file[i]);
    }
    keep_one_case(&stage->file[0]);
    spoil_rows(stage, night);
    drop_digests(&stage->file[1]);
    if (night->fact)
        stage->file[1].line[stage->file[1].count++] = sg_copy_string(night->fact);
    for (size_t i = 0; i < RUN_FILES; i++)
        lines_write(stage->path[i], &stage->file[i]);
    if (sealed)
        seal(stage);
    for (size_t i = 0; i < RUN_FILES; i++) {
        lines_release(&stage->file[i]);
        lines_read(stage->path[i], &stage->file[i]);
    }
}

/* ---- changes ---- */

static void draw_value(struct stage *stage, const struct lines *lines, size_t row, size_t column, char *value, size_t size)
{
    static const char *const words[] = {"",   "0",   "1",    "-1",    "nan",       "1e-9",      "1e9",      "4294967295", "ok",
                                        "no", "yes", "cold", "wrong", "regressed", "candidate", "baseline", "unsupported"};
    static const double factors[] = {0.5, 0.97, 1.03, 2};
    const size_t kind = draw(stage, 3);
    if (kind == 0) {
        snprintf(value, size, "%s", words[draw(stage, COUNT(words))]);
    } else if (kind == 1) {
        copy_field(lines->line[1 + draw(stage, lines->count - 1)], column, value, size);
    } else {
        copy_field(lines->line[row], column, value, size);
        char *end;
        const double number = strtod(value, &end);
        if (*value && !*end)
            snprintf(value, size, "%.9g", number * factors[draw(stage, COUNT(factors))]);
        else if (*value)
            value[draw(stage, strlen(value))] = "abz019_"[draw(stage, 7)];
    }
}

static bool is_fault(const struct stage *stage, const char *line)
{
    return stage->fault[0] && strncmp(line, stage->fault, strlen(stage->fault)) == 0;
}

/* A field of a row; what was done, in words. */
static void change_field(struct stage *stage, size_t file, struct lines *lines, char *what, size_t size)
{
    char value[256], before[256];
    const size_t row = 1 + draw(stage, lines->count - 1), column = draw(stage, count_fields(lines->line[row]));
    copy_field(lines->line[row], column, before, sizeof(before));
    draw_value(stage, lines, row, column, value, sizeof(value));
    snprintf(what, size, "%s:%zu column %zu: '%s' -> '%s'", names[file], row + 1, column, before, value);
    set_field(&lines->line[row], column, value);
}

static void change_row(struct stage *stage, size_t file, struct lines *lines, char *what, size_t size)
{
    const size_t row = 1 + draw(stage, lines->count - 1), other = 1 + draw(stage, lines->count - 1);
    const bool drops = draw(stage, 2) == 0;
    snprintf(what, size, "%s:%zu %s %zu", names[file], row + 1, drops ? "is dropped, not" : "becomes a copy of", other + 1);
    free(lines->line[row]);
    lines->line[row] = sg_copy_string(drops ? "" : lines->line[other == row ? 0 : other]);
}

/* *gone: the file is to be taken away. */
static void change_file(struct stage *stage, size_t file, struct lines *lines, bool *gone, char *what, size_t size)
{
    const size_t kind = draw(stage, 3), keep = kind == 0 ? 0 : kind == 1 ? 1 : draw(stage, lines->count);
    *gone = kind == 0;
    snprintf(what, size, "%s %s %zu lines", names[file], *gone ? "is gone, not" : "is cut after", keep);
    for (size_t i = keep; i < lines->count; i++)
        free(lines->line[i]);
    lines->count = keep;
}

static bool is_same(const struct lines *a, const struct lines *b)
{
    struct sg_text x = lines_join(a), y = lines_join(b);
    const bool same = strcmp(sg_text_string(&x), sg_text_string(&y)) == 0;
    sg_text_release(&x);
    sg_text_release(&y);
    return same;
}

/* Without a digest the row with the fault may be fixed by hand, which is a better
 * number; everything else must not help. */
static bool may_mend(const struct stage *stage, const struct lines *changed)
{
    for (size_t i = 0; i < stage->file[0].count && i < changed->count; i++)
        if (is_fault(stage, stage->file[0].line[i]) && strcmp(stage->file[0].line[i], changed->line[i]) != 0)
            return true;
    return false;
}

static void try_change(struct stage *stage, const struct night *night, bool sealed)
{
    const size_t file = draw(stage, sealed ? ALL_FILES : 1), kind = draw(stage, 10);
    const struct lines *before = &stage->file[file];
    struct lines *after = sg_alloc(1, sizeof(*after));
    char what[640] = "";
    bool gone = false;
    for (after->count = 0; after->count < before->count; after->count++)
        after->line[after->count] = sg_copy_string(before->line[after->count]);
    if (kind < 7)
        change_field(stage, file, after, what, sizeof(what));
    else if (kind < 9)
        change_row(stage, file, after, what, sizeof(what));
    else
        change_file(stage, file, after, &gone, what, sizeof(what));
    if (!is_same(before, after) && (sealed || !may_mend(stage, after))) {
        lines_write(stage->path[file], after);
        if (gone)
            unlink(stage->path[file]);
        if (compare(stage) == 0)
            fail_msg("%s (%s): green after %s", night->sentence, sealed ? "with a digest" : "without a digest", what);
        lines_write(stage->path[file], before);
    }
    lines_release(after);
    free(after);
}

static void try_changes(bool sealed)
{
    struct stage *stage = sg_alloc(1, sizeof(*stage));
    const char *asked = getenv("SINGLE_CHANGES");
    const size_t each = (asked ? strtoul(asked, NULL, 10) : CHANGES / SLOWER) / COUNT(nights) / 2;
    /* What compare prints is not looked at. */
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    stage_begin(stage);
    for (size_t i = 0; i < COUNT(nights); i++) {
        stage_night(stage, &nights[i], sealed);
        /* Without a fault in a row there is nothing that the rows alone could show. */
        if (!sealed && !nights[i].row)
            continue;
        if (compare(stage) == 0)
            fail_msg("%s: green before any change", nights[i].sentence);
        for (size_t k = 0; k < each; k++)
            try_change(stage, &nights[i], sealed);
    }
    stage_end(stage);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    free(stage);
}

static void no_change_of_a_sealed_night_makes_it_green(void **state)
{
    (void)state;
    try_changes(true);
}

static void no_change_of_another_row_hides_a_fault(void **state)
{
    (void)state;
    try_changes(false);
}

/* The nights are what they are for: without their fault the recorded run is green. */
static void the_recorded_night_is_green(void **state)
{
    (void)state;
    static const struct night clean = {"clean", "clean", NULL, NULL, NULL};
    struct stage *stage = sg_alloc(1, sizeof(*stage));
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    stage_begin(stage);
    int exit_code[2];
    for (int sealed = 0; sealed < 2; sealed++) {
        stage_night(stage, &clean, sealed);
        exit_code[sealed] = compare(stage);
    }
    stage_end(stage);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    free(stage);
    assert_int_equal(exit_code[0], 0);
    assert_int_equal(exit_code[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recorded_night_is_green),
        cmocka_unit_test(no_change_of_a_sealed_night_makes_it_green),
        cmocka_unit_test(no_change_of_another_row_hides_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
