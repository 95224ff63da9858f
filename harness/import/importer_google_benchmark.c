/* --benchmark_format=csv of Google Benchmark: name,iterations,real_time,cpu_time,time_unit,... A
 * benchmark FUNCTION/ARGUMENTS is the variant FUNCTION of the case ARGUMENTS (`all` without
 * any). */
#include <string.h>

#include "import/importer.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

#define FAMILY "google_benchmark"

enum { NAME, ITERATIONS, REAL_TIME, CPU_TIME, UNIT, COLUMNS };

static double ns_of(const char *unit)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].unit, unit) == 0)
            return units[i].ns;
    return 0;
}

static enum sg_code check_header(const struct sg_csv_row *row, struct sg_err *err)
{
    static const char *const columns[COLUMNS] = {"name", "iterations", "real_time", "cpu_time", "time_unit"};
    for (size_t i = 0; i < COLUMNS; i++)
        if (i >= row->count || strcmp(row->field[i], columns[i]) != 0)
            return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "expected the column %s, found '%s'", columns[i],
                              i < row->count ? row->field[i] : "");
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    if (row->line == 1)
        return check_header(row, err);
    struct sg_table *run = context;
    struct sg_text case_ = {0}, variant = {0};
    struct sg_value value = {.family = FAMILY, .metric = "status", .status = SG_OK};
    const char *name = row->field[NAME];
    const size_t length = strcspn(name, "/");
    const double ns = ns_of(row->field[UNIT]);
    double time = 0;
    if (!(ns > 0))
        sg_field_fail("time_unit", "ns, us, ms or s", row->field[UNIT], err);
    else if (length == 0)
        sg_field_fail("name", "a benchmark's name", name, err);
    else if (sg_field_number("real_time", row->field[REAL_TIME], false, &time, err) == SG_SUCCESS) {
        sg_add_imported_name(&variant, name, length);
        sg_add_imported_name(&case_, name[length] ? name + length + 1 : "all", strlen(name[length] ? name + length + 1 : "all"));
        value.case_ = sg_text_string(&case_);
        value.variant = variant.data;
        sg_table_add(run, &value);
        value.metric = "role";
        value.message = sg_role_word(SG_BASELINE);
        sg_table_add(run, &value);
        value.metric = "time";
        value.message = NULL;
        value.unit = "ns";
        value.value = time * ns;
        value.has = SG_HAS_VALUE;
        sg_table_add(run, &value);
    }
    sg_text_release(&case_);
    sg_text_release(&variant);
    return sg_fail_here(err, row->path, row->line);
}

static enum sg_code read(const char *path, struct sg_table *run, struct sg_err *err)
{
    return sg_csv_read(path, on_row, run, err);
}

const struct sg_importer sg_importer_google_benchmark = {
    .name = "google_benchmark", .what = "--benchmark_format=csv of Google Benchmark", .read = read};
