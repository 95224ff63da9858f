/*
 * plan/suite.h - which families, cases, variants and metrics a run has:
 * kernels/suites/NAME.suite (docs/formats.md).
 *
 *     [suite]
 *     title     = What this suite is for
 *     l2        = cold                    cold | clean | warm (results/l2_state.h)
 *     tolerance = 0.5%                    above 0 %, below 100 %; over 10 %: wide:50%
 *     tolerance_max = 10%                 upper limit of all tolerances; a row that needs a wider
 *                                         one is too noisy to gate
 *     metrics   = default                 a group or a metric; the key may repeat
 *     processes = 5                       5..64, or auto: as many per pair as the verdict takes,
 *                                         5 to 20
 *     blocks    = 8                       4..512, even: ABBA rounds; from 8 on a minimum
 *     launches  = 4                       timed launches per batch, 1..64
 *     repeats   = 1                       counts of each item, 1..16; with two or more, counters
 *                                         have a spread
 *     deadline  = 20s                     of one item in one pass, up to 1h
 *     config    = matvec.config           a file of knobs (plan/knobs.h), relative to the suite's
 *                                         folder; default: none
 *
 *     [matvec]                            a family; without keys: everything in it
 *     case      = rows4096_cols4096_f32   may repeat
 *     variant   = warp_per_row            may repeat; the baseline is always included
 *     tolerance = 1%                      for this family
 *     gate      = no                      yes: rows of vendors and the baseline's absolute time may
 *                                         fail a run against accepted builds, too
 *
 *     [exec softmax]                      a program, whose kernels are rows (docs/exec.md)
 *     command   = python3 softmax.py      started in solgate's working directory, without a shell
 *     case      = wide: --cols=65536      may repeat: a name, and arguments after the command
 *     range     = step*                   pattern of NVTX ranges; default: all
 *     kernel    = ^softmax                regular expression; default: all
 *     processes = 5                       timed starts; default: the suite's
 *     deadline  = 10m                     of one start
 *
 *     [results conv]                      a program that writes a file of `solgate import`
 *     command   = ./bench --json out.json as above, with case, processes and deadline
 *     file      = out.json                the items of the file are rows
 *
 * The third column is not part of the format: a comment in a suite file is a line that begins with
 * `;` or `#`. The values in [suite] and of `gate` and `deadline` are the defaults, except for
 * `title`, which is required, and `config`. At least one family or program is required.
 * Invariant: a loaded suite is in these ranges.
 */
#pragma once

#include <stdbool.h>

#include "results/settings.h"
#include "results/shards.h"
#include "util/err.h"
#include "util/names.h"

/* A case that the suite defines by its sizes. */
struct sg_suite_case {
    const char *family, *name; /* borrowed from the suite's family */
    char *sizes;               /* owned; "rows=300 cols=4096" */
    long line;
};

struct sg_suite_family {
    char *name;
    struct sg_names cases, variants; /* empty: all */
    struct sg_settings settings;     /* the suite's, unless the family sets them */
    struct sg_settings_given given;  /* given in the family's section */
    long line;                       /* first line of the section, for messages */
};

/* A case of an [exec] or [results] section, or a section without cases. */
struct sg_suite_program {
    char *name;           /* case of its rows: the section's name, and _CASE */
    struct sg_names argv; /* owned; the whole command */
    size_t own;           /* index of the case's first argument */
    char *range, *kernel; /* owned; NULL: all */
    char *file;           /* owned; what a program of a [results] section writes; NULL: traced */
    unsigned processes;   /* 0: the suite's */
    double deadline_s;
    long line;
};

struct sg_suite {
    char *name; /* file name without folder and suffix */
    char *path;
    char *title;
    char *config;                /* path of a file of knobs (plan/knobs.h); NULL: none */
    struct sg_settings settings; /* 0 < tolerance <= tolerance_max < 1 */
    struct sg_names metrics;     /* groups or metrics */
    long *metric_lines;          /* owned: line of each metric; 0: the default metrics */
    struct sg_suite_family *families;
    size_t family_count;
    struct sg_suite_program *programs; /* owned; no name is another name plus _MORE */
    size_t program_count;
    struct sg_suite_case *cases; /* owned */
    size_t case_count;
};

/* Name of the suite for --module without a suite; such a run is called
 * `modules_<family>_<family>`. */
#define SG_SUITE_OF_MODULES "modules"

/* `name`: a file in kernels/suites without suffix, or a path of a .suite file. */
enum sg_code sg_suite_load(const char *name, struct sg_suite *suite, struct sg_err *err);
bool sg_suite_has(const struct sg_suite *suite, const char *family);
