#include "baseline/combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/counter_repeats.h"
#include "results/env.h"
#include "stats/abba.h"
#include "stats/statistics.h"

#define SG_TOLERANCE_WIDEST 0.99 /* that a file may hold (results/accepted_file.c); a row that needs more has none */

#define SG_SAME_TIME 1e-6 /* of what nine digits say of batches and of their time, relative */

static const char *metric_of(const struct sg_accept_item *item)
{
    for (size_t i = 0; i < item->run_count; i++)
        if (item->row[i])
            return sg_table_string(item->runs[i].table, item->row[i]->metric);
    return "";
}

/* Index of the last run that has the row: it is the newest, and what
 * cannot be averaged comes from it. */
static size_t last_of(const struct sg_accept_item *item)
{
    size_t last = 0;
    for (size_t i = 0; i < item->run_count; i++)
        if (item->row[i])
            last = i;
    return last;
}

bool sg_accept_is_time(const char *metric)
{
    return strcmp(metric, "time") == 0 || strcmp(metric, "time_ratio") == 0;
}

static bool gates_by_default(const char *metric, bool is_baseline_variant)
{
    return strcmp(metric, "status") == 0 || strcmp(metric, "time_ratio") == 0 || (strcmp(metric, "time") == 0 && is_baseline_variant);
}

static const struct sg_row *sibling(const struct sg_table *table, const struct sg_row *row, const char *metric)
{
    return sg_table_find(table, sg_table_string(table, row->family), sg_table_string(table, row->case_),
                         sg_table_string(table, row->variant), metric);
}

/* Numbers of the runs that have one, or of the GPUs that they
 * came from: ln for times and ratios. */
struct numbers {
    double *value, *se;
    size_t *unit;
    size_t count;
    double processes;
};

static struct numbers numbers_new(size_t capacity)
{
    return (struct numbers){
        .value = sg_alloc(capacity, sizeof(double)),
        .se = sg_alloc(capacity, sizeof(double)),
        .unit = sg_alloc(capacity, sizeof(size_t)),
    };
}

static void numbers_release(struct numbers *numbers)
{
    free(numbers->unit);
    free(numbers->se);
    free(numbers->value);
}

/* A time at the clock f0; a ratio as it is. */
static double ln_value(const struct sg_table *table, const struct sg_row *row, const struct sg_clock_fit *fit)
{
    const struct sg_row *clock = fit ? sibling(table, row, "sm_clock") : NULL;
    const double shift = fit ? sg_clock_shift_of(sg_row_value(clock), fit->f0, fit->beta).ln : 0.0;
    return log(row->value) + shift;
}

static struct numbers collect(const struct sg_accept_item *item, const struct sg_clock_fit *fit)
{
    struct numbers numbers = numbers_new(item->run_count);
    for (size_t i = 0; i < item->run_count; i++) {
        const struct sg_row *row = item->row[i];
        if (!row || !(sg_row_value(row) > 0.0))
            continue;
        numbers.unit[numbers.count] = item->unit[i];
        numbers.value[numbers.count] = ln_value(item->runs[i].table, row, fit);
        numbers.se[numbers.count++] = sg_row_errors_of(item->runs[i].table, row).se;
        numbers.processes += row->n;
    }
    return numbers;
}

static double mean_square(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum / (double)n;
}

/* Each GPU counts once, however many runs it gave. */
static void average_units(const struct sg_accept_item *item, struct numbers *numbers)
{
    struct numbers means = numbers_new(item->origin.units);
    means.processes = numbers->processes;
    for (size_t unit = 0; unit < item->origin.units; unit++) {
        double sum = 0.0;
        double variance = 0.0;
        size_t runs = 0;
        for (size_t i = 0; i < numbers->count; i++) {
            if (numbers->unit[i] != unit)
                continue;
            sum += numbers->value[i];
            variance += numbers->se[i] * numbers->se[i];
            runs++;
        }
        if (runs == 0)
            continue;
        means.unit[means.count] = unit;
        means.value[means.count] = sum / (double)runs;
        means.se[means.count++] = sqrt(variance) / (double)runs;
    }
    numbers_release(numbers);
    *numbers = means;
}

