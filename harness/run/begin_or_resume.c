/* Begins a run's folder, or resumes it if the run's identity is unchanged. */
#include "run/execution_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/error_signature.h"
#include "results/identity.h"
#include "results/parts.h"
#include "results/run_reader.h"
#include "results/samples.h"
#include "results/terms.h"
#include "results/validity.h"
#include "run/accepted_builds.h"
#include "util/digest.h"
#include "util/file.h"
#include "util/version.h"

/* Stores digests of the suite and of the metrics' definitions: names alone do not show an edit. */
static void set_definitions(const struct sg_execution *e, struct sg_env *env)
{
    struct sg_digest metrics = SG_DIGEST_EMPTY;
    for (size_t i = 0; i < e->plan->metric_count; i++) {
        const struct sg_metric *metric = e->plan->metrics[i];
        sg_digest_add_string(&metrics, metric->name);
        sg_digest_add_string(&metrics, metric->unit);
        sg_digest_add_string(&metrics, metric->source->word);
        for (size_t k = 0; k < metric->key_count; k++) {
            sg_digest_add_string(&metrics, metric->keys[k].chip);
            sg_digest_add_string(&metrics, metric->keys[k].key ? metric->keys[k].key : "");
        }
    }
    sg_env_set(env, "metrics_hash", sg_digest_word(&metrics).text);
    struct sg_digest suite = SG_DIGEST_EMPTY;
    if (e->plan->suite->path &&
        sg_digest_add_file(&suite, e->plan->suite->path, SG_IGNORED) == SG_SUCCESS)
        sg_env_set(env, "suite_hash", sg_digest_word(&suite).text);
}

/* Stores the knobs of each item that has any, and the number of such items, so that a removed one
 * is noticed. */
static void set_knobs(const struct sg_run_plan *plan, struct sg_env *env)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct sg_knob_setting *knobs = plan->items[i].knobs;
        SG_SCOPED(sg_text) text = {0};
        if (!knobs)
            continue;
        sg_knob_setting_add_knobs(knobs, &text);
        sg_fact_set(env, SG_KNOBS_KEY, SG_OF(knobs->family, knobs->case_, knobs->name), text.data);
        count++;
    }
    sg_env_setf(env, SG_KNOB_COUNT_KEY, "%zu", count);
}

/* Stores each program's command. */
static void set_programs(const struct sg_run_plan *plan, struct sg_env *env)
{
    for (size_t i = plan->count - plan->program_count; i < plan->count; i++) {
        const struct sg_suite_program *program = plan->items[i].program;
        SG_SCOPED(sg_text) command = {0};
        sg_text_add_command(&command, program->argv.items);
        sg_fact_set(env, SG_COMMAND_KEY, SG_OF(program->name), command.data);
    }
}

/* Stores the sizes of each of the suite's cases that has sizes. */
static void set_sizes(const struct sg_suite *suite, struct sg_env *env)
{
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct sg_suite_case *one = &suite->cases[i];
        sg_fact_set(env, SG_SIZES_KEY, SG_OF(one->family, one->name), one->sizes);
    }
}

/* Sets the run's identity. A resumed run must have the same identity. */
static void set_identity(const struct sg_execution *e, struct sg_env *env)
{
    SG_SCOPED(sg_text) metrics = {0};
    for (size_t i = 0; i < e->plan->metric_count; i++)
        sg_text_addf(&metrics, "%s%s", i ? "+" : "", e->plan->metrics[i]->name);
    sg_env_set(env, "schema", SG_SCHEMA);
    sg_env_set(env, "tool_version", sg_version());
    sg_env_set(env, "commit", sg_commit());
    sg_env_set(env, "suite", e->plan->suite->name);
    set_sizes(e->plan->suite, env);
    sg_env_setf(env, "seed", "%" PRIu64, e->seed);
    sg_settings_to_env(&e->plan->settings, NULL, env);
    sg_env_set(env, "metrics", sg_text_string(&metrics));
    set_definitions(e, env);
    sg_execution_set_code(e, env);
    for (size_t i = 0; i < e->plan->suite->family_count; i++)
        sg_settings_to_env(&e->plan->suite->families[i].settings, e->plan->suite->families[i].name,
                           env);
    set_knobs(e->plan, env);
    set_programs(e->plan, env);
    if (e->options->against_accepted) {
        const struct sg_digest pairs = sg_accepted_pairs_digest(e->plan);
        sg_env_set(env, SG_PAIRS_KEY, sg_digest_word(&pairs).text);
    }
    for (size_t i = 0; i < e->plan->identity.count; i++)
        sg_env_set(env, e->plan->identity.key[i], e->plan->identity.value[i]);
}

