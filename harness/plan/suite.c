#include "plan/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/counter_repeats.h"
#include "results/env.h"
#include "results/table.h"
#include "stats/sequential.h"
#include "util/ini_reader.h"
#include "util/paths.h"
#include "util/text.h"

#define ENDING ".suite"

/* One value of one key; complaints name neither key nor line, which the table's reader adds. */
struct target {
    struct sg_suite *suite;
    struct sg_suite_family *family; /* NULL in [suite] */
    long line;
};
typedef enum sg_code take_fn(const struct target *to, const char *value, struct sg_err *err);

static enum sg_code fail_value(const char *expected, const char *value, struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s, found '%s'", expected, sg_show(value, strlen(value)).text);
}

static enum sg_code take_title(const struct target *to, const char *value, struct sg_err *err)
{
    if (value[0] == '\0')
        return fail_value("a line for people", value, err);
    to->suite->title = sg_copy_string(value);
    return SG_SUCCESS;
}

/* A path from the folder that the suite is in. */
static enum sg_code take_config(const struct target *to, const char *value, struct sg_err *err)
{
    const char *suite = to->suite->path, *slash = value[0] == '/' ? NULL : strrchr(suite, '/');
    struct sg_text path = {0};
    if (value[0] == '\0')
        return fail_value("the path of a file of knobs", value, err);
    sg_text_add_bytes(&path, suite, slash ? (size_t)(slash + 1 - suite) : 0);
    sg_text_add(&path, value);
    to->suite->config = sg_copy_string(path.data);
    sg_text_release(&path);
    return SG_SUCCESS;
}

static enum sg_code take_l2(const struct target *to, const char *value, struct sg_err *err)
{
    return sg_l2_parse(value, &to->suite->l2, err);
}

static enum sg_code take_tolerance(const struct target *to, const char *value, struct sg_err *err)
{
    double *tolerance = to->family ? &to->family->tolerance : &to->suite->tolerance;
    if (sg_parse_percent(value, tolerance, err) != SG_SUCCESS)
        return err->code;
    if (*tolerance <= 0 || *tolerance >= 1)
        return fail_value("a percentage above 0 % and below 100 %", value, err);
    return SG_SUCCESS;
}

static enum sg_code take_tolerance_max(const struct target *to, const char *value, struct sg_err *err)
{
    double *most = &to->suite->tolerance_max;
    if (sg_parse_percent(value, most, err) != SG_SUCCESS)
        return err->code;
    return *most > 0 && *most < 1 ? SG_SUCCESS : fail_value("a percentage above 0 % and below 100 %", value, err);
}

static enum sg_code take_deadline(const struct target *to, const char *value, struct sg_err *err)
{
    double *deadline_s = &to->suite->deadline_s;
    if (sg_parse_duration(value, deadline_s, err) != SG_SUCCESS)
        return err->code;
    if (*deadline_s <= 0 || *deadline_s > SG_DEADLINE_MAX_S)
        return fail_value("a duration above 0 s and up to 1h", value, err);
    return SG_SUCCESS;
}

struct range {
    unsigned low, high, step;
    const char *or_else; /* what may stand in place of a number */
};

static enum sg_code take_count(const struct range *range, unsigned *out, const char *value, struct sg_err *err)
{
    uint64_t count;
    char expected[80];
    if (sg_parse_u64(value, &count) && count >= range->low && count <= range->high && count % range->step == 0) {
        *out = (unsigned)count;
        return SG_SUCCESS;
    }
    snprintf(expected, sizeof(expected), "%s number from %u to %u%s", range->step == 2 ? "an even" : "a whole", range->low, range->high,
             range->or_else);
    return fail_value(expected, value, err);
}

static enum sg_code take_processes(const struct target *to, const char *value, struct sg_err *err)
{
    static const struct range range = {SG_PROCESSES_MIN, SG_PROCESSES_MAX, 1, ", or " SG_SUITE_AUTO};
    to->suite->is_sequential = strcmp(value, SG_SUITE_AUTO) == 0;
    if (!to->suite->is_sequential)
        return take_count(&range, &to->suite->processes, value, err);
    to->suite->processes = SG_SEQUENTIAL_PROCESSES_MAX;
    return SG_SUCCESS;
}

static enum sg_code take_blocks(const struct target *to, const char *value, struct sg_err *err)
{
    static const struct range range = {4, SG_BLOCKS_MAX, 2, ""};
    return take_count(&range, &to->suite->blocks, value, err);
}

static enum sg_code take_launches(const struct target *to, const char *value, struct sg_err *err)
{
    static const struct range range = {1, SG_LAUNCHES_MAX, 1, ""};
    return take_count(&range, &to->suite->launches, value, err);
}

static enum sg_code add_name(struct sg_names *names, const char *value, struct sg_err *err)
{
    if (!sg_is_name(value))
        return fail_value("a name of [a-z0-9_], at most 63 bytes", value, err);
    if (sg_names_have(names, value))
        return fail_value("each name once", value, err);
    sg_names_add(names, value);
    return SG_SUCCESS;
}

