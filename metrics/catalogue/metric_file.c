#include "catalogue/metric_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/ini_schema.h"
#include "catalogue/launch_facts.h"
#include "util/text.h"

static const char *const unit_words[] = {
    "ns",        "B",     "Hz",   "%",        "1",      "inst",  "inst/cycle", "sector", "request", "sector/request",
    "wavefront", "cycle", "flop", "register", "thread", "block", "access",     NULL};
static const char *const better_words[] = {[SG_LOWER] = "lower", [SG_HIGHER] = "higher", [SG_NEITHER] = "neither", NULL};
static const char *const class_words[] = {[SG_EXACT] = "exact", [SG_NOISY] = "noisy", NULL};
static const char *const source_words[] = {
    [SG_FROM_CUPTI] = "cupti", [SG_FROM_LAUNCH] = "launch", [SG_FROM_DERIVED] = "derived",
    [SG_FROM_TIME] = "time",   [SG_FROM_MODEL] = "model",   [SG_FROM_BUILD] = "build",
};
static const char *const from_words[] = {"time", "model", "build", NULL};
static const enum sg_source from_sources[] = {SG_FROM_TIME, SG_FROM_MODEL, SG_FROM_BUILD}; /* in the order of the words */
static const char *const absent_word = "absent";

bool sg_is_unit(const char *word)
{
    size_t i = 0;
    while (unit_words[i] && strcmp(unit_words[i], word) != 0)
        i++;
    return unit_words[i] != NULL;
}

const char *sg_better_word(enum sg_better better)
{
    return better_words[better];
}

const char *sg_metric_class_word(enum sg_metric_class klass)
{
    return class_words[klass];
}

const char *sg_source_word(enum sg_source source)
{
    return source_words[source];
}

/* A section while it is being read. */
struct draft {
    char *name;
    long line;
    int unit, better, klass, from;
    double floor, floor_ratio;
    char *launch, *derived, *meaning;
    struct sg_chip_name *cupti;
    size_t cupti_count, cupti_capacity;
};

static const struct sg_field draft_fields[] = {
    {.key = "unit", .kind = SG_FIELD_WORD, .offset = offsetof(struct draft, unit), .words = unit_words, .required = true},
    {.key = "better", .kind = SG_FIELD_WORD, .offset = offsetof(struct draft, better), .words = better_words, .required = true},
    {.key = "class", .kind = SG_FIELD_WORD, .offset = offsetof(struct draft, klass), .words = class_words, .required = true},
    {.key = "floor", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct draft, floor)},
    {.key = "floor_ratio", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct draft, floor_ratio)},
    {.key = "launch", .kind = SG_FIELD_TEXT, .offset = offsetof(struct draft, launch)},
    {.key = "derived", .kind = SG_FIELD_TEXT, .offset = offsetof(struct draft, derived)},
    {.key = "from", .kind = SG_FIELD_WORD, .offset = offsetof(struct draft, from), .words = from_words},
    {.key = "meaning", .kind = SG_FIELD_LINES, .offset = offsetof(struct draft, meaning), .required = true},
};

struct reader {
    const char *path;
    struct draft draft; /* name is NULL before the first section */
    struct sg_metric *metrics;
    size_t count, capacity;
};

static struct sg_fields fields_of(struct draft *draft)
{
    return (struct sg_fields){
        .field = draft_fields, .count = sizeof(draft_fields) / sizeof(draft_fields[0]), .record = draft, .other = "cupti cupti.CHIP"};
}

static void chips_free(struct sg_chip_name *chips, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(chips[i].chip);
        free(chips[i].cupti);
    }
    free(chips);
}

static void draft_release(struct draft *draft)
{
    struct sg_fields fields = fields_of(draft);
    sg_fields_release(&fields);
    chips_free(draft->cupti, draft->cupti_count);
    free(draft->name);
    *draft = (struct draft){0};
}

static void draft_init(struct draft *draft, const struct sg_ini_entry *section)
{
    struct sg_fields fields = fields_of(draft);
    *draft = (struct draft){.name = sg_copy_string(section->section), .line = section->line};
    sg_fields_init(&fields);
}

/* "cupti" and "cupti.CHIP". */
static enum sg_code add_chip(struct draft *draft, const char *chip, const struct sg_ini_entry *entry, struct sg_err *err)
{
    const bool absent = strcmp(entry->value, absent_word) == 0;
    /* Without a rollup CUPTI finds the name and then refuses to count it. */
    if (!absent && !strchr(entry->value, '.'))
        return sg_entry_refuse(entry, "a CUPTI metric with its rollup (name.sum) or 'absent'", err);
    for (size_t i = 0; i < draft->cupti_count; i++) {
        if (strcmp(draft->cupti[i].chip, chip) == 0)
            return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s] %s: given twice, expected once", entry->section,
                              entry->key);
    }
    *SG_APPEND(draft->cupti, draft->cupti_count, draft->cupti_capacity) = (struct sg_chip_name){
        .chip = sg_copy_string(chip),
        .cupti = absent ? NULL : sg_copy_string(entry->value),
    };
    return SG_SUCCESS;
}

static bool has_chip(const struct draft *draft, const char *chip)
{
    for (size_t i = 0; i < draft->cupti_count; i++) {
        if (strcmp(draft->cupti[i].chip, chip) == 0)
            return true;
    }
    return false;
}

