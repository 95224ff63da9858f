/*
 * cli/child.h - programs that solgate starts to get something done: git, and the scripts of
 * scripts/commits.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

/*
 * Runs a program of PATH without input. What it prints is appended to `output`, or goes to stderr
 * where that is NULL. Returns its exit status; -1: it could not be run, or was killed. SIGINT,
 * SIGTERM and SIGHUP go to it and to all that it runs, and end it instead of us, with
 * SG_EXIT_INTERRUPTED. For one program at a time, of a program of one thread.
 */
int sg_child_run(const struct sg_names *argv, struct sg_text *output);
/* The same; the program has `third` as its descriptor 3. */
int sg_child_run_with(const struct sg_names *argv, int third, struct sg_text *output);

/* A repository, and how a commit of it is built (scripts/commits/commits.sh). */
struct sg_commit_builder {
    const char *repository, *folder, *family;
    const char *build, *module; /* NULL: as this project builds kernels/FAMILY */
};
/* Begins an argv for commits.sh; what depends on the verb is still to be added. SG_SYSTEM. */
enum sg_code sg_commits_begin(const struct sg_commit_builder *builder, const char *verb, struct sg_names *argv, struct sg_err *err);
