#include "cli/cmd_baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baseline/check.h"
#include "baseline/find.h"
#include "catalogue/catalogue.h"
#include "cli/cmd_history.h"
#include "compare/compare.h"
#include "results/accepted_place.h"
#include "results/env.h"
#include "results/run_writer.h"
#include "stats/statistics.h"
#include "util/escape.h"

#define SG_DRIVER_VERSION "/sys/module/nvidia/version" /* of the driver that is loaded here */

struct command {
    const char *name;
    const char *driver; /* NULL: the one loaded here, if any */
    uint64_t max_age_days;
};

/* What stands against the files; malformed ones outweigh the others. */
struct tally {
    struct sg_text text;
    size_t files, stale, malformed, ungated;
};

static size_t count_faults(const struct tally *tally)
{
    return tally->stale + tally->malformed + tally->ungated;
}

static enum sg_code read_age(void *place, const char *found, struct sg_err *err)
{
    char digits[16] = "";
    const size_t count = strspn(found, "0123456789");
    if (strcmp(found + count, "d") == 0 && count < sizeof(digits))
        memcpy(digits, found, count);
    if (sg_parse_u64(digits, place))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected days such as " SG_MAX_AGE_DEFAULT ", found '%s'", sg_show(found, strlen(found)).text);
}

static void stale(struct tally *tally, const char *path, const char *why, const char *found)
{
    tally->stale++;
    sg_text_addf(&tally->text, "stale      %s: %s", path, why);
    sg_add_terminal(&tally->text, found);
    sg_text_add(&tally->text, "\n");
}

static void add_line(struct tally *tally, const char *word, const char *where, const char *why)
{
    sg_text_addf(&tally->text, "%-10s %s: ", word, where);
    sg_add_terminal(&tally->text, why);
    sg_text_add(&tally->text, "\n");
}

static void malformed(struct tally *tally, const char *where, const char *why)
{
    tally->malformed++;
    add_line(tally, "malformed", where, why);
}

static void ungated(struct tally *tally, const char *where, const char *why)
{
    tally->ungated++;
    add_line(tally, "ungated", where, why);
}

/* Seconds since the day of `date` ("2026-11-20T03:14:15Z", or the day
 * alone) began; NaN if it is none. */
static double age_of(const char *date)
{
    char day[sizeof("2026-11-20")] = "";
    time_t begin = 0;
    if (!date || strlen(date) < sizeof(day) - 1 || (date[sizeof(day) - 1] && date[sizeof(day) - 1] != 'T'))
        return NAN;
    memcpy(day, date, sizeof(day) - 1);
    return sg_parse_day(day, &begin) ? difftime(time(NULL), begin) : NAN;
}

static void check_age(const struct command *command, const struct sg_accepted_file *baseline, struct tally *tally)
{
    const char *date = sg_env_get(&baseline->env, "date");
    const double age_s = age_of(date);
    char found[64];
    if (isnan(age_s)) {
        malformed(tally, baseline->path, "its env file has no date such as 2026-11-20T03:14:15Z");
        return;
    }
    if (age_s < -SG_DAY_S) /* clocks of two machines, and two time zones, are closer than that */
        malformed(tally, baseline->path, "the date in its env file is one to come");
    snprintf(found, sizeof(found), "%.0f days, allowed are %llu", floor(age_s / SG_DAY_S), (unsigned long long)command->max_age_days);
    if (age_s > SG_DAY_S * (double)command->max_age_days)
        stale(tally, baseline->path, "its age is ", found);
}

static void check_driver(const struct command *command, const struct sg_accepted_file *baseline, struct tally *tally)
{
    const char *driver = sg_env_get(&baseline->env, "driver");
    if (!command->driver || !driver || sg_same_driver_branch(command->driver, driver))
        return;
    struct sg_text found = {0};
    sg_text_addf(&found, "%s, and the driver here is %s", driver, command->driver);
    stale(tally, baseline->path, "accepted with driver ", found.data);
    sg_text_release(&found);
}

static bool stands_at(const struct sg_accepted_file *baseline, const char *place)
{
    const size_t length = strlen(baseline->path);
    const size_t tail = strlen(place);
    return length > tail && baseline->path[length - tail - 1] == '/' && strcmp(baseline->path + length - tail, place) == 0;
}

/* As <gpu>/<suite>.csv, or <gpu>/<unit>/<suite>.csv? */
static bool stands_for(const struct sg_accepted_file *baseline, const char *gpu, const char *unit, const char *suite)
{
    struct sg_text of_model = {0}, of_unit = {0};
    sg_text_addf(&of_model, "%s/%s.csv", gpu, suite);
    sg_text_addf(&of_unit, "%s/%s/%s.csv", gpu, unit, suite);
    const bool stands = stands_at(baseline, of_model.data) || stands_at(baseline, of_unit.data);
    sg_text_release(&of_model);
    sg_text_release(&of_unit);
    return stands;
}

/* The file stands where compare looks for it: its model's place by its own
 * env, or, of one GPU, that GPU's. */
