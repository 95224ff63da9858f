#include "schedule/run_on_gpus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/pool.h"
#include "results/run_folder.h"
#include "results/run_log.h"
#include "results/run_reader.h"
#include "results/units.h"
#include "run/execution.h"
#include "schedule/deal.h"
#include "schedule/gpus.h"
#include "schedule/merge.h"
#include "util/file.h"
#include "util/paths.h"

/* In names of folders: LOST begins that of a part that another GPU measured again; BEFORE_GPU
 * stands before the number of the GPU. */
#define LOST       "lost_"
#define BEFORE_GPU "_gpu"
#define PARTS      "parts" /* folder of the parts in the run's */

/* A part of the suite, which a child process measures. */
struct part {
    struct sg_text path;
    uint64_t gpu;
    struct sg_shards shards; /* none: other parts have its cases */
    bool is_old;             /* an earlier solgate began it */
    bool is_pending;         /* its GPU has to work on it */
};

struct worker {
    struct sg_gpu gpu;
    struct part *part; /* it works on this one; NULL: it waits */
    struct sg_names argv;
    size_t failures; /* of this part */
    double seconds;
};

struct pool {
    const struct sg_run_options *options;
    const struct sg_run_plan *plan;
    struct sg_text folder, parts, program;
    struct worker *workers;
    struct sg_worker_job *jobs; /* parallel to `workers` */
    size_t worker_count;
    struct part **part; /* owned */
    size_t part_count, part_capacity, folders;
    struct sg_deal deal;
    uint64_t seed;
    bool is_checked; /* an old part fits the options */
};

/* ---- parts ---- */

static bool is_finished(const struct part *part)
{
    SG_SCOPED(sg_env) env = {0};
    struct sg_err none = {0};
    return sg_run_read_env(part->path.data, &env, &none) == SG_SUCCESS;
}

/* Has the part an item of options->more? */
static bool has_more(const struct pool *pool, const struct part *part)
{
    bool found = false;
    for (size_t i = 0; i < pool->options->more.count && !found; i++) {
        SG_SCOPED(sg_names) name = {0};
        sg_names_add_split(&name, pool->options->more.items[i], '/');
        found = sg_shards_have(&part->shards, name.items[0], name.items[1]);
    }
    return found;
}

static struct part *add_part(struct pool *pool, const char *name, uint64_t gpu)
{
    struct part *part = sg_alloc(1, sizeof(*part));
    sg_text_addf(&part->path, "%s/%s", pool->parts.data, name);
    part->gpu = gpu;
    part->is_pending = true;
    *SG_APPEND(pool->part, pool->part_count, pool->part_capacity) = part;
    return part;
}

/* Gives the cases of a part back; its folder stays under another name. */
static void lose(struct pool *pool, struct part *part)
{
    SG_FORMATTED(path, "%s/" LOST "%s", pool->parts.data, strrchr(part->path.data, '/') + 1);
    rename(part->path.data, path.data);
    sg_deal_mark(&pool->deal, &part->shards, false);
    part->shards.count = 0;
    part->is_pending = false;
}

/* Frees the pending parts of GPUs that are not in the pool. */
static void free_parts(struct pool *pool)
{
    for (size_t i = 0; i < pool->part_count; i++) {
        struct part *part = pool->part[i];
        bool is_there = !part->is_pending;
        for (size_t k = 0; k < pool->worker_count; k++)
            is_there |=
                pool->workers[k].gpu.number == part->gpu && pool->workers[k].gpu.why.length == 0;
        if (!is_there && is_finished(part))
            part->is_pending = false;
        else if (!is_there)
            lose(pool, part);
    }
}

