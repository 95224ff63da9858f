/* At which instructions two variants of a run spend their time, and what they wait for. */
#include <math.h>
#include <string.h>

#include "reports/tables/explain.h"
#include "reports/tables/ranking.h"

#define ROWS_MAX     20
#define POINTS_SHOWN 0.5
#define REASON_SHOWN 0.1 /* share of a row's points; smaller reasons are not shown */

static const struct sg_column row_columns[] = {
    {.title = "instruction"},
    {.title = "where", .meaning = "source file and line, or address"},
    {.title = "waits", .meaning = "reason, and its points"},
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
        struct sg_text below = sg_text_of("waited for at %s", at);
        sg_sheet_take_below(sheet, &below);
    }
}

void sg_add_where(struct sg_document *document, const struct sg_diagnosed *what,
                  const char *const *const name[SG_WHERE_SIDES], struct sg_pc_samples *samples)
{
    struct sg_where where = {0};
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
}
