#include "cmd_baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baseline.h"
#include "baseline_files.h"
#include "catalogue.h"
#include "compare.h"
#include "escape.h"
#include "run_folder.h"
#include "stats.h"

#define SG_DAY_S          86400.0
#define SG_MAX_AGE_DAYS   90
#define SG_DRIVER_VERSION "/sys/module/nvidia/version" /* of the driver that is loaded here */

enum { KEY_MAX_AGE = 256, KEY_DRIVER }; /* above every character: long options only */

struct command {
    const char *name;
    const char *driver; /* NULL: the one loaded here, if any */
    uint64_t max_age_days;
    struct sg_err *err;
};

/* What stands against the files; a malformed one outweighs a stale one. */
struct tally {
    struct sg_text text;
    size_t files, stale, malformed;
};

static error_t parse_age(const char *arg, struct command *command, const struct argp_state *state)
{
    char digits[16] = "";
    const size_t length = strlen(arg);
    if (length > 1 && length < sizeof(digits) && arg[length - 1] == 'd')
        memcpy(digits, arg, length - 1);
    if (!sg_parse_u64(digits, &command->max_age_days))
        return sg_option_fail(command->err, state, "--max-age: days such as 90d expected, found '%s'", arg);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *command = state->input;
    switch (key) {
    case KEY_MAX_AGE:
        return parse_age(arg, command, state);
    case KEY_DRIVER:
        command->driver = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (command->name)
            return sg_option_fail(command->err, state, "one FILE, GPU/SUITE or GPU/UNIT/SUITE expected, found '%s' after '%s'", arg,
                                  command->name);
        command->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void stale(struct tally *tally, const char *path, const char *why, const char *found)
{
    tally->stale++;
    sg_text_addf(&tally->text, "stale      %s: %s", path, why);
    sg_add_terminal(&tally->text, found);
    sg_text_add(&tally->text, "\n");
}

static void malformed(struct tally *tally, const char *where, const char *why)
{
    tally->malformed++;
    sg_text_addf(&tally->text, "malformed  %s: ", where);
    sg_add_terminal(&tally->text, why);
    sg_text_add(&tally->text, "\n");
}

/* The number that stands in date[at .. at + count - 1]; -1 if it is none. */
static int number_at(const char *date, size_t at, size_t count)
{
    char digits[8] = "";
    uint64_t number = 0;
    memcpy(digits, date + at, count);
    return sg_parse_u64(digits, &number) ? (int)number : -1;
}

/* Seconds since `date` ("2026-11-20T03:14:15Z", or the day alone); NaN if it is none. */
static double age_of(const char *date)
{
    if (!date || strlen(date) < sizeof("2026-11-20") - 1 || date[4] != '-' || date[7] != '-')
        return NAN;
    struct tm tm = {.tm_year = number_at(date, 0, 4) - 1900, .tm_mon = number_at(date, 5, 2) - 1, .tm_mday = number_at(date, 8, 2)};
    if (tm.tm_year < 0 || tm.tm_mon < 0 || tm.tm_mday < 1)
        return NAN;
    return difftime(time(NULL), timegm(&tm));
}

static void check_age(const struct command *command, const struct sg_baseline *baseline, struct tally *tally)
{
    const char *date = sg_env_get(&baseline->env, "date");
    const double age_s = age_of(date);
    char found[64];
    if (isnan(age_s)) {
        malformed(tally, baseline->path, "its env file has no date such as 2026-11-20T03:14:15Z");
        return;
    }
    snprintf(found, sizeof(found), "%.0f days, allowed are %llu", floor(age_s / SG_DAY_S), (unsigned long long)command->max_age_days);
    if (age_s > SG_DAY_S * (double)command->max_age_days)
        stale(tally, baseline->path, "its age is ", found);
}

static void check_driver(const struct command *command, const struct sg_baseline *baseline, struct tally *tally)
{
    const char *driver = sg_env_get(&baseline->env, "driver");
    if (!command->driver || !driver || sg_same_driver_branch(command->driver, driver))
        return;
    struct sg_text found = {0};
    sg_text_addf(&found, "%s, and the driver here is %s", driver, command->driver);
    stale(tally, baseline->path, "accepted with driver ", found.data);
    sg_text_release(&found);
}

static bool stands_at(const struct sg_baseline *baseline, const char *place)
{
    const size_t length = strlen(baseline->path);
    const size_t tail = strlen(place);
    return length > tail && baseline->path[length - tail - 1] == '/' && strcmp(baseline->path + length - tail, place) == 0;
}

/* The file stands where compare looks for it: its model's place by its own env, or, of one GPU, that GPU's. */
static void check_place(const struct sg_baseline *baseline, struct tally *tally)
{
    const char *gpu = sg_env_get(&baseline->env, "gpu");
    const char *suite = sg_env_get(&baseline->env, "suite");
    const char *units = sg_env_get(&baseline->env, "accepted_units");
    struct sg_text model = {0};
    struct sg_text unit = {0};
    sg_text_addf(&model, "%s/%s.csv", gpu ? gpu : "", suite ? suite : "");
    sg_text_addf(&unit, "%s/%s/%s.csv", gpu ? gpu : "", units ? units : "", suite ? suite : "");
    if (!stands_at(baseline, model.data) && !stands_at(baseline, unit.data)) {
        struct sg_text why = {0};
        sg_text_addf(&why, "its env says gpu '%s', suite '%s', accepted_units '%s': it should be called %s", gpu ? gpu : "",
                     suite ? suite : "", units ? units : "", model.data);
        if (units && !strchr(units, '+'))
            sg_text_addf(&why, " or %s", unit.data);
        malformed(tally, baseline->path, why.data);
        sg_text_release(&why);
    }
    sg_text_release(&unit);
    sg_text_release(&model);
}

static const char *row_fault(const struct sg_catalogue *catalogue, const struct sg_baseline *baseline, size_t index)
{
    const struct sg_row *row = &baseline->table.rows[index];
    const char *metric = sg_table_string(&baseline->table, row->metric);
    const bool is_time = strcmp(metric, "time") == 0 || strcmp(metric, "time_ratio") == 0;
    /* What a variant tells may have a name of its family's own. */
    if (!sg_is_told(row) && !sg_catalogue_find(catalogue, metric))
        return "no such metric in metrics.ini";
    if (!baseline->accepted[index].gate || !is_time)
        return NULL;
    if (row->n < SG_PROCESSES_MIN || !(row->has & SG_HAS_LOW) || !(row->has & SG_HAS_HIGH))
        return "gates, but has fewer than 5 processes or no interval";
    if (!(baseline->accepted[index].tolerance > 0.0))
        return "gates, but has no tolerance";
    return NULL;
}

static void check_rows(const struct sg_catalogue *catalogue, const struct sg_baseline *baseline, struct tally *tally)
{
    for (size_t i = 0; i < baseline->table.count; i++) {
        const struct sg_row *row = &baseline->table.rows[i];
        const char *fault = row_fault(catalogue, baseline, i);
        if (!fault)
            continue;
        struct sg_text where = {0};
        sg_text_addf(&where, "%s: %s/%s/%s %s", baseline->path, sg_table_string(&baseline->table, row->family),
                     sg_table_string(&baseline->table, row->case_), sg_table_string(&baseline->table, row->variant),
                     sg_table_string(&baseline->table, row->metric));
        malformed(tally, where.data, fault);
        sg_text_release(&where);
    }
}

static void verify_one(const struct command *command, const struct sg_catalogue *catalogue, const char *path, bool in_place,
                       struct tally *tally)
{
    struct sg_baseline baseline = {0};
    struct sg_err fault = {0};
    const size_t before = tally->stale + tally->malformed;
    tally->files++;
    sg_baseline_read(path, &baseline, &fault);
    if (fault.code == SG_NOT_COMPARABLE) {
        stale(tally, fault.where, "", fault.message);
    } else if (fault.code != SG_DONE) {
        malformed(tally, fault.where, fault.message);
    } else {
        struct sg_err changed = {0};
        if (sg_baseline_check_seal(&baseline, &changed) != SG_DONE)
            malformed(tally, changed.where, changed.message);
        check_age(command, &baseline, tally);
        check_driver(command, &baseline, tally);
        if (in_place)
            check_place(&baseline, tally);
        check_rows(catalogue, &baseline, tally);
    }
    if (tally->stale + tally->malformed == before)
        sg_text_addf(&tally->text, "good       %s: %zu rows\n", path, baseline.table.count);
    sg_baseline_release(&baseline);
}

static enum sg_code verify(const struct command *command, struct tally *tally, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_text path = {0};
    char **paths = NULL;
    size_t count = 0;
    if (sg_catalogue_load(&catalogue, err) != SG_DONE)
        goto out;
    if (command->name && sg_baseline_path(command->name, &path, err) == SG_DONE)
        verify_one(command, &catalogue, path.data, false, tally);
    else if (!command->name && sg_baseline_files(&paths, &count, err) == SG_DONE)
        for (size_t i = 0; i < count; i++)
            verify_one(command, &catalogue, paths[i], true, tally);
out:
    sg_baseline_files_free(paths, count);
    sg_text_release(&path);
    sg_catalogue_release(&catalogue);
    return err->code;
}

/* Version of the loaded driver into `version`; false where there is none. */
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

int sg_baseline_verify(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "max-age", .key = KEY_MAX_AGE, .arg = "DAYSd", .doc = "older is stale (default: 90d)"},
        {.name = "driver",
         .key = KEY_DRIVER,
         .arg = "VERSION",
         .doc = "another branch than this is stale (default: the driver loaded here)"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[FILE|GPU/SUITE|GPU/UNIT/SUITE]",
        .doc = "Are the baselines still good? All of them, or the one named: as they were written, in their place, every metric known, not "
               "too "
               "old, taken with the driver branch that is here."
               "\vExit codes: 0 all good; 3 some stale; 4 some malformed, or the command line is wrong.\n\n"
               "Example: solgate baseline verify --max-age=30d",
    };
    char here[64];
    struct command command = {.max_age_days = SG_MAX_AGE_DAYS, .err = err};
    struct tally tally = {0};
    bool helped = false;

    if (sg_options_parse(&(struct sg_options){&argp, &command}, argc, argv, &helped, err) != SG_DONE || helped)
        return 0;
    if (!command.driver && driver_here(here))
        command.driver = here;
    if (verify(&command, &tally, err) == SG_DONE) {
        sg_text_addf(&tally.text, "%zu baselines: %zu malformed, %zu stale\n", tally.files, tally.malformed, tally.stale);
        sg_print(&tally.text, err);
    }
    sg_text_release(&tally.text);
    return tally.malformed > 0 ? sg_exit_code(SG_BAD_INPUT) : tally.stale > 0 ? sg_exit_code(SG_NOT_COMPARABLE) : 0;
}
