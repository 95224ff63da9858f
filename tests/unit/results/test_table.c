/* results/table.h: rows of a run, from a file and back, sorted and
 * looked up, damaged ones included. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/table.h"
#include "util/random.h"

#define COLUMNS   "family,case,variant,metric,unit,value,low,high,n,status,message"
#define COLUMNS_2 COLUMNS ",se,sd"
#define HEADER    COLUMNS "\n"
#define TABLE_ROW "null,small,ok,time,ns,1000,990,1010,5,ok,\n"

TEST(rows_come_back_as_they_were_written)
{
    static const char text[] =
        COLUMNS_2 "\nmatvec,c,v,expect,,,,,,wrong,,,\n"
                  "matvec,c,v,l2_hit_rate,%,nan,,,2,nan,\"no sectors, it says \"\"0\"\"\",,\n"
                  "matvec,c,v,role,,,,,,ok,candidate,,\n"
                  "matvec,c,v,stall_barrier,%,0,,,2,ok,,,\n"
                  "matvec,c,v,time,ns,45650.1234,45000,46000.5,5,ok,,0.004,0.0089\n"
                  "matvec,c,v,time_ratio,1,1.00211,0.999,1.0052,5,ok,vec16_rows,0.001,\n"
                  "null,c,v,status,,,,,,crash,\" killed by SIGSEGV\",,\n";
    struct sg_err err = {0};
    SG_SCOPED(sg_table) table = {0};
    SCRATCH(s);
    scratch_write(&s, "run.csv", BYTES(text));
    sg_table_read(s.path, &table, NULL, &err);
    assert_error("a run", &err, SG_SUCCESS, "", "");
    assert_int_equal(table.count, 7);
    const struct sg_row *rate = sg_table_find(&table, "matvec", "c", "v", "l2_hit_rate"),
                        *zero = &table.rows[3];
    assert_true(rate == &table.rows[1] && isnan(rate->value) &&
                rate->has == (SG_HAS_VALUE | SG_HAS_N) && rate->status == SG_NAN);
    assert_true(zero->value == 0 && (zero->has & SG_HAS_VALUE) && !(zero->has & SG_HAS_LOW));
    assert_int_equal(table.rows[0].has, 0);
    assert_int_equal(table.rows[0].status, SG_WRONG);
    assert_int_equal(rate->family, zero->family);
    assert_string_equal(sg_table_string(&table, rate->message), "no sectors, it says \"0\"");
    assert_null(sg_table_find(&table, "matvec", "c", "v", "wrong"));
    assert_null(sg_table_find(&table, "null", "c", "v", "time"));
    SG_SCOPED(sg_text) again = {0};
    sg_table_format(&again, &table);
    assert_string_equal(again.data, text);
}

/* A file of schema 1 has intervals only: they give back the errors that they were made with. */
TEST(errors_are_recovered_from_intervals)
{
    static const struct {
        const char *proves, *row;
        double se; /* NaN: none */
    } table[] = {
        {"a time, by Student's t", "f,c,v,time,ns,1000,990,1010,5,ok,\n",
         0.020000667 / (2 * 2.776445105)},
        {"a ratio, by the constant of its look", "f,c,v,time_ratio,1,1,0.99,1.01,5,ok,b\n",
         0.020000667 / (2 * 3.98)},
        {"no interval, no error", "f,c,v,time,ns,1000,,,5,ok,\n", NAN},
        {"of one process, none", "f,c,v,time,ns,1000,990,1010,1,ok,\n", NAN},
        {"a counter has a range, and no error", "f,c,v,cycles,cycle,1000,990,1010,5,ok,\n", NAN},
    };
    SCRATCH(s);
    for (size_t i = 0; i < COUNT(table); i++) {
        SG_SCOPED(sg_text) text = {0};
        struct sg_err err = {0};
        SG_SCOPED(sg_table) t = {0};
        sg_text_addf(&text, HEADER "%s", table[i].row);
        sg_table_read(scratch_write(&s, "run.csv", text.data, text.length), &t, NULL, &err);
        assert_error(table[i].proves, &err, SG_SUCCESS, "", "");
        const double se = t.rows[0].se, sd = t.rows[0].sd;
        if (isnan(table[i].se)
                ? !isnan(se)
                : !(fabs(se / table[i].se - 1) < 1e-5 && fabs(sd / se - sqrt(5)) < 1e-12))
            fail_msg("%s: se %.9g, sd %.9g", table[i].proves, se, sd);
    }
}

