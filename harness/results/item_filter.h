/*
 * results/item_filter.h - which families, cases and variants a command is asked for.
 *
 * Each name is a pattern of fnmatch(3): `gemm*`, `m?_k[12]`. A command with --family, --case and
 * --variant has them in its table by SG_FILTER_OPTIONS (cli/command.h).
 *
 *     if (sg_filters_check_table(&filters, &run.table, "night/", err) == SG_SUCCESS)
 *         sg_filters_apply(&filters, &run.table, NULL);
 */
#pragma once

#include "results/table.h"
#include "util/names.h"

/* Empty: everything. */
struct sg_filters {
    struct sg_names families, cases, variants; /* owned */
};

/* Does one of the patterns match, or is there none? */
bool sg_names_match(const struct sg_names *patterns, const char *name);
/* The baseline of a case is kept whatever --variant is: the others are measured against it. */
bool sg_filters_keep(const struct sg_filters *filters, const char *family, const char *case_, const char *variant, bool is_baseline);
bool sg_filters_are_empty(const struct sg_filters *filters);
/* As options, " --family=F --case='c*'", each kind in the order of its names and each
 * name once; nothing for everything. */
void sg_filters_add_to(struct sg_text *out, const struct sg_filters *filters);
void sg_filters_release(struct sg_filters *filters);

/* A pattern that matches none of the known names: SG_BAD_USAGE of `option`, "no case of
 * the run is called t*; known: ...". */
enum sg_code sg_patterns_check(const char *option, const char *what, const struct sg_names *patterns, const struct sg_names *known,
                               struct sg_err *err);
/* The same of the names in a table, read from `path`; and SG_BAD_USAGE where no item
 * of it has all that is asked for. */
enum sg_code sg_filters_check_table(const struct sg_filters *filters, const struct sg_table *table, const char *path, struct sg_err *err);
/* Takes the rows of all other items away from a sorted table: those of baselines, too, that
 * `has` (NULL: nothing) has already. */
void sg_filters_apply(const struct sg_filters *filters, struct sg_table *table, const struct sg_table *has);
