/*
 * results/error_signature.h - how an output was wrong, in one line: the message of a row
 * `error_signature`.
 *
 *     y: block of 128x128 at [128,256]; 16384 of 262144 elements; [130,300] is 24.014477, reference
 *     0.5; seed 3; same place with 3 seeds
 *
 * The parts are: the output and the place (worker/error_report.h); the number of wrong elements;
 * the worst element, or the first that is NaN or unwritten; the inputs; and whether other inputs
 * gave the same place. Further launches determine the last part, so that an effect of the inputs is
 * not blamed on the variant. Values are compared only within a run, where all variants have the
 * same inputs.
 */
#pragma once

#include "results/table.h"

#define SG_SIGNATURE_METRIC "error_signature"
#define SG_NEVER_WRITTEN    "never written"
#define SG_SIGNATURE_SEEDS  3 /* number of seeds whose places are compared */

/* Words for the place of errors without structure. */
#define SG_PLACE_ALL_WORD       "all elements"
#define SG_PLACE_SPREAD_WORD    "spread"
#define SG_PLACE_SCATTERED_WORD "scattered"

/* The last part of the line. */
#define SG_RECURS_TABLE(X)                             \
    X(SG_RECURS_IN_PLACE, "same place with 3 seeds")   \
    X(SG_RECURS_ELSEWHERE, "another with other seeds") \
    X(SG_RECURS_UNKNOWN, "not launched again")

enum sg_recurrence { SG_RECURS_TABLE(SG_CONSTANT) SG_RECURS_COUNT };

struct sg_error_signature {
    char where[224];          /* "y: the last 2 rows" */
    uint64_t elements, count; /* number of wrong elements; number of all */
    char at[48];              /* "[130,300]" */
    char got[40], want[40];   /* numbers, or "nan", "never written" */
    char inputs[64];          /* "seed 3", "integers of seed 3", "repeat 2 of seed 3" */
    enum sg_recurrence recurrence;
};

/* True if the outcome has wrong elements. */
bool sg_has_error_signature(enum sg_status status);

void sg_error_signature_add(struct sg_text *out,
                            const struct sg_error_signature *signature); /* appends */

/* Length in bytes of the part of a line that says where. */
size_t sg_error_where(const char *line);
/* True if two lines report errors in different places. False if either place depends on the inputs,
 * or if both errors lack structure in the same output. */
bool sg_error_moved(const char *was, const char *is);
