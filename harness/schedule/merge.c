#include "schedule/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/env.h"
#include "results/parts.h"
#include "results/run_reader.h"
#include "results/units.h"
#include "schedule/merge_env.h"
#include "util/file.h"

#define MISSING_FAMILY "shard" /* family of the items that name missing shards */

struct part {
    const char *path;
    struct sg_env env;
    struct sg_shards shards;
};

struct merge {
    const struct sg_merge_request *request;
    struct part *parts; /* by their first shard */
    size_t count;
    struct sg_env env;
    struct sg_table table;
    struct sg_units units;
    struct sg_text list; /* parts.csv */
    struct sg_shards missing;
};

/* ---- which parts ---- */

/* Whatever is wrong with a part, the run cannot be completed: exit code 3. */
static enum sg_code fail_part(const char *path, const struct sg_err *why, struct sg_err *err)
{
    const enum sg_code code = sg_exit_code(why->code) == SG_EXIT_USAGE ? SG_INVALID : why->code;
    if (strncmp(why->where, path, strlen(path)) == 0)
        return sg_fail(err, code, why->where, "%s", why->message);
    return sg_fail(err, code, path, "%s%s%s", why->where, *why->where ? ": " : "", why->message);
}

static enum sg_code read_facts(const char *path, struct part *part, struct sg_err *err)
{
    struct sg_err why = {0};
    part->path = path;
    if (sg_run_read_env(path, &part->env, &why) != SG_SUCCESS)
        return fail_part(path, &why, err);
    const char *shards = sg_env_get(&part->env, SG_SHARD_KEY);
    if (!shards)
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "expected a part of a suite, found a run without `shard` in its env.csv: "
                       "solgate run SUITE --shard=I/N makes parts");
    if (sg_shards_read(&part->shards, shards, &why) != SG_SUCCESS)
        fail_part(path, &why, err);
    return err->code;
}

