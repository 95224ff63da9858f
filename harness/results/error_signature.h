/*
 * results/error_signature.h - how an output was wrong, in one line: the
 * message of a row `error_signature`.
 *
 *     y: block of 128x128 at [128,256]; 16384 of 262144 elements; [130,300] is 24.014477, reference
 *     0.5; seed 3; same place with 3 seeds
 *
 * Which output and where (worker/error_report.h); how many elements; the worst of them, or the
 * first that is not a number or was never written; with which inputs; and whether other inputs
 * gave the same place. The last is found out by launching again, so that what follows from the
 * inputs is never taken for a property of the variant. Values are compared only within a run,
 * whose variants had the same inputs.
 */
#pragma once

#include "results/table.h"

#define SG_SIGNATURE_METRIC "error_signature"
#define SG_SANITIZER_METRIC "sanitizer" /* the row beside it: what compute-sanitizer found first, in words */
#define SG_NEVER_WRITTEN    "never written"
#define SG_SIGNATURE_SEEDS  3 /* whose places are compared */

/* Where, in words: those of outputs without a structure. */
#define SG_PLACE_ALL_WORD       "all elements"
#define SG_PLACE_SPREAD_WORD    "spread"
#define SG_PLACE_SCATTERED_WORD "scattered"

/* Also of the words: what the line has as its last part. */
#define SG_HOLD_TABLE(X)                           \
    X(SG_HOLD_PLACE, "same place with 3 seeds")    \
    X(SG_HOLD_NOTHING, "another with other seeds") \
    X(SG_HOLD_UNKNOWN, "not launched again")

enum sg_hold { SG_HOLD_TABLE(SG_CONSTANT) SG_HOLD_COUNT };

struct sg_error_signature {
    char where[224];          /* "y: the last 2 rows" */
    uint64_t elements, count; /* wrong ones, of all */
    char at[48];              /* "[130,300]" */
    char got[40], want[40];   /* numbers, or "nan", "never written" */
    char inputs[64];          /* "seed 3", "integers of seed 3", "repeat 2 of seed 3" */
    enum sg_hold hold;
};

/* Has an outcome elements that are wrong? */
bool sg_has_error_signature(enum sg_status status);

void sg_error_signature_add(struct sg_text *out, const struct sg_error_signature *signature); /* appended */

/* Of a line: how many of its bytes, the first ones, say where. */
size_t sg_error_where(const char *line);
/* Of two lines: is the error elsewhere, whatever the inputs? Not where a place depends on those,
 * nor where both are without structure in one output. */
bool sg_error_moved(const char *was, const char *is);

/*
 * Variants of one case with the same line, a line each set of them: "matvec/r64: a, b and c: the
 * same error in y: the last 2 rows: a shared cause; so in 2 more cases". Returns how many lines
 * there are; `each` may be NULL. Of a sorted table, or NULL.
 */
size_t sg_shared_errors_each(const struct sg_table *run, void (*each)(const char *line, struct sg_text *out), struct sg_text *out);
