#include "stats/sequential.h"

#include <math.h>

#include "stats/statistics.h"
#include "util/random.h"

static const unsigned looks[SG_LOOK_COUNT] = SG_LOOKS;

#define GATE_SHARE 0.4 /* share of the tolerance */
#define OFF_SE     2.0 /* standard errors; an A/A pair further from 0 keeps measuring */
#define EARLY_TIMES \
    3.0 /* tolerances; a smaller change is not called by fewer than SG_WITHIN_PROCESSES */

double sg_gate_noise(double tolerance, bool even)
{
    return even ? fmax(tolerance, SG_STATE_SD) : GATE_SHARE * tolerance;
}

void sg_sequential_take(struct sg_sequential *engine, size_t pair, struct sg_process_value value)
{
    struct sg_sequential_pair *p = &engine->pairs[pair];
    if (p->n == SG_SEQUENTIAL_PROCESSES_MAX)
        return;
    p->y[p->n] = value.y;
    p->blocks_se[p->n++] = value.blocks_se;
}

unsigned sg_sequential_look(unsigned process)
{
    size_t look = 0;
    while (look + 1 < SG_LOOK_COUNT && process >= looks[look])
        look++;
    return looks[look];
}

uint64_t sg_sequential_orders(uint64_t seed)
{
    uint64_t orders = 0, state = seed;
    for (unsigned look = 0, first = 0; look < SG_LOOK_COUNT; first = looks[look++]) {
        size_t order[SG_SEQUENTIAL_PROCESSES_MAX];
        const unsigned count = looks[look] - first,
                       half = (looks[look] + sg_abba_coin(seed, 0, look)) / 2,
                       wanted = half - (unsigned)__builtin_popcountll(orders);
        for (unsigned i = 0; i < count; i++)
            order[i] = first + i;
        sg_random_shuffle(&state, order, count);
        for (unsigned i = 0; i < wanted; i++)
            orders |= UINT64_C(1) << order[i];
    }
    return orders;
}

static bool is_open(const struct sg_sequential_pair *pair)
{
    return !pair->dead && !pair->decided;
}

/* Estimates from the first `n` values. The interval also includes lambda, the error that only
 * the A/A pairs show. */
static void estimate(const struct sg_sequential *engine, struct sg_sequential_pair *pair,
                     unsigned n)
{
    const double lambda = engine->lambda;
    struct sg_estimate *e = &pair->estimate;
    *e = sg_abba_estimate_of(pair->y, n, engine->orders ? engine->orders : SG_ORDERS_IN_TURN);
    e->se *= lambda;
    e->low = e->mean - lambda * (e->mean - e->low);
    e->high = e->mean + lambda * (e->high - e->mean);
}

/* A change that Holm's correction covers: slower; for an A/A pair, faster too. */
static bool is_change(const struct sg_sequential_pair *pair)
{
    return pair->verdict == SG_REGRESSED || (pair->even && pair->verdict == SG_IMPROVED);
}

double sg_sequential_p(const struct sg_sequential_pair *pair)
{
    const double mean = pair->even ? fabs(pair->estimate.mean) : pair->estimate.mean;
    const double t = (mean - log1p(pair->tolerance)) / pair->estimate.se;
    const double level =
        pair->estimate.se > 0 ? 2 * sg_t_cdf(-t, pair->estimate.n - 1.0) : (t > 0 ? 0 : 1);
    if (is_change(pair))
        return fmin(SG_SEQUENTIAL_ERROR, SG_LOOK_COUNT * level);
    return fmin(1, level * SG_SEQUENTIAL_ERROR / sg_look_level(SG_ALPHA_01));
}

/* Of a row with two equally likely states, five processes all show the slower one in 1 of 32
 * gates. It lies half of the states' gap beyond the mean: two tolerances where the gap is four.
 * From ten processes on a look must hold even if one more process had just the tolerance: with
 * nine of ten in the slower state the error would be too small. */
