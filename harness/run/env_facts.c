/* What workers say of the machine: which facts there are, what they look like, and which of
 * them must stay the same in one run. */
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/throttle_reasons.h"
#include "run/execution_internal.h"
#include "util/digest.h"

enum form { WORDS, NUMBER, TEMPERATURE, HASH, SOURCE, EVENTS };

/* All there are: whatever else is in env.csv is solgate's own, and no worker's to say. */
static const struct {
    const char *key;
    enum form form;
    bool is_identity; /* times of two of them are no one run's */
} facts[] = {
    {"gpu_name", WORDS, true},       {"chip", WORDS, true},
    {"gpu_uuid_hash", HASH, true},   {"driver", WORDS, true},
    {"time_source", SOURCE, true},   {"sm_count", NUMBER, true},
    {"cuda", WORDS, true},           {"cupti", WORDS, true},
    {"l2_bytes", NUMBER, false},     {"sm_clock_max_hz", NUMBER, false},
    {"mem_clock_hz", NUMBER, false}, {"power_cap_w", NUMBER, false},
    {"power_w", NUMBER, false},      {"temperature_c", TEMPERATURE, false},
    {"mig", NUMBER, false},          {"event_reasons", EVENTS, false},
};
#define FACT_COUNT (sizeof(facts) / sizeof(facts[0]))

static bool is_source(const char *value)
{
    static const char *const sources[] = {"cupti_activity", "cuda_event", "simulated"};
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (strcmp(value, sources[i]) == 0)
            return true;
    return false;
}

static bool has_form(enum form form, const char *value)
{
    double number = 0;
    uint64_t events = 0;
    switch (form) {
    case NUMBER:
        return sg_parse_double(value, false, &number) && number >= 0;
    case TEMPERATURE:
        return sg_parse_double(value, false, &number);
    case HASH:
        return sg_is_digest(value);
    case SOURCE:
        return is_source(value);
    case EVENTS:
        return sg_throttle_reasons_parse(value, &events);
    default:
        return *value != '\0';
    }
}

/* Adds the words of `more` that are not in *reasons yet; words are joined by +. */
static void add_reasons(struct sg_env *env, const char *more)
{
    const char *known = sg_env_get(env, "event_reasons");
    struct sg_text all = {0};
    sg_text_add(&all, known ? known : "");
    while (*more) {
        size_t length = strcspn(more, "+");
        bool there = false;
        for (const char *at = sg_text_string(&all); *at && !there; at += strcspn(at, "+"), at += *at == '+')
            there = strcspn(at, "+") == length && strncmp(at, more, length) == 0;
        if (!there && length > 0) {
            sg_text_add(&all, all.length ? "+" : "");
            sg_text_add_bytes(&all, more, length);
        }
        more += length + (more[length] == '+');
    }
    sg_env_set(env, "event_reasons", sg_text_string(&all));
    sg_text_release(&all);
}

static enum sg_code name_gpu(struct sg_env *env, bool needs_gpu, const char *device_name, struct sg_err *err)
{
    if (!needs_gpu) {
        sg_env_set(env, "gpu", SG_NULL_GPU);
        return SG_SUCCESS;
    }
    char *key = NULL;
    if (sg_gpu_key_for(device_name, &key, err) == SG_SUCCESS)
        sg_env_set(env, "gpu", *key ? key : "unknown");
    free(key);
    return err->code;
}

enum sg_code sg_execution_take_env(struct sg_execution *e, bool needs_gpu, const struct sg_message *m, struct sg_err *err)
{
    struct sg_env *env = &e->sink->folder.env;
    const char *key = m->field[0], *value = m->field[1], *known = sg_env_get(env, key);
    size_t fact = 0;
    if (strncmp(key, SG_CODE_PREFIX, strlen(SG_CODE_PREFIX)) == 0)
        return sg_execution_take_code(e, m, err);
    while (fact < FACT_COUNT && strcmp(facts[fact].key, key) != 0)
        fact++;
    if (fact == FACT_COUNT || !has_form(facts[fact].form, value))
        return sg_fail(err, SG_INVALID, NULL, "env: expected a fact of the machine, found '%s' as '%s'", sg_show(key, strlen(key)).text,
                       sg_show(value, strlen(value)).text);
    // Beside a real GPU, what the simulated one says of itself is no fact of the run.
    if (!needs_gpu && sg_run_plan_needs_gpu(e->plan))
        return SG_SUCCESS;
    if (known && facts[fact].is_identity && strcmp(known, value) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, e->sink->folder.env_path, "this run was begun with %s \"%s\", and here it is \"%s\"", key,
                       known, value);
    e->sink->env_changed = true;
    if (facts[fact].form == EVENTS)
        add_reasons(env, value);
    else if (!known)
        sg_env_set(env, key, value);
    if (strcmp(key, "gpu_name") == 0 && !known)
        return name_gpu(env, needs_gpu, value, err);
    return SG_SUCCESS;
}

void sg_execution_note_end(struct sg_execution *e, const char *what, const struct sg_worker_job *job)
{
    static const char others[] = "; others, too";
    struct sg_text fate = {0}, text = {0};
    const char *before = sg_env_get(&e->sink->folder.env, SG_WORKER_ENDS_KEY);
    if (!sg_worker_died_behind_bye(&job->end))
        return;
    sg_worker_describe_fate(job, &fate);
    sg_progress_print(&e->progress, "%s: its worker was done, and then: %s", what, fate.data);
    if (!before)
        sg_text_addf(&text, "%s: %s", what, fate.data);
    else
        sg_text_addf(&text, "%s%s", before, strstr(before, others) ? "" : others);
    sg_env_set(&e->sink->folder.env, SG_WORKER_ENDS_KEY, text.data);
    e->sink->env_changed = true;
    sg_text_release(&fate);
    sg_text_release(&text);
}
