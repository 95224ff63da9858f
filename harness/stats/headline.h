/*
 * stats/headline.h - the first line of every command that judges: the decision, the exit code, the
 * worst row, and how many more rows fail.
 *
 *     FAIL (exit 1): matvec/r64/warp +23.3 % slower than accepted (9b8c52c1, 2026-11-02), and 2
 *     more regressed
 *     PASS (exit 0): nothing regressed of 16 decided rows; 9 unresolved (may hide up to +2 %)
 *
 * Rows that fail or refuse as declared are not counted.
 */
#pragma once

#include "stats/verdict.h"
#include "util/text.h"

struct sg_headline {
    int exit_code;
    size_t count[SG_VERDICT_COUNT]; /* rows that gate */
    enum sg_verdict verdict;        /* of the worst row; only with `item` */
    double size;                    /* of its change */
    double hidden;                  /* the largest change that unresolved rows may hide; ratio */
    struct sg_text item, says;      /* owned: the worst row's name; that row, or other words */
    struct sg_text next;            /* owned: the command to run next */
    bool of_imports;                /* shown, not judged */
};

/* Counts a row. */
void sg_headline_count(struct sg_headline *headline, enum sg_verdict verdict, size_t rows);
/* Sets the exit code, the first clause of the words, and the first command in them as the next one,
 * unless an exit code that is as bad is set already. */
void sg_headline_fail(struct sg_headline *headline, int exit_code, const char *words);
/* Adds the rows of another headline; the worst row of both stays. */
void sg_headline_merge(struct sg_headline *headline, const struct sg_headline *other);

/* Colour of the line, by the exit code. */
static inline enum sg_class sg_headline_class(const struct sg_headline *headline)
{
    return headline->exit_code == SG_EXIT_DONE           ? SG_GREEN
           : headline->exit_code == SG_EXIT_INCONCLUSIVE ? SG_YELLOW
                                                         : SG_RED;
}
/* Number of counted rows. */
size_t sg_headline_rows(const struct sg_headline *headline);
/* Appends "25 rows: 3 regressed, 10 unresolved (may hide up to +2 %), 12 within"; `noun`: "row". */
void sg_headline_add_counts(struct sg_text *out, const struct sg_headline *headline,
                            const char *noun);
/* Appends the first line, without a line end. */
void sg_headline_add(struct sg_text *out, const struct sg_headline *headline);
/* Appends the first line, `counts`, and the next command, each with a line end. */
void sg_headline_add_lines(struct sg_text *out, const struct sg_headline *headline,
                           const char *counts);
