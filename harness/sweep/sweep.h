/*
 * sweep/sweep.h - finds the best knobs for each case: the grid of a variant's knobs against the
 * variant's default (solgate run --sweep).
 *
 * There are two stages, each an ordinary run in its folder. Stage choose verifies and times every
 * configuration in pairs with the default. Stage confirm measures the fastest one of each case with
 * as many fresh processes as the decision needs. Invariant: the reported margin comes from the last
 * stage, which took no part in the choice. A configuration that is wrong, hangs, crashes or is
 * refused affects no other.
 */
#pragma once

#include "run/run_plan.h"

/* Sweeps all variants of the run that have knobs, or the one named FAMILY/VARIANT. *exit_code is
 * that of `solgate run`. */
enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code,
                          struct sg_err *err);
