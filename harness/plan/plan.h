/*
 * plan/plan.h - which items a run has: family x case x variant, from the suite, the modules and the
 * filters. Also which programs a run has. A program's kernels are unknown before its start, so
 * --variant filters the program's rows.
 *
 * Pure. Invariant: if a case has a baseline, the plan has it for every planned item of the case.
 * No item is planned twice. A name or a pattern that matches nothing is an error that lists the
 * known names. Families added with --module come after the suite's, with all of their cases and
 * variants. A suite's family that --family leaves out need not be in the listing.
 */
#pragma once

#include "plan/knobs.h"
#include "plan/module_list.h"
#include "plan/suite.h"
#include "results/item_filter.h"

/* The module file that provides a variant, where two files have the same family. */
enum sg_item_build {
    SG_BUILD_OWN,
    SG_BUILD_OTHER, /* the baseline's side of `ab`, or the build of the accepted numbers */
};

#define SG_NO_ITEM SIZE_MAX

/* One variant of one case, and its baseline. Names are borrowed from the listing. */
struct sg_item {
    const struct sg_listed_family *family;
    const struct sg_listed_case *case_;
    const struct sg_listed_variant *variant;
    const struct sg_knob_setting *knobs;    /* borrowed; NULL: all defaults */
    const char *built_as;                   /* the variant's name in the module of SG_BUILD_OTHER */
    const struct sg_suite_program *program; /* borrowed; NULL: a variant of a module */
    size_t baseline; /* index in the plan, perhaps its own; SG_NO_ITEM: not timed */
    enum sg_item_build build;
    bool only_timed; /* not verified: outputs of timed launches are compared with the baseline's */
};
/* Expands to three arguments: family, case and variant. */
#define SG_ITEM_NAMES(item) (item)->family->name, (item)->case_->name, (item)->variant->name

struct sg_plan {
    struct sg_item *items; /* owned; sorted by family, case, variant */
    size_t count, capacity;
    const struct sg_suite_program **programs; /* owned list; elements belong to the suite */
    size_t program_count, program_capacity;
};

enum sg_code sg_plan_make(const struct sg_suite *suite, const struct sg_module_list *listing,
                          const struct sg_filters *filters, struct sg_plan *plan,
                          struct sg_err *err);
/* Pairs each item with the baseline of its case, if the plan has one. Items of a case must be
 * adjacent. */
void sg_plan_pair(struct sg_item *items, size_t count);
