/* The folder of a run: begun, or taken up again where what it was begun for is the same. */
#include "run/pipeline_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/error_signature.h"
#include "results/run_reader.h"
#include "results/samples.h"
#include "results/terms.h"
#include "results/validity.h"
#include "util/digest.h"
#include "util/escape.h"
#include "util/version.h"

static void set_number(struct sg_env *env, const char *key, const char *format, double value)
{
    char text[32];
    snprintf(text, sizeof(text), format, value);
    sg_env_set(env, key, text);
}

/* What the suite asks for, and what the metrics mean: the names alone do not say
 * whether either was edited since. */
static void set_definitions(const struct sg_pipeline *p, struct sg_env *env)
{
    struct sg_digest metrics = SG_DIGEST_EMPTY;
    for (size_t i = 0; i < p->metric_count; i++) {
        const struct sg_metric *metric = p->metrics[i];
        sg_digest_add_string(&metrics, metric->name);
        sg_digest_add_string(&metrics, metric->unit);
        sg_digest_add_string(&metrics, metric->key ? metric->key : "");
        for (size_t k = 0; k < metric->cupti_count; k++) {
            sg_digest_add_string(&metrics, metric->cupti[k].chip);
            sg_digest_add_string(&metrics, metric->cupti[k].cupti ? metric->cupti[k].cupti : "");
        }
    }
    sg_env_set(env, "metrics_hash", sg_digest_word(&metrics).text);
    if (p->suite_hash[0]) /* `ab` has no file of one */
        sg_env_set(env, "suite_hash", p->suite_hash);
}

/* What makes a run this run: when it is taken up again these must be the same. */
static void set_identity(const struct sg_pipeline *p, struct sg_env *env)
{
    char seed[24];
    snprintf(seed, sizeof(seed), "%" PRIu64, p->seed);
    struct sg_text metrics = {0};
    for (size_t i = 0; i < p->metric_count; i++)
        sg_text_addf(&metrics, "%s%s", i ? "+" : "", p->metrics[i]->name);
    sg_env_set(env, "schema", SG_SCHEMA);
    sg_env_set(env, "tool_version", sg_version());
    sg_env_set(env, "commit", sg_commit());
    sg_env_set(env, "suite", p->suite->name);
    sg_env_set(env, "seed", seed);
    sg_env_set(env, "l2", sg_l2_word(p->suite->l2));
    if (p->suite->is_sequential)
        sg_env_set(env, "processes", SG_SUITE_AUTO);
    else
        set_number(env, "processes", "%.0f", p->suite->processes);
    set_number(env, "blocks", "%.0f", p->suite->blocks);
    set_number(env, "launches", "%.0f", p->suite->launches);
    set_number(env, "repeats", "%.0f", p->suite->repeats);
    sg_env_set(env, "metrics", sg_text_string(&metrics));
    sg_text_release(&metrics);
    set_definitions(p, env);
    sg_pipeline_set_code(p, env);
    /* How many blocks and processes there are goes by them. */
    set_number(env, "tolerance", "%.9g", p->suite->tolerance);
    set_number(env, SG_TOLERANCE_MAX_KEY, "%.9g", p->suite->tolerance_max);
    for (size_t i = 0; i < p->suite->family_count; i++) {
        struct sg_text key = {0};
        sg_text_addf(&key, "tolerance.%s", p->suite->families[i].name);
        set_number(env, key.data, "%.9g", p->suite->families[i].tolerance);
        sg_text_release(&key);
        sg_text_addf(&key, SG_GATE_PREFIX "%s", p->suite->families[i].name);
        if (p->suite->families[i].gates)
            sg_env_set(env, key.data, "yes");
        sg_text_release(&key);
    }
    sg_pipeline_set_settings(p, env);
    sg_pipeline_set_pairs(p, env);
    for (size_t i = 0; p->identity && i < p->identity->count; i++)
        sg_env_set(env, p->identity->key[i], p->identity->value[i]);
}

