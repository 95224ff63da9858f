/* process/dialogue.h: what a worker may say, in which order, and how often. */
#include "check.h"
#include "scratch.h"

#include "process/dialogue.h"

#define HELLO(pass) "hello\t2\t" pass "\nenv\tcode.null\t0123456789abcdef\n"
#define ITEM        "null\ttiny\tslower"
#define BEGIN       "begin\t" ITEM "\n"
#define OK          "status\t" ITEM "\tok\t\n"
#define VALUE(m)    "value\t" ITEM "\t" m "\t1\t2\t\t\t1\tok\t\n"
#define BATCH(b, p) "sample\t" ITEM "\t3\t" #b "\t" #p "\tok\t10\t0\t0\n"
#define START       "events\tstart\tnone\n"
#define END         "events\tend\tnone\n"

struct row {
    const char *proves, *pass, *lines;
    const char *words; /* of the complaint about the last line; NULL: all are taken */
};

static const struct row rows[] = {
    {"a verification", "verify", HELLO("verify") BEGIN OK VALUE("work_read_bytes") VALUE("kernels") "bye\n", NULL},
    {"one that failed", "verify", HELLO("verify") BEGIN "status\t" ITEM "\twrong\ty[0]\nbye\n", NULL},
    {"a time pass of two items", "time",
     HELLO("time") START "figure\tstart\tothers\t0\n" BEGIN BATCH(0, 0) BATCH(0, 1) BATCH(0, 2) BATCH(0, 3)
         BATCH(1, 0) "begin\tnull\ttiny\tok\n"
                     "status\tnull\ttiny\tok\toom\tno room\n" END "figure\tend\tothers\t0\nbye\n",
     NULL},
    {"a count pass", "count", HELLO("count") "at\t" ITEM "\nat\t" ITEM "\n" BEGIN VALUE("registers") VALUE("count_passes") "bye\n", NULL},
    {"a list", "list", "hello\t2\tlist\nfamily\tnull\thost\trows\t\t\ncase\tnull\ttiny\tf32\trows=1\t\nbye\n", NULL},
    {"a command line that is not understood", "time", "fail\t1\tunknown option\n", NULL},
    {"notes at any time", "verify", HELLO("verify") "note\ta\n" BEGIN "note\tb\nnote\tb\n", NULL},

    {"something before hello", "verify", "env\tdriver\t1\n", "expected hello before anything else"},
    {"hello again", "verify", HELLO("verify") "hello\t2\tverify\n", "hello again"},
    {"another version of the protocol", "verify", "hello\t1\tverify\n", "expected version 2 of the protocol, found '1'"},
    {"another pass", "verify", "hello\t2\ttime\n", "expected pass verify, found 'time'"},
    {"something behind bye", "verify", HELLO("verify") "bye\nnote\tx\n", "a message behind its bye"},
    {"a message of another pass", "verify", HELLO("verify") BEGIN BATCH(0, 0), "none of pass verify"},
    {"a key again", "time", HELLO("time") "env\tdriver\t1\nenv\tdriver\t1\n", "each key once, found 'driver' again"},
    {"a fact of the machine behind an item", "verify", HELLO("verify") BEGIN "env\tdriver\t1\n", "before the first item"},
    {"an item of code that nobody told", "verify", "hello\t2\tverify\n" BEGIN, "which code was loaded"},
    {"two items in one verification", "verify", HELLO("verify") BEGIN "begin\tnull\ttiny\tok\n", "expected one item"},
    {"a row of no item", "verify", HELLO("verify") OK, "no item that has begun"},
    {"a row of another item", "verify", HELLO("verify") BEGIN "status\tnull\ttiny\tok\tok\t\n",
     "expected a row of null/tiny/slower, found one of 'null/tiny/ok'"},
    {"two statuses", "verify", HELLO("verify") BEGIN OK OK, "found it behind another"},
    {"a value before the status", "verify", HELLO("verify") BEGIN VALUE("kernels"), "a row before the status"},
    {"a metric twice", "verify", HELLO("verify") BEGIN OK VALUE("kernels") VALUE("kernels"), "each metric once, found 'kernels' again"},
    {"a status behind batches", "time", HELLO("time") START BEGIN BATCH(0, 0) "status\t" ITEM "\toom\t\n", "found it behind rows"},
    {"batches of one that failed", "time", HELLO("time") START BEGIN "status\t" ITEM "\toom\t\n" BATCH(0, 0), "an item that failed"},
    {"a batch twice", "time", HELLO("time") START BEGIN BATCH(0, 0) BATCH(0, 0), "position: expected 1, found '0'"},
    {"a batch too early", "time", HELLO("time") START BEGIN BATCH(0, 0) BATCH(0, 2), "position: expected 1, found '2'"},
    {"a block too early", "time", HELLO("time") START BEGIN BATCH(1, 0), "block: expected 0, found '1'"},
    {"a block that is none", "time", HELLO("time") START BEGIN BATCH(-1, 0), "block: expected 0, found '-1'"},
    {"a batch of another process", "time", HELLO("time") START BEGIN "sample\t" ITEM "\t4\t0\t0\tok\t10\t0\t0\n",
     "process: expected 3, found '4'"},
    {"an item before the start was looked at", "time", HELLO("time") BEGIN, "between the events of start and end"},
    {"an item behind the end", "time", HELLO("time") START END BEGIN, "between the events of start and end"},
    {"the end before the start", "time", HELLO("time") END, "those of start and then of end"},
    {"the start twice", "time", HELLO("time") START START, "each once, found 'start'"},
    {"a figure before its moment", "time", HELLO("time") "figure\tstart\tothers\t0\n", "behind the events of its moment"},
    {"a figure of the other moment", "time", HELLO("time") START "figure\tend\tothers\t0\n", "behind the events of its moment"},
    {"a figure twice", "time", HELLO("time") START "figure\tstart\tmig\t0\nfigure\tstart\tmig\t0\n", "expected each once"},
    {"a figure that is none", "time", HELLO("time") START "figure\tstart\tmood\t0\n", "found 'mood' of 'start'"},
    {"a counter behind the last row", "count", HELLO("count") BEGIN VALUE("count_passes") VALUE("registers"),
     "nothing behind count_passes"},
};

