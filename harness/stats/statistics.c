#include "stats/statistics.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Continued fraction of the incomplete beta function, by Lentz' method; converges in O(sqrt(max(a,
 * b))) steps for x < (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    const int steps = 10000;
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= steps; m++) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        double change = 1.0;
        for (int half = 0; half < 2; half++) {
            const double term = half == 0 ? even : odd;
            d = 1.0 + term * d;
            d = 1.0 / (fabs(d) < tiny ? tiny : d);
            c = 1.0 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            fraction *= change;
        }
        if (fabs(change - 1.0) < DBL_EPSILON)
            return fraction;
    }
    return fraction;
}

/* lgamma minus ((x - 1/2) ln x - x + ln(2 pi)/2), by Stirling's series; exact to the last bit
 * from x = 16 on. */
static double stirling_rest(double x)
{
    const double square = x * x;
    return (1.0 / 12 -
            (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square) /
                square) /
           x;
}

/* ln(gamma(a + b) / gamma(a)). For large a the two logarithms are so close that their difference
 * keeps no digits. */
static double log_gamma_ratio(double a, double b)
{
    if (a < 16.0)
        return lgamma(a + b) - lgamma(a);
    return (a - 0.5) * log1p(b / a) + b * (log(a + b) - 1.0) + stirling_rest(a + b) -
           stirling_rest(a);
}

double sg_incomplete_beta(double a, double b, double x)
{
    if (!(a > 0.0) || !(b > 0.0) || !(x >= 0.0) || !(x <= 1.0))
        return NAN;
    if (x == 0.0 || x == 1.0)
        return x;
    const double log_gammas = log_gamma_ratio(fmax(a, b), fmin(a, b)) - lgamma(fmin(a, b));
    const double front = exp(log_gammas + a * log(x) + b * log1p(-x));
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

#define DF_MANY 1e8 /* from here on the second order in 1 / df is below the last digits */

/* P(T > x) for x >= 0. An infinite df is the normal distribution. */
static double upper_tail(double x, double df)
{
    const double square = x * x;
    if (df >= DF_MANY)
        return 0.5 * erfc(x * fmax(0.5, 1.0 - (square + 1.0) / (4.0 * df)) / sqrt(2.0));
    /* Near the middle df / (df + x^2) rounds to 1, so the digits are in the complement. */
    if (square < df)
        return 0.5 - 0.5 * sg_incomplete_beta(0.5, 0.5 * df, square / (df + square));
    return 0.5 * sg_incomplete_beta(0.5 * df, 0.5, df / (df + square));
}

static double density(double x, double df)
{
    const double pi = 3.14159265358979323846;
    if (isinf(df))
        return exp(-0.5 * x * x) / sqrt(2.0 * pi);
    return exp(lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log(df * pi) -
               0.5 * (df + 1.0) * log1p(x * x / df));
}

/* Returns x >= 0 with upper_tail(x) = tail, 0 < tail <= 0.5: Newton's steps on the logarithm,
 * kept inside a bracket. */
static double upper_quantile(double tail, double df)
{
    double low = 0.0;
    double high = 1.0;
    while (upper_tail(high, df) > tail && high < DBL_MAX / 4.0) {
        low = high;
        high *= 2.0;
    }
    double x = 0.5 * (low + high);
    for (int step = 0; step < 200; step++) {
        const double found = upper_tail(x, df);
        if (found > tail)
            low = x;
        else
            high = x;
        double next = x + (log(found) - log(tail)) * found / density(x, df);
        /* Check convergence before the bracket: x is an end of the bracket, so a small step out of
         * the bracket would halve the bracket again. */
        if (fabs(next - x) <= 2.0 * DBL_EPSILON * x)
            return x;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - x) <= 2.0 * DBL_EPSILON * next)
            return next;
        x = next;
    }
    return x;
}

double sg_t_cdf(double t, double df)
{
    if (!(df > 0.0) || isnan(t))
        return NAN;
    const double tail = upper_tail(fabs(t), df);
    return t < 0.0 ? tail : 1.0 - tail;
}

