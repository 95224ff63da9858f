#include "cli/cmd_builds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "plan/module_list.h"
#include "results/kernel_commit.h"
#include "util/file.h"
#include "util/paths.h"

struct input {
    const char *name;
    struct sg_rebuild how;
};

struct order {
    const struct sg_builds_desk *desk;
    const struct sg_rebuild *how;
    const char *digest, *family, *commit, *repository;
    double begun_s;
    struct sg_text *out;
};

static enum sg_code check_order(const struct order *order, struct sg_err *err)
{
    const char *commit = order->commit ? order->commit : "";
    if (sg_is_commit(commit))
        return SG_SUCCESS;
    return sg_fail(
        err, SG_NOT_COMPARABLE, order->digest,
        "cannot be built again: expected the commit that it was built from, found '%s'%s",
        sg_show_string(commit).text, strstr(commit, "-dirty") ? ": its sources were changed" : "");
}

/* Rebuilt bytes differ from the lost ones, so this requires only the same family and commit. */
static enum sg_code check_rebuilt(const struct order *order, const char *module, const char *digest,
                                  struct sg_err *err)
{
    struct sg_module_list listing = {0};
    if (!order->how->stand_in)
        return sg_fail(
            err, SG_NOT_COMPARABLE, order->digest,
            "expected the accepted bytes from a build of commit %s, found other bytes (%s): the "
            "compiler, the flags or the GPU differ. Nothing is stored; --stand-in stores the new "
            "build in place of the accepted one",
            order->commit, digest);
    if (sg_module_list_add(&module, 1, &listing, err) == SG_SUCCESS) {
        const struct sg_listed_family *family = &listing.families[0];
        if (strcmp(family->name, order->family) != 0 ||
            !sg_is_same_commit(family->commit, order->commit))
            sg_fail(err, SG_NOT_COMPARABLE, order->digest,
                    "expected a module of %s at %s, found one of %s at %s; nothing is kept",
                    order->family, order->commit, family->name, family->commit);
    }
    return err->code;
}

static enum sg_code keep_again(const struct order *order, const char *module, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    SG_SCOPED(sg_env) facts = {0};
    int lock = -1;
    sg_digest_add_file(&digest, module, err);
    const struct sg_digest_word is = sg_digest_word(&digest);
    const bool is_same = strcmp(is.text, order->digest) == 0;
    if (err->code != SG_SUCCESS ||
        (!is_same && check_rebuilt(order, module, is.text, err) != SG_SUCCESS) ||
        sg_builds_lock(order->desk->store.data, &lock, err) != SG_SUCCESS)
        return err->code;
    sg_env_set(&facts, SG_BUILD_FAMILY_KEY, order->family);
    sg_env_set(&facts, "commit", order->commit);
    sg_env_set(&facts, "date", sg_utc_now(SG_UTC_TIME).text);
    if (!is_same)
        sg_env_set(&facts, SG_BUILD_REPLACES_KEY, order->digest);
    if (sg_build_keep(order->desk->store.data, module, is.text, &facts, err) == SG_SUCCESS)
        sg_text_addf(order->out, "%s of %s at %s: built again, %s%s, in %.0f s\n", order->digest,
                     order->family, order->commit,
                     is_same
                         ? "the same bytes"
                         : "other bytes (another compiler, other flags or another GPU), kept as ",
                     is_same ? "" : is.text, sg_monotonic_s() - order->begun_s);
    close(lock);
    return err->code;
}

static enum sg_code build_again(const struct order *order, struct sg_err *err)
{
    SG_SCOPED(sg_names) argv = {0};
    SG_FORMATTED(module, "%s/again-XXXXXX", order->desk->store.data);
    const int file =
        sg_make_folders(order->desk->store.data, err) == SG_SUCCESS ? mkstemp(module.data) : -1;
    if (file < 0)
        return sg_fail(err, SG_SYSTEM, module.data, "cannot be made: %s", strerror(errno));
    close(file);
    const struct sg_commit_builder builder = {.repository = order->repository,
                                              .folder = "",
                                              .family = order->family,
                                              .build = order->how->build,
                                              .module = order->how->module};
    if (sg_commits_begin(&builder, "again", &argv, err) == SG_SUCCESS) {
        sg_names_add(&argv, order->commit);
        sg_names_add(&argv, module.data);
        const int status = sg_child_run(&argv, NULL);
        if (status == SG_EXIT_INTERRUPTED)
            sg_fail(err, SG_INTERRUPTED, order->digest,
                    "stopped during the build; nothing of it is kept");
        else if (status == 0)
            keep_again(order, module.data, err);
        else
            sg_fail(err, SG_SYSTEM, order->digest, "does not build (exit %d)", status);
    }
    unlink(module.data);
    return err->code;
}

