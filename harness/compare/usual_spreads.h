/*
 * compare/usual_spreads.h - the usual spread of items in earlier nightly runs, by name
 * FAMILY/CASE/VARIANT.
 */
#pragma once

#include "stats/replicates.h"
#include "util/intern.h"

struct sg_usual_spreads {
    struct sg_intern_pool *items; /* owned */
    struct sg_usual_spread *of;   /* owned; indexed by id */
    size_t count, capacity;
};
/* Add each item only once. */
void sg_usual_spreads_add(struct sg_usual_spreads *spreads, const char *item,
                          struct sg_usual_spread usual);
/* NULL: no usual spread is known for the item. `spreads` may be NULL. */
const struct sg_usual_spread *sg_usual_spreads_find(const struct sg_usual_spreads *spreads,
                                                    const char *family, const char *case_,
                                                    const char *variant);
