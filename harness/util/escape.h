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

/* control characters and invalid bytes become visible: \x1b */
void sg_add_terminal(struct sg_text *out, const char *text);
/* the same for a cell of CSV; line ends and tabs become blanks */
void sg_add_cell(struct sg_text *out, const char *text);
/* HTML and XML, text and quoted attributes */
void sg_add_markup(struct sg_text *out, const char *text);
/* one line of running text, also inside a table */
void sg_add_markdown(struct sg_text *out, const char *text);
void sg_add_plot(struct sg_text *out, const char *text); /* a tab-separated field for gnuplot */

/* In place, for input: control characters and invalid bytes become '?', line ends and tabs
 * blanks. Never longer than before. */
void sg_make_printable(char *text);

/* True if the text is valid UTF-8 without control characters. */
bool sg_is_printable(const char *text);

/* Columns of valid UTF-8 in a terminal, counting each character as one. */
size_t sg_width(const char *text);

#define SG_TERMINAL_COLUMNS 120
/* Wraps words at blanks to SG_TERMINAL_COLUMNS. The first line continues at `column`, the next
 * lines start at `indent`. No newline at the end. */
void sg_add_wrapped(struct sg_text *out, const char *text, size_t column, size_t indent);
