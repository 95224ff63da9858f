/* Google Benchmark, --benchmark_format=json or csv. A benchmark FUNCTION/ARGUMENTS is the variant
 * FUNCTION of the case ARGUMENTS (`all` without arguments). Its repetitions are samples. */
#include <math.h>
#include <string.h>

#include "import/importer.h"
#include "results/row_kind.h"

static size_t item_of(struct sg_gathering *g, const char *name)
{
    const size_t length = strcspn(name, "/");
    SG_FORMATTED(function, "%.*s", (int)length, name);
    return sg_gather_item(g, name[length] ? name + length + 1 : "all", function.data, name);
}

static enum sg_code check_name(const char *name, struct sg_err *err)
{
    return *name && *name != '/' ? SG_SUCCESS
                                 : sg_fail(err, SG_BAD_INPUT, NULL,
                                           "name: expected a benchmark's name, found '%s'", name);
}

/* ---- JSON ---- */

static const char *unit_of(const json_t *benchmark, const char *member)
{
    if (strcmp(member, "real_time") == 0 || strcmp(member, "cpu_time") == 0)
        return sg_json_words(benchmark, "time_unit", "ns");
    return strcmp(member, "bytes_per_second") == 0   ? "byte/s"
           : strcmp(member, "items_per_second") == 0 ? "1/s"
                                                     : "";
}

static enum sg_code take_counters(struct sg_gathering *g, size_t item, const json_t *benchmark,
                                  struct sg_err *err)
{
    const char *member;
    json_t *value;
    double figure;
    json_object_foreach((json_t *)benchmark, member, value)
    {
        if (err->code == SG_SUCCESS && json_is_number(value) && !strstr(member, "index") &&
            sg_json_is_number(value, &figure))
            sg_gather(g, item, sg_gather_metric(g, member, ""), unit_of(benchmark, member), figure,
                      err);
    }
    return err->code;
}

/* With --benchmark_report_aggregates_only, the file has only aggregates. */
static enum sg_code take_aggregate(struct sg_gathering *g, size_t item, const json_t *benchmark,
                                   double time, struct sg_err *err)
{
    double repetitions;
    const bool is_known =
        sg_json_is_number(json_object_get(benchmark, "repetitions"), &repetitions);
    const struct sg_time_figure figure = {time, sg_json_words(benchmark, "time_unit", "ns"), NAN,
                                          is_known ? repetitions : 0, "median"};
    return strcmp(sg_json_words(benchmark, "aggregate_name", ""), "median") == 0
               ? sg_gather_time(g, item, &figure, err)
               : SG_SUCCESS;
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *benchmark, struct sg_err *err)
{
    const char *name = sg_json_words(benchmark, "run_name", sg_json_words(benchmark, "name", ""));
    double time = 0;
    if (check_name(name, err) != SG_SUCCESS)
        return err->code;
    /* Skips aggregates that are not times: ratios (coefficient of variation, user-defined) and
     * complexities (big_o, rms). */
    if (json_object_get(benchmark, "big_o") || json_object_get(benchmark, "rms") ||
        strcmp(sg_json_words(benchmark, "aggregate_unit", "time"), "time") != 0)
        return SG_SUCCESS;
    const size_t item = item_of(g, name);
    if (json_is_true(json_object_get(benchmark, "error_occurred")) ||
        json_is_true(json_object_get(benchmark, "skipped"))) {
        sg_gather_status(g, item, SG_SKIPPED,
                         sg_json_words(benchmark, "error_message",
                                       sg_json_words(benchmark, "skip_message", "")));
        return SG_SUCCESS;
    }
    if (sg_json_number(benchmark, "real_time", &time, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(sg_json_words(benchmark, "run_type", "iteration"), "aggregate") == 0)
        return take_aggregate(g, item, benchmark, time, err);
    sg_gather(g, item, SG_TIME_METRIC, sg_json_words(benchmark, "time_unit", "ns"), time, err);
    sg_gather_words(g, item, SG_TIME_OF_METRIC, SG_OK, "median"); /* as of aggregates alone */
    return take_counters(g, item, benchmark, err);
}

/* ---- CSV: name,iterations,real_time,cpu_time,time_unit,... ---- */

/* Behind the repetitions of X there are X_mean, X_median, X_stddev and X_cv; the last two are no
 * times. */
static bool is_spread(const struct sg_gathering *g, const char *name)
{
    const char *end = strrchr(name, '_');
    SG_FORMATTED(mean, "%.*s_mean", end ? (int)(end - name) : 0, name);
    return end && (strcmp(end, "_stddev") == 0 || strcmp(end, "_cv") == 0) &&
           sg_intern_pool_find(g->strings, mean.data) != UINT32_MAX;
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    const char *name = sg_csv_value(row, "name");
    double time = 0;
    if (check_name(name, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(sg_csv_value(row, "error_occurred"), "true") == 0) {
        sg_gather_status(g, item_of(g, name), SG_SKIPPED, sg_csv_value(row, "error_message"));
        return SG_SUCCESS;
    }
    if (!*sg_csv_value(row, "iterations") || is_spread(g, name)) /* the first: complexity */
        return SG_SUCCESS;
    if (sg_csv_number(row, "real_time", 0, &time, err) != SG_SUCCESS)
        return err->code;
    return sg_gather(g, item_of(g, name), SG_TIME_METRIC, sg_csv_value(row, "time_unit"), time,
                     err);
}

const struct sg_importer sg_importer_google_benchmark = {
    .name = "google_benchmark",
    .what = "Google Benchmark, --benchmark_format=json or csv",
    .header = "name,iterations,real_time,",
    .item = "name",
    .on_row = on_row,
    .array = "benchmarks",
    .members = "iterations big_o rms",
    .types = "s:name s:run_name s:run_type s:time_unit s:aggregate_name s:aggregate_unit "
             "b:error_occurred b:skipped n:repetitions",
    .on_element = on_element};
