/*
 * reports/sheet.h - what a command prints: sheets of rows, with the meaning of each column, and
 * notes. A command fills a document once; each format (reports/format_NAME.c) prints all of it.
 *
 * Cells go in unescaped, and each format escapes them for its place (util/escape.h); where people
 * read, an empty cell shows as "-". Invariant: a row has as many cells as there are columns; lines
 * below a row belong to the row added last.
 *
 *     sheet = sg_document_sheet(&document, "cases", SG_COLUMNS(columns), SG_FOR_ALL);
 *     for each row: sg_sheet_row(sheet, class); one sg_sheet_cell(sheet, ...) a column;
 *     sg_document_note(&document, SG_FOR_ALL, "2 cases are left out");
 *     sg_print_document(&document, format, err);
 *     sg_document_release(&document);
 */
#pragma once

#include "util/text.h"

/* How a row is to be taken; colours and style sheets hang on it. */
enum sg_class {
    SG_RED,     /* fails the gate: regressed, broken, invalid, missing */
    SG_YELLOW,  /* needs a person: inconclusive, fixed, a counter that gates changed */
    SG_NEWS,    /* improved, new */
    SG_GREEN,   /* within, identical, as expected */
    SG_OPEN,    /* unresolved: accepted numbers are too noisy for the suite's tolerance */
    SG_COUNTER, /* a counter that differs and does not gate */
    SG_ASIDE,   /* shown, never gates: absolute times of candidates */
    SG_CLASS_COUNT
};
const char *sg_class_word(enum sg_class class_); /* red, yellow, news, green, open, counter, aside: also of the style sheet */

/* What the cells of a column are. */
enum sg_cells {
    SG_WORDS,
    SG_COMMANDS, /* to be typed: set as code, where a format has it */
    SG_FILES,    /* beside the document: links, where a format has them */
    SG_SPARKS,   /* numbers, blank between, "-" for none: a small line, in browsers alone */
    SG_FIGURES,  /* of the document, "NAME WORD" each: links, in browsers alone */
};

struct sg_column {
    const char *title;   /* for people; for programs too, where there is no name */
    const char *meaning; /* one line */
    bool right;          /* aligned to the right; numbers are, too */
    bool spare;          /* left out of a terminal, which is narrow */
    bool yields;         /* left out of a terminal where the row is too long with it */
    bool programs;       /* for programs only */
    bool key;            /* shown on a page as narrow as a telephone, where others are not; none of a table: then all are */
    bool number;         /* for programs its cells are numbers in `unit`, or empty */
    const char *name;    /* for programs: [a-z0-9_]+; NULL: the title */
    const char *unit;    /* for programs; NULL: none */
    enum sg_cells cells;
};
#define SG_COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

/* Who gets a part of a document, a bit each. CSV has no place for notes, nor for more than one
 * sheet: it is the first sheet that programs get. */
enum sg_readers {
    SG_FOR_TERMINAL = 1, /* text */
    SG_FOR_MARKDOWN = 2,
    SG_FOR_BROWSERS = 4, /* HTML */
    SG_FOR_PROGRAMS = 8, /* CSV, JSON */
    SG_FOR_PAGES = SG_FOR_MARKDOWN | SG_FOR_BROWSERS,
    SG_FOR_PEOPLE = SG_FOR_TERMINAL | SG_FOR_PAGES,
    SG_FOR_ALL = SG_FOR_PEOPLE | SG_FOR_PROGRAMS,
};

struct sg_sheet_line {
    size_t row, start; /* below which row; offset in bytes */
};

struct sg_sheet {
    const char *name;                /* for programs: [a-z0-9_]+, one of its document */
    const struct sg_column *columns; /* borrowed */
    size_t column_count;
    struct sg_text bytes; /* all cells and lines, each terminated */
    size_t *cell;         /* owned: offset of each in bytes; behind the words of a value is its number */
    size_t cell_count, cell_capacity;
    enum sg_class *row; /* owned */
    size_t row_count, row_capacity;
    uint16_t *exact; /* owned: for each cell, how far behind its beginning the number is; 0: the words are for programs too */
    size_t exact_capacity;
    struct sg_sheet_line *line; /* owned */
    size_t line_count, line_capacity;
};