TEST(accepted)
{
    static const struct {
        const char *proves, *bytes;
        size_t count, rows;
    } table[] = {
        {"a header alone is a run without rows", BYTES(HEADER), 0},
        {"CR LF", BYTES(COLUMNS "\r\nnull,small,ok,time,ns,1,1,1,5,ok,\r\n"), 1},
        {"a UTF-8 mark", BYTES("\xEF\xBB\xBF" HEADER TABLE_ROW), 1},
    };
    SCRATCH(s);
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_table) t = {0};
        sg_table_read(scratch_write(&s, "run.csv", table[i].bytes, table[i].count), &t, NULL, &err);
        assert_error(table[i].proves, &err, SG_SUCCESS, "", "");
        if (t.count != table[i].rows)
            fail_msg("%s: %zu rows", table[i].proves, t.count);
    }
}

static void read_table(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_table) table = {0};
    sg_table_read(path, &table, NULL, err);
}

TEST(damaged_tables_are_refused)
{
    static const struct damage table[] = {
        {"an empty file", BYTES(""), ":1", "expected a header, found an empty file"},
        {"a missing column", BYTES("family,case,variant,metric,unit,value,low,high,n,status\n"),
         ":1", "the column 'message' is missing"},
        {"a table without header", BYTES(TABLE_ROW), ":1", "the column 'family' is missing"},
        {"an extra field", BYTES(HEADER "null,small,ok,time,ns,1000,990,1010,5,ok,,\n"), ":2",
         "expected 11 fields as in the header, found 12"},
        {"an error below 0", BYTES(COLUMNS_2 "\nf,c,v,time,ns,1,1,1,5,ok,,-0.1,\n"), ":2",
         "se: expected a number, 0 or more, found '-0.1'"},
        {"a spread that is not a number", BYTES(COLUMNS_2 "\nf,c,v,time,ns,1,1,1,5,ok,,0.1,nan\n"),
         ":2", "sd: expected a number, 0 or more"},
        {"a row of schema 1 below a header of schema 2",
         BYTES(COLUMNS_2 "\nf,c,v,time,ns,1,1,1,5,ok,\n"), ":2",
         "expected 13 fields as in the header, found 11"},
        {"a bad number", BYTES(HEADER "null,small,ok,time,ns,1O00,990,1010,5,ok,\n"), ":2",
         "value: expected 0 or a number from 1e-100 to 1e100, found '1O00'"},
        {"an infinite number", BYTES(HEADER "null,small,ok,time,ns,1,0,inf,5,ok,\n"), ":2",
         "high: expected 0 or a number from 1e-100 to 1e100, found 'inf'"},
        {"a negative count", BYTES(HEADER "null,small,ok,time,ns,1,1,1,-5,ok,\n"), ":2",
         "n: expected a whole number from 0 to 1000000"},
        {"a negative counter", BYTES(HEADER "null,small,ok,registers,register,-24,,,1,ok,\n"), ":2",
         "value: expected 0 or a number from 1e-100 to 1e100, found '-24'"},
        {"a partner as of earlier versions",
         BYTES(HEADER "null,small,v,time_ratio,1,1,1,1,5,ok,against ok\n"), ":2",
         "message: expected the name of the partner, found 'against ok': scripts/convert.py"},
        {"an unknown status", BYTES(HEADER "null,small,ok,time,ns,1,1,1,5,okay,\n"), ":2",
         "status: expected a status word"},
        {"a family with a malformed name", BYTES(HEADER "Null,small,ok,time,ns,1,1,1,5,ok,\n"),
         ":2", "family: expected a name"},
        {"a case with a malformed name, in a later row",
         BYTES(HEADER TABLE_ROW "null,,ok,time,ns,1,1,1,5,ok,\n"), ":3", "case: expected a name"},
        {"a variant that would leave a folder", BYTES(HEADER "null,a,../x,time,ns,1,1,1,5,ok,\n"),
         ":2", "variant: expected a name"},
        {"a row twice, one after the other", BYTES(HEADER TABLE_ROW TABLE_ROW), ":3",
         "found null/small/ok time again; it is on line 2 too"},
        {"a row twice, far apart", BYTES(HEADER TABLE_ROW "a,b,c,d,1,1,,,,ok,\n" TABLE_ROW), ":4",
         "found null/small/ok time again; it is on line 2 too"},
    };
    assert_refused(table, COUNT(table), "run.csv", read_table);
}

