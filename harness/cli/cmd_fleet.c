#include "cli/cmd_history.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reports/report.h"
#include "reports/tables/headline.h"
#include "results/unit_health.h"

struct input {
    struct sg_names places; /* histories and runs */
    const struct sg_format *format;
};

struct fleet {
    struct sg_unit *readings; /* owned */
    size_t count, capacity;
    struct sg_document document;
    struct sg_sheet *sheet;
    struct sg_headline headline;
    size_t by_health[SG_HEALTH_COUNT];
};

/* ---- reading ---- */

static void add_units(struct fleet *fleet, const struct sg_env *facts, const struct sg_unit *units,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sg_unit *reading = SG_APPEND(fleet->readings, fleet->count, fleet->capacity);
        *reading = units[i];
        reading->model = sg_copy_string(sg_env_word(facts, "gpu"));
        reading->date = sg_copy_string(sg_env_word(facts, SG_NIGHT_DATE));
    }
}

static enum sg_code add_group(void *context, const char *group, const struct sg_history *history,
                              struct sg_err *err)
{
    (void)group;
    for (size_t i = 0; i < history->count; i++)
        add_units(context, &history->nights[i].facts,
                  history->gpus.items + history->nights[i].gpu_from,
                  history->nights[i].gpu_to - history->nights[i].gpu_from);
    return err->code;
}

/* A folder without env.csv is a history. */
static enum sg_code read_place(struct fleet *fleet, const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    SG_SCOPED(sg_units) units = {0};
    SG_FORMATTED(file, "%s/env.csv", path);
    if (access(file.data, F_OK) != 0 && errno != ENOTDIR)
        return sg_history_each(&(struct sg_history_wanted){.folder = path}, add_group, fleet, err);
    if (sg_run_read(path, &run, err) == SG_SUCCESS &&
        sg_units_of_run(run.folder, &run.env, &units, err) == SG_SUCCESS)
        add_units(fleet, &run.env, units.items, units.count);
    return err->code;
}

/* ---- the table ---- */

#define NUMBER(title_, unit_, meaning_, ...)                                                   \
    {                                                                                          \
        .title = (title_), .number = true, .unit = (unit_), .meaning = (meaning_), __VA_ARGS__ \
    }
static const struct sg_column columns[] = {
    {.title = "model", .spare = true, .names = true},
    {.title = "gpu", .meaning = "hash of its UUID", .key = true, .names = true},
    {.title = "host"},
    {.title = "state", .meaning = "ok, thin, unsteady, slow or lost", .key = true},
    NUMBER("chain", "1", "cycles of a chain of FMAs / median of the siblings - 1"),
    NUMBER("copy", "1", "time of a copy in DRAM / median of the siblings - 1"),
    NUMBER("chain_cycles", "cycle", "last reading"),
    NUMBER("chain_sd", "1", "robust sd of one reading of this GPU, relative"),
    NUMBER("copy_ns", "ns", "last reading"),
    NUMBER("copy_sd", "1", "as chain_sd"),
    NUMBER("siblings", "1", "other GPUs of the model that have readings", .programs = true),
    NUMBER("sm_clock", "Hz", "under load", .programs = true),
    NUMBER("power", "W", "after the last item", .programs = true),
    NUMBER("temperature", "C", "after the last item", .programs = true),
    NUMBER("processes", "1", "that count, of all readings", .programs = true),
    NUMBER("dropped", "1", "processes that do not"),
    {.title = "events", .spare = true},
    {.title = "pci", .spare = true},
    {.title = "driver", .spare = true},
    {.title = "vbios", .spare = true},
    {.title = "last", .meaning = "day of the last reading"},
    {.title = "why", .spare = true},
};

static void add_row(struct fleet *fleet, const struct sg_unit_health *gpu)
{
    struct sg_sheet *const sheet = fleet->sheet;
    const struct sg_unit *unit = &gpu->unit;
    SG_SCOPED(sg_text) events = {0};
    struct sg_text why = {0};
    sg_events_add(&events, &unit->events);
    sg_unit_health_describe(gpu, &why);
    sg_sheet_row(sheet, gpu->health == SG_HEALTHY ? SG_GREEN : SG_YELLOW);
    sg_sheet_cells(sheet, unit->model, unit->name, unit->host, sg_health_word(gpu->health));
    for (enum sg_drift_kind kind = 0; kind < SG_DRIFT_COUNT; kind++)
        sg_sheet_scaled(sheet, gpu->change[kind], 100, "%");
    sg_sheet_value(sheet, unit->chain_cycles, "");
    sg_sheet_scaled(sheet, unit->chain_sd, 100, "%");
    sg_sheet_value(sheet, unit->copy_ns, "");
    sg_sheet_scaled(sheet, unit->copy_sd, 100, "%");
    sg_sheet_numbers(sheet, (double)gpu->siblings, unit->sm_clock, unit->power_w,
                     unit->temperature_c, (double)unit->processes, (double)unit->dropped);
    sg_sheet_cells(sheet, sg_text_string(&events), unit->pci, unit->driver, unit->vbios);
    sg_sheet_cellf(sheet, "%.10s", unit->date);
    sg_sheet_take(sheet, &why);
    if (gpu->health >= SG_UNSTEADY_GPU && gpu->unit.host[0]) {
        struct sg_text drain = {0};
        sg_text_addf(&drain, "scontrol update NodeName=%s State=DRAIN Reason='GPU %s is %s'",
                     gpu->unit.host, gpu->unit.name, sg_health_word(gpu->health));
        sg_sheet_take_below(sheet, &drain);
    }
}

