#include "ab/program_starts.h"

#include <string.h>
#include <unistd.h>

#include "process/pool.h"
#include "results/run_folder.h"
#include "results/run_log.h"
#include "results/settings.h"
#include "stats/run_limits.h"
#include "util/file.h"
#include "util/names.h"
#include "util/paths.h"

#define STARTS "starts"

/* ---- the run's folder ---- */

static enum sg_code write_facts(const struct sg_program_starts *starts, struct sg_err *err)
{
    SG_FORMATTED(path, "%s/env.csv", starts->folder);
    return sg_env_write(path.data, &starts->facts, err);
}

static enum sg_code begin(struct sg_program_starts *starts, struct sg_err *err)
{
    if (sg_run_folder_check(starts->folder, NULL, err) != SG_SUCCESS)
        return err->code;
    sg_env_set(&starts->facts, "schema", SG_SCHEMA);
    sg_env_set(&starts->facts, "state", "running");
    sg_env_set(&starts->facts, "date", sg_utc_now(SG_UTC_TIME).text);
    return write_facts(starts, err);
}

/* Values of other programs, tolerances or selections do not belong to the gate. */
static enum sg_code take_up(struct sg_program_starts *starts, struct sg_err *err)
{
    SG_SCOPED(sg_env) begun = {.count = 0};
    SG_FORMATTED(path, "%s/env.csv", starts->folder);
    if (sg_env_read(path.data, &begun, err) == SG_SUCCESS &&
        sg_env_check(&begun, path.data, SG_SCHEMA, err) == SG_SUCCESS &&
        sg_settings_check_resumed(&begun, &starts->facts, starts->folder, err) == SG_SUCCESS) {
        const struct sg_env mine = starts->facts;
        starts->facts = begun;
        begun = mine;
    }
    return err->code;
}

enum sg_code sg_program_starts_open(struct sg_program_starts *starts, bool is_resumed,
                                    struct sg_err *err)
{
    SG_FORMATTED(kept, "%s/" STARTS, starts->folder);
    starts->lock = -1;
    sg_signals_hold(&starts->before);
    if (sg_make_folders(starts->folder, err) != SG_SUCCESS ||
        sg_run_folder_lock(starts->folder, &starts->lock, err) != SG_SUCCESS)
        return err->code;
    if (is_resumed && !sg_run_log_is_bare(starts->folder))
        take_up(starts, err);
    else
        begin(starts, err);
    return err->code == SG_SUCCESS ? sg_make_folders(kept.data, err) : err->code;
}

/* Removes nothing if the run has a start, because RUN/starts is not empty then. */
static bool undo(const struct sg_program_starts *starts)
{
    SG_FORMATTED(kept, "%s/" STARTS, starts->folder);
    SG_FORMATTED(env, "%s/env.csv", starts->folder);
    if (rmdir(kept.data) != 0)
        return false;
    unlink(env.data);
    rmdir(starts->folder);
    return true;
}

void sg_program_starts_close(struct sg_program_starts *starts, struct sg_err *err)
{
    const char *state = sg_env_word(&starts->facts, "state");
    if (err->code != SG_SUCCESS && strcmp(state, "running") == 0 && !undo(starts) &&
        starts->count > 0)
        sg_run_add_resume(err, SG_RESUME_WORDS, sg_env_word(&starts->facts, "command"),
                          starts->folder);
    if (starts->lock >= 0)
        close(starts->lock);
    sg_signals_let_go(&starts->before);
}

/* ---- a start ---- */

struct start {
    struct sg_program_starts *of;
    const struct sg_program_side *side;
    struct sg_failure failure;
    enum sg_status status;
    struct sg_text why; /* owned; of a status that is not ok */
};

