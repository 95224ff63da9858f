/*
 * results/terms.h - the terms that a verdict was reached by, which are accepted together with the
 * numbers: of an item (rows), and of a run (env.csv).
 *
 * Pure. A looser term lets pass what failed before; a tighter one cannot. Invariant: a change that
 * has no direction counts as looser.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

/* Rows of an item: how its outputs are checked. Their numbers are of unit 1. */
#define SG_TERM_PREFIX     "term_"
#define SG_TERM_RMS        "term_rel_rms" /* struct sg_tolerance */
#define SG_TERM_MAX        "term_rel_max"
#define SG_TERM_REPEATS    "term_deterministic" /* 1: the variant claims the same bits each time */
#define SG_TERM_INTEGERS   "term_integers"      /* 1: exact with small integers, which is checked, too */
#define SG_TERM_BUFFERS    "term_buffers"       /* digest of the buffers: use, format, size, fill */
#define SG_TERM_DIGEST_MAX 1000000000           /* nine digits, as numbers are written */

#define SG_DRIFT_LIMITS_KEY "drift_limits" /* of env.csv: results/validity.h, in words */

enum sg_term_change { SG_TERM_SAME, SG_TERM_TIGHTER, SG_TERM_LOOSER };

/* Is a row of this metric a term? Then of two of them, of their own tables. */
bool sg_is_term(const char *metric);
enum sg_term_change sg_term_compare(const char *metric, const struct sg_value *was, const struct sg_value *is);

typedef void sg_term_fn(void *context, const char *key, enum sg_term_change change, const char *was, const char *is);
/* Each term of the run that is another one than accepted. What one side has no word of, as files of
 * older versions, is none. */
void sg_terms_compare_env(const struct sg_env *was, const struct sg_env *is, sg_term_fn *take, void *context);
