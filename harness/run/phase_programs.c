/* Programs of a suite. Each start is a replicate and has one sample per kernel, the median. The
 * kernels are known after the start has ended. Ranges and the whole program are rows, too. */
#include <math.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/traced_items.h"
#include "run/execution_internal.h"
#include "stats/sequential.h"
#include "util/escape.h"
#include "util/paths.h"

/* The current start of a program. */
struct start {
    struct sg_execution *execution;
    const struct sg_suite_program *program;
    int signal; /* signal received to stop solgate; 0: none */
};

static bool is_over(void *given)
{
    struct start *start = given;
    if (start->signal == 0)
        start->signal = sg_signals_take();
    return start->signal != 0;
}

/* ---- matching rows and programs ---- */

static bool is_of_program(const struct sg_suite_program *program, const char *case_)
{
    const size_t length = strlen(program->name);
    return strncmp(case_, program->name, length) == 0 &&
           (case_[length] == '\0' || case_[length] == '_');
}

bool sg_execution_is_of_program(const struct sg_execution *e, const char *family)
{
    return e->plan->program_count > 0 && strcmp(family, SG_EXEC_FAMILY) == 0;
}

/* Bit p: process p is complete. */
static uint64_t find_done(const struct sg_execution *e, const struct sg_suite_program *program)
{
    const struct sg_samples *samples = &e->sink->samples;
    uint64_t done = 0;
    for (size_t i = 0; i < samples->count; i++)
        if (sg_execution_is_of_program(e, sg_samples_string(samples, samples->items[i].family)) &&
            is_of_program(program, sg_samples_string(samples, samples->items[i].case_)))
            done |= (uint64_t)1 << samples->items[i].process;
    return done;
}

/* Number of starts: the suite's processes. If a nightly run re-measures the program, the sequential
 * maximum. */
static unsigned wanted(const struct sg_execution *e, const struct sg_suite_program *program)
{
    const struct sg_suite *suite = e->plan->suite;
    const struct sg_names *more = &e->options->more;
    for (size_t i = 0; i < more->count; i++)
        if (strncmp(more->items[i], SG_EXEC_FAMILY "/", strlen(SG_EXEC_FAMILY "/")) == 0) {
            SG_SCOPED(sg_names) names = {0};
            sg_names_add_split(&names, more->items[i], '/');
            if (is_of_program(program, names.items[1]))
                return SG_SEQUENTIAL_PROCESSES_MAX;
        }
    return program->processes > 0 ? program->processes
           : suite->is_sequential ? SG_PROCESSES_DEFAULT
                                  : suite->processes;
}

/* ---- results of a start ---- */

static enum sg_code fail(struct sg_execution *e, const struct sg_suite_program *program,
                         enum sg_status status, const char *why, struct sg_err *err)
{
    SG_SCOPED(sg_table) group = {0};
    const struct sg_value row = {.family = SG_EXEC_FAMILY,
                                 .case_ = program->name,
                                 .variant = SG_WHOLE_PROGRAM,
                                 .metric = "status",
                                 .status = status,
                                 .message = why};
    sg_table_add(&group, &row);
    sg_progress_print(&e->progress, "%s/%s: %s: %s", SG_EXEC_FAMILY, program->name,
                      sg_status_word(status), why);
    return sg_run_log_add_rows(e->sink, &group, err);
}

static const struct sg_row *failure_of(const struct sg_table *rows,
                                       const struct sg_suite_program *program)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i].status != SG_OK &&
            strcmp(sg_table_string(rows, rows->rows[i].metric), "status") == 0 &&
            strcmp(sg_table_string(rows, rows->rows[i].case_), program->name) == 0 &&
            strcmp(sg_table_string(rows, rows->rows[i].variant), SG_WHOLE_PROGRAM) == 0 &&
            strcmp(sg_table_string(rows, rows->rows[i].family), SG_EXEC_FAMILY) == 0)
            return &rows->rows[i];
    return NULL;
}

static void add_sample(struct sg_samples *samples, const struct sg_value *time, unsigned process,
                       double sm_clock)
{
    const sg_id variant = sg_samples_intern(samples, time->variant);
    struct sg_sample sample = {.family = sg_samples_intern(samples, time->family),
                               .case_ = sg_samples_intern(samples, time->case_),
                               .pair = variant,
                               .variant = variant,
                               .process = (uint16_t)process,
                               .ns = time->value,
                               .sm_clock = sm_clock};
    sg_sample_round(&sample);
    sg_samples_add(samples, &sample);
}

/* The arguments are part of the case: with others, the numbers are not comparable. */
static void add_shape(struct sg_table *group, const struct sg_suite_program *program,
                      struct sg_value item)
{
    SG_SCOPED(sg_text) shape = {0};
    sg_text_add_command(&shape, program->argv.items + program->own);
    sg_make_printable(shape.data);
    item = (struct sg_value){.family = item.family,
                             .case_ = item.case_,
                             .variant = item.variant,
                             .metric = "shape",
                             .status = SG_OK,
                             .message = sg_text_string(&shape)};
    sg_table_add(group, &item);
}

