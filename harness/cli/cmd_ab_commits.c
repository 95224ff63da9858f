/* Builds a family at two commits in the same folder, compares the binaries, and gates variants that
 * differ. */
#include <stdio.h>
#include <string.h>

#include "cli/child.h"
#include "cli/cmd_ab.h"
#include "plan/built_difference.h"
#include "plan/module_list.h"
#include "util/file.h"

/* next to the runs, whose folders are named after variants */
#define BUILDS_FOLDER "built-commits"

/* BASE or HEAD, and its build as printed by the script. */
struct side {
    const char *hash, *module, *objects, *title;
    struct sg_digest code;
    struct sg_module_list listing;
    const struct sg_listed_family *family;
};

struct gate {
    const struct sg_ab_commits *in;
    const struct sg_ab_options *options;
    const char *family;
    struct sg_text out, built; /* folder of the runs; output of the script */
    struct side base, head;
    struct sg_names gated;
    struct sg_ab_kept kept;
};

/* ---- building ---- */

static enum sg_code prepare(struct gate *g, struct sg_err *err)
{
    const struct sg_names *modules = &g->options->modules;
    const char *word = g->options->format->name;
    if (!sg_is_name(g->family))
        return sg_fail(err, SG_BAD_USAGE, "--commits", "expected the name of a family, found '%s'",
                       sg_show_string(g->family).text);
    if (modules->count != (g->in->build ? 1 : 0))
        return sg_fail(
            err, SG_BAD_USAGE, "--commits",
            "expected --build=COMMAND with the one --module=FILE that it makes, or neither");
    if (strcmp(word, "text") != 0 && strcmp(word, "markdown") != 0)
        return sg_fail(err, SG_BAD_USAGE, "--commits",
                       "expected --format=text or --format=markdown, found %s", word);
    if (!g->in->is_bisect || !g->options->out)
        return sg_ab_make_folder(g->options, &g->out, err);
    sg_text_add(&g->out, g->options->out);
    return SG_SUCCESS;
}

static bool take_side(struct side *side, char **lines)
{
    char *line = strsep(lines, "\n");
    side->hash = line ? strsep(&line, "\t") : NULL;
    side->module = line ? strsep(&line, "\t") : NULL;
    side->objects = line ? strsep(&line, "\t") : NULL;
    side->title = line;
    return line != NULL;
}

/* The script prints why it failed, and uses solgate's exit codes. */
static bool build_both(struct gate *g, int *exit_code, struct sg_err *err)
{
    SG_SCOPED(sg_names) argv = {0};
    SG_FORMATTED(folder, "%s/" BUILDS_FOLDER, g->out.data);
    const struct sg_commit_builder builder = {
        .repository = g->in->repository,
        .folder = folder.data,
        .family = g->family,
        .build = g->in->build,
        .module = g->options->modules.count > 0 ? g->options->modules.items[0] : NULL};
    if (sg_commits_begin(&builder, "pair", &argv, err) == SG_SUCCESS) {
        sg_names_add(&argv, g->in->commits);
        *exit_code = sg_child_run(&argv, &g->built);
    }
    char *lines = g->built.data;
    const bool are_built =
        *exit_code == SG_EXIT_DONE && take_side(&g->base, &lines) && take_side(&g->head, &lines);
    if (*exit_code < 0)
        sg_fail(err, SG_SYSTEM, "sh", "cannot be run, or was killed");
    return are_built;
}

/* ---- differences ---- */

static enum sg_code read_side(const struct gate *g, struct side *side, struct sg_err *err)
{
    side->code = SG_DIGEST_EMPTY;
    if (sg_built_digest(side->module, side->hash, &side->code, err) != SG_SUCCESS ||
        sg_module_list_add(&side->module, 1, &side->listing, err) != SG_SUCCESS)
        return err->code;
    side->family = sg_module_list_find(&side->listing, g->family);
    if (!side->family)
        sg_fail(err, SG_BAD_INPUT, side->module, "expected the family %s, found %s", g->family,
                side->listing.families[0].name);
    return err->code;
}

static bool is_right(const struct side *side, const char *name)
{
    const struct sg_listed_variant *variant = sg_listed_variant_find(side->family, name);
    return variant && variant->expect == SG_OK;
}

static void add_variants(const struct sg_listed_family *family, struct sg_names *names)
{
    for (size_t i = 0; i < family->variant_count; i++)
        if (!sg_names_have(names, family->variants[i].name))
            sg_names_add(names, family->variants[i].name);
}

static void add_list(struct sg_text *out, const char *before, const struct sg_names *names,
                     const char *after)
{
    sg_text_add(out, names->count > 0 ? before : "");
    for (size_t i = 0; i < names->count; i++)
        sg_text_addf(out, "%s%s", i ? ", " : "", names->items[i]);
    sg_text_add(out, names->count > 0 ? after : "");
}

static enum sg_code check_asked(const struct gate *g, struct sg_err *err)
{
    const struct sg_names *asked = &g->in->variants;
    for (size_t i = 0; i < asked->count && err->code == SG_SUCCESS; i++)
        if (!sg_listed_variant_find(g->head.family, asked->items[i]))
            sg_fail(err, SG_BAD_USAGE, "--variant", "%s has no variant %s of %s", g->head.title,
                    asked->items[i], g->family);
    return err->code;
}

