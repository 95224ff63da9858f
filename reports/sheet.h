/*
 * reports/sheet.h - the output of a command: sheets of rows, with the meaning of each column, and
 * notes. A command fills a document once; each format (reports/format_NAME.c) prints the whole
 * document.
 *
 * Cells are stored unescaped, and each format escapes them (util/escape.h). For people an empty
 * cell is printed as "-". Invariant: a row has a cell for each column. Lines below a row belong to
 * the row added last.
 *
 *     sheet = sg_document_sheet(&document, "cases", SG_COLUMNS(columns), SG_FOR_ALL);
 *     for each row: sg_sheet_row(sheet, class); one sg_sheet_cell(sheet, ...) a column;
 *     sg_document_note(&document, SG_FOR_ALL, "2 cases are left out");
 *     sg_print_document(&document, format, err);
 */
#pragma once

#include "stats/verdict.h"
#include "util/text.h"

enum sg_cells {
    SG_WORDS,
    SG_COMMANDS, /* to be typed: set as code if the format can */
    SG_FILES,    /* files next to the document: links if the format can */
    SG_SPARKS,   /* percents, "|" and times in ns, "-" for none: a sparkline, in browsers only */
    SG_FIGURES,  /* figures of the document, "NAME WORD" each: links, in browsers only */
};

struct sg_column {
    const char *title;   /* for people; also for programs if `name` is NULL */
    const char *meaning; /* one line */
    bool right;          /* right-aligned; numbers always are */
    bool spare;          /* not shown in a terminal, which is narrow */
    bool yields;         /* not shown in a terminal if the row would be too long */
    bool programs;       /* only for programs */
    bool names;          /* part of the row's name, which pages link to */
    /* shown on a phone-sized page, where other columns are not; if a table has none, all are
     * shown */
    bool key;
    bool number;      /* for programs the cells are numbers in `unit`, or empty */
    const char *name; /* for programs: [a-z0-9_]+; NULL: the title */
    const char *unit; /* for programs; NULL: none */
    enum sg_cells cells;
};
#define SG_COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

/*
 * A table is one list: the title of each column, the statement that fills `cell`, and properties.
 *
 *     #define CASES(X) X("case", sg_text_add(cell, gap->case_), .key = true) ...
 *     static const struct sg_column columns[] = {CASES(SG_COLUMN)};
 *     for each row: sg_sheet_row(sheet, class); CASES(SG_CELL)
 */
#define SG_COLUMN(title_, fill, ...) {.title = (title_), __VA_ARGS__},
#define SG_CELL(title_, fill, ...)                         \
    {                                                      \
        struct sg_text *const cell = sg_sheet_open(sheet); \
        fill;                                              \
    }
/* Properties of a column of numbers, for programs; fill it with sg_add_exactly. */
#define SG_NUMBER(unit_, meaning_) .number = true, .unit = (unit_), .meaning = (meaning_)

/* Readers of a document's part, one bit each. CSV holds no notes and only one sheet, the first
 * one for programs. */
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
    size_t row, start; /* the row above; offset in bytes */
};

struct sg_sheet {
    const char *name;                /* for programs: [a-z0-9_]+, unique in its document */
    const struct sg_column *columns; /* borrowed */
    size_t column_count;
    struct sg_text bytes; /* all cells and lines, each terminated */
    /* owned: offset of each in bytes; a value's words are followed by its number */
    size_t *cell;
    size_t cell_count, cell_capacity;
    enum sg_class *row; /* owned */
    size_t row_count, row_capacity;
    /* owned: offset of each cell's number from the cell's start; 0: programs get the words */
    uint16_t *exact;
    size_t exact_capacity;
    struct sg_sheet_line *line; /* owned */
    size_t line_count, line_capacity;
};

void sg_sheet_init(struct sg_sheet *sheet, const struct sg_column *columns, size_t count);
void sg_sheet_row(struct sg_sheet *sheet, enum sg_class class_);
/* Begins a cell: text added to the result until the next call is its content. */
struct sg_text *sg_sheet_open(struct sg_sheet *sheet);
/* Opens the value that programs get for the last cell, in place of its words. */
struct sg_text *sg_sheet_exactly(struct sg_sheet *sheet);
void sg_sheet_cell(struct sg_sheet *sheet, const char *text); /* NULL: empty */
void sg_sheet_add_cells(struct sg_sheet *sheet, const char *const *texts, size_t count);
#define SG_SHEET_TEXTS(...)             \
    (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)
