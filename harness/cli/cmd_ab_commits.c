/* Two commits of a family: both built in one place, compared by what was built, and gated. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd_ab.h"
#include "cli/commit_tree.h"
#include "plan/built_difference.h"
#include "plan/module_list.h"
#include "results/run_writer.h"
#include "util/escape.h"
#include "util/options.h"
#include "util/paths.h"

/* Beside the runs, which are called as variants are. */
#define BUILDS_FOLDER "built-commits"

/* Of BASE or of HEAD. */
struct side {
    const char *word;
    struct sg_text hash, module, objects, title;
    struct sg_digest code;
    struct sg_module_list listing;
    const struct sg_listed_family *family;
};

struct gate {
    const struct sg_ab_commits *in;
    const struct sg_ab_options *options;
    const char *family;
    struct sg_commit_tree tree;
    struct sg_text out; /* folder of the runs */
    struct side base, head;
    struct sg_names gated;
    bool is_lost; /* a variant that was right in BASE is not in HEAD */
};

/* ---- both built ---- */

static enum sg_code prepare(struct gate *g, struct sg_err *err)
{
    const struct sg_names *modules = &g->options->modules;
    const char *word = g->options->format->name;
    if (!sg_is_name(g->family))
        return sg_fail(err, SG_BAD_USAGE, "--commits", "expected the name of a family, found '%s'",
                       sg_show(g->family, strlen(g->family)).text);
    if (g->options->candidate)
        return sg_fail(err, SG_BAD_USAGE, "--commits", "expected one family, found another argument: '%s'", g->options->candidate);
    if (modules->count != (g->in->build ? 1 : 0))
        return sg_fail(err, SG_BAD_USAGE, "--commits", "expected --build=COMMAND with one --module=FILE that it leaves, or neither");
    if (strcmp(word, "text") != 0 && strcmp(word, "markdown") != 0)
        return sg_fail(err, SG_BAD_USAGE, "--commits", "prints a verdict a variant, in text or markdown, and no %s", word);
    if (g->options->out)
        sg_text_add(&g->out, g->options->out);
    else
        sg_text_addf(&g->out, "out/ab-%s", sg_utc_now(SG_UTC_FOLDER).text);
    if (!g->options->resume && access(g->out.data, F_OK) == 0 && sg_run_writer_check_bare(g->out.data, err) != SG_SUCCESS)
        return err->code;
    sg_commit_tree_init(&g->tree, g->in->repository, g->family, g->in->build, modules->count > 0 ? modules->items[0] : NULL);
    return SG_SUCCESS;
}

/* What is built of a family by its project's own commands is its own business. */
static enum sg_code check_family(const struct gate *g, const struct side *side, struct sg_err *err)
{
    struct sg_text arguments = {0}, none = {0};
    sg_text_addf(&arguments, "cat-file -e %s:kernels/%s 2>/dev/null", side->hash.data, g->family);
    if (!g->in->build && sg_commit_git(&g->tree, &none, arguments.data) != 0)
        sg_fail(err, SG_BAD_USAGE, side->title.data,
                "has no family kernels/%s; of another project say how to build it, by --build and --module", g->family);
    sg_text_release(&arguments);
    sg_text_release(&none);
    return err->code;
}

/* HEAD of BASE..HEAD, or what is in the working tree. */
static enum sg_code find_commits(struct gate *g, struct sg_err *err)
{
    const char *dots = strstr(g->in->commits, ".."), *head = dots ? dots + 2 : "";
    struct sg_text name = {0}, changes = {0}, now = {0};
    sg_text_add_bytes(&name, g->in->commits, dots ? (size_t)(dots - g->in->commits) : strlen(g->in->commits));
    if (sg_commit_find(&g->tree, sg_text_string(&name), &g->base.hash, err) != SG_SUCCESS ||
        sg_commit_tree_open(&g->tree, err) != SG_SUCCESS || sg_commit_of_changes(&g->tree, &changes, err) != SG_SUCCESS)
        goto out;
    if (!dots)
        sg_text_add(&g->head.hash, changes.data);
    else if (sg_commit_find(&g->tree, *head ? head : "HEAD", &g->head.hash, err) == SG_SUCCESS &&
             sg_commit_find(&g->tree, "HEAD", &now, err) == SG_SUCCESS && strcmp(now.data, g->head.hash.data) == 0 &&
             strcmp(now.data, changes.data) != 0)
        fprintf(stderr, "ab: uncommitted changes are no part of HEAD, and are not gated; --commits=%s has them\n", name.data);
out:
    sg_text_release(&name);
    sg_text_release(&changes);
    sg_text_release(&now);
    return err->code;
}

