/* export_chrome_trace of torch.profiler: `traceEvents` with one element per event. Kernels have the
 * category `kernel` (`Kernel` before torch 2). Times are in us. */
#include <string.h>
#include <strings.h>

#include "import/importer.h"

static enum sg_code add_triple(struct sg_text *out, const json_t *args, const char *name,
                               struct sg_err *err)
{
    const json_t *triple = json_object_get(args, name);
    double size;
    for (size_t i = 0; i < json_array_size(triple) && err->code == SG_SUCCESS; i++)
        if (json_array_size(triple) == 3 && sg_json_is_number(json_array_get(triple, i), &size))
            sg_text_addf(out, "%s%.0f%s", i == 0 ? "(" : ", ", size, i == 2 ? ")" : "");
        else
            sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected three numbers", name);
    return err->code;
}

/* Returns 0 if the member is not a number. */
static double number_of(const json_t *object, const char *name)
{
    double number = 0;
    sg_json_is_number(json_object_get(object, name), &number);
    return number;
}

static enum sg_code take_kernel(struct sg_gathering *g, const json_t *event, const char *range,
                                struct sg_err *err)
{
    static const struct {
        const char *arg, *metric, *unit;
    } facts[] = {{"registers per thread", "registers", ""},
                 {"shared memory", SG_TOOL_PREFIX "shared_memory", "byte"},
                 {"est. achieved occupancy %", SG_TOOL_PREFIX "est._achieved_occupancy", "%"}};
    const json_t *args = json_object_get(event, "args");
    const char *name = sg_json_words(event, "name", "");
    SG_SCOPED(sg_text) grid = {0}, block = {0}, case_ = {0};
    double us, fact;
    if (!*name)
        return sg_fail(err, SG_BAD_INPUT, NULL, "name: expected the name of a kernel, found none");
    if (sg_json_check(args, "args", "a:grid a:block n:device", err) != SG_SUCCESS ||
        add_triple(&grid, args, "grid", err) != SG_SUCCESS ||
        add_triple(&block, args, "block", err) != SG_SUCCESS)
        return err->code;
    sg_add_kernel_case(&case_, range, number_of(args, "device"));
    const size_t item =
        sg_gather_kernel(g, case_.data, name, sg_text_string(&grid), sg_text_string(&block));
    if (sg_json_number(event, "dur", &us, err) == SG_SUCCESS)
        sg_gather(g, item, SG_TIME_METRIC, "us", us, err);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && err->code == SG_SUCCESS; i++)
        if (sg_json_is_number(json_object_get(args, facts[i].arg), &fact))
            sg_gather(g, item, facts[i].metric, facts[i].unit, fact, err);
        else if (json_object_get(args, facts[i].arg) &&
                 !json_is_string(json_object_get(args, facts[i].arg)))
            sg_json_number(args, facts[i].arg, &fact, err);
    return err->code;
}

/* Names of profiler steps and of compiled graphs differ from run to run, so they are not cases. */
static bool is_of_user(const char *range)
{
    return strncmp(range, "ProfilerStep#", 13) != 0 && strncmp(range, "##", 2) != 0;
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *event, struct sg_err *err)
{
    const char *category = sg_json_words(event, "cat", ""),
               *name = sg_json_words(event, "name", "");
    const bool is_kernel = strcasecmp(category, "kernel") == 0;
    double from = 0, us = 0;
    if (strcmp(name, "process_name") == 0 &&
        strncmp(sg_json_words(json_object_get(event, "args"), "name", ""), "/device:", 8) == 0)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected a trace of torch.profiler, found one of JAX or XLA: run the "
                       "program under `nsys profile`");
    if (strcmp(sg_json_words(event, "ph", ""), "X") != 0 ||
        !(is_kernel || strcmp(category, "gpu_user_annotation") == 0))
        return SG_SUCCESS;
    SG_FORMATTED(lane, "%.0f/%.0f", number_of(event, "pid"), number_of(event, "tid"));
    if (is_kernel)
        return take_kernel(g, event, sg_gathered_range(g, lane.data, number_of(event, "ts")), err);
    if (is_of_user(name) && sg_json_number(event, "ts", &from, err) == SG_SUCCESS &&
        sg_json_number(event, "dur", &us, err) == SG_SUCCESS)
        sg_gather_range(g, lane.data, name, from, from + us);
    return err->code;
}

const struct sg_importer sg_importer_torch_profiler = {.name = "torch_profiler",
                                                       .what = "traces of torch.profiler (JSON)",
                                                       .array = "traceEvents",
                                                       .members = "ph",
                                                       .types =
                                                           "s:name s:cat s:ph o:args n:ts n:dur",
                                                       .on_element = on_element};
