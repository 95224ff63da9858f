/* results/accepted_lines.h: in which of the two tables a row stands, that it comes back as it was,
 * and lines that are refused. */
#include "check.h"
#include "scratch.h"

#include "results/accepted_lines.h"

#define COLUMNS  "family,case,variant,metric,unit,value,low,high,n,status,message"
#define JUDGED   COLUMNS ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason,se,sd\n"
#define COUNTERS COLUMNS ",spread,gate,reason\n"
#define ENV      "key,value\nschema," SG_SCHEMA_ACCEPTED "\ngpu,h200\n"

/* The numbers with these lines behind the headers. */
static enum sg_code read_lines(struct scratch *s, const char *judged, const char *counters,
                               struct sg_accepted_file *file, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    scratch_write(s, "x.env.csv", BYTES(ENV));
    sg_text_addf(&text, "%s%s", COUNTERS, counters);
    scratch_write(s, "x.counters.csv", text.data, text.length);
    text.length = 0;
    sg_text_addf(&text, "%s%s", JUDGED, judged);
    sg_accepted_file_read(scratch_write(s, "x.csv", text.data, text.length), file, err);
    return err->code;
}

TEST(each_row_stands_in_its_table)
{
    static const struct {
        const char *sentence, *judged, *counter;
    } rows[] = {
        {"a ratio",
         "f,c,v,time_ratio,1,2,1,3,5,ok,b,0.01,yes,,,,,regressed,\"reverted, see "
         "log\",0.1,0.2\n",
         ""},
        {"a time",
         "f,c,v,time,ns,1000,990,1010,5,ok,,0.005,yes,0.9,1.98e+09,0.001,0.002,,,0.003,\n", ""},
        {"an outcome", "f,c,v,status,,,,,,wrong,off by 3,,yes,,,,,wrong,known,,\n", ""},
        {"what a case is", "f,c,v,shape,,,,,,ok,rows=2,,no,,,,,,,,\n", ""},
        {"a waiver", "f,c,v,waiver,,,,,,ok,2026-12-31,,no,,,,,,noisy,,\n", ""},
        {"a term in words", "f,c,v,term_checked,,,,,,ok,all,,no,,,,,,,,\n", ""},
        {"a term with a number", "", "f,c,v,term_rtol,1,0.01,,,,ok,,,no,\n"},
        {"a fact of the case", "", "f,c,v,work_read_bytes,B,4096,,,,ok,,,no,\n"},
        {"an exact counter", "", "f,c,v,sectors,sector,123456789,,,1,ok,,,no,\n"},
        {"a noisy counter", "", "f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,,0.0123,no,\n"},
        {"a counter that gates", "", "f,c,v,registers,register,40,,,1,ok,,,yes,more would spill\n"},
        {"one without a number", "", "f,c,v,ipc,inst/cycle,,,,1,unavailable,no permission,,no,\n"},
        {"not a number", "", "f,c,v,ipc,inst/cycle,nan,,,1,nan,zero over zero,,no,\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_accepted_file) file;
        SG_SCOPED(sg_text) judged = {0}, counters = {0};
        SCRATCH(s);
        read_lines(&s, rows[i].judged, rows[i].counter, &file, &err);
        assert_error(rows[i].sentence, &err, SG_SUCCESS, "", "");
        assert_int_equal(file.table.count, 1);
        sg_accepted_format(&file, &judged, &counters);
        assert_string_equal(judged.data + strlen(JUDGED), rows[i].judged);
        assert_string_equal(counters.data + strlen(COUNTERS), rows[i].counter);
    }
}

TEST(how_one_run_counted_is_left_out)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_accepted_file) file;
    SG_SCOPED(sg_text) judged = {0}, counters = {0};
    SCRATCH(s);
    read_lines(&s, "", "f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,each: 1.25 1.5 2,0.012345,no,\n",
               &file, &err);
    sg_accepted_format(&file, &judged, &counters);
    assert_string_equal(counters.data + strlen(COUNTERS),
                        "f,c,v,ipc,inst/cycle,1.5,1.25,2,5,ok,,0.0123,no,\n");
}