static enum sg_code build(const struct gate *g, struct side *side, struct sg_err *err)
{
    struct sg_text path = {0};
    bool is_built = false;
    sg_commit_add_title(&g->tree, side->hash.data, &side->title);
    if (check_family(g, side, err) != SG_SUCCESS)
        return err->code;
    fprintf(stderr, "ab: building %s at %s\n", g->family, side->title.data);
    if (sg_commit_build(&g->tree, side->hash.data, &path, &is_built, err) == SG_SUCCESS && !is_built)
        sg_fail(err, SG_INVALID, side->title.data, "does not build, or leaves no %s: %s", g->tree.module.data, path.data);
    sg_text_addf(&side->objects, "%s/builds/%s/objects", g->tree.folder.data, side->hash.data);
    sg_text_add(&side->module, sg_text_string(&path));
    sg_text_release(&path);
    return err->code;
}

/* Objects and archives are kept beside the module: those of other families are not in it, and the
 * table of its own variants (sg_FAMILY.dir) says nothing that they do not. */
static void keep_objects(struct gate *g)
{
    struct sg_text build = {0};
    sg_text_addf(&build,
                 "(\n%s\n) && (\n"
                 "cd \"$folder\" && mkdir -p \"$kept/objects\" && find source $(ls -d build 2>/dev/null) -name '*.[ao]' -type f | while "
                 "read -r file; do\n"
                 "  case $file in */sg_%s_code.dir/*) ;; */sg_*.dir/* | */CompilerId*) continue ;; esac\n"
                 "  cp \"$file\" \"$kept/objects/$(echo \"$file\" | tr / +)\" || exit\n"
                 "done || rm -rf \"$kept/objects\"\n)",
                 g->tree.build.data, g->family);
    sg_text_release(&g->tree.build);
    g->tree.build = build;
}

static enum sg_code build_both(struct gate *g, struct sg_err *err)
{
    struct sg_text folder = {0};
    sg_text_addf(&folder, "%s/" BUILDS_FOLDER, g->out.data);
    if (sg_commit_tree_place(&g->tree, folder.data, err) == SG_SUCCESS) {
        keep_objects(g);
        if (find_commits(g, err) == SG_SUCCESS && build(g, &g->base, err) == SG_SUCCESS)
            build(g, &g->head, err);
        sg_commit_tree_close(&g->tree);
    }
    sg_text_release(&folder);
    return err->code;
}

/* ---- what differs ---- */

static enum sg_code read_side(const struct gate *g, struct side *side, struct sg_err *err)
{
    const char *module = side->module.data;
    side->code = SG_DIGEST_EMPTY;
    if (sg_built_digest(module, side->hash.data, &side->code, err) != SG_SUCCESS ||
        sg_module_list_add(&module, 1, &side->listing, err) != SG_SUCCESS)
        return err->code;
    side->family = sg_module_list_find(&side->listing, g->family);
    if (!side->family)
        sg_fail(err, SG_BAD_INPUT, module, "expected the family %s, found %s", g->family, side->listing.families[0].name);
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

static void add_list(struct sg_text *out, const char *before, const struct sg_names *names, const char *after)
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
            sg_fail(err, SG_BAD_USAGE, "--variant", "%s has no variant %s of %s", g->head.title.data, asked->items[i], g->family);
    return err->code;
}

