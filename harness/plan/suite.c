#include "plan/suite.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/ini_fields.h"
#include "util/paths.h"
#include "util/text.h"

#define ENDING  ".suite"
#define PROGRAM "exec " /* prefix of a program's section name */
#define RESULTS "results "

/* `place` is a struct sg_settings. */
static enum sg_code take_setting(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err)
{
    return sg_setting_parse(sg_setting_find(field->name), entry->value, place, err);
}

/* `place` is a struct sg_suite_family. */
static enum sg_code take_family_setting(const struct sg_field *field, void *place,
                                        const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite_family *family = place;
    const struct sg_setting *setting = sg_setting_find(field->name);
    *(bool *)((char *)&family->given + setting->given) = true;
    return sg_setting_parse(setting, entry->value, &family->settings, err);
}

static enum sg_code take_name(const struct sg_field *field, void *place,
                              const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    if (!sg_is_name(entry->value))
        return sg_refuse_value(entry, "a name of [a-z0-9_], at most 63 bytes", err);
    if (sg_names_have(place, entry->value))
        return sg_refuse_value(entry, "each name once", err);
    sg_names_add(place, entry->value);
    return SG_SUCCESS;
}

/* Records the line of each metric; 0: the metric is the default. */
static void note_metric(struct sg_suite *suite, long line)
{
    size_t capacity = suite->metrics.count - 1;
    suite->metric_lines =
        sg_grow(suite->metric_lines, &capacity, suite->metrics.count, sizeof(*suite->metric_lines));
    suite->metric_lines[suite->metrics.count - 1] = line;
}

static enum sg_code take_metric(const struct sg_field *field, void *place,
                                const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_suite *suite = place;
    if (take_name(field, &suite->metrics, entry, err) == SG_SUCCESS)
        note_metric(suite, entry->line);
    return err->code;
}

/* "m=512 n=4096 dtype=bf16" is the case m512_n4096_bf16. */
static enum sg_code take_case(const struct sg_field *field, void *place,
                              const struct sg_ini_entry *entry, struct sg_err *err)
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
    return sg_is_name(name.data)
               ? take_name(field, place, &named, err)
               : sg_refuse_value(
                     entry,
                     "sizes such as rows=300 cols=4096, with a case name of at most 63 bytes", err);
}

/* Entries of a program's section, collected until the section ends. */
struct program_section {
    char *name, *range, *kernel, *file;
    bool of_results;
    struct sg_names command, cases, arguments; /* arguments: a line for each case */
    struct sg_settings settings;               /* processes 0: the suite's */
};

#define WORDS "words with closed quotes"

static enum sg_code take_command(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    return sg_names_add_command(place, entry->value, SG_IGNORED) == SG_SUCCESS
               ? SG_SUCCESS
               : sg_refuse_value(entry, WORDS, err);
}

/* Parses "wide: --cols=65536". */
static enum sg_code take_arguments(const struct sg_field *field, void *place,
                                   const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct program_section *section = place;
    SG_SCOPED(sg_text) name = {0};
    SG_SCOPED(sg_names) words = {0};
    const size_t length = strcspn(entry->value, ":");
    const char *arguments = entry->value + length + (entry->value[length] == ':');
    sg_text_add_bytes(&name, entry->value, length);
    if (!sg_is_name(sg_text_string(&name)))
        return sg_refuse_value(entry, "NAME: ARGUMENT..., with a name of [a-z0-9_]", err);
    if (arguments[strspn(arguments, " ")] &&
        sg_names_add_command(&words, arguments, SG_IGNORED) != SG_SUCCESS)
        return sg_refuse_value(entry, WORDS, err);
    const struct sg_ini_entry named = {.value = name.data};
    if (take_name(field, &section->cases, &named, err) == SG_SUCCESS)
        sg_names_add(&section->arguments, arguments);
    return err->code;
}

static bool is_pattern(const char *text)
{
    regex_t pattern;
    const bool is_valid = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB) == 0;
    if (is_valid)
        regfree(&pattern);
    return is_valid;
}