TEST(refused)
{
    static const struct {
        const char *sentence, *judged, *counters, *place, *words;
    } rows[] = {
        {"a gate that is neither", "f,c,v,m,1,1,,,,ok,,,maybe,,,,,,,,\n", "", "x.csv:2",
         "gate: expected yes or no"},
        {"a fact that gates", "f,c,v,role,,,,,,ok,candidate,,yes,,,,,,,,\n", "", "x.csv:2",
         "gate: expected no"},
        {"a tolerance of 1", "f,c,v,m,1,1,,,,ok,,1,yes,,,,,,,,\n", "", "x.csv:2",
         "above 0 and below 1, found '1'"},
        {"a tolerance of 0", "f,c,v,m,1,1,,,,ok,,0,yes,,,,,,,,\n", "", "x.csv:2",
         "above 0 and below 1, found '0'"},
        {"a tolerance that is not a number", "f,c,v,m,1,1,,,,ok,,nan,yes,,,,,,,,\n", "", "x.csv:2",
         "tolerance: expected a ratio above 0 and below 1"},
        {"a beta above 1", "f,c,v,m,1,1,,,,ok,,,yes,1.1,,,,,,,\n", "", "x.csv:2",
         "beta: expected a clock sensitivity"},
        {"a negative clock", "f,c,v,m,1,1,,,,ok,,,yes,,-1,,,,,,\n", "", "x.csv:2",
         "f0: expected a clock in Hz"},
        {"a negative spread", "f,c,v,m,1,1,,,,ok,,,yes,,,-1,,,,,\n", "", "x.csv:2",
         "sd_process: expected"},
        {"an unknown expectation", "f,c,v,m,1,1,,,,ok,,,yes,,,,,slow,,,\n", "", "x.csv:2",
         "found 'slow'"},
        {"a waiver without a last day", "f,c,v,waiver,,,,,,ok,,,no,,,,,,noisy,,\n", "", "x.csv:2",
         "expected its last day"},
        {"a waiver without a reason", "f,c,v,waiver,,,,,,ok,2026-12-31,,no,,,,,, ,,\n", "",
         "x.csv:2", "reason of a waiver"},
        {"what a run refuses", "f,c,v,m,1,x,,,,ok,,,yes,,,,,,,,\n", "", "x.csv:2",
         "value: expected 0 or a number"},
        {"a torn last row", "f,c,v,m", "", "x.csv:2", "the last line is incomplete"},
        {"a row twice", "f,c,v,time,,,,,,ok,,,no,,,,,,,,\nf,c,v,time,,,,,,ok,,,no,,,,,,,,\n", "",
         "x.csv:3", "it is on line 2 too"},
        {"a counter's spread below 0", "", "f,c,v,m,1,1,,,,ok,,-1,no,\n", "x.counters.csv:2",
         "spread: expected"},
        {"a counter's gate", "", "f,c,v,m,1,1,,,,ok,,,maybe,\n", "x.counters.csv:2",
         "gate: expected yes or no"},
        {"a counter twice", "", "f,c,v,m,1,1,,,,ok,,,no,\nf,c,v,m,1,1,,,,ok,,,no,\n",
         "x.counters.csv:3", "it is on line 2 too"},
        {"a row in both", "f,c,v,m,1,1,,,,ok,,,no,,,,,,,,\n", "f,c,v,m,1,1,,,,ok,,,no,\n",
         "x.counters.csv:2", "found two of f/c/v m"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_accepted_file) file;
        SCRATCH(s);
        read_lines(&s, rows[i].judged, rows[i].counters, &file, &err);
        assert_error(rows[i].sentence, &err, SG_BAD_INPUT, rows[i].place, rows[i].words);
    }
}
