#include "util/escape.h"

#include <stdio.h>
#include <string.h>

/* One character of a string. `code` is that of the byte itself when
 * the byte begins no valid sequence. */
struct character {
    uint32_t code;
    size_t length; /* bytes */
    bool valid;
};

static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

static struct character decode(const char *text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length: a longer form than needed is an attack */
    const unsigned char *s = (const unsigned char *)text;
    struct character broken = {.code = s[0], .length = 1};
    size_t length = sequence_length(s[0]);
    if (length == 0)
        return broken;
    uint32_t code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return broken;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return broken;
    return (struct character){.code = code, .length = length, .valid = true};
}

/* What a reader or a parser obeys instead of showing it. */
static bool is_control(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } controls[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},                       /* C0, DEL, C1: a terminal obeys U+009B */
        {0x061c, 0x061c}, {0x200e, 0x200f},                   /* marks of direction and ... */
        {0x2028, 0x2029},                                     /* line ends to some */
        {0x202a, 0x202e}, {0x2066, 0x2069},                   /* ... overrides: they make a text read as another one */
        {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfffe, 0xffff}, /* a mark of byte order, noncharacters: XML takes no U+FFFE */
    };
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]) && code >= controls[i].first; i++)
        if (code <= controls[i].last)
            return true;
    return false;
}

struct context {
    char *spare;      /* SPARE bytes for a replacement that is made up */
    uint32_t before;  /* code of the character before, 0 at the start */
    const char *rest; /* the character and what follows */
};
#define SPARE 16

/* What to write instead of a character; NULL: itself. */
typedef const char *replace_fn(struct character c, const struct context *context);

/* Characters that mean nothing anywhere; most are. */
static const bool plain[256] = {
    ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true,
    ['9'] = true, ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true, ['e'] = true, ['f'] = true, ['g'] = true, ['h'] = true,
    ['i'] = true, ['j'] = true, ['k'] = true, ['l'] = true, ['m'] = true, ['n'] = true, ['o'] = true, ['p'] = true, ['q'] = true,
    ['r'] = true, ['s'] = true, ['t'] = true, ['u'] = true, ['v'] = true, ['w'] = true, ['x'] = true, ['y'] = true, ['z'] = true,
    ['.'] = true, [','] = true, [' '] = true, ['/'] = true, ['%'] = true, ['+'] = true, ['-'] = true, [':'] = true, [';'] = true,
};

static void add_replaced(struct sg_text *out, const char *text, replace_fn *replace)
{
    char spare[SPARE];
    struct context context = {.spare = spare};
    const char *kept = text;
    while (*text) {
        if (plain[(unsigned char)*text]) {
            context.before = (unsigned char)*text++;
            continue;
        }
        struct character c = decode(text);
        context.rest = text;
        const char *instead = replace(c, &context);
        if (instead) {
            sg_text_add_bytes(out, kept, (size_t)(text - kept));
            sg_text_add(out, instead);
            kept = text + c.length;
        }
        context.before = c.code;
        text += c.length;
    }
    sg_text_add_bytes(out, kept, (size_t)(text - kept));
}

static const char *for_terminal(struct character c, const struct context *context)
{
    if (c.valid && !is_control(c.code))
        return NULL;
    snprintf(context->spare, SPARE, c.code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c.code);
    return context->spare;
}

static bool is_blank(uint32_t code)
{
    return code == '\n' || code == '\t' || code == '\r';
}

static const char *for_cell(struct character c, const struct context *context)
{
    return c.valid && is_blank(c.code) ? " " : for_terminal(c, context);
}

#define REPLACEMENT "\xef\xbf\xbd"

/* The part that every format but the terminal shares: a line end is a blank,
 * anything else unprintable is U+FFFD. */
static const char *unprintable(struct character c)
{
    if (is_blank(c.code))
        return " ";
    return !c.valid || is_control(c.code) ? REPLACEMENT : NULL;
}

static const char *as_entity(uint32_t code)
{
    switch (code) {
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
        return NULL;
    }
}

static const char *for_markup(struct character c, const struct context *context)
{
    (void)context;
    const char *entity = as_entity(c.code);
    return entity && c.valid ? entity : unprintable(c);
}

static bool is_word(uint32_t code)
{
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}

static const char *for_markdown(struct character c, const struct context *context)
{
    if (c.code == '_' && is_word(context->before) && is_word((unsigned char)context->rest[1]))
        return NULL; /* inside a word it means nothing, and names are easier to read in the source */
    if (c.code == '@')
        return "&#64;"; /* a merge request would notify whoever is called so */
    if (c.valid && c.code < 0x80 && c.code && strchr("\\`*_|~[]!#$", (int)c.code)) {
        snprintf(context->spare, SPARE, "\\%c", (int)c.code);
        return context->spare;
    }
    return for_markup(c, context);
}

static const char *for_plot(struct character c, const struct context *context)
{
    if (strncmp(context->rest, "]]>", 3) == 0)
        return "] "; /* in an SVG gnuplot puts words into CDATA sections as they are, which this would end */
    if (c.code == '"' || c.code == '`')
        return "'";
    if (c.code == '\\')
        return "/";
    return unprintable(c);
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
    char *to = text;
    while (*text) {
        const struct character c = decode(text);
        const bool is_blank = c.code == '\n' || c.code == '\t' || c.code == '\r';
        if (is_blank || !c.valid || is_control(c.code))
            *to++ = is_blank ? ' ' : '?';
        else
            for (size_t i = 0; i < c.length; i++)
                *to++ = text[i];
        text += c.length;
    }
    *to = '\0';
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
    struct sg_text shown = {0}, word = {0};
    sg_add_terminal(&shown, text);
    size_t used = column;
    bool begins = true;
    for (const char *next = sg_text_string(&shown); *next; next += strspn(next, " ")) {
        size_t length = strcspn(next, " ");
        word.length = 0;
        sg_text_add_bytes(&word, next, length);
        size_t width = sg_width(sg_text_string(&word));
        if (!begins && used + 1 + width > SG_TERMINAL_COLUMNS) {
            sg_text_addf(out, "\n%*s", (int)indent, "");
            used = indent;
            begins = true;
        }
        sg_text_addf(out, "%s%s", begins ? "" : " ", sg_text_string(&word));
        used += !begins + width;
        begins = false;
        next += length;
    }
    sg_text_release(&word);
    sg_text_release(&shown);
}
