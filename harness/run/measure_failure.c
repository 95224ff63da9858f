#include "run/measure.h"

#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "util/escape.h"

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

enum sg_turn *sg_measure_turn(const struct measure *m, const struct sg_step *step)
{
    return &m->turn[step - m->execution->steps];
}

enum sg_turn sg_measure_advance(struct measure *m, const struct sg_step *step,
                                enum sg_turn_event event)
{
    enum sg_turn *turn = sg_measure_turn(m, step);
    const bool was_open = sg_turn_is_open(*turn);
    *turn = sg_turn_next(*turn, event);
    m->moved = true;
    if (was_open && !sg_turn_is_open(*turn))
        sg_progress_step(&m->execution->progress);
    return *turn;
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
        sg_text_addf(out, SG_WHILE_TIMED ", process %u", m->process);
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
    sg_measure_advance(m, step, SG_TURN_FAILS);
    m->current = NULL;
    return err->code;
}

/* ---- failures under bisection ---- */

void sg_measure_close_incident(struct measure *m)
{
    free(m->incident.how);
    free(m->incident.others);
    m->incident = (struct incident){0};
}

enum sg_code sg_measure_convict(struct measure *m, struct sg_err *err)
{
    struct sg_step *suspect = m->incident.suspect;
    SG_SCOPED(sg_text) message = {0};
    sg_text_addf(&message, "failed %u of %u times: %s", m->incident.fails, m->incident.tries,
                 m->incident.how);
    print_of(m, suspect, "flaky", message.data);
    sg_step_set_flaky(m->execution, suspect, message.data, err);
    suspect->counted |= !sg_measure_is_time(m);
    sg_measure_advance(m, suspect, SG_TURN_CONVICTED);
    sg_measure_close_incident(m);
    return err->code;
}

enum sg_code sg_measure_acquit(struct measure *m, struct sg_err *err)
{
    sg_step_suspect(m->execution, m->incident.suspect, NULL, err);
    sg_measure_advance(m, m->incident.suspect, SG_TURN_ACQUITTED);
    sg_measure_close_incident(m);
    return err->code;
}

/* Records a failure of the suspect in this pass. */
static void open_incident(struct measure *m, struct sg_step *suspect, enum sg_status status,
                          const char *why)
{
    struct sg_text how = {0};
    sg_text_addf(&how, "%s ", sg_status_word(status));
    add_when(m, &how);
    sg_text_addf(&how, ", run seed %llu: %s", (unsigned long long)m->execution->seed, why);
    sg_make_printable(how.data);
    m->incident = (struct incident){
        .suspect = suspect, .status = status, .how = how.data, .fails = 1, .tries = 1};
}

/* Lists the other steps of the process that the suspect failed in. A counted set is launched in
 * turn, so all of its steps were there. */
static void take_others(struct measure *m, const struct sg_step *suspect)
{
    const size_t there = sg_measure_is_time(m) ? m->begun : m->asked_count;
    m->incident.others = sg_alloc(there + 1, sizeof(*m->incident.others));
    for (size_t i = 0; i < there; i++)
        if (&m->execution->steps[m->asked[i]] != suspect)
            m->incident.others[m->incident.other_count++] = m->asked[i];
}

static enum sg_code accuse(struct measure *m, struct sg_step *suspect, enum sg_status status,
                           const char *why, struct sg_err *err)
{
    if (m->incident.suspect)
        sg_measure_convict(m, err);
    open_incident(m, suspect, status, why);
    take_others(m, suspect);
    print_of(m, suspect, "to be done again", m->incident.how);
    return sg_step_suspect(m->execution, suspect, m->incident.how, err);
}

/* Another item failed during the suspect's trial. The item gets no trial: one success and one
 * failure make it flaky. */
static enum sg_code take_bystander(struct measure *m, struct sg_step *step, enum sg_status status,
                                   const char *why, struct sg_err *err)
{
    if (sg_turn_next(*sg_measure_turn(m, step), SG_TURN_CONVICTED) != SG_TURN_FLAKY)
        return SG_SUCCESS; /* it will be retried */
    const struct incident kept = m->incident;
    open_incident(m, step, status, why);
    m->incident.tries++; /* it was right before */
    sg_measure_convict(m, err);
    m->incident = kept;
    return err->code;
}

/* True for an accepted build with the same code as its own variant of this run. */
static bool is_same_code(const struct sg_execution *e, const struct sg_step *step)
{
    const struct sg_accepted_pairs *accepted = &e->plan->accepted;
    const char *own = sg_env_getf(&e->sink->env, SG_CODE_PREFIX "%s", step->item->family->name);
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
    const enum sg_turn_event event =
        m->begun == 1 && !is_count(m) ? SG_TURN_FAILS : SG_TURN_FAILS_BEHIND;
    const bool is_of_baseline = (by_baseline && item->baseline) || is_same_code(m->execution, item);
    struct sg_step *suspect =
        is_of_baseline ? &m->execution->steps[item->baseline - m->execution->steps] : item;
    if (m->is_trial) {
        m->failed |= suspect == m->incident.suspect;
        if (suspect != m->incident.suspect)
            take_bystander(m, suspect, status, why, err);
    } else if (!sg_status_is_spoiling(status)) {
        SG_SCOPED(sg_text) message = {0};
        if (suspect != item)
            sg_text_addf(&message,
                         "its baseline %s is %s beside it: ", suspect->item->variant->name,
                         sg_status_word(status));
        sg_text_add(&message, why);
        sg_measure_record_failure(m, suspect != item ? SG_SKIPPED : status, message.data, err);
    } else if (suspect == item &&
               sg_turn_next(*sg_measure_turn(m, item), event) == SG_TURN_FAILED) {
        if (m->incident.suspect == item)
            sg_measure_acquit(m, err);
        sg_measure_record_failure(m, status, why, err);
    } else {
        sg_measure_advance(m, suspect, SG_TURN_FAILS_BEHIND);
        accuse(m, suspect, status, why, err);
    }
    m->current = NULL;
    sg_measure_clear_rows(m);
    return err->code;
}

/* The suspect fails only after this step. If both are a pair of the time pass, neither is blamed:
 * the candidate has no time. An accepted build was right before, so its own item is blamed. */
enum sg_code sg_measure_blame(struct measure *m, struct sg_step *other, struct sg_err *err)
{
    const struct sg_step *suspect = m->incident.suspect;
    const enum sg_status status = m->incident.status;
    const unsigned fails = m->incident.fails, tries = m->incident.tries;
    SG_SCOPED(sg_text) why = {0};
    const bool is_its_baseline =
        sg_measure_is_time(m) && other->baseline == suspect && !other->item->only_timed;
    other = other->item->only_timed ? &m->execution->steps[other->baseline - m->execution->steps]
                                    : other;
    if (other == suspect)
        return sg_measure_convict(m, err);
    sg_text_addf(&why,
                 is_its_baseline ? "its baseline %s is %s beside it: %s"
                                 : "%s is %s each time behind it, and never without it: %s",
                 suspect->item->variant->name, sg_status_word(status), m->incident.how);
    sg_measure_acquit(m, err);
    if (is_its_baseline) {
        m->current = other;
        sg_measure_record_failure(m, SG_SKIPPED, why.data, err);
    } else {
        open_incident(m, other, status, why.data);
        m->incident.fails = fails;
        m->incident.tries = tries;
        sg_measure_convict(m, err);
    }
    return err->code;
}
