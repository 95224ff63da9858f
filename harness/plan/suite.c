#include "plan/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/sequential.h"
#include "util/ini_fields.h"
#include "util/paths.h"
#include "util/text.h"

#define ENDING ".suite"

struct range {
    unsigned low, high, step;
    const char *or_else; /* what may stand in place of a number */
};

static enum sg_code take_l2(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    return sg_l2_parse(entry->value, place, err);
}

static enum sg_code take_percent(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    double *ratio = place;
    (void)field;
    if (sg_parse_percent(entry->value, ratio, err) != SG_SUCCESS)
        return err->code;
    return *ratio > 0 && *ratio < 1 ? SG_SUCCESS : sg_refuse_value(entry, "a percentage above 0 % and below 100 %", err);
}

static enum sg_code take_deadline(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    double *deadline_s = place;
    (void)field;
    if (sg_parse_duration(entry->value, deadline_s, err) != SG_SUCCESS)
        return err->code;
    return *deadline_s > 0 && *deadline_s <= SG_DEADLINE_MAX_S ? SG_SUCCESS
                                                               : sg_refuse_value(entry, "a duration above 0 s and up to 1h", err);
}

static enum sg_code take_whole(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    const struct range *range = field->of;
    uint64_t number;
    char expected[80];
    if (sg_parse_u64(entry->value, &number) && number >= range->low && number <= range->high && number % range->step == 0) {
        *(unsigned *)place = (unsigned)number;
        return SG_SUCCESS;
    }
    snprintf(expected, sizeof(expected), "%s number from %u to %u%s", range->step == 2 ? "an even" : "a whole", range->low, range->high,
             range->or_else);
    return sg_refuse_value(entry, expected, err);
}

static enum sg_code take_processes(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite *suite = place;
    suite->is_sequential = strcmp(entry->value, SG_SUITE_AUTO) == 0;
    if (!suite->is_sequential)
        return take_whole(field, &suite->processes, entry, err);
    suite->processes = SG_SEQUENTIAL_PROCESSES_MAX;
    return SG_SUCCESS;
}

static enum sg_code take_name(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    if (!sg_is_name(entry->value))
        return sg_refuse_value(entry, "a name of [a-z0-9_], at most 63 bytes", err);
    if (sg_names_have(place, entry->value))
        return sg_refuse_value(entry, "each name once", err);
    sg_names_add(place, entry->value);
    return SG_SUCCESS;
}

/* Where each metric is asked for; 0: it is the default. */
static void note_metric(struct sg_suite *suite, long line)
{
    size_t capacity = suite->metrics.count - 1;
    suite->metric_lines = sg_grow(suite->metric_lines, &capacity, suite->metrics.count, sizeof(*suite->metric_lines));
    suite->metric_lines[suite->metrics.count - 1] = line;
}

static enum sg_code take_metric(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite *suite = place;
    if (take_name(field, &suite->metrics, entry, err) == SG_SUCCESS)
        note_metric(suite, entry->line);
    return err->code;
}

/* "m=512 n=4096 dtype=bf16" is the case m512_n4096_bf16. */
static enum sg_code take_case(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    SG_SCOPED(sg_text) name = {0};
    SG_SCOPED(sg_names) words = {0};
    if (!strchr(entry->value, '='))
        return take_name(field, place, entry, err);
    sg_names_add_split(&words, entry->value, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.items[i], *equals = strchr(word, '=');
        const bool is_dtype = strncmp(word, "dtype=", strlen("dtype=")) == 0;
        sg_text_add(&name, name.length > 0 && *word ? "_" : "");
        if (!is_dtype)
            sg_text_add_bytes(&name, word, equals ? (size_t)(equals - word) : strlen(word));
        sg_text_add(&name, equals ? equals + 1 : "");
    }
    const struct sg_ini_entry named = {.value = name.data};
    return sg_is_name(name.data) ? take_name(field, place, &named, err)
                                 : sg_refuse_value(entry, "sizes such as rows=300 cols=4096, whose name has at most 63 bytes", err);
}

