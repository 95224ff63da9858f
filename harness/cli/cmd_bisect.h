/*
 * cli/cmd_bisect.h - what the parts of solgate bisect share: a search, its folder, its report.
 */
#ifndef SG_CLI_CMD_BISECT_H
#define SG_CLI_CMD_BISECT_H

#include "cli/command.h"
#include "cli/commit_tree.h"
#include "results/l2_state.h"
#include "stats/verdict.h"
#include "util/names.h"

struct sg_bisect_input {
    const char *good, *bad, *item;
    const char *repository, *build, *module, *out;
    double tolerance;
    enum sg_l2 l2;
    uint64_t gpu;
    bool shared_gpu_allowed;
};

enum sg_bisect_word { SG_BISECT_GOOD, SG_BISECT_BAD, SG_BISECT_SKIP };
/* As git bisect has it. */
extern const char *const sg_bisect_words[];

/* What came of the A/B of a commit. */
struct sg_bisect_reading {
    char *commit; /* owned; its full hash */
    enum sg_bisect_word word;
    bool is_timed, is_taken;
    enum sg_verdict verdict;
    double change, low, high; /* of the time ratio, as ratio - 1 */
    unsigned processes;
    char *why; /* owned; of the verdict, or why there is none */
};

struct sg_bisect {
    const struct sg_bisect_input *in;
    struct sg_text good, bad; /* full hashes */
    struct sg_commit_tree tree;
    char *names;                         /* owned; what `part` points into */
    const char *part[3];                 /* family, case, variant */
    double limit;                        /* ratio - 1; above it a commit is bad */
    struct sg_bisect_reading step, last; /* GOOD to BAD; the first bad commit against its parent */
    struct sg_bisect_reading *readings;  /* owned; of the commits between, in the order they were measured */
    size_t count, capacity;
    struct sg_names first; /* the first bad commit, or all that may be it */
};

/* "+3.9 % [+3.80, +4.00] of 8 processes, regressed", or why there is no time. */
void sg_bisect_add_reading(struct sg_text *out, const struct sg_bisect_reading *reading);
/* Prints what a search that is over has found; its exit code. */
int sg_bisect_report(const struct sg_bisect *b, struct sg_err *err);

#endif
