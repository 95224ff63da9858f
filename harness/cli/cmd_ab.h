/*
 * cli/cmd_ab.h - `solgate ab --commits`: a family of two commits, built and gated; `ab --exec`:
 * functions that a program holds.
 */
#pragma once

#include "ab/ab.h"

struct sg_ab_commits {
    const char *commits; /* BASE..HEAD; BASE without HEAD: against the working tree */
    const char *repository, *build;
    struct sg_names variants; /* empty: those that differ */
};

/*
 * Gates each variant that was not built the same at both, by `options`, whose baseline is the name
 * of a family and whose modules are at most the one that in->build leaves. Prints what differs, and
 * each gate's verdict; *exit_code is the worst of them.
 */
enum sg_code sg_ab_commits_run(const struct sg_ab_commits *in, const struct sg_ab_options *options, int *exit_code, struct sg_err *err);

/* Judges each pair of the program, as by sg_ab_run; *exit_code is the worst of them. argv ends with
 * NULL. */
enum sg_code sg_ab_exec_run(const char *const *argv, const struct sg_ab_options *options, int *exit_code, struct sg_err *err);
