/* How many processes time which pairs: a fixed number, or for each pair as many as the engine
 * requests. */
#include "run/execution_internal.h"

#include <stdio.h>

#include "exec/start.h"
#include "results/validity.h"
#include "stats/run_limits.h"

/* ---- a run with a deadline ---- */

bool sg_execution_is_late(const struct sg_execution *e)
{
    return e->options->deadline_s > 0 && sg_monotonic_s() >= e->options->deadline_s;
}

size_t sg_execution_afford(const struct sg_execution *e, size_t count, double process_s,
                           unsigned processes)
{
    const double spare_s = e->options->deadline_s - sg_monotonic_s(),
                 needed_s = process_s * processes;
    if (e->options->deadline_s <= 0 || needed_s <= spare_s)
        return count;
    return spare_s > 0 ? (size_t)((double)count * spare_s / needed_s) : 0;
}

enum sg_code sg_execution_skip_undertimed(struct sg_execution *e, struct sg_err *err)
{
    for (size_t i = 0; i < e->plan->count && e->options->deadline_s > 0 && err->code == SG_SUCCESS;
         i++) {
        struct sg_step *step = &e->steps[i];
        const unsigned timed = (unsigned)__builtin_popcountll(step->processes);
        if (!sg_step_passed(step) || step->status != SG_OK || step->skips_timing ||
            !step->baseline || timed >= SG_PROCESSES_MIN ||
            (step->item->program && !sg_execution_is_late(e)))
            continue;
        SG_FORMATTED(why, "the time budget was exhausted after %u of its processes; %d are needed",
                     timed, SG_PROCESSES_MIN);
        sg_step_record(e, step, "time", SG_SKIPPED, why.data, err);
    }
    return err->code;
}

/* ---- remaining work ---- */

/* The process can be timed again. */
static enum sg_code drop_process(struct sg_execution *e, unsigned process, const char *why,
                                 struct sg_err *err)
{
    sg_progress_print(&e->progress, "process %u is dropped: %s; another process replaces it",
                      process, why);
    for (size_t i = 0; i < e->plan->count; i++)
        e->steps[i].processes &= ~((uint64_t)1 << process);
    return sg_run_log_drop_process(e->sink, process, why, err);
}

/* Drops processes that measured under invalid conditions (docs/guards.md), if that many may be
 * dropped. Bit p of *dropped: process p must be timed again. */
static enum sg_code drop_unfit(struct sg_execution *e, uint64_t *dropped, struct sg_err *err)
{
    SG_FREED struct sg_unfit *unfit = sg_alloc(e->sink->processes.count + 1, sizeof(*unfit));
    const size_t count =
        sg_validity_unfit(&e->sink->processes, e->options->shared_gpu_allowed, unfit);
    const bool may = sg_validity_dropped(&e->sink->processes) + count <= SG_DROPS_MAX;
    *dropped = 0;
    for (size_t i = 0; i < count && may && err->code == SG_SUCCESS; i++) {
        drop_process(e, unfit[i].process, unfit[i].why, err);
        *dropped |= (uint64_t)1 << unfit[i].process;
    }
    return err->code;
}

/* Counts the timings of steps still missing in the processes [first, end). */
static size_t count_left(const struct sg_execution *e, const size_t *steps, size_t count,
                         unsigned first, unsigned end)
{
    size_t left = 0;
    for (unsigned process = first; process < end; process++)
        for (size_t i = 0; i < count; i++)
            left += sg_step_to_time(&e->steps[steps[i]], process);
    return left;
}

/* ---- a fixed number of processes, for numbers to be accepted ---- */

/*
 * Returns how many steps the next process times. `done`: earlier processes; process_s: duration
 * of the last one. Before a deadline, some steps with enough processes are better than all with
 * too few.
 */
static size_t count_next(const struct sg_execution *e, size_t count, unsigned done,
                         double process_s)
{
    if (done < SG_PROCESSES_MIN)
        return sg_execution_afford(e, count, process_s, SG_PROCESSES_MIN - done);
    return sg_execution_afford(e, count, process_s, 1) == count ? count : 0;
}

static enum sg_code time_what_is_left(struct sg_execution *e, const size_t *steps, size_t count,
                                      unsigned processes, struct sg_err *err)
{
    const size_t total = count_left(e, steps, count, 0, processes);
    if (total == 0 || sg_execution_is_late(e))
        return SG_SUCCESS;
    char what[128];
    if (e->steps[steps[0]].item->program)
        snprintf(what, sizeof(what), "programs: %zu, %zu start%s in all", count, total,
                 SG_PLURAL(total));
    else
        snprintf(what, sizeof(what), "time: %u process%s, %zu pair%s in all", processes,
                 processes == 1 ? "" : "es", total, SG_PLURAL(total));
    sg_progress_phase(&e->progress, "time", total, what);
    for (unsigned process = 0; process < processes && count > 0 && err->code == SG_SUCCESS;
         process++) {
        const double begun_s = sg_monotonic_s();
        sg_execution_time_process(e, process, processes - process - 1, steps, count, err);
        count = count_next(e, count, process + 1, sg_monotonic_s() - begun_s);
    }
    sg_progress_end(&e->progress);
    return err->code;
}

