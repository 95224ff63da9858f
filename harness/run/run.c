#include "run/run.h"

#include "process/pool.h"
#include "run/execution_internal.h"

static enum sg_code execute(struct sg_execution *e, struct sg_run_outcome *outcome,
                            struct sg_err *err)
{
    if (sg_execution_open(e, err) != SG_SUCCESS)
        return err->code;
    sg_run_plan_print_simulated(e->plan);
    if (sg_execution_run(e, err) != SG_SUCCESS) {
        sg_execution_abandon(e, err);
        return err->code;
    }
    sg_execution_summarize(e, outcome);
    sg_text_add(&outcome->folder, e->sink->path);
    return err->code;
}

enum sg_code sg_run_suite(const struct sg_run_options *options, struct sg_run_outcome *outcome,
                          struct sg_err *err)
{
    struct sg_run_inputs inputs = {.suite = {0}};
    struct sg_run_plan plan = {0};
    sigset_t before;
    sg_signals_hold(&before);
    if (sg_run_plan_make(options, &inputs, &plan, err) == SG_SUCCESS) {
        SG_SCOPED(sg_run_log) sink = {0};
        SG_SCOPED(sg_execution) e = {0};
        sg_run_log_init(&sink);
        sg_execution_init(&e, options, &plan, &sink);
        execute(&e, outcome, err);
    }
    sg_signals_let_go(&before);
    return err->code;
}

enum sg_code sg_run_check_resumed(const struct sg_run_options *options, const char *folder,
                                  struct sg_err *err)
{
    struct sg_run_inputs inputs = {.suite = {0}};
    struct sg_run_plan plan = {0};
    SG_SCOPED(sg_run_log) sink = {0};
    SG_SCOPED(sg_execution) e = {0};
    if (sg_run_plan_make(options, &inputs, &plan, err) != SG_SUCCESS)
        return err->code;
    sg_run_log_init(&sink);
    sg_execution_init(&e, options, &plan, &sink);
    return sg_execution_find_code(&e, err) == SG_SUCCESS
               ? sg_execution_check_resumed(&e, folder, err)
               : err->code;
}

enum sg_code sg_run_summarize(const struct sg_run_options *options, const struct sg_run_plan *plan,
                              const char *folder, struct sg_run_outcome *outcome,
                              struct sg_err *err)
{
    SG_SCOPED(sg_run_log) sink = {0};
    SG_SCOPED(sg_execution) e = {0};
    sg_run_log_init(&sink);
    sg_execution_init(&e, options, plan, &sink);
    if (sg_execution_restore(&e, folder, err) == SG_SUCCESS &&
        sg_execution_choose(&e, err) == SG_SUCCESS) {
        sg_execution_summarize(&e, outcome);
        sg_text_add(&outcome->folder, folder);
    }
    return err->code;
}
