/*
 * compare/usual_spreads.h - what nights before show of the spread of items, by their names
 * FAMILY/CASE/VARIANT.
 */
#pragma once

#include "stats/replicates.h"
#include "util/intern.h"

struct sg_usual_spreads {
    struct sg_intern_pool *items; /* owned */
    struct sg_usual_spread *of;   /* owned; by id */
    size_t count, capacity;
};
void sg_usual_spreads_release(struct sg_usual_spreads *spreads);
/* Each item once. */
void sg_usual_spreads_add(struct sg_usual_spreads *spreads, const char *item, struct sg_usual_spread usual);
/* NULL: nothing is known of the item, or of any. */
const struct sg_usual_spread *sg_usual_spreads_find(const struct sg_usual_spreads *spreads, const char *family, const char *case_,
                                                    const char *variant);
