/* results/accepted_lines.h: which rows have a line of their own, which share one, which
 * have none; and lists that are none. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/accepted_file.h"
#include "results/accepted_lines.h"

#define HEADER SG_BASELINE_HEADER "\n"
#define ENV    "key,value\nschema,2\ngpu,h200\n"

/* One of each class and source. */
static struct sg_metric metrics[] = {
    {.name = "ipc", .klass = SG_NOISY, .source = &sg_source_cupti, .floor_ratio = 0.01},
    {.name = "registers", .klass = SG_EXACT, .source = &sg_source_launch},
    {.name = "sectors", .klass = SG_EXACT, .source = &sg_source_cupti},
};
static struct sg_metric *by_name[] = {&metrics[0], &metrics[1], &metrics[2]};
static const struct sg_catalogue catalogue = {.metrics = metrics, .count = COUNT(metrics), .by_name = by_name};

/* What is written of a table. */
static struct sg_text rewritten(struct scratch *s, const char *rows, struct sg_err *err)
{
    struct sg_accepted_file numbers;
    scratch_write(s, "x.env.csv", BYTES(ENV));
    if (sg_accepted_file_read(scratch_write(s, "x.csv", rows, strlen(rows)), &numbers, err) == SG_SUCCESS)
        sg_accepted_file_write(scratch_path(s, "x.csv"), &numbers, &catalogue, err);
    sg_accepted_file_release(&numbers);
    return scratch_read(s, "x.csv");
}

