/* nsys stats --report cuda_gpu_kern_sum --format csv: one row per kernel, with the statistics of
 * its launches; cuda_gpu_kern_gb_sum: per kernel and geometry. */
#include <math.h>
#include <string.h>

#include "import/importer.h"

static size_t item_of(struct sg_gathering *g, const struct sg_csv_table *row)
{
    const char *name = sg_csv_value(row, "Name"), *grid = sg_csv_value(row, "GridXYZ");
    SG_FORMATTED(what, "%s", name);
    if (*grid)
        sg_text_addf(&what, ", grid %s, block %s", grid, sg_csv_value(row, "BlockXYZ"));
    return sg_gather_launched(g, &(struct sg_gathered_kernel){.case_ = "all",
                                                              .readable = name,
                                                              .symbol = name,
                                                              .geometry = what.data + strlen(name),
                                                              .what = what.data});
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    struct sg_time_figure time = {.unit = "ns", .how = "median"};
    struct sg_launches all = {.count = 0};
    double mean = 0, sd = 0;
    if (sg_csv_number(row, "Med", 0, &time.value, err) != SG_SUCCESS ||
        sg_csv_number(row, "Avg", 0, &mean, err) != SG_SUCCESS ||
        sg_csv_number(row, "StdDev", NAN, &sd, err) != SG_SUCCESS ||
        sg_csv_number(row, "Instances", 0, &all.count, err) != SG_SUCCESS ||
        sg_csv_number(row, "Total Time", 0, &all.total_ns, err) != SG_SUCCESS)
        return err->code;
    if (!(all.count >= 1 && all.total_ns > 0))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "Instances, Total Time: expected numbers above 0, found '%s', '%s'",
                       sg_show_string(sg_csv_value(row, "Instances")).text,
                       sg_show_string(sg_csv_value(row, "Total Time")).text);
    const size_t item = item_of(g, row);
    time.n = all.count;
    time.relative_sd = mean > 0 ? sd / mean : NAN;
    all.variance = all.count * sd * sd;
    if (sg_gather_time(g, item, &time, err) == SG_SUCCESS)
        sg_gather_launches(g, item, &all, err);
    return err->code;
}

const struct sg_importer sg_importer_nsys_sum = {
    .name = "nsys_sum",
    .what = "nsys stats --report cuda_gpu_kern_sum or cuda_gpu_kern_gb_sum --format csv",
    .header = "Time (%),Total Time (ns),Instances,Avg (ns),",
    .column = ",Name",
    .item = "Name",
    .on_row = on_row};