/* Takes over a part that an earlier solgate began. */
static enum sg_code take_over(struct pool *pool, struct part *part, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    SG_SCOPED(sg_env) env = {0};
    struct sg_err none = {0};
    sg_text_addf(&path, "%s/env.csv", part->path.data);
    sg_env_read(path.data, &env, &none);
    const char *shards = sg_env_word(&env, SG_SHARD_KEY);
    part->is_old = true;
    if (sg_shards_read(&part->shards, shards, &none) != SG_SUCCESS) {
        lose(pool, part); /* killed before it began */
        return SG_SUCCESS;
    }
    if (part->shards.of != pool->deal.of)
        return sg_fail(err, SG_NOT_COMPARABLE, part->path.data,
                       "this run was begun with another suite or selection: expected shards of "
                       "%" PRIu64 ", found %s",
                       pool->deal.of, shards);
    sg_deal_mark(&pool->deal, &part->shards, true);
    if (!pool->options->seed_given)
        sg_parse_u64(sg_env_word(&env, "seed"), &pool->seed);
    part->is_pending = !is_finished(part) || has_more(pool, part);
    /* A finished part starts no child that would check the options. A merge compares all parts. */
    struct sg_run_options options = *pool->options;
    options.filters.shards = part->shards;
    if (!pool->is_checked)
        sg_run_check_resumed(&options, part->path.data, err);
    pool->is_checked = true;
    return err->code;
}

static enum sg_code find_parts(struct pool *pool, struct sg_err *err)
{
    struct dirent **names;
    if (sg_make_folders(pool->parts.data, err) != SG_SUCCESS)
        return err->code;
    const int count = scandir(pool->parts.data, &names, NULL, alphasort);
    if (count < 0)
        return sg_fail(err, SG_SYSTEM, pool->parts.data, "cannot be listed: %s", strerror(errno));
    for (int i = 0; i < count && err->code == SG_SUCCESS; i++) {
        const char *name = names[i]->d_name, *at = strstr(name, BEFORE_GPU);
        uint64_t gpu;
        pool->folders++;
        if (strncmp(name, LOST, strlen(LOST)) != 0 && at &&
            sg_parse_u64(at + strlen(BEFORE_GPU), &gpu))
            take_over(pool, add_part(pool, name, gpu), err);
    }
    if (err->code == SG_SUCCESS)
        free_parts(pool);
    return err->code;
}

/* The next part of this GPU: one that it began, else a new one. NULL: there is none. */
static struct part *next_part(struct pool *pool, uint64_t gpu)
{
    size_t usable = 0;
    struct sg_err none = {0};
    for (size_t i = 0; i < pool->part_count; i++)
        if (pool->part[i]->is_pending && pool->part[i]->gpu == gpu)
            return pool->part[i];
    for (size_t i = 0; i < pool->worker_count; i++)
        usable += pool->workers[i].gpu.why.length == 0;
    const struct sg_shards shards = sg_deal_next(&pool->deal, usable);
    if (shards.count == 0)
        return NULL;
    SG_FORMATTED(name, "%04zu" BEFORE_GPU "%" PRIu64, pool->folders++, gpu);
    struct part *part = add_part(pool, name.data, gpu);
    part->shards = shards;
    sg_make_folders(part->path.data, &none); /* the child resumes this run, begun or not */
    return part;
}

/* ---- children ---- */

static bool is_late(const struct pool *pool)
{
    return pool->options->deadline_s > 0 && sg_monotonic_s() >= pool->options->deadline_s;
}

/* Starts a child that measures the worker's part. */
static void start(struct pool *pool, size_t index)
{
    struct worker *worker = &pool->workers[index];
    struct sg_names *argv = &worker->argv;
    struct sg_run_options options = *pool->options;
    SG_SCOPED(sg_text) command = {0};
    options.filters.shards = worker->part->shards;
    options.gpu = worker->gpu.number;
    options.gpus = 0;
    sg_run_command(&options, &command);
    sg_names_release(argv);
    sg_gpu_add_binding(&worker->gpu, argv);
    sg_names_add(argv, pool->program.data);
    sg_names_add_command(argv, command.data, SG_IGNORED);
    sg_names_addf(argv, "--out=%s", worker->part->path.data);
    sg_names_add(argv, "--resume");
    sg_names_addf(argv, "--jobs=%" PRIu64, options.jobs);
    sg_names_addf(argv, "--seed=%" PRIu64, pool->seed);
    if (options.timed_since)
        sg_names_addf(argv, "--timed-since%s%s", *options.timed_since ? "=" : "",
                      options.timed_since);
    if (options.deadline_s > 0)
        sg_names_addf(argv, "--budget=%.3fs", options.deadline_s - sg_monotonic_s());
    for (size_t i = 0; i < options.more.count; i++)
        sg_names_addf(argv, "--more=%s", options.more.items[i]);
    pool->jobs[index].argv = (const char *const *)argv->items;
    pool->jobs[index].started = false;
}

