/*
 * plan/plan.h - which items a run is made of: family x case x variant, from the suite, what the
 * modules hold, and the filters given.
 *
 * Pure. Invariant: a family's baseline is in the plan for every case of it that is; no item is
 * there twice; a name or a pattern that matches nothing is an error that lists the known names.
 * Families that modules add to the suite (--module) come after it, with everything they hold; one
 * of the suite that --family leaves out need not be in the listing.
 */
#ifndef SG_PLAN_PLAN_H
#define SG_PLAN_PLAN_H

#include "plan/module_list.h"
#include "plan/suite.h"
#include "results/item_filter.h"

/* Borrowed from the listing. */
struct sg_item {
    const struct sg_listed_family *family;
    const struct sg_listed_case *case_;
    const struct sg_listed_variant *variant;
};

struct sg_plan {
    struct sg_item *items; /* owned; by family, case, variant */
    size_t count, capacity;
};

enum sg_code sg_plan_make(const struct sg_suite *suite, const struct sg_module_list *listing, const struct sg_filters *filters,
                          struct sg_plan *plan, struct sg_err *err);
void sg_plan_release(struct sg_plan *plan);

#endif
