#include "run/ask_gpus.h"

#include <inttypes.h>

#include "process/pool.h"
#include "stats/run_limits.h"

static enum sg_code take_message(void *context, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct sg_gpu *gpu = context;
    struct sg_failure failure = {0};
    if (message->kind == SG_MESSAGE_ENV)
        sg_env_set(&gpu->facts, message->key, message->text);
    if (message->kind == SG_MESSAGE_NOTE)
        sg_names_add(&gpu->notes, message->text);
    if (message->kind != SG_MESSAGE_FAIL)
        return err->code;
    sg_take_failure(message, &failure);
    gpu->code = failure.code;
    sg_text_add(&gpu->why, failure.why);
    return err->code;
}

enum sg_code sg_gpus_ask(const char *worker, const char *module, struct sg_gpu *gpus, size_t count,
                         struct sg_err *err)
{
    SG_FREED struct sg_worker_job *jobs = sg_alloc(count, sizeof(*jobs));
    SG_FREED struct sg_names *argv = sg_alloc(count, sizeof(*argv));
    for (size_t i = 0; i < count; i++) {
        sg_names_add(&argv[i], worker);
        sg_names_add(&argv[i], "--pass=doctor");
        sg_names_addf(&argv[i], "--gpu=%" PRIu64, gpus[i].number);
        if (*module)
            sg_names_addf(&argv[i], "--module=%s", module);
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
