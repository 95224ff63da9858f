#include "run/execution_internal.h"

#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "stats/headline.h"
#include "stats/replicates.h"
#include "util/escape.h"

/* ---- one item ---- */

static void add_reason(struct sg_text *why, const char *message)
{
    if (message && *message) {
        sg_text_add(why, ": ");
        sg_add_terminal(why, message);
    }
}

void sg_step_add_reason(const struct sg_step *step, struct sg_text *out)
{
    add_reason(out, step->message);
    if (step->where)
        sg_text_addf(out, "; where in %s", step->where);
}

/* True if the variant supported the case when verified, but not when timed. */
static bool is_withdrawn(const struct sg_step *step)
{
    return step->status == SG_UNSUPPORTED && step->passed;
}

/* The step's outcome from verification, timing and counting. If it fails the run, appends what was
 * expected and found to *why. */
static enum sg_verdict step_outcome(const struct sg_step *step, struct sg_text *why)
{
    const enum sg_status declared = step->item->variant->expect;
    enum sg_verdict outcome =
        is_withdrawn(step) ? SG_NOT_MEASURED : sg_verdict_of_status(declared, step->status);
    if (outcome == SG_NOT_MEASURED) {
        sg_text_addf(why, "%s", sg_status_word(step->status));
        add_reason(why, step->message);
    } else if (outcome == SG_BROKEN) {
        sg_text_addf(why, "expected %s, found %s", sg_status_word(declared),
                     sg_status_word(step->status));
        sg_step_add_reason(step, why);
    } else if (step->status == SG_OK && step->refused) {
        outcome = SG_INVALID_VALUE;
        sg_text_addf(why, "invalid: %s", step->refused);
    } else if (step->status == SG_OK && step->baseline && step->processes == 0 &&
               !step->skips_timing) {
        outcome = SG_NOT_MEASURED;
        sg_text_add(why, "was not timed");
    } else if (step->status == SG_OK && step->count_status != SG_OK) {
        outcome = SG_NOT_MEASURED;
        sg_text_addf(why, "was not counted: %s", sg_status_word(step->count_status));
        add_reason(why, step->count_message);
    }
    return outcome;
}

/* ---- all of them ---- */

struct listing {
    struct sg_text lines[SG_VERDICT_COUNT];
    struct sg_headline headline;
};

static void list(struct listing *listing, const char *name, enum sg_verdict outcome,
                 const char *why)
{
    if (*why)
        sg_text_addf(&listing->lines[outcome], "  %s  %s\n", name, why);
    struct sg_headline one = {.exit_code = (int)sg_verdict_exit(outcome), .verdict = outcome};
    sg_headline_count(&one, outcome, 1);
    if (one.exit_code != SG_EXIT_DONE) {
        sg_text_add(&one.item, name);
        sg_text_addf(&one.says, "%s: %.*s", sg_verdict_word(outcome), (int)strcspn(why, ";"), why);
    }
    sg_headline_merge(&listing->headline, &one);
}

static void list_item(struct listing *listing, const struct sg_step *step)
{
    SG_SCOPED(sg_text) name = {0}, why = {0};
    const enum sg_verdict outcome = step_outcome(step, &why);
    sg_text_addf(&name, "%s/%s/%s", SG_ITEM_NAMES(step->item));
    list(listing, name.data, outcome, sg_text_string(&why));
}

static void list_wrong_kernel(struct listing *listing, const struct sg_value *row)
{
    SG_SCOPED(sg_text) name = {0}, why = {0};
    if (!sg_is_wrong_kernel(row))
        return;
    sg_text_addf(&name, "%s/%s/%s", SG_NAMES(*row));
    sg_text_addf(&why, "expected ok, found %s", sg_status_word(row->status));
    add_reason(&why, row->message);
    list(listing, name.data, SG_BROKEN, why.data);
}

static void list_items(const struct sg_execution *e, struct listing *listing)
{
    for (size_t i = 0; i < e->plan->count; i++)
        if (!e->steps[i].item->only_timed)
            list_item(listing, &e->steps[i]);
    for (size_t i = 0; i < e->sink->rows.count; i++) {
        const struct sg_value row = sg_value_of(&e->sink->rows, &e->sink->rows.rows[i]);
        list_wrong_kernel(listing, &row);
    }
}

static void add_number_of(struct sg_text *out, const size_t *by_status, const char *title)
{
    const char *separator = title;
    for (size_t i = 0; i < SG_STATUS_COUNT; i++) {
        if (by_status[i] == 0)
            continue;
        sg_text_addf(out, "%s%zu %s", separator, by_status[i], sg_status_word((enum sg_status)i));
        separator = ", ";
    }
}

static void add_counts(struct sg_text *out, const struct sg_execution *e)
{
    size_t declared[SG_STATUS_COUNT] = {0}, others[SG_STATUS_COUNT] = {0}, refused = 0;
    for (size_t i = 0; i < e->plan->own_count; i++) {
        const struct sg_step *step = &e->steps[i];
        const bool is_declared =
            step->status != SG_OK && step->status == step->item->variant->expect;
        const bool is_refused = step->status == SG_OK && step->refused;
        refused += is_refused;
        (is_declared ? declared : others)[step->status] += !is_refused;
    }
    const char *gpu = sg_env_get(&e->sink->env, "gpu");
    sg_text_addf(out, "%zu item%s of suite %s on gpu %s%s:", e->plan->own_count,
                 SG_PLURAL(e->plan->own_count), e->plan->suite->name, gpu ? gpu : "unknown",
                 sg_env_is_simulated(&e->sink->env) ? " (" SG_SIMULATED_WORDS ")" : "");
    if (refused > 0)
        sg_text_addf(out, " %zu invalid", refused);
    add_number_of(out, others, refused > 0 ? ", " : " ");
    add_number_of(out, declared, "; as declared: ");
    sg_text_add(out, "\n");
}

