/*
 * cli/cmd_ab.h - `solgate ab --commits` builds a family at two commits and gates it; `ab --exec`
 * gates functions inside a program.
 */
#pragma once

#include "ab/ab.h"

struct sg_ab_commits {
    const char *commits; /* BASE..HEAD; BASE alone: against the working tree */
    const char *repository, *build;
    struct sg_names variants; /* empty: those whose code differs */
};

/*
 * Gates each variant whose build differs between the commits. The options' baseline is the name of
 * a family. Their only module, if any, is the file made by in->build.
 * Prints the differences and each gate's verdict; *exit_code is the worst.
 */
enum sg_code sg_ab_commits_run(const struct sg_ab_commits *in, const struct sg_ab_options *options,
                               int *exit_code, struct sg_err *err);

/* Gates each pair of the program, as sg_ab_run does; *exit_code is the worst. argv ends with
 * NULL. */
enum sg_code sg_ab_exec_run(const char *const *argv, const struct sg_ab_options *options,
                            int *exit_code, struct sg_err *err);
