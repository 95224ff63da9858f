#include "results/validity.h"

#include <math.h>
#include <stdio.h>

#include "results/throttle_reasons.h"
#include "stats/statistics.h"

const struct sg_drift_reference sg_drift_references[SG_DRIFT_COUNT] = {
#define X(constant, word, case_, ns, clock, exponent, limit) \
    [constant] = {word, case_, ns, clock, exponent, limit},
    SG_DRIFT_TABLE(X)
#undef X
};

static bool counts(const struct sg_process *process)
{
    return !process->dropped[0];
}

/* ---- processes to drop ---- */

/* ln of a reference's time normalised to one clock; NaN: unknown. */
static double at_one_clock(const struct sg_process *process, enum sg_moment moment,
                           const struct sg_drift_reference *reference)
{
    const double ns = process->figure[moment][reference->ns],
                 clock = process->figure[moment][reference->clock];
    return ns > 0 && clock > 0 ? log(ns) + reference->exponent * log(clock) : NAN;
}

/* The number of other processes; NaN: unknown. */
static double other_process_count(const struct sg_process *process)
{
    return fmax(process->figure[SG_AT_START][SG_FIGURE_OTHERS],
                process->figure[SG_AT_END][SG_FIGURE_OTHERS]);
}

/* True if the process was slowed down or shared the GPU: its times are not the usual ones. */
static bool is_spoilt(const struct sg_process *process, bool shared_gpu_allowed)
{
    return sg_throttle_reasons_that_spoil(process->events.seen) != 0 ||
           (!shared_gpu_allowed && other_process_count(process) > 0);
}

static double usual(const struct sg_process_log *all, bool shared_gpu_allowed,
                    const struct sg_drift_reference *reference)
{
    SG_FREED double *known = sg_alloc(SG_MOMENTS * all->count + 1, sizeof(*known));
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        for (enum sg_moment m = 0; m < SG_MOMENTS && counts(&all->items[i]) &&
                                   !is_spoilt(&all->items[i], shared_gpu_allowed);
             m++) {
            known[count] = at_one_clock(&all->items[i], m, reference);
            count += !isnan(known[count]);
        }
    }
    return count > 0 ? sg_median(known, count) : NAN;
}

/* The reference with the largest drift relative to its limit, with the drift (ln) in *off.
 * SG_DRIFT_COUNT: all are within their limits. */
static enum sg_drift_kind find_drift(const struct sg_process *process,
                                     const double usual_ln[SG_DRIFT_COUNT], double *off)
{
    enum sg_drift_kind worst = SG_DRIFT_COUNT;
    double most = 1;
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++) {
        for (enum sg_moment m = 0; m < SG_MOMENTS; m++) {
            const double distance =
                at_one_clock(process, m, &sg_drift_references[kind]) - usual_ln[kind];
            if (!(fabs(distance) > most * sg_drift_references[kind].limit))
                continue;
            most = fabs(distance) / sg_drift_references[kind].limit;
            *off = distance;
            worst = kind;
        }
    }
    return worst;
}

static bool is_unfit(const struct sg_process *process, bool shared_gpu_allowed,
                     const double usual_ln[SG_DRIFT_COUNT], struct sg_unfit *unfit)
{
    struct sg_text why = {0};
    double off = 0;
    if (sg_throttle_reasons_that_spoil(process->events.seen) != 0) {
        sg_throttle_reasons_words(sg_throttle_reasons_that_spoil(process->events.seen), &why);
    } else if (is_spoilt(process, shared_gpu_allowed)) {
        sg_text_addf(&why, "with %.0f other process%s", other_process_count(process),
                     other_process_count(process) == 1 ? "" : "es");
    } else {
        const enum sg_drift_kind kind = find_drift(process, usual_ln, &off);
        if (kind != SG_DRIFT_COUNT)
            sg_text_addf(&why, "%s %+.2g %%", sg_drift_references[kind].word, 100 * expm1(off));
    }
    *unfit = (struct sg_unfit){.process = process->process};
    snprintf(unfit->why, sizeof(unfit->why), "%s", sg_text_string(&why));
    sg_text_release(&why);
    return unfit->why[0] != '\0';
}

size_t sg_validity_unfit(const struct sg_process_log *all, bool shared_gpu_allowed,
                         struct sg_unfit *unfit)
{
    double usual_ln[SG_DRIFT_COUNT];
    size_t count = 0;
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
        usual_ln[kind] = usual(all, shared_gpu_allowed, &sg_drift_references[kind]);
    for (size_t i = 0; i < all->count; i++) {
        bool known = !counts(&all->items[i]);
        for (size_t k = 0; k < count; k++)
            known |= unfit[k].process == all->items[i].process;
        if (!known)
            count += is_unfit(&all->items[i], shared_gpu_allowed, usual_ln, &unfit[count]);
    }
    return count;
}

/* True for the first row of a process and attempt: a worker that died has a second row. */
static bool is_first(const struct sg_process_log *all, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (all->items[i].process == all->items[row].process &&
            all->items[i].attempt == all->items[row].attempt)
            return false;
    return true;
}

size_t sg_validity_dropped(const struct sg_process_log *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += !counts(&all->items[i]) && is_first(all, i);
    return count;
}

/* ---- all processes together ---- */

static bool is_on(const struct sg_process *process, enum sg_figure figure)
{
    return process->figure[SG_AT_START][figure] > 0 || process->figure[SG_AT_END][figure] > 0;
}