/* What replicates differ by, beyond what their own errors explain; one cannot tell. */
static double spread_of(const struct numbers *numbers)
{
    if (numbers->count < 2)
        return NAN;
    const double sd = sg_sd(numbers->value, numbers->count);
    const double own = mean_square(numbers->se, numbers->count);
    return sqrt(fmax(0.0, sd * sd - (isfinite(own) ? own : 0.0)));
}

/* `time` and `time_ratio`: the mean of the logarithms, its interval in
 * the form that the row has in a run. */
static void combine_times(const struct sg_accept_item *item, bool paired, const struct sg_clock_fit *fit, struct sg_accept_result *result)
{
    struct numbers numbers = collect(item, item->run_count > 1 ? fit : NULL);
    struct sg_value *value = &result->value;
    if (!isfinite(result->accepted.sd_process))
        result->accepted.sd_process = sqrt(mean_square(numbers.se, numbers.count) / (double)numbers.count * numbers.processes);
    if (item->origin.units > 1)
        average_units(item, &numbers);
    const double own = mean_square(numbers.se, numbers.count);
    const double sd = spread_of(&numbers);
    if (numbers.count > 1 || item->run_count > 1) {
        const double mean = sg_mean(numbers.value, numbers.count);
        const double se = sqrt(((isfinite(sd) ? sd * sd : 0.0) + own) / (double)numbers.count);
        const double c = paired ? sg_look_constant(SG_ALPHA_05, (size_t)numbers.processes) : sg_t_quantile(0.975, numbers.processes - 1.0);
        value->n = (uint32_t)numbers.processes;
        value->value = exp(mean);
        value->low = exp(mean - c * se);
        value->high = exp(mean + c * se);
        value->se = se;
        value->sd = se * sqrt(value->n);
        value->has |= SG_HAS_SE | SG_HAS_SD;
    }
    result->accepted.sd_day = sd;
    numbers_release(&numbers);
}

/* The range and the number of all counts of all runs; no range if a run has none. */
static void combine_ranges(const struct sg_accept_item *item, struct sg_value *value)
{
    bool ranged = true;
    uint32_t n = 0;
    value->low = INFINITY;
    value->high = -INFINITY;
    for (size_t i = 0; i < item->run_count; i++) {
        const struct sg_row *row = item->row[i];
        if (!row || !isfinite(sg_row_value(row)))
            continue;
        ranged &= sg_counter_has_range(row);
        value->low = fmin(value->low, row->low);
        value->high = fmax(value->high, row->high);
        n += row->n;
    }
    if (ranged)
        value->n = n;
    else
        value->has &= (uint8_t) ~(SG_HAS_LOW | SG_HAS_HIGH);
}

/* A noisy counter is averaged; an exact one is that of the last run. */
static void combine_counter(const struct sg_accept_item *item, const struct sg_metric *metric, struct sg_accept_result *result)
{
    double *value;
    size_t count = 0;
    if (!metric || metric->klass == SG_EXACT)
        return;
    value = sg_alloc(item->run_count, sizeof(*value));
    for (size_t i = 0; i < item->run_count; i++)
        if (item->row[i] && item->row[i]->status == SG_OK && isfinite(sg_row_value(item->row[i])))
            value[count++] = item->row[i]->value;
    if (count > 1) {
        const double mean = sg_mean(value, count);
        const double sd = sg_sd(value, count);
        result->accepted.sd_day = sd == 0.0 ? 0.0 : mean != 0.0 ? sd / fabs(mean) : NAN;
        result->value.value = mean;
        combine_ranges(item, &result->value);
    }
    /* The range says how far the counts lie apart; what each of them was
     * is of use within its run alone. */
    if (count > 0)
        result->value.message = "";
    free(value);
}

