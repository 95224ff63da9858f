#include "catalogue/catalogue_files.h"

#include <math.h>
#include <string.h>

#include "util/ini_fields.h"
#include "util/text.h"

static const char *const unit_words[] = {
    "ns",        "B",          "Hz",     "%",        "1",
    "inst",      "inst/cycle", "sector", "request",  "sector/request",
    "wavefront", "cycle",      "flop",   "register", "thread",
    "block",     "access",     "J",      NULL};
static const char *const better_words[] = {
    [SG_LOWER] = "lower", [SG_HIGHER] = "higher", [SG_NEITHER] = "neither", NULL};
static const char *const class_words[] = {[SG_EXACT] = "exact", [SG_NOISY] = "noisy", NULL};
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

/* A section during reading. Missing values are -1, NAN or NULL. */
struct draft {
    char *name;
    int unit, better, klass;
    double floor, floor_ratio;
    char *like, *meaning;
    const struct sg_source *source; /* the last named source */
    int sources;                    /* number of named sources */
    struct sg_metric_key *keys;
    size_t key_count, key_capacity;
};

struct reader {
    const char *path;
    struct draft draft; /* name is NULL before the first section */
    struct sg_fields fields;
    struct sg_text sources; /* owned: words of the sources, for messages */
    struct sg_metric *metrics;
    size_t count, capacity;
};

/* Adds the words of the sources with keys, or of those without. */
static void add_words(struct sg_text *out, bool with_key)
{
    size_t count = 0;
    const struct sg_source *const *sources = sg_sources(&count);
    for (size_t i = 0; i < count; i++)
        if ((sources[i]->expects != NULL) == with_key)
            sg_text_addf(out, " %s", sources[i]->word);
}

static void name_source(struct draft *draft, const struct sg_source *source)
{
    draft->sources += draft->source != source;
    draft->source = source;
}

/* "from = WORD". */
static enum sg_code take_from(const struct sg_field *field, void *place,
                              const struct sg_ini_entry *entry, struct sg_err *err)
{
    const struct sg_source *source = sg_source_find(entry->value);
    (void)field;
    if (source && !source->expects) {
        name_source(place, source);
        return SG_SUCCESS;
    }
    SG_FORMATTED(expected, "one of");
    add_words(&expected, false);
    return sg_refuse_value(entry, expected.data, err);
}

#define DRAFT(kind, name, member, ...) SG_FIELD(kind, name, struct draft, member, __VA_ARGS__)
static const struct sg_field draft_fields[] = {
    DRAFT(STRING, "like", like),
    DRAFT(WORD, "unit", unit, .words = unit_words, .required = true),
    DRAFT(WORD, "better", better, .words = better_words, .required = true),
    DRAFT(WORD, "class", klass, .words = class_words, .required = true),
    DRAFT(REAL, "floor", floor, .expected = SG_NOT_NEGATIVE),
    DRAFT(REAL, "floor_ratio", floor_ratio, .expected = SG_NOT_NEGATIVE),
    DRAFT(STRING, "meaning", meaning, .required = true, .repeats = true),
    {.name = "from", .take = take_from, .repeats = true},
    {0},
};
#define OF_LIKE 0xf /* the first four keys as bits, for a section that has `like` */

static bool has_key(const struct draft *draft, const char *chip)
{
    return SG_FIND(draft->keys, draft->key_count, chip, chip) != NULL;
}

static enum sg_code add_key(struct draft *draft, const char *chip, const struct sg_ini_entry *entry,
                            struct sg_err *err)
{
    const bool absent = draft->source->by_chip && strcmp(entry->value, absent_word) == 0;
    const char *expected = absent ? NULL : draft->source->expects(entry->value);
    if (expected)
        return sg_refuse_entry(entry, expected, err);
    if (has_key(draft, chip))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "[%s] %s: given twice, expected once", entry->section, entry->key);
    *SG_APPEND(draft->keys, draft->key_count, draft->key_capacity) = (struct sg_metric_key){
        .chip = sg_copy_string(chip),
        .key = absent ? NULL : sg_copy_string(entry->value),
    };
    return SG_SUCCESS;
}

/* Parses "WORD = KEY" and "WORD.CHIP = KEY". Returns false if the key belongs to no source. */
static bool take_key(struct draft *draft, const struct sg_ini_entry *entry, struct sg_err *err)
{
    char word[32] = "";
    const size_t length = strcspn(entry->key, ".");
    const char *chip = entry->key[length] == '.' ? entry->key + length + 1 : NULL;
    if (length < sizeof(word))
        memcpy(word, entry->key, length);
    const struct sg_source *source = sg_source_find(word);
    if (!source || !source->expects || (chip && !source->by_chip))
        return false;
    name_source(draft, source);
    if (chip &&
        (chip[0] == '\0' || chip[strspn(chip, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] != '\0'))
        sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                   "[%s] %s: expected a chip as in %s.GH100", entry->section, entry->key,
                   source->word);
    else
        add_key(draft, chip ? chip : "*", entry, err);
    return true;
}

