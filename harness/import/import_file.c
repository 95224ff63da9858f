#define _GNU_SOURCE /* for memmem */
#include "import/import_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/names.h"
#include "util/paths.h"
#include "util/start_process.h"

#define HEAD_BYTES (1 << 20) /* read ahead to detect the format */
#define LINE_MOST  (16 << 20)

/* A file that begins with these bytes is read through a program, which gets the file as its last
 * argument. */
static const struct filter {
    const char *magic, *words, *without; /* what to do if the program is missing */
} filters[] = {
    {"\x1f\x8b", "gzip -dc --", "unpack it first"},
    {"NVR", "ncu --page raw --csv --print-units base --print-fp --import",
     "on a machine with ncu, `ncu --import FILE --page raw --csv >FILE.csv` makes CSV to import"},
};

/* True if the text begins with an object or an array of objects. Output of a program before a table
 * may begin with a bracket, too. */
static bool looks_like_json(const char *head, size_t count)
{
    static const char blanks[] = " \t\r\n\xef\xbb\xbf", table[] = "\n\"ID\",\"";
    const char *at = head + strspn(head, blanks),
               *next = *at == '[' ? at + 1 + strspn(at + 1, blanks) : at;
    return (*next == '{' || (*at == '[' && *next == ']')) &&
           !memmem(head, count, table, sizeof(table) - 1);
}

static enum sg_code read_through(struct sg_import_file *file, const struct filter *filter,
                                 struct sg_err *err)
{
    static const struct sg_environment_change plain = {"LC_ALL", "C"};
    SG_SCOPED(sg_text) program = {0};
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_split(&words, filter->words, ' ');
    sg_names_add(&words, file->path);
    if (!sg_program_path(&program, words.items[0]))
        return sg_fail(err, SG_SYSTEM, file->path,
                       "expected the program %s in PATH, found none: %s", words.items[0],
                       filter->without);
    fclose(file->bytes);
    file->bytes =
        sg_process_open((struct sg_process_start){.argv = words.items,
                                                  .changes = &plain,
                                                  .change_count = 1,
                                                  .descriptors = {SG_FROM_NOTHING, SG_FROM_NOTHING,
                                                                  SG_FROM_CALLER, SG_FROM_NOTHING},
                                                  .group = SG_CALLERS_GROUP},
                        &file->process, err);
    file->head_count = file->bytes ? fread(file->head, 1, HEAD_BYTES, file->bytes) : 0;
    return err->code;
}