static enum sg_code take_gate(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err)
{
    unsigned index = 0;
    (void)field;
    if (sg_parse_choice("no|yes", entry->value, &index, err) == SG_SUCCESS)
        *(bool *)place = index == 1;
    return err->code;
}

#define IN(type, field) .offset = offsetof(struct type, field)
static const struct range processes = {SG_PROCESSES_MIN, SG_PROCESSES_MAX, 1, ", or " SG_SUITE_AUTO}, blocks = {4, SG_BLOCKS_MAX, 2, ""},
                          launches = {1, SG_LAUNCHES_MAX, 1, ""}, repeats = {1, SG_REPEATS_MAX, 1, ""};

static const struct sg_field suite_fields[] = {
    {"title", sg_take_text, IN(sg_suite, title), .required = true},
    {"l2", take_l2, IN(sg_suite, l2)},
    {"tolerance", take_percent, IN(sg_suite, tolerance)},
    {"tolerance_max", take_percent, IN(sg_suite, tolerance_max)},
    {"metrics", take_metric, .repeats = true},
    {"deadline", take_deadline, IN(sg_suite, deadline_s)},
    {"processes", take_processes, .of = &processes},
    {"blocks", take_whole, IN(sg_suite, blocks), .of = &blocks},
    {"launches", take_whole, IN(sg_suite, launches), .of = &launches},
    {"repeats", take_whole, IN(sg_suite, repeats), .of = &repeats},
    {"config", sg_take_text, IN(sg_suite, config)},
    {0},
};

static const struct sg_field family_fields[] = {
    {"case", take_case, IN(sg_suite_family, cases), .repeats = true},
    {"variant", take_name, IN(sg_suite_family, variants), .repeats = true},
    {"tolerance", take_percent, IN(sg_suite_family, tolerance)},
    {"gate", take_gate, IN(sg_suite_family, gates)},
    {0},
};

struct loader {
    struct sg_suite *suite;
    size_t family_capacity;
    struct sg_fields of_suite, of_family;
    struct sg_fields *section; /* one of them */
};

static enum sg_code begin_section(struct loader *loader, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite *suite = loader->suite;
    const bool is_family = strcmp(entry->section, "suite") != 0;
    if (is_family && !sg_is_name(entry->section))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected [suite] or a family's name of [a-z0-9_], found '%s'",
                          sg_show_string(entry->section).text);
    loader->section = is_family ? &loader->of_family : &loader->of_suite;
    sg_fields_begin(loader->section, entry);
    if (is_family) {
        struct sg_suite_family *family = SG_APPEND(suite->families, suite->family_count, loader->family_capacity);
        *family = (struct sg_suite_family){.name = sg_copy_string(entry->section), .line = entry->line};
        loader->of_family.record = family;
    }
    return SG_SUCCESS;
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct loader *loader = context;
    if (!entry->key)
        return begin_section(loader, entry, err);
    if (sg_fields_set(loader->section, entry, err) == SG_SUCCESS && strcmp(entry->key, "case") == 0 && strchr(entry->value, '=')) {
        const struct sg_suite_family *family = loader->of_family.record;
        sg_names_addf(&loader->suite->sizes, "%s/%s:%s@%s:%ld", family->name, family->cases.items[family->cases.count - 1], entry->value,
                      entry->path, entry->line);
    }
    return err->code;
}

/* The path of a file of knobs is one from the suite's folder. */
static void complete_config(struct sg_suite *suite)
{
    const char *slash = strrchr(suite->path, '/');
    struct sg_text path = {0};
    if (!suite->config || suite->config[0] == '/' || !slash)
        return;
    sg_text_add_bytes(&path, suite->path, (size_t)(slash + 1 - suite->path));
    sg_text_add(&path, suite->config);
    free(suite->config);
    suite->config = path.data;
}

