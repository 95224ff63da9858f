/* util/ini_reader.h: what a key's value is, on which line it stands, and what is refused. */
#include "check.h"
#include "scratch.h"

#include "util/ini_reader.h"

/* Entries as "line section.key=value\n"; the beginning of a section as "line section\n". */
static enum sg_code note_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_text *seen = context;
    if (entry->key)
        sg_text_addf(seen, "%ld %s.%s=%s\n", entry->line, entry->section, entry->key, entry->value);
    else
        sg_text_addf(seen, "%ld %s\n", entry->line, entry->section);
    if (entry->key && strcmp(entry->key, "stop") == 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "told to stop");
    return SG_SUCCESS;
}

static void read_entries(const char *path, struct sg_text *seen, struct sg_err *err)
{
    sg_ini_read(path, note_entry, seen, err);
}

TEST(entries)
{
    static const struct whole table[] = {
        {"a section and a key", BYTES("[s]\nk = v\n"), "1 s\n2 s.k=v\n"},
        {"an empty section is seen", BYTES("[s]\n[t]\n"), "1 s\n2 t\n"},
        {"an empty file has no entries", BYTES(""), ""},
        {"blanks around a value are trimmed", BYTES("[s]\nk =\t v w \t\n"), "1 s\n2 s.k=v w\n"},
        {"a value may be empty", BYTES("[s]\nk =\n"), "1 s\n2 s.k=\n"},
        {"a value may hold an equals sign", BYTES("[s]\nk = a=b\n"), "1 s\n2 s.k=a=b\n"},
        {"CR LF ends a line too", BYTES("[s]\r\nk = v\r\n"), "1 s\n2 s.k=v\n"},
        {"the last line needs no line end", BYTES("[s]\nk = v"), "1 s\n2 s.k=v\n"},
        {"a UTF-8 mark is skipped", BYTES("\xEF\xBB\xBF[s]\nk = v\n"), "1 s\n2 s.k=v\n"},
        {"lines that begin with ; or # are comments", BYTES("; a\n[s]\n# b\n  ; c\nk = v\n"),
         "2 s\n5 s.k=v\n"},
        {"a semicolon inside of a value is part of it", BYTES("[s]\nk = a ; b;c\n"),
         "1 s\n2 s.k=a ; b;c\n"},
        {"so is one at its beginning", BYTES("[s]\nk = ;a\n"), "1 s\n2 s.k=;a\n"},
        {"so is a hash", BYTES("[s]\nk = a # b\n"), "1 s\n2 s.k=a # b\n"},
        {"an indented line goes on with the value", BYTES("[s]\nk = a\n  b\n\tc ; d\n"),
         "1 s\n2 s.k=a b c ; d\n"},
        {"also when it looks like a key or a section", BYTES("[s]\nk = a\n  x = 1\n  [y]\n"),
         "1 s\n2 s.k=a x = 1 [y]\n"},
        {"also behind a comment and an empty line", BYTES("[s]\nk = a\n; c\n\n  b\n"),
         "1 s\n2 s.k=a b\n"},
        {"an indented first key of a section is a key", BYTES("[s]\nk = a\n[t]\n  k = b\n"),
         "1 s\n2 s.k=a\n3 t\n4 t.k=b\n"},
        {"a repeated key comes each time", BYTES("[s]\nk = a\nk = b\n"), "1 s\n2 s.k=a\n3 s.k=b\n"},
    };
    assert_read(table, COUNT(table), read_entries);
}

static void read_and_forget(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_text) seen = {0};
    read_entries(path, &seen, err);
}

TEST(refused)
{
    static const struct damage table[] = {
        {"a line that is neither section nor key", BYTES("[s]\nk = v\nnonsense\nl = w\n"), ":3",
         "found 'nonsense'"},
        {"the same at the end of the file", BYTES("[s]\nnonsense"), ":2", "found 'nonsense'"},
        {"a key before any section", BYTES("k = v\n[s]\n"), ":1",
         "expected a [section] before the first key, found 'k = v'"},
        {"a key without name", BYTES("[s]\n = v\n"), ":2", "expected [section] or key = value"},
        {"a section without name", BYTES("[]\n"), ":1", "found '[]'"},
        {"a section that is not closed", BYTES("[s\nk = v\n"), ":1", "found '[s'"},
        {"text behind a section", BYTES("[s] ; why\n"), ":1", "found '[s] ; why'"},
        {"the same section twice", BYTES("[s]\n[t]\nk = v\n[s]\n"), ":4", "found [s] again"},
        {"a NUL byte", BYTES("[s]\nk = \0v\n"), ":2", "found a NUL byte"},
        {"a control character", BYTES("[s]\nk = \x01v\n"), ":2", "found the byte 0x01"},
        {"what the callback refuses, with a line behind it", BYTES("[s]\nstop = now\nnonsense\n"),
         ":2", "told to stop"},
        {"the first of two faults is told", BYTES("[s]\nstop = now\nstop = later\n"), ":2",
         "told to stop"},
    };
    assert_refused(table, COUNT(table), "t.ini", read_and_forget);
}

TEST(folders_and_absent_files_are_refused)
{
    struct sg_err folder = {0}, absent = {0};
    struct sg_text seen = {0};
    SCRATCH(s);
    sg_ini_read(s.folder, note_entry, &seen, &folder);
    assert_error("a folder", &folder, SG_BAD_INPUT, s.folder, "expected a file, found a folder");
    sg_ini_read(scratch_path(&s, "none.ini"), note_entry, &seen, &absent);
    assert_error("no file", &absent, SG_BAD_INPUT, "none.ini", "No such file or directory");
}