#define IN(type, field)                .offset = offsetof(struct type, field)
#define SUITE(kind, name, member, ...) SG_FIELD(kind, name, struct sg_suite, member, __VA_ARGS__)

static const struct sg_field suite_fields[] = {
    SUITE(STRING, "title", title, .required = true),
    {"metrics", take_metric, .repeats = true},
    SUITE(STRING, "config", config),
};

static const struct sg_field family_fields[] = {
    {"case", take_case, IN(sg_suite_family, cases), .repeats = true},
    {"variant", take_name, IN(sg_suite_family, variants), .repeats = true},
};

static const struct sg_field program_fields[] = {
    {"command", take_command, IN(program_section, command), .required = true},
    {"case", take_arguments, .repeats = true},
    SG_FIELD(STRING, "range", struct program_section, range),
    SG_FIELD(STRING, "kernel", struct program_section, kernel, .is = is_pattern,
             .expected = "a regular expression"),
    SG_FIELD(STRING, "file", struct program_section, file),
    SG_FIELD(COUNT, "processes", struct program_section, settings.processes,
             .least = SG_PROCESSES_MIN, .most = SG_PROCESSES_MAX),
    {"deadline", take_setting, IN(program_section, settings)},
    {0},
};

#define FIELDS_MAX (3 + SG_SETTING_COUNT + 1)

/* The keys of a section: its own, and the settings with that use. */
static void add_keys(struct sg_field *fields, const struct sg_field *own, size_t count,
                     const struct sg_field *setting, unsigned use)
{
    memcpy(fields, own, count * sizeof(*own));
    for (size_t i = 0; i < SG_SETTING_COUNT; i++)
        if (sg_setting_table[i].uses & use) {
            fields[count] = *setting;
            fields[count++].name = sg_setting_table[i].key;
        }
}

struct loader {
    struct sg_suite *suite;
    size_t family_capacity, program_capacity, case_capacity;
    struct sg_field suite_keys[FIELDS_MAX], family_keys[FIELDS_MAX];
    struct sg_fields of_suite, of_family, of_program;
    struct sg_fields *section; /* points to one of these */
    struct program_section program;
};

/* A row of a range is named PROGRAM_RANGE, so no name may be a prefix that makes rows ambiguous. */
static enum sg_code check_apart(const struct sg_suite *suite, const struct sg_suite_program *one,
                                struct sg_err *err)
{
    for (size_t i = 0; i < suite->program_count; i++) {
        const char *a = suite->programs[i].name, *b = one->name,
                   *longer = strlen(a) < strlen(b) ? b : a;
        const size_t length = strlen(longer == a ? b : a);
        if (strncmp(a, b, length) == 0 && (longer[length] == '_' || longer[length] == '\0'))
            return sg_fail_at(err, SG_BAD_INPUT, suite->path, one->line,
                              "expected names of programs and cases that differ by more than a "
                              "suffix _..., found %s and %s",
                              a, b);
    }
    return SG_SUCCESS;
}

static char *copy_or_null(const char *text)
{
    return text ? sg_copy_string(text) : NULL;
}

/* Adds the section's case of that number, or the section itself if it has no cases. */
static enum sg_code add_program(struct loader *loader, size_t number, struct sg_err *err)
{
    const struct program_section *section = &loader->program;
    struct sg_suite *suite = loader->suite;
    SG_SCOPED(sg_text) name = {0};
    struct sg_suite_program program = {.range = copy_or_null(section->range),
                                       .kernel = copy_or_null(section->kernel),
                                       .file = copy_or_null(section->file),
                                       .processes = section->settings.processes,
                                       .deadline_s = section->settings.deadline,
                                       .line = loader->of_program.line};
    for (size_t i = 0; i < section->command.count; i++)
        sg_names_add(&program.argv, section->command.items[i]);
    program.own = program.argv.count;
    sg_text_add(&name, section->name);
    if (number < section->cases.count) {
        sg_text_addf(&name, "_%s", section->cases.items[number]);
        /* take_arguments checked the quotes */
        sg_names_add_command(&program.argv, section->arguments.items[number], SG_IGNORED);
    }
    program.name = sg_copy_string(name.data);
    if (!sg_is_name(program.name))
        sg_fail_at(err, SG_BAD_INPUT, suite->path, program.line,
                   "expected a name of at most 63 bytes, found '%s'", program.name);
    else
        check_apart(suite, &program, err);
    *SG_APPEND(suite->programs, suite->program_count, loader->program_capacity) = program;
    return err->code;
}