static enum sg_code check_tolerance(const struct sg_suite *suite, double tolerance, long line, struct sg_err *err)
{
    if (tolerance <= suite->tolerance_max)
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, suite->path, line, "tolerance: expected at most tolerance_max, %g %%, found %g %%",
                      100 * suite->tolerance_max, 100 * tolerance);
}

/* What can be judged, and what is inherited, only once all of the file is read. */
static enum sg_code complete(struct loader *loader, struct sg_err *err)
{
    struct sg_suite *suite = loader->suite;
    if (loader->of_suite.line == 0)
        return sg_ini_fail_missing(suite->path, "a section [suite]", err);
    if (sg_fields_complete(&loader->of_suite, suite->path, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < suite->family_count; i++) {
        if (suite->families[i].tolerance == 0)
            suite->families[i].tolerance = suite->tolerance;
        if (check_tolerance(suite, suite->families[i].tolerance, suite->families[i].line, err) != SG_SUCCESS)
            return err->code;
    }
    if (check_tolerance(suite, suite->tolerance, loader->of_suite.line, err) != SG_SUCCESS)
        return err->code;
    complete_config(suite);
    if (suite->metrics.count == 0) {
        sg_names_add(&suite->metrics, "default");
        note_metric(suite, 0);
    }
    return SG_SUCCESS;
}

/* Sets path and name from what the user gave: the name of one of
 * our suites, or the path of a file. */
static enum sg_code locate(const char *given, struct sg_suite *suite, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, relative = {0};
    const char *slash = strrchr(given, '/'), *base = slash ? slash + 1 : given;
    size_t length = strlen(base), ending = strlen(ENDING);
    bool is_path = length > ending && strcmp(base + length - ending, ENDING) == 0;
    suite->name = sg_copy_string(base);
    suite->name[is_path ? length - ending : length] = '\0';
    sg_text_addf(&relative, "kernels/suites/%s" ENDING, suite->name);
    if (!sg_is_name(suite->name) || (slash && !is_path))
        sg_fail(err, SG_BAD_INPUT, NULL, "expected the name of a suite, [a-z0-9_]+, or a path that ends in " ENDING ", found '%s'",
                sg_show_string(given).text);
    else if (is_path)
        sg_text_add(&path, given);
    else if (sg_path_in_home(&path, relative.data, err) == SG_SUCCESS && access(path.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path.data, "there is no suite %s; `solgate list suites` names those that there are", suite->name);
    suite->path = sg_copy_string(sg_text_string(&path));
    return err->code;
}

struct sg_suite sg_suite_of_defaults(void)
{
    return (struct sg_suite){
        .tolerance = SG_TOLERANCE_DEFAULT,
        .tolerance_max = SG_TOLERANCE_MAX,
        .processes = SG_PROCESSES_DEFAULT,
        .blocks = SG_BLOCKS_DEFAULT,
        .launches = SG_LAUNCHES_DEFAULT,
        .repeats = SG_REPEATS_DEFAULT,
        .deadline_s = SG_DEADLINE_DEFAULT_S,
    };
}

enum sg_code sg_suite_load(const char *name, struct sg_suite *suite, struct sg_err *err)
{
    struct loader loader = {.suite = suite, .of_suite = {.field = suite_fields, .record = suite}, .of_family = {.field = family_fields}};
    *suite = sg_suite_of_defaults();
    if (locate(name, suite, err) == SG_SUCCESS && sg_ini_read(suite->path, on_entry, &loader, err) == SG_SUCCESS)
        complete(&loader, err);
    return err->code;
}

void sg_suite_release(struct sg_suite *suite)
{
    for (size_t i = 0; i < suite->family_count; i++) {
        struct sg_suite_family *family = &suite->families[i];
        free(family->name);
        sg_names_release(&family->cases);
        sg_names_release(&family->variants);
    }
    free(suite->families);
    sg_names_release(&suite->metrics);
    sg_names_release(&suite->sizes);
    free(suite->metric_lines);
    free(suite->name);
    free(suite->path);
    free(suite->title);
    free(suite->config);
    *suite = (struct sg_suite){0};
}
