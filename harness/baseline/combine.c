#include "baseline/combine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare/row.h"
#include "results/counter_repeats.h"
#include "results/row_kind.h"
#include "stats/statistics.h"

/* largest tolerance in a file (results/accepted_lines.c); a row that needs more has none */
#define SG_TOLERANCE_WIDEST 0.99

#define SG_SAME_TIME 1e-6 /* relative rounding error of batches and their time at nine digits */

/* Index of the last run with the row. This newest run supplies everything that cannot be
 * averaged. */
static size_t last_of(const struct sg_accept_row *row)
{
    size_t last = 0;
    for (size_t i = 0; i < row->run_count; i++)
        if (row->row[i])
            last = i;
    return last;
}

bool sg_accept_is_time(const char *metric)
{
    return strcmp(metric, "time") == 0 || strcmp(metric, "time_ratio") == 0;
}

/* The row of that metric of the same item in run i; NULL: none. */
static const struct sg_row *sibling(const struct sg_accept_row *row, size_t i, const char *metric)
{
    const struct sg_table *table = row->runs[i].table;
    const struct sg_value item = sg_value_of(table, row->row[i]);
    return sg_table_find(table, SG_NAMES(item), metric);
}

/* ---- runs that cannot be accepted ---- */

/* Returns SG_INVALID with the run's path and the item. */
__attribute__((format(printf, 4, 5))) static enum sg_code
refuse(const struct sg_accept_row *row, size_t i, struct sg_err *err, const char *format, ...)
{
    const struct sg_value item = sg_value_of(row->runs[last_of(row)].table, row->row[last_of(row)]);
    char why[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    return sg_fail(err, SG_INVALID, row->runs[i].path, "%s/%s/%s: %s", SG_NAMES(item), why);
}

/* Outcomes and partners of a pair cannot be averaged, so all runs must agree. */
static enum sg_code check_agreement(const struct sg_accept_row *row, const struct sg_value *value,
                                    struct sg_err *err)
{
    for (size_t i = 0; i < row->run_count; i++) {
        if (!row->row[i])
            continue;
        const struct sg_value here = sg_value_of(row->runs[i].table, row->row[i]);
        const bool is_status = strcmp(value->metric, "status") == 0,
                   is_ratio = strcmp(value->metric, "time_ratio") == 0;
        if ((is_status && here.status != value->status) ||
            (is_ratio && strcmp(here.message, value->message) != 0))
            return refuse(row, i, err,
                          "%s is '%s' here, '%s' in %s: these runs must not be accepted together",
                          value->metric, is_status ? sg_status_word(here.status) : here.message,
                          is_status ? sg_status_word(value->status) : value->message,
                          row->runs[last_of(row)].path);
    }
    return SG_SUCCESS;
}

/* Later runs are compared with the accepted number, so it must be a time. The file states the
 * number of runs once for all rows, so all runs or none must have the time. */
static enum sg_code check_times(const struct sg_accept_row *row, const char *metric,
                                struct sg_err *err)
{
    size_t has = row->run_count, lacks = row->run_count;
    for (size_t i = 0; i < row->run_count; i++) {
        const double value = sg_row_value(row->row[i]);
        if (row->row[i] && row->row[i]->status == SG_OK && !(value > 0.0))
            return refuse(row, i, err, "%s: expected a time above 0, found %.9g", metric, value);
        if (value > 0.0)
            has = i;
        else
            lacks = i;
    }
    if (has == row->run_count || lacks == row->run_count)
        return SG_SUCCESS;
    return refuse(row, lacks, err,
                  "has no %s, but %s has one: runs accepted together must all have it, so leave "
                  "one out, or run it again",
                  metric, row->runs[has].path);
}

/* Checks that the batches belong to the run's times: same number of processes, same time. */
static enum sg_code check_samples(const struct sg_accept_row *row, const struct sg_value *value,
                                  struct sg_err *err)
{
    for (size_t i = 0; i < row->run_count && err->code == SG_SUCCESS; i++) {
        const struct sg_row *is = row->row[i];
        double ns = 0.0;
        if (!is || !row->runs[i].samples)
            continue;
        const size_t found = sg_accept_batches_time(row->batches, i, value, &ns);
        if (found != is->n || !(fabs(ns - is->value) <= SG_SAME_TIME * is->value))
            refuse(row, i, err,
                   "its time is %.9g ns from %u processes, but its batches in samples.csv give "
                   "%.9g ns from %zu: samples.csv belongs to another run, or is incomplete",
                   is->value, is->n, ns, found);
    }
    return err->code;
}

/* ---- times ---- */

/* Logarithms of times, by run, or by GPU of the runs. */
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

/* Times at the clock f0 of `fit`; ratios (no fit) unchanged. */
static struct numbers collect(const struct sg_accept_row *row, const struct sg_clock_fit *fit)
{
    struct numbers numbers = numbers_new(row->run_count);
    for (size_t i = 0; i < row->run_count; i++) {
        const struct sg_row *is = row->row[i];
        if (!(sg_row_value(is) > 0.0))
            continue;
        const double shift =
            fit ? sg_clock_shift_of(sg_row_value(sibling(row, i, "sm_clock")), fit->f0, fit->beta)
                      .ln
                : 0.0;
        numbers.unit[numbers.count] = row->unit[i];
        numbers.value[numbers.count] = log(is->value) + shift;
        numbers.se[numbers.count++] = is->se;
        numbers.processes += is->n;
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

/* Averages the runs of each GPU, so that each GPU counts once. */
static void average_units(size_t units, struct numbers *numbers)
{
    struct numbers means = numbers_new(units);
    means.processes = numbers->processes;
    for (size_t unit = 0; unit < units; unit++) {
        double sum = 0.0, variance = 0.0, runs = 0;
        for (size_t i = 0; i < numbers->count; i++) {
            if (numbers->unit[i] != unit)
                continue;
            sum += numbers->value[i];
            variance += numbers->se[i] * numbers->se[i];
            runs++;
        }
        if (runs == 0)
            continue;
        means.value[means.count] = sum / runs;
        means.se[means.count++] = sqrt(variance) / runs;
    }
    *numbers = means;
}

/* Spread of the replicates beyond their own errors (`own`: their mean square). NaN for one
 * replicate. */
static double spread_of(const struct numbers *numbers, double own)
{
    if (numbers->count < 2)
        return NAN;
    const double sd = sg_sd(numbers->value, numbers->count);
    return sqrt(fmax(0.0, sd * sd - (isfinite(own) ? own : 0.0)));
}

/* Mean of the logarithms, with the kind of interval that the row has in a run. */
static void combine_times(const struct sg_accept_row *row, bool paired,
                          const struct sg_clock_fit *fit, struct sg_accept_result *result)
{
    struct numbers numbers = collect(row, row->run_count > 1 ? fit : NULL);
    struct sg_value *value = &result->value;
    if (!isfinite(result->accepted.sd_process))
        result->accepted.sd_process = sqrt(mean_square(numbers.se, numbers.count) /
                                           (double)numbers.count * numbers.processes);
    if (row->origin.units > 1)
        average_units(row->origin.units, &numbers);
    const double own = mean_square(numbers.se, numbers.count), sd = spread_of(&numbers, own);
    if (row->run_count > 1) {
        const double mean = sg_mean(numbers.value, numbers.count);
        const double se = sqrt(((isfinite(sd) ? sd * sd : 0.0) + own) / (double)numbers.count);
        const double c = paired ? sg_look_constant(SG_ALPHA_05, (size_t)numbers.processes)
                                : sg_t_quantile(0.975, numbers.processes - 1.0);
        value->n = (uint32_t)numbers.processes;
        value->value = exp(mean);
        value->low = exp(mean - c * se);
        value->high = exp(mean + c * se);
        value->se = se;
        value->sd = se * sqrt(value->n);
        value->has |= SG_HAS_SE | SG_HAS_SD;
    }
    result->accepted.sd_day = sd;
}

/* Returns true if the variant is significantly slower than its baseline when accepted: a
 * rejected attempt, kept for the record. */
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

/* The tolerance that a later run with the same number of processes can resolve, given the row's
 * spread and the errors of a comparison; at least the run's tolerance. A smaller tolerance would
 * make unchanged runs inconclusive. Uses this row only; compare adds similar rows. */
static double resolvable_tolerance(const struct sg_accept_row *row, bool paired,
                                   const struct sg_accept_result *result)
{
    const struct sg_accepted *accepted = &result->accepted;
    const struct sg_spread spread = {
        .sd = accepted->sd_day, .paired = paired, .origin = row->origin};
    const double tolerance = sg_allowance_of(accepted, result->value.n, &spread, row->bounds);
    if (tolerance == accepted->tolerance)
        return tolerance;
    return tolerance < 1.0 ? fmin(sg_two_digits_up(tolerance), SG_TOLERANCE_WIDEST) : NAN;
}

static void combine_time_row(const struct sg_accept_row *row, struct sg_accept_result *result)
{
    const size_t last = last_of(row);
    const struct sg_value *value = &result->value;
    const bool paired = strcmp(value->metric, "time_ratio") == 0;
    struct sg_clock_fit fit = sg_accept_batches_fit(row->batches, value);
    result->accepted.tolerance = sg_env_tolerance(row->runs[last].env, value->family);
    if (!paired) {
        /* The time of one run stays at the clock of its row; times of several runs are moved to
         * the clock of their batches. */
        const double clock = sg_row_value(sibling(row, last, "sm_clock"));
        if (!isfinite(fit.f0) || (row->run_count == 1 && isfinite(clock)))
            fit.f0 = clock;
        result->accepted.beta = fit.beta;
        result->accepted.f0 = fit.f0;
        result->accepted.sd_process = fit.sd_process;
    }
    combine_times(row, paired, paired ? NULL : &fit, result);
    /* A quoted number without an interval is judged by the tolerance alone, because no spread is
     * known. */
    if (value->has & SG_HAS_LOW)
        result->accepted.tolerance = resolvable_tolerance(row, paired, result);
    if (paired && is_accepted_slow(result))
        result->expect = "regressed";
}

/* ---- counters ---- */

/* A noisy counter gets the mean of all runs, with the range and number of all counts; no range if a
 * run has none. An exact counter comes from the last run. Facts about the counting itself come from
 * that run only. */
static void combine_counter(const struct sg_accept_row *row, struct sg_accept_result *result)
{
    const struct sg_metric *metric = sg_catalogue_find(row->catalogue, result->value.metric);
    struct sg_value *value = &result->value;
    double *each = sg_alloc(row->run_count, sizeof(*each)), low = INFINITY, high = -INFINITY;
    size_t count = 0;
    uint32_t n = 0;
    bool ranged = true;
    for (size_t i = 0; i < row->run_count && metric && metric->klass != SG_EXACT; i++) {
        const struct sg_row *is = row->row[i];
        if (!is || is->status != SG_OK || !isfinite(sg_row_value(is)))
            continue;
        each[count++] = is->value;
        ranged &= sg_counter_has_range(is);
        low = fmin(low, is->low);
        high = fmax(high, is->high);
        n += is->n;
    }
    if (count > 0)
        value->message = "";
    if (count > 1) {
        const double sd = sg_sd(each, count);
        value->value = sg_mean(each, count);
        result->accepted.sd_day = sd == 0.0             ? 0.0
                                  : value->value != 0.0 ? sd / fabs(value->value)
                                                        : NAN;
        value->low = low;
        value->high = high;
        value->n = ranged ? n : value->n;
        value->has &= (uint8_t)(ranged ? ~0u : ~(unsigned)(SG_HAS_LOW | SG_HAS_HIGH));
    }
}

/* ---- any row ---- */

static bool is_baseline(const struct sg_accept_row *row)
{
    const size_t last = last_of(row);
    const struct sg_row *role = sibling(row, last, "role");
    return role && strcmp(sg_table_string(row->runs[last].table, role->message), "baseline") == 0;
}

/* True if the range over all starts is at most half of the floor: `compare` allows it twice. */
static bool gates_as_counter(const struct sg_accept_row *row, const struct sg_value *value)
{
    const struct sg_metric *metric = sg_catalogue_find(row->catalogue, value->metric);
    const double range = value->has & SG_HAS_LOW ? value->high - value->low : 0;
    return sg_row_use_of(value->metric).gates && metric &&
           2 * range <= metric->floor_ratio * value->value;
}

enum sg_code sg_accept_combine(const struct sg_accept_row *row, struct sg_accept_result *result,
                               struct sg_err *err)
{
    const size_t last = last_of(row);
    *result = (struct sg_accept_result){
        .value = sg_value_of(row->runs[last].table, row->row[last]),
        .accepted = {.tolerance = NAN, .beta = NAN, .f0 = NAN, .sd_process = NAN, .sd_day = NAN},
        .expect = "",
        .reason = "",
    };
    const char *metric = result->value.metric;
    result->accepted.gate = strcmp(metric, "status") == 0 || strcmp(metric, "time_ratio") == 0 ||
                            (strcmp(metric, "time") == 0 && is_baseline(row));
    if (check_agreement(row, &result->value, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(metric, "status") == 0) {
        result->expect = result->value.status == SG_OK ? "" : sg_status_word(result->value.status);
    } else if (!sg_accept_is_time(metric)) {
        combine_counter(row, result);
        result->accepted.gate |= gates_as_counter(row, &result->value);
    } else if (check_times(row, metric, err) == SG_SUCCESS &&
               (strcmp(metric, "time") != 0 ||
                check_samples(row, &result->value, err) == SG_SUCCESS)) {
        combine_time_row(row, result);
    }
    return err->code;
}
