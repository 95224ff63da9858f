/*
 * import/importer.h - files of other tools as rows of a run, so that gap, compare and report show
 * them: one file a tool, import/importer_NAME.c; the table is made from the file names.
 *
 * An importer adds rows as docs/formats.md describes them: for each item a `status`, a `role`
 * (`baseline` where its time was not paired with another's), and what the tool says of it in base
 * units (`time` in ns; `work_flop_<dtype>` and the like, without which `gap` has no limit).
 * `solgate import` checks the rows as a reader of run.csv does. Invariant: names are [a-z0-9_]+ of
 * at most 63 characters; a line that cannot be read is SG_BAD_INPUT with its place.
 */
#ifndef SG_IMPORT_IMPORTER_H
#define SG_IMPORT_IMPORTER_H

#include "results/table.h"

struct sg_importer {
    const char *name; /* of its file, and behind `solgate import` */
    const char *what; /* which files it reads, in a line */
    enum sg_code (*read)(const char *path, struct sg_table *run, struct sg_err *err);
};

/* The generated table, sorted by name. */
const struct sg_importer *const *sg_importers(size_t *count);

/* A name that a run can hold: other characters become '_', capitals small letters. */
void sg_add_imported_name(struct sg_text *out, const char *name, size_t length);

#endif