TEST(a_row_has_the_line_that_its_use_asks_for)
{
    static const struct {
        const char *sentence, *row, *line;
    } rows[] = {
        {"what decides stands by itself", "f,c,v,time_ratio,1,2,1,3,5,ok,against b,0.01,yes,,,,,,,0.1,0.2\n", NULL},
        {"so does an outcome", "f,c,v,status,,,,,,wrong,off by 3,,yes,,,,,wrong,known,,\n", NULL},
        {"and what a case is", "f,c,v,shape,,,,,,ok,rows=2,,no,,,,,,,,\n", NULL},
        {"and a counter that gates", "f,c,v,registers,register,40,,,1,ok,,,yes,,,,,,,,\n", NULL},
        {"and one with a reason", "f,c,v,registers,register,40,,,1,ok,,,no,,,,,,why,,\n", NULL},
        {"and one with half a range", "f,c,v,registers,register,40,39,,1,ok,,,no,,,,,,,,\n", NULL},
        {"what nobody reads has no line", "f,c,v,sm_clock,Hz,1.9e9,,,5,ok,,,no,,,,,,,,\n", ""},
        {"what a variant says of a case is a fact", "f,c,v,work_read_bytes,B,4096,,,,ok,,,no,,,,0,,,,\n",
         "f,c,v,[facts],,work_read_bytes[B]=4096,,,,ok,,,no,,,,,,,,\n"},
        {"what is known of a launch", "f,c,v,registers,register,40,,,1,ok,,,no,,,,0,,,,\n",
         "f,c,v,[launch],,registers[register]=40,,,1,ok,,,no,,,,,,,,\n"},
        {"an exact counter keeps its digits", "f,c,v,sectors,sector,123456789,,,1,ok,,,no,,,,0,,,,\n",
         "f,c,v,[exact],,sectors[sector]=123456789,,,1,ok,,,no,,,,,,,,\n"},
        {"one of no catalogue counts as exact", "f,c,v,novel,1,123456789,,,1,ok,,,no,,,,0,,,,\n",
         "f,c,v,[exact],,novel[1]=123456789,,,1,ok,,,no,,,,,,,,\n"},
        {"a noisy one keeps what its floor can tell", "f,c,v,ipc,inst/cycle,1.23456789,,,1,ok,,,no,,,,0.012345,,,,\n",
         "f,c,v,[noisy],,ipc[inst/cycle]=1.23457~0.0123,,,1,ok,,,no,,,,,,,,\n"},
        {"and the range of its counts", "f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,each: 1.25 1.5 2,,no,,,,,,,,\n",
         "f,c,v,[noisy],,ipc[inst/cycle]=1.5(1.25..2),,,5,ok,,,no,,,,,,,,\n"},
        {"why there is no number is told", "f,c,v,ipc,inst/cycle,,,,1,unavailable,no permission,,no,,,,,,,,\n",
         "f,c,v,[noisy],,ipc[inst/cycle],,,1,unavailable,no permission,,no,,,,,,,,\n"},
        {"not a number is a value", "f,c,v,ipc,inst/cycle,nan,,,1,nan,zero over zero,,no,,,,,,,,\n",
         "f,c,v,[noisy],,ipc[inst/cycle]=nan,,,1,nan,zero over zero,,no,,,,,,,,\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scratch s;
        struct sg_err err = {0};
        struct sg_text before = {0}, wanted = {0};
        scratch_init(&s);
        sg_text_addf(&before, "%s%s", HEADER, rows[i].row);
        sg_text_addf(&wanted, "%s%s", HEADER, rows[i].line ? rows[i].line : rows[i].row);
        struct sg_text once = rewritten(&s, before.data, &err), again = rewritten(&s, once.data, &err);
        assert_error(rows[i].sentence, &err, SG_SUCCESS, "", "");
        if (strcmp(once.data, wanted.data) != 0 || strcmp(again.data, wanted.data) != 0)
            fail_msg("%s: %s", rows[i].sentence, once.data);
        sg_text_release(&before);
        sg_text_release(&wanted);
        sg_text_release(&once);
        sg_text_release(&again);
        scratch_release(&s);
    }
}

TEST(counters_of_one_item_and_outcome_share_a_line)
{
    struct scratch s;
    struct sg_err err = {0};
    scratch_init(&s);
    struct sg_text written = rewritten(&s,
                                       HEADER "f,c,v,another,1,2,,,1,ok,,,no,,,,,,,,\n"
                                              "f,c,v,novel,1,,,,1,unavailable,absent,,no,,,,,,,,\n"
                                              "f,c,v,sectors,sector,3,,,1,ok,,,no,,,,,,,,\n"
                                              "f,c,v,status,,,,,,ok,,,yes,,,,,,,,\n"
                                              "f,c,w,sectors,sector,4,,,1,ok,,,no,,,,,,,,\n",
                                       &err);
    assert_error("rows of two items", &err, SG_SUCCESS, "", "");
    assert_string_equal(written.data, HEADER "f,c,v,status,,,,,,ok,,,yes,,,,,,,,\n"
                                             "f,c,v,[exact],,another[1]=2 sectors[sector]=3,,,1,ok,,,no,,,,,,,,\n"
                                             "f,c,v,[exact],,novel[1],,,1,unavailable,absent,,no,,,,,,,,\n"
                                             "f,c,w,[exact],,sectors[sector]=4,,,1,ok,,,no,,,,,,,,\n");
    sg_text_release(&written);
    scratch_release(&s);
}

TEST(a_list_that_is_none_is_refused)
{
    static const struct {
        const char *sentence, *line, *place, *words;
    } rows[] = {
        {"an unknown list", "f,c,v,[other],,ipc[1]=1,,,1,ok,,,no,,,,,,,,\n", ":2", "metric: expected a name"},
        {"an empty list", "f,c,v,[noisy],,,,,1,ok,,,no,,,,,,,,\n", ":2", "value: expected counters such as"},
        {"a counter without a unit", "f,c,v,[noisy],,ipc=1,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc=1'"},
        {"a unit that does not end", "f,c,v,[noisy],,ipc[1=1,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc[1=1'"},
        {"an unknown unit", "f,c,v,[noisy],,ipc[furlong]=1,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'furlong'"},
        {"no value", "f,c,v,[noisy],,ipc[1]=,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc[1]='"},
        {"a range of no value", "f,c,v,[noisy],,ipc[1]=(1..2),,,1,ok,,,no,,,,,,,,\n", ":2", "with a blank between them, found"},
        {"a spread of no value", "f,c,v,[noisy],,ipc[1]=~0.1,,,1,ok,,,no,,,,,,,,\n", ":2", "with a blank between them, found"},
        {"a value that is no number", "f,c,v,[noisy],,ipc[1]=x,,,1,ok,,,no,,,,,,,,\n", ":2", "value: expected a number, found 'x'"},
        {"a spread that is none", "f,c,v,[noisy],,ipc[1]=1~,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc[1]=1~'"},
        {"a spread below 0", "f,c,v,[noisy],,ipc[1]=1~-1,,,1,ok,,,no,,,,,,,,\n", ":2", "sd_day: expected"},
        {"half a range", "f,c,v,[noisy],,ipc[1]=1(0..),,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc[1]=1(0..)'"},
        {"a range that does not end", "f,c,v,[noisy],,ipc[1]=1(0..2,,,1,ok,,,no,,,,,,,,\n", ":2", "found 'ipc[1]=1(0..2'"},
        {"a range upside down", "f,c,v,[noisy],,ipc[1]=1(2..0),,,1,ok,,,no,,,,,,,,\n", ":2", "high: expected nothing below low"},
        {"two blanks", "f,c,v,[noisy],,ipc[1]=1  x[1]=1,,,1,ok,,,no,,,,,,,,\n", ":2", "with a blank between them"},
        {"a name that is none", "f,c,v,[noisy],,I[1]=1,,,1,ok,,,no,,,,,,,,\n", ":2", "metric: expected a name of [a-z0-9_]"},
        {"a list that gates", "f,c,v,[noisy],,ipc[1]=1,,,1,ok,,,yes,,,,,,,,\n", ":2", "a counter that gates needs a line of its own"},
        {"a list with a tolerance", "f,c,v,[noisy],,ipc[1]=1,,,1,ok,,0.1,no,,,,,,,,\n", ":2", "tolerance: expected nothing"},
        {"a counter twice in a list", "f,c,v,[noisy],,ipc[1]=1 ipc[1]=1,,,1,ok,,,no,,,,,,,,\n", ":2", "found two of f/c/v ipc"},
        {"in a list and by itself", "f,c,v,[noisy],,a[1]=1 ipc[1]=1,,,1,ok,,,no,,,,,,,,\nf,c,v,ipc,1,1,,,1,ok,,,yes,,,,,,,,\n", ":3",
         "found f/c/v ipc again; it is on line 2 too"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scratch s;
        struct sg_err err = {0};
        struct sg_text text = {0};
        scratch_init(&s);
        sg_text_addf(&text, "%s%s", HEADER, rows[i].line);
        struct sg_text left = rewritten(&s, text.data, &err);
        assert_error(rows[i].sentence, &err, SG_BAD_INPUT, rows[i].place, rows[i].words);
        sg_text_release(&left);
        sg_text_release(&text);
        scratch_release(&s);
    }
}
