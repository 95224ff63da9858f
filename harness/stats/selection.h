/*
 * stats/selection.h - the interval of a change that is listed only because it read over a limit.
 *
 * Pure. What is found by chance reads high, and an interval around its reading covers too seldom.
 * The reading of all the data is that of the part which decided and of what came later, each
 * weighted by its precision, so that its density, given that the change is listed, is
 *
 *     normal((x - truth) / se) Phi((x - limit) / sqrt(deciding_se^2 - se^2))
 *
 * and the interval holds the truths under which 2.5 to 97.5 % of such readings are less (Fithian,
 * Sun and Taylor, data carving).
 */
#pragma once

struct sg_selected {
    double read, se;           /* > 0, by all the data */
    double limit, deciding_se; /* what the deciding part had to read, and its error, at least se */
};
/* 95 %, and not below 0. */
void sg_selected_interval(const struct sg_selected *selected, double *low, double *high);