static void start_idle(struct pool *pool)
{
    for (size_t i = 0; i < pool->worker_count && !is_late(pool); i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->part || worker->gpu.why.length > 0)
            continue;
        worker->part = next_part(pool, worker->gpu.number);
        worker->failures = 0;
        if (worker->part)
            start(pool, i);
    }
}

/* Decides what the end of a child means for its part and its GPU. */
static void take_end(struct pool *pool, size_t index)
{
    struct worker *worker = &pool->workers[index];
    const struct sg_worker_job *job = &pool->jobs[index];
    struct part *part = worker->part;
    struct sg_text *why = &worker->gpu.why;
    worker->seconds += job->end.wall_s;
    if (job->end.fate != SG_WORKER_EXITED || job->end.exit_status != SG_EXIT_DONE)
        sg_gpus_ask(pool->plan->modules->worker, sg_text_string(&pool->plan->drift), &worker->gpu,
                    1, SG_IGNORED); /* is it still there? */
    if (why->length == 0 && is_finished(part)) {
        const size_t cases = sg_deal_mark(&pool->deal, &part->shards, true);
        fprintf(stderr, "GPU %" PRIu64 ": %zu case%s in %.0f s; %zu wait\n", part->gpu, cases,
                SG_PLURAL(cases), job->end.wall_s, pool->deal.left);
        part->is_pending = false;
    } else if (why->length == 0 && worker->failures++ == 0 && !is_late(pool)) {
        start(pool, index);
        return;
    } else if (why->length > 0 || !is_late(pool)) {
        if (why->length == 0 && !part->is_old) /* an old part may be of another GPU or code */
            sg_worker_describe(job, why);
        if (why->length > 0)
            fprintf(stderr, "GPU %" PRIu64 " leaves the pool: %s\n", part->gpu, why->data);
        lose(pool, part);
        free_parts(pool);
    }
    worker->part = NULL;
}

static enum sg_code on_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct pool *pool = context;
    if (job->end.fate == SG_WORKER_STOPPED)
        return err->code;
    take_end(pool, (size_t)(job - pool->jobs));
    start_idle(pool);
    pool->jobs[job - pool->jobs].again = true;
    return err->code;
}

static enum sg_code work(struct pool *pool, struct sg_err *err)
{
    pool->jobs = sg_alloc(pool->worker_count, sizeof(*pool->jobs));
    for (size_t i = 0; i < pool->worker_count; i++)
        pool->jobs[i] = (struct sg_worker_job){
            .deadline_s = HUGE_VAL, .context = pool, .on_end = on_end, .started = true};
    start_idle(pool);
    if (sg_workers_run(pool->jobs, pool->worker_count, pool->worker_count, err) != SG_SUCCESS)
        sg_run_add_resume(err, SG_RESUME_WORDS, pool->plan->command.data, pool->folder.data);
    return err->code;
}

/* ---- the run ---- */

