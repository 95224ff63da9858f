#include "util/ini_reader.h"

#include <string.h>

#include "util/file.h"
#include "util/names.h"

struct reader {
    const char *path;
    sg_ini_fn *fn;
    void *context;
    struct sg_err *err;
    long line;
    const char *section; /* points into the file's text, as `key` does; NULL: none yet */
    struct sg_names sections;
    const char *key; /* pending until its continuation lines are read; NULL: none */
    long key_line;
    struct sg_text value;
};

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static enum sg_code fail_found(struct reader *r, const char *expected, const char *found)
{
    return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected %s, found '%s'", expected,
                      sg_show_string(found).text);
}

static enum sg_code emit_entry(struct reader *r)
{
    if (!r->key || r->err->code != SG_SUCCESS)
        return r->err->code;
    const struct sg_ini_entry entry = {.path = r->path,
                                       .line = r->key_line,
                                       .section = r->section,
                                       .key = r->key,
                                       .value = sg_text_string(&r->value)};
    r->key = NULL;
    return r->fn(r->context, &entry, r->err);
}

static enum sg_code begin_section(struct reader *r, char *line)
{
    char *end = strchr(line, ']');
    if (!end || end == line + 1 || end[1])
        return fail_found(r, "[section] alone on its line", line);
    *end = '\0';
    r->section = line + 1;
    if (sg_names_have(&r->sections, r->section))
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line,
                          "expected each section once, found [%s] again", r->section);
    sg_names_add(&r->sections, r->section);
    const struct sg_ini_entry entry = {.path = r->path, .line = r->line, .section = r->section};
    return r->fn(r->context, &entry, r->err);
}

static enum sg_code begin_key(struct reader *r, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return fail_found(r, "[section] or key = value", line);
    if (!r->section)
        return fail_found(r, "a [section] before the first key", line);
    *equals = '\0';
    r->key = trim(line);
    r->key_line = r->line;
    r->value.length = 0;
    sg_text_add(&r->value, trim(equals + 1));
    return SG_SUCCESS;
}

static enum sg_code take_line(struct reader *r, char *line)
{
    const bool is_indented = strchr(" \t", line[0]) != NULL;
    for (const char *at = line; *at; at++)
        if ((unsigned char)*at < ' ' && *at != '\t')
            return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line,
                              "expected text, found the byte 0x%02x at column %zu",
                              (unsigned)(unsigned char)*at, (size_t)(at - line) + 1);
    line = trim(line);
    if (strchr(";#", line[0])) /* or empty */
        return SG_SUCCESS;
    if (is_indented && r->key) {
        sg_text_addf(&r->value, " %s", line);
        return SG_SUCCESS;
    }
    if (emit_entry(r) != SG_SUCCESS)
        return r->err->code;
    return line[0] == '[' ? begin_section(r, line) : begin_key(r, line);
}

enum sg_code sg_ini_fail_missing(const char *path, const char *what, struct sg_err *err)
{
    return sg_fail_at(err, SG_BAD_INPUT, path, 1, "expected %s in this file, found none", what);
}

enum sg_code sg_ini_read(const char *path, sg_ini_fn *fn, void *context, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err};
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_text(path, &text, err) == SG_SUCCESS) {
        const bool has_nul = strlen(text.data) < text.length;
        char *rest = text.data;
        for (char *line; err->code == SG_SUCCESS && (line = strsep(&rest, "\n")) != NULL;) {
            r.line++;
            take_line(&r, line);
        }
        if (has_nul)
            sg_fail_at(err, SG_BAD_INPUT, path, r.line, "expected text, found a NUL byte");
        emit_entry(&r);
    }
    sg_text_release(&r.value);
    sg_names_release(&r.sections);
    return err->code;
}
