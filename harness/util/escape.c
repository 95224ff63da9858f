#include "util/escape.h"

#include <ctype.h>
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

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

/* What each place has instead of a byte; NULL: the byte itself. The last row is for control
 * characters and invalid bytes; "x": \xNN. */
static const struct {
    const char byte;
    const char *instead[SG_ESCAPES];
} table[] = {
#define BLANK                                                                                     \
    {                                                                                             \
        [SG_TERMINAL] = "x", [SG_CELL] = " ", [SG_CSV] = " ", [SG_JSON] = " ", [SG_MARKUP] = " ", \
        [SG_MARKDOWN] = " ", [SG_PLOT] = " "                                                      \
    }
    {'\n', BLANK},
    {'\t', BLANK},
    {'\r', BLANK},
    {'&', {[SG_MARKUP] = "&amp;", [SG_MARKDOWN] = "&amp;"}},
    {'<', {[SG_MARKUP] = "&lt;", [SG_MARKDOWN] = "&lt;"}},
    {'>', {[SG_MARKUP] = "&gt;", [SG_MARKDOWN] = "&gt;"}},
    {'"', {[SG_CSV] = "\"\"", [SG_MARKUP] = "&quot;", [SG_MARKDOWN] = "&quot;", [SG_PLOT] = "'"}},
    {'\'', {[SG_SHELL] = "'\\''", [SG_MARKUP] = "&#39;", [SG_MARKDOWN] = "&#39;"}},
    {'@', {[SG_MARKDOWN] = "&#64;"}}, /* a merge request would notify the person of that name */
    {'\\', {[SG_MARKDOWN] = "\\\\", [SG_PLOT] = "/"}},
    {'`', {[SG_MARKDOWN] = "\\`", [SG_PLOT] = "'"}},
    {'*', {[SG_MARKDOWN] = "\\*"}},
    {'_', {[SG_MARKDOWN] = "\\_"}},
    {'|', {[SG_MARKDOWN] = "\\|"}},
    {'~', {[SG_MARKDOWN] = "\\~"}},
    {'[', {[SG_MARKDOWN] = "\\["}},
    {']', {[SG_MARKDOWN] = "\\]"}},
    {'!', {[SG_MARKDOWN] = "\\!"}},
    {'#', {[SG_MARKDOWN] = "\\#"}},
    {'$', {[SG_MARKDOWN] = "\\$"}},
    {'\0',
     {[SG_TERMINAL] = "x",
      [SG_CELL] = "x",
      [SG_CSV] = "x",
      [SG_JSON] = "?",
      [SG_MARKUP] = REPLACED,
      [SG_MARKDOWN] = REPLACED,
      [SG_PLOT] = REPLACED}},
};

/* NULL: keep the byte at `at`. `before` is the previous byte, 0 at the start. */
static const char *instead_of(enum sg_escape place, const char *at, char before, size_t length)
{
    const bool is_inside_word = isalnum((unsigned char)before) && isalnum((unsigned char)at[1]);
    size_t row = 0;
    while (table[row].byte != *at && table[row].byte != '\0')
        row++;
    if (length > 1 || (table[row].byte == '\0' && length == 1))
        return NULL;
    if (place == SG_MARKDOWN && *at == '_' && is_inside_word)
        return NULL; /* no markup inside a word, and names are easier to read in the source */
    return table[row].instead[place];
}

void sg_add_escaped(struct sg_text *out, enum sg_escape place, const char *text)
{
    const char *begin = text; /* start of the bytes not yet added */
    for (char before = '\0'; *text; before = text[-1]) {
        const size_t length = character_length(text);
        /* ]]> would end the CDATA section of an SVG, where gnuplot puts words unescaped */
        const bool ends_cdata = place == SG_PLOT && strncmp(text, "]]>", 3) == 0;
        const char *instead = ends_cdata ? "] " : instead_of(place, text, before, length);
        if (instead) {
            sg_text_add_bytes(out, begin, (size_t)(text - begin));
            if (*instead == 'x')
                sg_text_addf(out, "\\x%02x", (unsigned)(unsigned char)*text);
            else
                sg_text_add(out, instead);
            begin = text + 1;
        }
        text += length > 1 ? length : 1;
    }
    sg_text_add_bytes(out, begin, (size_t)(text - begin));
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