static void set_facts(const struct sg_pipeline *p, struct sg_env *env)
{
    set_identity(p, env);
    struct sg_text limits = {0};
    for (size_t i = 0; i < SG_DRIFT_COUNT; i++)
        sg_text_addf(&limits, "%s %g, ", sg_drift_references[i].word, sg_drift_references[i].limit);
    sg_text_addf(&limits, "drops %d", SG_DROPS_MAX);
    sg_env_set(env, SG_DRIFT_LIMITS_KEY, limits.data);
    sg_text_release(&limits);
    struct sg_text selection = {0};
    sg_filters_add_to(&selection, &p->options->filters);
    if (selection.length > 0)
        sg_env_set(env, SG_SELECTION_KEY, selection.data + 1);
    sg_text_release(&selection);
    /* Paths in it are the caller's, and may hold anything. */
    char *command = sg_copy_string(p->command);
    sg_make_printable(command);
    sg_env_set(env, "command", command);
    free(command);
    sg_env_set(env, "state", "running");
    sg_env_set(env, "date", sg_utc_now(SG_UTC_TIME).text);
}

static void restore_step(struct sg_step *step, const struct sg_table *table)
{
    const char *family = step->item.family->name, *case_ = step->item.case_->name, *variant = step->item.variant->name;
    const struct sg_row *row = sg_table_find(table, family, case_, variant, "status");
    if (!row)
        return;
    const struct sg_row *timed = sg_table_find(table, family, case_, variant, "time");
    step->verified = true;
    step->passed = row->status == SG_OK;
    sg_step_take_words(step, table);
    step->sanitized = sg_table_find(table, family, case_, variant, SG_SANITIZER_METRIC) != NULL;
    step->has_kernels = sg_table_find(table, family, case_, variant, "kernels") != NULL;
    const struct sg_row *counted = sg_table_find(table, family, case_, variant, "count_passes");
    step->counted = counted != NULL;
    if (counted && counted->status != SG_OK) {
        step->count_status = (enum sg_status)counted->status;
        step->count_message = sg_copy_string(sg_table_string(table, counted->message));
    }
    if (timed)
        row = timed;
    step->status = (enum sg_status)row->status;
    step->message = sg_copy_string(sg_table_string(table, row->message));
}

/* What a process found out of an accepted build stands with its own item. */
static void restore_pair(struct sg_accepted_pair *pair, const struct sg_item *item, const struct sg_table *table)
{
    const struct sg_row *row = sg_table_find(table, item->family->name, item->case_->name, item->variant->name, SG_BUILD_RATIO_METRIC);
    if (pair->why || !row || row->status == SG_OK)
        return;
    pair->step->status = (enum sg_status)row->status;
    pair->step->message = sg_copy_string(sg_table_string(table, row->message));
}

/* Keys of env.csv, before FAMILY.CASE.VARIANT. */
#define SUSPECT_PREFIX "suspect."
#define FLAKY_PREFIX   "flaky."

/* NULL: no such fact any more. */
static void set_of_step(struct sg_env *env, const char *prefix, const struct sg_step *step, const char *value)
{
    struct sg_text key = {0};
    sg_text_addf(&key, "%s%s.%s.%s", prefix, step->item.family->name, step->item.case_->name, step->item.variant->name);
    if (value)
        sg_env_set(env, key.data, value);
    else
        sg_env_unset(env, key.data);
    sg_text_release(&key);
}

static const char *get_of_step(const struct sg_env *env, const char *prefix, const struct sg_step *step)
{
    return sg_env_getf(env, "%s%s.%s.%s", prefix, step->item.family->name, step->item.case_->name, step->item.variant->name);
}

static void replace(char **string, const char *with)
{
    char *copy = with ? sg_copy_string(with) : NULL;
    free(*string);
    *string = copy;
}

enum sg_code sg_step_suspect(struct sg_pipeline *p, struct sg_step *step, const char *how, struct sg_err *err)
{
    replace(&step->suspected, how);
    set_of_step(&p->folder.env, SUSPECT_PREFIX, step, how);
    return sg_run_writer_write_env(&p->folder, err);
}

enum sg_code sg_step_set_flaky(struct sg_pipeline *p, struct sg_step *step, const char *message, struct sg_err *err)
{
    step->status = SG_FLAKY;
    replace(&step->message, message);
    set_of_step(&p->folder.env, FLAKY_PREFIX, step, message);
    return sg_step_suspect(p, step, NULL, err);
}

