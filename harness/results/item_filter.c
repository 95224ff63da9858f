#include "results/item_filter.h"

#include <fnmatch.h>
#include <string.h>

#include "util/intern.h"

bool sg_names_match(const struct sg_names *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (fnmatch(patterns->items[i], name, 0) == 0)
            return true;
    return patterns->count == 0;
}

bool sg_filters_keep_case(const struct sg_filters *filters, const char *family, const char *case_)
{
    return sg_names_match(&filters->families, family) && sg_names_match(&filters->cases, case_) &&
           sg_shards_have(&filters->shards, family, case_);
}

bool sg_filters_keep(const struct sg_filters *filters, const char *family, const char *case_,
                     const char *variant, bool is_baseline)
{
    return sg_filters_keep_case(filters, family, case_) &&
           (is_baseline || sg_names_match(&filters->variants, variant));
}

bool sg_filters_are_empty(const struct sg_filters *filters)
{
    return filters->families.count + filters->cases.count + filters->variants.count +
               filters->shards.of ==
           0;
}

static void add_options(struct sg_text *out, const char *option, const struct sg_names *names)
{
    SG_SCOPED(sg_names) sorted = {0};
    for (size_t i = 0; i < names->count; i++)
        if (!sg_names_have(&sorted, names->items[i]))
            sg_names_add(&sorted, names->items[i]);
    sg_names_sort(&sorted);
    for (size_t i = 0; i < sorted.count; i++)
        sg_text_add_option(out, option, sorted.items[i]);
}

void sg_filters_add_to(struct sg_text *out, const struct sg_filters *filters)
{
    add_options(out, "family", &filters->families);
    add_options(out, "case", &filters->cases);
    add_options(out, "variant", &filters->variants);
    if (filters->shards.of > 0) {
        sg_text_add(out, " --shard=");
        sg_shards_add_to(out, &filters->shards);
    }
}

static bool matches_any(const char *pattern, const struct sg_names *known)
{
    for (size_t i = 0; i < known->count; i++)
        if (fnmatch(pattern, known->items[i], 0) == 0)
            return true;
    return false;
}

enum sg_code sg_patterns_check(const char *option, const char *what,
                               const struct sg_names *patterns, const struct sg_names *known,
                               struct sg_err *err)
{
    for (size_t i = 0; i < patterns->count; i++) {
        if (matches_any(patterns->items[i], known))
            continue;
        SG_SCOPED(sg_text) list = {0};
        for (size_t k = 0; k < known->count; k++)
            sg_text_addf(&list, "%s%s", k ? ", " : "", known->items[k]);
        return sg_fail(err, SG_BAD_USAGE, option, "no %s is called %s%s; known: %s", what,
                       sg_show_string(patterns->items[i]).text,
                       strchr(patterns->items[i], ',')
                           ? " (the option takes one name and may be repeated)"
                           : "",
                       sg_text_string(&list));
    }
    return SG_SUCCESS;
}

/* Collects the names in one column of a table, each once. */
static void collect(const struct sg_table *table, size_t column, struct sg_names *names)
{
    struct sg_intern_pool *seen = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const char *name = sg_table_string(
            table, *(const sg_id *)(const void *)((const char *)&table->rows[i] + column));
        if (sg_intern_pool_is_news(&seen, name))
            sg_names_add(names, name);
    }
    sg_intern_pool_free(seen);
}

static bool keeps_row(const struct sg_filters *filters, const struct sg_table *table,
                      const struct sg_row *row, bool is_baseline)
{
    return sg_filters_keep(filters, sg_table_string(table, row->family),
                           sg_table_string(table, row->case_), sg_table_string(table, row->variant),
                           is_baseline);
}

enum sg_code sg_filters_check_table(const struct sg_filters *filters, const struct sg_table *table,
                                    const char *path, struct sg_err *err)
{
    const struct {
        const char *option, *what;
        const struct sg_names *patterns;
        size_t column;
    } kinds[] = {
        {"--family", "family of the run", &filters->families, offsetof(struct sg_row, family)},
        {"--case", "case of the run", &filters->cases, offsetof(struct sg_row, case_)},
        {"--variant", "variant of the run", &filters->variants, offsetof(struct sg_row, variant)},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && err->code == SG_SUCCESS; i++) {
        SG_SCOPED(sg_names) known = {0};
        if (kinds[i].patterns->count > 0)
            collect(table, kinds[i].column, &known);
        sg_patterns_check(kinds[i].option, kinds[i].what, kinds[i].patterns, &known, err);
    }
    bool any = table->count == 0;
    for (size_t i = 0; i < table->count && !any; i++)
        any = keeps_row(filters, table, &table->rows[i], false);
    if (err->code == SG_SUCCESS && !any)
        sg_fail(err, SG_BAD_USAGE, path,
                "no item of the run matches --family, --case and --variant together");
    return err->code;
}

static bool is_baselines_role(const struct sg_table *table, const struct sg_row *row)
{
    return strcmp(sg_table_string(table, row->metric), "role") == 0 &&
           strcmp(sg_table_string(table, row->message), sg_role_word(SG_BASELINE)) == 0;
}

void sg_filters_apply(const struct sg_filters *filters, struct sg_table *table,
                      const struct sg_table *has)
{
    size_t kept = 0;
    for (size_t from = 0, to = 0; from < table->count; from = to) {
        bool is_baseline = false;
        for (to = from; to < table->count && sg_row_same_item(&table->rows[from], &table->rows[to]);
             to++)
            is_baseline |= is_baselines_role(table, &table->rows[to]);
        const struct sg_value item = sg_value_of(table, &table->rows[from]);
        is_baseline &= !has || !sg_table_find(has, SG_NAMES(item), "status");
        if (!keeps_row(filters, table, &table->rows[from], is_baseline))
            continue;
        memmove(&table->rows[kept], &table->rows[from], (to - from) * sizeof(*table->rows));
        kept += to - from;
    }
    table->count = kept;
}
