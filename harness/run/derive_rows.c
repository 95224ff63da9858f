/* Computes rows from measurements: times, ratios, clocks, speed of light. Writes the run's final
 * files. */
#include "run/execution_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/l2_check.h"
#include "model/sol_table.h"
#include "results/env.h"
#include "results/error_signature.h"
#include "results/validity.h"
#include "stats/abba.h"
#include "stats/statistics.h"

static void add_interval(struct sg_table *table, struct sg_value *value, double low, double high)
{
    if (isfinite(low) && isfinite(high)) {
        value->low = low;
        value->high = high;
        value->has |= SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_SE | SG_HAS_SD;
    }
    sg_table_add(table, value);
}

static struct sg_value number(const struct sg_value *item, const char *metric, const char *unit,
                              double value, size_t n)
{
    return (struct sg_value){SG_NAMED(*item), .metric = metric, .unit = unit,
                             .value = value,  .n = (uint32_t)n, .has = SG_HAS_VALUE | SG_HAS_N,
                             .status = SG_OK};
}

/* A row with a measured number. */
static struct sg_value measured(const struct sg_step *step, const char *metric, const char *unit,
                                double value, size_t n)
{
    const struct sg_value item = {.family = step->item->family->name,
                                  .case_ = step->item->case_->name,
                                  .variant = step->item->variant->name};
    return number(&item, metric, unit, value, n);
}

/* Adds the mean of the processes' values, ln, with its interval. */
static void add_mean(struct sg_table *table, struct sg_value value, const double *ln, size_t n)
{
    const double mean = sg_mean(ln, n);
    value.value = exp(mean);
    value.sd = sg_sd(ln, n);
    value.se = value.sd / sqrt((double)n);
    const double half = sg_t_quantile(0.975, (double)n - 1) * value.se;
    add_interval(table, &value, exp(mean - half), exp(mean + half));
}

void sg_rows_add_time(struct sg_table *table, const struct sg_value *item, const double *ln_ns,
                      size_t n)
{
    struct sg_value value = number(item, "time", "ns", 0, n);
    add_mean(table, value, ln_ns, n);
}

void sg_rows_add_ratio(struct sg_table *table, const struct sg_value *item, const char *metric,
                       const struct sg_estimate *estimate, const char *message)
{
    struct sg_value value = number(item, metric, "1", exp(estimate->mean), estimate->n);
    value.message = message;
    value.se = estimate->se;
    value.sd = estimate->sd;
    add_interval(table, &value, exp(estimate->low), exp(estimate->high));
}

/* Adds a ratio of the step's variant. */
static void add_paired(struct sg_table *table, const struct sg_step *step, const char *metric,
                       const struct sg_estimate *estimate, const char *message)
{
    const struct sg_value item = measured(step, metric, "1", 0, 0);
    sg_rows_add_ratio(table, &item, metric, estimate, message);
}

/* Collects a member of the results of the processes that have it. Returns their number. *orders:
 * their load orders (stats/abba.h). */
static size_t collect(const struct sg_step *step, size_t member, double values[SG_PROCESSES_MAX],
                      uint64_t *orders)
{
    size_t n = 0;
    *orders = 0;
    for (unsigned process = 0; process < SG_PROCESSES_MAX; process++) {
        if (!(step->processes >> process & 1))
            continue;
        memcpy(&values[n], (const char *)&step->results[process] + member, sizeof(*values));
        if (isfinite(values[n]))
            *orders |= (SG_ORDERS_IN_TURN >> process & 1) << n++;
    }
    return n;
}
#define COLLECT(step, member, values) \
    collect(step, offsetof(struct sg_process_result, member), values, &(uint64_t){0})

/* Estimates a pair from all its processes. */
static struct sg_estimate estimate(const struct sg_step *step, size_t member)
{
    double y[SG_PROCESSES_MAX];
    uint64_t orders;
    const size_t n = collect(step, member, y, &orders);
    return sg_abba_estimate_of(y, n, orders);
}
#define ESTIMATE(step, member) estimate(step, offsetof(struct sg_process_result, member))

/* Adds a ratio of the step's energy, measured by the step `of`. */
static void add_energy_ratio(struct sg_table *table, const struct sg_step *step, const char *metric,
                             const struct sg_step *of, const char *message)
{
    const struct sg_estimate ratio = ESTIMATE(of, energy_y);
    if (ratio.n > 0)
        add_paired(table, step, metric, &ratio, message);
}

