/* util/csv_reader.h: what is a row, and what is refused and where. */
#include "check.h"
#include "scratch.h"

#include "util/csv_reader.h"

/* Rows as "line:field|field\n", so that a test can say what must come out. */
static enum sg_code note_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_text *seen = context;
    sg_text_addf(seen, "%ld:", row->line);
    for (size_t i = 0; i < row->count; i++)
        sg_text_addf(seen, "%s%s", i ? "|" : "", row->field[i]);
    sg_text_add(seen, "\n");
    return strcmp(row->field[0], "stop") == 0
               ? sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "told to stop")
               : SG_SUCCESS;
}

static void read_rows(const char *path, struct sg_text *seen, struct sg_err *err)
{
    sg_csv_read(path, note_row, seen, err);
}

TEST(rows)
{
    static const struct whole table[] = {
        {"a header and a row", BYTES("a,b\n1,2\n"), "1:a|b\n2:1|2\n"},
        {"CR LF ends a line too", BYTES("a,b\r\n1,2\r\n"), "1:a|b\n2:1|2\n"},
        {"a UTF-8 mark is no part of the first name",
         BYTES("\xEF\xBB\xBF"
               "a,b\n1,2\n"),
         "1:a|b\n2:1|2\n"},
        {"fields may be empty", BYTES("a,b\n,\n"), "1:a|b\n2:|\n"},
        {"blanks are data", BYTES("a,b\n 1 ,\t2 \n"), "1:a|b\n2: 1 |\t2 \n"},
        {"quotes hide commas", BYTES("a,b\n\"x,y\",2\n"), "1:a|b\n2:x,y|2\n"},
        {"a doubled quote is one", BYTES("a,b\n\"say \"\"hi\"\"\",2\n"), "1:a|b\n2:say \"hi\"|2\n"},
        {"a quoted field may span lines, and lines are still counted",
         BYTES("a,b\n\"x\ny\",2\n3,4\n"), "1:a|b\n2:x\ny|2\n4:3|4\n"},
        {"one column is enough", BYTES("a\n1\n"), "1:a\n2:1\n"},
    };
    assert_read(table, COUNT(table), read_rows);
}

static void read_and_forget(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_text) seen = {0};
    read_rows(path, &seen, err);
}

TEST(refused)
{
    static const struct damage table[] = {
        {"an empty file has no header", BYTES(""), ":1", "expected a header, found an empty file"},
        {"a mark alone is an empty file", BYTES("\xEF\xBB\xBF"), ":1",
         "expected a header, found an empty file"},
        {"a quote that is never closed", BYTES("a,b\n1,2\n3,\"4\n5,6\n"), ":3",
         "field 2: expected its closing quote and then a comma, found 'the end of the text'"},
        {"a quote inside of a bare field", BYTES("a,b\n1,2\"3\n"), ":2",
         "field 2: expected no quote inside of an unquoted field, found '\"3'"},
        {"text behind a closing quote", BYTES("a,b\n\"1\"x,2\n"), ":2", "found 'x,2'"},
        {"a NUL byte", BYTES("a,b\n1,2\n3,\0\n"), ":3", "found a NUL byte"},
        {"a NUL byte inside of quotes", BYTES("a,b\n1,\"\n\0\"\n"), ":3", "found a NUL byte"},
        {"a field too few", BYTES("a,b\n1,2\n3\n"), ":3",
         "expected 2 fields as in the header, found 1"},
        {"a field too many", BYTES("a,b\n1,2,\n"), ":2",
         "expected 2 fields as in the header, found 3"},
        {"a last line that may be half of one", BYTES("a,b\n1,2"), ":2",
         "expected a line end after the last row"},
        {"nor is a quote", BYTES("a,b\n1,\"2\""), ":2", "expected a line end after the last row"},
        {"a header that may be half of one", BYTES("a,b"), ":1",
         "expected a line end after the last row"},
        {"an empty line", BYTES("a,b\n\n1,2\n"), ":2", "expected a row, found an empty line"},
        {"an empty line at the end", BYTES("a,b\n1,2\n\r\n"), ":3",
         "expected a row, found an empty line"},
        {"a carriage return inside of a line", BYTES("a,b\n1,2\r3,4\n"), ":2",
         "found a carriage return"},
        {"what the callback refuses", BYTES("a\n1\nstop\n2\n"), ":3", "told to stop"},
    };
    assert_refused(table, COUNT(table), "t.csv", read_and_forget);
}

