/*
 * nightly/decide.h - turns the findings of a nightly run into suspects, the exit code and the
 * verdict line.
 *
 * Pure. A row that compare calls regressed, inconclusive or unresolved is open, and is re-measured
 * before the final verdict. A row that is still regressed after SG_SEQUENTIAL_PROCESSES_MAX
 * processes is regressed; after fewer the row is a suspect. Rows that stay inconclusive are
 * suspects too, and so are rows that are slower in some processes, compared with earlier nightly
 * runs (history/spread.h). Other unresolved rows do not fail, but may hide a change as large as
 * their interval. Invariant: a suite without a decided row is not green.
 */
#pragma once

#include "compare/compare.h"
#include "stats/headline.h"
#include "util/names.h"

/* The class of a gating row; any other row is good. */
enum sg_nightly_class sg_nightly_class_of(const struct sg_finding *finding,
                                          const struct sg_night_items *items);
/* Adds the items, FAMILY/CASE/VARIANT, with open rows that can be re-measured, each once. */
void sg_nightly_open_items(const struct sg_comparison *comparison,
                           const struct sg_night_items *items, struct sg_names *open);

/* Gives suspects the verdict inconclusive, with the reason. Returns the number of timed rows
 * without a usual spread from earlier nightly runs. */
size_t sg_nightly_judge(struct sg_comparison *comparison, const struct sg_night_items *items);

/* Appends by how much accepted builds are slower or faster than when they were accepted, if by much
 * in most rows: that cancels in pairs, so no verdict sees it. Without a line end. */
void sg_nightly_add_moved(const struct sg_comparison *comparison, struct sg_text *out);

/*
 * The run's own exit code as far as it counts: 0 if its comparison is green because of a waiver,
 * which the run does not know about. `waived`: number of waived rows.
 */
int sg_nightly_run_exit(int run_exit, int compare_exit, size_t waived);

struct sg_nightly_total {
    size_t suites, left_out;     /* started; not started, because the time budget was exhausted */
    size_t unspread;             /* rows that sg_nightly_judge returned */
    struct sg_headline headline; /* owned; of all suites */
    const char *history; /* what is open in the history, in words; NULL: there is no history */
};
/* Appends "nightly: 2 suites, 60 rows: 1 regressed, ...", without a line end. */
void sg_nightly_counts(const struct sg_nightly_total *total, struct sg_text *out);