/* Checks that the processes are independent; the intervals assume independence. Pairs of one
 * baseline share its values, so no variant is used twice. Pairs with accepted builds are last. */
static void add_independence(const struct sg_execution *e, struct sg_text *out)
{
    struct sg_independence all = {0};
    SG_SCOPED(sg_text) found = {0};
    SG_FREED bool *is_used = sg_alloc(e->plan->count + 1, sizeof(*is_used));
    for (size_t i = e->plan->count; i-- > 0;) {
        const struct sg_step *step = &e->steps[i];
        bool *side = &is_used[step->baseline ? (size_t)(step->baseline - e->steps) : i];
        double y[SG_PROCESSES_MAX];
        size_t n = 0;
        for (unsigned p = 0; step->results && !is_used[i] && !*side && p < SG_PROCESSES_MAX; p++)
            if (step->processes >> p & 1)
                y[n++] = step->results[p].ratio.y;
        sg_independence_add(&all, y, n);
        if (n > 0)
            is_used[i] = *side = true;
    }
    sg_independence_describe(&all, &found);
    if (found.length > 0)
        sg_text_addf(out, "; %s", found.data);
}

/* A worker reports a process's batches only after all of their launches were compared. */
void sg_execution_add_checked(const struct sg_execution *e, struct sg_text *out)
{
    const bool segments = e->plan->settings.sustained;
    size_t differ = 0, flaky = 0, samples = 0;
    for (size_t i = 0; i < e->sink->samples.count; i++)
        samples += strcmp(sg_samples_string(&e->sink->samples, e->sink->samples.items[i].family),
                          SG_EXEC_FAMILY) != 0;
    for (size_t i = 0; i < e->plan->count; i++) {
        differ += sg_step_passed(&e->steps[i]) &&
                  (e->steps[i].status == SG_WRONG || e->steps[i].status == SG_NAN);
        flaky += e->steps[i].status == SG_FLAKY;
    }
    if (samples == 0 && differ + flaky == 0)
        return;
    sg_text_addf(out, "%zu %s checked", samples * (segments ? 1 : e->plan->settings.launches),
                 segments ? "segments of launches back to back, the last launch of each,"
                          : "timed launches");
    if (differ + flaky == 0)
        sg_text_add(out, ", 0 differ");
    if (flaky > 0)
        sg_text_addf(out, "; %zu %s flaky", flaky, flaky == 1 ? "item is" : "items are");
    if (differ > 0)
        sg_text_addf(out, "; launches of %zu %s differ", differ, differ == 1 ? "item" : "items");
    add_independence(e, out);
}

static void add_worker_ends(const struct sg_execution *e, struct sg_text *out)
{
    const char *ends = sg_env_get(&e->sink->env, SG_WORKER_ENDS_KEY);
    if (!ends)
        return;
    sg_text_add(out, "A worker crashed after its last item, in a destructor or an exit function: ");
    sg_add_terminal(out, ends);
    sg_text_add(out, "\n");
}

static void add_kernels(const struct sg_execution *e, struct sg_text *out)
{
    const size_t programs = e->plan->program_count;
    const struct sg_table *rows = &e->sink->rows;
    size_t kernels = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct sg_value row = sg_value_of(rows, &rows->rows[i]);
        kernels += strcmp(row.family, SG_EXEC_FAMILY) == 0 && strcmp(row.metric, "role") == 0 &&
                   strcmp(row.variant, SG_WHOLE_RANGE) != 0 &&
                   strcmp(row.variant, SG_WHOLE_PROGRAM) != 0;
    }
    sg_text_addf(out, "%zu kernel%s of %zu program%s\n", kernels, SG_PLURAL(kernels), programs,
                 SG_PLURAL(programs));
}

void sg_execution_summarize(const struct sg_execution *e, struct sg_run_outcome *outcome)
{
    struct sg_text *out = &outcome->summary;
    struct listing listing = {.headline = {.exit_code = SG_EXIT_DONE}};
    const char *invalid = sg_env_why_invalid(&e->sink->env);
    list_items(e, &listing);
    if (invalid)
        sg_headline_fail(&listing.headline, SG_EXIT_INVALID, invalid);
    outcome->exit_code = listing.headline.exit_code;
    if (outcome->exit_code != SG_EXIT_DONE) {
        sg_headline_add(out, &listing.headline);
        sg_text_add(out, "\n");
    }
    outcome->is_empty = e->plan->count == 0;
    if (outcome->is_empty)
        sg_text_addf(out, "no case of suite %s is in this part\n", e->plan->suite->name);
    else if (e->plan->own_count > 0)
        add_counts(out, e);
    for (enum sg_verdict found = 0; found < SG_VERDICT_COUNT; found++) {
        if (listing.lines[found].length > 0)
            sg_text_addf(out, "%s (%s):\n%s", sg_verdict_word(found),
                         sg_verdict_row(found)->meaning, listing.lines[found].data);
        sg_text_release(&listing.lines[found]);
    }
    if (invalid) {
        sg_text_add(out, "No time of this run is valid: ");
        sg_add_terminal(out, invalid);
        sg_text_add(out, "\n");
    }
    add_worker_ends(e, out);
    if (e->plan->program_count > 0)
        add_kernels(e, out);
    sg_execution_add_checked(e, &outcome->checked);
    if (e->choice.length > 0)
        sg_text_addf(&outcome->checked, "%s%s", outcome->checked.length > 0 ? "\n" : "",
                     e->choice.data);
    if (outcome->checked.length > 0)
        sg_text_addf(out, "%s\n", outcome->checked.data);
}
