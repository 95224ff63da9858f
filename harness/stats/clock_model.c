#include "stats/clock_model.h"

#include <math.h>
#include <stdlib.h>

#include "stats/statistics.h"
#include "util/text.h"

struct sg_clock_shift sg_clock_shift_of(double f, double f0, double beta)
{
    if (!(f > 0.0) || !(f0 > 0.0))
        return (struct sg_clock_shift){.ln = 0.0, .sd = SG_NO_CLOCK_SD};
    const double moved = log(f) - log(f0);
    const bool known = isfinite(beta);
    return (struct sg_clock_shift){
        .ln = (known ? beta : SG_BETA_UNKNOWN) * moved,
        .sd = (known ? SG_BETA_KNOWN_SD : SG_BETA_UNKNOWN_SD) * fabs(moved),
    };
}

/* Points minus the mean of their run. Runs differ by more than their clocks, so only movement
 * within a run counts. */
struct centred {
    double *x, *y; /* ln Hz, ln ns */
    size_t count;
};

static size_t end_of(const struct sg_batch_point *points, size_t count, size_t from,
                     bool by_process)
{
    size_t to = from;
    while (to < count && points[to].run == points[from].run &&
           (!by_process || points[to].process == points[from].process))
        to++;
    return to;
}

static void centre(const struct sg_batch_point *points, size_t count, struct centred *centred)
{
    for (size_t from = 0, to; from < count; from = to) {
        to = end_of(points, count, from, false);
        for (size_t i = from; i < to; i++) {
            centred->x[i] = log(points[i].hz);
            centred->y[i] = log(points[i].ns);
        }
        const double x = sg_mean(centred->x + from, to - from);
        const double y = sg_mean(centred->y + from, to - from);
        for (size_t i = from; i < to; i++) {
            centred->x[i] -= x;
            centred->y[i] -= y;
        }
    }
}

/* Reading error of the clock, from the differences of neighbouring batches. The mean square
 * difference of a wandering clock doubles from one batch to two; that of a reading error stays the
 * same. So 2 g(1) - g(2), with g half the mean square difference, estimates the error's variance;
 * chance can make it negative. A clock that jumps in every batch looks like a reading error. But a
 * reading error does not move the time, so the residual of the times limits it. */
static double reading_error_of(const struct sg_batch_point *points, const struct centred *centred,
                               double slope)
{
    double off = 0.0;
    double squares[2] = {0.0};
    size_t counts[2] = {0};
    for (size_t i = 0; i < centred->count; i++) {
        const double residual = centred->y[i] - slope * centred->x[i];
        off += residual * residual / (double)centred->count;
    }
    for (size_t from = 0, to; from < centred->count; from = to) {
        to = end_of(points, centred->count, from, true);
        for (size_t lag = 1; lag <= 2; lag++)
            for (size_t i = from; i + lag < to; i++) {
                const double moved = centred->x[i + lag] - centred->x[i];
                squares[lag - 1] += 0.5 * moved * moved;
                counts[lag - 1]++;
            }
    }
    const double at_most = sqrt(off) / fabs(slope);
    if (counts[1] == 0)
        return at_most;
    return fmin(at_most, sqrt(fmax(0.0, 2.0 * squares[0] / (double)counts[0] -
                                            squares[1] / (double)counts[1])));
}

/* Least squares. The error counts processes, because batches of one process are not independent. */
static void fit_slope(const struct sg_batch_point *points, const struct centred *centred,
                      struct sg_clock_fit *fit)
{
    double xx = 0.0;
    double xy = 0.0;
    for (size_t i = 0; i < centred->count; i++) {
        xx += centred->x[i] * centred->x[i];
        xy += centred->x[i] * centred->y[i];
    }
    const double slope = xx > 0.0 ? xy / xx : NAN;
    double squares = 0.0;
    size_t processes = 0;
    for (size_t from = 0, to; from < centred->count; from = to, processes++) {
        to = end_of(points, centred->count, from, true);
        double pull = 0.0;
        for (size_t i = from; i < to; i++)
            pull += centred->x[i] * (centred->y[i] - slope * centred->x[i]);
        squares += pull * pull;
    }
    fit->processes = processes;
    /* Two parameters are estimated from the processes: the slope and the level. */
    fit->beta_se =
        processes > 2 ? sqrt(squares * (double)processes / (double)(processes - 2)) / xx : NAN;
    fit->clock_sd = sqrt(xx / (double)centred->count);
    fit->reading_error = reading_error_of(points, centred, slope);
    const bool is_known =
        fit->beta_se <= SG_BETA_KNOWN_SD && fit->clock_sd > SG_CLOCK_READINGS * fit->reading_error;
    fit->beta = is_known ? fmin(1.0, fmax(0.0, -slope)) : NAN;
}

/* Sd between the processes' medians at the clock f0, pooled over runs. */
static double spread_of(const struct sg_batch_point *points, size_t count,
                        const struct sg_clock_fit *fit)
{
    SG_FREED double *batches = sg_alloc(count, sizeof(*batches));
    SG_FREED double *medians = sg_alloc(count, sizeof(*medians));
    double squares = 0.0;
    size_t df = 0;
    for (size_t from = 0, to; from < count; from = to) {
        to = end_of(points, count, from, false);
        size_t processes = 0;
        for (size_t first = from, last; first < to; first = last) {
            last = end_of(points, to, first, true);
            for (size_t i = first; i < last; i++)
                batches[i - first] =
                    log(points[i].ns) + sg_clock_shift_of(points[i].hz, fit->f0, fit->beta).ln;
            medians[processes++] = sg_median(batches, last - first);
        }
        const double sd = sg_sd(medians, processes);
        squares += sd * sd * (double)(processes - 1);
        df += processes - 1;
    }
    return df > 0 ? sqrt(squares / (double)df) : NAN;
}

struct sg_clock_fit sg_clock_fit_of(const struct sg_batch_point *points, size_t count)
{
    struct sg_clock_fit fit = {.beta = NAN,
                               .beta_se = NAN,
                               .clock_sd = NAN,
                               .reading_error = NAN,
                               .f0 = NAN,
                               .sd_process = NAN};
    bool clocks = count > 0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        clocks &= points[i].hz > 0.0;
        sum += points[i].hz;
    }
    if (count == 0)
        return fit;
    if (clocks) {
        struct centred centred = {sg_alloc(count, sizeof(double)), sg_alloc(count, sizeof(double)),
                                  count};
        fit.f0 = sum / (double)count;
        centre(points, count, &centred);
        fit_slope(points, &centred, &fit);
        free(centred.x);
        free(centred.y);
    }
    fit.sd_process = spread_of(points, count, &fit);
    return fit;
}
