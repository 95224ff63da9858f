/* nsys stats --report cuda_gpu_trace --format csv: a row a kernel, copy or set, with units in the
 * header, and lines of nsys before it. */
#include <math.h>
#include <string.h>

#include "import/importer.h"

static void add_triple(struct sg_text *out, const struct sg_csv_table *row, const char *x, const char *y, const char *z)
{
    if (*sg_csv_value(row, x) && *sg_csv_value(row, y) && *sg_csv_value(row, z))
        sg_text_addf(out, "(%s, %s, %s)", sg_csv_value(row, x), sg_csv_value(row, y), sg_csv_value(row, z));
}

/* An empty field is no value; a time has one. */
static enum sg_code take_number(struct sg_gathering *g, size_t item, const struct sg_csv_table *row, const char *column, const char *metric,
                                struct sg_err *err)
{
    const char *found = sg_csv_value(row, column);
    struct sg_tool_number figure;
    if (sg_number_of_tool(found, &figure, err) != SG_SUCCESS || (!*found && strcmp(metric, SG_TIME_METRIC) != 0))
        return err->code;
    if (isnan(figure.value))
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number, found '%s'", column, sg_show_string(found).text);
    return sg_gather(g, item, metric, sg_csv_unit(row, column), figure.value, err);
}

static enum sg_code take_kernel(struct sg_gathering *g, const struct sg_csv_table *row, const char *name, struct sg_err *err)
{
    SG_SCOPED(sg_text) grid = {0}, block = {0}, gpu = {0};
    const char *device = sg_csv_value(row, "Device"), *number = strstr(device, " ("); /* "NVIDIA H200 (0)" */
    add_triple(&grid, row, "GrdX", "GrdY", "GrdZ");
    add_triple(&block, row, "BlkX", "BlkY", "BlkZ");
    sg_text_add_bytes(&gpu, device, number ? (size_t)(number - device) : strlen(device));
    sg_gather_gpu(g, sg_text_string(&gpu));
    const size_t item = sg_gather_kernel(g, name, sg_text_string(&grid), sg_text_string(&block));
    if (take_number(g, item, row, "Duration", SG_TIME_METRIC, err) == SG_SUCCESS)
        take_number(g, item, row, "Reg/Trd", "registers", err);
    return err->code;
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row, struct sg_err *err)
{
    const char *name = sg_csv_value(row, "Name");
    if (!*name)
        return sg_fail(err, SG_BAD_INPUT, NULL, "Name: expected a name, found none");
    return strncmp(name, "[CUDA mem", 9) == 0 ? SG_SUCCESS : take_kernel(g, row, name, err);
}

const struct sg_importer sg_importer_nsys = {
    .name = "nsys", .what = "nsys stats --report cuda_gpu_trace --format csv", .header = "Start (", .on_row = on_row};
