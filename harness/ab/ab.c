#include "ab/ab.h"

#include <string.h>

#include "ab/ab_internal.h"
#include "process/pool.h"

static enum sg_code execute(struct sg_ab *ab, int *exit_code, struct sg_err *err)
{
    if (sg_execution_open(&ab->execution, err) != SG_SUCCESS)
        return err->code;
    sg_run_plan_print_simulated(&ab->plan);
    /* Do not print NAME_base, a name that exists only in this run. */
    const bool is_named = strcmp(ab->baseline.label, ab->baseline.name) == 0;
    ab->gate.base = is_named                  ? ab->baseline.label
                    : ab->options->base_title ? ab->options->base_title
                                              : "the build of BASELINE";
    sg_text_add(&ab->gate.folder, ab->sink.path);
    const bool is_done = sg_gate_run(&ab->gate, exit_code, err) == SG_SUCCESS;
    if (!ab->options->out)
        sg_progress_print(&ab->execution.progress, "kept in %s", ab->sink.path);
    if (!is_done)
        sg_execution_abandon(&ab->execution, err);
    return err->code;
}

enum sg_code sg_ab_run(const struct sg_ab_options *options, int *exit_code, struct sg_err *err)
{
    if (options->of_programs)
        return sg_ab_programs_run(options, exit_code, err);
    struct sg_ab ab = {
        .options = options,
        .gate = {.options = options,
                 .engine = &sg_ab_modules,
                 .names = {options->baseline, options->candidate}},
        .run_options = {.out = options->out,
                        .gpu = options->gpu,
                        .seed = options->seed,
                        .seed_given = options->seed_given,
                        .resume = options->resume,
                        .shared_gpu_allowed = options->shared_gpu_allowed,
                        .jobs = 4},
    };
    ab.gate.context = &ab;
    sigset_t before;
    sg_signals_hold(&before);
    sg_run_log_init(&ab.sink);
    ab.plan.pairs_baseline = true;
    ab.plan.judges_energy = options->settings.energy;
    if (sg_ab_plan(&ab, err) == SG_SUCCESS) {
        sg_execution_init(&ab.execution, &ab.run_options, &ab.plan, &ab.sink);
        sg_ab_take_steps(&ab);
        execute(&ab, exit_code, err);
        sg_execution_release(&ab.execution);
    }
    sg_run_log_release(&ab.sink);
    sg_signals_let_go(&before);
    return err->code;
}
