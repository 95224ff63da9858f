#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue_files.h"
#include "util/paths.h"

#define RAW_NAME_MAX 127  /* bytes; CUPTI's longest names have 95 */
#define RAW_KNOWN    2048 /* `ncu --set full` has about 1000 */
#define RAW_FLOOR    0.02 /* ratio; the floor of most noisy counters in metrics.ini */

static int by_name(const void *a, const void *b)
{
    const struct sg_metric *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* Allocates room for raw counters, so that no metric ever moves. */
static void index_names(struct sg_catalogue *catalogue)
{
    size_t capacity = catalogue->count;
    catalogue->metrics = sg_grow(catalogue->metrics, &capacity, catalogue->count + RAW_KNOWN,
                                 sizeof(*catalogue->metrics));
    catalogue->by_name = sg_alloc(catalogue->count + RAW_KNOWN, sizeof(struct sg_metric *));
    for (size_t i = 0; i < catalogue->count; i++)
        catalogue->by_name[i] = &catalogue->metrics[i];
    qsort(catalogue->by_name, catalogue->count, sizeof(struct sg_metric *), by_name);
}

static int is_called(const void *name, const void *metric)
{
    const struct sg_metric *const *found = metric;
    return strcmp(name, (*found)->name);
}

const struct sg_metric *sg_catalogue_find(const struct sg_catalogue *catalogue, const char *name)
{
    if (catalogue->count == 0)
        return NULL;
    struct sg_metric **found =
        bsearch(name, catalogue->by_name, catalogue->count, sizeof(*catalogue->by_name), is_called);
    return found ? *found : NULL;
}

static size_t prefix_of(const char *name)
{
    static const char *const prefixes[] = {SG_RAW_PREFIX, SG_TOOL_PREFIX};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return strlen(prefixes[i]);
    return 0;
}

struct sg_metric_shown sg_metric_shown(const char *metric, const char *unit)
{
    const bool is_stall =
        strncmp(metric, SG_STALL, strlen(SG_STALL)) == 0 && strcmp(unit, "%") == 0;
    return is_stall ? (struct sg_metric_shown){0.01, "warp cycles/inst"}
                    : (struct sg_metric_shown){1, unit};
}

bool sg_metric_is_raw(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const size_t prefix = prefix_of(name), length = strlen(name);
    return prefix > 0 && length > prefix && length <= RAW_NAME_MAX &&
           strspn(name + prefix, allowed) == length - prefix;
}

/* The catalogue owns the metric, like those of metrics.ini. */
static struct sg_metric raw_metric(const char *name, const char *unit)
{
    const bool is_counter = strncmp(name, SG_RAW_PREFIX, strlen(SG_RAW_PREFIX)) == 0;
    struct sg_metric metric = {
        .name = sg_copy_string(name),
        .unit = sg_copy_string(unit),
        .better = SG_NEITHER,
        .klass = SG_NOISY,
        .source = &sg_source_cupti,
        .floor_ratio = RAW_FLOOR,
        .keys = sg_alloc(1, sizeof(*metric.keys)),
        .key_count = 1,
        .meaning = sg_copy_string(is_counter ? "requested by its CUPTI name, in CUPTI's unit"
                                             : "named as in the imported tool"),
    };
    metric.keys[0] =
        (struct sg_metric_key){sg_copy_string("*"), sg_copy_string(name + prefix_of(name))};
    return metric;
}

void sg_catalogue_add_raw(struct sg_catalogue *catalogue, const char *name, const char *unit)
{
    size_t at = catalogue->count;
    if (catalogue->raw_count == RAW_KNOWN || sg_catalogue_find(catalogue, name))
        return;
    struct sg_metric *added = &catalogue->metrics[catalogue->count++];
    *added = raw_metric(name, unit);
    catalogue->raw_count++;
    for (; at > 0 && strcmp(catalogue->by_name[at - 1]->name, name) > 0; at--)
        catalogue->by_name[at] = catalogue->by_name[at - 1];
    catalogue->by_name[at] = added;
}

const struct sg_group *sg_catalogue_group(const struct sg_catalogue *catalogue, const char *name)
{
    return SG_FIND(catalogue->groups, catalogue->group_count, name, name);
}

bool sg_metric_explains(const struct sg_metric *metric)
{
    return metric->source->is_counted || metric->source->of_code;
}

/* Names of the inputs of a derived metric; NULL: none. */
static const char *const *inputs_of(const struct sg_metric *metric)
{
    return metric->source->inputs ? metric->source->inputs(sg_metric_key(metric, "*")) : NULL;
}

/* Inputs must exist and must have no inputs themselves, so that one pass over a selection
 * collects all. */
static enum sg_code check_inputs(const struct sg_catalogue *catalogue,
                                 const struct sg_metric *metric, const char *path,
                                 struct sg_err *err)
{
    const char *const *inputs = inputs_of(metric);
    for (size_t i = 0; inputs && inputs[i]; i++) {
        const struct sg_metric *input = sg_catalogue_find(catalogue, inputs[i]);
        if (!input || !input->source->is_counted || input->source->inputs)
            return sg_fail_at(err, SG_BAD_INPUT, path, metric->line,
                              "[%s] from: expected a counted metric, found '%s', which is %s",
                              metric->name, inputs[i],
                              input ? input->source->word : "not in this file");
    }
    return SG_SUCCESS;
}

static enum sg_code load_metrics(struct sg_catalogue *catalogue, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    if (sg_path_in_home(&path, "metrics/metrics.ini", err) != SG_SUCCESS ||
        sg_metric_file_read(sg_text_string(&path), &catalogue->metrics, &catalogue->count, err) !=
            SG_SUCCESS)
        return err->code;
    index_names(catalogue);
    for (size_t i = 0; i < catalogue->count && err->code == SG_SUCCESS; i++)
        check_inputs(catalogue, &catalogue->metrics[i], sg_text_string(&path), err);
    return err->code;
}

enum sg_code sg_catalogue_load(struct sg_catalogue *catalogue, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    *catalogue = (struct sg_catalogue){0};
    if (load_metrics(catalogue, err) == SG_SUCCESS &&
        sg_path_in_home(&folder, "metrics/groups", err) == SG_SUCCESS)
        sg_group_files_read(sg_text_string(&folder), catalogue, err);
    if (err->code != SG_SUCCESS)
        *catalogue = (struct sg_catalogue){0};
    return err->code;
}

/* Metrics in the order of their first request. */
struct selection {
    struct sg_catalogue *catalogue;
    const struct sg_metric **metrics;
    size_t count, capacity;
};

static void select_one(struct selection *selection, const struct sg_metric *metric)
{
    for (size_t i = 0; i < selection->count; i++)
        if (selection->metrics[i] == metric)
            return;
    *SG_APPEND(selection->metrics, selection->count, selection->capacity) = metric;
}

static void select_with_inputs(struct selection *selection, const struct sg_metric *metric)
{
    const char *const *inputs = inputs_of(metric);
    for (size_t i = 0; inputs && inputs[i]; i++)
        select_one(selection, sg_catalogue_find(selection->catalogue, inputs[i]));
    select_one(selection, metric);
}

static enum sg_code fail_unknown(const struct sg_catalogue *catalogue, const char *name,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_names) known = {0};
    for (size_t i = 0; i < catalogue->count; i++)
        sg_names_add(&known, catalogue->metrics[i].name);
    for (size_t i = 0; i < catalogue->group_count; i++)
        sg_names_add(&known, catalogue->groups[i].name);
    return sg_fail(err, SG_BAD_INPUT, NULL,
                   "expected a metric, a group of metrics, or " SG_RAW_PREFIX
                   "NAME, found '%s'%s (solgate list metrics, list groups)",
                   sg_show_string(name).text, sg_names_hint(&known, name).text);
}

