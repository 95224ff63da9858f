#include "results/terms.h"

#include <math.h>
#include <string.h>

#include "util/names.h"

#define SAME 1e-8 /* relative difference of two equal numbers after rounding to nine digits */

enum looser { LARGER, SMALLER, OTHER };

/* A name that ends in a dot or an underscore applies to all names with that prefix. */
struct term {
    const char *name;
    enum looser looser;
    const char *standard; /* value of an absent key of env.csv; NULL: unknown */
};

static const struct term of_items[] = {
    {SG_TERM_RMS, LARGER, NULL},      {SG_TERM_MAX, LARGER, NULL},
    {SG_TERM_REPEATS, SMALLER, NULL}, {SG_TERM_INTEGERS, SMALLER, NULL},
    {SG_TERM_BUFFERS, OTHER, NULL},   {"role", OTHER, NULL},
    {"work_", SMALLER, NULL},
};

/* The numbers of rounds and launches are not terms: fewer widen the error of a time, which the
 * verdict reports. Fewer processes may miss a slow state. */
static const struct term of_runs[] = {
    {"tolerance.", LARGER, NULL},  {SG_TOLERANCE_MAX_KEY, LARGER, "0.1"},
    {"processes", SMALLER, NULL},  {"repeats", SMALLER, "1"},
    {SG_GATE_PREFIX, OTHER, "no"}, {SG_DRIFT_LIMITS_KEY, OTHER, NULL},
};

static const struct term *find(const struct term *terms, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(terms[i].name);
        const bool is_prefix = terms[i].name[length - 1] == '.' || terms[i].name[length - 1] == '_';
        if (is_prefix ? strncmp(terms[i].name, name, length) == 0
                      : strcmp(terms[i].name, name) == 0)
            return &terms[i];
    }
    return NULL;
}

static enum sg_term_change change_of(const struct term *term, double was, double is)
{
    if (fabs(is - was) <= SAME * fabs(was))
        return SG_TERM_SAME;
    const bool looser = term->looser == LARGER    ? is > was
                        : term->looser == SMALLER ? is < was
                                                  : true;
    return looser || isnan(is) || isnan(was) ? SG_TERM_LOOSER : SG_TERM_TIGHTER;
}

static const struct term *term_of_item(const char *metric)
{
    return find(of_items, sizeof(of_items) / sizeof(of_items[0]), metric);
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
    return change_of(term_of_item(metric), was->has & SG_HAS_VALUE ? was->value : NAN,
                     is->has & SG_HAS_VALUE ? is->value : NAN);
}

static void compare_key(const char *key, const char *was, const char *is, sg_term_fn *take,
                        void *context)
{
    const struct term *term = find(of_runs, sizeof(of_runs) / sizeof(of_runs[0]), key);
    double a = NAN, b = NAN;
    if (!term)
        return;
    was = was ? was : term->standard;
    is = is ? is : term->standard;
    if (!was || !is || strcmp(was, is) == 0)
        return;
    const bool are_numbers = sg_parse_double(was, false, &a) && sg_parse_double(is, false, &b);
    const enum sg_term_change change = are_numbers                     ? change_of(term, a, b)
                                       : strcmp(key, "processes") == 0 ? SG_TERM_LOOSER
                                       : strcmp(is, "yes") == 0        ? SG_TERM_TIGHTER
                                                                       : SG_TERM_LOOSER;
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
        take(context, "metrics", SG_TERM_LOOSER, gone.data, "not asked for");
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
