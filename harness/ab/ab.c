#include "ab/ab.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab/ab_internal.h"
#include "diagnose/diagnose.h"
#include "process/pool.h"
#include "reports/report.h"
#include "results/aa_log.h"
#include "results/env.h"
#include "util/file.h"
#include "util/options.h"

/* Appends the A/A pairs to aa.csv: the baseline against itself, or against identical code. */
static enum sg_code write_tally(const struct sg_ab *ab, struct sg_err *err)
{
    const struct sg_env *env = &ab->sink.env;
    const struct sg_aa_log_run run = {
        .date = sg_env_get(env, "date"),
        .seed = sg_env_get(env, "seed"),
        .gpu = sg_env_get(env, "gpu"),
        .gpu_name = sg_env_get(env, "gpu_name"),
        .driver = sg_env_get(env, "driver"),
    };
    SG_SCOPED(sg_text) lines = {0}, path = {0};
    sg_text_add(&lines, SG_AA_LOG_HEADER "\n");
    for (size_t i = 0; i < ab->engine.count; i++) {
        const struct sg_sequential_pair *pair = &ab->engine.pairs[i];
        const struct sg_item *item = ab->execution.steps[ab->step_of_pair[i]].item;
        /* A gate with invalid conditions made no claim, so it cannot be a false alarm. */
        if (pair->dead || !sg_ab_is_even(ab, i) || !ab->conditions.valid)
            continue;
        sg_aa_log_format(&lines, &run,
                         &(struct sg_aa_log_pair){.family = item->family->name,
                                                  .case_ = item->case_->name,
                                                  .variant = item->variant->name,
                                                  .tolerance = pair->tolerance,
                                                  .estimate = pair->estimate,
                                                  .verdict = pair->verdict});
    }
    sg_text_addf(&path, "%s/" SG_AA_LOG_FILE, ab->sink.path);
    sg_write_file(path.data, lines.data, lines.length, err);
    return err->code;
}

/* Counts both sides of each case that got slower: counters explain the slowdown. */
static enum sg_code count_slow_cases(struct sg_ab *ab, const struct sg_comparison *comparison,
                                     struct sg_err *err)
{
    SG_FREED size_t *slow = sg_alloc(ab->plan.count, sizeof(*slow));
    size_t count = 0;
    for (size_t i = 0; i < ab->plan.count; i++) {
        const char *case_ = ab->execution.steps[i].item->case_->name;
        bool is_slow = false;
        for (size_t k = 0; k < comparison->count && !is_slow; k++) {
            const struct sg_finding finding = sg_finding_at(comparison, k);
            is_slow = finding.accepted == SG_REGRESSED && strcmp(finding.case_, case_) == 0;
        }
        if (is_slow)
            slow[count++] = i;
    }
    return sg_execution_count(&ab->execution, slow, count, err);
}

/* Notes how far the run can be trusted, and which slower cases lack counters because of an
 * error. */
static void add_note(const struct sg_ab *ab, struct sg_text *note)
{
    sg_text_add(note, ab->calibration.text);
    sg_text_add(note, note->length > 0 ? "; " : "");
    sg_execution_add_checked(&ab->execution, note);
    for (size_t i = 0; i < ab->plan.count; i++) {
        const struct sg_step *step = &ab->execution.steps[i];
        if (sg_is_lost_count(step->count_status))
            sg_text_addf(note, "%s%s/%s/%s was not counted: %s: %s", note->length > 0 ? "; " : "",
                         SG_ITEM_NAMES(step->item), sg_status_word(step->count_status),
                         step->count_message);
    }
}

enum sg_code sg_ab_print(const struct sg_ab_result *result, struct sg_err *err)
{
    SG_SCOPED(sg_table) table = {0};
    SG_SCOPED(sg_text) text = {0}, path = {0}, kept = {0}, verdict = {0};
    sg_text_addf(&path, "%s/run.csv", result->folder);
    if (sg_table_read(path.data, &table, NULL, err) != SG_SUCCESS)
        return err->code;
    const struct sg_report_input input = {
        .comparison = result->comparison,
        .run = &table,
        .catalogue = result->catalogue,
        .gpu = sg_diagnosed_gpu_of(result->env),
        .env = result->env,
        .colour = isatty(STDOUT_FILENO) != 0,
        .note = result->note,
        .options = {.inconclusive_fails = result->options->inconclusive_fails},
        .events = sg_env_get(result->env, "events"),
    };
    sg_format_comparison(sg_format_find("csv"), &input, &kept);
    sg_text_addf(&verdict, "%s/" SG_AB_VERDICT, result->folder);
    sg_format_comparison(result->options->format, &input, &text);
    if (sg_write_file(verdict.data, kept.data, kept.length, err) == SG_SUCCESS)
        sg_print(&text, err);
    return err->code;
}

