#include "cli/commit_tree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/script.h"
#include "util/escape.h"
#include "util/file.h"

static void begin(const struct sg_commit_tree *tree, struct sg_text *script)
{
    sg_script_add_git(script, tree->repository.data, sg_text_string(&tree->folder));
}

void sg_commit_tree_init(struct sg_commit_tree *tree, const char *repository, const char *family, const char *build, const char *module)
{
    char *absolute = realpath(repository, NULL);
    *tree = (struct sg_commit_tree){.lock = -1};
    sg_text_add(&tree->repository, absolute ? absolute : repository);
    free(absolute);
    if (build) {
        sg_text_add(&tree->build, build);
        sg_text_add(&tree->module, module);
    } else {
        sg_script_add_build(&tree->build, family, NULL);
        sg_script_add_module(&tree->module, family);
    }
}

enum sg_code sg_commit_tree_place(struct sg_commit_tree *tree, const char *folder, struct sg_err *err)
{
    struct sg_text builds = {0};
    if (sg_make_folders(folder, err) == SG_SUCCESS) {
        char *absolute = realpath(folder, NULL);
        sg_text_add(&tree->folder, absolute ? absolute : folder);
        free(absolute);
        sg_text_addf(&builds, "%s/builds", folder);
        sg_lock_folder_of(builds.data, &tree->lock, err);
    }
    sg_text_release(&builds);
    return err->code;
}

void sg_commit_tree_release(struct sg_commit_tree *tree)
{
    sg_text_release(&tree->repository);
    sg_text_release(&tree->build);
    sg_text_release(&tree->module);
    sg_text_release(&tree->folder);
    if (tree->lock >= 0)
        close(tree->lock);
}

/* Without its last line end. */
static int run_for_output(struct sg_text *script, struct sg_text *output)
{
    const int status = sg_script_run(script->data, output);
    if (output->length > 0 && output->data[output->length - 1] == '\n')
        output->data[--output->length] = '\0';
    sg_text_release(script);
    return status;
}

enum sg_code sg_commit_find(const struct sg_commit_tree *tree, const char *name, struct sg_text *hash, struct sg_err *err)
{
    struct sg_text script = {0}, commit = {0};
    sg_text_addf(&commit, "%s^{commit}", name);
    begin(tree, &script);
    sg_text_add(&script, "git_at \"$repository\" rev-parse --quiet --verify ");
    sg_text_add_word(&script, commit.data);
    sg_text_add(&script, " 2>/dev/null");
    if (run_for_output(&script, hash) != 0)
        sg_fail(err, SG_BAD_USAGE, tree->repository.data, "expected a commit of this git repository, found '%s'",
                sg_show(name, strlen(name)).text);
    sg_text_release(&commit);
    return err->code;
}

/* By an index of the clone's own: objects go there, too. What the repository's own file excludes
 * is no part of it. */
enum sg_code sg_commit_of_changes(const struct sg_commit_tree *tree, struct sg_text *hash, struct sg_err *err)
{
    struct sg_text script = {0};
    begin(tree, &script);
    sg_text_add(&script, "set -e\n"
                         "top=$(git_at \"$repository\" rev-parse --show-toplevel)\n"
                         "excluded=$(git_at \"$top\" rev-parse --git-path info/exclude)\n"
                         "mkdir -p \"$folder/source/.git/info\"\n"
                         "(cd \"$top\" && cp \"$excluded\" \"$folder/source/.git/info/exclude\") 2>/dev/null || :\n"
                         "in_clone() { git_at \"$top\" --git-dir=\"$folder/source/.git\" --work-tree=\"$top\" \"$@\"; }\n"
                         "own=${folder%/*}\n"
                         "case $own in \"$top\"/*) own=\":(exclude,literal)${own#\"$top\"/}\" ;; *) own= ;; esac\n"
                         "head=$(git_at \"$top\" rev-parse HEAD)\n"
                         "in_clone read-tree \"$head\"\n"
                         "in_clone -c advice.addEmbeddedRepo=false add --all -- . ${own:+\"$own\"}\n"
                         "tree=$(in_clone write-tree)\n"
                         "if [ \"$tree\" = \"$(in_clone rev-parse \"$head^{tree}\")\" ]; then echo \"$head\"; exit; fi\n"
                         "export GIT_AUTHOR_NAME=solgate GIT_AUTHOR_EMAIL=solgate GIT_COMMITTER_NAME=solgate GIT_COMMITTER_EMAIL=solgate\n"
                         "export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'\n"
                         "in_clone commit-tree -p \"$head\" -m \"uncommitted changes\" \"$tree\"\n");
    if (run_for_output(&script, hash) != 0)
        sg_fail(err, SG_SYSTEM, tree->repository.data, "git does not take its uncommitted changes to %s", tree->folder.data);
    return err->code;
}

int sg_commit_git(const struct sg_commit_tree *tree, struct sg_text *output, const char *arguments)
{
    struct sg_text script = {0};
    begin(tree, &script);
    sg_text_addf(&script, "git_at \"$folder/source\" %s\n", arguments);
    return run_for_output(&script, output);
}

