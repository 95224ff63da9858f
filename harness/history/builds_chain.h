/*
 * history/builds_chain.h - relative speed of the accepted builds of an item (docs/method.md 6).
 *
 * Pure. A paired nightly run measures ln(current build / accepted build). When another build is
 * accepted, that value jumps although no code changed. But earlier runs measured the new build as
 * the current one, paired with the build accepted then. So the height (relative time) of the new
 * build is known, with an error, and all values can be put on one scale. A build that was never
 * measured as the current one starts a new part, whose height relative to other parts is not known.
 *
 * Invariant: a build's height depends only on nightly runs before its first use as accepted build.
 */
#pragma once

#include <stddef.h>

#include "util/intern.h"

/* One item in one nightly run. */
struct sg_build_night {
    sg_id code;  /* the module that was measured; 0: not known */
    sg_id build; /* the accepted build paired with it; 0: none */
    double value,
        se; /* ln of the ratio to `build`, and its standard error; NaN: none, or not known */
};

struct sg_build_height {
    sg_id build;
    unsigned part;     /* heights are comparable within a part; from 0 */
    double height, se; /* ln, relative to the first build of the part; standard error */
    /* the last run before its first use that measured the build as the current one; SG_NO_ORIGIN:
     * none */
    size_t origin;
};
#define SG_NO_ORIGIN ((size_t)-1)

/*
 * Writes the accepted builds with which runs were compared, in order of first use, and returns
 * their number. `heights` has room for `count`, the number of nightly runs.
 * usual_sd: ln, difference between consecutive runs beyond their own errors.
 */
size_t sg_build_heights(const struct sg_build_night *nights, size_t count, double usual_sd,
                        struct sg_build_height *heights);
/* The entry of a build; NULL: none. */
const struct sg_build_height *sg_build_height_of(const struct sg_build_height *heights,
                                                 size_t count, sg_id build);
