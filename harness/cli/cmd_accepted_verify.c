#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "baseline/check.h"
#include "baseline/find.h"
#include "compare/compare.h"
#include "reports/report.h"
#include "results/accepted_place.h"
#include "stats/run_limits.h"

#define SG_DRIVER_VERSION "/sys/module/nvidia/version" /* version of the loaded driver */

struct input {
    const char *name;
    const char *driver; /* NULL: the loaded driver, if any */
    uint64_t max_age_days;
    const struct sg_format *format;
};

enum state { GOOD, MALFORMED, STALE, UNGATED, STATES };

/* Faults found in the files. */
struct findings {
    const struct input *in;
    const char *path; /* of the current numbers */
    struct sg_sheet *sheet;
    size_t files, count[STATES];
};

static const struct sg_column columns[] = {
    {.title = "state", .meaning = "good, malformed, stale, ungated", .key = true},
    {.title = "accepted numbers", .name = "where", .meaning = "file, and the row", .key = true},
    {.title = "why", .key = true},
};

static void add(struct findings *findings, enum state state, const char *where, const char *why)
{
    static const char *const words[STATES] = {"good", "malformed", "stale", "ungated"};
    findings->count[state]++;
    sg_sheet_row(findings->sheet, state == GOOD        ? SG_GREEN
                                  : state == MALFORMED ? SG_RED
                                                       : SG_YELLOW);
    sg_sheet_cells(findings->sheet, words[state], where, why);
}

#define ADD(findings, state, ...) \
    add(findings, state, (findings)->path, sg_text_of(__VA_ARGS__).data)

static enum sg_code read_age(void *place, const char *found, struct sg_err *err)
{
    char digits[16] = "";
    const size_t count = strspn(found, "0123456789");
    if (strcmp(found + count, "d") == 0 && count < sizeof(digits))
        memcpy(digits, found, count);
    if (sg_parse_u64(digits, place))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL,
                   "expected days such as " SG_MAX_AGE_DEFAULT ", found '%s'",
                   sg_show_string(found).text);
}

/* Seconds since the start of the day in `date` ("2026-11-20T03:14:15Z", or the day alone); NaN if
 * `date` is invalid. */
static double age_of(const char *date)
{
    char day[sizeof("2026-11-20")] = "";
    time_t begin = 0;
    if (!date || strlen(date) < sizeof(day) - 1 ||
        (date[sizeof(day) - 1] && date[sizeof(day) - 1] != 'T'))
        return NAN;
    memcpy(day, date, sizeof(day) - 1);
    return sg_parse_day(day, &begin) ? difftime(time(NULL), begin) : NAN;
}

static void check_age(struct findings *findings, const struct sg_env *env)
{
    const double days = age_of(sg_env_get(env, "date")) / SG_DAY_S;
    if (isnan(days))
        ADD(findings, MALFORMED, "its facts have no date such as 2026-11-20T03:14:15Z");
    if (days < -1) /* one day covers clock differences and time zones */
        ADD(findings, MALFORMED, "its date is in the future");
    if (days > (double)findings->in->max_age_days)
        ADD(findings, STALE, "its age is %.0f days, the limit is %llu", floor(days),
            (unsigned long long)findings->in->max_age_days);
}

static void check_driver(struct findings *findings, const struct sg_env *env)
{
    const char *driver = sg_env_get(env, "driver"), *here = findings->in->driver;
    if (here && driver && !sg_same_driver_branch(here, driver))
        ADD(findings, STALE, "accepted with driver %s, and the driver here is %s", driver, here);
}

/* The numbers must be where compare looks for them: in the file of their suite, in rows of their
 * GPU model or of their single GPU. */
static void check_place(struct findings *findings, const struct sg_accepted_file *file,
                        bool in_place)
{
    const char *gpu = sg_env_word(&file->env, "gpu"), *suite = sg_env_word(&file->env, "suite"),
               *units = sg_env_word(&file->env, SG_ACCEPTED_UNITS_KEY);
    SG_FORMATTED(name, "/%s.csv", suite);
    if (in_place && !sg_ends_in(file->path, name.data))
        ADD(findings, MALFORMED, "its suite is '%s', so the file should be %s", suite,
            name.data + 1);
    if (strcmp(file->gpu, gpu) != 0 && strcmp(file->gpu, units) != 0)
        ADD(findings, MALFORMED, "its gpu is '%s', its accepted_units '%s': found rows of '%s'",
            gpu, units, file->gpu);
}

static void on_fault(void *context, enum sg_accepted_fault_kind kind, const char *where,
                     const char *why)
{
    static const enum state states[] = {
        [SG_FAULT_MALFORMED] = MALFORMED, [SG_FAULT_STALE] = STALE, [SG_FAULT_UNGATED] = UNGATED};
    add(context, states[kind], where, why);
}

/* Judges waivers by today's date, because the next run uses its own date. */
static void verify_numbers(struct findings *findings, const struct sg_catalogue *catalogue,
                           const struct sg_accepted_file *file, bool in_place)
{
    const size_t before = findings->sheet->row_count;
    SG_FORMATTED(name, "%s of %s", file->path, file->gpu);
    findings->path = name.data;
    check_age(findings, &file->env);
    check_driver(findings, &file->env);
    check_place(findings, file, in_place);
    sg_accepted_check(file, catalogue, sg_utc_now(SG_UTC_DAY).text, on_fault, findings);
    if (findings->sheet->row_count == before)
        ADD(findings, GOOD, "%zu rows", file->table.count);
}

