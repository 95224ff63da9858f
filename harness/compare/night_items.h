/*
 * compare/night_items.h - what earlier nightly runs say of the items of this one, by name
 * FAMILY/CASE/VARIANT.
 */
#pragma once

#include "stats/replicates.h"
#include "util/intern.h"

struct sg_night_item {
    struct sg_usual_spread usual;
    bool has_usual; /* ten earlier runs have a spread */
    bool is_off;    /* its value in this run is off: measured again before anyone is alerted */
    const char *why_wide; /* why some of its processes are slower; NULL: no sign of that */
};
struct sg_night_items {
    struct sg_intern_pool *names; /* owned */
    struct sg_night_item *of;     /* owned; indexed by id */
    size_t count, capacity;
};
/* The item, which is added if it is not there. */
struct sg_night_item *sg_night_items_at(struct sg_night_items *items, const char *name);
/* NULL: nothing is known of the item. `items` may be NULL. */
const struct sg_night_item *sg_night_items_find(const struct sg_night_items *items,
                                                const char *family, const char *case_,
                                                const char *variant);
