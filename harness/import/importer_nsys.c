/* nsys stats --report cuda_gpu_trace --format csv: one row per kernel, copy or memset, with units
 * in the header, after other lines from nsys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"

static void add_triple(struct sg_text *out, const struct sg_csv_table *row, const char *x,
                       const char *y, const char *z)
{
    if (*sg_csv_value(row, x) && *sg_csv_value(row, y) && *sg_csv_value(row, z))
        sg_text_addf(out, "(%s, %s, %s)", sg_csv_value(row, x), sg_csv_value(row, y),
                     sg_csv_value(row, z));
}

static enum sg_code take_kernel(struct sg_gathering *g, const struct sg_csv_table *row,
                                const char *name, struct sg_err *err)
{
    SG_SCOPED(sg_text) grid = {0}, block = {0}, gpu = {0}, case_ = {0};
    double duration = 0, registers = NAN;
    const char *device = sg_csv_value(row, "Device"),
               *bracket = strrchr(device, '('); /* "NVIDIA H200 (0)" */
    add_triple(&grid, row, "GrdX", "GrdY", "GrdZ");
    add_triple(&block, row, "BlkX", "BlkY", "BlkZ");
    sg_text_add_bytes(&gpu, device,
                      bracket && bracket > device ? (size_t)(bracket - 1 - device)
                                                  : strlen(device));
    sg_gather_gpu(g, sg_text_string(&gpu));
    sg_add_kernel_case(&case_, "", bracket ? strtod(bracket + 1, NULL) : 0);
    const size_t item =
        sg_gather_kernel(g, case_.data, name, sg_text_string(&grid), sg_text_string(&block));
    if (strcmp(sg_csv_unit(row, "Duration"), "ns") == 0 &&
        strchr(sg_csv_value(row, "Duration"), '.'))
        return sg_fail(
            err, SG_BAD_INPUT, NULL,
            "Duration: expected a whole number of ns, found '%s': run the tool with LC_ALL=C",
            sg_show_string(sg_csv_value(row, "Duration")).text);
    if (sg_csv_number(row, "Duration", 0, &duration, err) != SG_SUCCESS ||
        sg_csv_number(row, "Reg/Trd", NAN, &registers, err) != SG_SUCCESS ||
        sg_gather(g, item, SG_TIME_METRIC, sg_csv_unit(row, "Duration"), duration, err) !=
            SG_SUCCESS ||
        isnan(registers))
        return err->code;
    return sg_gather(g, item, "registers", "", registers, err);
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    const char *name = sg_csv_value(row, "Name");
    return strncmp(name, "[CUDA mem", 9) == 0 ? SG_SUCCESS : take_kernel(g, row, name, err);
}

const struct sg_importer sg_importer_nsys = {.name = "nsys",
                                             .what =
                                                 "nsys stats --report cuda_gpu_trace --format csv",
                                             .header = "Start (",
                                             .column = ",GrdX,",
                                             .item = "Name",
                                             .on_row = on_row};
