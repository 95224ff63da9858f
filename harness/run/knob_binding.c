/* Knobs that are set: read from a file, held against what the modules have, told to workers and
 * to whoever takes the run up again. */
#include "run/pipeline_internal.h"

#include <string.h>

#include "plan/knob_file.h"
#include "results/env.h"

static bool is_in_suite(const struct sg_pipeline *p, const char *family)
{
    for (size_t i = 0; i < p->suite->family_count; i++)
        if (strcmp(p->suite->families[i].name, family) == 0)
            return true;
    return false;
}

static enum sg_code check_knobs(const struct sg_listed_variant *variant, const struct sg_setting *setting, const char *path,
                                struct sg_err *err)
{
    for (size_t i = 0; i < setting->count && err->code == SG_SUCCESS; i++) {
        const char *name = setting->knob[i].name;
        struct sg_text known = {0};
        bool there = false;
        for (size_t k = 0; k < variant->knob_count; k++) {
            sg_text_addf(&known, "%s%s", k ? ", " : "", variant->knob[k].name);
            there |= strcmp(variant->knob[k].name, name) == 0;
        }
        if (!there && known.length > 0)
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line, "no knob of %s/%s is called %s; known: %s", setting->family, variant->name,
                       name, known.data);
        else if (!there)
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line, "%s/%s has no knobs, found %s", setting->family, variant->name, name);
        sg_text_release(&known);
    }
    return err->code;
}

enum sg_code sg_setting_check(const struct sg_setting *setting, const struct sg_listed_family *family, const char *path, struct sg_err *err)
{
    const struct sg_listed_variant *variant = sg_listed_variant_find(family, setting->variant);
    if (!variant)
        return sg_fail_at(err, SG_BAD_INPUT, path, setting->line,
                          "family %s has no variant %s (it has %zu; `solgate list variants` shows them)", family->name, setting->variant,
                          family->variant_count);
    if (!sg_listed_case_find(family, setting->case_))
        return sg_fail_at(err, SG_BAD_INPUT, path, setting->line, "family %s has no case %s (it has %zu; `solgate list cases` shows them)",
                          family->name, setting->case_, family->case_count);
    return check_knobs(variant, setting, path, err);
}

enum sg_code sg_pipeline_configure(struct sg_pipeline *p, struct sg_err *err)
{
    const char *path = p->options->config ? p->options->config : p->suite->config;
    if (!path || sg_knob_file_read(path, &p->settings, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < p->settings.count && err->code == SG_SUCCESS; i++) {
        const struct sg_setting *setting = &p->settings.items[i];
        const struct sg_listed_family *family = sg_module_list_find(p->listing, setting->family);
        if (family)
            sg_setting_check(setting, family, path, err);
        else if (!is_in_suite(p, setting->family)) /* one that --family left out is in no listing */
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line, "expected a family of this run, found %s", setting->family);
    }
    return err->code;
}

const struct sg_setting *sg_pipeline_setting(const struct sg_pipeline *p, const struct sg_item *item)
{
    return sg_settings_find(&p->settings, item->family->name, item->case_->name, item->variant->name);
}

static void add_setting(const struct sg_setting *setting, struct sg_names *args)
{
    struct sg_text text = {0};
    sg_setting_format(setting, &text);
    sg_names_addf(args, "--setting=%s", text.data);
    sg_text_release(&text);
}

void sg_args_settings(struct sg_names *args, const struct sg_pipeline *p, const size_t *steps, size_t count)
{
    for (size_t i = 0; i < p->settings.count; i++) {
        const struct sg_setting *setting = &p->settings.items[i];
        bool wanted = false;
        for (size_t k = 0; k < count && !wanted; k++) {
            const struct sg_step *step = &p->steps[steps[k]];
            wanted = sg_pipeline_setting(p, &step->item) == setting ||
                     (step->baseline && sg_pipeline_setting(p, &step->baseline->item) == setting);
        }
        if (wanted)
            add_setting(setting, args);
    }
}

void sg_pipeline_set_settings(const struct sg_pipeline *p, struct sg_env *env)
{
    struct sg_text text = {0};
    size_t count = 0;
    for (size_t i = 0; i < p->plan.count; i++) {
        const struct sg_setting *setting = sg_pipeline_setting(p, &p->plan.items[i]);
        if (!setting)
            continue;
        struct sg_text key = {0};
        sg_text_release(&text);
        sg_text_addf(&key, SG_SETTING_PREFIX "%s.%s.%s", setting->family, setting->case_, setting->name);
        sg_setting_add_knobs(setting, &text);
        sg_env_set(env, key.data, text.data);
        sg_text_release(&key);
        count++;
    }
    /* How many there are: one that is taken away must show, too. */
    sg_text_release(&text);
    sg_text_addf(&text, "%zu", count);
    sg_env_set(env, SG_SETTINGS_KEY, text.data);
    sg_text_release(&text);
}
