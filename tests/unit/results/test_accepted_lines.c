/* results/accepted_file.h: a row comes back as it was, and lines that are refused. */
#include "check.h"
#include "scratch.h"

#include "results/accepted_file.h"

#define COLUMNS                                                                                \
    "gpu,family,case,variant,metric,unit,value,low,high,n,status,message,tolerance,gate,beta," \
    "f0,sd_process,sd_day,expect,reason,origin,se,sd\n"
#define ITEMS "h200,,,,accepted_items,,,,,,,1,,,,,,,,,,,\n"
#define ENV   "h200,,,,schema,,,,,,," SG_SCHEMA_ACCEPTED ",,,,,,,,,,,\n"

/* The numbers with these lines behind the header and the facts. */
static enum sg_code read_lines(struct scratch *s, const char *lines,
                               struct sg_accepted_suite *suite, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    sg_text_addf(&text, "%s%s%s", COLUMNS, ENV, lines);
    sg_accepted_suite_read(scratch_write(s, "x.csv", text.data, text.length), suite, err);
    return err->code;
}

/* The file that is written of the numbers. */
static struct sg_text written(struct scratch *s, struct sg_accepted_suite *suite)
{
    struct sg_err err = {0};
    assert_int_equal(sg_accepted_suite_write(scratch_path(s, "y.csv"), suite, &err), SG_SUCCESS);
    return scratch_read(s, "y.csv");
}

TEST(each_row_comes_back_as_it_was)
{
    static const struct {
        const char *sentence, *line;
    } rows[] = {
        {"a ratio", "h200,f,c,v,time_ratio,1,2,1,3,5,ok,b,0.01,yes,,,,,regressed,\"reverted, see "
                    "log\",2:a+b,0.1,0.2\n"},
        {"a time", "h200,f,c,v,time,ns,1000,990,1010,5,ok,,0.005,yes,0.9,1.98e+09,0.001,0.002,,,2:"
                   "a+b,0.003,\n"},
        {"an outcome", "h200,f,c,v,status,,,,,,wrong,off by 3,,yes,,,,,wrong,known,,,\n"},
        {"what a case is", "h200,f,c,v,shape,,,,,,ok,rows=2,,no,,,,,,,,,\n"},
        {"a waiver", "h200,f,c,v,waiver,,,,,,ok,2026-12-31,,no,,,,,,noisy,,,\n"},
        {"a term in words", "h200,f,c,v,term_checked,,,,,,ok,all,,no,,,,,,,,,\n"},
        {"a term with a number", "h200,f,c,v,term_rtol,1,0.01,,,,ok,,,no,,,,,,,,,\n"},
        {"a fact of the case", "h200,f,c,v,work_read_bytes,B,4096,,,,ok,,,no,,,,,,,,,\n"},
        {"an exact counter", "h200,f,c,v,sectors,sector,123456789,,,1,ok,,,no,,,,,,,,,\n"},
        {"a noisy counter", "h200,f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,,,no,,,,0.0123,,,,,\n"},
        {"a counter that gates",
         "h200,f,c,v,registers,register,40,,,1,ok,,,yes,,,,,,more would spill,,,\n"},
        {"one without a number",
         "h200,f,c,v,ipc,inst/cycle,,,,1,unavailable,no permission,,no,,,,,,,,,\n"},
        {"not a number", "h200,f,c,v,ipc,inst/cycle,nan,,,1,nan,zero over zero,,no,,,,,,,,,\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_accepted_suite suite;
        SCRATCH(s);
        read_lines(&s, rows[i].line, &suite, &err);
        assert_error(rows[i].sentence, &err, SG_SUCCESS, "", "");
        assert_int_equal(suite.items[0].table.count, 1);
        struct sg_text text = written(&s, &suite);
        strstr(text.data, "\n,,,,digest,")[1] = '\0';
        assert_string_equal(text.data + strlen(COLUMNS ENV) + strlen(ITEMS), rows[i].line);
        sg_text_release(&text);
    }
}

TEST(how_one_run_counted_is_left_out)
{
    struct sg_err err = {0};
    struct sg_accepted_suite suite;
    SCRATCH(s);
    read_lines(&s,
               "h200,f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,each: 1.25 1.5 2,,no,,,,0.012345,,,,,\n",
               &suite, &err);
    struct sg_text text = written(&s, &suite);
    assert_non_null(
        strstr(text.data, "\nh200,f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,,,no,,,,0.0123,,,,,\n"));
    sg_text_release(&text);
}

TEST(refused)
{
    static const struct {
        const char *sentence, *lines, *place, *words;
    } rows[] = {
        {"a gate that is neither", "h200,f,c,v,m,1,1,,,,ok,,,maybe,,,,,,,,,\n", "x.csv:3",
         "gate: expected yes or no"},
        {"a fact that gates", "h200,f,c,v,role,,,,,,ok,candidate,,yes,,,,,,,,,\n", "x.csv:3",
         "gate: expected no"},
        {"a tolerance of 1", "h200,f,c,v,m,1,1,,,,ok,,1,yes,,,,,,,,,\n", "x.csv:3",
         "above 0 and below 1, found '1'"},
        {"a tolerance of 0", "h200,f,c,v,m,1,1,,,,ok,,0,yes,,,,,,,,,\n", "x.csv:3",
         "above 0 and below 1, found '0'"},
        {"a tolerance that is not a number", "h200,f,c,v,m,1,1,,,,ok,,nan,yes,,,,,,,,,\n",
         "x.csv:3", "tolerance: expected a ratio above 0 and below 1"},
        {"a beta above 1", "h200,f,c,v,m,1,1,,,,ok,,,yes,1.1,,,,,,,,\n", "x.csv:3",
         "beta: expected a clock sensitivity"},
        {"a negative clock", "h200,f,c,v,m,1,1,,,,ok,,,yes,,-1,,,,,,,\n", "x.csv:3",
         "f0: expected a clock in Hz"},
        {"a negative spread", "h200,f,c,v,m,1,1,,,,ok,,,yes,,,-1,,,,,,\n", "x.csv:3",
         "sd_process: expected"},
        {"an unknown expectation", "h200,f,c,v,m,1,1,,,,ok,,,yes,,,,,slow,,,,\n", "x.csv:3",
         "found 'slow'"},
        {"a waiver without a last day", "h200,f,c,v,waiver,,,,,,ok,,,no,,,,,,noisy,,,\n", "x.csv:3",
         "expected its last day"},
        {"a waiver without a reason", "h200,f,c,v,waiver,,,,,,ok,2026-12-31,,no,,,,,,\" \",,,\n",
         "x.csv:3", "reason of a waiver"},
        {"what a run refuses", "h200,f,c,v,m,1,x,,,,ok,,,yes,,,,,,,,,\n", "x.csv:3",
         "value: expected 0 or a number"},
        {"an origin without GPUs", "h200,f,c,v,time,ns,1,,,,ok,,,no,,,,,,,2,,\n", "x.csv:3",
         "origin: expected nothing, or runs"},
        {"a torn last row", "h200,f,c,v,m", "x.csv:3", "the last line is incomplete"},
        {"a row twice",
         "h200,f,c,v,time,,,,,,ok,,,no,,,,,,,,,\nh200,f,c,v,time,,,,,,ok,,,no,,,,,,,,,\n",
         "x.csv:4", "it is on line 3 too"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_accepted_suite suite;
        SCRATCH(s);
        read_lines(&s, rows[i].lines, &suite, &err);
        assert_error(rows[i].sentence, &err, SG_BAD_INPUT, rows[i].place, rows[i].words);
    }
}
