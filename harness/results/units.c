#include "results/units.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/statistics.h"
#include "util/csv_reader.h"
#include "util/names.h"

#define LOCK_FOLDER "/tmp"

void sg_units_release(struct sg_units *units)
{
    free(units->items);
    *units = (struct sg_units){0};
}

const char *sg_unit_of(const struct sg_env *run)
{
    const char *unit = sg_env_get(run, "gpu_uuid_hash");
    return unit && *unit ? unit : "unknown";
}

const char *sg_unit_of_item(const struct sg_table *run, const struct sg_env *env,
                            const char *family, const char *case_, const char *variant)
{
    const struct sg_row *unit = sg_env_get(env, SG_UNITS_KEY)
                                    ? sg_table_find(run, family, case_, variant, SG_UNIT_METRIC)
                                    : NULL;
    return unit ? sg_table_string(run, unit->message) : sg_unit_of(env);
}

/* ---- the columns ---- */

#define FIELD(type, title, member, ...) SG_FIELD(type, title, struct sg_unit, member, __VA_ARGS__)
#define FIGURE(member)                  FIELD(REAL, #member, member, .most = SG_FIGURE_MAX)
static const struct sg_field columns[] = {
    FIELD(CHARS, "unit", name, .is = sg_is_name, .expected = "a name of [a-z0-9_]"),
    FIELD(CHARS, "host", host),
    FIELD(CHARS, SG_PCI_KEY, pci),
    FIELD(CHARS, "driver", driver),
    FIELD(CHARS, SG_VBIOS_KEY, vbios),
    FIELD(COUNT, "processes", processes),
    FIELD(COUNT, "dropped", dropped),
    FIELD(COUNT, "events", events, .take = sg_events_take, .add = sg_events_add),
    FIGURE(sm_clock),
    FIGURE(power_w),
    FIELD(REAL, "temperature_c", temperature_c, .least = -SG_FIGURE_MAX, .most = SG_FIGURE_MAX),
    FIGURE(chain_cycles),
    FIGURE(chain_sd),
    FIGURE(copy_ns),
    FIGURE(copy_sd),
    FIELD(CHARS, "lost", lost),
};
const struct sg_record sg_unit_record = SG_RECORD(columns);

/* ---- a plain run ---- */

/* Sets the median of a figure over the processes that count, and its robust relative sd. The chain
 * is in cycles: its time, in ns, times its clock. Power and temperature count only at the end. */
static void take_median(const struct sg_process_log *all, enum sg_figure of, double *median,
                        double *sd)
{
    SG_FREED double *x = sg_alloc(2 * all->count + 1, sizeof(*x));
    const bool at_end = of == SG_FIGURE_POWER || of == SG_FIGURE_TEMPERATURE;
    size_t n = 0;
    for (size_t i = 0; i < 2 * all->count; i++) {
        const double *figure = all->items[i / 2].figure[i % 2],
                     value = figure[of] *
                             (of == SG_FIGURE_CHAIN_NS ? figure[SG_FIGURE_CHAIN_CLOCK] * 1e-9 : 1);
        if (!all->items[i / 2].dropped[0] && (i % 2 == SG_AT_END || !at_end) && value > 0)
            x[n++] = value;
    }
    *median = n > 0 ? sg_median(x, n) : NAN;
    *sd = n > 1 ? sg_robust_sd(x, n) / *median : NAN;
}

struct sg_unit sg_unit_make(const struct sg_env *env, const struct sg_process_log *processes)
{
    struct sg_unit unit = {.processes = 0};
    double ignored;
    for (size_t i = 0; i < sg_unit_record.count; i++)
        if (columns[i].type == SG_FIELD_CHARS)
            snprintf((char *)&unit + columns[i].offset, columns[i].size, "%s",
                     sg_env_word(env, columns[i].name));
    snprintf(unit.name, sizeof(unit.name), "%s", sg_unit_of(env));
    for (size_t i = 0; i < processes->count; i++) {
        const struct sg_process *process = &processes->items[i];
        *(process->dropped[0] ? &unit.dropped : &unit.processes) += 1;
        unit.events.seen |= process->events.seen;
        unit.events.known |= process->events.known;
    }
    take_median(processes, SG_FIGURE_CHAIN_NS, &unit.chain_cycles, &unit.chain_sd);
    take_median(processes, SG_FIGURE_COPY_NS, &unit.copy_ns, &unit.copy_sd);
    take_median(processes, SG_FIGURE_CHAIN_CLOCK, &unit.sm_clock, &ignored);
    take_median(processes, SG_FIGURE_POWER, &unit.power_w, &ignored);
    take_median(processes, SG_FIGURE_TEMPERATURE, &unit.temperature_c, &ignored);
    return unit;
}

/* ---- files ---- */

static enum sg_code on_process(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_process process = sg_process_new(0, 0);
    if (row->line == 1)
        return sg_record_check_header(&sg_process_record, row, err);
    if (sg_record_read(&sg_process_record, row->field, &process, NULL, err) == SG_SUCCESS)
        sg_process_log_add(context, &process);
    return sg_fail_here(err, row->path, row->line);
}

