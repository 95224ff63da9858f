/*
 * plan/suite.h - which families, cases, variants and metrics a run is made of:
 * kernels/suites/NAME.suite (docs/formats.md).
 *
 *     [suite]
 *     title     = What this suite is for
 *     l2        = cold                    cold | clean | warm (results/l2_state.h)
 *     tolerance = 0.5%                    above 0 %, below 100 %; over 10 %: wide:50%
 *     tolerance_max = 10%                 a row that needs a wider one is too noisy to gate; no
 *                                         tolerance may be above it
 *     metrics   = default                 a group or a metric; the key may repeat
 *     processes = 5                       5..64, or auto: each pair as many as it takes to decide
 *                                         it, 5 to 20
 *     blocks    = 8                       4..512, even; at least, from 8 on
 *     launches  = 4                       timed launches of a batch, 1..64
 *     repeats   = 1                       counts of each item, 1..16; from two on counters have a
 *                                         spread
 *     deadline  = 20s                     of one item of one pass, up to 1h
 *     config    = matvec.config           a file of knobs (plan/knobs.h), by its path from the
 *                                         suite's folder; none if left out
 *
 *     [matvec]                            a family; no key at all means everything in it
 *     case      = rows4096_cols4096_f32   may repeat
 *     variant   = warp_per_row            may repeat; the baseline is always in
 *     tolerance = 1%                      for this family
 *     gate      = no                      yes: rows of vendors and the baseline's absolute time may
 *                                         fail a run against accepted builds, too
 *
 *     [exec softmax]                      a program, whose kernels are rows (docs/exec.md)
 *     command   = python3 softmax.py      started in the folder that solgate is; no shell
 *     case      = wide: --cols=65536      may repeat: arguments behind the command, and their name
 *     range     = step*                   of NVTX; all if left out
 *     kernel    = ^softmax                regular expression; all if left out
 *     processes = 5                       starts that are timed; the suite's if left out
 *     deadline  = 10m                     of one start
 *
 * The third column is for you only: a comment in the file stands on a line of its own, after `;` or
 * `#`. What is shown is what a key is when it is left out, but for the title, which must be there,
 * and one family or program at least. Invariant: a loaded suite is in these ranges.
 */
#pragma once

#include <stdbool.h>

#include "results/l2_state.h"
#include "stats/run_limits.h"
#include "util/err.h"
#include "util/names.h"

#define SG_SUITE_AUTO  "auto"
#define SG_EXEC_FAMILY "exec" /* of the rows of programs */

struct sg_suite_family {
    char *name;
    struct sg_names cases, variants; /* empty: all */
    double tolerance;                /* ratio; of the suite unless the family sets its own */
    bool gates;                      /* gate = yes */
    long line;                       /* where its section begins, for messages */
};

/* A case of an [exec] section, or a section without cases. */
struct sg_suite_program {
    char *name;           /* the case of its rows: that of its section, and _CASE */
    struct sg_names argv; /* owned; whole */
    size_t own;           /* index of the first argument that is the case's */
    char *range, *kernel; /* owned; NULL: all */
    unsigned processes;   /* 0: the suite's */
    double deadline_s;
    long line;
};

struct sg_suite {
    char *name; /* of the file, without folder and ending */
    char *path;
    char *title;
    char *config; /* path of a file of knobs (plan/knobs.h); NULL: none */
    enum sg_l2 l2;
    double tolerance;                     /* ratio, 0 < tolerance <= tolerance_max */
    double tolerance_max;                 /* ratio, below 1 */
    struct sg_names metrics;              /* groups or metrics */
    long *metric_lines;                   /* owned: where each is asked for; 0: the default */
    unsigned processes, blocks, launches; /* processes: at most, if is_sequential */
    unsigned repeats;                     /* of the count pass */
    bool is_sequential;                   /* processes = auto */
    double deadline_s;
    struct sg_suite_family *families;
    size_t family_count;
    struct sg_suite_program *programs; /* owned; no name of one is that of another with _MORE behind it */
    size_t program_count;
    struct sg_names sizes; /* cases of sizes of its own, FAMILY/CASE:SIZES@FILE:LINE */
};

/* The suite that names no family: a run of it is called `modules_<family>_<family>`. */
#define SG_SUITE_OF_MODULES "modules"

/* A suite with nothing but defaults. */
struct sg_suite sg_suite_of_defaults(void);
/* `name` is the name of a file in kernels/suites, or a path to a .suite file. */
enum sg_code sg_suite_load(const char *name, struct sg_suite *suite, struct sg_err *err);
bool sg_suite_has(const struct sg_suite *suite, const char *family);
void sg_suite_release(struct sg_suite *suite);
