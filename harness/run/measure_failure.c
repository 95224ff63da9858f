#include "run/measure.h"

#include <string.h>

#include "results/env.h"

#define PREDECESSORS 6 /* named in the message of a flaky step */

bool sg_measure_is_time(const struct measure *m)
{
    return strcmp(m->pass, "time") == 0;
}

bool sg_measure_is_trace(const struct measure *m)
{
    return strcmp(m->pass, "trace") == 0;
}

static bool is_count(const struct measure *m)
{
    return !sg_measure_is_time(m) && !sg_measure_is_trace(m);
}

void sg_measure_clear_rows(struct measure *m)
{
    sg_table_release(&m->rows);
    sg_samples_release(&m->samples);
}

enum sg_step_state *sg_measure_state(const struct measure *m, const struct sg_step *step)
{
    return &m->state[step - m->execution->steps];
}

enum sg_step_state sg_measure_advance(struct measure *m, const struct sg_step *step,
                                      enum sg_step_event event)
{
    enum sg_step_state *state = sg_measure_state(m, step);
    const bool was_open = sg_step_state_is_open(*state);
    *state = sg_step_state_next(*state, event);
    m->moved = true;
    if (was_open && !sg_step_state_is_open(*state))
        sg_progress_step(&m->execution->progress);
    return *state;
}

static void print_of(struct measure *m, const struct sg_step *step, const char *what,
                     const char *why)
{
    sg_progress_print(&m->execution->progress, "%s/%s/%s: %s: %s", SG_ITEM_NAMES(step->item), what,
                      why);
}

static void add_when(const struct measure *m, struct sg_text *out)
{
    if (sg_measure_is_time(m))
        sg_text_addf(out, "while timed, process %u", m->process);
    else if (!sg_measure_is_trace(m))
        sg_text_add(out, "while counted");
}

/* Records a row, so that the failure is known after a resume. */
enum sg_code sg_measure_record_failure(struct measure *m, enum sg_status status, const char *why,
                                       struct sg_err *err)
{
    struct sg_step *step = m->current;
    SG_SCOPED(sg_text) message = {0};
    add_when(m, &message);
    sg_text_addf(&message, "%s%s", message.length > 0 ? ": " : "", why);
    sg_step_record(m->execution, step, is_count(m) ? "count_passes" : "time", status, message.data,
                   err);
    print_of(m, step, sg_status_word(status), message.data);
    sg_measure_clear_rows(m);
    sg_measure_advance(m, step, SG_STEP_FAILS);
    m->current = NULL;
    return err->code;
}

/* ---- retries ---- */

enum sg_code sg_measure_clear_failure(struct measure *m, struct sg_step *step, struct sg_err *err)
{
    m->retry = m->retry == step ? NULL : m->retry;
    return sg_step_set_first_failure(m->execution, step, "", err);
}

enum sg_code sg_measure_set_flaky(struct measure *m, struct sg_step *step, unsigned tries,
                                  struct sg_err *err)
{
    SG_FORMATTED(message, "failed 1 of %u times: %s", tries, step->first_failure);
    print_of(m, step, "flaky", message.data);
    m->retry = m->retry == step ? NULL : m->retry;
    step->counted |= !sg_measure_is_time(m);
    return sg_step_set_flaky(m->execution, step, message.data, err);
}

/* Appends the other steps of the process in which `failed` failed, the last first. The steps of a
 * counted set are launched in turn, so all of them are listed. */
static void add_predecessors(const struct measure *m, const struct sg_step *failed,
                             struct sg_text *how)
{
    const size_t there = sg_measure_is_time(m) ? m->begun : m->asked_count;
    size_t count = 0;
    for (size_t i = there; i-- > 0;) {
        const struct sg_step *step = &m->execution->steps[m->asked[i]];
        if (step == failed)
            continue;
        if (count < PREDECESSORS)
            sg_text_addf(how, "%s%s/%s/%s", count ? ", " : "; in one process with ",
                         SG_ITEM_NAMES(step->item));
        count++;
    }
    if (count > PREDECESSORS)
        sg_text_addf(how, " and %zu before", count - PREDECESSORS);
}

/* The step failed after others. A step that was right before is flaky; any other is retried alone.
 */
static enum sg_code retry_step(struct measure *m, struct sg_step *step, enum sg_status status,
                               const char *why, struct sg_err *err)
{
    SG_FORMATTED(how, "%s ", sg_status_word(status));
    add_when(m, &how);
    sg_text_addf(&how, ", run seed %llu: %s", (unsigned long long)m->execution->seed, why);
    add_predecessors(m, step, &how);
    print_of(m, step, "retrying alone", how.data);
    if (sg_step_set_first_failure(m->execution, step, how.data, err) != SG_SUCCESS)
        return err->code;
    if (sg_measure_advance(m, step, SG_STEP_FAILS_AFTER_OTHERS) == SG_STEP_FLAKY)
        return sg_measure_set_flaky(m, step, 2, err);
    m->retry = step;
    return SG_SUCCESS;
}

/* True if the step is an accepted build with the same code as this run's variant. */
static bool is_same_code(const struct sg_execution *e, const struct sg_step *step)
{
    const struct sg_accepted_pairs *accepted = &e->plan->accepted;
    const char *own = sg_fact_get(&e->sink->env, SG_CODE_KEY, SG_OF(step->item->family->name));
    bool is_same = false;
    for (size_t i = 0; i < accepted->count && own && step->item->only_timed && !is_same; i++)
        is_same = accepted->items[i].accepted == (size_t)(step - e->steps) &&
                  strcmp(own, accepted->items[i].digest) == 0;
    return is_same;
}

/* Handles the current item's failure, caused by its own code or its baseline's. */
enum sg_code sg_measure_fail_item(struct measure *m, bool by_baseline, enum sg_status status,
                                  const char *why, struct sg_err *err)
{
    struct sg_step *item = m->current;
    const enum sg_step_event event =
        m->begun == 1 && !is_count(m) ? SG_STEP_FAILS : SG_STEP_FAILS_AFTER_OTHERS;
    const bool is_of_baseline = (by_baseline && item->baseline) || is_same_code(m->execution, item);
    struct sg_step *failed =
        is_of_baseline ? &m->execution->steps[item->baseline - m->execution->steps] : item;
    if (!sg_status_is_spoiling(status)) {
        SG_SCOPED(sg_text) message = {0};
        if (failed != item)
            sg_text_addf(&message,
                         "its baseline %s is %s when paired with it: ", failed->item->variant->name,
                         sg_status_word(status));
        sg_text_add(&message, why);
        sg_measure_record_failure(m, failed != item ? SG_SKIPPED : status, message.data, err);
    } else if (failed == item &&
               sg_step_state_next(*sg_measure_state(m, item), event) == SG_STEP_FAILED) {
        if (item->first_failure)
            sg_measure_clear_failure(m, item, err);
        sg_measure_record_failure(m, status, why, err);
    } else {
        retry_step(m, failed, status, why, err);
    }
    m->current = NULL;
    sg_measure_clear_rows(m);
    return err->code;
}
