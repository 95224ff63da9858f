#include <unistd.h>

#include "cli/cmd_builds.h"
#include "reports/report.h"

#define KEEP 10

struct input {
    unsigned keep;
    bool dry_run;
    const struct sg_format *format;
};

static const struct sg_column columns[] = {
    {.title = "action", .meaning = "remove a build, forget a file of accepted numbers"},
    {.title = "name", .meaning = "inside of the store", .key = true},
    {.title = "family"},
    {.title = "bytes", .right = true, .number = true, .unit = "B"},
    {.title = "date"},
    {.title = "why", .key = true},
};

/* The removals and their printed table, the same with and without --dry-run. */
struct plan {
    struct sg_names removed; /* digests */
    struct sg_document document;
    struct sg_sheet *sheet;
    size_t kept;
};

static void add(struct plan *plan, const char *action, const char *name,
                const struct sg_build *build, const char *why)
{
    sg_sheet_row(plan->sheet, SG_ASIDE);
    sg_sheet_cells(plan->sheet, action, name,
                   build ? sg_env_word(&build->facts, SG_BUILD_FAMILY_KEY) : NULL);
    if (build)
        sg_sheet_number(plan->sheet, (double)build->bytes);
    else
        sg_sheet_cell(plan->sheet, NULL);
    sg_sheet_cells(plan->sheet, build ? sg_env_word(&build->facts, "date") : NULL, why);
}

static void add_removal(struct plan *plan, const struct sg_build *build, const char *why)
{
    sg_names_add(&plan->removed, build->digest);
    add(plan, "remove", build->digest, build, why);
}

/* Builds are sorted by date, newest first. */
static void make_plan(const struct sg_builds_desk *desk, unsigned keep, struct plan *plan)
{
    size_t spare = keep;
    for (size_t i = 0; i < desk->builds.count; i++) {
        const struct sg_build *build = &desk->builds.items[i];
        const bool is_referred =
            sg_build_is_referred(&desk->references, sg_build_replaced_digest(build));
        if (build->fault.code != SG_SUCCESS)
            add_removal(plan, build, "damaged, which is never used");
        else if (!is_referred && spare == 0)
            add_removal(plan, build, "no accepted numbers refer to it");
        else {
            plan->kept++;
            spare -= !is_referred;
        }
    }
    for (size_t i = 0; i < desk->references.gone.count; i++)
        add(plan, "forget", desk->references.gone.items[i], NULL, "its accepted numbers are gone");
}

static enum sg_code carry_out(const struct sg_builds_desk *desk, const struct plan *plan,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    for (size_t i = 0; i < plan->removed.count && err->code == SG_SUCCESS; i++)
        sg_build_remove(desk->store.data, plan->removed.items[i], err);
    /* `gone` has reference files, not builds. */
    for (size_t i = 0; i < desk->references.gone.count && err->code == SG_SUCCESS; i++) {
        path.length = 0;
        sg_text_addf(&path, "%s/%s", desk->store.data, desk->references.gone.items[i]);
        unlink(path.data);
    }
    return err->code;
}

/* A file that cannot be read could refer to any build. */
static enum sg_code check_references(const struct sg_build_references *references,
                                     struct sg_err *err)
{
    const struct sg_err *fault = &references->fault;
    return fault->code == SG_SUCCESS
               ? SG_SUCCESS
               : sg_fail(err, fault->code, fault->where, "%s; nothing is removed", fault->message);
}

static void prune(const struct input *in, struct sg_err *err)
{
    struct sg_builds_desk desk = {.store = {0}};
    struct plan plan = {.document = {.name = "builds prune"}};
    int lock = -1;
    plan.sheet = sg_document_sheet(&plan.document, "removed", SG_COLUMNS(columns), SG_FOR_ALL);
    if (sg_builds_place(&desk.store, err) == SG_SUCCESS && access(desk.store.data, F_OK) == 0 &&
        !in->dry_run)
        sg_builds_lock(desk.store.data, &lock, err);
    if (err->code == SG_SUCCESS && sg_builds_desk_load(&desk, err) == SG_SUCCESS &&
        check_references(&desk.references, err) == SG_SUCCESS) {
        make_plan(&desk, in->keep, &plan);
        sg_document_notef(&plan.document, SG_FOR_ALL, "%zu kept, %zu removed%s", plan.kept,
                          plan.removed.count, in->dry_run ? "; nothing done (--dry-run)" : "");
        if (in->dry_run || carry_out(&desk, &plan, err) == SG_SUCCESS)
            sg_print_document(&plan.document, in->format, err);
    }
    if (lock >= 0)
        close(lock);
}

int sg_cmd_builds_prune(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_BUILDS_OPTION,
        SG_BASELINES_OPTION,
        SG_VALUE("keep", "N", struct input, keep,
                 .help = "keep the newest N builds that nothing refers to", .most = 1000000),
        SG_FLAG("dry-run", struct input, dry_run,
                .help = "print what would be removed and remove nothing"),
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .summary = "Removes damaged builds, and builds that no accepted numbers refer to, except "
                   "the newest.",
        .notes = "Accepted numbers are those that were accepted with this store, in any folder, "
                 "and those of --baselines. If one of them cannot be read, nothing is removed "
                 "(exit codes 3, 4).\n\n"
                 "Example: solgate builds prune --keep=0 --dry-run",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.keep = KEEP, .format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        prune(&in, err);
    return 0;
}
