#include "catalogue/catalogue_files.h"

#include <string.h>

#include "util/ini_fields.h"
#include "util/paths.h"
#include "util/text.h"

static const char group_ending[] = ".group";

struct reader {
    struct sg_group group;
    const struct sg_catalogue *catalogue;
    size_t capacity; /* capacity of group.metrics */
};

static enum sg_code add_metric(struct reader *reader, const char *name, struct sg_err *err)
{
    struct sg_group *group = &reader->group;
    const struct sg_ini_entry one = {.value = name};
    const struct sg_metric *metric = sg_catalogue_find(reader->catalogue, name);
    if (!metric)
        return sg_refuse_value(&one, "a metric of metrics.ini", err);
    if (!metric->source->is_counted)
        return sg_refuse_value(
            &one, "a metric that is counted (times and the model are in every run)", err);
    for (size_t i = 0; i < group->count; i++)
        if (group->metrics[i] == metric)
            return sg_refuse_value(&one, "each metric once", err);
    *SG_APPEND(group->metrics, group->count, reader->capacity) = metric;
    return SG_SUCCESS;
}

/* Names separated by blanks. */
static enum sg_code take_metrics(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    (void)field;
    sg_names_add_split(&names, entry->value, ' ');
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++)
        add_metric(place, names.items[i], err);
    return err->code;
}

static const struct sg_field group_fields[] = {
    SG_FIELD(STRING, "title", struct reader, group.title, .required = true),
    SG_FIELD(STRING, "read", struct reader, group.read, .required = true, .repeats = true),
    {.name = "metric", .take = take_metrics, .repeats = true},
    {0},
};

static enum sg_code check_group(const struct reader *reader, const char *path, long line,
                                struct sg_err *err)
{
    const struct sg_group *group = &reader->group;
    if (group->count == 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "expected at least one metric in the group, found none");
    if (!sg_is_name(group->name))
        return sg_fail(err, SG_BAD_INPUT, path, "expected a file name of [a-z0-9_] before %s",
                       group_ending);
    if (sg_catalogue_find(reader->catalogue, group->name))
        return sg_fail(err, SG_BAD_INPUT, path,
                       "the group has the name of a metric; a list of names could mean either");
    return SG_SUCCESS;
}

static enum sg_code read_group(const char *folder, const char *file,
                               const struct sg_catalogue *catalogue, struct sg_group *group,
                               struct sg_err *err)
{
    struct reader reader = {.catalogue = catalogue};
    SG_SCOPED(sg_text) path = {0}, name = {0};
    sg_text_addf(&path, "%s/%s", folder, file);
    sg_text_add_bytes(&name, file, strlen(file) - strlen(group_ending));
    reader.group.name = sg_copy_string(sg_text_string(&name));
    struct sg_fields fields = {.field = group_fields, .record = &reader};
    if (sg_fields_read(path.data, "group", &fields, err) == SG_SUCCESS)
        check_group(&reader, path.data, fields.line, err);
    *group = reader.group;
    return err->code;
}

enum sg_code sg_group_files_read(const char *folder, struct sg_catalogue *catalogue,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    if (sg_list_files(folder, group_ending, &files, err) != SG_SUCCESS)
        return err->code;
    catalogue->groups = sg_alloc(files.count, sizeof(*catalogue->groups));
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++)
        catalogue->group_count +=
            read_group(folder, files.items[i], catalogue, &catalogue->groups[i], err) == SG_SUCCESS;
    return err->code;
}
