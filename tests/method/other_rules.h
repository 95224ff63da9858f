/*
 * other_rules.h - how a candidate is called slower elsewhere, for a comparison with the
 * sequential rule on paired processes.
 *
 * Pure. Each rule sees the times of single launches of a baseline and of a candidate, and takes
 * launches for replicates, as is usual. Invariant: a rule sees nothing of the order in which they
 * were taken. Used by power_curves.c; no part of the two programs.
 */
#ifndef OTHER_RULES_H
#define OTHER_RULES_H

#include <stddef.h>

/*
 * Constant, word, what it compares. The last two are NVBench's (github.com/NVIDIA/nvbench):
 * python/scripts/nvbench_compare_legacy.py at 0f6e712b8f16 (in scripts/nvbench_compare.py before)
 * and python/scripts/nvbench_compare_robust.py at 98fecd2e50de, preset `default`. What NVBench
 * calls SAME, ???? or undecided is no difference here.
 */
#define RULE_TABLE(X)                                                                                    \
    X(RULE_MEDIAN_2, "median_2", "medians differ by more than 2 %")                                      \
    X(RULE_MEDIAN_5, "median_5", "medians differ by more than 5 %")                                      \
    X(RULE_WELCH, "welch", "Welch's t test, two-sided 5 %")                                              \
    X(RULE_MANN_WHITNEY, "mann_whitney", "Mann and Whitney's U test, two-sided 5 %")                     \
    X(RULE_NOISE, "noise", "means differ by more than the smaller of both relative standard deviations") \
    X(RULE_INTERVALS, "intervals", "from least to third quartile, 0.5 % and more apart, in time and in cycles")

enum rule {
#define X(constant, word, what) constant,
    RULE_TABLE(X)
#undef X
        RULE_COUNT
};
const char *rule_word(enum rule rule);

/* n >= 2 times of each, ns. */
struct two_samples {
    const double *baseline, *candidate;
    size_t n_baseline, n_candidate;
    double baseline_clock, candidate_clock; /* mean SM clock, Hz; 0: not known, then cycles confirm whatever time says */
};
/* 1: the candidate is slower, -1: faster, 0: no difference. */
int rule_says(enum rule rule, const struct two_samples *samples);

/* Two-sided p of the two tests, for their own test. */
double welch_p(const struct two_samples *samples);
double mann_whitney_p(const struct two_samples *samples); /* normal approximation with ties; 1 when all are equal */

#endif
