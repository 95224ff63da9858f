#include "exec/kernel_table.h"

#include <math.h>
#include <stdlib.h>

#include "exec/traced_items.h"
#include "util/number_format.h"

struct line {
    const struct sg_row *time, *launches;
    double total_ns;
};

static int by_total(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    return (a->total_ns < b->total_ns) - (a->total_ns > b->total_ns);
}

static void add_line(struct sg_text *out, const struct sg_table *run, const struct line *line,
                     double all_ns)
{
    SG_SCOPED(sg_text) median = {0}, range = {0};
    const struct sg_row *time = line->time;
    sg_add_time(&median, time->value);
    if (time->has & SG_HAS_LOW)
        sg_text_addf(&range, " +- %.1f %%", 50 * (time->high - time->low) / time->value);
    sg_text_addf(out, "%5.1f %%  %9.0f  %11s%-10s  %s/%s\n", 100 * line->total_ns / all_ns,
                 line->launches->value, median.data, sg_text_string(&range),
                 sg_table_string(run, time->case_), sg_table_string(run, time->variant));
}

void sg_kernel_table_format(struct sg_text *out, const struct sg_table *run, const char *heading)
{
    SG_FREED struct line *lines = sg_alloc(run->count + 1, sizeof(*lines));
    SG_SCOPED(sg_text) total = {0};
    size_t count = 0;
    double all_ns = 0, launches = 0;
    const sg_id total_metric = sg_table_find_id(run, SG_TOTAL_METRIC);
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        if (row->metric != total_metric || !(row->has & SG_HAS_VALUE))
            continue;
        const char *family = sg_table_string(run, row->family),
                   *case_ = sg_table_string(run, row->case_),
                   *variant = sg_table_string(run, row->variant);
        struct line *line = &lines[count];
        line->total_ns = row->value;
        line->time = sg_table_find(run, family, case_, variant, SG_TIME_METRIC);
        line->launches = sg_table_find(run, family, case_, variant, SG_LAUNCHES_METRIC);
        if (!line->time || !line->launches)
            continue;
        all_ns += row->value;
        launches += line->launches->value;
        count++;
    }
    qsort(lines, count, sizeof(*lines), by_total);
    sg_add_time(&total, all_ns);
    sg_text_addf(out,
                 "%s\n%.0f launches, %s in kernels\n\n  share   launches       median            "
                 "case/variant\n",
                 heading, launches, total.data);
    for (size_t i = 0; i < count; i++)
        add_line(out, run, &lines[i], all_ns);
}