static void verify_file(struct findings *findings, const struct sg_catalogue *catalogue,
                        const char *path, const char *gpu, bool in_place)
{
    struct sg_accepted_suite suite = {.path = NULL};
    struct sg_err fault = {0};
    findings->files++;
    if (sg_accepted_suite_read(path, &suite, &fault) != SG_SUCCESS) {
        add(findings, fault.code == SG_NOT_COMPARABLE ? STALE : MALFORMED, fault.where,
            fault.message);
        return;
    }
    if (sg_accepted_suite_check_seal(&suite, &fault) != SG_SUCCESS)
        add(findings, MALFORMED, fault.where, fault.message);
    for (size_t i = 0; i < suite.count; i++)
        if (!*gpu || strcmp(gpu, suite.items[i].gpu) == 0)
            verify_numbers(findings, catalogue, &suite.items[i], in_place);
}

static enum sg_code verify(struct findings *findings, struct sg_err *err)
{
    const char *name = findings->in->name;
    struct sg_catalogue catalogue = {0};
    SG_SCOPED(sg_text) path = {0}, gpu = {0};
    SG_SCOPED(sg_names) paths = {0};
    if (sg_catalogue_load(&catalogue, err) != SG_SUCCESS)
        return err->code;
    if (name && sg_accepted_path(name, &path, &gpu, err) == SG_SUCCESS)
        verify_file(findings, &catalogue, path.data, sg_text_string(&gpu), false);
    else if (!name && sg_accepted_files(&paths, err) == SG_SUCCESS)
        for (size_t i = 0; i < paths.count; i++)
            verify_file(findings, &catalogue, paths.items[i], "", true);
    if (err->code == SG_SUCCESS && findings->files == 0 &&
        sg_accepted_place_new(&path, err) == SG_SUCCESS)
        sg_fail(err, SG_NOT_COMPARABLE, path.data,
                "no accepted numbers in it, so nothing was checked; `solgate accept RUN` "
                "makes some");
    return err->code;
}

/* Writes the version of the loaded driver to `version`; false if no driver is loaded. */
static bool driver_here(char version[64])
{
    FILE *file = fopen(SG_DRIVER_VERSION, "r");
    const bool found = file && fgets(version, 64, file) != NULL;
    if (found)
        version[strcspn(version, "\n")] = '\0';
    if (file)
        fclose(file);
    return found;
}

static int print(struct findings *findings, struct sg_err *err)
{
    struct sg_document document = {.name = "accepted verify"};
    const size_t *count = findings->count;
    findings->sheet = sg_document_sheet(&document, "files", SG_COLUMNS(columns), SG_FOR_ALL);
    const bool is_done = verify(findings, err) == SG_SUCCESS;
    const int exit_code = count[MALFORMED] > 0                ? SG_EXIT_USAGE
                          : count[STALE] + count[UNGATED] > 0 ? SG_EXIT_INVALID
                                                              : SG_EXIT_DONE;
    if (is_done) {
        sg_document_notef(&document, SG_FOR_ALL,
                          "%s (exit %d): %zu file%s of accepted numbers: %zu malformed, %zu stale, "
                          "%zu rows ungated",
                          sg_exit_decision(exit_code), exit_code, findings->files,
                          findings->files == 1 ? "" : "s", count[MALFORMED], count[STALE],
                          count[UNGATED]);
        sg_document_lead(&document);
        sg_print_document(&document, findings->in->format, err);
    }
    return exit_code;
}

int sg_cmd_accepted_verify(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("max-age", "DAYSd", struct input, max_age_days, .help = "older is stale",
                 .read = read_age, .standard = SG_MAX_AGE_DEFAULT),
        SG_VALUE("driver", "VERSION", struct input, driver,
                 .help = "another branch than this is stale", .standard = "the driver loaded here"),
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(SG_BASELINE_FORMS, struct input, name, .optional = true)},
        .summary = "Checks all accepted numbers, or those named. They must be unchanged, in their "
                   "place, not too old, and measured with the driver branch that is loaded here. "
                   "Every metric and unit must be known. Every item that passes needs a gating row "
                   "with its time inside its interval and a tolerance of at most tolerance_max, "
                   "unless a waiver holds.",
        .notes = "Example: solgate accepted verify --max-age=30d",
        .exits = {{SG_EXIT_DONE, "all good"},
                  {SG_EXIT_INVALID, "stale or ungated numbers, or no numbers"},
                  {SG_EXIT_USAGE, "malformed numbers, or a wrong command line"}},
    };
    char here[64];
    struct input in = {.format = sg_format_find("text")};
    struct findings findings = {.in = &in};
    read_age(&in.max_age_days, SG_MAX_AGE_DEFAULT, err);
    if (!sg_options_parse(&table, &in, argc, argv, err))
        return 0;
    if (!in.driver && driver_here(here))
        in.driver = here;
    return print(&findings, err);
}