static enum sg_code check_source(const struct draft *d, const char *path, struct sg_err *err)
{
    const int sources = (d->cupti_count > 0) + (d->launch != NULL) + (d->derived != NULL) + (d->from >= 0);
    if (sources != 1)
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line, "[%s]: expected exactly one of cupti, launch, derived, from; found %d", d->name,
                          sources);
    if (d->cupti_count > 0 && !has_chip(d, "*"))
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line, "[%s]: expected a key 'cupti' beside the ones of single chips", d->name);
    if (d->launch && !sg_launch_fact(NULL, d->launch, NULL))
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line, "[%s] launch: expected a field of struct sg_launch_facts, found '%s'", d->name,
                          sg_show(d->launch, strlen(d->launch)).text);
    if (d->derived && !sg_derived_find(d->derived))
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line,
                          "[%s] derived: expected the key of a function in metrics/catalogue/derived.c, found '%s'", d->name,
                          sg_show(d->derived, strlen(d->derived)).text);
    return SG_SUCCESS;
}

static enum sg_source source_of(const struct draft *d)
{
    if (d->cupti_count > 0)
        return SG_FROM_CUPTI;
    if (d->launch)
        return SG_FROM_LAUNCH;
    if (d->derived)
        return SG_FROM_DERIVED;
    return from_sources[d->from];
}

static enum sg_code check_draft(const struct sg_fields *fields, const char *path, struct sg_err *err)
{
    const struct draft *d = fields->record;
    if (!sg_is_name(d->name))
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line, "expected a metric's name of [a-z0-9_], found '%s'",
                          sg_show(d->name, strlen(d->name)).text);
    if (sg_fields_complete(fields, path, d->line, err) != SG_SUCCESS)
        return err->code;
    if (d->klass == SG_NOISY && !(d->floor > 0) && !(d->floor_ratio > 0))
        return sg_fail_at(err, SG_BAD_INPUT, path, d->line, "[%s]: a noisy metric needs a floor or a floor_ratio over 0", d->name);
    return check_source(d, path, err);
}

/* Turns the section that has just ended into a metric; its strings move over. */
static enum sg_code finish_draft(struct reader *reader, struct sg_err *err)
{
    struct draft *d = &reader->draft;
    struct sg_fields fields = fields_of(d);
    if (!d->name || check_draft(&fields, reader->path, err) != SG_SUCCESS)
        return err->code;
    *SG_APPEND(reader->metrics, reader->count, reader->capacity) = (struct sg_metric){
        .name = d->name,
        .unit = sg_copy_string(unit_words[d->unit]),
        .better = (enum sg_better)d->better,
        .klass = (enum sg_metric_class)d->klass,
        .source = source_of(d),
        .floor = isnan(d->floor) ? 0 : d->floor,
        .floor_ratio = isnan(d->floor_ratio) ? 0 : d->floor_ratio,
        .cupti = d->cupti,
        .cupti_count = d->cupti_count,
        .key = d->launch ? d->launch : d->derived,
        .meaning = d->meaning,
        .line = d->line,
    };
    *d = (struct draft){0};
    return SG_SUCCESS;
}

static enum sg_code take(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    if (!entry->key) {
        if (finish_draft(reader, err) != SG_SUCCESS)
            return err->code;
        draft_init(&reader->draft, entry);
        return SG_SUCCESS;
    }
    if (strcmp(entry->key, "cupti") == 0)
        return add_chip(&reader->draft, "*", entry, err);
    if (strncmp(entry->key, "cupti.", 6) == 0) {
        const char *chip = entry->key + 6;
        if (chip[0] == '\0' || chip[strspn(chip, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] != '\0')
            return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s] %s: expected a chip as in cupti.GH100", entry->section,
                              entry->key);
        return add_chip(&reader->draft, chip, entry, err);
    }
    struct sg_fields fields = fields_of(&reader->draft);
    return sg_fields_set(&fields, entry, err);
}

enum sg_code sg_metric_file_read(const char *path, struct sg_metric **metrics, size_t *count, struct sg_err *err)
{
    struct reader reader = {.path = path};
    if (sg_ini_read(path, take, &reader, err) != SG_SUCCESS || finish_draft(&reader, err) != SG_SUCCESS)
        goto out;
    if (reader.count == 0)
        sg_ini_fail_missing(path, "the section of a metric", err);
out:
    draft_release(&reader.draft);
    if (err->code != SG_SUCCESS) {
        sg_metrics_free(reader.metrics, reader.count);
        reader.metrics = NULL;
        reader.count = 0;
    }
    *metrics = reader.metrics;
    *count = reader.count;
    return err->code;
}

void sg_metrics_free(struct sg_metric *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sg_metric *metric = &metrics[i];
        chips_free(metric->cupti, metric->cupti_count);
        free(metric->name);
        free(metric->unit);
        free(metric->key);
        free(metric->meaning);
    }
    free(metrics);
}

const char *sg_metric_cupti(const struct sg_metric *metric, const char *chip)
{
    const char *everywhere = NULL;
    for (size_t i = 0; i < metric->cupti_count; i++) {
        if (strcmp(metric->cupti[i].chip, chip) == 0)
            return metric->cupti[i].cupti;
        if (strcmp(metric->cupti[i].chip, "*") == 0)
            everywhere = metric->cupti[i].cupti;
    }
    return everywhere;
}

bool sg_metric_leads(const struct sg_metric *metric, const char *chip)
{
    static const char unit[] = "l1tex__";
    const char *name = sg_metric_cupti(metric, chip);
    return metric->klass == SG_EXACT && name && strncmp(name, unit, sizeof(unit) - 1) == 0;
}