void sg_commit_add_title(const struct sg_commit_tree *tree, const char *commit, struct sg_text *out)
{
    struct sg_text arguments = {0}, subject = {0};
    sg_text_addf(&arguments, "log -1 --format=%%s %s", commit);
    sg_commit_git(tree, &subject, arguments.data);
    sg_text_addf(out, "%.*s ", SG_SHORT_HASH, commit);
    sg_add_terminal(out, sg_text_string(&subject));
    sg_text_release(&arguments);
    sg_text_release(&subject);
}

static int replace_tree(const struct sg_commit_tree *tree, const char *by)
{
    struct sg_text script = {0};
    begin(tree, &script);
    sg_text_addf(&script, "rm -rf \"$folder/source\" \"$folder/build\"\n%s", by);
    const int status = sg_script_run(script.data, NULL);
    sg_text_release(&script);
    return status;
}

enum sg_code sg_commit_tree_open(const struct sg_commit_tree *tree, struct sg_err *err)
{
    struct sg_text clone = {0};
    sg_script_add_clone(&clone);
    if (replace_tree(tree, clone.data) != 0)
        sg_fail(err, SG_SYSTEM, tree->repository.data, "git makes no clone of it in %s", tree->folder.data);
    sg_text_release(&clone);
    return err->code;
}

void sg_commit_tree_close(const struct sg_commit_tree *tree)
{
    replace_tree(tree, "");
}

/* All files with one date, that of SOURCE_DATE_EPOCH below: compilers write it into device code and
 * host code. */
static enum sg_code check_out(const struct sg_commit_tree *tree, const char *commit, struct sg_err *err)
{
    struct sg_text output = {0}, arguments = {0};
    sg_text_addf(&arguments,
                 "checkout --quiet --force --detach %s && git_at \"$folder/source\" clean -ffdqx && "
                 "find \"$folder/source\" -name .git -prune -o -type f -exec touch -d 2000-01-01 {} +",
                 commit);
    if (sg_commit_git(tree, &output, arguments.data) != 0)
        sg_fail(err, SG_SYSTEM, commit, "git does not check it out in %s/source", tree->folder.data);
    sg_text_release(&output);
    sg_text_release(&arguments);
    return err->code;
}

/* The module first and the log last: what is cut short is built again. */
static enum sg_code build(const struct sg_commit_tree *tree, const char *commit, struct sg_err *err)
{
    struct sg_text script = {0};
    if (check_out(tree, commit, err) != SG_SUCCESS)
        return err->code;
    begin(tree, &script);
    sg_text_addf(&script,
                 "kept=$folder/builds/%s\n"
                 "export SOURCE_DATE_EPOCH=946684800\n"
                 "mkdir -p \"$kept\" && cd \"$folder/source\" || exit 3\n"
                 "(\n%s\n) >\"$kept.part\" 2>&1 && status=0 || status=$?\n"
                 "[ \"$status\" -le 128 ] || exit \"$status\"\nmodule=",
                 commit, tree->build.data);
    sg_text_add_word(&script, tree->module.data);
    sg_text_add(
        &script,
        "\n[ \"$status\" != 0 ] || { cp \"$module\" \"$kept/part\" 2>>\"$kept.part\" && mv \"$kept/part\" \"$kept/${module##*/}\"; }\n"
        "[ -e \"$kept/${module##*/}\" ] || tail -n 10 \"$kept.part\" >&2\n"
        "rm -rf ../build; find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +\n"
        "mv \"$kept.part\" \"$kept.log\" || exit 3\n");
    fcntl(tree->lock, F_SETFD, 0);
    const int status = sg_script_run(script.data, NULL);
    fcntl(tree->lock, F_SETFD, FD_CLOEXEC);
    if (status != 0)
        sg_fail(err, status == SG_EXIT_INTERRUPTED ? SG_INTERRUPTED : SG_SYSTEM, commit,
                "its build was stopped (%d), or %s cannot be written; the same command goes on", status, tree->folder.data);
    sg_text_release(&script);
    return err->code;
}

enum sg_code sg_commit_build(const struct sg_commit_tree *tree, const char *commit, struct sg_text *path, bool *is_built,
                             struct sg_err *err)
{
    struct sg_text module = {0}, log = {0};
    const char *slash = strrchr(tree->module.data, '/');
    sg_text_addf(&log, "%s/builds/%s.log", tree->folder.data, commit);
    sg_text_addf(&module, "%s/builds/%s/%s", tree->folder.data, commit, slash ? slash + 1 : tree->module.data);
    if (access(log.data, F_OK) == 0 || build(tree, commit, err) == SG_SUCCESS) {
        *is_built = access(module.data, R_OK) == 0;
        sg_text_add(path, *is_built ? module.data : log.data);
    }
    sg_text_release(&module);
    sg_text_release(&log);
    return err->code;
}
