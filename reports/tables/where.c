/*
 * At which instructions two variants of a run spend their time, and what they wait for.
 */
#include <math.h>
#include <string.h>

#include "reports/tables/explain.h"
#include "reports/tables/ranking.h"

#define ROWS_MAX     20
#define POINTS_SHOWN 0.5
#define REASON_SHOWN 0.1   /* of a row's points */
#define SHARE_SHOWN  0.005 /* of a side's samples */
#define SELECTED_PCT \
    100.0 /* unit of stall counters, %: one warp is selected in each issuing cycle */
#define STALL_COUNTER "stall_"

static const struct sg_column row_columns[] = {
    {.title = "instruction"},
    {.title = "where", .meaning = "source file and line, or address"},
    {.title = "waits", .meaning = "for what, of its points"},
    {.title = "baseline",
     .number = true,
     .unit = "points",
     .meaning = "of the time of the baseline, 100 in all"},
    {.title = "candidate", .number = true, .unit = "points"},
    {.title = "difference",
     .number = true,
     .unit = "points",
     .meaning = "all rows add up to what is added"},
    {.title = "waited for at",
     .name = "at",
     .programs = true,
     .meaning = "the instruction that waits for it longest"},
};
static const struct sg_column reason_columns[] = {
    {.title = "reason"},
    {.title = "baseline", .number = true, .unit = "%", .meaning = "of the samples"},
    {.title = "candidate", .number = true, .unit = "%"},
    {.title = "counted baseline",
     .name = "counted_baseline",
     .number = true,
     .unit = "%",
     .meaning = "the same by its stall counters"},
    {.title = "counted candidate", .name = "counted_candidate", .number = true, .unit = "%"},
};

static void add_waits(struct sg_text *out, const struct sg_pc_samples *samples,
                      const struct sg_where *where, const struct sg_where_row *row)
{
    const double all = row->points[SG_WHERE_BASELINE] + row->points[SG_WHERE_CANDIDATE];
    for (size_t i = 0; i < where->reason_count; i++)
        if (row->of_reason[i] >= REASON_SHOWN * all)
            sg_text_addf(out, "%s%s %.0f %%", out->length > 0 ? ", " : "",
                         sg_intern_pool_string(samples->pool, where->reason[i]),
                         100 * row->of_reason[i] / all);
}

static void add_row(struct sg_sheet *sheet, const struct sg_pc_samples *samples,
                    const struct sg_where *where, const struct sg_where_row *row)
{
    const char *instruction = sg_intern_pool_string(samples->pool, row->instruction),
               *words = strchr(instruction, ' ');
    const char *at = sg_intern_pool_string(samples->pool, row->waits_at);
    const double was = row->points[SG_WHERE_BASELINE], is = row->points[SG_WHERE_CANDIDATE];
    const bool is_pair = where->samples[SG_WHERE_BASELINE] > 0;
    struct sg_text waits = {0};
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, words ? words + 1 : instruction,
                   sg_intern_pool_string(samples->pool, row->place));
    add_waits(&waits, samples, where, row);
    sg_sheet_take(sheet, &waits);
    sg_add_points(sg_sheet_open(sheet), is_pair ? was : NAN, false);
    sg_add_points(sg_sheet_open(sheet), is, false);
    sg_add_points(sg_sheet_open(sheet), is_pair ? is - was : NAN, true);
    sg_sheet_cell(sheet, at);
    if (*at) {
        struct sg_text below = {0};
        sg_text_addf(&below, "waited for at %s", at);
        sg_sheet_take_below(sheet, &below);
    }
}

/* Share of a stall reason among a side's stall counters, in percent; NaN if the reason was not
 * counted. */
static double counted(const struct sg_diagnosed *what, int side, const char *reason)
{
    const struct sg_table *table = side == SG_WAS ? what->then : what->now;
    double sum = 0, one = NAN;
    for (size_t i = 0; i < what->catalogue->count; i++) {
        const char *name = what->catalogue->metrics[i].name;
        const struct sg_row *row =
            strncmp(name, STALL_COUNTER, strlen(STALL_COUNTER)) == 0
                ? sg_table_find(table, what->family, what->case_,
                                side == SG_WAS ? what->other : what->variant, name)
                : NULL;
        if (!row || !(row->has & SG_HAS_VALUE) || strcmp(name, STALL_COUNTER "selected") == 0)
            continue;
        sum += row->value;
        if (strcmp(name + strlen(STALL_COUNTER), reason) == 0)
            one = row->value;
    }
    sum += SELECTED_PCT;
    return 100 * (strcmp(reason, "selected") == 0 ? SELECTED_PCT : one) / sum;
}

static void add_reasons(struct sg_document *document, const struct sg_pc_samples *samples,
                        const struct sg_where *where, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "reasons", SG_COLUMNS(reason_columns), SG_FOR_ALL);
    const bool is_pair = where->samples[SG_WHERE_BASELINE] > 0;
    for (size_t i = 0; i < where->reason_count; i++) {
        const char *reason = sg_intern_pool_string(samples->pool, where->reason[i]);
        const double *share = where->share[i];
        if (share[SG_WHERE_BASELINE] < SHARE_SHOWN && share[SG_WHERE_CANDIDATE] < SHARE_SHOWN)
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, reason);
        sg_sheet_value(sheet, is_pair ? 100 * share[SG_WHERE_BASELINE] : NAN, "%");
        sg_sheet_value(sheet, 100 * share[SG_WHERE_CANDIDATE], "%");
        sg_sheet_value(sheet, is_pair ? counted(what, SG_WAS, reason) : NAN, "%");
        sg_sheet_value(sheet, counted(what, SG_IS, reason), "%");
    }
}

void sg_add_where(struct sg_document *document, const struct sg_diagnosed *what,
                  const char *const *const name[SG_WHERE_SIDES], struct sg_pc_samples *samples)
{
    SG_SCOPED(sg_where) where = {0};
    struct sg_sheet *sheet =
        sg_document_sheet(document, "where", SG_COLUMNS(row_columns), SG_FOR_ALL);
    sg_where_find(samples, name, isnan(what->added) ? 1 : 1 + what->added, &where);
    for (size_t i = 0; i < where.count && sheet->row_count < ROWS_MAX; i++)
        if (fmax(where.rows[i].points[SG_WHERE_BASELINE],
                 where.rows[i].points[SG_WHERE_CANDIDATE]) >= POINTS_SHOWN)
            add_row(sheet, samples, &where, &where.rows[i]);
    for (int side = name[0] ? 0 : 1; side < SG_WHERE_SIDES; side++)
        sg_document_notef(document, SG_FOR_ALL, "%s: %.0f samples", name[side][2],
                          where.samples[side]);
    add_reasons(document, samples, &where, what);
}
