#include "schedule/gpus.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "process/pool.h"
#include "results/message.h"
#include "results/units.h"
#include "stats/run_limits.h"
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

static enum sg_code take_message(void *context, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct sg_gpu *gpu = context;
    struct sg_failure failure = {0};
    if (message->kind == SG_MESSAGE_ENV)
        sg_env_set(&gpu->facts, message->key, message->text);
    if (message->kind == SG_MESSAGE_FAIL)
        sg_take_failure(message, &failure);
    sg_text_add(&gpu->why, failure.why);
    return err->code;
}

enum sg_code sg_gpus_ask(const struct sg_run_plan *plan, struct sg_gpu *gpus, size_t count,
                         struct sg_err *err)
{
    SG_FREED struct sg_worker_job *jobs = sg_alloc(count, sizeof(*jobs));
    SG_FREED struct sg_names *argv = sg_alloc(count, sizeof(*argv));
    for (size_t i = 0; i < count; i++) {
        sg_names_add(&argv[i], plan->modules->worker);
        sg_names_add(&argv[i], "--pass=doctor");
        sg_names_addf(&argv[i], "--gpu=%" PRIu64, gpus[i].number);
        if (plan->drift.length > 0) /* opens its device, and examines nothing else */
            sg_names_addf(&argv[i], "--module=%s", plan->drift.data);
        jobs[i] = (struct sg_worker_job){.argv = (const char *const *)argv[i].items,
                                         .pass = "doctor",
                                         .deadline_s = SG_ASK_DEADLINE_S,
                                         .context = &gpus[i],
                                         .on_message = take_message};
    }
    sg_workers_run(jobs, count, count, err);
    for (size_t i = 0; i < count; i++) {
        if (gpus[i].why.length == 0 && jobs[i].end.fate != SG_WORKER_FINISHED)
            sg_worker_describe(&jobs[i], &gpus[i].why);
        sg_names_release(&argv[i]);
    }
    return err->code;
}

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
    if (sg_gpus_ask(plan, gpus, *count, err) != SG_SUCCESS)
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