/* The worst GPU leads; of two that are as bad, the first. */
static void judge(struct fleet *fleet)
{
    SG_FREED struct sg_unit_health *gpus = sg_alloc(fleet->count, sizeof(*gpus));
    const size_t n = sg_unit_health_of(fleet->readings, fleet->count, gpus);
    const struct sg_unit_health *worst = gpus;
    for (size_t i = 0; i < n; i++) {
        worst = gpus[i].health > worst->health ? &gpus[i] : worst;
        fleet->by_health[gpus[i].health]++;
        add_row(fleet, &gpus[i]);
    }
    if (worst->health == SG_HEALTHY)
        return;
    fleet->headline.exit_code = SG_EXIT_INCONCLUSIVE;
    sg_text_addf(&fleet->headline.says, "GPU %s%s%s is %s: ", worst->unit.name,
                 worst->unit.host[0] ? " of " : "", worst->unit.host,
                 sg_health_word(worst->health));
    sg_unit_health_describe(worst, &fleet->headline.says);
}

static void add_lead(struct fleet *fleet)
{
    struct sg_document whole = {.name = "fleet"};
    const size_t all = fleet->sheet->row_count;
    SG_FORMATTED(counts, "fleet: %zu GPU%s", all, SG_PLURAL(all));
    for (size_t i = SG_HEALTH_COUNT; i-- > 0;)
        if (fleet->by_health[i] > 0)
            sg_text_addf(&counts, ", %zu %s", fleet->by_health[i],
                         sg_health_word((enum sg_health)i));
    if (fleet->headline.exit_code == SG_EXIT_DONE)
        sg_text_addf(&fleet->headline.says, "%zu GPU%s as fast as their siblings", all,
                     SG_PLURAL(all));
    sg_document_first_lines(&whole, SG_FOR_PEOPLE, &fleet->headline,
                            sg_headline_class(&fleet->headline), counts.data);
    sg_document_take(&whole, &fleet->document);
    fleet->document = whole;
}

static int fleet(const struct input *in, struct sg_err *err)
{
    struct fleet fleet = {.document = {.name = "fleet"}};
    fleet.sheet = sg_document_sheet(&fleet.document, "gpus", SG_COLUMNS(columns), SG_FOR_ALL);
    for (size_t i = 0; i < in->places.count && err->code == SG_SUCCESS; i++)
        read_place(&fleet, in->places.items[i], err);
    if (err->code == SG_SUCCESS && fleet.count == 0)
        sg_fail(err, SG_BAD_INPUT, in->places.items[0],
                "expected nightly runs that name their GPUs, found none: a history without rows "
                "`gpu` is older than `solgate fleet`; add new runs");
    if (err->code != SG_SUCCESS)
        return 0;
    judge(&fleet);
    add_lead(&fleet);
    sg_print_document(&fleet.document, in->format, err);
    return fleet.headline.exit_code;
}

int sg_cmd_fleet(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("HISTORY|RUN", struct input, places,
                                  .help = "the folder of a history, or of a run", .repeats = true)},
        .summary = "Names the GPUs that are sick: each against its siblings, the other GPUs of its "
                   "model, in the last 14 days.",
        .notes =
            "Each process of a time pass also times two fixed kernels, a chain of FMAs and a copy. "
            "A GPU is `slow` if its last chain is over 0.5 %, or its last copy over 3 %, above "
            "the median of its siblings, and over five of their robust sd. It is `unsteady` if "
            "over 5 % of its "
            "processes were dropped, `lost` if it stopped answering in a run, and `thin` if it has "
            "fewer than five siblings or no reading.\n\n"
            "Example: solgate fleet history --format=html > fleet.html",
        .exits = {{SG_EXIT_DONE, "every GPU is ok"},
                  {SG_EXIT_INCONCLUSIVE, "a GPU is thin, unsteady, slow or lost"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.format = sg_format_find("text")};
    return sg_options_parse(&table, &in, argc, argv, err) ? fleet(&in, err) : 0;
}
