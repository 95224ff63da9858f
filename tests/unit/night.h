/*
 * night.h - one comparison from rows written by hand: begin, add rows and accepted
 * ones, compare, ask for findings, end.
 *
 * Items are made whole: whatever rows a test adds, its items are verified, have a role,
 * and are timed as they were accepted, unless the night is as_written. So a test's
 * sentence is about the rows that it adds.
 */
#pragma once

#include <string.h>

#include "check.h"
#include "compare/compare.h"
#include "hand_tables.h"
#include "results/env.h"

struct night {
    struct sg_table run;
    struct sg_env env;
    struct sg_refusals refusals; /* borrowed; none unless a test says what cannot be */
    struct sg_accepted_file baseline;
    struct sg_comparison comparison;
    struct sg_err err;
    int exit_code;
    bool as_written; /* nothing is added */
};

static inline void night_begin(struct night *night)
{
    *night = (struct night){.baseline = {.path = sg_copy_string("hand.csv")}};
    hand_env(&night->env);
    hand_env(&night->baseline.env);
    sg_env_set(&night->baseline.env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_WHOLE);
}

static inline void night_add(struct night *night, struct sg_value value)
{
    sg_table_add(&night->run, &value);
}

/* The row of this name, in a table that need not be sorted; NULL metric: any. */
static inline const struct sg_row *night_row(const struct sg_table *table, const char *variant,
                                             const char *metric)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(sg_table_string(table, table->rows[i].variant), variant) == 0 &&
            (!metric || strcmp(sg_table_string(table, table->rows[i].metric), metric) == 0))
            return &table->rows[i];
    return NULL;
}

static inline const char *night_role(const struct night *night, const char *variant)
{
    const struct sg_row *now = night_row(&night->run, variant, "role"),
                        *then = night_row(&night->baseline.table, variant, "role");
    return now    ? sg_table_string(&night->run, now->message)
           : then ? sg_table_string(&night->baseline.table, then->message)
                  : "candidate";
}

static inline bool night_lacks(const struct sg_table *table, const char *variant,
                               const char *metric)
{
    return night_row(table, variant, NULL) && !night_row(table, variant, metric);
}

/* Of one that is right. */
static inline bool night_lacks_time(const struct sg_table *table, const char *variant,
                                    const char *metric)
{
    const struct sg_row *status = night_row(table, variant, "status");
    return night_lacks(table, variant, metric) && (!status || status->status == SG_OK);
}

static inline void night_complete(struct night *night, const char *variant)
{
    const struct sg_value status = hand_words(variant, "status", SG_OK, ""),
                          role = hand_words(variant, "role", SG_OK, night_role(night, variant)),
                          time = strcmp(role.message, "baseline") == 0
                                     ? hand_time(variant, 1000, 0.0002)
                                     : hand_ratio(variant, 1, 0.0002);
    const struct sg_value *const rows[] = {&time, &status, &role};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool (*const lacks)(const struct sg_table *, const char *, const char *) =
            i == 0 ? night_lacks_time : night_lacks;
        if (lacks(&night->run, variant, rows[i]->metric))
            sg_table_add(&night->run, rows[i]);
        if (lacks(&night->baseline.table, variant, rows[i]->metric))
            hand_accept(&night->baseline, rows[i])->gate = rows[i] != &role;
    }
}

static inline void night_complete_table(struct night *night, const struct sg_table *table)
{
    const size_t count = table->count;
    for (size_t i = 0; i < count; i++)
        night_complete(night, sg_table_string(table, table->rows[i].variant));
}

/* One more item, as accepted. */
static inline void night_add_as_accepted(struct night *night, const char *variant)
{
    const struct sg_value status = hand_words(variant, "status", SG_OK, "");
    sg_table_add(&night->run, &status);
    hand_accept(&night->baseline, &status);
    night_complete(night, variant);
}

static inline void night_compare(struct night *night)
{
    if (!night->as_written) {
        night_complete_table(night, &night->run);
        night_complete_table(night, &night->baseline.table);
    }
    assert_int_equal(sg_table_sort(&night->run, &night->err), SG_SUCCESS);
    const struct sg_sort_context beside = {.elements = night->baseline.accepted,
                                           .size = sizeof(struct sg_accepted)};
    assert_int_equal(sg_table_sort_with(&night->baseline.table, &beside, &night->err), SG_SUCCESS);
    const struct sg_compare_input input = {
        .run = &night->run,
        .run_env = &night->env,
        .refusals = &night->refusals,
        .accepted = &night->baseline,
        .catalogue = &hand_catalogue,
    };
    const enum sg_code code = sg_compare(&input, &night->comparison, &night->err);
    night->exit_code =
        code == SG_SUCCESS
            ? sg_comparison_exit_code(&night->comparison,
                                      &(struct sg_compare_options){.inconclusive_fails = true})
            : sg_exit_code(code);
}

static inline void night_end(struct night *night)
{
    sg_table_release(&night->run);
    sg_env_release(&night->env);
}

#define NIGHT(name)                \
    OWNED(night, name, night_end); \
    night_begin(&(name))

/* Where the finding stands; the number of findings: there is none. */
static inline size_t index_of(const struct night *night, const char *variant, const char *metric)
{
    size_t i = 0;
    for (; i < night->comparison.count; i++) {
        const struct sg_finding finding = sg_finding_at(&night->comparison, i);
        if (strcmp(finding.variant, variant) == 0 && strcmp(finding.metric, metric) == 0)
            break;
    }
    return i;
}

/* NULL: there is none. Stays until another few were asked for. */
static inline const struct sg_finding *finding_of(const struct night *night, const char *variant,
                                                  const char *metric)
{
    static struct sg_finding asked[16];
    static size_t next;
    const size_t index = index_of(night, variant, metric);
    if (index == night->comparison.count)
        return NULL;
    struct sg_finding *finding = &asked[next++ % (sizeof(asked) / sizeof(asked[0]))];
    *finding = sg_finding_at(&night->comparison, index);
    return finding;
}

static inline const char *verdict_word(const struct sg_finding *finding)
{
    return finding ? sg_verdict_word(finding->accepted) : "no finding";
}

static inline void expect_verdict(const char *sentence, const struct sg_finding *finding,
                                  enum sg_verdict verdict)
{
    if (!finding)
        fail_msg("%s: no finding, should be %s", sentence, sg_verdict_word(verdict));
    else if (finding->accepted != verdict)
        fail_msg("%s: is %s (%s), should be %s", sentence, sg_verdict_word(finding->accepted),
                 finding->why, sg_verdict_word(verdict));
    else if (finding->why[0] == '\0')
        fail_msg("%s: no reason given", sentence);
}

static inline void expect_exit(const char *sentence, const struct night *night, int exit_code)
{
    if (night->exit_code != exit_code)
        fail_msg("%s: exit code %d, should be %d (%s)", sentence, night->exit_code, exit_code,
                 night->err.message);
}
