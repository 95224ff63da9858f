#include "cli/cmd_builds.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/find.h"
#include "cli/command.h"
#include "util/escape.h"

static void show_build(struct sg_text *out, const struct sg_builds_desk *desk, const struct sg_build *build)
{
    sg_text_addf(out, "%s\n", build->digest);
    for (size_t i = 0; i < build->facts.count; i++) {
        sg_text_addf(out, "  %-14s ", build->facts.key[i]);
        sg_add_terminal(out, build->facts.value[i]);
        sg_text_add(out, "\n");
    }
    for (size_t i = 0; i < desk->references.count; i++)
        if (strcmp(desk->references.items[i].digest, sg_build_stands_for(build)) == 0) {
            sg_text_addf(out, "  %-14s ", "accepted");
            sg_add_terminal(out, desk->references.items[i].file);
            sg_text_add(out, "\n");
        }
    sg_text_addf(out, "  %-14s ", "module");
    sg_add_terminal(out, build->fault.code == SG_SUCCESS ? build->module : "not to be used");
    sg_text_add(out, "\n");
}

static enum sg_code show_digest(const struct sg_builds_desk *desk, const char *digest, struct sg_text *out, struct sg_err *err)
{
    const struct sg_err *fault = NULL;
    bool found = false;
    for (size_t i = 0; i < desk->builds.count; i++) {
        const struct sg_build *build = &desk->builds.items[i];
        if (strcmp(build->digest, digest) != 0 && strcmp(sg_build_stands_for(build), digest) != 0)
            continue;
        found = true;
        show_build(out, desk, build);
        fault = build->fault.code != SG_SUCCESS ? &build->fault : fault;
    }
    if (!found)
        return sg_fail(err, SG_NOT_COMPARABLE, desk->store.data, "the store has no build %s", digest);
    return fault ? sg_fail(err, fault->code, fault->where, "%s", fault->message) : SG_SUCCESS;
}

static enum sg_code show_file(const struct sg_builds_desk *desk, const char *name, struct sg_text *out, struct sg_err *err)
{
    struct sg_text path = {0};
    struct sg_accepted_file file = {0};
    struct sg_accepted_modules modules = {0};
    if (sg_baseline_path(name, &path, err) == SG_SUCCESS && sg_accepted_file_read(path.data, &file, err) == SG_SUCCESS) {
        sg_accepted_modules_of(&file.env, &file.table, &modules);
        if (modules.count == 0)
            sg_fail(err, SG_NOT_COMPARABLE, path.data, "names no build: accept a run of today's solgate");
    }
    for (size_t i = 0; i < modules.count; i++)
        show_digest(desk, modules.items[i].digest, out, err);
    free(modules.items);
    sg_accepted_file_release(&file);
    sg_text_release(&path);
    return err->code;
}

int sg_builds_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {SG_BUILDS_OPTION, SG_BASELINES_OPTION, {0}};
    static const struct sg_option arguments[] = {
        {.name = "DIGEST|FILE|GPU/SUITE", .type = SG_OPTION_TEXT, .help = "a build, or accepted numbers"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Shows the facts of a build, or of all builds that accepted numbers refer to, and the path of each module.",
        .notes = "Example: solgate builds show h200/smoke",
        .exits = {{SG_EXIT_DONE, "whole"}, {SG_EXIT_INVALID, "missing or damaged"}, {SG_EXIT_USAGE, NULL}},
    };
    const char *name = NULL;
    struct sg_builds_desk desk = {.store = {0}};
    struct sg_text out = {0};
    if (!sg_options_parse(&table, &name, argc, argv, err) || sg_builds_desk_load(&desk, err) != SG_SUCCESS)
        return 0;
    if (sg_is_digest(name))
        show_digest(&desk, name, &out, err);
    else
        show_file(&desk, name, &out, err);
    sg_print(&out, &(struct sg_err){0});
    sg_text_release(&out);
    sg_builds_desk_release(&desk);
    return 0;
}
