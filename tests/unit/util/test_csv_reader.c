/* util/csv_reader.h and results/journal.h: what is a row, what is refused and
 * where, and what a journal keeps. */
#include "check.h"
#include "scratch.h"

#include <signal.h>
#include <sys/resource.h>

#include "results/journal.h"
#include "util/csv_reader.h"

/* Rows as "line:field|field\n", so that a test can say what must come out. */
static enum sg_code note_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_text *seen = context;
    sg_text_addf(seen, "%ld:", row->line);
    for (size_t i = 0; i < row->count; i++)
        sg_text_addf(seen, "%s%s", i ? "|" : "", row->field[i]);
    sg_text_add(seen, "\n");
    return strcmp(row->field[0], "stop") == 0 ? sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "told to stop") : SG_SUCCESS;
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
        {"a quoted field may span lines, and lines are still counted", BYTES("a,b\n\"x\ny\",2\n3,4\n"), "1:a|b\n2:x\ny|2\n4:3|4\n"},
        {"one column is enough", BYTES("a\n1\n"), "1:a\n2:1\n"},
    };
    assert_read(table, COUNT(table), read_rows);
}

static void read_and_forget(const char *path, struct sg_err *err)
{
    struct sg_text seen = {0};
    read_rows(path, &seen, err);
    sg_text_release(&seen);
}

TEST(refused)
{
    static const struct damage table[] = {
        {"an empty file has no header", BYTES(""), ":1", "expected a header, found an empty file"},
        {"a mark alone is an empty file", BYTES("\xEF\xBB\xBF"), ":1", "expected a header, found an empty file"},
        {"a quote that is never closed", BYTES("a,b\n1,2\n3,\"4\n5,6\n"), ":3", "expected a closing quote, found the end of the file"},
        {"a quote inside of a bare field", BYTES("a,b\n1,2\"3\n"), ":2", "found '\"3'"},
        {"text behind a closing quote", BYTES("a,b\n\"1\"x,2\n"), ":2", "found 'x,2'"},
        {"a NUL byte", BYTES("a,b\n1,2\n3,\0\n"), ":3", "found a NUL byte"},
        {"a NUL byte inside of quotes", BYTES("a,b\n1,\"\n\0\"\n"), ":3", "found a NUL byte"},
        {"a field too few", BYTES("a,b\n1,2\n3\n"), ":3", "expected 2 fields as in the header, found 1"},
        {"a field too many", BYTES("a,b\n1,2,\n"), ":2", "expected 2 fields as in the header, found 3"},
        {"a last line that may be half of one", BYTES("a,b\n1,2"), ":2", "expected a line end behind the last row"},
        {"a CR alone is no end", BYTES("a,b\n1,2\r"), ":2", "expected a line end behind the last row"},
        {"nor is a quote", BYTES("a,b\n1,\"2\""), ":2", "expected a line end behind the last row"},
        {"a header that may be half of one", BYTES("a,b"), ":1", "expected a line end behind the last row"},
        {"an empty line", BYTES("a,b\n\n1,2\n"), ":2", "expected a row, found an empty line"},
        {"an empty line at the end", BYTES("a,b\n1,2\n\r\n"), ":3", "expected a row, found an empty line"},
        {"a carriage return inside of a line", BYTES("a,b\n1,2\r3,4\n"), ":2", "found a carriage return"},
        {"what the callback refuses", BYTES("a\n1\nstop\n2\n"), ":3", "told to stop"},
    };
    assert_refused(table, COUNT(table), "t.csv", read_and_forget);
}

TEST(folders_and_absent_files_are_refused)
{
    struct scratch s;
    struct sg_err folder = {0}, absent = {0};
    struct sg_text seen = {0};
    scratch_init(&s);
    sg_csv_read(s.folder, note_row, &seen, &folder);
    assert_error("a folder", &folder, SG_BAD_INPUT, s.folder, "expected a file, found a folder");
    sg_csv_read(scratch_path(&s, "none.csv"), note_row, &seen, &absent);
    assert_error("no file", &absent, SG_BAD_INPUT, "none.csv", "No such file or directory");
    assert_int_equal(seen.length, 0);
    scratch_release(&s);
}