static void add_measured(const struct sg_execution *e, struct sg_table *table, struct sg_step *step)
{
    double ln[SG_PROCESSES_MAX], clock_sum = 0;
    size_t clock_count = 0;
    for (unsigned process = 0; process < SG_PROCESSES_MAX; process++) {
        if (!(step->processes >> process & 1))
            continue;
        clock_sum += step->results[process].clock_sum;
        clock_count += step->results[process].clock_count;
    }
    const size_t n = COLLECT(step, ln_ns, ln);
    if (n == 0)
        return;
    if (step->estimate.n == 0) /* no sequential engine decided */
        step->estimate = ESTIMATE(step, ratio.y);
    add_mean(table, measured(step, "time", "ns", 0, n), ln, n);
    if ((step->baseline && step->baseline != step) || e->plan->pairs_baseline) {
        const char *partner = (step->baseline ? step->baseline : step)->item->variant->name;
        add_paired(table, step, "time_ratio", &step->estimate, partner);
        add_energy_ratio(table, step, SG_ENERGY_RATIO_METRIC, step, partner);
    }
    if (clock_count > 0) {
        const struct sg_value clock =
            measured(step, "sm_clock", "Hz", clock_sum / (double)clock_count, n);
        sg_table_add(table, &clock);
    }
    const size_t energies = COLLECT(step, ln_joules, ln);
    if (energies > 0)
        add_mean(table, measured(step, SG_ENERGY_METRIC, "J", 0, energies), ln, energies);
}

/* Adds the ratio of this run's build to the accepted one, or why the ratio is unknown. */
static void add_build_ratio(struct sg_table *final, const struct sg_accepted_pair *pair,
                            const struct sg_step *own, struct sg_step *accepted)
{
    SG_SCOPED(sg_text) message = {0};
    if (own->skips_timing) {
        sg_text_addf(&message,
                     "not timed: the same code, knobs and files as in the accepted build %s",
                     pair->digest);
        sg_item_row(final, own->item, SG_BUILD_RATIO_METRIC, "1", SG_SKIPPED, message.data);
    } else if (pair->why) {
        sg_item_row(final, own->item, SG_BUILD_RATIO_METRIC, "1", SG_UNAVAILABLE, pair->why);
    } else if (accepted->status != SG_OK) {
        sg_item_row(final, own->item, SG_BUILD_RATIO_METRIC, "1", accepted->status,
                    accepted->message);
    } else if (accepted->processes != 0) {
        if (accepted->estimate.n == 0)
            accepted->estimate = ESTIMATE(accepted, ratio.y);
        sg_text_addf(&message, "against the accepted build %s", pair->digest);
        add_paired(final, own, SG_BUILD_RATIO_METRIC, &accepted->estimate, message.data);
        add_energy_ratio(final, own, SG_ENERGY_BUILD_METRIC, accepted, message.data);
    }
}

/* Adds the build ratios of items that have a time or need none. */
static void add_build_ratios(const struct sg_execution *e, struct sg_table *final)
{
    for (size_t i = 0; i < e->plan->accepted.count; i++) {
        const struct sg_accepted_pair *pair = &e->plan->accepted.items[i];
        const struct sg_step *own = &e->steps[pair->own];
        if (own->status == SG_OK && (own->skips_timing || own->processes != 0))
            add_build_ratio(final, pair, own, pair->why ? NULL : &e->steps[pair->accepted]);
    }
}

/* True if the step has numbers: all of its launches were right. */
static bool is_right(const struct sg_step *step)
{
    return step && step->passed && (step->status == SG_OK || step->status == SG_SKIPPED);
}

static bool stays_without_numbers(const char *metric)
{
    static const char *const names[] = {"status", "role", "shape", "expect", SG_SIGNATURE_METRIC};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(metric, names[i]) == 0)
            return true;
    return false;
}

/* Sets ln_ns to ln of a kernel's time in each process. Returns their number. *sm_clock: mean in Hz;
 * 0: some process has none. */
static size_t find_kernel_times(const struct sg_samples *samples, const struct sg_value *item,
                                double ln_ns[SG_PROCESSES_MAX], double *sm_clock)
{
    const sg_id case_ = sg_intern_pool_find(samples->pool, item->case_),
                variant = sg_intern_pool_find(samples->pool, item->variant),
                family = sg_intern_pool_find(samples->pool, item->family);
    size_t count = 0, clocks = 0;
    double sum = 0;
    for (size_t i = 0; i < samples->count && count < SG_PROCESSES_MAX; i++) {
        const struct sg_sample *sample = &samples->items[i];
        if (sample->case_ != case_ || sample->variant != variant || sample->family != family)
            continue;
        ln_ns[count++] = log(sample->ns);
        clocks += sample->sm_clock > 0;
        sum += sample->sm_clock;
    }
    *sm_clock = clocks == count && count > 0 ? sum / (double)count : 0;
    return count;
}

/* Copies a row of a program's kernel. After its status, adds its time, its clock, and the
 * arguments of the program as its shape. */