static enum sg_code contradict(const struct sg_accept_item *item, size_t i, const char *here, const char *there, struct sg_err *err)
{
    const struct sg_table *table = item->runs[i].table;
    const struct sg_row *row = item->row[i];
    return sg_fail(err, SG_INVALID, item->runs[i].path, "%s/%s/%s: %s is '%s' here, '%s' in %s: these runs must not be accepted together",
                   sg_table_string(table, row->family), sg_table_string(table, row->case_), sg_table_string(table, row->variant),
                   sg_table_string(table, row->metric), here, there, item->runs[last_of(item)].path);
}

/* What is accepted is what later nights are held against: it must be a time. */
static enum sg_code check_times(const struct sg_accept_item *item, struct sg_err *err)
{
    for (size_t i = 0; i < item->run_count; i++) {
        const struct sg_row *row = item->row[i];
        const struct sg_table *table = item->runs[i].table;
        if (row && row->status == SG_OK && !(sg_row_value(row) > 0.0))
            return sg_fail(err, SG_INVALID, item->runs[i].path, "%s/%s/%s: %s is %.9g, which is no time and must not be accepted",
                           sg_table_string(table, row->family), sg_table_string(table, row->case_), sg_table_string(table, row->variant),
                           sg_table_string(table, row->metric), sg_row_value(row));
    }
    return SG_SUCCESS;
}

/* The file says once how many runs its numbers are of: a time that only some have
 * would pass for one of all of them. */
static enum sg_code check_complete(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_err *err)
{
    const struct sg_value *value = &result->value;
    size_t has = item->run_count;
    size_t lacks = item->run_count;
    for (size_t i = 0; i < item->run_count; i++)
        *(item->row[i] && sg_row_value(item->row[i]) > 0.0 ? &has : &lacks) = i;
    if (has == item->run_count || lacks == item->run_count)
        return SG_SUCCESS;
    return sg_fail(
        err, SG_INVALID, item->runs[lacks].path,
        "%s/%s/%s: no %s here, but one in %s: expected in all runs that are accepted together, so leave some out, or run it again",
        value->family, value->case_, value->variant, value->metric, item->runs[has].path);
}

/* Outcomes and the partner of a pair cannot be averaged: all runs must say the same. */
static enum sg_code check_agreement(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_err *err)
{
    const bool is_status = strcmp(result->value.metric, "status") == 0;
    const bool is_ratio = strcmp(result->value.metric, "time_ratio") == 0;
    for (size_t i = 0; i < item->run_count; i++) {
        if (!item->row[i])
            continue;
        const char *message = sg_table_string(item->runs[i].table, item->row[i]->message);
        if (is_status && item->row[i]->status != result->value.status)
            return contradict(item, i, sg_status_word((enum sg_status)item->row[i]->status), sg_status_word(result->value.status), err);
        if (is_ratio && strcmp(message, result->value.message) != 0)
            return contradict(item, i, message, result->value.message, err);
    }
    return SG_SUCCESS;
}

/* The batches are those that the run's times were made of: as many processes as the row says. */
static enum sg_code check_samples(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_err *err)
{
    const struct sg_value *value = &result->value;
    for (size_t i = 0; i < item->run_count && err->code == SG_SUCCESS; i++) {
        if (!item->row[i] || !item->runs[i].samples)
            continue;
        double time_ns = 0.0;
        const struct sg_row *row = item->row[i];
        const size_t found = sg_accept_batches_time(item->batches, i, value, &time_ns);
        if (found != row->n || !(fabs(time_ns - row->value) <= SG_SAME_TIME * row->value))
            sg_fail(
                err, SG_INVALID, item->runs[i].path,
                "%s/%s/%s: its time is %.9g ns of %u processes, and by the batches in samples.csv %.9g ns of %zu: they are not those of "
                "this "
                "run, or not all of them",
                value->family, value->case_, value->variant, row->value, row->n, time_ns, found);
    }
    return err->code;
}

/* Slower than its baseline for certain, at the moment it is accepted: a
 * reverted attempt, kept for the record. */