enum sg_code sg_build_again(const struct sg_builds_desk *desk, const struct sg_rebuild *how,
                            const struct sg_accepted_module *accepted, struct sg_text *out,
                            struct sg_err *err)
{
    SG_SCOPED(sg_text) home = {0};
    bool is_installed = false;
    if (!how->repository && sg_home(&home, &is_installed, err) != SG_SUCCESS)
        return err->code;
    const char *family = accepted->family, *digest = accepted->digest;
    const struct order order = {desk,
                                how,
                                digest,
                                family,
                                sg_accepted_build_commit(accepted->env, family, digest),
                                how->repository ? how->repository : home.data,
                                sg_monotonic_s(),
                                out};
    if (sg_builds_usable(&desk->builds, digest))
        sg_text_addf(out, "%s of %s: in the store and whole\n", digest, family);
    else if (check_order(&order, err) == SG_SUCCESS && how->dry_run)
        sg_text_addf(out, "%s of %s: would be built again at %s\n", digest, family, order.commit);
    else if (err->code == SG_SUCCESS)
        build_again(&order, err);
    return err->code;
}

enum sg_code sg_rebuild_once(void *context, const struct sg_env *accepted, const char *family,
                             const char *digest, struct sg_err *err)
{
    struct sg_rebuilder *rebuilder = context;
    struct sg_builds_desk desk = {.store = {0}};
    const bool is_late = rebuilder->deadline_s > 0 && sg_monotonic_s() >= rebuilder->deadline_s;
    if (is_late || sg_kernels_are_foreign(accepted, family) ||
        sg_names_have(&rebuilder->tried, digest))
        return sg_fail(err, SG_NOT_COMPARABLE, digest,
                       "the store lacks its build, which was not made again: `solgate builds "
                       "rebuild %s` prints why",
                       digest);
    sg_names_add(&rebuilder->tried, digest);
    if (sg_builds_desk_load(&desk, err) == SG_SUCCESS)
        sg_build_again(&desk, &(struct sg_rebuild){.stand_in = true},
                       &(struct sg_accepted_module){family, digest, accepted}, rebuilder->out, err);
    return err->code;
}

/* Rebuilds all builds of the accepted numbers `name`, or only the digest `only`. */
static enum sg_code fill_file(const struct sg_builds_desk *desk, const char *name, const char *only,
                              const struct sg_rebuild *how, struct sg_text *out, struct sg_err *err)
{
    struct sg_accepted_suite suite = {0};
    struct sg_accepted_modules modules = {0};
    sg_builds_named(name, &suite, &modules, err);
    for (size_t i = 0; i < modules.count && err->code == SG_SUCCESS; i++)
        if (!only || strcmp(only, modules.items[i].digest) == 0)
            sg_build_again(desk, how, &modules.items[i], out, err);
    return err->code;
}

/* Finds the digest through the accepted numbers that refer to it, because the store may have lost
 * all of the build. */
static enum sg_code fill_digest(const struct sg_builds_desk *desk, const struct input *in,
                                struct sg_text *out, struct sg_err *err)
{
    for (size_t i = 0; i < desk->references.count; i++)
        if (strcmp(desk->references.items[i].digest, in->name) == 0)
            return fill_file(desk, desk->references.items[i].file, in->name, &in->how, out, err);
    return sg_fail(err, SG_NOT_COMPARABLE, in->name, "no accepted numbers refer to this build");
}

static enum sg_code rebuild(const struct input *in, struct sg_err *err)
{
    struct sg_builds_desk desk = {.store = {0}};
    SG_SCOPED(sg_text) out = {0};
    if (sg_builds_desk_load(&desk, err) != SG_SUCCESS)
        return err->code;
    if (sg_is_digest(in->name))
        fill_digest(&desk, in, &out, err);
    else
        fill_file(&desk, in->name, NULL, &in->how, &out, err);
    /* Builds finished before a failure are reported. */
    return sg_print(&out, SG_IGNORED);
}

int sg_cmd_builds_rebuild(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_BUILDS_OPTION,
        SG_BASELINES_OPTION,
        SG_VALUE("repo", "DIR", struct input, how.repository,
                 .help = "git repository with the commit", .standard = "that of solgate"),
        SG_VALUE("build", "COMMAND", struct input, how.build,
                 .help = "builds the commit: sh runs it at the top of a clean checkout",
                 .needs = "module", .standard = "as solgate builds kernels/FAMILY"),
        SG_VALUE("module", "FILE", struct input, how.module,
                 .help = "the module that it makes, relative to the checkout", .needs = "build"),
        SG_FLAG(
            "stand-in", struct input, how.stand_in,
            .help =
                "keep a build of that commit with other bytes, and record which build it replaces",
            .standard = "refused"),
        SG_FLAG("dry-run", struct input, how.dry_run,
                .help = "print what would be built, and build nothing"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("DIGEST|FILE|GPU/SUITE", struct input, name,
                                  .help = "a build, or accepted numbers")},
        .summary = "Rebuilds accepted builds that the store lacks, from the recorded commit in a "
                   "git clone.",
        .notes =
            "The exit code is 3 if the sources were changed, if the repository lacks the commit, "
            "if kernels/ lacks the family (without --build), or if the bytes differ from the "
            "measured ones.\n\n"
            "Examples:\n"
            "  solgate builds rebuild h200/smoke --dry-run\n"
            "  solgate builds rebuild 0123456789abcdef --repo=. --module=b/libsg_rmsnorm.so \\\n"
            "    --build='cmake -S . -B b && cmake --build b'",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.name = NULL};
    if (sg_options_parse(&table, &in, argc, argv, err))
        rebuild(&in, err);
    return 0;
}
