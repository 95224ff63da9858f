/*
 * diagnose_fixture.h - the shipped catalogue, and runs of two variants: what the
 * tests of diagnose/diagnose.h share.
 *
 * fixture_begin; fixture_diagnose of some changes, or fixture_add for each row and fixture_case
 * for what to diagnose.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "check.h"
#include "diagnose/diagnose.h"
#include "near.h"

#define MOVED_MAX 32

struct change {
    const char *metric;
    double was, is; /* NaN: the row says that it is not a number */
};

/* What a home has of metrics. */
struct fixture {
    struct sg_catalogue catalogue;
};

static inline void fixture_begin(struct fixture *fixture)
{
    struct sg_err err = {0};
    if (sg_catalogue_load(&fixture->catalogue, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
}

static inline void fixture_add(struct sg_table *table, const char *variant, const char *metric,
                               double value)
{
    const struct sg_value row = {
        .family = "f",
        .case_ = "c",
        .variant = variant,
        .metric = metric,
        .value = value,
        .has = SG_HAS_VALUE,
        .status = SG_OK,
    };
    sg_table_add(table, &row);
}

/* "next" against "base" in one table. */
static inline struct sg_diagnosed fixture_case(const struct fixture *fixture,
                                               const struct sg_table *run, const char *case_)
{
    return (struct sg_diagnosed){
        .catalogue = &fixture->catalogue,
        .then = run,
        .now = run,
        .family = "f",
        .case_ = case_,
        .other = "base",
        .variant = "next",
    };
}

/* Both variants in one table, as they stand in one run. */
static inline size_t fixture_diagnose(const struct fixture *fixture, const struct change *changes,
                                      size_t count, struct sg_counter_change moved[MOVED_MAX])
{
    SG_SCOPED(sg_table) run = {0};
    struct sg_err err = {0};
    for (size_t i = 0; i < count && changes[i].metric; i++) {
        fixture_add(&run, "base", changes[i].metric, changes[i].was);
        fixture_add(&run, "next", changes[i].metric, changes[i].is);
    }
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    const struct sg_diagnosed what = fixture_case(fixture, &run, "c");
    const size_t got = sg_diagnose(&what, moved, MOVED_MAX);
    return got;
}