double sg_t_quantile(double p, double df)
{
    if (!(p > 0.0 && p < 1.0) || !(df > 0.0))
        return NAN;
    if (p == 0.5)
        return 0.0;
    /* A quantile takes microseconds, and a large run needs the same few some ten thousand times. */
    static _Thread_local struct {
        double p, df, x;
    } asked[64], *place;
    uint64_t bits;
    memcpy(&bits, &df, sizeof(bits));
    place = &asked[(bits ^ bits >> 32 ^ bits >> 47) % 64];
    if (place->p != p || place->df != df) {
        place->p = p;
        place->df = df;
        place->x = p < 0.5 ? -upper_quantile(p, df) : upper_quantile(1.0 - p, df);
    }
    return place->x;
}

double sg_mean(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

double sg_sd(const double *x, size_t n)
{
    if (n < 2)
        return 0.0;
    const double mean = sg_mean(x, n);
    double squares = 0.0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)(n - 1));
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

void sg_sort(double *x, size_t n)
{
    qsort(x, n, sizeof(*x), by_value);
}

double sg_median(double *x, size_t n)
{
    sg_sort(x, n);
    return n % 2 != 0 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double sg_robust_sd(double *x, size_t n)
{
    const double median = sg_median(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - median);
    return 1.4826022185056018 * sg_median(x, n);
}

double sg_trimmed_mean(double *x, size_t n, double trim_each_end)
{
    const size_t cut = (size_t)(trim_each_end * (double)n);
    sg_sort(x, n);
    return sg_mean(x + cut, n - 2 * cut);
}

double sg_look_constant(enum sg_alpha alpha, size_t processes)
{
    static const struct {
        size_t processes;
        double c[SG_ALPHA_COUNT];
    } rows[] = {
        /* .10, .05, .01 */
        {5, {3.12, 3.98, 6.48}},  {8, {2.60, 3.14, 4.46}},  {10, {2.47, 2.94, 4.04}},
        {12, {2.39, 2.83, 3.80}}, {20, {2.26, 2.63, 3.41}},
    };
    double found = NAN;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && rows[i].processes <= processes; i++)
        found = rows[i].c[alpha];
    return found;
}

double sg_look_level(enum sg_alpha alpha)
{
    static const double level[SG_ALPHA_COUNT] = {
        [SG_ALPHA_10] = 0.0355,
        [SG_ALPHA_05] = 0.0164,
        [SG_ALPHA_01] = 0.00293,
    };
    return level[alpha];
}

struct ranked {
    double p;
    size_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->p != b->p)
        return a->p > b->p ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static struct ranked *rank(const double *p, const double *share, size_t n)
{
    struct ranked *order = sg_alloc(n, sizeof(*order));
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){share ? p[i] / share[i] : p[i], i};
    qsort(order, n, sizeof(*order), by_p);
    return order;
}

void sg_holm(const double *p, const double *share, size_t n, double *adjusted)
{
    SG_FREED struct ranked *order = rank(p, share, n);
    double largest = 0.0, left = 0.0;
    for (size_t i = n; i-- > 0;)
        adjusted[order[i].index] = left += share ? share[order[i].index] : 1;
    for (size_t i = 0; i < n; i++)
        adjusted[order[i].index] = largest =
            fmax(largest, fmin(1.0, adjusted[order[i].index] * order[i].p));
}

void sg_benjamini_hochberg(const double *p, size_t n, double *adjusted)
{
    SG_FREED struct ranked *order = rank(p, NULL, n);
    double smallest = 1.0;
    for (size_t i = n; i-- > 0;) {
        smallest = fmin(smallest, (double)n / (double)(i + 1) * order[i].p);
        adjusted[order[i].index] = smallest;
    }
}

double sg_two_digits_up(double x)
{
    const double unit = pow(10.0, floor(log10(x)) - 1.0);
    return ceil(x / unit - 1e-9) * unit;
}
