#include <string.h>

#include "cli/cmd_builds.h"
#include "reports/report.h"

struct input {
    const char *name;
    const struct sg_format *format;
};

static const struct sg_column columns[] = {
    {.title = "build", .meaning = "digest of the module's bytes"},
    {.title = "fact"},
    {.title = "value"}};

static void add_fact(struct sg_sheet *sheet, const char *digest, const char *fact,
                     const char *value)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, digest, fact, value);
}

static void add_build(struct sg_sheet *sheet, const struct sg_builds_desk *desk,
                      const struct sg_build *build)
{
    for (size_t i = 0; i < build->facts.count; i++)
        add_fact(sheet, build->digest, build->facts.key[i], build->facts.value[i]);
    for (size_t i = 0; i < desk->references.count; i++)
        if (strcmp(desk->references.items[i].digest, sg_build_replaced_digest(build)) == 0)
            add_fact(sheet, build->digest, "accepted", desk->references.items[i].file);
    add_fact(sheet, build->digest, "module",
             build->fault.code == SG_SUCCESS ? build->module : "not to be used");
}

/* Adds all builds that have or replace this digest; the last fault is the command's error. */
static enum sg_code add_digest(struct sg_sheet *sheet, const struct sg_builds_desk *desk,
                               const char *digest, struct sg_err *err)
{
    const struct sg_err *fault = NULL;
    bool found = false;
    for (size_t i = 0; i < desk->builds.count; i++) {
        const struct sg_build *build = &desk->builds.items[i];
        if (strcmp(build->digest, digest) != 0 &&
            strcmp(sg_build_replaced_digest(build), digest) != 0)
            continue;
        found = true;
        add_build(sheet, desk, build);
        fault = build->fault.code != SG_SUCCESS ? &build->fault : fault;
    }
    if (!found)
        return sg_fail(err, SG_NOT_COMPARABLE, desk->store.data, "the store has no build %s",
                       digest);
    return fault ? sg_fail(err, fault->code, fault->where, "%s", fault->message) : SG_SUCCESS;
}

static enum sg_code add_file(struct sg_sheet *sheet, const struct sg_builds_desk *desk,
                             const char *name, struct sg_err *err)
{
    struct sg_accepted_suite suite = {.path = NULL};
    struct sg_accepted_modules modules = {0};
    sg_builds_named(name, &suite, &modules, err);
    for (size_t i = 0; i < modules.count; i++)
        add_digest(sheet, desk, modules.items[i].digest, err);
    return err->code;
}

/* Existing builds are shown even if others are missing. */
static void show(const struct input *in, struct sg_err *err)
{
    struct sg_builds_desk desk = {.store = {0}};
    struct sg_document document = {.name = "builds show"};
    struct sg_sheet *sheet = sg_document_sheet(&document, "facts", SG_COLUMNS(columns), SG_FOR_ALL);
    if (sg_builds_desk_load(&desk, err) == SG_SUCCESS) {
        (sg_is_digest(in->name) ? add_digest : add_file)(sheet, &desk, in->name, err);
        if (sheet->row_count > 0)
            sg_print_document(&document, in->format, SG_IGNORED);
    }
}

int sg_cmd_builds_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {SG_BUILDS_OPTION, SG_BASELINES_OPTION,
                                               SG_FORMAT_OPTION(struct input)};
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("DIGEST|FILE|GPU/SUITE", struct input, name,
                                  .help = "a build, or accepted numbers")},
        .summary = "Shows the facts of a build, or of all builds that accepted numbers refer to, "
                   "and the path of each module.",
        .notes = "Example: solgate builds show h200/smoke",
        .exits = {{SG_EXIT_DONE, "whole"},
                  {SG_EXIT_INVALID, "missing or damaged"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &in, argc, argv, err))
        show(&in, err);
    return 0;
}