static int by_shard(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    const uint64_t x[] = {a->shards.of, a->shards.index[0]},
                   y[] = {b->shards.of, b->shards.index[0]};
    for (size_t i = 0; i < 2; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* Each shard must be there once. A run with missing shards is written all the same. */
static enum sg_code check_shards(struct merge *merge, struct sg_err *err)
{
    const uint64_t of = merge->parts[0].shards.of;
    const struct sg_shards *wanted = merge->request->wanted;
    const struct part **has = sg_alloc(of, sizeof(*has));
    for (size_t i = 0; i < merge->count && err->code == SG_SUCCESS; i++) {
        const struct part *part = &merge->parts[i];
        if (part->shards.of != of)
            sg_fail(err, SG_NOT_COMPARABLE, part->path, "one of %llu shards here, of %llu in %s",
                    (unsigned long long)part->shards.of, (unsigned long long)of,
                    merge->parts[0].path);
        for (size_t k = 0; k < part->shards.count && err->code == SG_SUCCESS; k++) {
            const struct part **place = &has[part->shards.index[k]];
            if (*place)
                sg_fail(err, SG_NOT_COMPARABLE, part->path, "%s has shard %llu/%llu too",
                        (*place)->path, (unsigned long long)part->shards.index[k],
                        (unsigned long long)of);
            *place = part;
        }
    }
    merge->missing.of = of;
    for (uint64_t i = 0; i < of; i++)
        if (!has[i] && (!wanted || sg_shards_name(wanted, i)))
            *SG_APPEND(merge->missing.index, merge->missing.count, merge->missing.capacity) = i;
    free(has);
    return err->code;
}

static enum sg_code find_parts(struct merge *merge, struct sg_err *err)
{
    const struct sg_names *paths = merge->request->parts;
    merge->parts = sg_alloc(paths->count, sizeof(*merge->parts));
    merge->count = paths->count;
    for (size_t i = 0; i < paths->count && err->code == SG_SUCCESS; i++)
        read_facts(paths->items[i], &merge->parts[i], err);
    if (err->code != SG_SUCCESS)
        return err->code;
    qsort(merge->parts, merge->count, sizeof(*merge->parts), by_shard);
    struct sg_merged_facts facts = {.env = &merge->env};
    for (size_t i = 0; i < merge->count && err->code == SG_SUCCESS; i++)
        sg_merged_facts_add(&facts, &merge->parts[i].env, merge->parts[i].path, err);
    sg_merged_facts_end(&facts);
    return err->code == SG_SUCCESS ? check_shards(merge, err) : err->code;
}

/* ---- reading the parts ---- */

static void add_row(struct sg_table *table, const struct sg_value *item, const char *metric,
                    enum sg_status status, const char *message)
{
    sg_table_add(table, &(struct sg_value){.family = item->family,
                                           .case_ = item->case_,
                                           .variant = item->variant,
                                           .metric = metric,
                                           .status = status,
                                           .message = message});
}

/* A part that is a merged run has the rows `unit` already. */
static void add_rows(struct merge *merge, const struct sg_run *run)
{
    const struct sg_table *table = &run->table;
    const bool is_merged = sg_table_has_metric(table, SG_UNIT_METRIC);
    const char *unfit = sg_env_why_invalid(&run->env);
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        sg_table_add(&merge->table, &value);
        if (is_merged || (i > 0 && sg_row_same_item(&table->rows[i - 1], &table->rows[i])))
            continue;
        add_row(&merge->table, &value, SG_UNIT_METRIC, SG_OK, sg_unit_of(&run->env));
        if (unfit)
            add_row(&merge->table, &value, SG_UNFIT_METRIC, SG_OK, unfit);
    }
}

/* Appends the path of `to` as seen from the folder `from`. */
static enum sg_code add_way(const char *from, const char *to, struct sg_text *out,
                            struct sg_err *err)
{
    SG_FREED char *a = realpath(from, NULL), *b = realpath(to, NULL);
    size_t same = 0;
    if (!a || !b)
        return sg_fail(err, SG_SYSTEM, a ? to : from, "cannot be found: %s", strerror(errno));
    for (size_t i = 0; a[i] == b[i] || !a[i] || !b[i]; i++) {
        const bool ends_a = a[i] == '/' || !a[i], ends_b = b[i] == '/' || !b[i];
        if (ends_a && ends_b)
            same = i;
        if (!a[i] || !b[i])
            break;
    }
    for (const char *at = a + same; *at; at++)
        if (*at == '/' && at[1])
            sg_text_add(out, "../");
    sg_text_add(out, b[same] == '/' ? b + same + 1 : b + same);
    return err->code;
}

static enum sg_code add_part(struct merge *merge, const struct part *part, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    SG_SCOPED(sg_text) way = {0};
    struct sg_err why = {0};
    if (sg_run_read(part->path, &run, &why) != SG_SUCCESS ||
        (run.table.count > 0 &&
         sg_units_of_run(run.folder, &run.env, &merge->units, &why) != SG_SUCCESS))
        return fail_part(part->path, &why, err);
    if (add_way(merge->request->folder, run.folder, &way, err) != SG_SUCCESS)
        return err->code;
    add_rows(merge, &run);
    sg_part_add(&merge->list, &(struct sg_part){.path = way.data,
                                                .shard = sg_env_word(&run.env, SG_SHARD_KEY),
                                                .digest = sg_env_word(&run.env, SG_DIGEST_KEY)});
    return err->code;
}

/* Adds a row of status `skipped` for each missing shard, which every reader calls not_measured. */
static void add_missing(struct merge *merge)
{
    const struct sg_table *given = merge->request->missing;
    for (size_t i = 0; given && i < given->count; i++) {
        const struct sg_value value = sg_value_of(given, &given->rows[i]);
        sg_table_add(&merge->table, &value);
    }
    for (size_t i = 0; !given && i < merge->missing.count; i++) {
        const unsigned long long shard = merge->missing.index[i], of = merge->missing.of;
        SG_SCOPED(sg_text) name = {0}, why = {0};
        sg_text_addf(&name, "%llu_of_%llu", shard, of);
        sg_text_addf(&why, "no part has it: solgate %s --shard=%llu/%llu",
                     sg_env_word(&merge->env, "command"), shard, of);
        add_row(
            &merge->table,
            &(struct sg_value){.family = MISSING_FAMILY, .case_ = name.data, .variant = "missing"},
            "status", SG_SKIPPED, why.data);
    }
}

/* ---- writing ---- */

static enum sg_code write_file(const struct merge *merge, const char *name,
                               const struct sg_text *text, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/%s", merge->request->folder, name);
    return sg_write_file(path.data, sg_text_string(text), text->length, err);
}

static void set_shards(struct merge *merge)
{
    const struct sg_shards *part = merge->request->part;
    SG_SCOPED(sg_text) missing = {0}, shards = {0}, selection = {0};
    if (merge->missing.count > 0) {
        sg_shards_add_to(&missing, &merge->missing);
        sg_env_set(&merge->env, SG_MISSING_SHARDS_KEY, missing.data);
    }
    if (!part || part->of == 0)
        return;
    sg_shards_add_to(&shards, part);
    sg_env_set(&merge->env, SG_SHARD_KEY, shards.data);
    const char *others = sg_env_word(&merge->env, SG_SELECTION_KEY);
    sg_text_addf(&selection, "%s%s--shard=%s", others, *others ? " " : "", shards.data);
    sg_env_set(&merge->env, SG_SELECTION_KEY, selection.data);
}

static void set_units(struct merge *merge)
{
    SG_SCOPED(sg_text) names = {0};
    for (size_t i = 0; i < merge->units.count; i++)
        sg_text_addf(&names, "%s%s", i > 0 ? "+" : "", merge->units.items[i].name);
    if (names.length > 0)
        sg_env_set(&merge->env, SG_UNITS_KEY, names.data);
}

static enum sg_code write_run(struct merge *merge, struct sg_err *err)
{
    const char *folder = merge->request->folder;
    SG_SCOPED(sg_text) rows = {0}, env = {0};
    set_shards(merge);
    if (sg_units_write(folder, &merge->units, err) != SG_SUCCESS)
        return err->code;
    set_units(merge); /* sorted by now */
    sg_table_format(&rows, &merge->table);
    sg_text_addf(&env, "%s/env.csv", folder);
    if (write_file(merge, "run.csv", &rows, err) != SG_SUCCESS ||
        write_file(merge, SG_PARTS_FILE, &merge->list, err) != SG_SUCCESS ||
        sg_run_seal(folder, &merge->env, err) != SG_SUCCESS)
        return err->code;
    return sg_env_write(env.data, &merge->env, err);
}

static size_t count_items(const struct sg_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += i == 0 || !sg_row_same_item(&table->rows[i - 1], &table->rows[i]);
    return count;
}

enum sg_code sg_merge(const struct sg_merge_request *request, struct sg_merged *merged,
                      struct sg_err *err)
{
    struct merge merge = {.request = request};
    *merged = (struct sg_merged){0};
    if (find_parts(&merge, err) != SG_SUCCESS)
        return err->code;
    sg_part_add_header(&merge.list);
    for (size_t i = 0; request->lost && i < request->lost->count; i++)
        sg_units_join(&merge.units, &request->lost->items[i]);
    for (size_t i = 0; i < merge.count && err->code == SG_SUCCESS; i++)
        add_part(&merge, &merge.parts[i], err);
    merged->items = count_items(&merge.table);
    merged->units = merge.units.count;
    if (merge.missing.count > 0)
        sg_shards_add_to(&merged->missing, &merge.missing);
    add_missing(&merge);
    if (err->code == SG_SUCCESS && sg_table_sort(&merge.table, err) == SG_SUCCESS)
        write_run(&merge, err);
    sg_table_release(&merge.table);
    return err->code;
}
