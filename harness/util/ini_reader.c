#include "util/ini_reader.h"

#include <ini.h> /* inih's: our folders are searched for quoted names only */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

#define FILE_BYTES_MAX (4u << 20)
/* Stands for a semicolon while inih looks at a line, because inih takes " ;"
 * inside of a value for a comment. */
#define SEMICOLON '\x01'

struct section {
    char *name;
    long line;
};

/* inih asks for lines and calls back for keys; what it does not tell (lines, sections,
 * continuations) is seen as lines pass by. */
struct reader {
    const char *path;
    sg_ini_fn *fn;
    void *context;
    struct sg_err *err;
    struct sg_text text; /* the file */
    size_t at;           /* where the next line begins */
    long line;           /* last handed to inih, from 1 */
    struct section *sections;
    size_t section_count, section_capacity;
    bool indented; /* the line begins with a blank: it goes on with the value, if there is one */
    bool awaited;  /* the line must come back as a key; if it does not, inih could not read it */
    bool begun;    /* key and value are held back, for lines may follow that go on with them */
    long key_line;
    char key[SG_INI_NAME_MAX + 1];
    struct sg_text value;
};

static enum sg_code load(struct reader *r)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, written by some editors */
    char bytes[8192];
    int descriptor;
    size_t got;
    if (sg_open_to_read(r->path, &descriptor, r->err) != SG_SUCCESS)
        return r->err->code;
    do {
        if (sg_read_bytes(r->path, descriptor, bytes, sizeof(bytes), &got, r->err) == SG_SUCCESS)
            sg_text_add_bytes(&r->text, bytes, got);
    } while (got == sizeof(bytes) && r->text.length <= FILE_BYTES_MAX);
    close(descriptor);
    r->at = r->text.length >= 3 && memcmp(r->text.data, mark, 3) == 0 ? 3 : 0;
    return r->err->code;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static enum sg_code fail_found(struct reader *r, const char *expected, const char *found, size_t count)
{
    return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected %s, found '%s'", expected, sg_show(found, count).text);
}

static enum sg_code hand_on(struct reader *r)
{
    if (!r->begun || r->err->code != SG_SUCCESS)
        return r->err->code;
    r->begun = false;
    const struct sg_ini_entry entry = {.path = r->path,
                                       .line = r->key_line,
                                       .section = r->sections[r->section_count - 1].name,
                                       .key = r->key,
                                       .value = sg_text_string(&r->value)};
    return r->fn(r->context, &entry, r->err);
}

static enum sg_code begin_key(struct reader *r, const char *name)
{
    if (hand_on(r) != SG_SUCCESS)
        return r->err->code;
    size_t count = strlen(name);
    if (r->section_count == 0)
        return fail_found(r, "a [section] before the first key", name, count);
    if (count == 0 || count > SG_INI_NAME_MAX)
        return fail_found(r, "a key of 1 to 48 bytes", name, count);
    memcpy(r->key, name, count + 1);
    r->key_line = r->line;
    r->value.length = 0;
    r->begun = true;
    return SG_SUCCESS;
}

/* inih takes 0 for an error and goes on all the same:
 * on_line_wanted is what ends the file early. */
static int on_key(void *context, const char *inih_section, const char *name, const char *value)
{
    struct reader *r = context;
    (void)inih_section;
    r->awaited = false;
    if (r->begun && r->indented)
        sg_text_add(&r->value, " ");
    else if (r->err->code != SG_SUCCESS || begin_key(r, name) != SG_SUCCESS)
        return 0;
    size_t start = r->value.length;
    sg_text_add(&r->value, value);
    for (char *mark = r->value.data + start; (mark = strchr(mark, SEMICOLON)) != NULL;)
        *mark = ';';
    return 1;
}