static int word_of(const char *const *words, const char *word)
{
    int i = 0;
    while (strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* Copies missing values from the section named by `like`; floors come with the class. */
static enum sg_code take_likeness(struct reader *reader, struct sg_err *err)
{
    struct draft *d = &reader->draft;
    size_t i = 0;
    if (!d->like)
        return SG_SUCCESS;
    while (i < reader->count && strcmp(reader->metrics[i].name, d->like) != 0)
        i++;
    if (i == reader->count)
        return sg_fail_at(err, SG_BAD_INPUT, reader->path, reader->fields.line,
                          "[%s] like: expected a metric above it, found '%s'", d->name,
                          sg_show_string(d->like).text);
    reader->fields.seen |= OF_LIKE;
    const struct sg_metric *other = &reader->metrics[i];
    d->unit = d->unit < 0 ? word_of(unit_words, other->unit) : d->unit;
    d->better = d->better < 0 ? (int)other->better : d->better;
    if (d->klass < 0) {
        d->klass = (int)other->klass;
        d->floor = isnan(d->floor) ? other->floor : d->floor;
        d->floor_ratio = isnan(d->floor_ratio) ? other->floor_ratio : d->floor_ratio;
    }
    return SG_SUCCESS;
}

static enum sg_code check_draft(const struct reader *reader, struct sg_err *err)
{
    const struct draft *d = &reader->draft;
    const char *path = reader->path;
    const long line = reader->fields.line;
    if (!sg_is_name(d->name) && !sg_metric_is_raw(d->name))
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "expected a metric's name of [a-z0-9_], found '%s'",
                          sg_show_string(d->name).text);
    if (sg_fields_complete(&reader->fields, path, err) != SG_SUCCESS)
        return err->code;
    if (d->klass == SG_NOISY && !(d->floor > 0) && !(d->floor_ratio > 0))
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "[%s]: a noisy metric needs a floor or a floor_ratio over 0", d->name);
    if (d->sources != 1)
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "[%s]: expected exactly one of%s from; found %d", d->name,
                          reader->sources.data, d->sources);
    if (d->source->expects && !has_key(d, "*"))
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "[%s]: expected a key '%s' in addition to the keys of single chips",
                          d->name, d->source->word);
    return SG_SUCCESS;
}

/* Turns the finished section into a metric and moves the strings. */
static enum sg_code finish_draft(struct reader *reader, struct sg_err *err)
{
    struct draft *d = &reader->draft;
    if (!d->name || take_likeness(reader, err) != SG_SUCCESS ||
        check_draft(reader, err) != SG_SUCCESS)
        return err->code;
    *SG_APPEND(reader->metrics, reader->count, reader->capacity) = (struct sg_metric){
        .name = d->name,
        .unit = sg_copy_string(unit_words[d->unit]),
        .better = (enum sg_better)d->better,
        .klass = (enum sg_metric_class)d->klass,
        .source = d->source,
        .floor = isnan(d->floor) ? 0 : d->floor,
        .floor_ratio = isnan(d->floor_ratio) ? 0 : d->floor_ratio,
        .keys = d->keys,
        .key_count = d->key_count,
        .meaning = d->meaning,
        .line = reader->fields.line,
    };
    *d = (struct draft){0};
    return SG_SUCCESS;
}

static enum sg_code take(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    if (entry->key)
        return take_key(&reader->draft, entry, err) ? err->code
                                                    : sg_fields_set(&reader->fields, entry, err);
    if (finish_draft(reader, err) == SG_SUCCESS) {
        reader->draft = (struct draft){.name = sg_copy_string(entry->section),
                                       .unit = -1,
                                       .better = -1,
                                       .klass = -1,
                                       .floor = NAN,
                                       .floor_ratio = NAN};
        sg_fields_begin(&reader->fields, entry);
    }
    return err->code;
}

enum sg_code sg_metric_file_read(const char *path, struct sg_metric **metrics, size_t *count,
                                 struct sg_err *err)
{
    struct reader reader = {.path = path,
                            .fields = {.field = draft_fields, .record = &reader.draft}};
    add_words(&reader.sources, true);
    reader.fields.other = sg_text_string(&reader.sources);
    if (sg_ini_read(path, take, &reader, err) != SG_SUCCESS ||
        finish_draft(&reader, err) != SG_SUCCESS)
        return err->code;
    if (reader.count == 0)
        return sg_ini_fail_missing(path, "the section of a metric", err);
    *metrics = reader.metrics;
    *count = reader.count;
    return SG_SUCCESS;
}

const char *sg_metric_key(const struct sg_metric *metric, const char *chip)
{
    const char *everywhere = NULL;
    for (size_t i = 0; i < metric->key_count; i++) {
        if (strcmp(metric->keys[i].chip, chip) == 0)
            return metric->keys[i].key;
        if (strcmp(metric->keys[i].chip, "*") == 0)
            everywhere = metric->keys[i].key;
    }
    return everywhere;
}

bool sg_metric_leads(const struct sg_metric *metric, const char *chip)
{
    static const char unit[] = "l1tex__";
    const char *name = sg_metric_key(metric, chip);
    return metric->klass == SG_EXACT && name && strncmp(name, unit, sizeof(unit) - 1) == 0;
}
