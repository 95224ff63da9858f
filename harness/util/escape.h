/*
 * util/escape.h - escapes text from outside (a kernel's name, a message, a path) for the place
 * where it is printed.
 *
 * Invariant: the output is valid UTF-8 without the control characters of C0 and C1, whatever the
 * input, and cannot break out of its place. Usage: compose a cell or a sentence in a struct sg_text
 * first, then append it through one of these functions.
 */
#pragma once

#include "util/text.h"

enum sg_escape {
    SG_TERMINAL, /* control characters and invalid bytes become visible: \x1b */
    SG_CELL,     /* the same on one line; line ends and tabs become blanks */
    SG_CSV,      /* the same within double quotes */
    SG_SHELL,    /* within single quotes; control characters stay */
    SG_JSON,     /* for a library that escapes: control characters and invalid bytes become '?' */
    SG_MARKUP,   /* HTML and XML, text and quoted attributes */
    SG_MARKDOWN, /* one line of running text, also inside a table */
    SG_PLOT,     /* a tab-separated field for gnuplot */
    SG_ESCAPES
};
void sg_add_escaped(struct sg_text *out, enum sg_escape place, const char *text);

#define SG_ADD_ESCAPED(name, place)                                \
    static inline void name(struct sg_text *out, const char *text) \
    {                                                              \
        sg_add_escaped(out, place, text);                          \
    }
SG_ADD_ESCAPED(sg_add_terminal, SG_TERMINAL)
SG_ADD_ESCAPED(sg_add_cell, SG_CELL)
SG_ADD_ESCAPED(sg_add_markup, SG_MARKUP)
SG_ADD_ESCAPED(sg_add_markdown, SG_MARKDOWN)
SG_ADD_ESCAPED(sg_add_plot, SG_PLOT)

/* Appends "WHERE: MESSAGE" for a terminal. */
static inline void sg_add_terminal_failure(struct sg_text *out, const struct sg_err *failure)
{
    sg_add_terminal(out, failure->where);
    sg_text_add(out, *failure->where ? ": " : "");
    sg_add_terminal(out, failure->message);
}

/* True if the text is valid UTF-8 without control characters. */
bool sg_is_printable(const char *text);

/* Columns of valid UTF-8 in a terminal, counting each character as one. */
size_t sg_width(const char *text);

#define SG_TERMINAL_COLUMNS 120
/* Wraps words at blanks to SG_TERMINAL_COLUMNS. The first line continues at `column`, the next
 * lines start at `indent`. No newline at the end. */
void sg_add_wrapped(struct sg_text *out, const char *text, size_t column, size_t indent);
