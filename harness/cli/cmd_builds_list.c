#include "cli/cmd_builds.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "util/csv_reader.h"
#include "util/escape.h"

enum { DIGEST, FAMILY, STATE, COMMIT, DATE, SUITE, GPU, BYTES, ACCEPTED, STANDS_FOR, COLUMNS };
static const char *const column_names[COLUMNS] = {"digest", "family", "state", "commit",   "date",
                                                  "suite",  "gpu",    "bytes", "accepted", "stands_for"};

struct line {
    const char *cell[COLUMNS]; /* NULL: empty */
};

static void add_line(struct sg_text *out, const struct line *line, bool csv)
{
    static const int widths[COLUMNS] = {16, 10, 7, 12, 20, 8, 5, 9, 0, 0};
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *cell = line->cell[i] ? line->cell[i] : "";
        struct sg_text shown = {0};
        if (csv) {
            sg_text_add(out, i > 0 ? "," : "");
            sg_csv_add_field(out, cell);
        } else if (i < STANDS_FOR) {
            sg_add_terminal(&shown, *cell ? cell : "-");
            sg_text_addf(out, "%s%-*s", i > 0 ? "  " : "", widths[i], sg_text_string(&shown));
        } else if (*cell) {
            sg_text_addf(out, "  in place of %s", cell);
        }
        sg_text_release(&shown);
    }
    sg_text_add(out, "\n");
}

/* The files that refer to a digest, with a blank between. */
static void add_files(const struct sg_build_references *references, const char *digest, struct sg_text *files)
{
    for (size_t i = 0; i < references->count; i++)
        if (strcmp(references->items[i].digest, digest) == 0)
            sg_text_addf(files, "%s%s", files->length > 0 ? " " : "", references->items[i].file);
}

static void add_build(struct sg_text *out, const struct sg_builds_desk *desk, const struct sg_build *build, bool csv)
{
    const bool is_whole = build->fault.code == SG_SUCCESS;
    struct sg_text files = {0}, bytes = {0};
    add_files(&desk->references, sg_build_stands_for(build), &files);
    sg_text_addf(&bytes, "%" PRIu64, build->bytes);
    const struct line line = {.cell = {[DIGEST] = build->digest,
                                       [FAMILY] = sg_build_fact(build, SG_BUILD_FAMILY_KEY),
                                       [STATE] = is_whole ? "whole" : "damaged",
                                       [COMMIT] = sg_build_fact(build, "commit"),
                                       [DATE] = sg_build_fact(build, "date"),
                                       [SUITE] = sg_build_fact(build, "suite"),
                                       [GPU] = sg_build_fact(build, "gpu"),
                                       [BYTES] = bytes.data,
                                       [ACCEPTED] = files.data,
                                       [STANDS_FOR] = sg_build_fact(build, SG_BUILD_STANDS_KEY)}};
    add_line(out, &line, csv);
    sg_text_release(&files);
    sg_text_release(&bytes);
}

static bool is_missing(const struct sg_builds *builds, const char *digest)
{
    for (size_t i = 0; i < builds->count; i++)
        if (strcmp(builds->items[i].digest, digest) == 0 || strcmp(sg_build_stands_for(&builds->items[i]), digest) == 0)
            return false;
    return true;
}

/* References are sorted by digest: the first of each. Returns how many are missing. */
static size_t add_missing(struct sg_text *out, const struct sg_builds_desk *desk, bool csv)
{
    size_t missing = 0;
    for (size_t i = 0; i < desk->references.count; i++) {
        const struct sg_build_reference *reference = &desk->references.items[i];
        if ((i > 0 && strcmp(reference[-1].digest, reference->digest) == 0) || !is_missing(&desk->builds, reference->digest))
            continue;
        struct sg_text files = {0};
        add_files(&desk->references, reference->digest, &files);
        add_line(out,
                 &(struct line){
                     .cell = {[DIGEST] = reference->digest, [FAMILY] = reference->family, [STATE] = "missing", [ACCEPTED] = files.data}},
                 csv);
        sg_text_release(&files);
        missing++;
    }
    return missing;
}

static void add_fault(struct sg_text *out, const char *what, const struct sg_err *fault)
{
    if (fault->code == SG_SUCCESS)
        return;
    sg_text_addf(out, "%s: ", what);
    sg_add_terminal(out, fault->where);
    sg_text_add(out, ": ");
    sg_add_terminal(out, fault->message);
    sg_text_add(out, "\n");
}

/* What the table does not show: faults, and how many there are of each. */
static void add_summary(struct sg_text *out, const struct sg_builds_desk *desk, size_t missing)
{
    size_t damaged = 0;
    for (size_t i = 0; i < desk->builds.count; i++) {
        damaged += desk->builds.items[i].fault.code != SG_SUCCESS;
        add_fault(out, "damaged", &desk->builds.items[i].fault);
    }
    add_fault(out, "not read", &desk->references.fault);
    sg_add_terminal(out, desk->store.data);
    sg_text_addf(out, ": %zu whole, %zu damaged, %zu missing, %zu torn\n", desk->builds.count - damaged, damaged, missing,
                 desk->builds.torn.count);
}

static enum sg_code list(bool csv, struct sg_err *err)
{
    struct sg_builds_desk desk = {.store = {0}};
    struct sg_text out = {0};
    struct line header;
    if (sg_builds_desk_load(&desk, err) != SG_SUCCESS)
        return err->code;
    memcpy(header.cell, column_names, sizeof(column_names));
    if (!csv)
        header.cell[STANDS_FOR] = NULL;
    if (csv || desk.builds.count + desk.references.count > 0)
        add_line(&out, &header, csv);
    for (size_t i = 0; i < desk.builds.count; i++)
        add_build(&out, &desk, &desk.builds.items[i], csv);
    const size_t missing = add_missing(&out, &desk, csv);
    if (!csv)
        add_summary(&out, &desk, missing);
    sg_print(&out, err);
    sg_text_release(&out);
    sg_builds_desk_release(&desk);
    return err->code;
}

int sg_builds_list(int argc, char **argv, struct sg_err *err)
{
    struct input {
        bool csv;
    } in = {.csv = false};
    static const struct sg_option options[] = {
        SG_BUILDS_OPTION,
        SG_BASELINES_OPTION,
        {.name = "format", .arg = "text|csv", SG_INTO(struct input, csv), .help = "how it is written"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .summary = "Lists the builds of the store, the newest first, with the accepted files that refer to each, and what is missing.",
        .notes = "Each module is digested: `whole` is one whose bytes are those of its digest, `damaged` one whose are not, which is never "
                 "used. `missing` is one that accepted numbers refer to and the store lacks.\n\n"
                 "Example: solgate builds list --format=csv",
        .exits = SG_EXITS_UNJUDGED,
    };
    if (sg_options_parse(&table, &in, argc, argv, err))
        list(in.csv, err);
    return 0;
}