static void copy_program_row(const struct sg_execution *e, const struct sg_step *program,
                             struct sg_table *final, const struct sg_value *value)
{
    double ln_ns[SG_PROCESSES_MAX], sm_clock = 0;
    struct sg_value item = {SG_NAMED(*value)};
    sg_table_add(final, value);
    if (strcmp(value->metric, "status") != 0)
        return;
    const size_t n = find_kernel_times(&e->sink->samples, value, ln_ns, &sm_clock);
    if (n > 0)
        sg_rows_add_time(final, value, ln_ns, n);
    if (n > 0 && program->item->case_->shape[0]) {
        item.metric = "shape";
        item.message = program->item->case_->shape;
        sg_table_add(final, &item);
    }
    if (sm_clock > 0) {
        const struct sg_value clock = number(value, "sm_clock", "Hz", sm_clock, n);
        sg_table_add(final, &clock);
    }
}

/* Copies measured rows. A failed variant keeps no number, and its status names the pass that
 * failed. */
static void copy_rows(const struct sg_execution *e, struct sg_table *final,
                      const struct sg_table *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct sg_value value = sg_value_of(rows, &rows->rows[i]);
        const struct sg_step *step = sg_execution_step(e, (const char *const[]){SG_NAMES(value)});
        const struct sg_step *program = sg_execution_program(e, value.family, value.case_);
        if (program) {
            copy_program_row(e, program, final, &value);
            continue;
        }
        const bool ok = is_right(step), is_time = strcmp(value.metric, "time") == 0 ||
                                                  strcmp(value.metric, SG_BUILD_RATIO_METRIC) == 0;
        if (!step || is_time || strcmp(value.metric, SG_SUSPECT_METRIC) == 0 ||
            (strcmp(value.metric, SG_ENERGY_METRIC) == 0 &&
             COLLECT(step, ln_joules, (double[SG_PROCESSES_MAX]){0}) > 0) ||
            (!ok && !stays_without_numbers(value.metric)))
            continue;
        if (strcmp(value.metric, "status") == 0 && !ok && value.status == SG_OK) {
            value.status = step->status;
            value.message = step->message;
        }
        sg_table_add(final, &value);
    }
}

static void add_gap(struct sg_table *final, const struct sg_gap *gap)
{
    struct sg_value value = {SG_NAMED(*gap), .has = SG_HAS_VALUE, .status = SG_OK};
    if (!isfinite(gap->gap))
        return;
    value.metric = "sol_time";
    value.unit = "ns";
    value.value = gap->sol.time_ns;
    sg_table_add(final, &value);
    value.metric = "sol_gap";
    value.unit = "1";
    value.value = gap->measured_ns / gap->sol.time_ns; /* of this row's time, not the pair's */
    sg_table_add(final, &value);
}

/* Adds no rows if the GPU has no spec, or if the spec lacks a peak that the work needs. A message
 * says why. */
static enum sg_code add_speed_of_light(struct sg_execution *e, struct sg_table *final,
                                       struct sg_err *err)
{
    struct sg_err why = {0};
    struct sg_sol_table gaps = {0};
    if (sg_sol_table_of_peaks(final, &e->sink->env, &gaps, &why) != SG_SUCCESS)
        sg_progress_print(&e->progress, "the run has no speed-of-light rows: %s: %s", why.where,
                          why.message);
    for (size_t i = 0; i < gaps.count; i++)
        add_gap(final, &gaps.items[i]);
    return sg_table_sort(final, err);
}

/* If a file of ceilings is unreadable, times are not checked against the peaks, and the
 * measurements are still written. */
void sg_execution_refuse(struct sg_execution *e, const struct sg_table *final)
{
    struct sg_refusals refusals = {0};
    struct sg_err why = {0};
    if (sg_refusals_make(final, &e->sink->env, NULL, &refusals, &why) != SG_SUCCESS) {
        sg_progress_print(&e->progress,
                          "times are compared with peaks, not with measured ceilings: %s: %s",
                          why.where, why.message);
        sg_refusals_of_peaks(final, &e->sink->env, NULL, &refusals);
    }
    if (refusals.unjudged)
        sg_progress_print(&e->progress, "%s", refusals.unjudged);
    for (size_t i = 0; i < e->plan->count; i++) {
        const struct sg_item *item = e->steps[i].item;
        const struct sg_refusal *refusal = sg_refusals_find(&refusals, SG_ITEM_NAMES(item));
        free(e->steps[i].refused);
        e->steps[i].refused = refusal ? sg_copy_string(refusal->why) : NULL;
    }
}