/* A run that began on one GPU resumes on one GPU, and a run that began on several on several. */
static enum sg_code check_way(const struct sg_run_options *asked, struct sg_err *err)
{
    struct sg_run_options other = *asked;
    const bool is_one = asked->gpus == 0;
    SG_SCOPED(sg_text) command = {0}, theirs = {0};
    sg_text_addf(&theirs, "%s/%s", asked->out, is_one ? PARTS : SG_RUN_LOG_NAME);
    if (!asked->resume || access(theirs.data, F_OK) != 0)
        return err->code;
    other.gpus = is_one ? UINT64_MAX : 0;
    sg_run_command(&other, &command);
    sg_fail(err, SG_BAD_USAGE, asked->out,
            "expected a run that was begun on %s, found %s, which is of a run on %s",
            is_one ? "one GPU" : "several GPUs", is_one ? PARTS : SG_RUN_LOG_NAME,
            is_one ? "several" : "one");
    sg_run_add_resume(err, "resume with", command.data, asked->out);
    return err->code;
}

/* Locks the folder of the run, which is new, or was begun in the same way. */
static enum sg_code open_folder(struct pool *pool, int *lock, struct sg_err *err)
{
    const struct sg_run_options *options = pool->options;
    SG_FORMATTED(before, "out/%s-", pool->plan->suite->name);
    if (sg_choose_folder(options->out, before.data, &pool->folder, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&pool->parts, "%s/" PARTS, pool->folder.data);
    if (sg_make_folders(pool->folder.data, err) != SG_SUCCESS ||
        sg_path_next_to_program(&pool->program, "solgate", err) != SG_SUCCESS ||
        sg_run_folder_lock(pool->folder.data, lock, err) != SG_SUCCESS)
        return err->code;
    if (!options->resume || !sg_is_folder(pool->parts.data))
        sg_run_folder_check(pool->folder.data, NULL, err);
    return err->code;
}

/* Finds the GPUs, and prepares to deal the cases by the accepted numbers of their model. */
static enum sg_code find_gpus(struct pool *pool, struct sg_err *err)
{
    SG_SCOPED(sg_env) model = {0};
    SG_FREED char *key = NULL;
    const struct sg_gpu *gpus =
        sg_gpus_find(pool->plan, pool->options->gpus, &pool->worker_count, err);
    const char *name = "";
    const bool is_real = sg_run_plan_needs_gpu(pool->plan);
    pool->workers = sg_alloc(pool->worker_count, sizeof(*pool->workers));
    for (size_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].gpu = gpus[i];
        name = *name ? name : sg_env_word(&gpus[i].facts, "gpu_name");
        if (is_real && gpus[i].why.length == 0 && err->code == SG_SUCCESS)
            sg_unit_hold(sg_unit_of(&gpus[i].facts), err);
    }
    if (err->code == SG_SUCCESS && sg_gpu_key_for(name, &key, err) == SG_SUCCESS)
        sg_env_set(&model, "gpu", is_real ? key : SG_NULL_GPU);
    sg_env_set(&model, "suite", pool->plan->suite->name);
    sg_deal_begin(pool->plan, &pool->options->filters.shards, &model, &pool->deal);
    return err->code;
}

/* Adds a row for each item that no part has. */
static void add_missing(const struct pool *pool, struct sg_table *rows)
{
    SG_FORMATTED(why, "%s", is_late(pool) ? "the time budget was exhausted" : "");
    for (size_t i = 0; i < pool->worker_count; i++)
        if (pool->workers[i].gpu.why.length > 0)
            sg_text_addf(sg_text_next(&why), "GPU %" PRIu64 ": %s", pool->workers[i].gpu.number,
                         pool->workers[i].gpu.why.data);
    for (size_t i = 0; i < pool->plan->own_count; i++) {
        const struct sg_item *item = &pool->plan->items[i];
        if (!sg_deal_is_taken(&pool->deal, item))
            sg_item_row(rows, item, "status", "", SG_SKIPPED, sg_text_string(&why));
    }
}

/* Adds the GPUs that were there and left. */
static void add_lost(const struct pool *pool, struct sg_units *units)
{
    const struct sg_process_log none = {0};
    for (size_t i = 0; i < pool->worker_count; i++) {
        const struct sg_gpu *gpu = &pool->workers[i].gpu;
        struct sg_unit unit = sg_unit_make(&gpu->facts, &none);
        snprintf(unit.lost, sizeof(unit.lost), "%s", sg_text_string(&gpu->why));
        if (unit.lost[0] && gpu->facts.count > 0)
            sg_units_join(units, &unit);
    }
}