void sg_sheet_init(struct sg_sheet *sheet, const struct sg_column *columns, size_t count);
void sg_sheet_release(struct sg_sheet *sheet);
void sg_sheet_row(struct sg_sheet *sheet, enum sg_class class_);
/* Begins a cell: what is added to this text before the next call is its words. */
struct sg_text *sg_sheet_open(struct sg_sheet *sheet);
void sg_sheet_cell(struct sg_sheet *sheet, const char *text); /* NULL: empty */
void sg_sheet_add_cells(struct sg_sheet *sheet, const char *const *texts, size_t count);
#define SG_SHEET_TEXTS(...)        (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)
#define sg_sheet_cells(sheet, ...) sg_sheet_add_cells(sheet, SG_SHEET_TEXTS(__VA_ARGS__))
void sg_sheet_cellf(struct sg_sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_sheet_take(struct sg_sheet *sheet, struct sg_text *text); /* a cell of these words, which are released */
void sg_sheet_number(struct sg_sheet *sheet, double value);       /* with all its digits; empty if it is not a number */
void sg_sheet_add_numbers(struct sg_sheet *sheet, const double *values, size_t count);
#define SG_SHEET_VALUES(...)         (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)
#define sg_sheet_numbers(sheet, ...) sg_sheet_add_numbers(sheet, SG_SHEET_VALUES(__VA_ARGS__))
/* For people with its unit, for programs as sg_sheet_number; only in a column of numbers. */
void sg_sheet_value(struct sg_sheet *sheet, double value, const char *unit);
void sg_sheet_below(struct sg_sheet *sheet, const char *text);                       /* a line below the row; nothing, if it is empty */
void sg_sheet_take_below(struct sg_sheet *sheet, struct sg_text *text);              /* the same of words that are released */
const char *sg_sheet_at(const struct sg_sheet *sheet, size_t row, size_t column);    /* for people; "" if it is empty */
const char *sg_sheet_exact(const struct sg_sheet *sheet, size_t row, size_t column); /* for programs */
bool sg_sheet_is_right(const struct sg_sheet *sheet, size_t column);                 /* aligned to the right? */
const char *sg_column_name(const struct sg_column *column);                          /* for programs */
/* For each column, whether it is shown to these readers: not if no row has words in it, nor a spare
 * one in a terminal. To be freed. */
bool *sg_sheet_shown(const struct sg_sheet *sheet, enum sg_readers readers);

enum sg_part_kind { SG_PART_SHEET, SG_PART_NOTE, SG_PART_HEADING, SG_PART_FIGURE, SG_PART_KINDS };

struct sg_document_part {
    enum sg_part_kind kind;
    struct sg_sheet sheet; /* of any other kind: without columns */
    char *words;           /* owned; a note's, which is a paragraph; the title of a heading or a figure */
    char *name;            /* owned; a heading's anchor; a figure's files are charts/NAME.{png,svg,tsv} */
    char *below;           /* owned; what is said of a figure */
    enum sg_readers readers;
    enum sg_class class_; /* of a note: its colour; SG_ASIDE: none */
    char *fold;           /* owned; NULL, or the title behind which pages fold the sheet, which a terminal does not get */
};

struct sg_document {
    const char *name;               /* the command, as it is typed behind `solgate` */
    char *title;                    /* owned; of a page; NULL: none */
    struct sg_document_part **part; /* owned, as each is */
    size_t count, capacity;
};

/* Belongs to the document, and stays where it is. */
struct sg_sheet *sg_document_sheet(struct sg_document *document, const char *name, const struct sg_column *columns, size_t count,
                                   enum sg_readers readers);
void sg_document_note(struct sg_document *document, enum sg_readers readers, const char *words); /* nothing, if there are none */
void sg_document_notef(struct sg_document *document, enum sg_readers readers, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sg_document_take_note(struct sg_document *document, enum sg_readers readers, struct sg_text *words); /* which are released */
void sg_document_heading(struct sg_document *document, enum sg_readers readers, const char *name, const char *title);
/* On pages only. */
void sg_document_figure(struct sg_document *document, const char *name, const char *title, const char *below);
/* Folds the sheet that was added last; gives the note that was added last a colour. */
void sg_document_fold(struct sg_document *document, const char *title);
void sg_document_paint(struct sg_document *document, enum sg_class class_);
/* What was added last comes first: a verdict stands above what it is of. */
void sg_document_lead(struct sg_document *document);
/* Adds all parts of another document, which is empty then. */
void sg_document_take(struct sg_document *document, struct sg_document *from);
void sg_document_release(struct sg_document *document);

/* Is there anything to show of this part to these readers? People are shown no empty sheet. */
bool sg_part_is_shown(const struct sg_document_part *part, enum sg_readers readers);
/* How a format prints a part of each kind. */
typedef void sg_part_fn(const struct sg_document_part *part, struct sg_text *out);
void sg_document_print(const struct sg_document *document, enum sg_readers readers, sg_part_fn *const print[SG_PART_KINDS],
                       struct sg_text *out);

/* One sheet as text. */
void sg_sheet_text(const struct sg_sheet *sheet, bool colour, struct sg_text *out);