static enum sg_code add_metric(struct sg_suite *suite, const char *value, long line, struct sg_err *err)
{
    size_t capacity = suite->metrics.count;
    if (add_name(&suite->metrics, value, err) != SG_SUCCESS)
        return err->code;
    suite->metric_lines = sg_grow(suite->metric_lines, &capacity, suite->metrics.count, sizeof(*suite->metric_lines));
    suite->metric_lines[suite->metrics.count - 1] = line;
    return SG_SUCCESS;
}

static enum sg_code take_metrics(const struct target *to, const char *value, struct sg_err *err)
{
    return add_metric(to->suite, value, to->line, err);
}

static enum sg_code take_case(const struct target *to, const char *value, struct sg_err *err)
{
    return add_name(&to->family->cases, value, err);
}

static enum sg_code take_variant(const struct target *to, const char *value, struct sg_err *err)
{
    return add_name(&to->family->variants, value, err);
}

static enum sg_code take_repeats(const struct target *to, const char *value, struct sg_err *err)
{
    static const struct range range = {1, SG_REPEATS_MAX, 1, ""};
    return take_count(&range, &to->suite->repeats, value, err);
}

static enum sg_code take_gate(const struct target *to, const char *value, struct sg_err *err)
{
    to->family->gates = strcmp(value, "yes") == 0;
    return to->family->gates || strcmp(value, "no") == 0 ? SG_SUCCESS : fail_value("yes or no", value, err);
}

struct key {
    const char *name;
    take_fn *take;
    bool repeats;
};

static const struct key suite_keys[] = {
    {"title", take_title, false},         {"l2", take_l2, false},
    {"tolerance", take_tolerance, false}, {"tolerance_max", take_tolerance_max, false},
    {"metrics", take_metrics, true},      {"deadline", take_deadline, false},
    {"processes", take_processes, false}, {"blocks", take_blocks, false},
    {"launches", take_launches, false},   {"repeats", take_repeats, false},
    {"config", take_config, false},       {NULL, NULL, false},
};

static const struct key family_keys[] = {
    {"case", take_case, true}, {"variant", take_variant, true}, {"tolerance", take_tolerance, false}, {"gate", take_gate, false},
    {NULL, NULL, false},
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
                          sg_show(entry->section, strlen(entry->section)).text);
    *SG_APPEND(suite->families, suite->family_count, loader->family_capacity) =
        (struct sg_suite_family){.name = sg_copy_string(entry->section), .line = entry->line};
    return SG_SUCCESS;
}

static enum sg_code fail_unknown(const struct sg_ini_entry *entry, const struct key *keys, struct sg_err *err)
{
    struct sg_text known = {0};
    for (; keys->name; keys++)
        sg_text_addf(&known, " %s", keys->name);
    sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected one of:%s; found the key '%s'", known.data,
               sg_show(entry->key, strlen(entry->key)).text);
    sg_text_release(&known);
    return err->code;
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct loader *loader = context;
    if (!entry->key)
        return begin_section(loader, entry, err);
    const struct key *keys = loader->in_family ? family_keys : suite_keys;
    size_t i = 0;
    while (keys[i].name && strcmp(keys[i].name, entry->key) != 0)
        i++;
    if (!keys[i].name)
        return fail_unknown(entry, keys, err);
    if (!keys[i].repeats && (loader->seen & 1u << i))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected %s once in [%s], found it again", entry->key,
                          entry->section);
    loader->seen |= 1u << i;
    const struct target to = {
        .suite = loader->suite,
        .family = loader->in_family ? &loader->suite->families[loader->suite->family_count - 1] : NULL,
        .line = entry->line,
    };
    struct sg_err bad = {0};
    if (keys[i].take(&to, entry->value, &bad) != SG_SUCCESS)
        return sg_fail_at(err, bad.code, entry->path, entry->line, "%s: %s", entry->key, bad.message);
    return SG_SUCCESS;
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
    return suite->metrics.count > 0 ? SG_SUCCESS : add_metric(suite, "default", 0, err);
}

/* Sets path and name from what the user gave: the name of one of
 * our suites, or the path of a file. */
static enum sg_code locate(const char *given, struct sg_suite *suite, struct sg_err *err)
{
    struct sg_text path = {0}, relative = {0};
    const char *slash = strrchr(given, '/'), *base = slash ? slash + 1 : given;
    size_t length = strlen(base), ending = strlen(ENDING);
    bool is_path = length > ending && strcmp(base + length - ending, ENDING) == 0;
    suite->name = sg_copy_string(base);
    suite->name[is_path ? length - ending : length] = '\0';
    sg_text_addf(&relative, "kernels/suites/%s" ENDING, suite->name);
    if (!sg_is_name(suite->name) || (slash && !is_path))
        sg_fail(err, SG_BAD_INPUT, NULL, "expected the name of a suite, [a-z0-9_]+, or a path that ends in " ENDING ", found '%s'",
                sg_show(given, strlen(given)).text);
    else if (is_path)
        sg_text_add(&path, given);
    else if (sg_path_in_home(&path, relative.data, err) == SG_SUCCESS && access(path.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path.data, "there is no suite %s; `solgate list suites` names those that there are", suite->name);
    suite->path = sg_copy_string(sg_text_string(&path));
    sg_text_release(&relative);
    sg_text_release(&path);
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
    free(suite->metric_lines);
    free(suite->name);
    free(suite->path);
    free(suite->title);
    free(suite->config);
    *suite = (struct sg_suite){0};
}