void sg_pipeline_settle_suspects(struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->plan.count; i++) {
        struct sg_step *step = &p->steps[i];
        struct sg_text message = {0};
        if (step->suspected && step->status == SG_OK) {
            sg_text_addf(&message, "failed 1 of 1 times: %s", step->suspected);
            step->status = SG_FLAKY;
            replace(&step->message, message.data);
        }
        sg_text_release(&message);
        set_of_step(&p->folder.env, SUSPECT_PREFIX, step, NULL);
        set_of_step(&p->folder.env, FLAKY_PREFIX, step, NULL);
    }
}

static void restore_suspect(struct sg_step *step, const struct sg_env *env)
{
    const char *flaky = get_of_step(env, FLAKY_PREFIX, step);
    replace(&step->suspected, get_of_step(env, SUSPECT_PREFIX, step));
    if (flaky && step->status == SG_OK) {
        step->status = SG_FLAKY;
        replace(&step->message, flaky);
    }
}

static struct sg_step *step_of(const struct sg_pipeline *p, const struct sg_samples *samples, const struct sg_sample *sample)
{
    return sg_pipeline_step(p, (const char *const[]){sg_samples_string(samples, sample->family), sg_samples_string(samples, sample->case_),
                                                     sg_samples_string(samples, sample->pair)});
}

/* Are they in their order, each of the variant that the coin of its block says? */
static bool is_in_order(const struct sg_pipeline *p, const struct sg_step *step, const struct sg_samples *samples,
                        const struct sg_pair_samples *batches)
{
    for (size_t i = 0; i < batches->count; i++) {
        const struct sg_sample *batch = &batches->items[i];
        if (batch->block != i / SG_BLOCK_BATCHES || batch->position != i % SG_BLOCK_BATCHES ||
            strcmp(sg_samples_string(samples, batch->variant), sg_step_ran(step, batch, p->seed)) != 0)
            return false;
    }
    return true;
}

/* Of a run that is taken up: the batches of one process of one pair. They are kept if they
 * are all there, and are this run's. */
static bool restore_batches(void *context, const struct sg_samples *samples, const struct sg_pair_samples *batches)
{
    const struct sg_pipeline *p = context;
    const struct sg_sample *first = batches->items;
    struct sg_step *step = step_of(p, samples, first);
    /* A night may have measured any of them on. */
    const unsigned processes =
        p->suite->is_sequential || p->suite->processes < SG_SEQUENTIAL_PROCESSES_MAX ? SG_SEQUENTIAL_PROCESSES_MAX : p->suite->processes;
    if (!step || first->process >= processes || !is_in_order(p, step, samples, batches) ||
        !sg_pipeline_is_whole(p, sg_samples_string(samples, first->family), batches))
        return false;
    sg_step_take_batches(step, batches, p->seed);
    return true;
}

static enum sg_code check_identity(struct sg_pipeline *p, const char *path, const struct sg_env *begun, struct sg_err *err)
{
    if (sg_env_get(begun, SG_PAIRS_KEY) && !p->options->against_accepted)
        return sg_fail(err, SG_BAD_USAGE, path, "this run was begun with --against-accepted, and cannot go on without it");
    const char *seed = sg_env_get(begun, "seed");
    if (!p->options->seed_given && seed && !sg_parse_u64(seed, &p->seed))
        return sg_env_fail(err, begun, "seed", "expected a whole number, found '%s'", sg_show(seed, strlen(seed)).text);
    struct sg_env here = {0};
    set_identity(p, &here);
    for (size_t i = 0; i < here.count && err->code == SG_SUCCESS; i++) {
        const char *was = sg_env_get(begun, here.key[i]);
        /* Runs that were begun before there was a choice counted once. */
        if (!was && strcmp(here.key[i], "repeats") == 0)
            was = "1";
        /* So nothing was set before there were knobs. */
        if (!was && strcmp(here.key[i], SG_SETTINGS_KEY) == 0)
            was = "0";
        /* And no tolerance was too wide. */
        if (!was && strcmp(here.key[i], SG_TOLERANCE_MAX_KEY) == 0)
            continue;
        if (!was || strcmp(was, here.value[i]) != 0)
            sg_fail(err, SG_NOT_COMPARABLE, path,
                    "this run was begun with %s \"%s\", and cannot go on with \"%s\": begin another one with another --out", here.key[i],
                    was ? was : "", here.value[i]);
    }
    sg_env_release(&here);
    return err->code;
}