static void set_facts(const struct sg_execution *e, struct sg_env *env)
{
    set_identity(e, env);
    SG_SCOPED(sg_text) limits = {0};
    for (size_t i = 0; i < SG_DRIFT_COUNT; i++)
        sg_text_addf(&limits, "%s %g, ", sg_drift_references[i].word, sg_drift_references[i].limit);
    sg_text_addf(&limits, "drops %d", SG_DROPS_MAX);
    sg_env_set(env, SG_DRIFT_LIMITS_KEY, limits.data);
    SG_SCOPED(sg_text) selection = {0};
    sg_filters_add_to(&selection, &e->options->filters);
    if (selection.length > 0)
        sg_env_set(env, SG_SELECTION_KEY, selection.data + 1);
    if (e->options->filters.shards.of > 0) {
        SG_SCOPED(sg_text) shards = {0};
        sg_shards_add_to(&shards, &e->options->filters.shards);
        sg_env_set(env, SG_SHARD_KEY, shards.data);
    }
    sg_env_set(env, "command", sg_text_string(&e->plan->command));
    if (e->options->timed_since)
        sg_env_set(env, SG_TIMED_SINCE_KEY, e->options->timed_since);
    sg_env_set(env, "state", "running");
    sg_env_set(env, "date", sg_utc_now(SG_UTC_TIME).text);
}

static void replace(char **string, const char *with)
{
    char *copy = with ? sg_copy_string(with) : NULL;
    free(*string);
    *string = copy;
}

/* Applies a row of the log to its step, live and after a resume. */
static void take_row(struct sg_step *step, const struct sg_value *row)
{
    const char *metric = row->metric;
    if (strcmp(metric, "status") == 0) {
        step->verified = true;
        step->passed |= row->status == SG_OK;
        step->status = row->status;
        replace(&step->message, row->message);
    } else if (strcmp(metric, "time") == 0 || strcmp(metric, SG_BUILD_RATIO_METRIC) == 0) {
        step->status = row->status;
        replace(&step->message, row->message);
    } else if (strcmp(metric, SG_COUNT_METRIC) == 0) {
        step->counted = true;
        step->count_status = row->status;
        replace(&step->count_message, row->status == SG_OK ? NULL : row->message);
    } else if (strcmp(metric, SG_SUSPECT_METRIC) == 0) {
        replace(&step->first_failure, *row->message ? row->message : NULL);
    } else if (strcmp(metric, SG_HOST_BOUND_METRIC) == 0) {
        replace(&step->host_bound, row->message);
    } else if (strcmp(metric, SG_UNFIT_METRIC) == 0) { /* only of a merged run */
        replace(&step->refused, row->message);
    } else if (strcmp(metric, SG_IDENTITY_METRIC) == 0) {
        replace(&step->identity, row->message);
    } else if (strcmp(metric, SG_SIGNATURE_METRIC) == 0) {
        SG_SCOPED(sg_text) where = {0};
        sg_text_add_bytes(&where, row->message, sg_error_where(row->message));
        replace(&step->where, sg_text_string(&where));
    }
    step->has_kernels |= strcmp(metric, "kernels") == 0;
}

static void take_rows(struct sg_step *step, const struct sg_table *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct sg_value row = sg_value_of(rows, &rows->rows[i]);
        take_row(step, &row);
    }
}

enum sg_code sg_step_add_rows(struct sg_execution *e, struct sg_step *step,
                              const struct sg_table *group, const struct sg_samples *samples,
                              struct sg_err *err)
{
    take_rows(step, group);
    return sg_run_log_add(e->sink, group, samples, err);
}

