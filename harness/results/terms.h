/*
 * results/terms.h - the terms of a verdict, which are accepted together with the numbers: terms of
 * an item (rows) and of a run (env.csv).
 *
 * Pure. A looser term may pass what failed before; a tighter one cannot. Invariant: a change
 * without a direction counts as looser.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

/* Rows of an item: how its outputs are checked. Their numbers have unit 1. */
#define SG_TERM_PREFIX     "term_"
#define SG_TERM_RMS        "term_rel_rms" /* struct sg_tolerance */
#define SG_TERM_MAX        "term_rel_max"
#define SG_TERM_REPEATS    "term_deterministic" /* 1: the variant claims the same bits each time */
#define SG_TERM_INTEGERS   "term_integers" /* 1: exact with small integers, which is also checked */
#define SG_TERM_BUFFERS    "term_buffers"  /* digest of the buffers: use, format, size, fill */
#define SG_TERM_DIGEST_MAX 1000000000      /* nine digits, as numbers are written */

#define SG_DRIFT_LIMITS_KEY "drift_limits" /* in env.csv: the limits of results/validity.h */

enum sg_term_change { SG_TERM_SAME, SG_TERM_TIGHTER, SG_TERM_LOOSER };

/* sg_is_term: true if a row of this metric is a term. sg_term_compare compares two such rows, each
 * of its own table. */
bool sg_is_term(const char *metric);
enum sg_term_change sg_term_compare(const char *metric, const struct sg_value *was,
                                    const struct sg_value *is);

typedef void sg_term_fn(void *context, const char *key, enum sg_term_change change, const char *was,
                        const char *is);
/* Calls `take` for each term of the run that differs from the accepted one. A term that one side
 * lacks, as in files of older versions, is not reported. */
void sg_terms_compare_env(const struct sg_env *was, const struct sg_env *is, sg_term_fn *take,
                          void *context);