static void describe_who_shared(const struct sg_process *process, struct sg_text *why)
{
    const double others = other_process_count(process);
    if (is_on(process, SG_FIGURE_MIG))
        sg_text_add(
            why, "MIG is on, so other instances share memory and clocks: measure on a whole GPU");
    else if (is_on(process, SG_FIGURE_MPS))
        sg_text_add(why,
                    "MPS is on, so other processes may share the multiprocessors: stop its daemon");
    else if (others > 0)
        sg_text_addf(why,
                     "during process %u, %.0f other process%s computed on the GPU: wait for it to "
                     "be free (nvidia-smi)",
                     process->process, others, others == 1 ? "" : "es");
    if (why->length > 0)
        sg_text_add(why, ", or pass --allow-shared-gpu");
}

void sg_validity_shared_gpu(const struct sg_process_log *all, struct sg_text *out)
{
    SG_SCOPED(sg_text) who = {0};
    for (size_t i = 0; i < all->count && who.length == 0; i++)
        if (counts(&all->items[i]))
            describe_who_shared(&all->items[i], &who);
    sg_text_add(out, sg_text_string(&who));
}

static void describe_unfit(const struct sg_process_log *all, struct sg_text *why)
{
    SG_FREED struct sg_unfit *unfit = sg_alloc(all->count + 1, sizeof(*unfit));
    const size_t count = sg_validity_unfit(all, true, unfit), dropped = sg_validity_dropped(all);
    if (count > 0)
        sg_text_addf(why,
                     "%zu process%s cannot be kept (process %u: %s), %zu were dropped before, and "
                     "the limit is %d: the GPU is not stable; check for throttling and for other "
                     "users (processes.csv), then run it again",
                     count, count == 1 ? "" : "es", unfit[0].process, unfit[0].why, dropped,
                     SG_DROPS_MAX);
}

/* True if drift is unknown at both moments; a worker that died has only its start. */
static bool lacks_drift(const struct sg_process *process)
{
    bool lacks = false;
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
        lacks |= isnan(at_one_clock(process, SG_AT_START, &sg_drift_references[kind])) &&
                 isnan(at_one_clock(process, SG_AT_END, &sg_drift_references[kind]));
    return lacks;
}

/* Conditions that a row can meet. */
enum question { IS_THERE, HAS_EVENT, LACKS_EVENTS, LACKS_DRIFT, HAS_OTHERS };

static bool answers(const struct sg_process *process, enum question question, uint64_t event)
{
    switch (question) {
    case HAS_EVENT:
        return (process->events.seen & event) != 0;
    case LACKS_EVENTS:
        return !process->events.known;
    case LACKS_DRIFT:
        return lacks_drift(process);
    case HAS_OTHERS:
        return !isnan(other_process_count(process));
    default:
        return true;
    }
}

/* The number of processes with a counting row that meets the condition; each counts once, however
 * many workers it took. */
static size_t processes_with(const struct sg_process_log *all, enum question question,
                             uint64_t event)
{
    uint64_t found = 0;
    for (size_t i = 0; i < all->count; i++)
        if (counts(&all->items[i]) && answers(&all->items[i], question, event))
            found |= (uint64_t)1 << all->items[i].process;
    return (size_t)__builtin_popcountll(found);
}

/* "sw_power_cap in 3 of 5 processes", one part per event; an idle GPU at the start is no event. */
static void describe_events(const struct sg_process_log *all, size_t kept, struct sg_text *out)
{
    bool any = false;
    const size_t unknown = processes_with(all, LACKS_EVENTS, 0);
    for (uint64_t event = 1; event; event <<= 1) {
        const size_t count = event == SG_EVENT_IDLE ? 0 : processes_with(all, HAS_EVENT, event);
        if (count == 0)
            continue;
        sg_text_add(out, any ? ", " : "");
        sg_throttle_reasons_words(event, out);
        sg_text_addf(out, " in %zu of %zu processes", count, kept);
        any = true;
    }
    if (!any)
        sg_text_addf(out, "none in %zu processes", kept - unknown);
    if (unknown > 0)
        sg_text_addf(out, ", not known in %zu", unknown);
}

static void describe_dropped(const struct sg_process_log *all, struct sg_text *out)
{
    const size_t dropped = sg_validity_dropped(all);
    const char *before = " (";
    if (dropped == 0)
        return;
    sg_text_addf(out, ", %zu process%s dropped", dropped, dropped == 1 ? "" : "es");
    for (size_t i = 0; i < all->count; i++) {
        if (counts(&all->items[i]) || !is_first(all, i))
            continue;
        sg_text_addf(out, "%s%s", before, all->items[i].dropped);
        before = ", ";
    }
    sg_text_add(out, ")");
}

void sg_validity_events(const struct sg_process_log *all, bool drift_expected, struct sg_text *out)
{
    const size_t kept = processes_with(all, IS_THERE, 0),
                 adrift = drift_expected ? processes_with(all, LACKS_DRIFT, 0) : 0;
    if (all->count == 0)
        return;
    describe_events(all, kept, out);
    describe_dropped(all, out);
    if (kept > 0 && processes_with(all, HAS_OTHERS, 0) == 0)
        sg_text_add(out, "; not known: whether others used the GPU");
    if (adrift > 0)
        sg_text_addf(out, "; drift not known in %zu of %zu processes", adrift, kept);
}

struct sg_validity sg_validity_judge(const struct sg_process_log *all, bool shared_gpu_allowed)
{
    struct sg_validity conditions = {0};
    SG_SCOPED(sg_text) why = {0};
    if (!shared_gpu_allowed)
        sg_validity_shared_gpu(all, &why);
    if (why.length == 0)
        describe_unfit(all, &why);
    conditions.valid = why.length == 0;
    snprintf(conditions.why, sizeof(conditions.why), "%s", sg_text_string(&why));
    return conditions;
}