enum sg_code sg_import_file_open(struct sg_import_file *file, const char *path, struct sg_err *err)
{
    int descriptor = -1;
    *file = (struct sg_import_file){.path = path, .line = 1, .digest = SG_DIGEST_EMPTY};
    if (sg_open_to_read(path, &descriptor, err) != SG_SUCCESS)
        return err->code;
    file->bytes = fdopen(descriptor, "r");
    file->head = sg_alloc(HEAD_BYTES + 1, 1);
    file->head_count = fread(file->head, 1, HEAD_BYTES, file->bytes);
    if (file->head_count == 0)
        sg_fail_at(err, SG_BAD_INPUT, path, 1,
                   "expected a file of another tool, found an empty one");
    for (size_t i = 0;
         i < sizeof(filters) / sizeof(filters[0]) && err->code == SG_SUCCESS && !file->process; i++)
        if (strncmp(file->head, filters[i].magic, strlen(filters[i].magic)) == 0)
            read_through(file, &filters[i], err);
    file->head[file->head_count] = '\0';
    file->is_json = looks_like_json(file->head, file->head_count);
    file->head_taken = strncmp(file->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return err->code;
}

enum sg_code sg_import_file_close(struct sg_import_file *file, struct sg_err *err)
{
    const bool is_whole = file->bytes && !ferror(file->bytes);
    if (file->bytes)
        fclose(file->bytes);
    const int status = file->process > 0 ? sg_process_wait(file->process) : 0;
    free(file->head);
    if (!is_whole)
        sg_fail(err, SG_SYSTEM, file->path, "cannot be read to its end");
    /* A program whose output is not read to its end, because of an error in it, dies of
     * SIGPIPE. The first error is kept. */
    return status != 0 ? sg_fail(err, SG_SYSTEM, file->path,
                                 "the program that unpacks it cannot read it; its message is above")
                       : err->code;
}

static int take(struct sg_import_file *file)
{
    const int byte = file->head_taken < file->head_count
                         ? (unsigned char)file->head[file->head_taken++]
                         : getc_unlocked(file->bytes);
    const char c = (char)byte;
    file->line += byte == '\n';
    sg_digest_add(&file->digest, &c, byte != EOF);
    return byte;
}

bool sg_import_file_line(struct sg_import_file *file, struct sg_text *line, struct sg_err *err)
{
    const long number = file->line;
    int byte = 0;
    line->length = 0;
    sg_text_add(line, "");
    while (line->length <= LINE_MOST && (byte = take(file)) != EOF && byte != '\n' &&
           byte != '\0') {
        const char c = (char)byte;
        sg_text_add_bytes(line, &c, 1);
    }
    if (byte == '\0' || line->length > LINE_MOST)
        return sg_fail_at(err, SG_BAD_INPUT, file->path, number,
                          "expected a line of text of at most %d bytes, found %s", LINE_MOST,
                          byte == '\0' ? "a NUL byte" : "more") == SG_SUCCESS;
    if (byte == EOF && line->length > 0)
        return sg_fail_at(err, SG_BAD_INPUT, file->path, number,
                          "expected a line end, found the end of the file: was it cut off? If the "
                          "file is whole, append a line end") == SG_SUCCESS;
    if (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    return byte != EOF;
}

/* ---- JSON ---- */

#define ELEMENT_MOST (256 << 20) /* bytes */

static int peek_after_blanks(struct sg_import_file *file)
{
    for (;;) {
        const bool is_in_head = file->head_taken < file->head_count;
        const int byte =
            is_in_head ? (unsigned char)file->head[file->head_taken] : getc_unlocked(file->bytes);
        if (!is_in_head)
            ungetc(byte, file->bytes);
        if (byte == EOF || !strchr(" \n\t\r", byte) || byte == '\0')
            return byte;
        take(file);
    }
}

static bool take_if(struct sg_import_file *file, int wanted)
{
    return peek_after_blanks(file) == wanted && take(file) == wanted;
}

static enum sg_code fail(struct sg_import_file *file, const char *expected, struct sg_err *err)
{
    const int byte = peek_after_blanks(file);
    const char found = (char)byte;
    return sg_fail_at(err, SG_BAD_INPUT, file->path, file->line, "expected %s, found '%s'",
                      expected, byte == EOF ? "the end of the file" : sg_show(&found, 1).text);
}

/* Gives bytes up to the next one that may end a value, so that jansson reads nothing after the
 * value. */
static size_t give_bytes(void *buffer, size_t size, void *context)
{
    struct sg_import_file *file = context;
    char *bytes = buffer;
    size_t count = 0;
    for (int byte = 0;
         count < size && file->taken < ELEMENT_MOST && byte != '"' && byte != '}' && byte != ']';
         file->taken++) {
        byte = take(file);
        if (byte == EOF)
            break;
        bytes[count++] = (char)byte;
    }
    return count;
}

/* Parses an object, an array or a string. Numbers have no end mark and cannot be parsed here. NULL:
 * none, or invalid. */
static json_t *take_value(struct sg_import_file *file, struct sg_err *err)
{
    json_error_t error;
    peek_after_blanks(file);
    const long first = file->line;
    file->taken = 0;
    json_t *value =
        json_load_callback(give_bytes, file, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);
    if (!value)
        sg_fail_at(err, SG_BAD_INPUT, file->path, first + (error.line > 0 ? error.line - 1 : 0),
                   "expected JSON: %s", sg_show_string(error.text).text);
    return value;
}

static bool has_end(int byte)
{
    return byte == '{' || byte == '[' || byte == '"';
}

/* Skips a number, true, false or null. */
static void skip_value(struct sg_import_file *file, struct sg_err *err)
{
    int byte = peek_after_blanks(file);
    if (byte == ',' || byte == '}' || byte == ']' || byte == EOF)
        fail(file, "a value", err);
    else
        while ((byte = peek_after_blanks(file)) != ',' && byte != '}' && byte != ']' && byte != EOF)
            take(file);
}

/* Passes on an object, an array or a string; passes NULL for a number, true, false or null. */
static enum sg_code take_element(struct sg_import_file *file, const char *key, sg_element_fn *fn,
                                 void *context, struct sg_err *err)
{
    const bool is_bare = !has_end(peek_after_blanks(file));
    const long line = file->line;
    json_t *element = is_bare ? NULL : take_value(file, err);
    if (is_bare)
        skip_value(file, err);
    if (err->code == SG_SUCCESS && fn(context, key, element, err) != SG_SUCCESS)
        sg_fail_here(err, file->path, line);
    json_decref(element);
    return err->code;
}

static enum sg_code take_elements(struct sg_import_file *file, const char *key, sg_element_fn *fn,
                                  void *context, struct sg_err *err)
{
    if (take_if(file, ']'))
        return SG_SUCCESS;
    while (take_element(file, key, fn, context, err) == SG_SUCCESS && take_if(file, ','))
        ;
    return err->code == SG_SUCCESS && !take_if(file, ']')
               ? fail(file, "a comma or the end of the array", err)
               : err->code;
}

static enum sg_code take_member(struct sg_import_file *file, sg_element_fn *fn, void *context,
                                struct sg_err *err)
{
    json_t *key = peek_after_blanks(file) == '"' ? take_value(file, err) : NULL;
    if (!key || !take_if(file, ':'))
        fail(file, "a member's name in quotes and a colon", err);
    else if (take_if(file, '['))
        take_elements(file, json_string_value(key), fn, context, err);
    else
        take_element(file, json_string_value(key), fn, context, err);
    json_decref(key);
    return err->code;
}

enum sg_code sg_import_file_elements(struct sg_import_file *file, sg_element_fn *fn, void *context,
                                     struct sg_err *err)
{
    if (take_if(file, '[')) {
        take_elements(file, "", fn, context, err);
    } else if (!take_if(file, '{')) {
        fail(file, "an object or an array", err);
    } else if (!take_if(file, '}')) {
        while (take_member(file, fn, context, err) == SG_SUCCESS && take_if(file, ','))
            ;
        if (err->code == SG_SUCCESS && !take_if(file, '}'))
            fail(file, "a comma or the end of the object", err);
    }
    return err->code == SG_SUCCESS && peek_after_blanks(file) != EOF
               ? fail(file, "the end of the file", err)
               : err->code;
}
