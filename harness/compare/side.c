/* A variant in a table; a pair of a row of the run and its accepted row. */
#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/units.h"
#include "stats/run_limits.h"

const struct sg_row *sg_side_row(const struct sg_side *side, const char *metric)
{
    size_t low = side->from, high = side->to;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct sg_row *row = &side->table->rows[middle];
        const int order = strcmp(sg_table_string(side->table, row->metric), metric);
        if (order == 0)
            return row;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *sg_side_message(const struct sg_side *side, const char *metric)
{
    const struct sg_row *row = sg_side_row(side, metric);
    return row ? sg_table_string(side->table, row->message) : NULL;
}

const char *sg_item_unit(const struct sg_joining *joining)
{
    const char *own = sg_side_message(&joining->now, SG_UNIT_METRIC);
    return own ? own : sg_unit_of(joining->in->run_env);
}

bool sg_side_is_there(const struct sg_side *side)
{
    return side->from < side->to;
}

bool sg_side_has_role(const struct sg_side *side, const char *role)
{
    const char *is = sg_side_message(side, "role");
    return is && strcmp(is, role) == 0;
}

enum sg_status sg_side_status(const struct sg_side *side, const char *metric)
{
    const struct sg_row *row = sg_side_row(side, metric);
    return row ? (enum sg_status)row->status : SG_OK;
}

struct sg_side sg_side_from(const struct sg_table *table, size_t from)
{
    struct sg_side side = {.table = table, .from = from, .to = from};
    while (side.to < table->count && sg_row_same_item(&table->rows[from], &table->rows[side.to]))
        side.to++;
    return side;
}

/* ---- a pair of rows ---- */

double sg_row_value(const struct sg_row *row)
{
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

struct sg_finding sg_finding_of(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const struct sg_table *table = pair->now ? joining->in->run : &joining->in->accepted->table;
    const struct sg_row *row = pair->now ? pair->now : pair->then;
    struct sg_finding finding = sg_finding_none();
    finding.family = sg_table_string(table, row->family);
    finding.case_ = sg_table_string(table, row->case_);
    finding.variant = sg_table_string(table, row->variant);
    finding.metric = sg_table_string(table, row->metric);
    finding.unit = sg_table_string(table, row->unit);
    finding.was = sg_row_value(pair->then);
    finding.is = sg_row_value(pair->now);
    finding.gates = pair->accepted && pair->accepted->gate;
    return finding;
}

enum sg_verdict sg_unaccepted(const struct sg_joining *joining)
{
    const struct sg_accepted_file *accepted = joining->in->accepted;
    const bool is_whole = !accepted->path || sg_accepted_file_is_whole(accepted);
    return is_whole && !sg_side_is_there(&joining->then) ? SG_NEW : SG_NOT_ACCEPTED;
}

const struct sg_env *sg_accepted_env(const struct sg_joining *joining,
                                     const struct sg_row_pair *pair)
{
    return pair->accepted->of_model ? &joining->in->accepted->model_env
                                    : &joining->in->accepted->env;
}

double sg_tolerance_of_run(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const double tolerance = sg_env_tolerance(joining->in->run_env,
                                              sg_table_string(joining->in->run, pair->now->family));
    return tolerance > 0.0 ? tolerance : SG_TOLERANCE_DEFAULT;
}
