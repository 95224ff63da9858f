/* .hatchet of Proton, Triton's profiler: a tree of scopes. Its leaves are kernels, each with sums
 * over its launches. The case is the innermost scope. */
#include <math.h>
#include <string.h>

#include "import/importer.h"

static const struct {
    const char *name, *metric, *unit;
} works[] = {{"flops8", "work_flop_e4m3", "flop"},
             {"flops16", "work_flop_f16", "flop"},
             {"flops32", "work_flop_f32", "flop"},
             {"bytes", "work_read_bytes", "byte"}};
static const char types[] = "a:children o:frame o:metrics";

/* `above`: the enclosing scopes, each followed by a slash. */
static enum sg_code take_node(struct sg_gathering *g, const char *above, const char *scope,
                              const json_t *node, struct sg_err *err)
{
    const json_t *children = json_object_get(node, "children"),
                 *metrics = json_object_get(node, "metrics");
    const char *name = sg_json_words(json_object_get(node, "frame"), "name", "");
    struct sg_time_figure time = {.unit = "ns", .relative_sd = NAN, .how = "mean"};
    double device, amount;
    SG_SCOPED(sg_text) path = sg_text_of("%s%s", above, name), case_ = {0};
    if (sg_json_check(node, path.data, types, err) != SG_SUCCESS ||
        sg_json_check(metrics, path.data,
                      "n:count n:device_id n:bytes n:flops8 n:flops16 n:flops32",
                      err) != SG_SUCCESS)
        return err->code;
    if (!*name)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "frame: expected the name of a scope or a kernel, found none");
    if (sg_json_is_number(json_object_get(metrics, "count"), &time.n) && time.n > 0 &&
        sg_json_number(metrics, "time (ns)", &time.value, err) == SG_SUCCESS &&
        sg_json_number(metrics, "device_id", &device, err) == SG_SUCCESS) {
        sg_add_kernel_case(&case_, scope, device);
        const size_t item = sg_gather_item(g, case_.data, name, path.data);
        const struct sg_launches launches = {time.n, time.value, NAN};
        time.value /= time.n;
        if (sg_gather_time(g, item, &time, err) == SG_SUCCESS)
            sg_gather_launches(g, item, &launches, err);
        for (size_t i = 0; i < sizeof(works) / sizeof(works[0]) && err->code == SG_SUCCESS; i++)
            if (sg_json_is_number(json_object_get(metrics, works[i].name), &amount))
                sg_gather(g, item, works[i].metric, works[i].unit, amount / time.n, err);
    }
    sg_text_add(&path, "/");
    for (size_t i = 0; i < json_array_size(children) && err->code == SG_SUCCESS; i++)
        take_node(g, path.data, strcmp(name, "ROOT") == 0 ? "" : name, json_array_get(children, i),
                  err);
    return err->code;
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *element, struct sg_err *err)
{
    if (json_object_get(element, "frame"))
        return take_node(g, "", "", element, err);
    const json_t *device = json_object_get(json_object_get(element, "CUDA"), "0");
    SG_SCOPED(sg_text) gpu = {0};
    if (device)
        sg_text_addf(&gpu, "compute capability %s", sg_json_words(device, "arch", "unknown"));
    sg_gather_gpu(g, sg_text_string(&gpu));
    return SG_SUCCESS;
}

const struct sg_importer sg_importer_proton = {.name = "proton",
                                               .what = ".hatchet of Proton",
                                               .array = "",
                                               .members = "frame CUDA HIP",
                                               .types = types,
                                               .on_element = on_element};
