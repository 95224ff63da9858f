#include "plan/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/sequential.h"
#include "util/ini_reader.h"
#include "util/paths.h"
#include "util/text.h"

#define ENDING ".suite"

struct key;
/* The value of a key into its place in the struct of its section. A failure names neither key nor
 * line: the table's reader adds them. */
typedef enum sg_code take_fn(const struct key *key, void *place, const char *value, struct sg_err *err);

struct key {
    const char *name;
    take_fn *take;
    size_t place;
    bool repeats;
    unsigned low, high, step; /* of a number */
    const char *or_else;      /* what may stand in place of a number; NULL: nothing */
};

static enum sg_code fail_value(const char *expected, const char *value, struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s, found '%s'", expected, sg_show_string(value).text);
}

static enum sg_code take_text(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    (void)key;
    if (value[0] == '\0')
        return fail_value("some text", value, err);
    *(char **)place = sg_copy_string(value);
    return SG_SUCCESS;
}

static enum sg_code take_l2(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    (void)key;
    return sg_l2_parse(value, place, err);
}

static enum sg_code take_percent(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    double *ratio = place;
    (void)key;
    if (sg_parse_percent(value, ratio, err) != SG_SUCCESS)
        return err->code;
    return *ratio > 0 && *ratio < 1 ? SG_SUCCESS : fail_value("a percentage above 0 % and below 100 %", value, err);
}

static enum sg_code take_deadline(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    double *deadline_s = place;
    (void)key;
    if (sg_parse_duration(value, deadline_s, err) != SG_SUCCESS)
        return err->code;
    return *deadline_s > 0 && *deadline_s <= SG_DEADLINE_MAX_S ? SG_SUCCESS : fail_value("a duration above 0 s and up to 1h", value, err);
}

static enum sg_code take_number(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    uint64_t number;
    char expected[80];
    if (sg_parse_u64(value, &number) && number >= key->low && number <= key->high && number % key->step == 0) {
        *(unsigned *)place = (unsigned)number;
        return SG_SUCCESS;
    }
    snprintf(expected, sizeof(expected), "%s number from %u to %u%s", key->step == 2 ? "an even" : "a whole", key->low, key->high,
             key->or_else ? key->or_else : "");
    return fail_value(expected, value, err);
}

static enum sg_code take_processes(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    struct sg_suite *suite = place;
    suite->is_sequential = strcmp(value, SG_SUITE_AUTO) == 0;
    if (!suite->is_sequential)
        return take_number(key, &suite->processes, value, err);
    suite->processes = SG_SEQUENTIAL_PROCESSES_MAX;
    return SG_SUCCESS;
}

static enum sg_code take_name(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    (void)key;
    if (!sg_is_name(value))
        return fail_value("a name of [a-z0-9_], at most 63 bytes", value, err);
    if (sg_names_have(place, value))
        return fail_value("each name once", value, err);
    sg_names_add(place, value);
    return SG_SUCCESS;
}

/* "m=512 n=4096 dtype=bf16" is the case m512_n4096_bf16. */
static enum sg_code take_case(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    SG_SCOPED(sg_text) name = {0};
    SG_SCOPED(sg_names) words = {0};
    if (!strchr(value, '='))
        return take_name(key, place, value, err);
    sg_names_add_split(&words, value, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.items[i], *equals = strchr(word, '=');
        const bool is_dtype = strncmp(word, "dtype=", strlen("dtype=")) == 0;
        sg_text_add(&name, name.length > 0 && *word ? "_" : "");
        if (!is_dtype)
            sg_text_add_bytes(&name, word, equals ? (size_t)(equals - word) : strlen(word));
        sg_text_add(&name, equals ? equals + 1 : "");
    }
    return sg_is_name(name.data) ? take_name(key, place, name.data, err)
                                 : fail_value("sizes such as rows=300 cols=4096, whose name has at most 63 bytes", value, err);
}

static enum sg_code take_gate(const struct key *key, void *place, const char *value, struct sg_err *err)
{
    unsigned index = 0;
    (void)key;
    if (sg_parse_choice("no|yes", value, &index, err) == SG_SUCCESS)
        *(bool *)place = index == 1;
    return err->code;
}

#define METRICS         "metrics"
#define IN(type, field) .place = offsetof(struct type, field)

