/* pytest --benchmark-json: `benchmarks`, each with its statistics in seconds, and with
 * --benchmark-save-data its samples. Times are host times. */
#include <math.h>
#include <string.h>

#include "import/importer.h"

/* "test_add[8-float32]" is test_add with the case 8-float32. */
static size_t item_of(struct sg_gathering *g, const json_t *benchmark, const char *name)
{
    SG_SCOPED(sg_text) test = {0}, parameters = {0};
    const char *from = strchr(name, '['), *to = strrchr(name, ']');
    const bool has_parameters = from && to && to > from + 1;
    sg_text_add_bytes(&test, name, has_parameters ? (size_t)(from - name) : strlen(name));
    if (has_parameters)
        sg_text_add_bytes(&parameters, from + 1, (size_t)(to - from - 1));
    return sg_gather_item(g, has_parameters ? parameters.data : "all", test.data,
                          sg_json_words(benchmark, "fullname", name));
}

static enum sg_code take_samples(struct sg_gathering *g, size_t item, const json_t *samples,
                                 struct sg_err *err)
{
    double seconds;
    for (size_t i = 0; i < json_array_size(samples) && err->code == SG_SUCCESS; i++)
        if (!sg_json_is_number(json_array_get(samples, i), &seconds))
            sg_fail(err, SG_BAD_INPUT, NULL, "data[%zu]: expected a number", i);
        else
            sg_gather(g, item, SG_TIME_METRIC, "s", seconds, err);
    return err->code;
}

static enum sg_code take_figures(struct sg_gathering *g, size_t item, const json_t *stats,
                                 struct sg_err *err)
{
    double mean = 0, sd = 0, rounds = 0;
    struct sg_time_figure figure = {.unit = "s", .how = "median"};
    if (sg_json_number(stats, "median", &figure.value, err) == SG_SUCCESS &&
        sg_json_number(stats, "mean", &mean, err) == SG_SUCCESS &&
        sg_json_number(stats, "stddev", &sd, err) == SG_SUCCESS &&
        sg_json_number(stats, "rounds", &rounds, err) == SG_SUCCESS) {
        figure.relative_sd = mean > 0 ? sd / mean : NAN;
        figure.n = rounds;
        sg_gather_time(g, item, &figure, err);
    }
    return err->code;
}

static void take_extra(struct sg_gathering *g, size_t item, const json_t *extra, struct sg_err *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)extra, name, value)
    {
        double figure;
        if (json_is_number(value) && sg_json_is_number(value, &figure))
            sg_gather(g, item, sg_gather_metric(g, name, ""), "", figure, err);
    }
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *benchmark, struct sg_err *err)
{
    const char *name = sg_json_words(benchmark, "name", "");
    const json_t *stats = json_object_get(benchmark, "stats");
    double calls;
    if (!*name)
        return sg_fail(err, SG_BAD_INPUT, NULL, "name: expected the name of a test, found none");
    if (sg_json_check(stats, "stats", "a:data", err) != SG_SUCCESS)
        return err->code;
    const size_t item = item_of(g, benchmark, name);
    if (!sg_json_is_number(json_object_get(stats, "iterations"), &calls) || calls == 1)
        sg_gather_single(g, item); /* else a sample is a mean of calls */
    if (take_samples(g, item, json_object_get(stats, "data"), err) == SG_SUCCESS &&
        take_figures(g, item, stats, err) == SG_SUCCESS)
        take_extra(g, item, json_object_get(benchmark, "extra_info"), err);
    return err->code;
}

const struct sg_importer sg_importer_pytest_benchmark = {
    .name = "pytest_benchmark",
    .what = "pytest --benchmark-json",
    .array = "benchmarks",
    .members = "stats",
    .types = "s:name s:fullname o:stats o:extra_info",
    .on_element = on_element};
