/*
 * cli/cmd_ab.h - the usages of `solgate ab`: a family at two commits (cmd_ab_commits.c), functions
 * inside a program (cmd_ab_functions.c), and one gate of variants or of programs (cmd_ab.c).
 */
#pragma once

#include "ab/ab.h"

/* Runs one gate. The command stored in the run's env.csv is derived from the options. */
enum sg_code sg_ab_gate(const struct sg_ab_options *given, int *exit_code, struct sg_err *err);
/* Appends the run's folder: --out, which must be empty unless resumed, or a new one. */
enum sg_code sg_ab_make_folder(const struct sg_ab_options *given, struct sg_text *folder,
                               struct sg_err *err);

struct sg_ab_commits {
    const char *commits; /* BASE..HEAD, or BASE to compare with the working tree */
    const char *repository, *build;
    struct sg_names variants; /* empty: all whose code differs */
    bool is_bisect;           /* --out holds many gates, in one folder per commit */
};

/*
 * Gates each variant whose build differs between the commits. The baseline option is the name of a
 * family. The only module option, if any, is the file made by in->build. Prints the differences and
 * each gate's verdict; *exit_code is the worst.
 */
enum sg_code sg_ab_commits_run(const struct sg_ab_commits *in, const struct sg_ab_options *options,
                               int *exit_code, struct sg_err *err);

/* Gates each pair of functions of the program, such as a Python program with solgate.pair; each
 * gets a script, which is used like a module. *exit_code is the worst. argv ends with NULL.
 */
enum sg_code sg_ab_functions_run(const char *const *argv, const struct sg_ab_options *options,
                                 int *exit_code, struct sg_err *err);
