#include "baseline/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/ceilings.h"
#include "results/run_folder.h"
#include "results/accepted_file.h"
#include "results/accepted_place.h"
#include "util/paths.h"

#define ENV_ENDING      ".env.csv"
#define COUNTERS_ENDING ".counters.csv"

/* Adds the tables of a folder, and missing tables whose env file remains, so that they are
 * reported. */
static enum sg_code add_files(const char *folder, struct sg_names *found, struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    sg_list_files(folder, ".csv", &names, err);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        SG_SCOPED(sg_text) table = {0};
        const bool is_env = sg_ends_in(name, ENV_ENDING);
        sg_text_addf(&table, "%.*s.csv", (int)(strlen(name) - strlen(is_env ? ENV_ENDING : ".csv")),
                     name);
        if (is_env ? !sg_names_have(&names, table.data)
                   : !sg_ends_in(name, COUNTERS_ENDING) && strcmp(name, SG_AA_FILE) != 0 &&
                         strcmp(name, SG_CEILINGS_FILE) != 0)
            sg_names_addf(found, "%s/%s", folder, table.data);
    }
    return err->code;
}

/* A folder of accepted numbers has the key of a GPU as its name, or below that the key of a
 * single card. README.md is not such a name. */
static enum sg_code add_folders(const char *root, int depth, struct sg_names *found,
                                struct sg_err *err)
{
    DIR *all = opendir(root);
    if (!all && errno != ENOENT)
        sg_fail(err, SG_SYSTEM, root, "cannot be listed: %s", strerror(errno));
    for (const struct dirent *entry;
         all && err->code == SG_SUCCESS && (entry = readdir(all)) != NULL;) {
        SG_SCOPED(sg_text) folder = {0};
        sg_text_addf(&folder, "%s/%s", root, entry->d_name);
        if (sg_is_name(entry->d_name) && sg_is_folder(folder.data) &&
            add_files(folder.data, found, err) == SG_SUCCESS && depth > 1)
            add_folders(folder.data, depth - 1, found, err);
    }
    if (all)
        closedir(all);
    return err->code;
}

enum sg_code sg_accepted_files(struct sg_names *paths, struct sg_err *err)
{
    SG_SCOPED(sg_names) roots = {0};
    sg_accepted_places(&roots, err);
    for (size_t i = 0; i < roots.count && err->code == SG_SUCCESS && paths->count == 0; i++)
        add_folders(roots.items[i], 2, paths, err);
    sg_names_sort(paths);
    return err->code;
}

size_t sg_count_names(const char *path)
{
    char *names = sg_copy_string(path);
    char *rest = names;
    size_t count = 0;
    bool valid = true;
    for (const char *name; (name = strsep(&rest, "/")) != NULL; count++)
        valid &= sg_is_name(name);
    free(names);
    return valid ? count : 0;
}

static enum sg_code fail_unknown(const char *name, const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_names) paths = {0}, known = {0};
    struct sg_err unread = {0};
    sg_accepted_files(&paths, &unread);
    for (size_t i = 0; i < paths.count; i++) {
        const char *from = strrchr(paths.items[i], '.'), *end = from;
        for (size_t slashes = sg_count_names(name); from > paths.items[i]; from--)
            if (from[-1] == '/' && --slashes == 0)
                break;
        sg_names_addf(&known, "%.*s", (int)(end - from), from);
    }
    return sg_fail(err, SG_BAD_INPUT, path,
                   "no accepted numbers are called %s%s; `solgate accepted show` lists them", name,
                   sg_names_hint(&known, name).text);
}

enum sg_code sg_accepted_path(const char *name, struct sg_text *path, struct sg_err *err)
{
    if (sg_ends_in(name, ".csv")) {
        sg_text_add(path, name);
        return SG_SUCCESS;
    }
    const size_t names = sg_count_names(name);
    if (names != 2 && names != 3)
        return sg_fail(err, SG_BAD_USAGE, name,
                       "expected a file that ends in .csv, or GPU/SUITE such as h200/smoke, or "
                       "GPU/UNIT/SUITE");
    SG_SCOPED(sg_names) roots = {0};
    bool found = false;
    sg_accepted_places(&roots, err);
    for (size_t i = 0; i < roots.count && !found; i++) {
        sg_text_release(path);
        sg_text_addf(path, "%s/%s.csv", roots.items[i], name);
        found = sg_accepted_file_is_there(path->data);
    }
    return found || err->code != SG_SUCCESS ? err->code : fail_unknown(name, path->data, err);
}