static enum sg_code take(struct start *start, const struct sg_exec_found *found, unsigned process,
                         struct sg_err *err)
{
    const struct sg_table *rows = &found->rows;
    struct sg_execution *e = start->execution;
    SG_SCOPED(sg_table) group = {0};
    SG_SCOPED(sg_samples) samples = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct sg_value value = sg_value_of(rows, &rows->rows[i]);
        if (!sg_names_match(&e->options->filters.variants, value.variant))
            continue;
        if (strcmp(value.metric, "time") == 0)
            add_sample(&samples, &value, process, found->sm_clock);
        else if (strcmp(value.metric, "sm_clock") != 0)
            sg_table_add(&group, &value);
        if (strcmp(value.metric, "status") == 0 && start->program->own < start->program->argv.count)
            add_shape(&group, start->program, value);
    }
    if (samples.count == 0)
        return fail(e, start->program, SG_UNAVAILABLE, "no kernel has the names that are asked for",
                    err);
    if (sg_run_log_add_rows(e->sink, &group, err) == SG_SUCCESS)
        sg_run_log_add_samples(e->sink, &samples, err);
    return err->code;
}

static enum sg_code set_gpu(struct sg_execution *e, const char *name, struct sg_err *err)
{
    const struct sg_message message = {.kind = SG_MESSAGE_ENV, .field = {"gpu_name", name}};
    const struct sg_message source = {.kind = SG_MESSAGE_ENV,
                                      .field = {"time_source", "cupti_activity"}};
    if (sg_execution_take_env(e, true, &message, err) == SG_SUCCESS &&
        !sg_env_get(&e->sink->env, "time_source"))
        sg_execution_take_env(e, true, &source, err);
    return err->code == SG_SUCCESS ? sg_run_log_write_env_if_changed(e->sink, err) : err->code;
}

static enum sg_code conclude(struct start *start, const struct sg_exec_found *found,
                             unsigned process, struct sg_err *err)
{
    struct sg_execution *e = start->execution;
    SG_SCOPED(sg_text) why = {0};
    if (found->not_counted.length > 0)
        sg_progress_print(&e->progress, "%s: no counters: %s", start->program->name,
                          found->not_counted.data);
    if (found->is_late)
        sg_text_addf(&why, "no end after %g s: killed", start->program->deadline_s);
    else if (found->status > 128)
        sg_text_addf(&why, "killed by %s", sg_signal_name(found->status - 128));
    else if (found->status != 0)
        sg_text_addf(&why, "exit status %d", found->status);
    if (found->status != 0)
        return fail(e, start->program, found->is_late ? SG_HANG : SG_CRASH, why.data, err);
    if (found->complaint.length > 0)
        return fail(e, start->program, SG_UNAVAILABLE, found->complaint.data, err);
    if (found->rows.count == 0)
        return fail(e, start->program, SG_UNAVAILABLE,
                    found->has_launched ? "no kernel has the names that are asked for"
                                        : "it launched no kernel",
                    err);
    return set_gpu(e, found->gpu.data, err) == SG_SUCCESS ? take(start, found, process, err)
                                                          : err->code;
}

/* ---- a start ---- */

/* Counts only if metrics were requested by name, because counting takes one more start, once. */
static bool counts(const struct sg_execution *e, unsigned process)
{
    return process == 0 && (e->options->metrics.count > 0 || e->plan->suite->metric_lines[0] > 0);
}

static enum sg_code time_once(struct sg_execution *e, const struct sg_suite_program *program,
                              unsigned process, struct sg_err *err)
{
    struct start start = {.execution = e, .program = program};
    struct sg_err failure = {0};
    SG_SCOPED(sg_exec_found) found = {.status = 0};
    SG_SCOPED(sg_text) output = {0};
    sg_text_addf(&output, "%s/%s.out", e->sink->path, program->name);
    const struct sg_exec_options options = {
        .argv = program->argv.items,
        .range = program->range,
        .kernel = program->kernel,
        .label = program->name,
        .out = e->sink->path,
        .processes = 1,
        .counts = counts(e, process),
        .metrics = e->options->metrics.count > 0 ? e->options->metrics : e->plan->suite->metrics,
        .output = output.data,
        .deadline_s = program->deadline_s,
        .is_over = is_over,
        .given = &start};
    sg_exec_measure(&options, &found, &failure);
    if (start.signal != 0)
        return sg_fail(err, SG_INTERRUPTED, NULL, "stopped by %s", sg_signal_name(start.signal));
    if (failure.code == SG_BAD_USAGE)
        return sg_fail_at(err, SG_BAD_INPUT, e->plan->suite->path, program->line, "%s %s",
                          failure.where, failure.message);
    if (failure.code != SG_SUCCESS)
        return sg_fail(err, failure.code, failure.where, "%s", failure.message);
    return conclude(&start, &found, process, err);
}

/* ---- the machine ---- */

static enum sg_code take_fact(void *context, const struct sg_message *message, struct sg_err *err)
{
    return message->kind == SG_MESSAGE_ENV ? sg_execution_take_env(context, true, message, err)
                                           : err->code;
}

