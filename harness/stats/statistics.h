/*
 * stats/statistics.h - distributions, quantiles, trimmed means, and the looks of the sequential
 * decision (docs/method.md 2 and 3).
 *
 * Pure functions on doubles. Sources: Lentz' continued fraction for the regularised incomplete
 * beta function (Numerical Recipes 6.4), quantiles by bracketed root finding on it. Tested
 * against tabulated values to 1e-10.
 */
#pragma once

#include <stddef.h>

double sg_incomplete_beta(double a, double b, double x); /* regularised, a, b > 0, 0 <= x <= 1 */
double sg_t_cdf(double t, double df);                    /* df > 0 */
/* 0 < p < 1, otherwise NaN; df INFINITY: the normal distribution */
double sg_t_quantile(double p, double df);

double sg_mean(const double *x, size_t n); /* n >= 1 */
/* divides by n - 1; 0 for n < 2 */
double sg_sd(const double *x, size_t n);
void sg_sort(double *x, size_t n);
double sg_median(double *x, size_t n); /* sorts x; n >= 1 */
/* of a normal distribution, by the median distance from the median; changes x; n >= 1 */
double sg_robust_sd(double *x, size_t n);
double sg_trimmed_mean(double *x, size_t n, double trim_each_end); /* reorders x; 0 <= trim < 0.5 */

/* Looks of the sequential decision: after 5, 10, 12 and 20 processes. The constants keep the error
 * rate over all looks together. */
#define SG_LOOK_COUNT 4
#define SG_LOOKS      \
    {                 \
        5, 10, 12, 20 \
    }
enum sg_alpha { SG_ALPHA_10, SG_ALPHA_05, SG_ALPHA_01, SG_ALPHA_COUNT };
/* Returns c such that estimate +- c SE holds at `processes`, rounded down to 5, 8, 10, 12 or 20.
 * NaN below 5. 8 is not a look, but runs of 8 are common. */
double sg_look_constant(enum sg_alpha alpha, size_t processes);
/* Two-sided error level of one look. sg_look_constant is the t quantile at 1 - level/2
 * (docs/method.md 3). */
double sg_look_level(enum sg_alpha alpha);

/* p-values adjusted for n tests, in the given order: Holm (familywise error), Benjamini-Hochberg
 * (false discovery rate). `share`, > 0: each test's share of the error, in any unit; NULL: equal
 * shares. */
void sg_holm(const double *p, const double *share, size_t n, double *adjusted);
void sg_benjamini_hochberg(const double *p, size_t n, double *adjusted);

/* Rounds x > 0 up to two digits, for a tolerance that is readable and still large enough. */
double sg_two_digits_up(double x);
