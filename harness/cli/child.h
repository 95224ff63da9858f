/* cli/child.h - helper programs that solgate starts: git, and the scripts of scripts/commits. */
#pragma once

#include "util/names.h"
#include "util/start_process.h"
#include "util/text.h"

/*
 * Runs a program of PATH with empty standard input. Its output is appended to `output`, or goes to
 * stderr if `output` is NULL. Returns the exit status; -1: the program could not be run, or was
 * killed.
 * SIGINT, SIGTERM and SIGHUP go to the program's process group instead of ending solgate; then
 * SG_EXIT_INTERRUPTED is returned. For one program at a time, from a single-threaded process.
 */
int sg_child_run(const struct sg_names *argv, struct sg_text *output);
/* The same, with the folder, environment and descriptor 3 of `with` (util/start_process.h). */
int sg_child_run_with(const struct sg_names *argv, const struct sg_process_start *with,
                      struct sg_text *output);

/* A repository, and how to build a commit of it (scripts/commits/commits.sh). */
struct sg_commit_builder {
    const char *repository, *folder, *family;
    const char *build, *module; /* NULL: build kernels/FAMILY as in this project */
};
/* Begins an argv for commits.sh; the caller adds the subcommand's arguments. SG_SYSTEM. */
enum sg_code sg_commits_begin(const struct sg_commit_builder *builder, const char *verb,
                              struct sg_names *argv, struct sg_err *err);
