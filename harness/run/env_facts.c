/* Facts of the machine that workers report, and which of them must stay equal within a run. */
#include <string.h>

#include "results/throttle_reasons.h"
#include "results/units.h"
#include "run/ask_gpus.h"
#include "run/execution_internal.h"

/* Facts that a worker may report. All other entries of env.csv are solgate's own. */
static const struct fact {
    const char *key;
    bool is_identity; /* times measured under different values do not belong to one run */
} facts[] = {
    {"gpu_name", true},
    {"chip", true},
    {"gpu_uuid_hash", true},
    {"driver", true},
    {"time_source", true},
    {"sm_count", true},
    {"cuda", true},
    {"cupti", true},
    {"l2_bytes", false},
    {"mig", false},
    {"sm_clock_max_hz", false},
    {"mem_clock_hz", false},
    {"power_cap_w", false},
    {"power_w", false},
    {"temperature_c", false},
    {"event_reasons", false},
    {SG_HOST_KEY, false},
    {SG_PCI_KEY, false},
    {SG_VBIOS_KEY, false},
};

/* Adds the events of `more`, words joined by +. Returns true if that changes the fact. */
static bool add_events(struct sg_env *env, const char *more)
{
    const char *known = sg_env_get(env, "event_reasons");
    uint64_t before = 0, events = 0;
    SG_SCOPED(sg_text) words = {0};
    sg_throttle_reasons_parse(known ? known : "", &before);
    sg_throttle_reasons_parse(more, &events);
    if (known && (before | events) == before)
        return false;
    sg_throttle_reasons_words(before | events, &words);
    sg_env_set(env, "event_reasons", sg_text_string(&words));
    return true;
}

static enum sg_code name_gpu(struct sg_env *env, bool needs_gpu, const char *device_name,
                             struct sg_err *err)
{
    if (!needs_gpu) {
        sg_env_set(env, "gpu", SG_NULL_GPU);
        return SG_SUCCESS;
    }
    SG_FREED char *key = NULL;
    if (sg_gpu_key_for(device_name, &key, err) == SG_SUCCESS)
        sg_env_set(env, "gpu", *key ? key : "unknown");
    return err->code;
}

enum sg_code sg_execution_take_env(struct sg_execution *e, bool needs_gpu,
                                   const struct sg_message *m, struct sg_err *err)
{
    struct sg_env *env = &e->sink->env;
    const char *key = m->key, *value = m->text, *known = sg_env_get(env, key);
    const struct fact *fact = SG_FIND(facts, sizeof(facts) / sizeof(facts[0]), key, key);
    if (strchr(key, '.')) /* digest of a family's module */
        return sg_execution_take_code(e, m, err);
    if (!fact || !*value)
        return sg_fail(err, SG_INVALID, NULL,
                       "env: expected a known key with a value, found '%s' as '%s'",
                       sg_show(key, strlen(key)).text, sg_show(value, strlen(value)).text);
    /* In a run on a real GPU, facts of the simulated one are ignored. */
    if (!needs_gpu && sg_run_plan_needs_gpu(e->plan))
        return SG_SUCCESS;
    if (known && fact->is_identity && strcmp(known, value) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, e->sink->env_path,
                       "this run has %s \"%s\", but this machine has \"%s\"", key, known, value);
    if (strcmp(key, "event_reasons") == 0) {
        e->sink->env_changed |= add_events(env, value);
    } else if (!known) {
        sg_env_set(env, key, value);
        e->sink->env_changed = true;
        if (strcmp(key, "gpu_name") == 0)
            return name_gpu(env, needs_gpu, value, err);
    }
    return SG_SUCCESS;
}

/* Without the CUDA toolkit the worker reports nothing; the run then only has the GPU's name. */
enum sg_code sg_execution_ask_facts(struct sg_execution *e, struct sg_err *err)
{
    struct sg_gpu gpu = {.number = e->options->gpu};
    if (sg_env_get(&e->sink->env, "driver"))
        return SG_SUCCESS;
    sg_gpus_ask(e->plan->modules->worker, "", &gpu, 1, err);
    for (size_t i = 0; i < gpu.facts.count && err->code == SG_SUCCESS; i++)
        sg_execution_take_env(
            e, true, &(struct sg_message){.key = gpu.facts.key[i], .text = gpu.facts.value[i]},
            err);
    return err->code;
}

void sg_execution_note_end(struct sg_execution *e, const char *pass, const struct sg_item *item,
                           const struct sg_worker_job *job)
{
    if (!sg_worker_died_behind_bye(&job->end))
        return;
    SG_FORMATTED(how, "%s", pass);
    if (item)
        sg_text_addf(&how, " %s/%s/%s", SG_ITEM_NAMES(item));
    sg_text_add(&how, ": its worker finished, then: ");
    sg_worker_describe_fate(job, &how);
    sg_progress_print(&e->progress, "%s", how.data);
    if (!sg_env_get(&e->sink->env, SG_WORKER_ENDS_KEY)) {
        sg_env_set(&e->sink->env, SG_WORKER_ENDS_KEY, how.data);
        e->sink->env_changed = true;
    }
}