static void check_place(const struct sg_accepted_file *baseline, struct tally *tally)
{
    const char *is[] = {sg_env_get(&baseline->env, "gpu"), sg_env_get(&baseline->env, "suite"),
                        sg_env_get(&baseline->env, "accepted_units")};
    const char *gpu = is[0] ? is[0] : "", *suite = is[1] ? is[1] : "", *units = is[2] ? is[2] : "";
    struct sg_text why = {0};
    if (stands_for(baseline, gpu, units, suite))
        return;
    sg_text_addf(&why, "its env has gpu '%s', suite '%s', accepted_units '%s': it should be called %s/%s.csv", gpu, suite, units, gpu,
                 suite);
    if (is[2] && !strchr(units, '+'))
        sg_text_addf(&why, " or %s/%s/%s.csv", gpu, units, suite);
    malformed(tally, baseline->path, why.data);
    sg_text_release(&why);
}

static void on_fault(void *context, enum sg_baseline_fault_kind kind, const char *where, const char *why)
{
    struct tally *tally = context;
    if (kind == SG_FAULT_MALFORMED)
        malformed(tally, where, why);
    else if (kind == SG_FAULT_STALE)
        stale(tally, where, "", why);
    else
        ungated(tally, where, why);
}

/* By today's date: what is over for the next night is over. */
static void check_numbers(const struct sg_catalogue *catalogue, const struct sg_accepted_file *baseline, struct tally *tally)
{
    sg_baseline_check(baseline, catalogue, sg_utc_now(SG_UTC_DAY).text, on_fault, tally);
}

static void verify_one(const struct command *command, const struct sg_catalogue *catalogue, const char *path, bool in_place,
                       struct tally *tally)
{
    struct sg_accepted_file baseline = {0};
    struct sg_err fault = {0};
    const size_t before = count_faults(tally);
    tally->files++;
    sg_accepted_file_read(path, &baseline, &fault);
    if (fault.code == SG_NOT_COMPARABLE) {
        stale(tally, fault.where, "", fault.message);
    } else if (fault.code != SG_SUCCESS) {
        malformed(tally, fault.where, fault.message);
    } else {
        struct sg_err changed = {0};
        if (sg_accepted_file_check_seal(&baseline, &changed) != SG_SUCCESS)
            malformed(tally, changed.where, changed.message);
        check_age(command, &baseline, tally);
        check_driver(command, &baseline, tally);
        if (in_place)
            check_place(&baseline, tally);
        check_numbers(catalogue, &baseline, tally);
    }
    if (count_faults(tally) == before)
        sg_text_addf(&tally->text, "good       %s: %zu rows\n", path, baseline.table.count);
    sg_accepted_file_release(&baseline);
}

static enum sg_code verify(const struct command *command, struct tally *tally, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_text path = {0};
    struct sg_names paths = {0};
    if (sg_catalogue_load(&catalogue, err) != SG_SUCCESS)
        goto out;
    if (command->name && sg_baseline_path(command->name, &path, err) == SG_SUCCESS)
        verify_one(command, &catalogue, path.data, false, tally);
    else if (!command->name && sg_baseline_files(&paths, err) == SG_SUCCESS)
        for (size_t i = 0; i < paths.count; i++)
            verify_one(command, &catalogue, paths.items[i], true, tally);
    if (err->code == SG_SUCCESS && tally->files == 0 && sg_accepted_place_new(&path, err) == SG_SUCCESS)
        sg_fail(err, SG_NOT_COMPARABLE, path.data,
                "no accepted numbers in it, so nothing was checked; `solgate baseline accept RUN` makes some");
out:
    sg_names_release(&paths);
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
    static const struct sg_option options[] = {
        {.name = "max-age",
         .arg = "DAYSd",
         SG_INTO(struct command, max_age_days),
         .read = read_age,
         .help = "older is stale",
         .standard = SG_MAX_AGE_DEFAULT},
        {.name = "driver",
         .arg = "VERSION",
         SG_INTO(struct command, driver),
         .help = "another branch than this is stale",
         .standard = "the driver loaded here"},
        {0},
    };
    static const struct sg_option arguments[] = {{.name = SG_BASELINE_FORMS, SG_INTO(struct command, name), .optional = true}, {0}};
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Are the baselines still good? All of them, or the one named: as they were written, in their place, not too old, taken "
                   "with the driver branch that is here, and such that compare can judge a run by them: every metric and unit known, a "
                   "gating row for every item that is right, its time inside of its interval, its tolerance at most tolerance_max. A "
                   "waiver that is not over excuses what cannot be gated.",
        .notes = "Example: solgate baseline verify --max-age=30d",
        .exits = {{SG_EXIT_DONE, "all good"},
                  {SG_EXIT_INVALID, "some stale or not to be gated, or none are there"},
                  {SG_EXIT_USAGE, "some malformed, or the command line is wrong"}},
    };
    char here[64];
    struct command command = {.name = NULL};
    struct tally tally = {0};
    read_age(&command.max_age_days, SG_MAX_AGE_DEFAULT, err);
    if (!sg_options_parse(&table, &command, argc, argv, err))
        return 0;
    if (!command.driver && driver_here(here))
        command.driver = here;
    if (verify(&command, &tally, err) == SG_SUCCESS) {
        sg_text_addf(&tally.text, "%zu baselines: %zu malformed, %zu stale, %zu rows ungated\n", tally.files, tally.malformed, tally.stale,
                     tally.ungated);
        sg_print(&tally.text, err);
    }
    sg_text_release(&tally.text);
    return tally.malformed > 0 ? SG_EXIT_USAGE : tally.stale + tally.ungated > 0 ? SG_EXIT_INVALID : SG_EXIT_DONE;
}