static const struct key suite_keys[] = {
    {"title", take_text, IN(sg_suite, title)},
    {"l2", take_l2, IN(sg_suite, l2)},
    {"tolerance", take_percent, IN(sg_suite, tolerance)},
    {"tolerance_max", take_percent, IN(sg_suite, tolerance_max)},
    {METRICS, take_name, IN(sg_suite, metrics), .repeats = true},
    {"deadline", take_deadline, IN(sg_suite, deadline_s)},
    {"processes", take_processes, .low = SG_PROCESSES_MIN, .high = SG_PROCESSES_MAX, .step = 1, .or_else = ", or " SG_SUITE_AUTO},
    {"blocks", take_number, IN(sg_suite, blocks), .low = 4, .high = SG_BLOCKS_MAX, .step = 2},
    {"launches", take_number, IN(sg_suite, launches), .low = 1, .high = SG_LAUNCHES_MAX, .step = 1},
    {"repeats", take_number, IN(sg_suite, repeats), .low = 1, .high = SG_REPEATS_MAX, .step = 1},
    {"config", take_text, IN(sg_suite, config)},
    {0},
};

static const struct key family_keys[] = {
    {"case", take_case, IN(sg_suite_family, cases), .repeats = true},
    {"variant", take_name, IN(sg_suite_family, variants), .repeats = true},
    {"tolerance", take_percent, IN(sg_suite_family, tolerance)},
    {"gate", take_gate, IN(sg_suite_family, gates)},
    {0},
};

struct loader {
    struct sg_suite *suite;
    size_t family_capacity;
    long suite_line; /* where [suite] stands; 0: not yet */
    bool in_family;
    unsigned seen; /* bit of each key that this section had */
};

static enum sg_code begin_section(struct loader *loader, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite *suite = loader->suite;
    loader->seen = 0;
    loader->in_family = strcmp(entry->section, "suite") != 0;
    if (!loader->in_family) {
        loader->suite_line = entry->line;
        return SG_SUCCESS;
    }
    if (!sg_is_name(entry->section))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected [suite] or a family's name of [a-z0-9_], found '%s'",
                          sg_show_string(entry->section).text);
    *SG_APPEND(suite->families, suite->family_count, loader->family_capacity) =
        (struct sg_suite_family){.name = sg_copy_string(entry->section), .line = entry->line};
    return SG_SUCCESS;
}

static enum sg_code fail_unknown(const struct sg_ini_entry *entry, const struct key *keys, struct sg_err *err)
{
    SG_SCOPED(sg_text) known = {0};
    for (; keys->name; keys++)
        sg_text_addf(&known, " %s", keys->name);
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected one of:%s; found the key '%s'", known.data,
                      sg_show_string(entry->key).text);
}

/* Where each metric is asked for; 0: it is the default. */
static void note_metric(struct sg_suite *suite, long line)
{
    size_t capacity = suite->metrics.count - 1;
    suite->metric_lines = sg_grow(suite->metric_lines, &capacity, suite->metrics.count, sizeof(*suite->metric_lines));
    suite->metric_lines[suite->metrics.count - 1] = line;
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct loader *loader = context;
    struct sg_suite *suite = loader->suite;
    if (!entry->key)
        return begin_section(loader, entry, err);
    const struct key *keys = loader->in_family ? family_keys : suite_keys;
    char *section = loader->in_family ? (char *)&suite->families[suite->family_count - 1] : (char *)suite;
    size_t i = 0;
    while (keys[i].name && strcmp(keys[i].name, entry->key) != 0)
        i++;
    if (!keys[i].name)
        return fail_unknown(entry, keys, err);
    if (!keys[i].repeats && (loader->seen & 1u << i))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected %s once in [%s], found it again", entry->key,
                          entry->section);
    loader->seen |= 1u << i;
    struct sg_err bad = {0};
    if (keys[i].take(&keys[i], section + keys[i].place, entry->value, &bad) != SG_SUCCESS)
        return sg_fail_at(err, bad.code, entry->path, entry->line, "%s: %s", entry->key, bad.message);
    if (strcmp(entry->key, METRICS) == 0)
        note_metric(suite, entry->line);
    if (keys[i].take == take_case && strchr(entry->value, '=')) {
        const struct sg_suite_family *family = &suite->families[suite->family_count - 1];
        sg_names_addf(&suite->sizes, "%s/%s:%s@%s:%ld", family->name, family->cases.items[family->cases.count - 1], entry->value,
                      entry->path, entry->line);
    }
    return SG_SUCCESS;
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
    if (loader->suite_line == 0)
        return sg_ini_fail_missing(suite->path, "a section [suite]", err);
    if (!suite->title)
        return sg_fail_at(err, SG_BAD_INPUT, suite->path, loader->suite_line, "the key 'title' is missing in [suite]");
    for (size_t i = 0; i < suite->family_count; i++) {
        if (suite->families[i].tolerance == 0)
            suite->families[i].tolerance = suite->tolerance;
        if (check_tolerance(suite, suite->families[i].tolerance, suite->families[i].line, err) != SG_SUCCESS)
            return err->code;
    }
    if (check_tolerance(suite, suite->tolerance, loader->suite_line, err) != SG_SUCCESS)
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
    struct loader loader = {.suite = suite};
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
