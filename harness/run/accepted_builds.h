/*
 * run/accepted_builds.h - pairs of builds (docs/method.md 3): items of a plan that are also timed
 * against the build that their accepted numbers come from.
 *
 * Each pair is an additional item of SG_BUILD_OTHER, named NAME_base, whose baseline is its own
 * variant of this run. If a build is missing, only the pair is missing; the reason is kept.
 */
#pragma once

#include "run/run_plan.h"

/* Appends the pairs' items to the plan. SG_INTERRUPTED is the only error. */
enum sg_code sg_accepted_builds_add(const struct sg_run_options *options,
                                    struct sg_module_list *builds, struct sg_run_plan *plan,
                                    struct sg_err *err);
/* Digest of the pairs and of the builds of their numbers. A resumed run must have the same
 * digest. */
struct sg_digest sg_accepted_pairs_digest(const struct sg_run_plan *plan);