static enum sg_code check_file(const struct loader *loader, struct sg_err *err)
{
    const struct program_section *section = &loader->program;
    const char *words = NULL;
    if (section->of_results && !section->file)
        words = "[results NAME] needs `file`: the file that the program writes";
    else if (section->of_results && (section->range || section->kernel))
        words =
            "[results NAME] takes no `range` and no `kernel`: its rows are the items of its file";
    else if (section->file && !section->of_results)
        words =
            "[exec NAME] takes no `file`: a program that writes a file is a section [results NAME]";
    return words ? sg_fail_at(err, SG_BAD_INPUT, loader->suite->path, loader->of_program.line, "%s",
                              words)
                 : SG_SUCCESS;
}

/* A section is only complete when it ends. */
static enum sg_code end_section(struct loader *loader, struct sg_err *err)
{
    struct program_section *section = &loader->program;
    size_t number = 0;
    if (loader->section != &loader->of_program ||
        sg_fields_complete(&loader->of_program, loader->suite->path, err) != SG_SUCCESS ||
        check_file(loader, err) != SG_SUCCESS)
        return err->code;
    do
        add_program(loader, number, err);
    while (++number < section->cases.count && err->code == SG_SUCCESS);
    *section = (struct program_section){.settings.deadline = SG_DEADLINE_PROGRAM_S};
    return err->code;
}

static enum sg_code begin_section(struct loader *loader, const struct sg_ini_entry *entry,
                                  struct sg_err *err)
{
    struct sg_suite *suite = loader->suite;
    const bool of_results = strncmp(entry->section, RESULTS, strlen(RESULTS)) == 0;
    const bool is_program = of_results || strncmp(entry->section, PROGRAM, strlen(PROGRAM)) == 0;
    const char *name = entry->section + (of_results   ? strlen(RESULTS)
                                         : is_program ? strlen(PROGRAM)
                                                      : 0);
    const bool is_family = !is_program && strcmp(name, "suite") != 0;
    if (end_section(loader, err) != SG_SUCCESS)
        return err->code;
    if (!sg_is_name(name) || (is_family && strcmp(name, SG_EXEC_FAMILY) == 0))
        return sg_fail_at(
            err, SG_BAD_INPUT, entry->path, entry->line,
            "expected [suite], [exec NAME], [results NAME] or a family's name, of [a-z0-9_], "
            "found '%s'",
            sg_show_string(entry->section).text);
    loader->section = is_program  ? &loader->of_program
                      : is_family ? &loader->of_family
                                  : &loader->of_suite;
    if (is_program) {
        loader->program.name = sg_copy_string(name);
        loader->program.of_results = of_results;
    }
    sg_fields_begin(loader->section, entry);
    if (is_family) {
        struct sg_suite_family *family =
            SG_APPEND(suite->families, suite->family_count, loader->family_capacity);
        *family =
            (struct sg_suite_family){.name = sg_copy_string(entry->section), .line = entry->line};
        loader->of_family.record = family;
    }
    return SG_SUCCESS;
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct loader *loader = context;
    if (!entry->key)
        return begin_section(loader, entry, err);
    if (sg_fields_set(loader->section, entry, err) == SG_SUCCESS &&
        loader->section == &loader->of_family && strcmp(entry->key, "case") == 0 &&
        strchr(entry->value, '=')) {
        const struct sg_suite_family *family = loader->of_family.record;
        struct sg_suite *suite = loader->suite;
        *SG_APPEND(suite->cases, suite->case_count, loader->case_capacity) =
            (struct sg_suite_case){.family = family->name,
                                   .name = family->cases.items[family->cases.count - 1],
                                   .sizes = sg_copy_string(entry->value),
                                   .line = entry->line};
    }
    return err->code;
}

