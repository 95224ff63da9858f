/*
 * history/builds_chain.h - how fast the accepted builds of an item are, one
 * against another (docs/method.md 6).
 *
 * Pure. A paired night reads ln(tonight's / the accepted build's). When another build is accepted,
 * that reading jumps though no code changed. The build was once tonight's: on those nights its pair
 * read how it differs from the build accepted then. So its height is known, with an error, and the
 * readings of all nights can be put on one scale. A build that the history never measured as
 * tonight's begins a part of its own, whose height against the others is not known.
 *
 * Invariant: a build's height depends only on the nights before its first use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/intern.h"

/* What a night has of an item. */
struct sg_build_night {
    sg_id code;       /* the module that was measured; 0: not known */
    sg_id build;      /* the accepted build beside it; 0: none */
    double value, se; /* ln of the ratio to `build`, and its error; NaN: none, or not known */
};

struct sg_build_height {
    sg_id build;
    unsigned part;     /* heights of one part are comparable; from 0 */
    double height, se; /* ln, against the first build of its part */
    size_t origin;     /* the last night before its first use on which it was tonight's; SG_NO_ORIGIN: none */
};
#define SG_NO_ORIGIN ((size_t)-1)

/*
 * The builds that nights have a value against, in the order of their first use; `heights` has room
 * for `count`, the number of nights, and as many are written as are returned. usual_sd: ln, how a
 * night differs from the next one beside its own error.
 */
size_t sg_build_heights(const struct sg_build_night *nights, size_t count, double usual_sd, struct sg_build_height *heights);
/* The one of a build that is in them. */
const struct sg_build_height *sg_build_height_of(const struct sg_build_height *heights, size_t count, sg_id build);
