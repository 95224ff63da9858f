/*
 * stats/statistics.h - distributions, quantiles, trimmed means, and the looks of the sequential
 * decision (docs/method.md 2 and 3).
 *
 * Pure functions on doubles. Sources: Lentz' continued fraction for the regularised incomplete
 * beta function (Numerical Recipes 6.4), quantiles by bracketed root finding on it. Tested
 * against tabulated values to 1e-10.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

double sg_incomplete_beta(double a, double b, double x); /* regularised, a, b > 0, 0 <= x <= 1 */
double sg_t_cdf(double t, double df);                    /* df > 0 */
double sg_t_quantile(double p, double df);               /* 0 < p < 1, else NaN; df INFINITY: the normal distribution's */

double sg_mean(const double *x, size_t n);                         /* n >= 1 */
double sg_sd(const double *x, size_t n);                           /* n - 1 in the denominator; 0 for n < 2 */
double sg_median(double *x, size_t n);                             /* reorders x; n >= 1 */
double sg_kth_smallest(double *x, size_t n, size_t k);             /* reorders x (Hoare's selection), in linear time; k < n, from 0 */
double sg_trimmed_mean(double *x, size_t n, double trim_each_end); /* reorders x; 0 <= trim < 0.5 */

/* Looks of the sequential decision: after 5, 10, 12, 20 processes, with constants that hold
 * the error over all looks at once. */
#define SG_LOOK_COUNT 4
#define SG_LOOKS      \
    {                 \
        5, 10, 12, 20 \
    }
enum sg_alpha { SG_ALPHA_10, SG_ALPHA_05, SG_ALPHA_01, SG_ALPHA_COUNT };
/* c such that estimate +- c SE holds at `processes`, rounded down to 5, 8, 10, 12 or 20; NaN below
 * 5. Runs of 8 are no look, but common. */
double sg_look_constant(enum sg_alpha alpha, size_t processes);
/* Two-sided level at which each look is taken on its own: c of a look is the t quantile
 * at 1 - level/2 (docs/method.md 3). */
double sg_look_level(enum sg_alpha alpha);

/* p-values adjusted for being n at once, in the order given: Holm (any error at all),
 * Benjamini-Hochberg (share of false ones). `share`, > 0: of the error that each may make, in any
 * unit; NULL: the same. */
void sg_holm(const double *p, const double *share, size_t n, double *adjusted);
void sg_benjamini_hochberg(const double *p, size_t n, double *adjusted);

/* x > 0 rounded up to two digits: a tolerance that people read, and that does. */
double sg_two_digits_up(double x);
