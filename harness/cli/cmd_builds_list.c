#include "cli/cmd_builds.h"

#include <string.h>

#include "reports/report.h"

static const struct sg_column columns[] = {
    {.title = "digest", .meaning = "digest of the module's bytes"},
    {.title = "family"},
    {.title = "state", .meaning = "whole, damaged, missing"},
    {.title = "commit"},
    {.title = "date", .meaning = "when it was kept"},
    {.title = "suite"},
    {.title = "gpu"},
    {.title = "bytes", .right = true, .number = true, .unit = "B"},
    {.title = "accepted", .meaning = "files that refer to the build"},
    {.title = "in place of",
     .name = "stands_for",
     .meaning = "digest of the build that this build replaces"},
};

/* The files that refer to a digest, separated by blanks. */
static void add_files(const struct sg_build_references *references, const char *digest,
                      struct sg_text *files)
{
    for (size_t i = 0; i < references->count; i++)
        if (strcmp(references->items[i].digest, digest) == 0)
            sg_text_addf(files, "%s%s", files->length > 0 ? " " : "", references->items[i].file);
}

static void add_build(struct sg_sheet *sheet, const struct sg_builds_desk *desk,
                      const struct sg_build *build)
{
    const bool is_whole = build->fault.code == SG_SUCCESS;
    struct sg_text files = {0};
    add_files(&desk->references, sg_build_replaced_digest(build), &files);
    sg_sheet_row(sheet, is_whole ? SG_ASIDE : SG_RED);
    sg_sheet_cells(sheet, build->digest, sg_env_word(&build->facts, SG_BUILD_FAMILY_KEY),
                   is_whole ? "whole" : "damaged", sg_env_word(&build->facts, "commit"),
                   sg_env_word(&build->facts, "date"), sg_env_word(&build->facts, "suite"),
                   sg_env_word(&build->facts, "gpu"));
    sg_sheet_number(sheet, (double)build->bytes);
    sg_sheet_take(sheet, &files);
    sg_sheet_cell(sheet, sg_env_word(&build->facts, SG_BUILD_REPLACES_KEY));
}

/* Adds each missing digest once; references are sorted by digest. Returns the number missing. */
static size_t add_missing(struct sg_sheet *sheet, const struct sg_builds_desk *desk)
{
    size_t missing = 0;
    for (size_t i = 0; i < desk->references.count; i++) {
        const struct sg_build_reference *reference = &desk->references.items[i];
        if ((i > 0 && strcmp(reference[-1].digest, reference->digest) == 0) ||
            sg_builds_find(&desk->builds, reference->digest) ||
            sg_builds_usable(&desk->builds, reference->digest))
            continue;
        struct sg_text files = {0};
        add_files(&desk->references, reference->digest, &files);
        sg_sheet_row(sheet, SG_YELLOW);
        sg_sheet_cells(sheet, reference->digest, reference->family, "missing");
        for (size_t column = 3; column < 8; column++)
            sg_sheet_cell(sheet, NULL);
        sg_sheet_take(sheet, &files);
        sg_sheet_cell(sheet, NULL);
        missing++;
    }
    return missing;
}

static void add_fault(struct sg_document *document, const char *what, const struct sg_err *fault)
{
    if (fault->code != SG_SUCCESS)
        sg_document_notef(document, SG_FOR_ALL, "%s: %s: %s", what, fault->where, fault->message);
}

/* Adds what the table does not show: the faults, and their number. */
static void add_summary(struct sg_document *document, const struct sg_builds_desk *desk,
                        size_t missing)
{
    size_t damaged = 0;
    for (size_t i = 0; i < desk->builds.count; i++) {
        damaged += desk->builds.items[i].fault.code != SG_SUCCESS;
        add_fault(document, "damaged", &desk->builds.items[i].fault);
    }
    add_fault(document, "not read", &desk->references.fault);
    sg_document_notef(document, SG_FOR_ALL, "%s: %zu whole, %zu damaged, %zu missing",
                      desk->store.data, desk->builds.count - damaged, damaged, missing);
}

static enum sg_code list(const struct sg_format *format, struct sg_err *err)
{
    struct sg_builds_desk desk = {.store = {0}};
    if (sg_builds_desk_load(&desk, err) != SG_SUCCESS)
        return err->code;
    struct sg_document document = {.name = "builds list"};
    struct sg_sheet *sheet =
        sg_document_sheet(&document, "builds", SG_COLUMNS(columns), SG_FOR_ALL);
    for (size_t i = 0; i < desk.builds.count; i++)
        add_build(sheet, &desk, &desk.builds.items[i]);
    add_summary(&document, &desk, add_missing(sheet, &desk));
    return sg_print_document(&document, format, err);
}

int sg_cmd_builds_list(int argc, char **argv, struct sg_err *err)
{
    struct input {
        const struct sg_format *format;
    } in = {.format = sg_format_find("text")};
    static const struct sg_option options[] = {
        SG_BUILDS_OPTION,
        SG_BASELINES_OPTION,
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .summary = "Lists the builds of the store, the newest first, with the accepted files that "
                   "refer to each, and the missing builds.",
        .notes = "`whole`: the bytes of the module match its digest. `damaged`: they do not, and "
                 "the build is never used. `missing`: accepted numbers refer to a build that the "
                 "store does not have.\n\n"
                 "Example: solgate builds list --format=csv",
        .exits = SG_EXITS_UNJUDGED,
    };
    if (sg_options_parse(&table, &in, argc, argv, err))
        list(in.format, err);
    return 0;
}