/* Prints what differs, by digests of the builds, and which variants are gated. */
static enum sg_code choose(struct gate *g, struct sg_err *err)
{
    const struct side *base = &g->base, *head = &g->head;
    const struct sg_built was = {base->objects, base->hash}, is = {head->objects, head->hash};
    const struct sg_names *asked = &g->in->variants;
    const bool is_same = base->code.state == head->code.state;
    SG_SCOPED(sg_names) all = {0}, different = {0}, removed = {0}, broken = {0};
    SG_SCOPED(sg_text) lacks = {0};
    struct sg_text *out = &g->kept.note;
    add_variants(base->family, &all);
    add_variants(head->family, &all);
    if (check_asked(g, err) != SG_SUCCESS ||
        (!is_same &&
         sg_built_difference(&was, &is, g->family, &all, &different, err) != SG_SUCCESS))
        return err->code;
    sg_text_addf(out, "BASE %s: code %s\n", base->title, sg_digest_word(&base->code).text);
    sg_text_addf(out, "HEAD %s: code %s\n", head->title, sg_digest_word(&head->code).text);
    for (size_t i = 0; i < all.count; i++) {
        const char *name = all.items[i];
        if (is_right(base, name) && !is_right(head, name))
            sg_names_add(&removed, name);
        else if (sg_names_have(asked->count > 0 ? asked : &different, name))
            sg_names_add(is_right(head, name) || asked->count > 0 ? &g->gated : &broken, name);
    }
    if (is_same)
        sg_text_addf(&g->kept.headline.says,
                     "nothing of %s differs, in device code or in host code", g->family);
    add_list(out, "differ, and are not declared to be right: ", &broken, "\n");
    add_list(&lacks,
             "not_measured: no longer in HEAD, or no longer declared to be right there: ", &removed,
             "\n");
    sg_text_add(out, sg_text_string(&lacks));
    add_list(out, "gated: ", &g->gated, "\n");
    /* A variant that is ok in BASE is missing in HEAD, or not declared ok there. */
    if (removed.count > 0 && asked->count == 0)
        sg_headline_fail(&g->kept.headline, SG_EXIT_INVALID, strtok(lacks.data, "\n"));
    return err->code;
}

/* ---- gates ---- */

static const char *baseline_of(const struct sg_listed_family *family)
{
    size_t i = 0;
    while (family->variants[i].role != SG_BASELINE)
        i++;
    return family->variants[i].name;
}

/* The other gates still run after a gate fails, unless the GPU is missing or a signal came. */
static enum sg_code gate_variant(struct gate *g, const char *name, struct sg_err *err)
{
    const char *against = is_right(&g->base, name) ? name : baseline_of(g->base.family);
    SG_SCOPED(sg_text) baseline = {0}, candidate = {0}, run = {0}, title = {0};
    struct sg_err own = {0};
    int exit_code = SG_EXIT_DONE;
    sg_text_addf(&baseline, "%s:%s/%s", g->base.module, g->family, against);
    sg_text_addf(&candidate, "%s:%s/%s", g->head.module, g->family, name);
    sg_text_addf(&run, "%s/", g->out.data);
    if (g->in->is_bisect)
        sg_text_addf(&run, "%.12s/", g->head.hash);
    sg_text_add(&run, name);
    if (strcmp(name, against) != 0) {
        sg_text_addf(&title, "%s/%s of ", g->family, against);
        sg_text_addf(&g->kept.note, "%s/%s of HEAD against %s/%s of BASE\n", g->family, name,
                     g->family, against);
    }
    sg_text_add(&title, g->base.title);
    struct sg_ab_options options = *g->options;
    options.baseline = baseline.data;
    options.candidate = candidate.data;
    options.out = run.data;
    options.modules = (struct sg_names){0};
    options.resume |= g->in->is_bisect;
    options.base_title = title.data;
    options.kept = &g->kept;
    if (g->in->is_bisect && sg_make_folders(run.data, err) != SG_SUCCESS)
        return err->code;
    if (sg_ab_gate(&options, &exit_code, &own) == SG_SUCCESS)
        return err->code;
    if (own.code == SG_NO_GPU || own.code == SG_INTERRUPTED)
        *err = own;
    SG_FORMATTED(words, "%s/%s: %s%s%s", g->family, name, own.where, *own.where ? ": " : "",
                 own.message);
    if (err->code == SG_SUCCESS)
        fprintf(stderr, "ab: %s\n", words.data);
    sg_headline_fail(&g->kept.headline, sg_exit_code(own.code), words.data);
    return err->code;
}

static enum sg_code print(struct gate *g, struct sg_err *err)
{
    struct sg_ab_options options = *g->options;
    options.kept = &g->kept;
    SG_FORMATTED(counts, ", %s of %s against %s", g->family, g->head.title, g->base.title);
    return sg_ab_print(&options, counts.data, err);
}

enum sg_code sg_ab_commits_run(const struct sg_ab_commits *in, const struct sg_ab_options *options,
                               int *exit_code, struct sg_err *err)
{
    struct gate g = {.in = in, .options = options, .family = options->baseline};
    *exit_code = SG_EXIT_DONE;
    if (prepare(&g, err) == SG_SUCCESS && build_both(&g, exit_code, err) &&
        read_side(&g, &g.base, err) == SG_SUCCESS && read_side(&g, &g.head, err) == SG_SUCCESS &&
        choose(&g, err) == SG_SUCCESS) {
        for (size_t i = 0; i < g.gated.count && err->code == SG_SUCCESS; i++)
            gate_variant(&g, g.gated.items[i], err);
        print(&g, err);
        *exit_code = g.kept.headline.exit_code;
    }
    return err->code;
}
