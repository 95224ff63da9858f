/*
 * util/escape.h - words from outside (a kernel's name, a message, a path) made
 * harmless for the place they go to.
 *
 * Invariant: what comes out is valid UTF-8 without the control characters of C0 and C1, whatever
 * bytes went in, and cannot leave the place it was put.
 * How it is used: compose a cell or a sentence in a struct sg_text first, then append it to
 * the output through one of these.
 */
#pragma once

#include "util/text.h"

void sg_add_terminal(struct sg_text *out, const char *text); /* control characters and broken bytes become visible: \x1b */
void sg_add_cell(struct sg_text *out, const char *text);     /* the same in a cell of CSV, where a line end or a tab is a blank */
void sg_add_markup(struct sg_text *out, const char *text);   /* HTML and XML, text and quoted attributes */
void sg_add_markdown(struct sg_text *out, const char *text); /* one line of running text, also inside a table */
void sg_add_plot(struct sg_text *out, const char *text);     /* a tab-separated field for gnuplot */

/* In place, for what comes in: control characters and broken bytes become '?', line ends and
 * tabs blanks. Not longer than before. */
void sg_make_printable(char *text);

/* Columns that valid UTF-8 takes in a terminal, every character counted as one. */
size_t sg_width(const char *text);

#define SG_TERMINAL_COLUMNS 120
/*
 * Words for a terminal, broken at blanks where a line would be longer than that: the first line
 * goes on at `column`, the next ones begin at `indent`. No line end behind the last.
 */
void sg_add_wrapped(struct sg_text *out, const char *text, size_t column, size_t indent);
