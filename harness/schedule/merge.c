#include "schedule/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/parts.h"
#include "results/run_reader.h"
#include "util/file.h"

#define MISSING_FAMILY "shard" /* family of the items that name missing shards */

struct part {
    const char *path; /* borrowed */
    struct sg_env env;
    struct sg_shards shards;
};

struct merge {
    const struct sg_merge_request *request;
    struct sg_merged *merged;
    struct part *parts;      /* by their first shard */
    const struct part **has; /* for each shard the part that has it; NULL: missing */
    size_t count;
    struct sg_env env;
    struct sg_table table;
    struct sg_units units;
    struct sg_text list; /* parts.csv */
    struct sg_shards missing;
};

/* ---- facts ---- */

/* How the values of a fact are joined. */
enum how {
    EQUAL,   /* all parts that have it must agree */
    COMMAND, /* EQUAL without --shard and --gpu */
    MOST,    /* as words */
    LIST,    /* joined by + */
    NOT,     /* never kept */
    IF_SAME  /* of one GPU or one part: kept only if all parts agree */
};

static const struct {
    enum how how;
    const char *keys[18]; /* ends with NULL */
} how_table[] = {
    {COMMAND, {"command", SG_SELECTION_KEY}},
    {MOST, {"date", SG_KNOB_COUNT_KEY, SG_PAIRS_KEY, SG_CHOICE_KEY}},
    {LIST, {SG_CHOICE_DRAWN_KEY}},
    /* each item has a row `unfit`; units.csv counts the dropped processes */
    {NOT,
     {SG_SHARD_KEY, SG_UNITS_KEY, SG_DIGEST_KEY, "unfit", "dropped_processes", "neighbours",
      "events", "event_reasons"}},
    {IF_SAME,
     {SG_CHOICE_WHY_KEY, SG_TIMED_SINCE_KEY, SG_WORKER_ENDS_KEY, "gpu_uuid_hash", SG_HOST_KEY,
      SG_PCI_KEY, SG_VBIOS_KEY, "mig", "l2_bytes", "sm_clock_max_hz", "mem_clock_hz", "power_cap_w",
      "power_w", "temperature_c"}},
};

static enum how how_of(const char *key)
{
    for (size_t i = 0; i < sizeof(how_table) / sizeof(how_table[0]); i++)
        for (const char *const *known = how_table[i].keys; *known; known++)
            if (strcmp(*known, key) == 0)
                return how_table[i].how;
    return EQUAL;
}

/* Appends a command without the options that differ between parts. */
static void add_common(struct sg_text *out, const char *command)
{
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_command(&words, command, SG_IGNORED);
    for (size_t i = 0; i < words.count; i++) {
        if (strncmp(words.items[i], "--shard=", strlen("--shard=")) == 0 ||
            strncmp(words.items[i], "--gpu=", strlen("--gpu=")) == 0)
            continue;
        sg_text_add(out, out->length > 0 ? " " : "");
        sg_text_add_word(out, words.items[i]);
    }
}

static enum sg_code fail_other(const struct part *parts, const char *key, const char *is,
                               const char *was, const char *path, struct sg_err *err)
{
    while (!sg_env_get(&parts->env, key))
        parts++;
    return sg_fail(err, SG_NOT_COMPARABLE, path, "%s is '%s' here, '%s' in %s", key,
                   sg_show_string(is).text, sg_show_string(was).text, parts->path);
}

/* Adds the index-th fact of a part. */
static enum sg_code add_fact(const struct part *parts, const struct part *part, size_t index,
                             struct sg_env *env, struct sg_err *err)
{
    const char *key = part->env.key[index], *is = part->env.value[index],
               *was = sg_env_get(env, key);
    SG_SCOPED(sg_text) command = {0};
    const enum how how = how_of(key);
    if (how == COMMAND) {
        add_common(&command, is);
        is = sg_text_string(&command);
    }
    if (how == NOT || (was && strcmp(was, is) == 0))
        return SG_SUCCESS;
    if (!was || (how == MOST && strcmp(is, was) > 0))
        sg_env_set(env, key, is);
    else if (how == IF_SAME)
        sg_env_set(env, key, "");
    else if (how == LIST && *is)
        sg_env_setf(env, key, "%s%s%s", was, *was ? "+" : "", is);
    else if (how == EQUAL || how == COMMAND)
        return fail_other(parts, key, is, was, part->path, err);
    return SG_SUCCESS;
}