static double number_of(const struct sg_table *rows, const struct sg_item *item, const char *metric)
{
    const struct sg_row *row = sg_table_find(rows, SG_ITEM_NAMES(item), metric);
    return row && row->status == SG_OK && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

/* Compares the declared L2 state with the counted DRAM reads of the step's variant, if counted. */
static void add_l2_state(const struct sg_execution *e, const struct sg_step *step,
                         struct sg_table *final)
{
    const char *l2_bytes = sg_env_get(&e->sink->env, "l2_bytes");
    double share, l2 = NAN;
    if (l2_bytes && !sg_parse_double(l2_bytes, false, &l2))
        l2 = NAN;
    const struct sg_l2_evidence evidence = {
        .declared = e->plan->settings.l2,
        .dram_read_bytes = number_of(&e->sink->rows, step->item, "dram_read_bytes"),
        .read_bytes = number_of(&e->sink->rows, step->item, "work_read_bytes"),
        .write_bytes = number_of(&e->sink->rows, step->item, "work_write_bytes"),
        .l2_bytes = l2,
    };
    const enum sg_l2_finding finding =
        isnan(evidence.dram_read_bytes) ? SG_L2_NOT_JUDGED : sg_l2_judge(&evidence, &share);
    if (finding == SG_L2_NOT_JUDGED)
        return;
    struct sg_value value = measured(step, "l2_state", "1", share, 0);
    SG_SCOPED(sg_text) why = {0};
    if (finding == SG_L2_CONTRADICTED)
        sg_text_addf(&why, "declared %s, but %.3g %% of the compulsory reads came from DRAM",
                     sg_l2_word(evidence.declared), 100 * share);
    value.has = SG_HAS_VALUE;
    value.status = finding == SG_L2_AS_DECLARED ? SG_OK : SG_WRONG;
    value.message = sg_text_string(&why);
    sg_table_add(final, &value);
}

/* Adds the numbers of the items that passed; only items without any failed launch have numbers. A
 * skipped item may have batches from before it was skipped; these are not its time. */
static void add_own(const struct sg_execution *e, struct sg_table *final)
{
    for (size_t i = 0; i < e->plan->own_count; i++) {
        struct sg_step *step = &e->steps[i];
        if (step->passed && step->status == SG_OK)
            add_measured(e, final, step);
        if (step->passed && step->status == SG_SKIPPED)
            sg_item_row(final, step->item, "time", "ns", SG_SKIPPED, step->message);
        if (is_right(step))
            add_l2_state(e, step, final);
    }
}

/* An outdated fact of an earlier finish of this run must be removed. */
static void set_or_unset(struct sg_env *env, const char *key, const char *text)
{
    if (text[0])
        sg_env_set(env, key, text);
    else
        sg_env_unset(env, key);
}

/* Stores what happened to the GPU while times were measured, for later judgements of this run. */
static void set_conditions(const struct sg_execution *e, struct sg_env *env)
{
    const struct sg_validity fit = sg_validity_judge(&e->sink->processes, true);
    struct sg_text text = {0};
    sg_validity_events(&e->sink->processes,
                       !(sg_run_plan_needs_gpu(e->plan) && sg_run_plan_needs_host(e->plan)), &text);
    set_or_unset(env, "events", sg_text_string(&text));
    sg_text_release(&text);
    if (!e->options->shared_gpu_allowed)
        sg_validity_shared_gpu(&e->sink->processes, &text);
    set_or_unset(env, "neighbours", sg_text_string(&text));
    set_or_unset(env, "unfit", fit.valid ? "" : fit.why);
    sg_env_setf(env, "dropped_processes", "%zu", sg_validity_dropped(&e->sink->processes));
    if (!sg_env_get(env, "gpu")) /* simulated times: families for a GPU have none */
        sg_env_set(env, "gpu", "unknown");
}

enum sg_code sg_execution_finish(struct sg_execution *e, struct sg_err *err)
{
    /* If a file was overwritten while the last worker had it mapped, that worker may have
     * measured other code. */
    if (sg_execution_check_code(e, err) != SG_SUCCESS ||
        sg_execution_settle_retries(e, err) != SG_SUCCESS)
        return err->code;
    sg_execution_settle(e); /* counting may have shown a baseline to be flaky */
    struct sg_table *rows = &e->sink->rows, final = {0};
    sg_run_log_sort(e->sink);
    copy_rows(e, &final, rows);
    add_own(e, &final);
    add_build_ratios(e, &final);
    if (sg_table_sort(&final, err) == SG_SUCCESS &&
        add_speed_of_light(e, &final, err) == SG_SUCCESS) {
        sg_execution_refuse(e, &final);
        set_conditions(e, &e->sink->env);
        sg_run_log_finish(e->sink, &final, err);
    }
    return err->code;
}