TEST(folders_and_absent_files_are_refused)
{
    struct sg_err folder = {0}, absent = {0};
    struct sg_text seen = {0};
    SCRATCH(s);
    sg_csv_read(s.folder, note_row, &seen, &folder);
    assert_error("a folder", &folder, SG_BAD_INPUT, s.folder, "expected a file, found a folder");
    sg_csv_read(scratch_path(&s, "none.csv"), note_row, &seen, &absent);
    assert_error("no file", &absent, SG_BAD_INPUT, "none.csv", "No such file or directory");
    assert_int_equal(seen.length, 0);
}

TEST(fields_come_back_as_they_were_written)
{
    static const struct {
        const char *written, *stands, *back; /* NULL: the same as before it */
    } fields[] = {
        {"", NULL, NULL},
        {"plain", NULL, NULL},
        {"a,b", "\"a,b\"", "a,b"},
        {"say \"hi\"", "\"say \"\"hi\"\"\"", "say \"hi\""},
        {"\"", "\"\"\"\"", "\""},
        {" blank before", "\" blank before\"", " blank before"},
        {"blank behind ", NULL, NULL},
        {"\xc3\xa9", NULL, NULL},
        {"'", NULL, NULL},
        {";", NULL, NULL},
        /* a row is a line */
        {"two\nlines", "two lines", NULL},
        {"cr\rlf", "cr lf", NULL},
        {"\ttab", "\" tab\"", " tab"},
        /* a terminal obeys nothing */
        {"red \x1b[31m", "red \\x1b[31m", NULL},
        {"\xff\xc2\x9b\x7f", "\\xff\\xc2\\x9b\\x7f", NULL},
        {"\\x1b", NULL, NULL},
        /* RFC 4180 knows no formulas */
        {"=1+1", NULL, NULL},
        {"'-5", NULL, NULL},
    };
    SCRATCH(s);
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_text) text = {0}, seen = {0}, should = {0};
        const char *stands = fields[i].stands ? fields[i].stands : fields[i].written;
        sg_csv_add_field(&text, fields[i].written);
        assert_string_equal(sg_text_string(&text), stands);
        sg_text_add(&text, ",x\n");
        sg_csv_read(scratch_write(&s, "t.csv", text.data, text.length), note_row, &seen, &err);
        assert_error(fields[i].written, &err, SG_SUCCESS, "", "");
        sg_text_addf(&should, "1:%s|x\n", fields[i].back ? fields[i].back : stands);
        assert_string_equal(seen.data, should.data);
    }
}

TEST(headers)
{
    static const struct {
        const char *proves;
        const char *field[4];
        size_t count;
        const char *words; /* "": accepted */
    } table[] = {
        ROW("the columns in their order", LIST("a", "b", "cc"), 3, ""),
        ROW("a missing column is named", LIST("a", "cc"), 2,
            "the column 'b' is missing; expected a,b,cc"),
        ROW("an unknown one at the end is named", LIST("a", "b", "cc", "d"), 4,
            "the column 'd' is unknown"),
        ROW("an unknown one in the middle is named", LIST("a", "x", "b", "cc"), 4,
            "expected the column 'b', found 'x'"),
        ROW("another order is refused", LIST("b", "a", "cc"), 3,
            "expected the column 'a', found 'b'"),
        ROW("a column that only begins alike is another one", LIST("a", "b", "c"), 3,
            "the column 'cc' is missing"),
        ROW("a column twice is one too many", LIST("a", "a", "b", "cc"), 4,
            "expected the column 'b', found 'a'"),
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        const struct sg_csv_row row = {
            .path = "t.csv", .line = 1, .count = table[i].count, .field = table[i].field};
        sg_csv_check_header(&row, "a,b,cc", &err);
        bool accepted = table[i].words[0] == '\0';
        assert_error(table[i].proves, &err, accepted ? SG_SUCCESS : SG_BAD_INPUT,
                     accepted ? "" : "t.csv:1", table[i].words);
    }
}