#define sg_sheet_cells(sheet, ...) sg_sheet_add_cells(sheet, SG_SHEET_TEXTS(__VA_ARGS__))
void sg_sheet_cellf(struct sg_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* a cell with these words, which are released */
void sg_sheet_take(struct sg_sheet *sheet, struct sg_text *text);
void sg_sheet_number(struct sg_sheet *sheet, double value); /* with all digits; empty for NaN */
void sg_sheet_add_numbers(struct sg_sheet *sheet, const double *values, size_t count);
#define SG_SHEET_VALUES(...) \
    (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)
#define sg_sheet_numbers(sheet, ...) sg_sheet_add_numbers(sheet, SG_SHEET_VALUES(__VA_ARGS__))
/* Adds a value with its unit for people, and as sg_sheet_number for programs. Only for a column
 * with `number`. */
void sg_sheet_value(struct sg_sheet *sheet, double value, const char *unit);
/* The same; people get the value times `factor` in `unit`. */
void sg_sheet_scaled(struct sg_sheet *sheet, double value, double factor, const char *unit);
/* adds a line below the row unless empty */
void sg_sheet_below(struct sg_sheet *sheet, const char *text);
/* the same, and releases the text */
void sg_sheet_take_below(struct sg_sheet *sheet, struct sg_text *text);
/* for people; may be "" */
const char *sg_sheet_at(const struct sg_sheet *sheet, size_t row, size_t column);
/* for programs */
const char *sg_sheet_exact(const struct sg_sheet *sheet, size_t row, size_t column);
/* true if right-aligned */
bool sg_sheet_is_right(const struct sg_sheet *sheet, size_t column);
/* for programs */
const char *sg_column_name(const struct sg_column *column);
/* For each column, whether these readers see it: empty columns are hidden, and in a terminal spare
 * ones too. The caller frees the array. */
bool *sg_sheet_shown(const struct sg_sheet *sheet, enum sg_readers readers);

enum sg_part_kind { SG_PART_SHEET, SG_PART_NOTE, SG_PART_HEADING, SG_PART_FIGURE, SG_PART_KINDS };

struct sg_document_part {
    enum sg_part_kind kind;
    struct sg_sheet sheet; /* without columns for other kinds */
    char *words;           /* owned; a note's paragraph; the title of a heading or figure */
    /* owned; a heading's anchor; a figure's files are charts/NAME.{png,svg,tsv} */
    char *name;
    char *below; /* owned; text below a figure */
    enum sg_readers readers;
    enum sg_class class_; /* colour of a note; SG_ASIDE: none */
    bool is_line;         /* a note that is not wrapped in a terminal */
    /* owned; NULL, or the title of a folded sheet on pages; terminals do not get the sheet */
    char *fold;
};

struct sg_document {
    const char *name; /* the command, as typed after `solgate` */
    bool is_comment;  /* on a pull request: Markdown shows its first lines, and folds the rest */
    char *title;      /* owned; of a page; NULL: none */
    char *tab;        /* owned; the same for a browser's tab; NULL: `title` */
    struct sg_document_part **part; /* owned, with the parts */
    size_t count, capacity;
};

/* Returns a sheet owned by the document; its address is stable. */
struct sg_sheet *sg_document_sheet(struct sg_document *document, const char *name,
                                   const struct sg_column *columns, size_t count,
                                   enum sg_readers readers);
/* adds nothing for empty words */
void sg_document_note(struct sg_document *document, enum sg_readers readers, const char *words);
void sg_document_notef(struct sg_document *document, enum sg_readers readers, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));
/* releases the words */
void sg_document_take_note(struct sg_document *document, enum sg_readers readers,
                           struct sg_text *words);
/* the same, of a verdict or a command: not wrapped */
void sg_document_take_line(struct sg_document *document, enum sg_readers readers,
                           struct sg_text *words);
void sg_document_heading(struct sg_document *document, enum sg_readers readers, const char *name,
                         const char *title);
/* Only on pages. */
void sg_document_figure(struct sg_document *document, const char *name, const char *title,
                        const char *below);
/* Fold the last added sheet, and colour the last added note. */
void sg_document_fold(struct sg_document *document, const char *title);
void sg_document_paint(struct sg_document *document, enum sg_class class_);
/* Moves the last added part to the front, to place a verdict above its details. */
void sg_document_lead(struct sg_document *document);
/* Leaves `from` empty. */
void sg_document_take(struct sg_document *document, struct sg_document *from);

/* Returns true if the part has content for these readers. People do not get empty sheets. */
bool sg_part_is_shown(const struct sg_document_part *part, enum sg_readers readers);
/* Prints a part of one kind in a format. */
typedef void sg_part_fn(const struct sg_document_part *part, struct sg_text *out);
void sg_document_print(const struct sg_document *document, enum sg_readers readers,
                       sg_part_fn *const print[SG_PART_KINDS], struct sg_text *out);

void sg_sheet_text(const struct sg_sheet *sheet, bool colour, struct sg_text *out);