/* A fact must be equal in all parts that have it, unless the table says otherwise. */
static enum sg_code join_facts(const struct part *parts, size_t count, struct sg_env *env,
                               struct sg_err *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].env.count && err->code == SG_SUCCESS; k++)
            /* A part without a case has not seen a GPU. */
            if (strcmp(parts[i].env.key[k], "gpu") != 0 || sg_env_get(&parts[i].env, "gpu_name"))
                add_fact(parts, &parts[i], k, env, err);
    for (size_t i = env->count; i-- > 0;)
        if (!*env->value[i])
            sg_env_unset(env, env->key[i]);
    return err->code;
}

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

static uint64_t place_of(const struct part *part)
{
    return part->shards.of * SG_SHARDS_MAX + part->shards.index[0];
}

static int by_shard(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    const uint64_t x = place_of(a), y = place_of(b);
    return x != y ? (x > y) - (x < y) : strcmp(a->path, b->path);
}

/* Takes the shards of a part, which no other part may have. */
static enum sg_code take_shards(struct merge *merge, const struct part *part, struct sg_err *err)
{
    const unsigned long long of = merge->missing.of;
    if (part->shards.of != of)
        return sg_fail(err, SG_NOT_COMPARABLE, part->path, "one of %llu shards here, of %llu in %s",
                       (unsigned long long)part->shards.of, of, merge->parts[0].path);
    for (size_t i = 0; i < part->shards.count; i++) {
        const struct part **place = &merge->has[part->shards.index[i]];
        if (*place)
            return sg_fail(err, SG_NOT_COMPARABLE, part->path, "%s has shard %llu/%llu too",
                           (*place)->path, (unsigned long long)part->shards.index[i], of);
        *place = part;
    }
    return SG_SUCCESS;
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
    join_facts(merge->parts, merge->count, &merge->env, err);
    merge->missing.of = merge->parts[0].shards.of;
    merge->has = sg_alloc(merge->missing.of, sizeof(*merge->has));
    for (size_t i = 0; i < merge->count && err->code == SG_SUCCESS; i++)
        take_shards(merge, &merge->parts[i], err);
    return err->code;
}

/* ---- reading the parts ---- */

