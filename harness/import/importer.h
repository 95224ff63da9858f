/*
 * import/importer.h - files of other tools as rows of a run, so that compare, explain, gap and
 * report can show them. Each tool has one file, import/importer_NAME.c; the table of importers is
 * generated from the file names.
 *
 * The tool is detected from the file's contents: the beginning of a CSV header, or a JSON
 * document's array and a member of its elements. An importer gets one row or element at a time and
 * adds its values (import/gather.h). An importer's errors have no place; the caller adds the place.
 */
#pragma once

#include <jansson.h>

#include "import/gather.h"
#include "util/names.h"

/* A row, and the header of its table. A header `name (unit)` is split; units may also have a row. A
 * row may have fewer fields than the header. */
struct sg_csv_table {
    struct sg_names names, units, fields;
};
const char *sg_csv_value(const struct sg_csv_table *table, const char *name); /* "": missing */
const char *sg_csv_unit(const struct sg_csv_table *table, const char *name);

/* Sets `otherwise` for an empty field, NaN for "nan". SG_BAD_INPUT: the field is not a number. */
enum sg_code sg_csv_number(const struct sg_csv_table *table, const char *name, double otherwise,
                           double *number, struct sg_err *err);
/* Adds the columns between two others as "N=2^24 M=8", without empty ones. Of adjacent columns with
 * equal names, only the first is added. */
void sg_csv_add_columns(const struct sg_csv_table *table, const char *behind, const char *before,
                        bool numbers_only, struct sg_text *out);

/* Reads a number, or a string that holds one, as NVBench writes them. Otherwise SG_BAD_INPUT names
 * the member. */
enum sg_code sg_json_number(const json_t *object, const char *name, double *value,
                            struct sg_err *err);
bool sg_json_is_number(const json_t *value, double *number);
const char *sg_json_words(const json_t *object, const char *name, const char *otherwise);

/* Checks the types of existing members: "s:name o:args", `a` for arrays, `b` for true and false,
 * `n` for numbers and strings that may hold one. SG_BAD_INPUT names the member after `where`. */
enum sg_code sg_json_check(const json_t *object, const char *where, const char *types,
                           struct sg_err *err);

struct sg_importer {
    const char *name;   /* suffix of the source file, and family of the rows */
    const char *what;   /* supported files, in one line */
    const char *header; /* beginning of its CSV header. NULL: no CSV */
    const char *column; /* a column that similar tables lack. NULL: not needed */
    /* in place of `header`, for a line that no other tool writes; NULL: `header` */
    bool (*is_header)(const char *line);
    bool is_mixed;    /* other lines may surround the rows, which begin with a quote */
    const char *item; /* column of the name, required in each row. NULL: none */
    enum sg_code (*on_row)(struct sg_gathering *gathering, const struct sg_csv_table *row,
                           struct sg_err *err);
    const char *array;   /* member of a JSON document that has the elements. NULL: no JSON */
    const char *members; /* "a b": an element has one of these; other tools' have none */
    const char *types;   /* member types of an element, for sg_json_check */
    enum sg_code (*on_element)(struct sg_gathering *gathering, const json_t *element,
                               struct sg_err *err);
};

/* The generated table, sorted by name. */
const struct sg_importer *const *sg_importers(size_t *count);

/* Facts of the run from a file. */
struct sg_imported {
    const struct sg_importer *importer;
    char *gpu_name;         /* owned; NULL: not in the file */
    char *unfit;            /* owned; why its times are invalid; NULL: they are valid */
    struct sg_text digests; /* of the content of each file, joined by + */
};

/*
 * Reads the files of one tool as one run, each file a replicate; a compressed file through gzip, an
 * .ncu-rep through ncu. Memory: eight bytes per value, plus one line or element. SG_BAD_INPUT with
 * file and line. SG_SYSTEM: the program is missing or failed.
 */
enum sg_code sg_import_read(const struct sg_names *paths, const struct sg_catalogue *catalogue,
                            struct sg_table *run, struct sg_imported *imported, struct sg_err *err);
