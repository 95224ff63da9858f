/*
 * ab/ab.h - the merge gate: compares a candidate with a baseline, case by case, in interleaved
 * pairs (docs/method.md 3 and 4).
 *
 * Both sides are variants of one family, from one module file or from two (two commits), or the
 * kernels of two programs (ab/engine_programs.c). Both sides may be the same variant. Both are
 * verified first. Then one worker after another measures all undecided pairs (stats/sequential.h),
 * together with the baseline against itself. Invariant: every requested case ends in a finding;
 * the run's folder can be read like any other run's.
 */
#pragma once

#include "plan/plan.h"
#include "reports/report.h"
#include "results/run_reader.h"
#include "stats/headline.h"

/* What the gates of one call print together. */
struct sg_ab_kept {
    struct sg_headline headline;
    struct sg_comparison rows; /* its findings and their numbers are those of all gates */
    struct sg_run run;
    struct sg_text note, alone; /* a line for each remark; the remark of a single gate */
    size_t gates;
};

struct sg_ab_options {
    /* [MODULE.so:]family/variant; programs: commands, or one whose NVTX ranges are the sides */
    const char *baseline, *candidate;
    bool of_programs;
    const char *command;            /* arguments after `solgate` that repeat the gate */
    const char *config;             /* a file of knobs for both sides; NULL: none */
    const char *range, *kernel;     /* programs: glob pattern; regular expression; NULL: all */
    const char *out;                /* NULL: out/ab-<date> */
    const struct sg_format *format; /* output format */
    struct sg_names cases;          /* empty: all that both sides support */
    struct sg_names modules;        /* modules searched for a family that names no module */
    struct sg_settings settings;
    struct sg_settings_given given; /* settings on the command line */
    uint64_t gpu, seed;
    uint64_t percentile; /* programs: of each kernel's launches in a start; 0: their mean */
    bool seed_given, resume;
    bool shared_gpu_allowed; /* do not refuse other processes on the GPU, MIG or MPS */
    bool inconclusive_fails;
    bool untimed; /* the sides are identical: they are only verified */
    /* For one of several gates; NULL otherwise: */
    const char *base_title;  /* the baseline, in the verdict */
    const char *program;     /* the program whose functions are gated */
    struct sg_ab_kept *kept; /* gets what would be printed */
};

/* Prints the verdict. *exit_code is that of docs/method.md 8. Resuming a finished run measures
 * nothing. */
enum sg_code sg_ab_run(const struct sg_ab_options *options, int *exit_code, struct sg_err *err);

/* Prints what the gates kept, as one document. `counts`: the end of the line after the verdict;
 * NULL: that of a single gate. */
enum sg_code sg_ab_print(const struct sg_ab_options *options, const char *counts,
                         struct sg_err *err);

/* The file in the run's folder with its findings, kept until the run is measured further. */
#define SG_AB_VERDICT "verdict.csv"
bool sg_ab_has_verdict(const char *folder);
/* Reads the findings of a run with environment `env`. */
enum sg_code sg_ab_read_verdict(const char *folder, const struct sg_env *env,
                                struct sg_comparison *comparison, struct sg_err *err);
