/*
 * run/accepted_builds.h - pairs of builds (docs/method.md 3): items of a plan that are also timed
 * against the build that their accepted numbers come from.
 *
 * Each is one more item of SG_BUILD_OTHER, called NAME_base, that is timed against its own variant
 * of this run. Where a build is not at hand, only the pair is missing, and why is kept.
 */
#pragma once

#include "run/run_plan.h"

/* Behind all other items of the plan. Only SG_INTERRUPTED is an error. */
enum sg_code sg_accepted_builds_add(const struct sg_run_options *options, struct sg_module_list *builds, struct sg_run_plan *plan,
                                    struct sg_err *err);
/* Which pairs there are, and what their numbers were made of, as a digest: a run that is taken up
 * again must have the same. */
struct sg_digest sg_accepted_pairs_digest(const struct sg_run_plan *plan);
void sg_accepted_pairs_release(struct sg_accepted_pairs *pairs);
