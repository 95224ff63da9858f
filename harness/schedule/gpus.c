#include "schedule/gpus.h"

#include <ctype.h>
#include <string.h>

#include "results/units.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/start_process.h"

#define ALL_MOST 16 /* GPUs of a machine that --gpu=all asks for */

/* ---- the option ---- */

enum sg_code sg_gpus_read(void *place, const char *found, struct sg_err *err)
{
    struct sg_run_options *options = place;
    uint64_t gpus = strcmp(found, "all") == 0 ? UINT64_MAX : 0, number;
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_split(&words, found, ',');
    for (size_t i = 0; gpus < UINT64_MAX && i < words.count; i++) {
        if (!sg_parse_u64(words.items[i], &number) || number > SG_GPU_MAX)
            return sg_fail(err, SG_BAD_USAGE, NULL,
                           "expected GPUs from 0 to %d such as 0 or 0,2, or all, found '%s'",
                           SG_GPU_MAX, sg_show_string(found).text);
        gpus |= UINT64_C(1) << number;
    }
    options->gpu = (uint64_t)__builtin_ctzll(gpus);
    options->gpus = (gpus & (gpus - 1)) != 0 ? gpus : 0;
    return SG_SUCCESS;
}

/* ---- which are there ---- */

struct sg_gpu *sg_gpus_find(const struct sg_run_plan *plan, uint64_t chosen, size_t *count,
                            struct sg_err *err)
{
    const bool is_all = chosen == UINT64_MAX;
    struct sg_gpu *gpus = sg_alloc(SG_GPU_MAX + 1, sizeof(*gpus));
    size_t usable = 0;
    *count = 0;
    for (uint64_t number = 0; number <= (is_all ? ALL_MOST - 1 : SG_GPU_MAX); number++)
        if (chosen >> number & 1)
            gpus[(*count)++].number = number;
    /* the module of the drift references, if there is one, opens its device only */
    if (sg_gpus_ask(plan->modules->worker, sg_text_string(&plan->drift), gpus, *count, err) !=
        SG_SUCCESS)
        return gpus;
    for (size_t i = 0; i < *count; i++)
        usable = gpus[i].why.length > 0 ? usable : i + 1;
    if (usable == 0)
        sg_fail(err, SG_NO_GPU, NULL, "no GPU can be used: %s", gpus[0].why.data);
    *count = is_all ? usable : *count;
    return gpus;
}

/* ---- the CPUs near it ---- */

void sg_gpu_add_binding(const struct sg_gpu *gpu, struct sg_names *argv)
{
    SG_SCOPED(sg_text) path = {0}, cpus = {0}, program = {0};
    struct sg_err unknown = {0};
    pid_t tried;
    sg_text_addf(&path, "/sys/bus/pci/devices/%s/local_cpulist",
                 sg_env_word(&gpu->facts, SG_PCI_KEY));
    for (char *at = path.data; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    if (!sg_program_path(&program, "taskset") ||
        sg_read_text(path.data, &cpus, &unknown) != SG_SUCCESS || cpus.length < 2)
        return;
    cpus.data[strcspn(cpus.data, "\n")] = '\0';
    char *const words[] = {program.data, "-c", cpus.data, "true", NULL};
    const struct sg_process_start start = {
        .argv = words,
        .descriptors = {SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING},
        .group = SG_CALLERS_GROUP};
    if (sg_process_start(&start, &tried, &unknown) == SG_SUCCESS && sg_process_wait(tried) == 0)
        for (size_t i = 0; i < 3; i++)
            sg_names_add(argv, words[i]);
}