static enum sg_code begin_section(struct reader *r, const char *line, size_t count)
{
    if (count < 3 || count - 2 > SG_INI_NAME_MAX || memchr(line, ']', count) != line + count - 1)
        return fail_found(r, "[section] alone on its line, a name of at most 48 bytes", line, count);
    if (hand_on(r) != SG_SUCCESS)
        return r->err->code;
    struct section *now = SG_APPEND(r->sections, r->section_count, r->section_capacity);
    *now = (struct section){.name = sg_alloc(count - 1, 1), .line = r->line};
    memcpy(now->name, line + 1, count - 2);
    for (const struct section *old = r->sections; old < now; old++) {
        if (strcmp(old->name, now->name) == 0)
            return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected each section once, found [%s] again; it began on line %ld",
                              now->name, old->line);
    }
    const struct sg_ini_entry entry = {.path = r->path, .line = r->line, .section = now->name};
    return r->fn(r->context, &entry, r->err);
}

static enum sg_code check_line(struct reader *r, const char *line, size_t count)
{
    if (count > SG_INI_LINE_MAX)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line,
                          "expected a line of at most %d bytes, found %zu; go on with the value on an indented line", SG_INI_LINE_MAX,
                          count);
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)line[i] < ' ' && line[i] != '\t')
            return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected text, found the byte 0x%02x at column %zu",
                              (unsigned)(unsigned char)line[i], i + 1);
    }
    return SG_SUCCESS;
}

/* What inih will make of a checked line without blanks at its ends. */
static enum sg_code look_at(struct reader *r, const char *line, size_t count)
{
    if (count == 0 || line[0] == ';' || line[0] == '#')
        return SG_SUCCESS;
    if (line[0] == '[' && !(r->begun && r->indented))
        return begin_section(r, line, count);
    r->awaited = true;
    return SG_SUCCESS;
}

/* The next line without its end; false when there is none. */
static bool next_line(struct reader *r, const char **line, size_t *count)
{
    if (r->at >= r->text.length)
        return false;
    *line = r->text.data + r->at;
    const char *newline = memchr(*line, '\n', r->text.length - r->at);
    *count = newline ? (size_t)(newline - *line) : r->text.length - r->at;
    r->at += *count + 1;
    r->line++;
    if (*count > 0 && (*line)[*count - 1] == '\r')
        --*count;
    return true;
}

static char *on_line_wanted(char *buffer, int size, void *context)
{
    struct reader *r = context;
    const char *line;
    size_t count;
    if (r->awaited && hand_on(r) == SG_SUCCESS)
        fail_found(r, "[section] or key = value", buffer, strlen(buffer));
    if (r->err->code != SG_SUCCESS || !next_line(r, &line, &count) || check_line(r, line, count) != SG_SUCCESS)
        return NULL;
    size_t blanks = 0;
    while (blanks < count && is_blank(line[blanks]))
        blanks++;
    while (count > blanks && is_blank(line[count - 1]))
        count--;
    r->indented = blanks > 0;
    if (look_at(r, line + blanks, count - blanks) != SG_SUCCESS)
        return NULL;
    if (count + 2 > (size_t)size) {
        sg_fail_at(r->err, SG_SYSTEM, r->path, r->line, "this inih takes lines of %d bytes at most", size - 2);
        return NULL;
    }
    memcpy(buffer, line, count);
    buffer[count] = '\0';
    for (char *mark = buffer + blanks; *mark && (mark = strchr(mark + 1, ';')) != NULL;)
        *mark = SEMICOLON;
    return buffer;
}

static void release(struct reader *r)
{
    sg_text_release(&r->text);
    sg_text_release(&r->value);
    for (size_t i = 0; i < r->section_count; i++)
        free(r->sections[i].name);
    free(r->sections);
}

enum sg_code sg_ini_fail_missing(const char *path, const char *what, struct sg_err *err)
{
    return sg_fail_at(err, SG_BAD_INPUT, path, 1, "expected %s in this file, found none", what);
}

enum sg_code sg_ini_read(const char *path, sg_ini_fn *fn, void *context, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err};
    if (load(&r) != SG_SUCCESS)
        goto out;
    if (ini_parse_stream(on_line_wanted, &r, on_key, &r) < 0)
        sg_fail(err, SG_SYSTEM, path, "inih ran out of memory");
    if (hand_on(&r) == SG_SUCCESS && r.text.length > FILE_BYTES_MAX)
        sg_fail(err, SG_BAD_INPUT, path, "expected a file of at most %u bytes, found a larger one", FILE_BYTES_MAX);
out:
    release(&r);
    return err->code;
}
