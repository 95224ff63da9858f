#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/paths.h"

/* the folder to copy, below the home of the source tree or of the installation */
#define PROJECT "examples/project"

struct init_options {
    const char *folder;
};

/* Skips what the project's .gitignore ignores, such as a build in place. */
static bool is_made(const FTSENT *entry)
{
    return entry->fts_level == 1 &&
           (strcmp(entry->fts_name, "build") == 0 || strcmp(entry->fts_name, "out") == 0);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Adds the paths of all files below `top`, relative to `top`. */
static enum sg_code list_project(char *top, struct sg_names *files, struct sg_err *err)
{
    char *tops[] = {top, NULL};
    FTS *walk = fts_open(tops, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; walk && (entry = fts_read(walk)) != NULL;) {
        if (is_made(entry))
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F)
            sg_names_add(files, entry->fts_path + strlen(top) + 1);
    }
    if (walk)
        fts_close(walk);
    return files->count > 0
               ? SG_SUCCESS
               : sg_fail(err, SG_SYSTEM, top,
                         "cannot read the example project, which solgate is installed with: %s",
                         strerror(errno));
}

static enum sg_code check_free(const char *folder, const struct sg_names *files, struct sg_err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        SG_SCOPED(sg_text) to = {0};
        struct stat facts;
        sg_text_addf(&to, "%s/%s", folder, files->items[i]);
        if (lstat(to.data, &facts) == 0)
            return sg_fail(err, SG_BAD_USAGE, to.data, "is there already; nothing was written");
    }
    return SG_SUCCESS;
}

/* Keeps the mode, so that scripts stay executable. */
static enum sg_code write_new(const char *path, mode_t mode, const struct sg_text *bytes,
                              struct sg_err *err)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    if (descriptor < 0)
        return sg_fail(err, SG_SYSTEM, path, "cannot be made: %s", strerror(errno));
    sg_write_bytes(path, descriptor, sg_text_string(bytes), bytes->length, err);
    if (close(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written: %s", strerror(errno));
    return err->code;
}

static enum sg_code copy_file(const char *top, const char *folder, const char *file,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) from = {0}, to = {0}, above = {0}, bytes = {0};
    struct stat facts = {.st_mode = 0};
    sg_text_addf(&from, "%s/%s", top, file);
    sg_text_addf(&to, "%s/%s", folder, file);
    sg_text_add_bytes(&above, to.data, (size_t)(strrchr(to.data, '/') - to.data));
    if (stat(from.data, &facts) != 0)
        return sg_fail(err, SG_SYSTEM, from.data, "cannot be read: %s", strerror(errno));
    if (sg_read_file(from.data, &bytes, err) == SG_SUCCESS &&
        sg_make_folders(above.data, err) == SG_SUCCESS)
        write_new(to.data, facts.st_mode | S_IRUSR | S_IWUSR, &bytes, err);
    return err->code;
}

/* If the shell does not find solgate in PATH, CMake does not either. */
static void add_path(struct sg_text *out, struct sg_err *err)
{
    SG_SCOPED(sg_text) found = {0}, program = {0};
    if (!sg_program_path(&found, "solgate") &&
        sg_path_next_to_program(&program, "", err) == SG_SUCCESS)
        sg_text_addf(out, "    export PATH=\"%.*s:$PATH\"\n", (int)program.length - 1,
                     program.data);
}

static enum sg_code print_next(const char *folder, size_t count, struct sg_err *err)
{
    SG_SCOPED(sg_text) out = {0};
    sg_text_addf(&out, "%s: %zu files. Next, as its README.md describes:\n    cd ", folder, count);
    sg_text_add_word(&out, folder);
    sg_text_add(&out, "\n");
    add_path(&out, err);
    sg_text_add(&out, "    cmake -S . -B build && cmake --build build\n"
                      "    solgate run ./axpy.suite --module=build/libsg_axpy.so --out=out/R\n");
    return sg_print(&out, err);
}

static enum sg_code init(const char *folder, struct sg_err *err)
{
    SG_SCOPED(sg_text) top = {0};
    SG_SCOPED(sg_names) files = {0};
    if (sg_path_in_home(&top, PROJECT, err) != SG_SUCCESS ||
        list_project(top.data, &files, err) != SG_SUCCESS ||
        check_free(folder, &files, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < files.count; i++)
        if (copy_file(top.data, folder, files.items[i], err) != SG_SUCCESS)
            return err->code;
    return print_next(folder, files.count, err);
}

int sg_cmd_init(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option arguments[] = {SG_ARGUMENT("DIR", struct init_options, folder,
                                                             .help = "the folder of the project",
                                                             .optional = true),
                                                 {0}};
    static const struct sg_options table = {
        .arguments = arguments,
        .summary = "A project of your own that builds and runs at once: kernels for the host and "
                   "for CUDA, suites, and jobs for "
                   "GitHub, GitLab and systemd.",
        .notes = "Without DIR the files go into the current folder. No file is replaced: where one "
                 "of them is there already, none is "
                 "written.\n\nExample: solgate init mine",
        .exits = {{SG_EXIT_DONE, "written"},
                  {SG_EXIT_INVALID, "not written"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct init_options given = {.folder = "."};
    if (sg_options_parse(&table, &given, argc, argv, err))
        init(given.folder, err);
    return 0;
}