/* A path of a file of knobs is relative to the suite's folder. */
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

static enum sg_code check_tolerance(const struct sg_suite *suite, double tolerance, long line,
                                    struct sg_err *err)
{
    if (tolerance <= suite->settings.tolerance_max)
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, suite->path, line,
                      "tolerance: expected at most tolerance_max, %g %%, found %g %%",
                      100 * suite->settings.tolerance_max, 100 * tolerance);
}

/* Checks and inheritance that need the whole file. */
static enum sg_code complete(struct loader *loader, struct sg_err *err)
{
    struct sg_suite *suite = loader->suite;
    if (end_section(loader, err) != SG_SUCCESS)
        return err->code;
    if (loader->of_suite.line == 0)
        return sg_ini_fail_missing(suite->path, "a section [suite]", err);
    if (sg_fields_complete(&loader->of_suite, suite->path, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < suite->family_count; i++) {
        struct sg_suite_family *family = &suite->families[i];
        sg_settings_override(&family->settings, &suite->settings, &family->given, false);
        if (check_tolerance(suite, family->settings.tolerance, family->line, err) != SG_SUCCESS)
            return err->code;
    }
    if (check_tolerance(suite, suite->settings.tolerance, loader->of_suite.line, err) != SG_SUCCESS)
        return err->code;
    complete_config(suite);
    if (suite->metrics.count == 0) {
        sg_names_add(&suite->metrics, "default");
        note_metric(suite, 0);
    }
    return SG_SUCCESS;
}

/* Sets path and name from the user's word: the name of a shipped suite, or a file's path. */
static enum sg_code fail_unknown(const char *name, char *path, struct sg_err *err)
{
    SG_SCOPED(sg_names) known = {0};
    *strrchr(path, '/') = '\0';
    sg_list_files(path, ENDING, &known, SG_IGNORED);
    for (size_t i = 0; i < known.count; i++)
        known.items[i][strlen(known.items[i]) - strlen(ENDING)] = '\0';
    return sg_fail(err, SG_BAD_INPUT, name,
                   "no such suite%s; `solgate list suites` lists them, and ./%s" ENDING
                   " would be a file",
                   sg_names_hint(&known, name).text, name);
}

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
        sg_fail(err, SG_BAD_INPUT, NULL,
                "expected the name of a suite, [a-z0-9_]+, or a path that ends in " ENDING
                ", found '%s'",
                sg_show_string(given).text);
    else if (is_path)
        sg_text_add(&path, given);
    else if (sg_path_in_home(&path, relative.data, err) == SG_SUCCESS &&
             access(path.data, F_OK) != 0)
        fail_unknown(suite->name, path.data, err);
    suite->path = sg_copy_string(sg_text_string(&path));
    return err->code;
}

enum sg_code sg_suite_load(const char *name, struct sg_suite *suite, struct sg_err *err)
{
    struct loader loader = {.suite = suite,
                            .of_suite = {.record = suite},
                            .of_program = {.field = program_fields},
                            .program = {.settings.deadline = SG_DEADLINE_PROGRAM_S}};
    loader.of_program.record = &loader.program;
    loader.of_suite.field = loader.suite_keys;
    loader.of_family.field = loader.family_keys;
    add_keys(loader.suite_keys, suite_fields, sizeof(suite_fields) / sizeof(suite_fields[0]),
             &(struct sg_field){.take = take_setting, IN(sg_suite, settings)}, SG_IN_SUITE);
    add_keys(loader.family_keys, family_fields, sizeof(family_fields) / sizeof(family_fields[0]),
             &(struct sg_field){.take = take_family_setting}, SG_IN_FAMILY);
    *suite = (struct sg_suite){.settings = sg_settings_of_defaults()};
    if (locate(name, suite, err) == SG_SUCCESS &&
        sg_ini_read(suite->path, on_entry, &loader, err) == SG_SUCCESS)
        complete(&loader, err);
    return err->code;
}

bool sg_suite_has(const struct sg_suite *suite, const char *family)
{
    return SG_FIND(suite->families, suite->family_count, name, family) != NULL;
}