static enum sg_code take_gpu(struct sg_program_starts *starts, const char *name, struct sg_err *err)
{
    const char *was = sg_env_get(&starts->facts, "gpu_name");
    if (was && strcmp(was, name) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, starts->folder,
                       "this run was started on %s, found %s: start another run with another --out",
                       was, name);
    sg_env_set(&starts->facts, "gpu_name", name);
    starts->has_gpu = true;
    return was ? SG_SUCCESS : write_facts(starts, err);
}

static enum sg_code take_message(void *context, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct start *start = context;
    if (message->kind == SG_MESSAGE_ENV && strcmp(message->key, "gpu_name") == 0)
        return take_gpu(start->of, message->text, err);
    if (message->kind == SG_MESSAGE_FAIL)
        sg_take_failure(message, &start->failure);
    if (message->kind == SG_MESSAGE_STATUS) {
        start->status = message->status;
        sg_text_add(&start->why, message->text);
    }
    return SG_SUCCESS;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    const struct start *start = context;
    const struct sg_program_side *side = start->side;
    SG_SCOPED(sg_text) fate = {0};
    if (job->end.fate == SG_WORKER_STOPPED)
        return SG_SUCCESS;
    if (start->failure.code != SG_SUCCESS)
        return sg_fail(err, start->failure.code, NULL, "%s", start->failure.why);
    if (job->end.fate == SG_WORKER_LATE)
        return sg_fail(err, SG_UNDECLARED, side->name,
                       "no end after %g s: killed (--deadline); its output is in %s/%s.out",
                       job->deadline_s, start->of->folder, side->word);
    if (start->status == SG_CRASH)
        return sg_fail(err, SG_UNDECLARED, side->name, "%s; its output is in %s/%s.out",
                       start->why.data, start->of->folder, side->word);
    if (start->status != SG_OK)
        return sg_fail(err, SG_INVALID, side->word, "%s", start->why.data);
    if (job->end.said_bye)
        return SG_SUCCESS;
    sg_worker_describe(job, &fate);
    return sg_fail(err, SG_INVALID, side->word, "its worker ended early: %s", fate.data);
}

static enum sg_code make(struct sg_program_starts *starts, const struct sg_program_side *side,
                         const char *kept, struct sg_err *err)
{
    SG_SCOPED(sg_names) args = {0};
    SG_SCOPED(sg_text) worker = {0};
    struct start start = {.of = starts, .side = side, .status = SG_OK};
    if (sg_path_next_to_program(&worker, "solgate-worker", err) != SG_SUCCESS)
        return err->code;
    sg_names_add(&args, worker.data);
    sg_names_add(&args, "--pass=trace");
    sg_names_addf(&args, "--out=%s", starts->folder);
    sg_names_addf(&args, "--keep=%s", kept);
    sg_names_addf(&args, "--item=exec/%s/program", side->word);
    if (starts->has_gpu)
        sg_names_addf(&args, "--gpu-name=%s", sg_env_word(&starts->facts, "gpu_name"));
    sg_names_add(&args, "--");
    for (size_t i = 0; side->argv[i]; i++)
        sg_names_add(&args, side->argv[i]);
    struct sg_worker_job job = {.argv = (const char *const *)args.items,
                                .pass = "trace",
                                .deadline_s = starts->deadline_s,
                                .start_up_s = SG_DEADLINE_DEFAULT_S,
                                .context = &start,
                                .on_message = take_message,
                                .on_end = take_end};
    sg_workers_run(&job, 1, 1, err);
    return err->code;
}

enum sg_code sg_program_starts_take(struct sg_program_starts *starts,
                                    const struct sg_program_side *side, unsigned number,
                                    sg_take_trace *take, void *given, struct sg_err *err)
{
    SG_FORMATTED(kept, "%s/" STARTS "/%02u-%s", starts->folder, number, side->word);
    if (!sg_is_folder(kept.data) && make(starts, side, kept.data, err) != SG_SUCCESS)
        return err->code;
    starts->count++;
    return sg_exec_read(kept.data, take, given, err);
}