/* Results of an accepted build are stored under its own item's name. */
static struct sg_step *step_of_row(const struct sg_execution *e, const struct sg_value *row)
{
    struct sg_step *step = sg_execution_step(e, (const char *const[]){SG_NAMES(*row)});
    if (strcmp(row->metric, SG_BUILD_RATIO_METRIC) != 0)
        return step;
    for (size_t i = 0; i < e->plan->accepted.count; i++) {
        const struct sg_accepted_pair *pair = &e->plan->accepted.items[i];
        if (&e->steps[pair->own] == step && pair->accepted != SG_NO_ITEM)
            return &e->steps[pair->accepted];
    }
    return NULL;
}

static void restore_rows(struct sg_execution *e)
{
    const struct sg_table *rows = &e->sink->rows;
    for (size_t i = 0; i < rows->count; i++) {
        const struct sg_value row = sg_value_of(rows, &rows->rows[i]);
        struct sg_step *step = step_of_row(e, &row);
        if (step)
            take_row(step, &row);
    }
}

enum sg_code sg_step_record(struct sg_execution *e, struct sg_step *step, const char *metric,
                            enum sg_status status, const char *message, struct sg_err *err)
{
    SG_SCOPED(sg_table) group = {0};
    const bool is_of_build = step->item->only_timed && strcmp(metric, SG_SUSPECT_METRIC) != 0;
    metric = step->item->program ? "status" : metric;
    const char *unit = strcmp(metric, "time") == 0            ? "ns"
                       : strcmp(metric, SG_COUNT_METRIC) == 0 ? "1"
                                                              : "";
    if (is_of_build)
        sg_item_row(&group, sg_step_item(step), SG_BUILD_RATIO_METRIC, "1", status, message);
    else
        sg_item_row(&group, step->item, metric, unit, status, message);
    return sg_step_add_rows(e, step, &group, NULL, err);
}

enum sg_code sg_step_set_first_failure(struct sg_execution *e, struct sg_step *step,
                                       const char *how, struct sg_err *err)
{
    return sg_step_record(e, step, SG_SUSPECT_METRIC, SG_OK, how, err);
}

enum sg_code sg_step_set_flaky(struct sg_execution *e, struct sg_step *step, const char *message,
                               struct sg_err *err)
{
    return sg_step_record(e, step, "status", SG_FLAKY, message, err) == SG_SUCCESS
               ? sg_step_set_first_failure(e, step, "", err)
               : err->code;
}

enum sg_code sg_execution_settle_retries(struct sg_execution *e, struct sg_err *err)
{
    for (size_t i = 0; i < e->plan->count && err->code == SG_SUCCESS; i++) {
        struct sg_step *step = &e->steps[i];
        SG_SCOPED(sg_text) message = {0};
        if (step->first_failure && step->status == SG_OK) {
            sg_text_addf(&message, "failed 1 of 1 times: %s", step->first_failure);
            sg_step_set_flaky(e, step, message.data, err);
        }
    }
    return err->code;
}

static struct sg_step *step_of(const struct sg_execution *e, const struct sg_samples *samples,
                               const struct sg_sample *sample)
{
    const char *family = sg_samples_string(samples, sample->family),
               *case_ = sg_samples_string(samples, sample->case_),
               *pair = sg_samples_string(samples, sample->pair);
    struct sg_step *program = sg_execution_program(e, family, case_);
    return program ? program : sg_execution_step(e, (const char *const[]){family, case_, pair});
}

/* All samples of one process of one pair are adjacent. */
static enum sg_code restore_samples(struct sg_execution *e, struct sg_err *err)
{
    const struct sg_samples *all = &e->sink->samples;
    for (size_t from = 0, to; from < all->count; from = to) {
        const struct sg_sample *first = &all->items[from];
        struct sg_step *step = step_of(e, all, first);
        for (to = from; to < all->count && sg_samples_same_process(first, &all->items[to]); to++)
            continue;
        if (!step)
            return sg_fail(err, SG_BAD_INPUT, e->sink->log_path,
                           "expected samples of items in this run's plan, found %s/%s/%s",
                           sg_samples_string(all, first->family),
                           sg_samples_string(all, first->case_),
                           sg_samples_string(all, first->pair));
        sg_step_take_batches(step, &(struct sg_pair_samples){first, to - from}, e->seed);
    }
    return SG_SUCCESS;
}

