/*
 * ab/ab.h - may a candidate be merged? A candidate against a baseline, case by case, in
 * interleaved pairs (docs/method.md 3 and 4).
 *
 * The two are variants of one family, of one module file or of two (two commits); both may be the
 * same. First each is verified, then one worker after the other measures all pairs that are still
 * undecided (stats/sequential.h), and with them the baseline against itself. Invariant: every case
 * that was asked for ends in a finding; the run's folder can be read like any other's.
 */
#pragma once

#include "plan/plan.h"
#include "reports/report.h"

struct sg_ab_options {
    const char *baseline, *candidate; /* [MODULE.so:]family/variant */
    const char *config;               /* a file of knobs, for both sides; NULL: none */
    const char *range, *kernel;       /* of programs: pattern, regular expression; NULL: all */
    const char *out;                  /* NULL: out/ab-<date> */
    const struct sg_format *format;   /* of what is printed */
    struct sg_names cases;            /* empty: all that both support */
    struct sg_names modules;          /* where a family is looked for that names no module */
    double tolerance;                 /* ratio */
    enum sg_l2 l2;
    uint64_t gpu, seed;
    bool seed_given, resume;
    bool sustained;          /* seconds of launches on end in turns, with a warm L2 */
    bool shared_gpu_allowed; /* others on the GPU, MIG and MPS are no reason to refuse */
    bool inconclusive_fails;
};

/* Prints the verdict; *exit_code is that of docs/method.md 8. Of a finished run
 * that is resumed nothing is measured. */
enum sg_code sg_ab_run(const struct sg_ab_options *options, int *exit_code, struct sg_err *err);

/* Its findings are kept in the run's folder, in this file, until it is measured on. */
#define SG_AB_VERDICT "verdict.csv"
bool sg_ab_has_verdict(const char *folder);
/* Reads them; released by sg_comparison_release, also after a failure. `env`: of the run. */
enum sg_code sg_ab_read_verdict(const char *folder, const struct sg_env *env, struct sg_comparison *comparison, struct sg_err *err);
