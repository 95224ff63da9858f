/* CSV of cutlass_profiler, from --output or its standard output: one row per kernel and problem,
 * with the problem's flop and bytes. Read and written bytes are not separate. */
#include <math.h>
#include <string.h>

#include "import/importer.h"

static const struct {
    const char *disposition;
    enum sg_status status;
} failures[] = {{"incorrect", SG_WRONG},
                {"failed", SG_LAUNCH_FAILED},
                {"not_supported", SG_UNSUPPORTED},
                {"invalid_problem", SG_UNSUPPORTED},
                {"not_run", SG_SKIPPED}};

/* "f16:row" is f16. Tensor cores compute f32 as tf32. */
static const char *add_flop_metric(struct sg_text *out, struct sg_gathering *g,
                                   const struct sg_csv_table *row)
{
    const char *operand = sg_csv_value(row, sg_names_have(&row->names, "A") ? "A" : "Activation");
    const bool is_tensor = strcmp(sg_csv_value(row, "op_class"), "tensorop") == 0;
    SG_FORMATTED(dtype, "%s%.*s", is_tensor && strncmp(operand, "f32", 3) == 0 ? "t" : "",
                 (int)strcspn(operand, ":"), operand);
    const char *word = strcmp(dtype.data, "s8") == 0 ? "i8" : dtype.data;
    const bool is_known = sg_dtype_from_word(word) < SG_DTYPE_COUNT;
    sg_text_addf(out, "%s%s", is_known ? "work_flop_" : "flop_", word);
    return is_known ? out->data : sg_gather_metric(g, out->data, "");
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    const char *kernel = sg_csv_value(row, "Operation"),
               *disposition = sg_csv_value(row, "Disposition");
    struct sg_time_figure time = {.unit = "ms", .relative_sd = NAN};
    SG_SCOPED(sg_text) case_ = {0}, what = {0}, flop_metric = {0};
    double bytes = 0, flop = 0;
    sg_csv_add_columns(row, "Status", "op_class", true, &case_);
    sg_text_addf(&what, "%s ", kernel);
    sg_csv_add_columns(row, "Status", "Bytes", false, &what);
    const size_t item = sg_gather_item(g, case_.length > 0 ? case_.data : "all", kernel, what.data);
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
        if (strcmp(failures[i].disposition, disposition) == 0) {
            sg_gather_status(g, item, failures[i].status, disposition);
            return SG_SUCCESS;
        }
    time.how = strcmp(disposition, "passed") == 0 ? "mean" : "mean, not verified";
    const char *metric = add_flop_metric(&flop_metric, g, row);
    if (sg_csv_number(row, "Runtime", 0, &time.value, err) == SG_SUCCESS &&
        sg_csv_number(row, "Bytes", 0, &bytes, err) == SG_SUCCESS &&
        sg_csv_number(row, "Flops", 0, &flop, err) == SG_SUCCESS &&
        sg_gather_time(g, item, &time, err) == SG_SUCCESS &&
        sg_gather(g, item, "work_read_bytes", "byte", bytes, err) == SG_SUCCESS)
        sg_gather(g, item, metric, "flop", flop, err);
    return err->code;
}

const struct sg_importer sg_importer_cutlass = {.name = "cutlass",
                                                .what = "CSV of cutlass_profiler",
                                                .header = "Problem,Provider,OperationKind,",
                                                .item = "Operation",
                                                .on_row = on_row};