static void read_journal(const char *path, struct sg_text *seen, struct sg_err *err)
{
    uint64_t whole_bytes = UINT64_MAX;
    sg_csv_read_journal(path, note_row, seen, &whole_bytes, err);
    sg_text_addf(seen, "%llu bytes", (unsigned long long)whole_bytes);
}

TEST(journals)
{
    static const struct whole table[] = {
        {"a whole journal is whole", BYTES("a,b\n1,2\n"), "1:a|b\n2:1|2\n8 bytes"},
        {"a torn line is left out", BYTES("a,b\n1,2\n3"), "1:a|b\n2:1|2\n8 bytes"},
        {"also when it has all its fields", BYTES("a,b\n1,2\n3,4"), "1:a|b\n2:1|2\n8 bytes"},
        {"also when it is torn inside of quotes", BYTES("a,b\n1,2\n3,\"4"), "1:a|b\n2:1|2\n8 bytes"},
        {"a torn header leaves nothing", BYTES("a,"), "0 bytes"},
        {"an empty journal is one that nothing was written to", BYTES(""), "0 bytes"},
    };
    assert_read(table, COUNT(table), read_journal);
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
    struct scratch s;
    scratch_init(&s);
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct sg_err err = {0};
        struct sg_text text = {0}, seen = {0}, should = {0};
        const char *stands = fields[i].stands ? fields[i].stands : fields[i].written;
        sg_csv_add_field(&text, fields[i].written);
        assert_string_equal(sg_text_string(&text), stands);
        sg_text_add(&text, ",x\n");
        sg_csv_read(scratch_write(&s, "t.csv", text.data, text.length), note_row, &seen, &err);
        assert_error(fields[i].written, &err, SG_SUCCESS, "", "");
        sg_text_addf(&should, "1:%s|x\n", fields[i].back ? fields[i].back : stands);
        assert_string_equal(seen.data, should.data);
        sg_text_release(&text);
        sg_text_release(&seen);
        sg_text_release(&should);
    }
    scratch_release(&s);
}

TEST(headers)
{
    static const struct {
        const char *proves;
        const char *field[4];
        size_t count;
        const char *words; /* "": accepted */
    } table[] = {
        {"the columns in their order", {"a", "b", "cc"}, 3, ""},
        {"a missing column is named", {"a", "cc"}, 2, "the column 'b' is missing; expected a,b,cc"},
        {"an unknown one at the end is named", {"a", "b", "cc", "d"}, 4, "the column 'd' is unknown"},
        {"an unknown one in the middle is named", {"a", "x", "b", "cc"}, 4, "expected the column 'b', found 'x'"},
        {"another order is refused", {"b", "a", "cc"}, 3, "expected the column 'a', found 'b'"},
        {"a column that only begins alike is another one", {"a", "b", "c"}, 3, "the column 'cc' is missing"},
        {"a column twice is one too many", {"a", "a", "b", "cc"}, 4, "expected the column 'b', found 'a'"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        const struct sg_csv_row row = {.path = "t.csv", .line = 1, .count = table[i].count, .field = table[i].field};
        sg_csv_check_header(&row, "a,b,cc", &err);
        bool accepted = table[i].words[0] == '\0';
        assert_error(table[i].proves, &err, accepted ? SG_SUCCESS : SG_BAD_INPUT, accepted ? "" : "t.csv:1", table[i].words);
    }
}

TEST(a_journal_goes_on_behind_its_whole_lines)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_journal journal;
    scratch_init(&s);
    char *path = sg_copy_string(scratch_path(&s, "run.csv"));
    assert_int_equal(sg_journal_open(path, "a,b", 0, &journal, &err), SG_SUCCESS);
    assert_int_equal(sg_journal_add(&journal, BYTES("1,2\n3,4\n"), &err), SG_SUCCESS);
    assert_int_equal(journal.whole_bytes, 12);
    sg_journal_close(&journal);
    scratch_write(&s, "run.csv", BYTES("a,b\n1,2\n3,4\n5,")); /* as a killed writer leaves it */
    assert_int_equal(sg_journal_open(path, "a,b", 12, &journal, &err), SG_SUCCESS);
    assert_int_equal(sg_journal_add(&journal, BYTES("5,6\n"), &err), SG_SUCCESS);
    sg_journal_close(&journal);
    struct sg_text now = scratch_read(&s, "run.csv");
    assert_string_equal(now.data, "a,b\n1,2\n3,4\n5,6\n");
    sg_text_release(&now);
    assert_int_equal(sg_journal_open(path, "a,b", 0, &journal, &err), SG_SUCCESS);
    sg_journal_close(&journal);
    now = scratch_read(&s, "run.csv");
    assert_string_equal(now.data, "a,b\n");
    sg_text_release(&now);
    free(path);
    scratch_release(&s);
}

