/*
 * reports/sheet.h - what a command prints: sheets of rows, with the meaning of each column, and
 * notes. A command fills a document once; each format (reports/format_NAME.c) prints all of it.
 *
 * Cells go in unescaped and come out escaped for the format at hand; where people read, an empty
 * cell shows as "-". Invariant: a row has as many cells as there are columns; lines below a row
 * belong to the row added last.
 *
 *     struct sg_sheet *sheet = sg_document_sheet(&document, "cases", columns, count, SG_FOR_ALL);
 *     for each row: sg_sheet_row(sheet, class); one sg_sheet_cell(sheet, ...) a column;
 *     sg_document_note(&document, SG_FOR_ALL, "2 cases are left out");
 *     format->document(&document, colour, &out);
 *     sg_document_release(&document);
 */
#ifndef SG_REPORTS_SHEET_H
#define SG_REPORTS_SHEET_H

#include "util/text.h"

/* How a row is to be taken; colours and style sheets hang on it. */
enum sg_class {
    SG_RED,     /* fails the gate: regressed, broken, invalid, missing */
    SG_YELLOW,  /* wants a person: inconclusive, fixed, a counter that gates changed */
    SG_NEWS,    /* improved, new */
    SG_GREEN,   /* within, identical, as expected */
    SG_OPEN,    /* unresolved: accepted numbers are too noisy for the suite's tolerance */
    SG_COUNTER, /* a counter that differs and does not gate */
    SG_ASIDE,   /* shown, never gates: absolute times of candidates */
    SG_CLASS_COUNT
};
const char *sg_class_word(enum sg_class class_); /* red, yellow, news, green, open, counter, aside: also of the style sheet */

struct sg_column {
    const char *title;   /* for people; for programs too, where there is no name */
    const char *meaning; /* one line */
    bool right;          /* aligned to the right; numbers are, too */
    bool spare;          /* left out of a terminal, which is narrow */
    bool key;            /* shown on a page as narrow as a telephone, where others are not; none of a table: then all are */
    bool number;         /* for programs its cells are numbers in `unit`, or empty */
    const char *name;    /* for programs: [a-z0-9_]+; NULL: the title */
    const char *unit;    /* for programs; NULL: none */
};
#define SG_COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

/* Who gets a part of a document. CSV has no place for notes, nor for more than one sheet: it is the
 * first sheet that programs get. */
enum sg_readers {
    SG_FOR_ALL,
    SG_FOR_PEOPLE,   /* text, Markdown, HTML */
    SG_FOR_TERMINAL, /* text alone */
    SG_FOR_PROGRAMS, /* CSV, JSON */
};

struct sg_sheet_line {
    size_t row, start; /* below which row; offset in bytes */
};

struct sg_sheet {
    const char *name;                /* for programs: [a-z0-9_]+, one of its document */
    const struct sg_column *columns; /* borrowed */
    size_t column_count;
    struct sg_text bytes; /* all cells and lines, each terminated */
    size_t *cell;         /* owned: offset of each in bytes */
    size_t cell_count, cell_capacity;
    enum sg_class *row; /* owned */
    size_t row_count, row_capacity;
    struct sg_sheet_line *line; /* owned */
    size_t line_count, line_capacity;
};

void sg_sheet_init(struct sg_sheet *sheet, const struct sg_column *columns, size_t count);
void sg_sheet_release(struct sg_sheet *sheet);
void sg_sheet_row(struct sg_sheet *sheet, enum sg_class class_);
void sg_sheet_cell(struct sg_sheet *sheet, const char *text);     /* NULL: empty */
void sg_sheet_take(struct sg_sheet *sheet, struct sg_text *text); /* a cell of these words, which are released */
void sg_sheet_number(struct sg_sheet *sheet, double value);       /* with all its digits; empty if it is not a number */
void sg_sheet_below(struct sg_sheet *sheet, const char *text);
const char *sg_sheet_at(const struct sg_sheet *sheet, size_t row, size_t column); /* "" if it is empty */
bool sg_sheet_is_right(const struct sg_sheet *sheet, size_t column);              /* aligned to the right? */
/* Has any row something in this column? Where there is no row, all are taken to have. */
bool sg_sheet_has_words(const struct sg_sheet *sheet, size_t column);

/* A sheet, or a note, which is a paragraph. */
struct sg_document_part {
    struct sg_sheet sheet; /* of a note: without columns */
    char *note;            /* owned; NULL: a sheet */
    enum sg_readers readers;
    enum sg_class class_; /* of a note: its colour; SG_ASIDE: none */
    char *fold;           /* owned; NULL, or the title behind which pages fold the sheet, which a terminal does not get */
};

struct sg_document {
    const char *name;               /* the command, as it is typed behind `solgate` */
    struct sg_document_part **part; /* owned, as each is */
    size_t count, capacity;
};

/* Belongs to the document, and stays where it is. */
struct sg_sheet *sg_document_sheet(struct sg_document *document, const char *name, const struct sg_column *columns, size_t count,
                                   enum sg_readers readers);
void sg_document_note(struct sg_document *document, enum sg_readers readers, const char *words); /* nothing, if there are none */
void sg_document_notef(struct sg_document *document, enum sg_readers readers, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Folds the sheet that was added last; gives the note that was added last a colour. */
void sg_document_fold(struct sg_document *document, const char *title);
void sg_document_paint(struct sg_document *document, enum sg_class class_);
void sg_document_release(struct sg_document *document);

/* One sheet, for those that stand in other pages. Leaves out spare columns in text, and everywhere
 * columns with nothing in any row. */
void sg_sheet_text(const struct sg_sheet *sheet, bool colour, struct sg_text *out);
void sg_sheet_markdown(const struct sg_sheet *sheet, struct sg_text *out);
void sg_sheet_html(const struct sg_sheet *sheet, struct sg_text *out); /* in a box of the class "scroll", which may be narrower */

/* Escape sequence that begins a class's colour in a terminal, and the one that ends it. */
const char *sg_paint(enum sg_class class_, bool colour);
const char *sg_unpaint(bool colour);

#endif
