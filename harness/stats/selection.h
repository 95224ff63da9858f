/*
 * stats/selection.h - the interval of a change that is listed only because its reading exceeded a
 * limit.
 *
 * Pure. A change found by chance reads high, so an interval around its reading covers too seldom.
 * The reading of all data combines the part that decided and the later part, weighted by precision.
 * So its density, given that the change is listed, is
 *
 *     normal((x - truth) / se) Phi((x - limit) / sqrt(deciding_se^2 - se^2))
 *
 * The interval holds each truth that makes 2.5 to 97.5 % of such readings smaller (Fithian, Sun and
 * Taylor, data carving).
 */
#pragma once

struct sg_selected {
    double read, se; /* > 0, from all data */
    /* the reading that the deciding part had to exceed, and its error, at least se */
    double limit, deciding_se;
};
/* 95 % interval, not below 0. */
void sg_selected_interval(const struct sg_selected *selected, double *low, double *high);