/* Asks a worker for the GPU and driver. Without a worker, the run only has the GPU's name. */
static enum sg_code ask_facts(struct sg_execution *e, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    if (sg_env_get(&e->sink->env, "driver"))
        return SG_SUCCESS;
    if (sg_path_next_to_program(&path, "solgate-worker", err) != SG_SUCCESS)
        return err->code;
    const char *const argv[] = {path.data, "--pass=doctor", NULL};
    struct sg_worker_job job = {.argv = argv,
                                .pass = "doctor",
                                .deadline_s = SG_ASK_DEADLINE_S,
                                .context = e,
                                .on_message = take_fact};
    return sg_workers_run(&job, 1, 1, err);
}

/* ---- all of them ---- */

static bool is_to_do(const struct sg_execution *e, const struct sg_suite_program *program,
                     unsigned process)
{
    return process < wanted(e, program) && !(find_done(e, program) >> process & 1) &&
           !failure_of(&e->sink->rows, program);
}

static enum sg_code leave_out(struct sg_execution *e, struct sg_err *err)
{
    for (size_t i = 0; i < e->plan->program_count && err->code == SG_SUCCESS; i++)
        if (__builtin_popcountll(find_done(e, e->plan->programs[i])) < SG_PROCESSES_MIN &&
            !failure_of(&e->sink->rows, e->plan->programs[i]))
            fail(e, e->plan->programs[i], SG_SKIPPED, "the budget of the night was over", err);
    return err->code;
}

enum sg_code sg_execution_start_programs(struct sg_execution *e, struct sg_err *err)
{
    const struct sg_run_plan *plan = e->plan;
    size_t total = 0;
    SG_SCOPED(sg_text) what = {0};
    for (size_t i = 0; i < plan->program_count; i++)
        for (unsigned process = 0; process < SG_PROCESSES_MAX; process++)
            total += is_to_do(e, plan->programs[i], process);
    if (total == 0 || ask_facts(e, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&what, "programs: %zu, %zu start%s in all", plan->program_count, total,
                 SG_PLURAL(total));
    sg_progress_phase(&e->progress, "programs", total, what.data);
    for (unsigned process = 0; process < SG_PROCESSES_MAX; process++)
        for (size_t i = 0; i < plan->program_count && err->code == SG_SUCCESS; i++) {
            if (!is_to_do(e, plan->programs[i], process) || sg_execution_is_late(e))
                continue;
            time_once(e, plan->programs[i], process, err);
            sg_progress_step(&e->progress);
        }
    sg_progress_end(&e->progress);
    return err->code == SG_SUCCESS && sg_execution_is_late(e) ? leave_out(e, err) : err->code;
}

size_t sg_execution_program_times(const struct sg_execution *e, const struct sg_row *row,
                                  double *ln_ns, double *sm_clock)
{
    const struct sg_samples *samples = &e->sink->samples;
    const struct sg_value item = sg_value_of(&e->sink->rows, row);
    const sg_id case_ = sg_intern_pool_find(samples->pool, item.case_),
                variant = sg_intern_pool_find(samples->pool, item.variant),
                family = sg_intern_pool_find(samples->pool, SG_EXEC_FAMILY);
    size_t count = 0, clocks = 0;
    *sm_clock = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sg_sample *sample = &samples->items[i];
        if (sample->case_ != case_ || sample->variant != variant || sample->family != family ||
            count == SG_PROCESSES_MAX)
            continue;
        ln_ns[count++] = log(sample->ns);
        clocks += sample->sm_clock > 0;
        *sm_clock += sample->sm_clock;
    }
    *sm_clock = clocks == count && count > 0 ? *sm_clock / (double)count : 0;
    return count;
}

int sg_execution_list_programs(const struct sg_execution *e, int exit_code, struct sg_text *out)
{
    const struct sg_table *rows = &e->sink->rows;
    size_t kernels = 0;
    for (size_t i = 0; i < rows->count; i++)
        kernels += sg_execution_is_of_program(e, sg_table_string(rows, rows->rows[i].family)) &&
                   rows->rows[i].status == SG_OK &&
                   strcmp(sg_table_string(rows, rows->rows[i].metric), "kernels") == 0;
    for (size_t i = 0; i < e->plan->program_count; i++) {
        const struct sg_row *failure = failure_of(rows, e->plan->programs[i]);
        if (!failure)
            continue;
        const enum sg_status status = (enum sg_status)failure->status;
        exit_code = sg_worse_exit(exit_code, sg_verdict_exit(sg_verdict_of_status(SG_OK, status)));
        sg_text_addf(out, "program %s: %s: ", e->plan->programs[i]->name, sg_status_word(status));
        sg_add_terminal(out, sg_table_string(rows, failure->message));
        sg_text_add(out, "\n");
    }
    if (e->plan->program_count > 0)
        sg_text_addf(out, "%zu kernel%s of %zu program%s\n", kernels, SG_PLURAL(kernels),
                     e->plan->program_count, SG_PLURAL(e->plan->program_count));
    return exit_code;
}
