/* ncu --csv: one row per launch and metric. With --page raw, one row per launch and one column per
 * metric, with a row of units. Details are labels (`Duration`) of a section, unless
 * --print-metric-name name was given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"

/* Labels of sections for metrics of metrics.ini. The unit distinguishes equal labels. Both are from
 * ncu's section files. */
static const struct {
    const char *label, *unit, *name;
} labels[] = {
    {"Duration", "ns", "gpu__time_duration.sum"},
    {"SM Frequency", "Hz", "sm__cycles_elapsed.avg.per_second"},
    {"Memory Throughput", "%", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Compute (SM) Throughput", "%", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM Throughput", "%", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Cache Throughput", "%", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L2 Cache Throughput", "%", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM Active Cycles", "cycle", "sm__cycles_active.avg"},
    {"Executed Ipc Active", "inst/cycle", "sm__inst_executed.avg.per_cycle_active"},
    {"L1/TEX Hit Rate", "%", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Hit Rate", "%", "lts__t_sector_hit_rate.pct"},
    {"Achieved Occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Theoretical Occupancy", "%", "sm__maximum_warps_per_active_cycle_pct"},
    {"Registers Per Thread", "register", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "B", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "B", "launch__shared_mem_per_block_dynamic"},
    {"Grid Size", "1", "launch__grid_size"},
    {"Block Size", "1", "launch__block_size"},
};

/* A metric column of the wide form. Other columns identify the launch and, with --nvtx, its
 * ranges. */
static bool is_metric(const char *column)
{
    return strstr(column, "__") && strncmp(column, "device__", 8) != 0 &&
           !strstr(column, "Domain:");
}

static const char *name_of_label(const char *label, const char *unit)
{
    const struct sg_scaled scaled = sg_unit_of_tool(unit);
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strcmp(labels[i].label, label) == 0 && strcmp(labels[i].unit, scaled.unit) == 0)
            return labels[i].name;
    return NULL;
}

struct cell {
    const char *metric, *unit, *value;
};

/* ncu prints two decimals or none, or six with --print-fp. If all fractions of a file have three
 * digits, as 406.240, its locale separates thousands by a point. */
static void count_point(struct sg_gathering *g, const char *number)
{
    const char *point = strpbrk(number, ".,");
    const bool is_grouped = point && *point == '.' && *number != '0' && point - number <= 3 &&
                            strspn(point + 1, "0123456789") == 3;
    if (point)
        *(is_grouped ? &g->thousands : &g->fractions) += 1;
}

/* The row of all tools that the metric is, too; NULL: none. */
static const char *common_of(const char *name)
{
    const bool is_clock =
        strncmp(name, "sm", 2) == 0 && sg_ends_in(name, "__cycles_elapsed.avg.per_second");
    return strcmp(name, "gpu__time_duration.sum") == 0 ? SG_TIME_METRIC
           : is_clock                                  ? "sm_clock"
                                                       : NULL;
}

static enum sg_code take_cell(struct sg_gathering *g, size_t item, const char *section,
                              const struct cell *cell, struct sg_err *err)
{
    const char *name =
        strstr(cell->metric, "__") ? cell->metric : name_of_label(cell->metric, cell->unit);
    const char *also = name ? common_of(name) : NULL;
    struct sg_tool_number figure;
    SG_FORMATTED(own, "%s.%s", section, cell->metric);
    if (sg_number_of_tool(cell->value, &figure, err) == SG_SUCCESS) {
        const bool is_number = !isnan(figure.value);
        if (is_number)
            count_point(g, cell->value);
        const char *metric =
            sg_gather_metric(g, name ? name : own.data, is_number ? cell->unit : NULL);
        if (!is_number)
            sg_gather_words(g, item, metric, figure.status, cell->value);
        else if (sg_gather(g, item, metric, cell->unit, figure.value, err) == SG_SUCCESS && also)
            sg_gather(g, item, also, cell->unit, figure.value, err);
    }
    return err->code;
}

static enum sg_code take_wide(struct sg_gathering *g, size_t item, const struct sg_csv_table *row,
                              struct sg_err *err)
{
    for (size_t i = 0; i < row->names.count && err->code == SG_SUCCESS; i++) {
        const struct cell cell = {row->names.items[i],
                                  i < row->units.count ? row->units.items[i] : "",
                                  row->fields.items[i]};
        if (is_metric(cell.metric))
            take_cell(g, item, "", &cell, err);
    }
    return err->code;
}

#define RANGES       "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
#define RANGE_FIELDS 6 /* behind the name of a range */

/* Adds the innermost range, of `7 "<default domain>:outer:none..." "<default domain>:inner..."`. */
static void add_range(struct sg_text *out, const char *ranges)
{
    const char *end = strrchr(ranges, '"'), *from = end, *name = NULL;
    while (from && from > ranges && *--from != '"')
        name = *from == ':' ? from + 1 : name;
    for (int i = 0; name && i < RANGE_FIELDS; i++)
        while (end > name && *--end != ':')
            ;
    if (name && end > name)
        sg_text_addf(out, "%.*s", (int)(end - name), name);
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    const bool is_long = sg_names_have(&row->names, "Metric Value");
    const char *kernel = sg_csv_value(row, "Kernel Name");
    const struct cell cell = {sg_csv_value(row, "Metric Name"), sg_csv_value(row, "Metric Unit"),
                              sg_csv_value(row, "Metric Value")};
    const char *gpu = sg_csv_value(row, "device__attribute_display_name"),
               *capability = sg_csv_value(row, "CC");
    SG_SCOPED(sg_text) case_ = {0}, range = {0}, unnamed = {0};
    size_t least = row->names.count;
    for (size_t i = 0; is_long && i < row->names.count; i++)
        least = strcmp(row->names.items[i], "Metric Value") == 0 ? i + 1 : least;
    if (row->fields.count < least)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected at least %zu fields, found %zu: the row is incomplete", least,
                       row->fields.count);
    sg_gather_launch(g, sg_csv_value(row, "Process ID"), sg_csv_value(row, "ID"));
    sg_text_addf(&unnamed, "%s%s", *capability ? "compute capability " : "", capability);
    sg_gather_gpu(g, *gpu ? gpu : unnamed.data);
    add_range(&range, sg_csv_value(row, RANGES));
    sg_add_kernel_case(&case_, sg_text_string(&range), strtod(sg_csv_value(row, "Device"), NULL));
    const size_t item = sg_gather_kernel(g, case_.data, kernel, sg_csv_value(row, "Grid Size"),
                                         sg_csv_value(row, "Block Size"));
    if (!is_long)
        return take_wide(g, item, row, err);
    return *cell.metric ? take_cell(g, item, sg_csv_value(row, "Section Name"), &cell, err)
                        : SG_SUCCESS; /* no metric: the text of a rule */
}

const struct sg_importer sg_importer_ncu = {
    .name = "ncu",
    .what = "ncu --csv (details, --metrics, --page raw), or its .ncu-rep, where ncu is installed",
    .header = "\"ID\",\"Process ID\",",
    .item = "Kernel Name",
    .is_mixed = true,
    .on_row = on_row};
