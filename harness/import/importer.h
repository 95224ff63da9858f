/*
 * import/importer.h - files of other tools as rows of a run, so that compare, explain, gap and
 * report show them: one file a tool, import/importer_NAME.c; the table is made from the file names.
 *
 * Which tool wrote a file is found by what is in it: how the header of a CSV begins, or the array
 * of a JSON document and a member that its elements have. An importer gets a row or an element at a
 * time and hands on what it says (import/gather.h). Its complaints have no place; the caller adds
 * that.
 */
#pragma once

#include <jansson.h>

#include "import/gather.h"
#include "util/names.h"

/* A row, with the header of its table. A header `name (unit)` is taken apart; units may also stand
 * in a row of their own. A row may have fewer fields than the header. */
struct sg_csv_table {
    struct sg_names names, units, fields;
};
const char *sg_csv_value(const struct sg_csv_table *table, const char *name); /* "": there is none */
const char *sg_csv_unit(const struct sg_csv_table *table, const char *name);

/* `otherwise` for an empty field, NaN for "nan"; SG_BAD_INPUT for words. */
enum sg_code sg_csv_number(const struct sg_csv_table *table, const char *name, double otherwise, double *number, struct sg_err *err);
/* "N=2^24 M=8": the columns between two others, without empty ones. Of two neighbours of one name
 * it takes the first. */
void sg_csv_add_columns(const struct sg_csv_table *table, const char *behind, const char *before, bool numbers_only, struct sg_text *out);

/* Of an element. Numbers are also taken out of strings, where NVBench has them; without one
 * SG_BAD_INPUT names the member. */
enum sg_code sg_json_number(const json_t *object, const char *name, double *value, struct sg_err *err);
bool sg_json_is_number(const json_t *value, double *number);
const char *sg_json_words(const json_t *object, const char *name, const char *otherwise);

/* The types of members that are there: "s:name o:args", `a` for arrays, `b` for true and false, `n`
 * for numbers and strings that may hold one. SG_BAD_INPUT names the member after `where`. */
enum sg_code sg_json_check(const json_t *object, const char *where, const char *types, struct sg_err *err);

struct sg_importer {
    const char *name;   /* of its file, and the family of its rows */
    const char *what;   /* which files it reads, in a line */
    const char *header; /* what that of a CSV begins with. NULL: it reads none */
    const char *column; /* a column that other tables with this beginning lack. NULL: the beginning is enough */
    bool is_mixed;      /* other lines may stand before, between and behind the rows, which begin with a quote */
    enum sg_code (*on_row)(struct sg_gathering *gathering, const struct sg_csv_table *row, struct sg_err *err);
    const char *array;   /* the member of a JSON document that has the elements. NULL: it reads none */
    const char *members; /* "a b": an element has one of these, and elements of other tools have none */
    const char *types;   /* for sg_json_check: what an element has */
    enum sg_code (*on_element)(struct sg_gathering *gathering, const json_t *element, struct sg_err *err);
};

/* The generated table, sorted by name. */
const struct sg_importer *const *sg_importers(size_t *count);

/* What a file says of its run. */
struct sg_imported {
    const struct sg_importer *importer;
    char *gpu_name; /* owned; NULL: it names none */
};

/*
 * Reads a file, or what a program makes of it: gzip of a packed one, ncu of an .ncu-rep. In memory
 * are eight bytes a value and one line or element. SG_BAD_INPUT with file and line; SG_SYSTEM:
 * there is no such program, or it fails.
 */
enum sg_code sg_import_read(const char *path, const struct sg_catalogue *catalogue, struct sg_table *run, struct sg_imported *imported,
                            struct sg_err *err);
