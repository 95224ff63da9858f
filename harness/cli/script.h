/*
 * cli/script.h - scripts of sh as children: git and builds.
 */
#ifndef SG_CLI_SCRIPT_H
#define SG_CLI_SCRIPT_H

#include "util/text.h"

/*
 * Runs it by /bin/sh, without input. What it prints is appended to `output`, or goes to stderr
 * where that is NULL. Returns its exit status; -1: it could not be run, or was killed. SIGINT,
 * SIGTERM and SIGHUP go to it and to all that it runs, and end it instead of us, with
 * SG_EXIT_INTERRUPTED. For one script at a time, of a program of one thread.
 */
int sg_script_run(const char *script, struct sg_text *output);
/*
 * Begins a script with `git_at WHERE ARGUMENTS...`: git without the repository's hooks. Sets
 * $repository and $folder; an empty folder: the script needs none.
 */
void sg_script_add_git(struct sg_text *script, const char *repository, const char *folder);
/* After that: clones $repository, whose objects it shares and to which nothing is written, to
 * $folder/source. Nothing is checked out. */
void sg_script_add_clone(struct sg_text *script);
/*
 * Appends what builds a family of this project at the commit that is checked out in the folder
 * where sh stands: in ../build, from nothing. `images`: what its device code is for, "sm_90a
 * compute_90"; NULL: as the project chooses.
 */
void sg_script_add_build(struct sg_text *script, const char *family, const char *images);
/* Where that leaves the module, from the same folder. */
void sg_script_add_module(struct sg_text *path, const char *family);

#endif