static enum sg_code say_all(const struct row *row, struct sg_dialogue *dialogue, size_t *taken, struct sg_err *err)
{
    char *lines = sg_copy_string(row->lines), *rest = lines;
    *taken = 0;
    for (char *line; err->code == SG_SUCCESS && (line = strtok_r(rest, "\n", &rest));) {
        struct sg_message message;
        if (sg_message_parse(line, &message, err) == SG_SUCCESS && sg_dialogue_take(dialogue, &message, err) == SG_SUCCESS)
            ++*taken;
    }
    free(lines);
    return err->code;
}

static size_t count_lines(const char *lines)
{
    size_t count = 0;
    for (; *lines; lines++)
        count += *lines == '\n';
    return count;
}

TEST(each_order_is_taken_or_refused_at_its_last_line)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct sg_dialogue dialogue = {.pass = row->pass, .process = 3};
        struct sg_err err = {0};
        size_t taken = 0;
        say_all(row, &dialogue, &taken, &err);
        if (row->words)
            assert_error(row->proves, &err, SG_INVALID, "", row->words);
        else if (err.code != SG_SUCCESS)
            fail_msg("%s: refused: %s", row->proves, err.message);
        assert_int_equal(taken, count_lines(row->lines) - (row->words != NULL));
        sg_dialogue_release(&dialogue);
    }
}

/* What may be repeated is bounded all the same. */
TEST(launches_and_blocks_come_to_an_end)
{
    struct sg_err err = {0};
    struct sg_dialogue dialogue = {.pass = "count", .greeted = true, .has_code = true, .launches = SG_LAUNCHES_REPORTED_MAX - 1};
    char at[] = "at\t" ITEM, again[] = "at\t" ITEM;
    struct sg_message message;
    assert_int_equal(sg_message_parse(at, &message, &err), SG_SUCCESS);
    assert_int_equal(sg_dialogue_take(&dialogue, &message, &err), SG_SUCCESS);
    assert_int_equal(sg_message_parse(again, &message, &err), SG_SUCCESS);
    assert_int_equal(sg_dialogue_take(&dialogue, &message, &err), SG_INVALID);
    sg_dialogue_release(&dialogue);
}
