/* history/history.h: a night to its file and back, and files that are none. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "history/history.h"

#define HEADER_1 "record,name,text,ratio,ratio_se,time,time_se,sm_clock,beta,counters"
#define HEADER \
    HEADER_1 ",build_ratio,build_ratio_se,build,code,sd,processes,inner_sd,fast_sd,unit\n"
#define SCHEMA "fact,schema,4,,,,,,,,,,,,,,,,\n"

static void make_night(struct sg_history *history)
{
    struct sg_env *facts = &sg_history_begin_night(history)->facts;
    struct sg_intern_pool **pool = &history->pool;
    struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
    sg_env_set(facts, SG_NIGHT_DATE, "2026-11-20T23:40:34Z");
    sg_env_set(facts, "gpu", "h200");
    sg_env_set(facts, "suite", "smoke");
    sg_env_set(facts, "gpu_uuid_hash", "2eb3df26fe7e2f59");
    sg_env_set(facts, SG_NIGHT_RUN, "0123456789abcdef");
    sg_env_set(facts, "driver", "580, \"new\"");
    sg_history_add_gpu(history, &(struct sg_unit){.name = "gpu7",
                                                  .host = "node, 1",
                                                  .processes = 10,
                                                  .chain_cycles = 101770.5,
                                                  .copy_ns = NAN});
    row.name = sg_intern(pool, "matvec/r64/zeros");
    row.status = sg_intern(pool, "wrong");
    sg_history_add_row(history, &row);
    row = (struct sg_night_row){
        .name = sg_intern(pool, "matvec/r64/wide"),
        .status = sg_intern(pool, "ok"),
        .counters = sg_intern(pool, "grid=132 registers=40"),
        .build = sg_intern(pool, "00112233445566ff"),
        .code = sg_intern(pool, "ffeeddccbbaa9988"),
        .unit = sg_intern(pool, "gpu7"),
        .build_ratio = 1.0625,
        .build_ratio_se = 0.0005,
        .ratio = 1.25,
        .ratio_se = 0.001,
        .time = 5798.25,
        .time_se = 0.002,
        .sm_clock = 1.98e9,
        .beta = 0.97,
        .spread = {.sd = 0.0015, .processes = 10, .inner_sd = 0.00125, .fast_sd = 0.001}};
    sg_history_add_row(history, &row);
}

static struct sg_text format_night(void)
{
    struct sg_history history = {0};
    struct sg_text text = {0};
    make_night(&history);
    sg_night_format(&history, &text);
    return text;
}

/* What is read is written as it was: every column comes back. */
TEST(night_comes_back)
{
    struct sg_err err = {0};
    struct sg_history history = {0};
    struct sg_text text = format_night(), again = {0}, path = {0};
    SCRATCH(s);
    scratch_write(&s, "night.csv", text.data, text.length);
    if (sg_night_read(s.path, &history, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(history.rows.count, 2);
    assert_true(history.nights[0].to == 2);
    sg_night_format(&history, &again);
    assert_string_equal(again.data, text.data);
    sg_night_add_group(&history.nights[0], &path);
    sg_text_add(&path, "/");
    sg_night_add_file(&history.nights[0], &path);
    assert_string_equal(path.data, "h200/smoke/20261120T234034Z-2eb3df26-0123456789abcdef.csv");
    sg_text_release(&again);
    sg_text_release(&path);
    sg_text_release(&text);
}

static void read_fails(const char *proves, const char *bytes, size_t count, enum sg_code code,
                       const char *word)
{
    struct sg_err err = {0};
    struct sg_history history = {0};
    SCRATCH(s);
    scratch_write(&s, "night.csv", bytes, count);
    sg_night_read(s.path, &history, &err);
    if (err.code != code || !strstr(err.message, word))
        fail_msg("%s: code %d, %s: %s", proves, (int)err.code, err.where, err.message);
}

TEST(what_is_no_night)
{
    static const struct {
        const char *proves, *bytes, *word;
        enum sg_code code;
    } rows[] = {
        {"another header", "key,value\n", "the column 'record' is missing", SG_BAD_INPUT},
        {"no schema", HEADER "fact,date,2026-11-20,,,,,,,,,,,,,,,,\n",
         "expected schema first, found 'date'", SG_BAD_INPUT},
        {"a later schema", HEADER "fact,schema,9,,,,,,,,,,,,,,,,\n", "expected schema 4, found '9'",
         SG_NOT_COMPARABLE},
        {"a key twice", HEADER SCHEMA "fact,gpu,a,,,,,,,,,,,,,,,,\nfact,gpu,b,,,,,,,,,,,,,,,,\n",
         "expected each key once", SG_BAD_INPUT},
        {"no day", HEADER SCHEMA "fact,date,2026-13-20,,,,,,,,,,,,,,,,\n", "date: expected a date",
         SG_BAD_INPUT},
        {"a record of no kind", HEADER SCHEMA "note,a,b,,,,,,,,,,,,,,,,\n",
         "record: expected fact, gpu or item, found 'note'", SG_BAD_INPUT},
        {"a gpu of no columns", HEADER SCHEMA "gpu,gpu7,node,,,,,,,,,,,,,,,,\n",
         "gpu: expected a name and the columns of units.csv", SG_BAD_INPUT},
        {"no name", HEADER SCHEMA "item,A/b,ok,,,,,,,,,,,,,,,,\n",
         "name: expected FAMILY/CASE/VARIANT", SG_BAD_INPUT},
        {"no status", HEADER SCHEMA "item,a/b/c,fine,,,,,,,,,,,,,,,,\n",
         "text: expected a status such as ok, found 'fine'", SG_BAD_INPUT},
        {"no number", HEADER SCHEMA "item,a/b/c,ok,one,,,,,,,,,,,,,,,\n", "ratio: expected",
         SG_BAD_INPUT},
        {"a negative ratio", HEADER SCHEMA "item,a/b/c,ok,-1,,,,,,,,,,,,,,,\n",
         "ratio: expected a number from 1e-09", SG_BAD_INPUT},
        {"beta over 1", HEADER SCHEMA "item,a/b/c,ok,,,,,,2,,,,,,,,,,\n",
         "beta: expected a number from 0 to 1, found '2'", SG_BAD_INPUT},
        {"a ratio against no build", HEADER SCHEMA "item,a/b/c,ok,,,,,,,,1.01,,,,,,,,\n",
         "build: expected the accepted build", SG_BAD_INPUT},
        {"a build of no digest", HEADER SCHEMA "item,a/b/c,ok,,,,,,,,1.01,,main,,,,,,\n",
         "build: expected 16 digits", SG_BAD_INPUT},
        {"a code of no digest", HEADER SCHEMA "item,a/b/c,ok,,,,,,,,,,,main,,,,,\n",
         "code: expected 16 digits", SG_BAD_INPUT},
        {"schema 1 with the columns of 2", HEADER "fact,schema,1,,,,,,,,,,,,,,,,\n",
         "expected schema 4, found '1'", SG_NOT_COMPARABLE},
        {"schema 2 with the columns of 1", HEADER_1 "\nfact,schema,2,,,,,,,\n",
         "expected schema 1, found '2'", SG_NOT_COMPARABLE},
        {"cut short", HEADER SCHEMA "item,a/b/c,ok,1,,,,,,,,,,,,,,,\n",
         "its last line, the digest, is missing", SG_NOT_COMPARABLE},
        {"another digest", HEADER SCHEMA "fact,digest,0123456789abcdef,,,,,,,,,,,,,,,,\n",
         "the file was changed after it was added", SG_NOT_COMPARABLE},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        read_fails(rows[i].proves, rows[i].bytes, strlen(rows[i].bytes), rows[i].code,
                   rows[i].word);
}

/* Each byte of the rows counts, and each line that is cut off. */
TEST(changed_night_is_refused)
{
    struct sg_text text = format_night();
    for (size_t cut = strlen(HEADER SCHEMA) + 1; cut < text.length; cut += 5)
        if (text.data[cut - 1] == '\n')
            read_fails("cut at a line's end", text.data, cut, SG_NOT_COMPARABLE, "cut short");
    char *at = strstr(text.data, "1.25");
    at[3] = '6';
    read_fails("a digit", text.data, text.length, SG_NOT_COMPARABLE, "the file was changed");
    at[3] = '5';
    sg_text_add(&text, "item,a/b/c,ok,,,,,,,,,,,,,,,,\n");
    read_fails("a row behind", text.data, text.length, SG_BAD_INPUT,
               "expected the end of the file");
    sg_text_release(&text);
}

/* As it was written before nights had builds: byte for byte, with its own digest. */
TEST(night_of_schema_1_is_read)
{
    static const char night_1[] =
        HEADER_1 "\n"
                 "fact,schema,1,,,,,,,\n"
                 "fact,date,2026-11-20T23:40:34Z,,,,,,,\n"
                 "fact,gpu,h200,,,,,,,\n"
                 "fact,suite,smoke,,,,,,,\n"
                 "fact,run,0123456789abcdef,,,,,,,\n"
                 "item,a/b/c,ok,1.25,0.001,5798.25,0.002,1.98e+09,0.97,grid=132\n"
                 "fact,digest,bb86801ce6aefb41,,,,,,,\n";
    struct sg_err err = {0};
    struct sg_history history = {0};
    SCRATCH(s);
    scratch_write(&s, "night.csv", night_1, sizeof(night_1) - 1);
    if (sg_night_read(s.path, &history, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(history.rows.count, 1);
    const struct sg_night_row *row = &history.rows.items[0];
    assert_true(row->ratio == 1.25 && isnan(row->build_ratio) && row->build == 0 && row->code == 0);
}

TEST(names_and_dates)
{
    assert_true(sg_night_is_name("a/b/c") && sg_night_is_name("a_1"));
    assert_false(sg_night_is_name("") || sg_night_is_name("a//c") || sg_night_is_name("a/b/c/d") ||
                 sg_night_is_name("../x"));
    assert_true(sg_night_is_date("2026-02-28") && sg_night_is_date("2026-11-20T23:40:34Z"));
    assert_false(sg_night_is_date("2026-02-30") || sg_night_is_date("2026-11-20T23:40") ||
                 sg_night_is_date(""));
}
