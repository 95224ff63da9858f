#include "results/terms.h"

#include <math.h>
#include <string.h>

#include "results/settings.h"
#include "util/names.h"

#define SAME 1e-8 /* relative difference of two equal numbers after rounding to nine digits */

enum looser { LARGER, SMALLER, OTHER };

/* A name that ends in an underscore applies to all names with that prefix. */
struct term {
    const char *name;
    enum looser looser;
};

static const struct term of_items[] = {
    {SG_TERM_RMS, LARGER},       {SG_TERM_MAX, LARGER},    {SG_TERM_REPEATS, SMALLER},
    {SG_TERM_INTEGERS, SMALLER}, {SG_TERM_BUFFERS, OTHER}, {"role", OTHER},
    {"work_", SMALLER},
};

static enum sg_term_change change_of(enum looser looser, double was, double is)
{
    if (fabs(is - was) <= SAME * fabs(was))
        return SG_TERM_SAME;
    const bool is_looser = looser == LARGER ? is > was : looser == SMALLER ? is < was : true;
    return is_looser || isnan(is) || isnan(was) ? SG_TERM_LOOSER : SG_TERM_TIGHTER;
}

static const struct term *term_of_item(const char *metric)
{
    for (size_t i = 0; i < sizeof(of_items) / sizeof(of_items[0]); i++) {
        const char *name = of_items[i].name;
        const size_t length = strlen(name);
        if (name[length - 1] == '_' ? strncmp(name, metric, length) == 0
                                    : strcmp(name, metric) == 0)
            return &of_items[i];
    }
    return NULL;
}

bool sg_is_term(const char *metric)
{
    return term_of_item(metric) != NULL;
}

enum sg_term_change sg_term_compare(const char *metric, const struct sg_value *was,
                                    const struct sg_value *is)
{
    if (!(was->has & SG_HAS_VALUE) && !(is->has & SG_HAS_VALUE))
        return strcmp(was->message, is->message) == 0 ? SG_TERM_SAME : SG_TERM_LOOSER;
    return change_of(term_of_item(metric)->looser, was->has & SG_HAS_VALUE ? was->value : NAN,
                     is->has & SG_HAS_VALUE ? is->value : NAN);
}

/* The numbers of rounds and launches are not terms: fewer widen the error of a time, which the
 * verdict reports. Fewer processes may miss a slow state. False: the key is not a term. */
static bool is_term_of_run(const char *key, enum looser *looser)
{
    const struct sg_setting *setting = sg_setting_of_env(key);
    const unsigned uses = setting ? setting->uses : 0;
    *looser = uses & SG_LARGER_IS_LOOSER ? LARGER : uses & SG_SMALLER_IS_LOOSER ? SMALLER : OTHER;
    return strcmp(key, SG_DRIFT_LIMITS_KEY) == 0 ||
           (*looser != OTHER && !(uses & SG_IN_FAMILY && !strchr(key, '.')));
}

/* The value of an absent key: the default, which older files imply. Every family has its own
 * tolerance, so an absent one is unknown. */
static const char *absent_value(const char *key, struct sg_text *out)
{
    const struct sg_setting *setting = sg_setting_of_env(key);
    const struct sg_settings standard = sg_settings_of_defaults();
    if (setting && (setting->uses & SG_IF_SET || !(setting->uses & SG_IN_FAMILY)))
        sg_setting_format(setting, &standard, out);
    return out->data;
}

static double number_of(const char *value)
{
    double number = NAN;
    if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
        return *value == 'y';
    return sg_parse_double(value, false, &number) ? number : NAN;
}

static void compare_key(const char *key, const char *was, const char *is, sg_term_fn *take,
                        void *context)
{
    SG_SCOPED(sg_text) standard = {0};
    enum looser looser;
    if (!is_term_of_run(key, &looser))
        return;
    was = was ? was : absent_value(key, &standard);
    is = is ? is : absent_value(key, &standard);
    if (!was || !is || strcmp(was, is) == 0)
        return;
    const enum sg_term_change change = change_of(looser, number_of(was), number_of(is));
    if (change != SG_TERM_SAME)
        take(context, key, change, was, is);
}

/* Reports the metrics that were counted and are no longer requested. */
static void compare_metrics(const char *was, const char *is, sg_term_fn *take, void *context)
{
    SG_SCOPED(sg_text) gone = {0};
    SG_SCOPED(sg_names) before = {0}, now = {0};
    sg_names_add_split(&before, was ? was : "", '+');
    sg_names_add_split(&now, is ? is : "", '+');
    for (size_t i = 0; is && i < before.count; i++)
        if (!sg_names_have(&now, before.items[i]))
            sg_text_addf(&gone, "%s%s", gone.length > 0 ? "+" : "", before.items[i]);
    if (gone.length > 0)
        take(context, "metrics", SG_TERM_LOOSER, gone.data, "not requested");
}

void sg_terms_compare_env(const struct sg_env *was, const struct sg_env *is, sg_term_fn *take,
                          void *context)
{
    for (size_t i = 0; i < was->count; i++)
        compare_key(was->key[i], was->value[i], sg_env_get(is, was->key[i]), take, context);
    for (size_t i = 0; i < is->count; i++)
        if (!sg_env_get(was, is->key[i]))
            compare_key(is->key[i], NULL, is->value[i], take, context);
    compare_metrics(sg_env_get(was, "metrics"), sg_env_get(is, "metrics"), take, context);
}
