/*
 * results/item_filter.h - selects families, cases and variants by name.
 *
 * Each name is a pattern of fnmatch(3): `gemm*`, `m?_k[12]`. A command gets --family, --case and
 * --variant by listing SG_FILTER_OPTIONS (cli/command.h) in its table of options.
 *
 *     if (sg_filters_check_table(&filters, &run.table, "night/", err) == SG_SUCCESS)
 *         sg_filters_apply(&filters, &run.table, NULL);
 */
#pragma once

#include "results/shards.h"
#include "results/table.h"
#include "util/names.h"

/* Empty: selects everything. */
struct sg_filters {
    struct sg_names families, cases, variants; /* owned */
    struct sg_shards shards;
};

/* True if a pattern matches, or if there are no patterns. */
bool sg_names_match(const struct sg_names *patterns, const char *name);
bool sg_filters_keep_case(const struct sg_filters *filters, const char *family, const char *case_);
/* Keeps the baseline of a case whatever --variant is, since the others are measured against it. */
bool sg_filters_keep(const struct sg_filters *filters, const char *family, const char *case_,
                     const char *variant, bool is_baseline);
bool sg_filters_are_empty(const struct sg_filters *filters);
/* Appends the filters as options, " --family=F --case='c*' --shard=3/7": kind by kind, names
 * sorted. Appends nothing for an empty filter. */
void sg_filters_add_to(struct sg_text *out, const struct sg_filters *filters);

/* SG_BAD_USAGE of `option` if a pattern matches no known name: "no case of the run is called t*;
 * known: ...". */
enum sg_code sg_patterns_check(const char *option, const char *what,
                               const struct sg_names *patterns, const struct sg_names *known,
                               struct sg_err *err);
/* The same for the names in a table read from `path`; also SG_BAD_USAGE if no item matches all
 * filters. */
enum sg_code sg_filters_check_table(const struct sg_filters *filters, const struct sg_table *table,
                                    const char *path, struct sg_err *err);
/* Removes the rows of all other items from a sorted table, and baselines that `has` already
 * contains. `has` may be NULL. */
void sg_filters_apply(const struct sg_filters *filters, struct sg_table *table,
                      const struct sg_table *has);
