#include "catalogue/group_file.h"

#include <stdlib.h>
#include <string.h>

#include "catalogue/ini_schema.h"
#include "util/paths.h"
#include "util/text.h"

static const char group_ending[] = ".group";

static const struct sg_field group_fields[] = {
    {.key = "title", .kind = SG_FIELD_TEXT, .offset = offsetof(struct sg_group, title), .required = true},
    {.key = "read", .kind = SG_FIELD_LINES, .offset = offsetof(struct sg_group, read), .required = true},
};

struct reader {
    const struct sg_catalogue *catalogue;
    struct sg_group group;
    size_t capacity; /* of group.metrics */
    long line;       /* where the section begins; 0: it has not */
};

static struct sg_fields fields_of(struct sg_group *group)
{
    return (struct sg_fields){
        .field = group_fields, .count = sizeof(group_fields) / sizeof(group_fields[0]), .record = group, .other = "metric"};
}

static enum sg_code add_metric(struct reader *reader, const char *name, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_group *group = &reader->group;
    const struct sg_ini_entry one = {.path = entry->path, .line = entry->line, .section = entry->section, .key = entry->key, .value = name};
    const struct sg_metric *metric = sg_catalogue_find(reader->catalogue, name);
    if (!metric)
        return sg_entry_refuse(&one, "a metric of metrics.ini", err);
    if (!metric->source->is_counted)
        return sg_entry_refuse(&one, "a metric that is counted (times and the model are in every run)", err);
    for (size_t i = 0; i < group->count; i++) {
        if (group->metrics[i] == metric)
            return sg_entry_refuse(&one, "each metric once", err);
    }
    *SG_APPEND(group->metrics, group->count, reader->capacity) = metric;
    return SG_SUCCESS;
}

/* Names between blanks. */
static enum sg_code add_metrics(struct reader *reader, const struct sg_ini_entry *entry, struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    sg_names_add_split(&names, entry->value, ' ');
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++)
        add_metric(reader, names.items[i], entry, err);
    return err->code;
}

static enum sg_code take(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    struct sg_fields fields = fields_of(&reader->group);
    if (strcmp(entry->section, "group") != 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected the section [group], found [%s]",
                          sg_show_string(entry->section).text);
    if (!entry->key) {
        reader->line = entry->line;
        return SG_SUCCESS;
    }
    if (strcmp(entry->key, "metric") == 0)
        return add_metrics(reader, entry, err);
    return sg_fields_set(&fields, entry, err);
}

static enum sg_code check_group(struct reader *reader, const char *path, struct sg_err *err)
{
    struct sg_group *group = &reader->group;
    struct sg_fields fields = fields_of(group);
    if (reader->line == 0)
        return sg_ini_fail_missing(path, "the section [group]", err);
    if (sg_fields_complete(&fields, path, reader->line, err) != SG_SUCCESS)
        return err->code;
    if (group->count == 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, reader->line, "expected at least one metric in the group, found none");
    if (!sg_is_name(group->name))
        return sg_fail(err, SG_BAD_INPUT, path, "expected a file name of [a-z0-9_] before %s", group_ending);
    if (sg_catalogue_find(reader->catalogue, group->name))
        return sg_fail(err, SG_BAD_INPUT, path, "the group has the name of a metric; a list of names could mean either");
    return SG_SUCCESS;
}

static void group_release(struct sg_group *group)
{
    free(group->name);
    free(group->title);
    free(group->read);
    free(group->metrics);
    *group = (struct sg_group){0};
}

/* "folder/NAME.group" -> a group. */
static enum sg_code read_group(const char *folder, const char *file, const struct sg_catalogue *catalogue, struct sg_group *group,
                               struct sg_err *err)
{
    struct reader reader = {.catalogue = catalogue};
    SG_SCOPED(sg_text) path = {0}, name = {0};
    sg_text_addf(&path, "%s/%s", folder, file);
    sg_text_add_bytes(&name, file, strlen(file) - strlen(group_ending));
    reader.group.name = sg_copy_string(sg_text_string(&name));
    if (sg_ini_read(sg_text_string(&path), take, &reader, err) == SG_SUCCESS)
        check_group(&reader, sg_text_string(&path), err);
    if (err->code != SG_SUCCESS)
        group_release(&reader.group);
    *group = reader.group;
    return err->code;
}

enum sg_code sg_group_files_read(const char *folder, struct sg_catalogue *catalogue, struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    if (sg_list_files(folder, group_ending, &files, err) != SG_SUCCESS)
        return err->code;
    catalogue->groups = sg_alloc(files.count, sizeof(*catalogue->groups));
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        if (read_group(folder, files.items[i], catalogue, &catalogue->groups[i], err) == SG_SUCCESS)
            catalogue->group_count++;
    }
    return err->code;
}

void sg_groups_free(struct sg_group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++)
        group_release(&groups[i]);
    free(groups);
}