static void add_row(struct sg_table *table, const struct sg_value *item, const char *metric,
                    enum sg_status status, const char *message)
{
    sg_table_add(table, &(struct sg_value){SG_NAMED(*item), .metric = metric, .status = status,
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
        if (i > 0 && sg_row_same_item(&table->rows[i - 1], &table->rows[i]))
            continue;
        merge->merged->items++;
        if (is_merged)
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
    SG_FORMATTED(up, "%s/", a);
    SG_FORMATTED(down, "%s/", b);
    for (size_t i = 0; up.data[i] && up.data[i] == down.data[i]; i++)
        same = up.data[i] == '/' ? i + 1 : same;
    for (const char *at = up.data + same; *at; at++)
        sg_text_add(out, *at == '/' ? "../" : "");
    sg_text_add_bytes(out, down.data + same, down.length - same - 1);
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
    const struct sg_part row = {way.data, sg_env_word(&run.env, SG_SHARD_KEY),
                                sg_env_word(&run.env, SG_DIGEST_KEY)};
    sg_text_add(&merge->list, "\n");
    sg_record_add(&merge->list, &sg_part_record, &row, NULL);
    return err->code;
}

/* Notes a shard as missing, once. Returns false if a part has it. */
static bool is_missing(struct merge *merge, uint64_t shard)
{
    if (merge->has[shard])
        return false;
    merge->has[shard] = merge->parts;
    *SG_APPEND(merge->missing.index, merge->missing.count, merge->missing.capacity) = shard;
    return true;
}

/* Adds a row of status `skipped` for each missing shard, which every reader calls not_measured. */
static void add_missing(struct merge *merge)
{
    const struct sg_table *given = merge->request->missing;
    const unsigned long long of = merge->missing.of;
    for (size_t i = 0; given && i < given->count; i++) {
        const struct sg_value value = sg_value_of(given, &given->rows[i]);
        sg_table_add(&merge->table, &value);
        is_missing(merge, sg_shard_of(of, value.family, value.case_));
    }
    for (unsigned long long shard = 0; !given && shard < of; shard++) {
        if (!is_missing(merge, shard))
            continue;
        SG_FORMATTED(name, "%llu_of_%llu", shard, of);
        SG_FORMATTED(why, "no part has it: solgate %s --shard=%llu/%llu",
                     sg_env_word(&merge->env, "command"), shard, of);
        add_row(
            &merge->table,
            &(struct sg_value){.family = MISSING_FAMILY, .case_ = name.data, .variant = "missing"},
            "status", SG_SKIPPED, why.data);
    }
    sg_shards_sort(&merge->missing);
    if (merge->missing.count > 0) {
        sg_shards_add_to(&merge->merged->missing, &merge->missing);
        sg_env_set(&merge->env, SG_MISSING_SHARDS_KEY, merge->merged->missing.data);
    }
}

/* ---- writing ---- */

static enum sg_code write_file(const struct merge *merge, const char *name,
                               const struct sg_text *text, struct sg_err *err)
{
    SG_FORMATTED(path, "%s/%s", merge->request->folder, name);
    return sg_write_file(path.data, sg_text_string(text), text->length, err);
}

static void set_shards(struct merge *merge)
{
    const struct sg_shards *part = merge->request->part;
    const char *others = sg_env_word(&merge->env, SG_SELECTION_KEY);
    SG_SCOPED(sg_text) shards = {0};
    if (!part || part->of == 0)
        return;
    sg_shards_add_to(&shards, part);
    sg_env_set(&merge->env, SG_SHARD_KEY, shards.data);
    sg_env_setf(&merge->env, SG_SELECTION_KEY, "%s%s--shard=%s", others, *others ? " " : "",
                shards.data);
}

/* Which events were seen on which GPU, in place of the words of each part. */
static void set_events(struct merge *merge)
{
    SG_SCOPED(sg_text) words = {0};
    uint64_t processes = 0;
    for (size_t i = 0; i < merge->units.count; i++) {
        const struct sg_unit *unit = &merge->units.items[i];
        const uint64_t events = unit->events.seen & ~(uint64_t)SG_EVENT_IDLE;
        processes += unit->events.known ? unit->processes : 0;
        if (events) {
            sg_text_addf(sg_text_next(&words), "on GPU %s ", unit->name);
            sg_throttle_reasons_words(events, &words);
        }
    }
    if (words.length > 0)
        sg_env_set(&merge->env, "events", words.data);
    else if (processes > 0)
        sg_env_setf(&merge->env, "events", "none in %" PRIu64 " processes", processes);
}

static enum sg_code write_run(struct merge *merge, struct sg_err *err)
{
    const char *folder = merge->request->folder;
    SG_SCOPED(sg_text) rows = {0}, env = {0}, units = {0};
    set_shards(merge);
    set_events(merge);
    if (sg_units_write(folder, &merge->units, err) != SG_SUCCESS) /* sorts them */
        return err->code;
    for (size_t i = 0; i < merge->units.count; i++)
        sg_text_addf(&units, "%s%s", i > 0 ? "+" : "", merge->units.items[i].name);
    if (units.length > 0)
        sg_env_set(&merge->env, SG_UNITS_KEY, units.data);
    sg_table_format(&rows, &merge->table);
    sg_text_addf(&env, "%s/env.csv", folder);
    if (write_file(merge, "run.csv", &rows, err) != SG_SUCCESS ||
        write_file(merge, SG_PARTS_FILE, &merge->list, err) != SG_SUCCESS ||
        sg_run_seal(folder, &merge->env, err) != SG_SUCCESS)
        return err->code;
    return sg_env_write(env.data, &merge->env, err);
}

enum sg_code sg_merge(const struct sg_merge_request *request, struct sg_merged *merged,
                      struct sg_err *err)
{
    struct merge merge = {.request = request, .merged = merged};
    *merged = (struct sg_merged){0};
    if (find_parts(&merge, err) != SG_SUCCESS)
        return err->code;
    sg_record_add_header(&merge.list, &sg_part_record);
    for (size_t i = 0; request->lost && i < request->lost->count; i++)
        sg_units_join(&merge.units, &request->lost->items[i]);
    for (size_t i = 0; i < merge.count && err->code == SG_SUCCESS; i++)
        add_part(&merge, &merge.parts[i], err);
    merged->units = merge.units.count;
    add_missing(&merge);
    sg_text_add(&merge.list, "\n");
    if (err->code == SG_SUCCESS && sg_table_sort(&merge.table, err) == SG_SUCCESS)
        write_run(&merge, err);
    sg_table_release(&merge.table);
    return err->code;
}
