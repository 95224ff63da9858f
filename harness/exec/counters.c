#include "exec/counters.h"

/* CUPTI's name of the GPU's chip; "" if metrics/gpus does not list the GPU. Freed by the caller. */
static char *chip_of(const char *gpu_name, struct sg_err *err)
{
    struct sg_gpu_spec spec = {.key = NULL};
    SG_FREED char *key = NULL;
    if (sg_gpu_key_for(gpu_name, &key, err) == SG_SUCCESS && key && *key)
        sg_gpu_load(key, &spec, err);
    char *chip = sg_copy_string(spec.chip ? spec.chip : "");
    return chip;
}

static void add(struct sg_exec_counters *counters, const struct sg_metric *metric, const char *key)
{
    counters->metrics[counters->count++] = metric;
    sg_text_addf(&counters->names, "%s%s", counters->names.length > 0 ? "," : "", key);
}

enum sg_code sg_exec_counters_choose(struct sg_exec_counters *counters,
                                     struct sg_catalogue *catalogue, const struct sg_names *asked,
                                     const char *gpu_name, struct sg_err *err)
{
    static const char *const one_pass = SG_ONE_PASS;
    SG_FREED const struct sg_metric **selected = NULL;
    SG_FREED char *chip = chip_of(gpu_name, err);
    size_t count = 0;
    if (err->code != SG_SUCCESS ||
        sg_catalogue_select(
            catalogue, asked->count > 0 ? (const char *const *)asked->items : &one_pass,
            asked->count > 0 ? asked->count : 1, &selected, &count, err) != SG_SUCCESS)
        return err->code;
    counters->metrics = sg_alloc(count + 1, sizeof(const struct sg_metric *));
    for (int leads = 1; leads >= 0; leads--)
        for (size_t i = 0; i < count; i++) {
            const char *key =
                selected[i]->source == &sg_source_cupti ? sg_metric_key(selected[i], chip) : NULL;
            if (key && sg_metric_leads(selected[i], chip) == (leads == 1))
                add(counters, selected[i], key);
        }
    if (counters->count == 0)
        sg_fail(err, SG_BAD_INPUT, "--metrics",
                "expected CUPTI counters, found none that this GPU has");
    return err->code;
}
