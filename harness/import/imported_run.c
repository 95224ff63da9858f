#include "import/imported_run.h"

#include "util/file.h"

#define TOLERANCE "0.05" /* of unpaired times, which vary with clocks and from day to day */

/* Gathered values are unchecked so far; the reader of run.csv must accept them. */
static enum sg_code check_rows(const char *file, const struct sg_table *table, struct sg_err *err)
{
    for (size_t i = 0; i < table->count && err->code == SG_SUCCESS; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        struct sg_err bad = {0};
        if (sg_value_check(&value, &bad) != SG_SUCCESS)
            sg_row_fail(err, file, table, &table->rows[i], "%s", bad.message);
    }
    return err->code;
}

static void set_facts(const struct sg_imported_run *run, const char *gpu, struct sg_env *env)
{
    SG_FORMATTED(source, "%s: %s", run->tool, run->source);
    const char *const pairs[][2] = {{"schema", SG_SCHEMA},
                                    {"state", "finished"},
                                    {"suite", run->tool},
                                    {"source", source.data},
                                    {"date", sg_utc_now(SG_UTC_TIME).text},
                                    {"gpu", gpu && *gpu ? gpu : "unknown"},
                                    {"gpu_name", run->gpu_name},
                                    {"tolerance", TOLERANCE},
                                    {"time_source", "imported"},
                                    {"unfit", run->unfit}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (pairs[i][1])
            sg_env_set(env, pairs[i][0], pairs[i][1]);
    for (size_t i = 0; run->facts && i < run->facts->count; i++)
        sg_env_set(env, run->facts->key[i], run->facts->value[i]);
}

enum sg_code sg_imported_run_complete(const struct sg_imported_run *facts, const char *place,
                                      struct sg_run *run, struct sg_err *err)
{
    SG_FREED char *gpu = facts->gpu ? sg_copy_string(facts->gpu) : NULL;
    if (sg_table_sort(&run->table, err) != SG_SUCCESS ||
        check_rows(place, &run->table, err) != SG_SUCCESS)
        return err->code;
    if (!gpu && facts->gpu_name)
        sg_gpu_key_for(facts->gpu_name, &gpu, err);
    set_facts(facts, gpu, &run->env);
    return err->code;
}

enum sg_code sg_imported_run_store(struct sg_run *run, const char *folder, struct sg_err *err)
{
    SG_FORMATTED(rows, "%s/run.csv", folder);
    SG_FORMATTED(facts, "%s/env.csv", folder);
    if (sg_make_folders(folder, err) == SG_SUCCESS &&
        sg_table_write(rows.data, &run->table, err) == SG_SUCCESS &&
        sg_run_seal(folder, &run->env, err) == SG_SUCCESS)
        sg_env_write(facts.data, &run->env, err);
    return err->code;
}

enum sg_code sg_imported_run_write(const struct sg_imported_run *facts, const char *folder,
                                   const char *place, struct sg_table *table, struct sg_err *err)
{
    struct sg_run run = {.table = *table};
    if (sg_imported_run_complete(facts, place, &run, err) == SG_SUCCESS)
        sg_imported_run_store(&run, folder, err);
    sg_env_release(&run.env);
    *table = run.table;
    return err->code;
}
