/* export_chrome_trace of torch.profiler: `traceEvents` with one element for all that began and
 * ended; kernels have the category `kernel` (`Kernel` before torch 2), their times are in us. */
#include <string.h>
#include <strings.h>

#include "import/importer.h"

static void add_triple(struct sg_text *out, const json_t *args, const char *name)
{
    const json_t *triple = json_object_get(args, name);
    double size;
    for (size_t i = 0; i < 3 && json_array_size(triple) == 3; i++)
        if (sg_json_is_number(json_array_get(triple, i), &size))
            sg_text_addf(out, "%s%.0f%s", i == 0 ? "(" : ", ", size, i == 2 ? ")" : "");
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *event, struct sg_err *err)
{
    static const struct {
        const char *arg, *metric, *unit;
    } facts[] = {{"registers per thread", "registers", ""},
                 {"shared memory", SG_TOOL_PREFIX "shared_memory", "byte"},
                 {"est. achieved occupancy %", SG_TOOL_PREFIX "est._achieved_occupancy", "%"}};
    const json_t *args = json_object_get(event, "args");
    const char *name = sg_json_words(event, "name", "");
    SG_SCOPED(sg_text) grid = {0}, block = {0};
    double us, fact;
    if (strcasecmp(sg_json_words(event, "cat", ""), "kernel") != 0 || strcmp(sg_json_words(event, "ph", ""), "X") != 0)
        return SG_SUCCESS;
    if (!*name)
        return sg_fail(err, SG_BAD_INPUT, NULL, "name: expected that of a kernel, found none");
    add_triple(&grid, args, "grid");
    add_triple(&block, args, "block");
    const size_t item = sg_gather_kernel(g, name, sg_text_string(&grid), sg_text_string(&block));
    if (sg_json_number(event, "dur", &us, err) == SG_SUCCESS)
        sg_gather(g, item, SG_TIME_METRIC, "us", us, err);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && err->code == SG_SUCCESS; i++)
        if (sg_json_is_number(json_object_get(args, facts[i].arg), &fact))
            sg_gather(g, item, facts[i].metric, facts[i].unit, fact, err);
    return err->code;
}

const struct sg_importer sg_importer_torch_profiler = {
    .name = "torch_profiler", .what = "traces of torch.profiler (JSON)", .array = "traceEvents", .member = "ph", .on_element = on_element};