static void add_random_row(struct sg_table *table, uint64_t *random)
{
    static const char *const names[] = {"a", "aa", "a_b", "b", "z9", "_", "0"};
    uint64_t pick = sg_random_next(random);
    char metric[32];
    snprintf(metric, sizeof(metric), "m%llu", (unsigned long long)(pick >> 32));
    const struct sg_value value = {.family = names[pick % 7],
                                   .case_ = names[pick / 7 % 7],
                                   .variant = names[pick / 49 % 7],
                                   .metric = metric,
                                   .unit = "1",
                                   .value = (double)table->count,
                                   .has = SG_HAS_VALUE};
    sg_table_add(table, &value);
}

TEST(sorting_orders_by_four_names_and_takes_company_along)
{
    SG_SCOPED(sg_table) table = {0};
    struct sg_err err = {0};
    double beside[3000];
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT(beside); i++) {
        add_random_row(&table, &random);
        beside[i] = (double)i;
    }
    const struct sg_sort_context company = {.elements = beside, .size = sizeof(beside[0])};
    assert_int_equal(sg_table_sort_with(&table, &company, &err), SG_SUCCESS);
    bool seen[COUNT(beside)] = {false};
    for (size_t i = 0; i < table.count; i++) {
        const struct sg_row *row = &table.rows[i];
        assert_true(row->value == beside[i] && !seen[(size_t)beside[i]]);
        seen[(size_t)beside[i]] = true;
        if (i > 0)
            assert_true(sg_row_compare(&table, row - 1, row) < 0);
        assert_ptr_equal(row, sg_table_find(&table, sg_table_string(&table, row->family),
                                            sg_table_string(&table, row->case_),
                                            sg_table_string(&table, row->variant),
                                            sg_table_string(&table, row->metric)));
    }
}

TEST(a_duplicate_in_memory_is_named_without_a_file)
{
    SG_SCOPED(sg_table) table = {0};
    struct sg_err err = {0};
    const struct sg_value value = {.family = "f", .case_ = "c", .variant = "v", .metric = "m"};
    sg_table_add(&table, &value);
    sg_table_add(&table, &value);
    sg_table_sort(&table, &err);
    assert_error("two of a kind", &err, SG_BAD_INPUT, "",
                 "expected each row once, found two of f/c/v m");
}

TEST(a_message_never_breaks_its_line)
{
    SG_SCOPED(sg_table) table = {0};
    SG_SCOPED(sg_text) line = {0};
    sg_table_add(&table, &(struct sg_value){.family = "f",
                                            .case_ = "c",
                                            .variant = "v",
                                            .metric = "m",
                                            .message = "two\r\nlines, \"so\""});
    sg_table_format(&line, &table);
    assert_string_equal(line.data, COLUMNS_2 "\nf,c,v,m,,,,,,ok,\"two  lines, \"\"so\"\"\",,\n");
}

TEST(a_complaint_about_a_row_has_its_line)
{
    static const char rows[] = COLUMNS "\nb,c,v,time,ns,1,,,,ok,\na,c,v,time,B,1,,,,ok,\n";
    struct sg_err err = {0}, complaint = {0}, nowhere = {0};
    SG_SCOPED(sg_table) table = {0};
    SCRATCH(s);
    assert_int_equal(sg_table_read(scratch_write(&s, "run.csv", BYTES(rows)), &table, NULL, &err),
                     SG_SUCCESS);
    sg_row_fail(&complaint, table.path, &table, &table.rows[0], "expected the unit %s", "ns");
    assert_error("rows were sorted since", &complaint, SG_BAD_INPUT, "/run.csv:3",
                 "a/c/v time: expected the unit ns");
    sg_row_fail(&nowhere, NULL, &table, &table.rows[0], "expected the unit %s", "ns");
    assert_error("a table of no file", &nowhere, SG_BAD_INPUT, "",
                 "a/c/v time: expected the unit ns");
}