/* Prints what differs, by digests of what was built, and what of it is gated. */
static enum sg_code choose(struct gate *g, struct sg_err *err)
{
    const struct side *base = &g->base, *head = &g->head;
    const struct sg_built was = {base->objects.data, base->hash.data}, is = {head->objects.data, head->hash.data};
    const struct sg_names *asked = &g->in->variants;
    const bool is_same = base->code.state == head->code.state;
    struct sg_names all = {0}, different = {0}, lost = {0}, broken = {0};
    struct sg_text out = {0};
    add_variants(base->family, &all);
    add_variants(head->family, &all);
    if (check_asked(g, err) != SG_SUCCESS || (!is_same && sg_built_difference(&was, &is, g->family, &all, &different, err) != SG_SUCCESS))
        goto out;
    sg_text_addf(&out, "BASE %s: code %s\n", base->title.data, sg_digest_word(&base->code).text);
    sg_text_addf(&out, "HEAD %s: code %s\n", head->title.data, sg_digest_word(&head->code).text);
    for (size_t i = 0; i < all.count; i++) {
        const char *name = all.items[i];
        if (is_right(base, name) && !is_right(head, name))
            sg_names_add(&lost, name);
        else if (sg_names_have(asked->count > 0 ? asked : &different, name))
            sg_names_add(is_right(head, name) || asked->count > 0 ? &g->gated : &broken, name);
    }
    if (is_same)
        sg_text_addf(&out, "nothing of %s differs, in device code or in host code\n", g->family);
    add_list(&out, "differ, and are not declared to be right: ", &broken, "\n");
    add_list(&out, "not_measured: no longer in HEAD, or no longer declared to be right there: ", &lost, "\n");
    add_list(&out, "gated: ", &g->gated, "\n");
    g->is_lost = lost.count > 0 && asked->count == 0;
    sg_print(&out, err);
out:
    sg_names_release(&all);
    sg_names_release(&different);
    sg_names_release(&lost);
    sg_names_release(&broken);
    sg_text_release(&out);
    return err->code;
}

/* ---- the gates ---- */

static const char *baseline_of(const struct sg_listed_family *family)
{
    size_t i = 0;
    while (family->variants[i].role != SG_BASELINE)
        i++;
    return family->variants[i].name;
}

/* What fails is this variant's alone, unless there is no GPU or somebody stopped it. */
static enum sg_code gate_variant(const struct gate *g, const char *name, int *exit_code, struct sg_err *err)
{
    const char *against = is_right(&g->base, name) ? name : baseline_of(g->base.family);
    struct sg_text baseline = {0}, candidate = {0}, run = {0}, line = {0};
    struct sg_err own = {0};
    sg_text_addf(&baseline, "%s:%s/%s", g->base.module.data, g->family, against);
    sg_text_addf(&candidate, "%s:%s/%s", g->head.module.data, g->family, name);
    sg_text_addf(&run, "%s/%s", g->out.data, name);
    sg_text_addf(&line, "\n%s/%s of HEAD against %s/%s of BASE\n", g->family, name, g->family, against);
    struct sg_ab_options options = *g->options;
    options.baseline = baseline.data;
    options.candidate = candidate.data;
    options.out = run.data;
    options.modules = (struct sg_names){0};
    if (sg_print(&line, err) == SG_SUCCESS && sg_ab_run(&options, exit_code, &own) != SG_SUCCESS) {
        if (own.code == SG_NO_GPU || own.code == SG_INTERRUPTED)
            *err = own;
        else
            fprintf(stderr, "ab: %s/%s: %s%s%s\n", g->family, name, own.where, *own.where ? ": " : "", own.message);
        *exit_code = sg_exit_code(own.code);
    }
    sg_text_release(&baseline);
    sg_text_release(&candidate);
    sg_text_release(&run);
    sg_text_release(&line);
    return err->code;
}

static void release_side(struct side *side)
{
    sg_text_release(&side->hash);
    sg_text_release(&side->module);
    sg_text_release(&side->objects);
    sg_text_release(&side->title);
    sg_module_list_release(&side->listing);
}

enum sg_code sg_ab_commits_run(const struct sg_ab_commits *in, const struct sg_ab_options *options, int *exit_code, struct sg_err *err)
{
    struct gate g = {.in = in, .options = options, .family = options->baseline, .tree.lock = -1};
    *exit_code = SG_EXIT_DONE;
    if (prepare(&g, err) == SG_SUCCESS && build_both(&g, err) == SG_SUCCESS && read_side(&g, &g.base, err) == SG_SUCCESS &&
        read_side(&g, &g.head, err) == SG_SUCCESS)
        choose(&g, err);
    for (size_t i = 0; i < g.gated.count && err->code == SG_SUCCESS; i++) {
        int own = SG_EXIT_DONE;
        gate_variant(&g, g.gated.items[i], &own, err);
        *exit_code = sg_worse_exit(*exit_code, own);
    }
    if (g.is_lost)
        *exit_code = sg_worse_exit(*exit_code, SG_EXIT_INVALID);
    sg_commit_tree_release(&g.tree);
    release_side(&g.base);
    release_side(&g.head);
    sg_names_release(&g.gated);
    sg_text_release(&g.out);
    return err->code;
}
