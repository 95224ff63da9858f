/*
 * desk.h - runs on a desk, to be accepted: what the tests of accepting share.
 *
 * desk_begin, desk_add for each row of a run, desk_accepted for each row of an older file,
 * desk_accept, then look; desk_end releases all.
 */
#pragma once

#include "check.h"
#include "baseline/accept.h"
#include "hand_tables.h"
#include "near.h"
#include "results/env.h"

#define RUNS_MAX 5

struct desk {
    struct sg_table table[RUNS_MAX];
    struct sg_env env[RUNS_MAX];
    struct sg_accept_run runs[RUNS_MAX];
    size_t run_count;
    struct sg_accepted_file old, fresh;
    bool has_old;
    struct sg_accept_report report;
    struct sg_err err;
};

static inline void desk_begin(struct desk *desk, size_t run_count)
{
    static const char *const path[RUNS_MAX] = {"mon", "tue", "wed", "thu", "fri"};
    *desk = (struct desk){.run_count = run_count};
    for (size_t i = 0; i < run_count; i++) {
        hand_env(&desk->env[i]);
        desk->runs[i] =
            (struct sg_accept_run){.path = path[i], .table = &desk->table[i], .env = &desk->env[i]};
    }
}

static inline void desk_add(struct desk *desk, size_t run, struct sg_value value)
{
    sg_table_add(&desk->table[run], &value);
}

static inline struct sg_accepted *desk_accepted(struct desk *desk, struct sg_value value)
{
    if (!desk->has_old)
        hand_env(&desk->old.env);
    desk->has_old = true;
    struct sg_accepted *accepted = hand_accept(&desk->old, &value);
    accepted->tolerance = NAN; /* to be worked out */
    return accepted;
}

static inline void desk_accept(struct desk *desk, const char *reason, bool prune)
{
    for (size_t i = 0; i < desk->run_count; i++)
        assert_int_equal(sg_table_sort(&desk->table[i], &desk->err), SG_SUCCESS);
    const struct sg_accept_options options = {
        .runs = desk->runs,
        .run_count = desk->run_count,
        .old = desk->has_old ? &desk->old : NULL,
        .catalogue = &hand_catalogue,
        .reason = reason,
        .prune = prune,
    };
    sg_accept_runs(&options, &desk->fresh, &desk->report, &desk->err);
}

static inline void desk_end(struct desk *desk)
{
    for (size_t i = 0; i < desk->run_count; i++) {
        sg_table_release(&desk->table[i]);
        sg_env_release(&desk->env[i]);
    }
}

#define DESK(name, run_count)    \
    OWNED(desk, name, desk_end); \
    desk_begin(&(name), run_count)

static inline const struct sg_row *row_of(const struct desk *desk, const char *variant,
                                          const char *metric)
{
    return sg_table_find(&desk->fresh.table, "f", "c", variant, metric);
}

static inline const struct sg_accepted *accepted_of(const struct desk *desk, const char *variant,
                                                    const char *metric)
{
    const struct sg_row *row = row_of(desk, variant, metric);
    assert_non_null(row);
    return &desk->fresh.accepted[row - desk->fresh.table.rows];
}

static inline const char *word(const struct desk *desk, sg_id id)
{
    return sg_table_string(&desk->fresh.table, id);
}
