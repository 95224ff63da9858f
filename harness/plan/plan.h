/*
 * plan/plan.h - which items a run is made of: family x case x variant, from the suite, what the
 * modules hold, and the filters given; and which programs, whose kernels are not known before they
 * are started: --variant is for those of their rows.
 *
 * Pure. Invariant: a family's baseline is in the plan for every case of it that is; no item is
 * there twice; a name or a pattern that matches nothing is an error that lists the known names.
 * Families that modules add to the suite (--module) come after it, with everything they hold; one
 * of the suite that --family leaves out need not be in the listing.
 */
#pragma once

#include "plan/knobs.h"
#include "plan/module_list.h"
#include "plan/suite.h"
#include "results/item_filter.h"

/* Which of two module files of one family a variant is taken from. */
enum sg_item_build {
    SG_BUILD_OWN,
    SG_BUILD_OTHER, /* the baseline's side of `ab`, or the build that accepted numbers come from */
};

#define SG_NO_ITEM SIZE_MAX

/* One variant of one case, and what it is timed against. Names are borrowed from the listing. */
struct sg_item {
    const struct sg_listed_family *family;
    const struct sg_listed_case *case_;
    const struct sg_listed_variant *variant;
    const struct sg_setting *knobs; /* borrowed; NULL: each has its default */
    const char *built_as;           /* the name of its variant in the module of SG_BUILD_OTHER */
    size_t baseline;                /* item of the same plan, perhaps itself; SG_NO_ITEM: it is not timed */
    enum sg_item_build build;
    bool only_timed; /* it has no pass of its own: each of its launches is compared with one of its baseline */
};
/* Three arguments: its family, case and variant. */
#define SG_ITEM_NAMES(item) (item)->family->name, (item)->case_->name, (item)->variant->name

struct sg_plan {
    struct sg_item *items; /* owned; by family, case, variant */
    size_t count, capacity;
    const struct sg_suite_program **programs; /* owned; each is the suite's */
    size_t program_count, program_capacity;
};

enum sg_code sg_plan_make(const struct sg_suite *suite, const struct sg_module_list *listing, const struct sg_filters *filters,
                          struct sg_plan *plan, struct sg_err *err);
/* Pairs each item with the baseline variant of its case, as far as the plan has one. The items of
 * a case stand together. */
void sg_plan_pair(struct sg_item *items, size_t count);
void sg_plan_release(struct sg_plan *plan);