static enum sg_code print(const struct sg_ab *ab, const struct sg_comparison *comparison,
                          struct sg_err *err)
{
    SG_SCOPED(sg_text) note = {0};
    add_note(ab, &note);
    return sg_ab_print(&(struct sg_ab_result){.options = ab->options,
                                              .comparison = comparison,
                                              .folder = ab->sink.path,
                                              .catalogue = &ab->plan.catalogue,
                                              .env = &ab->sink.env,
                                              .note = sg_text_string(&note)},
                       err);
}

/* Stored with the rows: a later comparison of this run must know by how much its intervals were
 * widened. */
static void set_facts(struct sg_ab *ab)
{
    sg_env_setf(&ab->sink.env, "lambda", "%.9g", ab->engine.lambda);
    sg_env_setf(&ab->sink.env, "aa_pairs", "%zu", ab->calibration.pairs);
    if (!sg_env_get(&ab->sink.env, "gpu"))
        sg_env_set(&ab->sink.env, "gpu", "unknown");
}

static enum sg_code decide(struct sg_ab *ab, int *exit_code, struct sg_err *err)
{
    struct sg_comparison comparison = {0};
    const struct sg_compare_options options = {.inconclusive_fails =
                                                   ab->options->inconclusive_fails};
    SG_FREED size_t *all = sg_execution_all_steps(&ab->execution);
    sg_execution_start_time(&ab->execution);
    sg_execution_verify(&ab->execution, all, ab->plan.count, err);
    if (err->code != SG_SUCCESS || sg_ab_measure(ab, err) != SG_SUCCESS)
        return err->code;
    sg_ab_judge(ab, &comparison);
    set_facts(ab);
    if (count_slow_cases(ab, &comparison, err) == SG_SUCCESS) { /* again: one may be flaky now */
        sg_comparison_release(&comparison);
        sg_ab_judge(ab, &comparison);
    }
    if (err->code == SG_SUCCESS && write_tally(ab, err) == SG_SUCCESS &&
        sg_execution_finish(&ab->execution, err) == SG_SUCCESS) {
        sg_ab_refuse(ab, &comparison);
        if (print(ab, &comparison, err) == SG_SUCCESS)
            *exit_code = sg_comparison_exit_code(&comparison, &options);
    }
    if (!ab->options->out)
        sg_progress_print(&ab->execution.progress, "kept in %s", ab->sink.path);
    bool judged = false;
    for (size_t i = 0; i < comparison.count; i++)
        judged |= sg_finding_at(&comparison, i).gates;
    if (!judged && err->code == SG_SUCCESS)
        sg_fail(err, SG_INVALID, ab->candidate.label,
                "no case was judged: there is none that both sides support");
    sg_comparison_release(&comparison);
    return err->code;
}

static enum sg_code execute(struct sg_ab *ab, int *exit_code, struct sg_err *err)
{
    if (sg_execution_open(&ab->execution, err) != SG_SUCCESS)
        return err->code;
    sg_run_plan_print_simulated(&ab->plan);
    if (decide(ab, exit_code, err) != SG_SUCCESS)
        sg_execution_give_up(&ab->execution, err);
    return err->code;
}

static void release_side(struct sg_ab_side *side)
{
    free(side->module);
    free(side->family);
    free(side->name);
    free(side->label);
}

static void release(struct sg_ab *ab)
{
    sg_run_plan_release(&ab->plan);
    sg_run_log_release(&ab->sink);
    sg_module_list_release(&ab->mine);
    sg_module_list_release(&ab->theirs);
    sg_suite_release(&ab->suite);
    release_side(&ab->baseline);
    release_side(&ab->candidate);
    free(ab->cases);
    free(ab->engine.pairs);
    free(ab->step_of_pair);
}

enum sg_code sg_ab_run(const struct sg_ab_options *options, int *exit_code, struct sg_err *err)
{
    struct sg_ab ab = {
        .options = options,
        .run_options = {.out = options->out,
                        .gpu = options->gpu,
                        .seed = options->seed,
                        .seed_given = options->seed_given,
                        .resume = options->resume,
                        .shared_gpu_allowed = options->shared_gpu_allowed,
                        .jobs = 4},
    };
    sigset_t before;
    sg_signals_hold(&before);
    sg_run_log_init(&ab.sink);
    ab.plan.pairs_baseline = true;
    if (sg_ab_plan(&ab, err) == SG_SUCCESS) {
        sg_execution_init(&ab.execution, &ab.run_options, &ab.plan, &ab.sink);
        sg_ab_take_steps(&ab);
        execute(&ab, exit_code, err);
        sg_execution_release(&ab.execution);
    }
    release(&ab);
    sg_signals_let_go(&before);
    return err->code;
}