static bool is_beyond_states(const struct sg_sequential_pair *pair)
{
    const double n = pair->estimate.n, se = pair->estimate.se, delta = log1p(pair->tolerance),
                 c = sg_look_constant(SG_ALPHA_01, pair->estimate.n),
                 beyond = fabs(pair->estimate.mean) - delta, mean = beyond * n / (n + 1);
    if (n < SG_WITHIN_PROCESSES)
        return beyond > sg_state_reach(pair->estimate.n) &&
               beyond - c * se > (EARLY_TIMES - 1) * delta;
    return mean > c * sqrt((n - 1) / (n + 1) * se * se + beyond * mean / (n * (n + 1)));
}

/* One of many rows looks slower by chance. The rule alone does not stop such a row, because
 * Holm's correction would reject it later. */
static bool is_sure(const struct sg_sequential_pair *pair)
{
    const bool moved = pair->verdict == SG_REGRESSED || pair->verdict == SG_IMPROVED;
    if (moved && !is_beyond_states(pair))
        return false;
    return !is_change(pair) || pair->rows <= 1 ||
           sg_sequential_p(pair) <= SG_SEQUENTIAL_ERROR / pair->rows;
}

/* An A/A pair only has to be near 0. */
static bool is_not_off(const struct sg_sequential_pair *pair)
{
    return pair->even && fabs(pair->estimate.mean) <= OFF_SE * pair->estimate.se;
}

static void judge_at(const struct sg_sequential *engine, struct sg_sequential_pair *pair,
                     unsigned look)
{
    estimate(engine, pair, look);
    const struct sg_difference difference = {
        .mean = pair->estimate.mean,
        .se = pair->estimate.se,
        .bounds = pair->even ? sg_bounds_at_look(look) : sg_bounds_of_gate(look),
        .tolerance = pair->tolerance,
    };
    pair->verdict = sg_decide(&difference).verdict;
    pair->resolution =
        sg_mde90_pair(pair->tolerance, pair->estimate.se * sqrt(look), look, pair->rows);
    if (look < SG_SEQUENTIAL_PROCESSES_MAX && !is_sure(pair))
        pair->verdict = SG_INCONCLUSIVE;
    pair->decided =
        pair->verdict != SG_INCONCLUSIVE || is_not_off(pair) || look == SG_SEQUENTIAL_PROCESSES_MAX;
}

/* Selects the undecided pairs with the fewest values, if that is below the look. Pairs with
 * fewer values run alone until all pairs have the same number. */
static size_t who_is_next(const struct sg_sequential *engine, unsigned look, size_t *next)
{
    unsigned fewest = look;
    size_t count = 0;
    for (size_t i = 0; i < engine->count; i++)
        if (is_open(&engine->pairs[i]) && engine->pairs[i].n < fewest)
            fewest = engine->pairs[i].n;
    for (size_t i = 0; i < engine->count && fewest < look; i++)
        if (is_open(&engine->pairs[i]) && engine->pairs[i].n == fewest)
            next[count++] = i;
    return count;
}

static enum sg_code check_progress(const struct sg_sequential *engine, const size_t *pairs,
                                   size_t count, unsigned process, struct sg_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct sg_sequential_pair *pair = &engine->pairs[pairs[i]];
        if (!pair->dead && pair->n != process + 1)
            return sg_fail(
                err, SG_INVALID, "",
                "process %u: expected one value of pair %zu or its death, found %d values", process,
                pairs[i], (int)pair->n - (int)process);
    }
    return SG_SUCCESS;
}

static enum sg_code measure_until(struct sg_sequential *engine, const struct sg_measurer *measurer,
                                  unsigned look, struct sg_err *err)
{
    SG_FREED size_t *next = sg_alloc(engine->count, sizeof(*next));
    enum sg_code code = SG_SUCCESS;
    for (size_t count; code == SG_SUCCESS && (count = who_is_next(engine, look, next)) > 0;) {
        const unsigned process = engine->pairs[next[0]].n;
        code = measurer->measure(measurer->context, process, next, count, engine, err);
        if (code == SG_SUCCESS)
            code = check_progress(engine, next, count, process, err);
    }
    return code;
}