/* Samples are measured again if the end of their worker was not recorded. */
static enum sg_code drop_unseen(struct sg_execution *e, struct sg_err *err)
{
    uint64_t begun = 0;
    for (size_t i = 0; i < e->sink->processes.count; i++)
        begun |= (uint64_t)1 << e->sink->processes.items[i].process;
    for (unsigned process = 0; process < SG_PROCESSES_MAX && err->code == SG_SUCCESS; process++)
        if (begun >> process & 1 && sg_process_log_is_unseen(&e->sink->processes, process))
            sg_run_log_drop_process(e->sink, process, "", err);
    return err->code;
}

static enum sg_code check_identity(struct sg_execution *e, const char *path, struct sg_err *err)
{
    const struct sg_env *begun = &e->sink->env;
    if (sg_env_get(begun, SG_PAIRS_KEY) && !e->options->against_accepted)
        return sg_fail(err, SG_BAD_USAGE, path,
                       "this run was started with --against-accepted: resume with it too");
    const char *seed = sg_env_get(begun, "seed");
    if (!e->options->seed_given && seed && !sg_parse_u64(seed, &e->seed))
        return sg_env_fail(err, begun, "seed", "expected a whole number, found '%s'",
                           sg_show(seed, strlen(seed)).text);
    SG_SCOPED(sg_env) here = {0};
    set_identity(e, &here);
    return sg_settings_check_resumed(begun, &here, path, err);
}

/* The selected items must be the same. With fewer, the run would count as finished too early; with
 * more, the run would have another purpose. */
static enum sg_code check_selection(const struct sg_execution *e, const char *path,
                                    struct sg_err *err)
{
    SG_SCOPED(sg_text) here = {0};
    const char *was = sg_env_get(&e->sink->env, SG_SELECTION_KEY);
    sg_filters_add_to(&here, &e->options->filters);
    const char *is = here.length > 0 ? here.data + 1 : NULL;
    if (strcmp(was ? was : "", is ? is : "") != 0)
        sg_fail(err, SG_BAD_USAGE, path,
                "this run was started with %s, found %s: --resume needs the same",
                was ? was : "the whole suite", is ? is : "the whole suite");
    return err->code;
}

static enum sg_code resume_run(struct sg_execution *e, const char *path, struct sg_err *err)
{
    struct sg_run_log *sink = e->sink;
    if (sg_run_log_open(path, sink, err) != SG_SUCCESS ||
        check_selection(e, path, err) != SG_SUCCESS || check_identity(e, path, err) != SG_SUCCESS ||
        sg_run_log_resume(sink, err) != SG_SUCCESS || drop_unseen(e, err) != SG_SUCCESS ||
        restore_samples(e, err) != SG_SUCCESS)
        return err->code;
    restore_rows(e);
    sg_run_log_sort(sink);
    sg_env_set(&sink->env, "state", "running");
    sg_run_unseal(&sink->env);
    return sg_run_log_write_env(sink, err);
}

enum sg_code sg_execution_open(struct sg_execution *e, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, before = {0};
    if (sg_execution_find_code(e, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&before, "out/%s-", e->plan->suite->name);
    if (sg_choose_folder(e->options->out, before.data, &path, err) != SG_SUCCESS)
        return err->code;
    if (e->options->resume && !sg_run_log_is_bare(path.data)) {
        resume_run(e, path.data, err);
    } else if (sg_run_log_create(path.data, e->sink, err) == SG_SUCCESS) {
        set_facts(e, &e->sink->env);
        sg_run_log_write_env(e->sink, err);
    }
    return err->code;
}

enum sg_code sg_execution_check_resumed(struct sg_execution *e, const char *folder,
                                        struct sg_err *err)
{
    SG_FORMATTED(path, "%s/env.csv", folder);
    if (sg_env_read(path.data, &e->sink->env, err) == SG_SUCCESS &&
        check_selection(e, folder, err) == SG_SUCCESS)
        check_identity(e, folder, err);
    return err->code;
}

enum sg_code sg_execution_restore(struct sg_execution *e, const char *folder, struct sg_err *err)
{
    struct sg_run run = {0};
    if (sg_run_read(folder, &run, err) != SG_SUCCESS)
        return err->code;
    e->sink->rows = run.table;
    e->sink->env = run.env;
    if (sg_run_read_samples(folder, &e->sink->samples, err) == SG_SUCCESS)
        restore_samples(e, err);
    sg_execution_refuse(e, &e->sink->rows);
    restore_rows(e);
    return err->code;
}