/* With fewer items what is left of the others would be called finished; with more, what the run was
 * begun for would be another thing. */
static enum sg_code check_selection(const struct sg_pipeline *p, const char *path, const struct sg_env *begun, struct sg_err *err)
{
    struct sg_text here = {0};
    const char *was = sg_env_get(begun, SG_SELECTION_KEY);
    sg_filters_add_to(&here, &p->options->filters);
    const char *is = here.length > 0 ? here.data + 1 : NULL;
    if (strcmp(was ? was : "", is ? is : "") != 0)
        sg_fail(err, SG_BAD_USAGE, path, "this run was begun with %s, and cannot go on with %s: --resume needs the same",
                was ? was : "everything of its suite", is ? is : "everything of its suite");
    sg_text_release(&here);
    return err->code;
}

static enum sg_code take_up(struct sg_pipeline *p, const char *path, struct sg_err *err)
{
    struct sg_env begun = {0};
    struct sg_table table;
    struct sg_samples samples;
    sg_table_init(&table);
    sg_samples_init(&samples);
    if (sg_run_writer_facts(path, &begun, err) != SG_SUCCESS || sg_run_check_ended(path, &begun, err) != SG_SUCCESS ||
        check_identity(p, path, &begun, err) != SG_SUCCESS || check_selection(p, path, &begun, err) != SG_SUCCESS ||
        sg_run_writer_take_up(path, &(struct sg_pair_samples_judge){p, restore_batches}, &p->folder, &table, &samples, err) != SG_SUCCESS)
        goto out;
    for (size_t i = 0; i < sg_pipeline_own_count(p); i++)
        restore_step(&p->steps[i], &table);
    for (size_t i = 0; i < p->accepted.count; i++)
        restore_pair(&p->accepted.items[i], &p->plan.items[p->accepted.items[i].own], &table);
    for (size_t i = 0; i < p->plan.count; i++)
        restore_suspect(&p->steps[i], &begun);
    sg_env_set(&p->folder.env, "state", "running");
    sg_run_unseal(&p->folder.env);
    if (sg_pipeline_take_up_processes(p, &samples, err) == SG_SUCCESS)
        sg_run_writer_write_env(&p->folder, err);
    *p->batches = samples;
    sg_samples_init(&samples);
out:
    sg_env_release(&begun);
    sg_table_release(&table);
    sg_samples_release(&samples);
    return err->code;
}

void sg_pipeline_default_folder(const char *suite, struct sg_text *path)
{
    sg_text_addf(path, "out/%s-%s", suite, sg_utc_now(SG_UTC_FOLDER).text);
}

static enum sg_code hash_suite(struct sg_pipeline *p, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    if (p->suite->path && sg_digest_add_file(&digest, p->suite->path, err) == SG_SUCCESS)
        memcpy(p->suite_hash, sg_digest_word(&digest).text, sizeof(p->suite_hash));
    return err->code;
}

enum sg_code sg_pipeline_open(struct sg_pipeline *p, struct sg_err *err)
{
    struct sg_text path = {0};
    if (sg_pipeline_find_code(p, err) != SG_SUCCESS || hash_suite(p, err) != SG_SUCCESS)
        return err->code;
    if (p->options->out)
        sg_text_add(&path, p->options->out);
    else
        sg_pipeline_default_folder(p->suite->name, &path);
    if (p->options->resume && !sg_run_writer_is_bare(path.data)) {
        take_up(p, path.data, err);
    } else if (sg_run_writer_create(path.data, &p->folder, err) == SG_SUCCESS) {
        set_facts(p, &p->folder.env);
        sg_run_writer_write_env(&p->folder, err);
    }
    sg_text_release(&path);
    return err->code;
}
