#include "diagnose/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/ini_schema.h"
#include "util/paths.h"
#include "util/text.h"

static const char *const direction_words[] = {[SG_UP] = "up", [SG_DOWN] = "down", [SG_ANY] = "any", NULL};

/* A section while it is being read. */
struct draft {
    struct sg_rule rule; /* its texts and numbers are filled in place; name is NULL before the first section */
    char *metric;
    int direction;
};

#define RULE(field) (offsetof(struct draft, rule) + offsetof(struct sg_rule, field))

static const struct sg_field draft_fields[] = {
    {.key = "metric", .kind = SG_FIELD_TEXT, .offset = offsetof(struct draft, metric), .required = true},
    {.key = "moved", .kind = SG_FIELD_WORD, .offset = offsetof(struct draft, direction), .words = direction_words, .required = true},
    {.key = "ratio", .kind = SG_FIELD_NUMBER, .offset = RULE(ratio)},
    {.key = "was_at_most", .kind = SG_FIELD_NUMBER, .offset = RULE(was_at_most)},
    {.key = "was_at_least", .kind = SG_FIELD_NUMBER, .offset = RULE(was_at_least)},
    {.key = "is_at_most", .kind = SG_FIELD_NUMBER, .offset = RULE(is_at_most)},
    {.key = "is_at_least", .kind = SG_FIELD_NUMBER, .offset = RULE(is_at_least)},
    {.key = "weight", .kind = SG_FIELD_NUMBER, .offset = RULE(weight)},
    {.key = "says", .kind = SG_FIELD_LINES, .offset = RULE(says), .required = true},
};

struct reader {
    const struct sg_catalogue *catalogue;
    const char *path;
    struct sg_rules *rules;
    struct draft draft;
};

static struct sg_fields fields_of(struct draft *draft)
{
    return (struct sg_fields){
        .field = draft_fields, .count = sizeof(draft_fields) / sizeof(draft_fields[0]), .record = draft, .other = "metric with"};
}

static void draft_release(struct draft *draft)
{
    struct sg_fields fields = fields_of(draft);
    sg_fields_release(&fields);
    free(draft->rule.name);
    *draft = (struct draft){0};
}

static void draft_init(struct draft *draft, const struct sg_ini_entry *section)
{
    struct sg_fields fields = fields_of(draft);
    *draft = (struct draft){.rule = {.name = sg_copy_string(section->section), .line = section->line}};
    sg_fields_init(&fields);
}

static enum sg_code check_rule(const struct sg_rule *rule, const char *path, struct sg_err *err)
{
    if (!sg_is_name(rule->name))
        return sg_fail_at(err, SG_BAD_INPUT, path, rule->line, "expected a rule's name of [a-z0-9_], found '%s'",
                          sg_show(rule->name, strlen(rule->name)).text);
    if (rule->ratio < 1)
        return sg_fail_at(err, SG_BAD_INPUT, path, rule->line, "[%s] ratio: expected a factor of at least 1, found %g", rule->name,
                          rule->ratio);
    if (rule->direction == SG_ANY && !isnan(rule->ratio))
        return sg_fail_at(err, SG_BAD_INPUT, path, rule->line, "[%s] ratio: expected moved = up or down beside it, found any", rule->name);
    if (rule->weight == 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, rule->line, "[%s] weight: expected a number over 0, found 0", rule->name);
    return SG_SUCCESS;
}

/* Turns the section that has just ended into a rule; its strings move over. */
static enum sg_code finish_draft(struct reader *reader, struct sg_err *err)
{
    struct draft *d = &reader->draft;
    struct sg_rules *rules = reader->rules;
    struct sg_fields fields = fields_of(d);
    if (!d->rule.name || sg_fields_complete(&fields, reader->path, d->rule.line, err) != SG_SUCCESS)
        return err->code;
    d->rule.direction = (enum sg_direction)d->direction;
    if (check_rule(&d->rule, reader->path, err) != SG_SUCCESS)
        return err->code;
    if (isnan(d->rule.weight))
        d->rule.weight = 1;
    *SG_APPEND(rules->rules, rules->count, rules->capacity) = d->rule;
    d->rule = (struct sg_rule){0};
    draft_release(d);
    return SG_SUCCESS;
}

/* "METRIC up" */
static enum sg_code add_with(struct reader *reader, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_rule *rule = &reader->draft.rule;
    struct sg_text name = {0};
    const char *blank = strrchr(entry->value, ' ');
    const bool up = blank && strcmp(blank, " up") == 0, down = blank && strcmp(blank, " down") == 0;
    sg_text_add_bytes(&name, entry->value, up || down ? (size_t)(blank - entry->value) : 0);
    const struct sg_metric *metric = sg_catalogue_find(reader->catalogue, sg_text_string(&name));
    if (rule->with_count == SG_RULE_WITH_MAX)
        sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s] with: expected at most %d of them", entry->section, SG_RULE_WITH_MAX);
    else if (!metric || !sg_metric_explains(metric))
        sg_entry_refuse(entry, "a metric that is counted or known of the build, and up or down", err);
    else
        rule->with[rule->with_count++] = (struct sg_rule_with){metric, up ? SG_UP : SG_DOWN};
    sg_text_release(&name);
    return err->code;
}

static enum sg_code take(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    struct draft *draft = &reader->draft;
    if (!entry->key) {
        if (finish_draft(reader, err) == SG_SUCCESS)
            draft_init(draft, entry);
        return err->code;
    }
    if (strcmp(entry->key, "with") == 0)
        return add_with(reader, entry, err);
    struct sg_fields fields = fields_of(draft);
    if (sg_fields_set(&fields, entry, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(entry->key, "metric") == 0) {
        draft->rule.metric = sg_catalogue_find(reader->catalogue, entry->value);
        if (!draft->rule.metric || !sg_metric_explains(draft->rule.metric))
            return sg_entry_refuse(entry, "a metric of metrics.ini that is counted or known of the build", err);
    }
    return SG_SUCCESS;
}

enum sg_code sg_rules_load(const struct sg_catalogue *catalogue, struct sg_rules **rules, struct sg_err *err)
{
    struct sg_text path = {0};
    struct reader reader = {.catalogue = catalogue, .rules = sg_alloc(1, sizeof(struct sg_rules))};
    if (sg_path_in_home(&path, "metrics/rules.ini", err) != SG_SUCCESS)
        goto out;
    reader.path = sg_text_string(&path);
    if (sg_ini_read(reader.path, take, &reader, err) == SG_SUCCESS && finish_draft(&reader, err) == SG_SUCCESS && reader.rules->count == 0)
        sg_ini_fail_missing(reader.path, "the section of a rule", err);
out:
    draft_release(&reader.draft);
    sg_text_release(&path);
    if (err->code != SG_SUCCESS) {
        sg_rules_free(reader.rules);
        reader.rules = NULL;
    }
    *rules = reader.rules;
    return err->code;
}

void sg_rules_free(struct sg_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->rules[i].name);
        free(rules->rules[i].says);
    }
    free(rules->rules);
    free(rules);
}
