/* Command lines of the workers that time, count or start programs. */
#include "run/measure.h"

#include <string.h>

/* A worker loads only its items' modules, so that code of other modules cannot affect them. */
static void add_modules(const struct measure *m, const struct sg_module_list *modules,
                        enum sg_item_build build, struct sg_names *args)
{
    for (size_t i = 0; modules && i < modules->count; i++) {
        const struct sg_listed_family *family = &modules->families[i];
        bool is_needed = false;
        for (size_t k = 0; k < m->asked_count && !is_needed; k++)
            is_needed =
                strcmp(m->execution->steps[m->asked[k]].item->family->name, family->name) == 0;
        if (is_needed && sg_listed_needs_gpu(family) == m->needs_gpu)
            sg_args_module(args, family, build);
    }
}

static void add_time_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_run_plan *plan = m->execution->plan;
    if (plan->baseline_name)
        sg_names_addf(args, "--baseline=%s", plan->baseline_name);
    sg_names_addf(args, "--process=%u", m->process);
    sg_names_addf(args, "--attempt=%u", m->row.attempt);
    /* Drift references for one kind of device cannot run on the other. A plan with both kinds
     * uses references for the GPU. */
    if (plan->drift.length > 0 && m->needs_gpu == sg_run_plan_needs_gpu(plan))
        sg_names_addf(args, "--drift=%s", plan->drift.data);
}

static void add_count_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_run_plan *plan = m->execution->plan;
    for (size_t i = 0; i < plan->metric_count; i++)
        sg_names_addf(args, "--metric=%s", plan->metrics[i]->name);
}

/* Only the first start of a program reads counters, if metrics were requested by name. */
static bool counts(const struct measure *m)
{
    const struct sg_execution *e = m->execution;
    return m->process == 0 &&
           (e->options->metrics.count > 0 || e->plan->suite->metric_lines[0] > 0);
}

static void add_program(const struct measure *m, struct sg_names *args)
{
    const struct sg_execution *e = m->execution;
    const struct sg_item *item = e->steps[m->asked[0]].item;
    const struct sg_suite_program *program = item->program;
    sg_names_addf(args, "%s", e->plan->modules->worker);
    sg_names_addf(args, "--pass=%s", m->pass);
    sg_names_addf(args, "--process=%u", m->process);
    sg_names_addf(args, "--out=%s", e->sink->path);
    if (program->range)
        sg_names_addf(args, "--range=%s", program->range);
    if (program->kernel)
        sg_names_addf(args, "--kernel=%s", program->kernel);
    if (program->file)
        sg_names_addf(args, "--file=%s", program->file);
    for (size_t i = 0; i < e->plan->metric_count && counts(m); i++)
        sg_names_addf(args, "--metric=%s", e->plan->metrics[i]->name);
    sg_args_item(args, item);
    sg_names_add(args, "--");
    for (size_t i = 0; i < program->argv.count; i++)
        sg_names_add(args, program->argv.items[i]);
}

void sg_measure_add_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_execution *e = m->execution;
    if (sg_measure_is_trace(m)) {
        add_program(m, args);
        return;
    }
    sg_args_worker(args, e->plan, e->options, e->seed, m->pass);
    add_modules(m, e->plan->modules, SG_BUILD_OWN, args);
    add_modules(m, e->plan->others, SG_BUILD_OTHER, args);
    sg_settings_add_arguments(&e->plan->settings, args);
    if (sg_measure_is_time(m))
        add_time_arguments(m, args);
    else
        add_count_arguments(m, args);
    sg_args_others(args, e, m->asked, m->asked_count);
    sg_args_knobs(args, e, m->asked, m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++) {
        const struct sg_step *step = &e->steps[m->asked[i]];
        if (sg_measure_is_time(m))
            sg_names_addf(args, "--tolerance=%.17g", sg_step_resolves(e, step));
        if (sg_measure_is_time(m))
            sg_names_addf(args, "--noise=%.17g", sg_step_noise(e, step));
        sg_args_item(args, step->item);
    }
}