static enum sg_code time_fixed(struct sg_execution *e, const size_t *steps, size_t count,
                               unsigned processes, struct sg_err *err)
{
    uint64_t dropped = 0;
    do
        if (time_what_is_left(e, steps, count, processes, err) == SG_SUCCESS)
            drop_unfit(e, &dropped, err);
    while (dropped && !sg_execution_is_late(e) && err->code == SG_SUCCESS);
    return err->code;
}

enum sg_code sg_execution_extend_timing(struct sg_execution *e, struct sg_err *err)
{
    const struct sg_names *more = &e->options->more;
    if (more->count == 0)
        return SG_SUCCESS;
    size_t *steps = sg_alloc(e->plan->count, sizeof(*steps)), count = 0;
    for (size_t i = 0; i < e->plan->count; i++) {
        const struct sg_item *item = sg_step_item(&e->steps[i]);
        SG_FORMATTED(name, "%s/%s/%s", SG_ITEM_NAMES(item));
        if (sg_names_have(more, name.data)) {
            e->steps[i].estimate = (struct sg_estimate){.n = 0}; /* estimated anew */
            e->steps[i].most = 0;
            steps[count++] = i;
        }
    }
    if (count > 0 && time_fixed(e, steps, count, SG_SEQUENTIAL_PROCESSES_MAX, err) == SG_SUCCESS)
        sg_execution_settle(e);
    return err->code;
}

/* ---- programs ---- */

/* Number of starts: the suite's processes. If a nightly run re-measures a kernel of the program,
 * the sequential maximum. */
static unsigned count_starts(const struct sg_execution *e, const struct sg_step *step)
{
    const unsigned processes = e->plan->settings.processes;
    for (size_t i = 0; i < e->options->more.count; i++) {
        SG_SCOPED(sg_names) names = {0};
        sg_names_add_split(&names, e->options->more.items[i], '/');
        if (sg_execution_program(e, names.items[0], names.items[1]) == step)
            return SG_SEQUENTIAL_PROCESSES_MAX;
    }
    return step->item->program->processes > 0 ? step->item->program->processes
           : processes == SG_PROCESSES_AUTO   ? SG_PROCESSES_DEFAULT
                                              : processes;
}

enum sg_code sg_execution_time_programs(struct sg_execution *e, struct sg_err *err)
{
    const size_t count = e->plan->program_count, first = e->plan->count - count;
    SG_FREED size_t *steps = sg_alloc(count, sizeof(*steps));
    for (size_t i = 0; i < count; i++) {
        steps[i] = first + i;
        e->steps[steps[i]].most = count_starts(e, &e->steps[steps[i]]);
    }
    if (count_left(e, steps, count, 0, SG_PROCESSES_MAX) > 0 &&
        sg_execution_ask_facts(e, err) == SG_SUCCESS)
        time_what_is_left(e, steps, count, SG_PROCESSES_MAX, err);
    if (count > 0 && e->sink->path)
        sg_exec_clear(e->sink->path);
    return err->code == SG_SUCCESS ? sg_execution_skip_undertimed(e, err) : err->code;
}

/* ---- as many processes as each verdict takes ---- */

/* Context of the engine's measurer. */
struct pairs {
    struct sg_execution *execution;
    const size_t *step_of_pair; /* borrowed */
    unsigned look;              /* the interim analysis that ends the current phase; 0: none */
};

/* A phase ends at an interim analysis. The total duration is unknown until the last one. */
static void show_progress(struct pairs *pairs, unsigned process, const size_t *steps, size_t count)
{
    struct sg_progress *progress = &pairs->execution->progress;
    const unsigned look = sg_sequential_look(process);
    const size_t left = count_left(pairs->execution, steps, count, process, look);
    if (look == pairs->look) {
        sg_progress_expect(progress, left);
    } else if (left > 0) {
        char what[128];
        snprintf(what, sizeof(what), "time: processes %u to %u of at most %d, %zu pair%s",
                 process + 1, look, SG_SEQUENTIAL_PROCESSES_MAX, count, count == 1 ? "" : "s");
        sg_progress_phase(progress, "time", left, what);
        pairs->look = look;
    }
}