static enum sg_code select_name(struct selection *selection, const char *name, struct sg_err *err)
{
    const bool is_new = strncmp(name, SG_RAW_PREFIX, strlen(SG_RAW_PREFIX)) == 0 &&
                        sg_metric_is_raw(name) && !sg_catalogue_find(selection->catalogue, name);
    if (is_new && selection->catalogue->raw_count >= SG_RAW_MAX)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "expected at most %d counters by their names in CUPTI, found one more: %s",
                       SG_RAW_MAX, name);
    if (is_new)
        sg_catalogue_add_raw(selection->catalogue, name, "1");
    const struct sg_group *group = sg_catalogue_group(selection->catalogue, name);
    const struct sg_metric *metric = group ? NULL : sg_catalogue_find(selection->catalogue, name);
    if (!group && !metric)
        return fail_unknown(selection->catalogue, name, err);
    if (metric && !metric->source->is_counted)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected a metric that is counted, found '%s', which is in every run",
                       name);
    for (size_t i = 0; group && i < group->count; i++)
        select_with_inputs(selection, group->metrics[i]);
    if (metric)
        select_with_inputs(selection, metric);
    return SG_SUCCESS;
}

enum sg_code sg_catalogue_select(struct sg_catalogue *catalogue, const char *const *names,
                                 size_t name_count, const struct sg_metric ***selected,
                                 size_t *count, struct sg_err *err)
{
    struct selection selection = {.catalogue = catalogue};
    for (size_t i = 0; i < name_count && err->code == SG_SUCCESS; i++)
        select_name(&selection, names[i], err);
    if (err->code != SG_SUCCESS)
        selection = (struct selection){0};
    *selected = selection.metrics;
    *count = selection.count;
    return err->code;
}