TEST(a_journal_finds_what_others_did_to_its_file)
{
    static const struct {
        const char *proves, *bytes, *words; /* no words: nothing is wrong */
    } table[] = {
        {"as it was written", "a,b\n1,2\n3,4\n", NULL},
        {"a line more", "a,b\n1,2\n3,4\n5,6\n", "was changed by another program while the run wrote it"},
        {"a line less", "a,b\n1,2\n", "was changed by another program"},
        {"another digit", "a,b\n1,2\n3,5\n", "was changed by another program"},
        {"no file", NULL, "cannot be opened"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct scratch s;
        struct sg_err err = {0};
        struct sg_journal journal;
        scratch_init(&s);
        scratch_write(&s, "run.csv", BYTES("a,b\n1,2\n"));
        assert_int_equal(sg_journal_open(s.path, "a,b", 8, &journal, &err), SG_SUCCESS);
        assert_int_equal(sg_journal_add(&journal, BYTES("3,4\n"), &err), SG_SUCCESS);
        if (table[i].bytes)
            scratch_write(&s, "run.csv", table[i].bytes, strlen(table[i].bytes));
        else
            unlink(s.path);
        sg_journal_check(&journal, &err);
        assert_error(table[i].proves, &err, table[i].words ? SG_NOT_COMPARABLE : SG_SUCCESS, table[i].words ? "run.csv" : "",
                     table[i].words ? table[i].words : "");
        sg_journal_close(&journal);
        scratch_release(&s);
    }
}

TEST(a_journal_that_is_shorter_than_said_is_not_filled_up)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_journal journal;
    scratch_init(&s);
    scratch_write(&s, "run.csv", BYTES("a,b\n"));
    sg_journal_open(s.path, "a,b", 5, &journal, &err);
    assert_error("nothing to go on from", &err, SG_SYSTEM, "run.csv", "expected at least 5 bytes to go on from, found 4");
    assert_null(journal.path);
    sg_journal_close(&journal);
    scratch_release(&s);
}

TEST(a_full_disk_keeps_whole_batches)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_journal journal;
    struct rlimit before;
    scratch_init(&s);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    char *path = sg_copy_string(scratch_path(&s, "run.csv"));
    assert_int_equal(sg_journal_open(path, "a,b", 0, &journal, &err), SG_SUCCESS);
    const struct rlimit tight = {.rlim_cur = 10, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    assert_int_equal(sg_journal_add(&journal, BYTES("1,2\n"), &err), SG_SUCCESS);
    sg_journal_add(&journal, BYTES("3,4\n5,6\n"), &err); /* two bytes of it fit */
    setrlimit(RLIMIT_FSIZE, &before);
    assert_error("the batch that does not fit", &err, SG_SYSTEM, "run.csv", "File too large");
    assert_non_null(strstr(err.message, "the 8 bytes before this group of 8 are kept"));
    struct sg_text now = scratch_read(&s, "run.csv");
    assert_string_equal(now.data, "a,b\n1,2\n");
    sg_text_release(&now);
    err = (struct sg_err){0};
    assert_int_equal(sg_journal_add(&journal, BYTES("3,4\n"), &err), SG_SUCCESS); /* there is room again */
    sg_journal_close(&journal);
    now = scratch_read(&s, "run.csv");
    assert_string_equal(now.data, "a,b\n1,2\n3,4\n");
    sg_text_release(&now);
    free(path);
    scratch_release(&s);
}