static void take(const struct pairs *pairs, size_t pair, unsigned process,
                 struct sg_sequential *engine)
{
    const struct sg_step *step = &pairs->execution->steps[pairs->step_of_pair[pair]];
    if (step->status != SG_OK || step->baseline->status != SG_OK)
        engine->pairs[pair].dead = true;
    if (engine->pairs[pair].dead || sg_step_to_time(step, process))
        return;
    const struct sg_process_result *result = &step->results[process];
    const struct sg_process_value energy = {.y = result->energy_y};
    sg_sequential_take(engine, pair,
                       pairs->execution->plan->judges_energy ? energy : result->ratio);
}

static enum sg_code measure(void *context, unsigned process, const size_t *pairs, size_t count,
                            struct sg_sequential *engine, struct sg_err *err)
{
    struct pairs *all = context;
    if (sg_execution_is_late(all->execution)) { /* judged by the processes so far */
        for (size_t i = 0; i < count; i++)
            engine->pairs[pairs[i]].dead = true;
        return SG_SUCCESS;
    }
    SG_FREED size_t *steps = sg_alloc(count, sizeof(*steps));
    for (size_t i = 0; i < count; i++)
        steps[i] = all->step_of_pair[pairs[i]];
    show_progress(all, process, steps, count);
    sg_execution_time_process(all->execution, process, sg_sequential_look(process) - process - 1,
                              steps, count, err);
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        take(all, pairs[i], process, engine);
    if (process + 1 == all->look) {
        sg_progress_end(&all->execution->progress);
        all->look = 0;
    }
    return err->code;
}

/* Repeats all processes from the first dropped one on, and keeps earlier values. */
static void go_back(struct sg_sequential *engine, uint64_t dropped)
{
    unsigned first = 0;
    while (!(dropped >> first & 1))
        first++;
    for (size_t i = 0; i < engine->count; i++) {
        struct sg_sequential_pair *pair = &engine->pairs[i];
        if (pair->dead || pair->n <= first)
            continue;
        pair->n = first;
        pair->decided = false;
    }
}

enum sg_code sg_execution_decide(struct sg_execution *e, struct sg_sequential *engine,
                                 const size_t *step_of_pair, struct sg_err *err)
{
    struct pairs pairs = {.execution = e, .step_of_pair = step_of_pair};
    const struct sg_measurer measurer = {.context = &pairs, .measure = measure};
    uint64_t dropped = 0;
    do {
        if (sg_sequential_run(engine, &measurer, err) == SG_SUCCESS &&
            drop_unfit(e, &dropped, err) == SG_SUCCESS && dropped)
            go_back(engine, dropped);
    } while (dropped && err->code == SG_SUCCESS);
    for (size_t i = 0; i < engine->count && !e->plan->judges_energy; i++)
        e->steps[step_of_pair[i]].estimate = engine->pairs[i].estimate;
    sg_progress_end(&e->progress);
    return err->code;
}

static enum sg_code time_sequentially(struct sg_execution *e, const size_t *steps, size_t count,
                                      struct sg_err *err)
{
    struct sg_sequential engine = {.pairs = sg_alloc(count, sizeof(*engine.pairs)), .lambda = 1};
    SG_FREED size_t *step_of_pair = sg_alloc(count, sizeof(*step_of_pair));
    unsigned builds = 0;
    for (size_t i = 0; i < e->plan->count; i++)
        builds += e->steps[i].item->only_timed && !e->steps[i].skips_timing;
    for (size_t i = 0; i < count; i++) {
        const struct sg_step *step = &e->steps[steps[i]];
        if (!sg_step_passed(step) || step->skips_timing || !step->baseline)
            continue;
        /* Only pairs of builds are corrected for multiple rows (compare/judge_build.c). */
        engine.pairs[engine.count].rows = step->item->only_timed ? builds : 1;
        engine.pairs[engine.count].tolerance =
            sg_run_plan_tolerance(e->plan, step->item->family->name);
        engine.pairs[engine.count].even = step->baseline == step;
        step_of_pair[engine.count++] = steps[i];
    }
    sg_execution_decide(e, &engine, step_of_pair, err);
    return err->code;
}

enum sg_code sg_execution_time(struct sg_execution *e, const size_t *steps, size_t count,
                               struct sg_err *err)
{
    if (e->plan->settings.processes == SG_PROCESSES_AUTO)
        time_sequentially(e, steps, count, err);
    else
        time_fixed(e, steps, count, e->plan->settings.processes, err);
    if (err->code == SG_SUCCESS) {
        sg_execution_settle(e);
        sg_execution_skip_undertimed(e, err);
    }
    return err->code;
}
