#include "util/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LANDMARK  "metrics/metrics.ini"
#define INSTALLED "/share/solgate"
#define MODULES   "/libexec/solgate"

static enum sg_code executable_folder(struct sg_text *out, struct sg_err *err)
{
    SG_FREED char *path = realpath("/proc/self/exe", NULL);
    if (!path)
        return sg_fail(err, SG_SYSTEM, "/proc/self/exe", "the path of this program is unknown: %s",
                       strerror(errno));
    sg_text_add_bytes(out, path, (size_t)(strrchr(path, '/') - path));
    return SG_SUCCESS;
}

/* Adds a path of an installation, from the executable's folder. */
static void add_installed(struct sg_text *out, const struct sg_text *folder, const char *what)
{
    const char *path = sg_text_string(folder), *end = strrchr(path, '/');
    sg_text_addf(out, "%.*s%s", (int)(end ? end - path : 0), path, what);
}

static bool is_home(const char *folder)
{
    SG_FORMATTED(landmark, "%s/" LANDMARK, folder);
    bool found = access(landmark.data, R_OK) == 0;
    return found;
}

/* Replaces *folder, the executable's folder, by the home of a build inside the tree or of an
 * installation. */
static enum sg_code search(struct sg_text *folder, bool *is_installed, struct sg_err *err)
{
    struct sg_text above = sg_text_of("%s", sg_text_string(folder));
    while (!is_home(above.data) && above.length > 0) {
        while (above.length > 0 && above.data[--above.length] != '/')
            ;
        above.data[above.length] = '\0';
    }
    *is_installed = !is_home(above.data);
    if (*is_installed) {
        above.length = 0;
        add_installed(&above, folder, INSTALLED);
    }
    if (!is_home(above.data))
        sg_fail(err, SG_SYSTEM, folder->data,
                "no " LANDMARK " in a folder above, nor in ..%s: set " SG_HOME_VARIABLE
                " to the tree of solgate",
                INSTALLED);
    sg_text_release(folder);
    *folder = above;
    return err->code;
}

enum sg_code sg_home(struct sg_text *folder, bool *is_installed, struct sg_err *err)
{
    const char *given = getenv(SG_HOME_VARIABLE);
    SG_SCOPED(sg_text) found = {0};
    *is_installed = false;
    if (given && *given)
        sg_text_add(&found, given);
    else if (executable_folder(&found, err) == SG_SUCCESS)
        search(&found, is_installed, err);
    if (err->code == SG_SUCCESS)
        sg_text_add(folder, found.data);
    return err->code;
}

enum sg_code sg_path_in_home(struct sg_text *path, const char *relative, struct sg_err *err)
{
    bool is_installed;
    if (sg_home(path, &is_installed, err) == SG_SUCCESS)
        sg_text_addf(path, "/%s", relative);
    return err->code;
}

enum sg_code sg_path_next_to_program(struct sg_text *path, const char *name, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    if (executable_folder(&folder, err) == SG_SUCCESS)
        sg_text_addf(path, "%s/%s", folder.data, name);
    return err->code;
}

enum sg_code sg_path_of_module(struct sg_text *path, const char *name, struct sg_err *err)
{
    SG_SCOPED(sg_text) own = {0}, modules = {0};
    if (executable_folder(&own, err) != SG_SUCCESS)
        return err->code;
    add_installed(&modules, &own, MODULES);
    sg_text_addf(path, "%s/%s", access(modules.data, X_OK) == 0 ? modules.data : own.data, name);
    return SG_SUCCESS;
}

bool sg_program_path(struct sg_text *path, const char *name)
{
    SG_SCOPED(sg_names) folders = {0};
    bool found = false;
    sg_names_add_split(&folders, getenv("PATH") ? getenv("PATH") : "", ':');
    for (size_t i = 0; !found && i < folders.count; i++) {
        struct stat facts;
        SG_FORMATTED(candidate, "%s/%s", folders.items[i], name);
        found = folders.items[i][0] == '/' && stat(candidate.data, &facts) == 0 &&
                S_ISREG(facts.st_mode) && access(candidate.data, X_OK) == 0;
        if (found)
            sg_text_add(path, candidate.data);
    }
    return found;
}

enum sg_code sg_cache_folder(struct sg_text *folder, const char *name, struct sg_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        sg_text_addf(folder, "%s/solgate/%s", cache, name);
    else if (home && *home)
        sg_text_addf(folder, "%s/.cache/solgate/%s", home, name);
    else
        sg_fail(err, SG_SYSTEM, name, "has no folder: neither XDG_CACHE_HOME nor HOME is set");
    return err->code;
}

bool sg_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool sg_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum sg_code sg_list_files(const char *folder, const char *ending, struct sg_names *names,
                           struct sg_err *err)
{
    DIR *open_folder = opendir(folder);
    if (!open_folder)
        return sg_fail(err, SG_SYSTEM, folder, "cannot be listed: %s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;)
        if (entry->d_name[0] != '.' && entry->d_type != DT_DIR && sg_ends_in(entry->d_name, ending))
            sg_names_add(names, entry->d_name);
    closedir(open_folder);
    sg_names_sort(names);
    return SG_SUCCESS;
}
