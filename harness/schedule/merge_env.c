#include "schedule/merge_env.h"

#include <string.h>

#include "results/parts.h"
#include "results/run_reader.h"
#include "results/units.h"
#include "util/names.h"

/* How the values of a fact are joined. */
enum how {
    EQUAL,   /* all parts that have it must agree */
    IF_SAME, /* of one GPU or one part: kept only if all parts agree */
    NOT,     /* never kept */
    MOST,    /* as words */
    LIST,    /* joined by + */
    COMMAND  /* EQUAL without --shard and --gpu */
};

static const struct {
    const char *key;
    enum how how;
} table[] = {
    {"date", MOST},
    {"command", COMMAND},
    {SG_SELECTION_KEY, COMMAND},
    {SG_SHARD_KEY, NOT},
    {SG_UNITS_KEY, NOT},
    {SG_DIGEST_KEY, NOT},
    {"unfit", NOT},             /* a row of the items */
    {"dropped_processes", NOT}, /* units.csv has these */
    {"neighbours", NOT},
    {SG_KNOB_COUNT_KEY, MOST},
    {SG_PAIRS_KEY, MOST},
    {SG_CHOICE_KEY, MOST},
    {SG_CHOICE_DRAWN_KEY, LIST},
    {SG_CHOICE_WHY_KEY, IF_SAME},
    {SG_TIMED_SINCE_KEY, IF_SAME},
    {SG_WORKER_ENDS_KEY, IF_SAME},
    {"gpu_uuid_hash", IF_SAME},
    {SG_HOST_KEY, IF_SAME},
    {SG_PCI_KEY, IF_SAME},
    {SG_VBIOS_KEY, IF_SAME},
    {"mig", IF_SAME},
    {"l2_bytes", IF_SAME},
    {"sm_clock_max_hz", IF_SAME},
    {"mem_clock_hz", IF_SAME},
    {"power_cap_w", IF_SAME},
    {"power_w", IF_SAME},
    {"temperature_c", IF_SAME},
    {"event_reasons", IF_SAME},
    {"events", IF_SAME},
};

static enum how how_of(const char *key)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].key, key) == 0)
            return table[i].how;
    return EQUAL;
}

/* Appends a command without the options that differ between parts. */
static void add_common(struct sg_text *out, const char *command)
{
    struct sg_err none = {0};
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_command(&words, command, &none);
    for (size_t i = 0; i < words.count; i++) {
        if (strncmp(words.items[i], "--shard=", strlen("--shard=")) == 0 ||
            strncmp(words.items[i], "--gpu=", strlen("--gpu=")) == 0)
            continue;
        sg_text_add(out, out->length > 0 ? " " : "");
        sg_text_add_word(out, words.items[i]);
    }
}

static enum sg_code fail_other(const struct sg_merge_part *parts, const char *key, const char *is,
                               const char *was, const char *path, struct sg_err *err)
{
    while (!sg_env_get(&parts->env, key))
        parts++;
    return sg_fail(err, SG_NOT_COMPARABLE, path, "%s is '%s' here, '%s' in %s", key,
                   sg_show_string(is).text, sg_show_string(was).text, parts->path);
}

/* Adds the index-th fact of a part. */
static enum sg_code add(const struct sg_merge_part *parts, const struct sg_merge_part *part,
                        size_t index, struct sg_env *env, struct sg_err *err)
{
    const char *key = part->env.key[index], *is = part->env.value[index],
               *was = sg_env_get(env, key);
    SG_SCOPED(sg_text) command = {0};
    const enum how how = how_of(key);
    if (how == COMMAND) {
        add_common(&command, is);
        is = sg_text_string(&command);
    }
    if (how == NOT || (was && strcmp(was, is) == 0))
        return SG_SUCCESS;
    if (!was || (how == MOST && strcmp(is, was) > 0))
        sg_env_set(env, key, is);
    else if (how == IF_SAME)
        sg_env_set(env, key, "");
    else if (how == LIST && *is)
        sg_env_setf(env, key, "%s%s%s", was, *was ? "+" : "", is);
    else if (how == EQUAL || how == COMMAND)
        return fail_other(parts, key, is, was, part->path, err);
    return SG_SUCCESS;
}

enum sg_code sg_merge_env(const struct sg_merge_part *parts, size_t count, struct sg_env *env,
                          struct sg_err *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].env.count && err->code == SG_SUCCESS; k++)
            /* A part without a case has not seen a GPU. */
            if (strcmp(parts[i].env.key[k], "gpu") != 0 || sg_env_get(&parts[i].env, "gpu_name"))
                add(parts, &parts[i], k, env, err);
    for (size_t i = env->count; i-- > 0;)
        if (!*env->value[i])
            sg_env_unset(env, env->key[i]);
    return err->code;
}