static enum sg_code merge(struct pool *pool, struct sg_err *err)
{
    SG_SCOPED(sg_names) parts = {0};
    SG_SCOPED(sg_units) lost = {0};
    SG_SCOPED(sg_table) missing = {0};
    SG_SCOPED(sg_text) env = {0};
    struct sg_merged merged;
    for (size_t i = 0; i < pool->part_count; i++) {
        struct part *part = pool->part[i];
        if (part->shards.count > 0 && is_finished(part))
            sg_names_add(&parts, part->path.data);
        else
            sg_deal_mark(&pool->deal, &part->shards, false);
    }
    add_missing(pool, &missing);
    add_lost(pool, &lost);
    if (parts.count == 0)
        return sg_fail(err, SG_INVALID, pool->folder.data,
                       "no part of the suite was measured: the lines above have a reason a GPU");
    sg_text_addf(&env, "%s/env.csv", pool->folder.data);
    unlink(env.data);
    return sg_merge(&(struct sg_merge_request){.parts = &parts,
                                               .folder = pool->folder.data,
                                               .part = &pool->options->filters.shards,
                                               .lost = &lost,
                                               .missing = &missing},
                    &merged, err);
}

/* Appends how long each GPU worked, and why it left the pool. */
static void add_seconds(const struct pool *pool, struct sg_text *out)
{
    double sum = 0;
    for (size_t i = 0; i < pool->worker_count; i++)
        sum += pool->workers[i].seconds;
    sg_text_addf(out, "%.1f GPU seconds:", sum);
    for (size_t i = 0; i < pool->worker_count; i++) {
        const struct worker *worker = &pool->workers[i];
        const char *why = sg_text_string(&worker->gpu.why);
        sg_text_addf(out, "%s GPU %" PRIu64 " %.1f s%s%s", i > 0 ? ";" : "", worker->gpu.number,
                     worker->seconds, *why ? ", left the pool: " : "", why);
    }
}

static enum sg_code run(struct pool *pool, struct sg_run_outcome *outcome, struct sg_err *err)
{
    if (find_gpus(pool, err) != SG_SUCCESS || find_parts(pool, err) != SG_SUCCESS)
        return err->code;
    sg_run_plan_print_simulated(pool->plan);
    if (work(pool, err) != SG_SUCCESS || merge(pool, err) != SG_SUCCESS ||
        sg_run_summarize(pool->options, pool->plan, pool->folder.data, outcome, err) != SG_SUCCESS)
        return err->code;
    sg_text_add(&outcome->checked, outcome->checked.length > 0 ? "\n" : "");
    add_seconds(pool, &outcome->checked);
    add_seconds(pool, &outcome->summary);
    sg_text_add(&outcome->summary, "\n");
    return err->code;
}

enum sg_code sg_run_on_gpus(const struct sg_run_options *options, struct sg_run_outcome *outcome,
                            struct sg_err *err)
{
    struct sg_run_inputs inputs = {.suite = {0}};
    struct sg_run_plan plan = {0};
    struct pool pool = {.options = options, .plan = &plan, .seed = options->seed};
    struct sg_run_options alone = *options;
    int lock = -1;
    sigset_t before;
    alone.gpus = 0;
    if (check_way(options, err) != SG_SUCCESS)
        return err->code;
    if (options->gpus == 0)
        return sg_run_suite(options, outcome, err);
    sg_signals_hold(&before);
    if (sg_run_plan_make(options, &inputs, &plan, err) == SG_SUCCESS && plan.own_count == 0)
        sg_run_suite(&alone, outcome, err); /* the shard has no case */
    else if (err->code == SG_SUCCESS && open_folder(&pool, &lock, err) == SG_SUCCESS)
        run(&pool, outcome, err);
    close(lock);
    sg_signals_let_go(&before);
    return err->code;
}