static bool is_accepted_slow(const struct sg_accept_result *result)
{
    const struct sg_value *value = &result->value;
    const struct sg_difference difference = {
        .mean = log(value->value),
        .se = value->se,
        .bounds = sg_bounds_at_look(value->n),
        .tolerance = result->accepted.tolerance,
    };
    return sg_decide(&difference).verdict == SG_REGRESSED;
}

/*
 * What the spread of a row lets a later night resolve, of as many processes as these runs and
 * by the errors that it will be judged with; the run's own tolerance at least. A finer one
 * would call quiet nights inconclusive.
 */
static double resolvable_tolerance(const struct sg_accept_item *item, bool paired, const struct sg_accept_result *result)
{
    const struct sg_accepted *accepted = &result->accepted;
    /* Of the row alone: what rows that are alike say of the spread, a comparison adds. */
    const struct sg_spread spread = {.sd = accepted->sd_day, .paired = paired, .origin = item->origin};
    const double tolerance = sg_allowance_of(accepted, result->value.n, &spread, item->bounds);
    if (tolerance == accepted->tolerance)
        return tolerance;
    return tolerance < 1.0 ? fmin(sg_two_digits_up(tolerance), SG_TOLERANCE_WIDEST) : NAN;
}

static void combine_time_row(const struct sg_accept_item *item, struct sg_accept_result *result)
{
    const size_t last = last_of(item);
    const struct sg_value *value = &result->value;
    const bool paired = strcmp(value->metric, "time_ratio") == 0;
    struct sg_clock_fit fit = sg_accept_batches_fit(item->batches, value->family, value->case_, value->variant);
    result->accepted.tolerance = sg_env_tolerance(item->runs[last].env, value->family);
    if (!paired) {
        /* One run's time stands as it was measured, at the clock its row says; several are brought
         * to the clock of their batches. */
        const double clock = sg_row_value(sibling(item->runs[last].table, item->row[last], "sm_clock"));
        if (!isfinite(fit.f0) || (item->run_count == 1 && isfinite(clock)))
            fit.f0 = clock;
        result->accepted.beta = fit.beta;
        result->accepted.f0 = fit.f0;
        result->accepted.sd_process = fit.sd_process;
    }
    combine_times(item, paired, paired ? NULL : &fit, result);
    /* A number without an interval, which somebody quotes, is judged by the tolerance alone:
     * no spread is there to widen it. */
    if (value->has & SG_HAS_LOW)
        result->accepted.tolerance = resolvable_tolerance(item, paired, result);
    if (paired && is_accepted_slow(result))
        result->expect = "regressed";
}

enum sg_code sg_accept_combine(const struct sg_accept_item *item, struct sg_accept_result *result, struct sg_err *err)
{
    const size_t last = last_of(item);
    const char *metric = metric_of(item);
    const struct sg_row *role = sibling(item->runs[last].table, item->row[last], "role");
    const bool is_baseline = role && strcmp(sg_table_string(item->runs[last].table, role->message), "baseline") == 0;
    *result = (struct sg_accept_result){
        .value = sg_value_of(item->runs[last].table, item->row[last]),
        .accepted = {.tolerance = NAN, .beta = NAN, .f0 = NAN, .sd_process = NAN, .sd_day = NAN},
        .expect = "",
        .reason = "",
    };
    result->accepted.gate = gates_by_default(metric, is_baseline);
    const bool is_time = sg_accept_is_time(metric);
    if (check_agreement(item, result, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(metric, "status") == 0)
        result->expect = result->value.status == SG_OK ? "" : sg_status_word(result->value.status);
    else if (is_time && check_times(item, err) == SG_SUCCESS && check_complete(item, result, err) == SG_SUCCESS &&
             (strcmp(metric, "time") != 0 || check_samples(item, result, err) == SG_SUCCESS))
        combine_time_row(item, result);
    else if (!is_time && strcmp(metric, "expect") != 0 && strcmp(metric, "role") != 0)
        combine_counter(item, sg_catalogue_find(item->catalogue, metric), result);
    return err->code;
}
