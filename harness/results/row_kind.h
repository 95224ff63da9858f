/*
 * results/row_kind.h - what a row is for, by its metric's name: the one list for those who judge
 * rows, accept them and write them.
 *
 * Invariant: a name that is not listed is that of a counter, or of a fact about
 * the code, which is judged as one.
 */
#pragma once

#include <stdbool.h>

/* Of a kernel of a program, in one start: how often it was launched, and how long that took
 * together. */
#define SG_LAUNCHES_METRIC "tool:launches"
#define SG_TOTAL_METRIC    "tool:total"
#define SG_COUNT_METRIC    "count_passes" /* the last row of a variant's count pass, or what ended that pass */
/* A variant's time over that of the build which its accepted numbers come from;
 * without a number, why there is none. */
#define SG_BUILD_RATIO_METRIC "build_ratio"
#define SG_OTHER_SUFFIX       "_base" /* behind the name of a variant of the other build, where both are named */
/* Of a kernel of `solgate exec`: digest of its machine code, in words. */
#define SG_CODE_METRIC "tool:code"
#define SG_SAME_CODE   "same code"
/* Where a symbol runs with several geometries in a case, the kernel's name ends with this mark and
 * digits of its grid and block. */
#define SG_GEOMETRY_MARK   "_g"
#define SG_GEOMETRY_DIGITS 8
/* Of accepted numbers: status is what the item was found to be,
 * message the last day or "", reason why. */
#define SG_WAIVER_METRIC "waiver"
/*
 * The fact (sg_variant.facts) of a variant that does the dense problem in place of a
 * sparse one: how much of that the case has, over 0 and at most 1. Work of a sparse case
 * is that of its blocks that are there.
 */
#define SG_DENSITY_METRIC "density"

/* Which functions of a pair, of a program, wait for the device, or keep it waiting: candidate,
 * baseline, both. */
#define SG_HOST_BOUND_METRIC "host_bound"

enum sg_row_kind { SG_ROW_UNSEEN, SG_ROW_STATUS, SG_ROW_TIME, SG_ROW_RATIO, SG_ROW_BUILD_RATIO, SG_ROW_FACT, SG_ROW_COUNTER };

struct sg_row_use {
    enum sg_row_kind kind; /* SG_ROW_FACT: it describes, and is not judged itself */
    bool defines;          /* says what the case is: another value, and the case is another one */
    bool is_term;          /* how the item was checked (results/terms.h): judged by equality, and listed with its facts */
    bool gates;            /* of a counter: gates as accepted, unless it varies from start to start */
    bool is_accepted;      /* accepted numbers hold it: it is judged, or gates, or explains, or one of these is judged by it */
};
struct sg_row_use sg_row_use_of(const char *metric);