static enum sg_code check(const struct sg_sequential *engine, struct sg_err *err)
{
    if (!(engine->lambda >= 1.0) || isinf(engine->lambda))
        return sg_fail(err, SG_INVALID, "", "expected a calibration factor of at least 1, found %g",
                       engine->lambda);
    for (size_t i = 0; i < engine->count; i++) {
        const struct sg_sequential_pair *pair = &engine->pairs[i];
        if (is_open(pair) && (!(pair->tolerance > 0.0) || isinf(pair->tolerance)))
            return sg_fail(err, SG_INVALID, "", "pair %zu: expected a tolerance above 0, found %g",
                           i, pair->tolerance);
        if (pair->n > SG_SEQUENTIAL_PROCESSES_MAX)
            return sg_fail(err, SG_INVALID, "", "pair %zu: expected at most %d processes, found %u",
                           i, SG_SEQUENTIAL_PROCESSES_MAX, pair->n);
    }
    return SG_SUCCESS;
}

/* A pair whose variant died still reports the values it had. */
static void close_dead_pairs(struct sg_sequential *engine)
{
    for (size_t i = 0; i < engine->count; i++) {
        struct sg_sequential_pair *pair = &engine->pairs[i];
        if (!pair->dead)
            continue;
        pair->decided = false;
        pair->verdict = SG_INVALID_VALUE;
        if (pair->n > 0)
            estimate(engine, pair, pair->n);
    }
}

enum sg_code sg_sequential_run(struct sg_sequential *engine, const struct sg_measurer *measurer,
                               struct sg_err *err)
{
    enum sg_code code = check(engine, err);
    for (size_t i = 0; i < engine->count && code == SG_SUCCESS; i++)
        if (is_open(&engine->pairs[i])) {
            engine->pairs[i].verdict = SG_INVALID_VALUE;
            engine->pairs[i].resolution = NAN;
        }
    for (size_t look = 0; look < SG_LOOK_COUNT && code == SG_SUCCESS; look++) {
        code = measure_until(engine, measurer, looks[look], err);
        for (size_t i = 0; i < engine->count && code == SG_SUCCESS; i++)
            if (is_open(&engine->pairs[i]))
                judge_at(engine, &engine->pairs[i], looks[look]);
    }
    close_dead_pairs(engine);
    return code;
}

/* ---- advice for an inconclusive pair ---- */

/* Share of the variance between processes that their blocks explain, at most 1; NaN: not known. */
static double share_of_blocks(const struct sg_sequential_pair *pair)
{
    double variance = 0.0;
    for (unsigned i = 0; i < pair->estimate.n; i++) {
        if (!(pair->blocks_se[i] > 0.0))
            return NAN;
        variance += pair->blocks_se[i] * pair->blocks_se[i] / pair->estimate.n;
    }
    return fmin(1.0, variance / (pair->estimate.sd * pair->estimate.sd));
}

static void describe_spread(const struct sg_sequential_pair *pair, struct sg_text *out)
{
    const double share = share_of_blocks(pair);
    sg_text_addf(out, "processes differ by %.2g %%", 100.0 * pair->estimate.sd);
    if (share >= 0.5)
        sg_text_addf(out, ", mostly by noise within each (%.0f %%)", 100.0 * share);
    else if (isfinite(share))
        sg_text_addf(out, ", mostly by state that lasts a whole process (%.0f %%)",
                     100.0 * (1.0 - share));
}

double sg_sequential_settling_tolerance(const struct sg_sequential_pair *pair)
{
    const double reach = fabs(pair->estimate.mean) +
                         sg_bounds_at_look(SG_SEQUENTIAL_PROCESSES_MAX).within * pair->estimate.se;
    return 0.01 * sg_two_digits_up(100.0 * expm1(reach));
}

void sg_sequential_describe_settling(const struct sg_sequential_pair *pair, struct sg_text *out)
{
    const double percent = 100.0 * expm1(pair->estimate.mean),
                 limit_percent = copysign(100.0 * pair->tolerance, percent);
    sg_text_addf(out,
                 "%+.3g %% cannot be distinguished from %.3g %% by %u processes, the maximum; ",
                 percent, limit_percent, pair->estimate.n);
    describe_spread(pair, out);
    sg_text_addf(out, "; with a tolerance of %.2g %% it would be within",
                 100.0 * sg_sequential_settling_tolerance(pair));
}
