#include "cli/cmd_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/report.h"
#include "reports/tables/headline.h"
#include "results/throttle_reasons.h"
#include "results/unit_health.h"
#include "util/paths.h"

struct input {
    struct sg_names places; /* histories and runs */
    const struct sg_format *format;
};

/* What one run says of a GPU of a model. */
struct entry {
    const char *model, *date;
    struct sg_unit unit;
};

struct fleet {
    struct entry *entries; /* owned */
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
    for (size_t i = 0; i < count; i++)
        *SG_APPEND(fleet->entries, fleet->count, fleet->capacity) =
            (struct entry){.model = sg_copy_string(sg_env_word(facts, "gpu")),
                           .date = sg_copy_string(sg_env_word(facts, SG_NIGHT_DATE)),
                           .unit = units[i]};
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

/* A folder with env.csv is a run, and so is a file. Any other folder is a history. */
static enum sg_code read_place(struct fleet *fleet, const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_text) file = {0};
    SG_SCOPED(sg_env) env = {0};
    SG_SCOPED(sg_units) units = {0};
    const char *slash = strrchr(path, '/');
    if (sg_is_folder(path))
        sg_text_add(&file, path);
    else
        sg_text_add_bytes(&file, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    const size_t folder = file.length;
    sg_text_add(&file, "/env.csv");
    if (access(file.data, F_OK) != 0)
        return sg_history_each(&(struct sg_history_wanted){.folder = path}, add_group, fleet, err);
    file.data[folder] = '\0';
    if (sg_run_read_env(path, &env, err) == SG_SUCCESS &&
        sg_units_of_run(file.data, &env, &units, err) == SG_SUCCESS)
        add_units(fleet, &env, units.items, units.count);
    return err->code;
}

/* ---- the table ---- */

static void add_name(struct sg_text *out, const struct sg_unit_health *gpu)
{
    sg_text_addf(out, "GPU %s%s%s", gpu->unit.name, gpu->unit.host[0] ? " of " : "",
                 gpu->unit.host);
}

#define NUMBER(title_, unit_, ...)                                                        \
    {                                                                                     \
        .title = (title_), .number = true, .unit = (unit_), .programs = true, __VA_ARGS__ \
    }
static const struct sg_column columns[] = {
    {.title = "model", .spare = true, .names = true},
    {.title = "gpu", .meaning = "hash of its UUID", .key = true, .names = true},
    {.title = "host"},
    {.title = "state", .meaning = "ok, thin, unsteady, slow or lost", .key = true},
    {.title = "chain",
     .meaning = "cycles of a chain of FMAs over the siblings' median, - 1",
     .number = true,
     .unit = "1"},
    {.title = "copy",
     .meaning = "time of a copy in DRAM over the siblings' median, - 1",
     .number = true,
     .unit = "1"},
    {.title = "chain_cycles", .meaning = "last reading", .number = true, .unit = "cycle"},
    {.title = "chain_sd",
     .meaning = "robust sd of one reading of this GPU, relative",
     .number = true,
     .unit = "1"},
    {.title = "copy_ns", .meaning = "last reading", .number = true, .unit = "ns"},
    {.title = "copy_sd", .meaning = "as chain_sd", .number = true, .unit = "1"},
    NUMBER("siblings", "1", .meaning = "other GPUs of the model that have readings"),
    NUMBER("sm_clock", "Hz", .meaning = "under load"),
    NUMBER("power", "W", .meaning = "after the last item"),
    NUMBER("temperature", "C", .meaning = "after the last item"),
    NUMBER("processes", "1", .meaning = "that count, of all readings"),
    {.title = "dropped", .meaning = "processes that do not", .number = true, .unit = "1"},
    {.title = "events", .spare = true},
    {.title = "pci", .spare = true},
    {.title = "driver", .spare = true},
    {.title = "vbios", .spare = true},
    {.title = "last", .meaning = "day of the last reading"},
    {.title = "why", .spare = true},
};

static void add_row(struct fleet *fleet, const char *model, const struct sg_unit_health *gpu)
{
    struct sg_sheet *const sheet = fleet->sheet;
    const struct sg_unit *unit = &gpu->unit;
    SG_SCOPED(sg_text) events = {0};
    struct sg_text why = {0};
    if (unit->events_known)
        sg_throttle_reasons_words(unit->events, &events);
    sg_unit_health_describe(gpu, &why);
    sg_sheet_row(sheet, gpu->health == SG_HEALTHY ? SG_GREEN : SG_YELLOW);
    sg_sheet_cells(sheet, model, unit->name, unit->host, sg_health_word(gpu->health));
    sg_sheet_scaled(sheet, gpu->chain, 100, "%");
    sg_sheet_scaled(sheet, gpu->copy, 100, "%");
    sg_sheet_value(sheet, unit->chain_cycles, "");
    sg_sheet_scaled(sheet, unit->chain_sd, 100, "%");
    sg_sheet_value(sheet, unit->copy_ns, "");
    sg_sheet_scaled(sheet, unit->copy_sd, 100, "%");
    sg_sheet_numbers(sheet, (double)gpu->siblings, unit->sm_clock, unit->power_w,
                     unit->temperature_c, (double)unit->processes, (double)unit->dropped);
    sg_sheet_cells(sheet, sg_text_string(&events), unit->pci, unit->driver, unit->vbios);
    sg_sheet_cellf(sheet, "%.10s", gpu->last);
    sg_sheet_take(sheet, &why);
    if (gpu->health >= SG_UNSTEADY_GPU && gpu->unit.host[0]) {
        struct sg_text drain = {0};
        sg_text_addf(&drain, "scontrol update NodeName=%s State=DRAIN Reason='GPU %s is %s'",
                     gpu->unit.host, gpu->unit.name, sg_health_word(gpu->health));
        sg_sheet_take_below(sheet, &drain);
    }
}

/* The worst GPU leads; of two that are as bad, the first. */
static void count(struct fleet *fleet, const struct sg_unit_health *gpu, enum sg_health *worst)
{
    fleet->by_health[gpu->health]++;
    if (gpu->health == SG_HEALTHY || gpu->health <= *worst)
        return;
    *worst = gpu->health;
    sg_text_release(&fleet->headline.says);
    fleet->headline.exit_code = SG_EXIT_INCONCLUSIVE;
    add_name(&fleet->headline.says, gpu);
    sg_text_addf(&fleet->headline.says, " is %s: ", sg_health_word(gpu->health));
    sg_unit_health_describe(gpu, &fleet->headline.says);
}

static void judge(struct fleet *fleet)
{
    SG_FREED struct sg_unit_reading *readings = sg_alloc(fleet->count, sizeof(*readings));
    SG_FREED struct sg_unit_health *gpus = sg_alloc(fleet->count, sizeof(*gpus));
    SG_SCOPED(sg_names) models = {0};
    enum sg_health worst = SG_HEALTHY;
    for (size_t i = 0; i < fleet->count; i++)
        if (!sg_names_have(&models, fleet->entries[i].model))
            sg_names_add(&models, fleet->entries[i].model);
    sg_names_sort(&models);
    for (size_t m = 0; m < models.count; m++) {
        size_t n = 0;
        for (size_t i = 0; i < fleet->count; i++)
            if (strcmp(fleet->entries[i].model, models.items[m]) == 0)
                readings[n++] = (struct sg_unit_reading){.unit = &fleet->entries[i].unit,
                                                         .date = fleet->entries[i].date};
        n = sg_unit_health_of(readings, n, gpus);
        for (size_t i = 0; i < n; i++) {
            count(fleet, &gpus[i], &worst);
            add_row(fleet, models.items[m], &gpus[i]);
        }
    }
}

static void add_lead(struct fleet *fleet)
{
    SG_SCOPED(sg_text) counts = {0};
    struct sg_document whole = {.name = "fleet"};
    size_t all = 0;
    for (size_t i = 0; i < SG_HEALTH_COUNT; i++)
        all += fleet->by_health[i];
    sg_text_addf(&counts, "fleet: %zu GPU%s", all, SG_PLURAL(all));
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
        {0},
    };
    static const struct sg_option arguments[] = {
        SG_ARGUMENT("HISTORY|RUN", struct input, places,
                    .help = "the folder of a history, or of a run", .repeats = true),
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
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