static enum sg_code on_unit(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_unit unit = {.processes = 0};
    if (row->line == 1)
        return sg_record_check_header(&sg_unit_record, row, err);
    if (sg_record_read(&sg_unit_record, row->field, &unit, NULL, err) == SG_SUCCESS)
        sg_units_join(context, &unit);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_units_of_run(const char *folder, const struct sg_env *env, struct sg_units *units,
                             struct sg_err *err)
{
    struct sg_process_log processes = {0};
    SG_FORMATTED(merged, "%s/" SG_UNITS_FILE, folder);
    SG_FORMATTED(plain, "%s/processes.csv", folder);
    if (access(merged.data, F_OK) == 0)
        return sg_csv_read(merged.data, on_unit, units, err);
    if (access(plain.data, F_OK) == 0)
        sg_csv_read(plain.data, on_process, &processes, err);
    const struct sg_unit unit = sg_unit_make(env, &processes);
    if (err->code == SG_SUCCESS)
        sg_units_join(units, &unit);
    free(processes.items);
    return err->code;
}

enum sg_code sg_unit_hold(const char *unit, struct sg_err *err)
{
    static struct sg_names held;
    int lock;
    SG_FORMATTED(path, LOCK_FOLDER "/solgate-gpu-%s", unit);
    SG_FORMATTED(busy,
                 "expected GPU %s free, found it in use by another run of solgate; wait for its "
                 "end, or choose another GPU with --gpu",
                 unit);
    /* Not even O_CREAT may open the file of another user in LOCK_FOLDER. */
    const int flags = access(path.data, F_OK) == 0 ? 0 : O_CREAT;
    if (sg_names_have(&held, unit) ||
        sg_lock(path.data, flags, busy.data, &lock, err) != SG_SUCCESS)
        return err->code;
    sg_names_add(&held, unit);
    if (flags)
        fchmod(lock, 0644); /* for other users, whatever the umask */
    return err->code;
}

/* ---- lists ---- */

struct sg_unit *sg_units_find(const struct sg_units *units, const char *name)
{
    return SG_FIND(units->items, units->count, name, name);
}

void sg_unit_add_counts(struct sg_unit *to, const struct sg_unit *unit)
{
    to->processes += unit->processes;
    to->dropped += unit->dropped;
    to->events.seen |= unit->events.seen;
    to->events.known |= unit->events.known;
}

/* Mean of two numbers with these weights; a NaN has none. */
static void join_number(double *to, double weight, double from, double from_weight)
{
    if (isnan(*to))
        *to = from;
    else if (!isnan(from) && weight + from_weight > 0)
        *to += (from - *to) * from_weight / (weight + from_weight);
}

void sg_units_join(struct sg_units *units, const struct sg_unit *unit)
{
    struct sg_unit *to = sg_units_find(units, unit->name);
    if (!to) {
        *SG_APPEND(units->items, units->count, units->capacity) = *unit;
        return;
    }
    for (size_t i = 0; i < sg_unit_record.count; i++)
        if (columns[i].type == SG_FIELD_REAL)
            join_number((double *)((char *)to + columns[i].offset), (double)to->processes,
                        *(const double *)((const char *)unit + columns[i].offset),
                        (double)unit->processes);
    sg_unit_add_counts(to, unit);
    if (unit->lost[0])
        memcpy(to->lost, unit->lost, sizeof(to->lost));
}

static const struct {
    const char *key;
    size_t offset;
} facts[] = {{"chain_cycles", offsetof(struct sg_unit, chain_cycles)},
             {"copy_ns", offsetof(struct sg_unit, copy_ns)}};
#define FACTS (sizeof(facts) / sizeof(facts[0]))

void sg_units_to_facts(const struct sg_units *units, struct sg_env *env)
{
    for (size_t i = 0; i < units->count * FACTS; i++) {
        const struct sg_unit *unit = &units->items[i / FACTS];
        const double value = *(const double *)((const char *)unit + facts[i % FACTS].offset);
        SG_SCOPED(sg_text) text = {0};
        sg_text_add_number(&text, value, SG_DIGITS);
        if (value > 0)
            sg_fact_set(env, facts[i % FACTS].key, SG_OF(unit->name), text.data);
    }
}

void sg_units_of_facts(const struct sg_env *env, struct sg_units *units)
{
    SG_SCOPED(sg_text) names = {0};
    const char *of[3];
    for (size_t i = 0; i < env->count * FACTS; i++) {
        struct sg_unit unit = sg_unit_make(&(struct sg_env){0}, &(struct sg_process_log){0});
        double *value = (double *)((char *)&unit + facts[i % FACTS].offset);
        if (!sg_fact_at(env, i / FACTS, facts[i % FACTS].key, &names, of) ||
            !sg_parse_double(env->value[i / FACTS], false, value))
            continue;
        snprintf(unit.name, sizeof(unit.name), "%s", of[0]);
        sg_units_join(units, &unit);
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct sg_unit *)left)->name, ((const struct sg_unit *)right)->name);
}

enum sg_code sg_units_write(const char *folder, struct sg_units *units, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, text = {0};
    if (units->count > 0)
        qsort(units->items, units->count, sizeof(*units->items), by_name);
    sg_text_addf(&path, "%s/" SG_UNITS_FILE, folder);
    sg_record_add_header(&text, &sg_unit_record);
    for (size_t i = 0; i < units->count; i++) {
        sg_text_add(&text, "\n");
        sg_record_add(&text, &sg_unit_record, &units->items[i], NULL);
    }
    sg_text_add(&text, "\n");
    return sg_write_file(path.data, text.data, text.length, err);
}
