#include "util/escape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at `text`: 1 to 4. 0: a control character or an invalid byte. */
static size_t character_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return s[0] >= ' ' && s[0] != 0x7f;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    const size_t length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* C1, overlong forms, halves of surrogate pairs, beyond U+10FFFF */
    const bool is_refused = (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) ||
                            (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                            (s[0] == 0xf4 && s[1] > 0x8f);
    return is_refused ? 0 : length;
}

#define SPARE 8

/* Returns the replacement of the byte at `at`, which is ASCII or not printable; NULL: keep the
 * byte. `spare` is a buffer for the replacement. `before` is the previous byte, 0 at the start. */
typedef const char *replace_fn(const char *at, char before, char spare[SPARE]);

static void add_replaced(struct sg_text *out, const char *text, replace_fn *replace)
{
    const char *begin = text; /* start of the bytes not yet added */
    for (char before = '\0'; *text; before = text[-1]) {
        char spare[SPARE];
        const size_t length = character_length(text);
        const char *instead = length > 1 ? NULL : replace(text, before, spare);
        if (instead) {
            sg_text_add_bytes(out, begin, (size_t)(text - begin));
            sg_text_add(out, instead);
            begin = text + 1;
        }
        text += length > 1 ? length : 1;
    }
    sg_text_add_bytes(out, begin, (size_t)(text - begin));
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\t' || c == '\r';
}

static const char *for_terminal(const char *at, char before, char spare[SPARE])
{
    (void)before;
    if (character_length(at) > 0)
        return NULL;
    snprintf(spare, SPARE, "\\x%02x", (unsigned)(unsigned char)*at);
    return spare;
}

static const char *for_cell(const char *at, char before, char spare[SPARE])
{
    return is_line_end(*at) ? " " : for_terminal(at, before, spare);
}

/* Shared by every format except the terminal. */
static const char *unprintable(const char *at)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    return is_line_end(*at) ? " " : character_length(at) == 0 ? replacement : NULL;
}

static const char *for_markup(const char *at, char before, char spare[SPARE])
{
    (void)before;
    (void)spare;
    switch (*at) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return unprintable(at);
    }
}

static const char *for_markdown(const char *at, char before, char spare[SPARE])
{
    if (*at == '_' && isalnum((unsigned char)before) && isalnum((unsigned char)at[1]))
        return NULL; /* no markup inside a word, and names are easier to read in the source */
    if (*at == '@')
        return "&#64;"; /* a merge request would notify the person of that name */
    if (!strchr("\\`*_|~[]!#$", *at))
        return for_markup(at, before, spare);
    snprintf(spare, SPARE, "\\%c", *at);
    return spare;
}

static const char *for_plot(const char *at, char before, char spare[SPARE])
{
    (void)before;
    (void)spare;
    if (strncmp(at, "]]>", 3) == 0)
        return "] "; /* would end the CDATA section of an SVG, where gnuplot puts words unescaped */
    if (*at == '"' || *at == '`')
        return "'";
    return *at == '\\' ? "/" : unprintable(at);
}

void sg_add_terminal(struct sg_text *out, const char *text)
{
    add_replaced(out, text, for_terminal);
}

void sg_add_cell(struct sg_text *out, const char *text)
{
    add_replaced(out, text, for_cell);
}

void sg_add_markup(struct sg_text *out, const char *text)
{
    add_replaced(out, text, for_markup);
}

void sg_add_markdown(struct sg_text *out, const char *text)
{
    add_replaced(out, text, for_markdown);
}

void sg_add_plot(struct sg_text *out, const char *text)
{
    add_replaced(out, text, for_plot);
}

void sg_make_printable(char *text)
{
    for (size_t length; *text; text += length ? length : 1) {
        length = character_length(text);
        if (length == 0)
            *text = is_line_end(*text) ? ' ' : '?';
    }
}

bool sg_is_printable(const char *text)
{
    for (size_t length; *text; text += length) {
        length = *text >= ' ' && *text < 0x7f ? 1 : character_length(text);
        if (length == 0)
            return false;
    }
    return true;
}

size_t sg_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void sg_add_wrapped(struct sg_text *out, const char *text, size_t column, size_t indent)
{
    SG_SCOPED(sg_text) shown = {0};
    sg_add_terminal(&shown, text);
    bool begins = true;
    char *rest = shown.data;
    for (const char *word; rest && (word = strsep(&rest, " ")) != NULL;) {
        const size_t width = sg_width(word);
        if (width == 0)
            continue;
        if (!begins && column + 1 + width > SG_TERMINAL_COLUMNS) {
            sg_text_addf(out, "\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        sg_text_addf(out, "%s%s", begins ? "" : " ", word);
        column += !begins + width;
        begins = false;
    }
}
