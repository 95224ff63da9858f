#include "baseline_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "home.h"
#include "tally.h"

struct found {
    char **paths;
    size_t count, capacity;
};

static bool ends_in(const char *string, const char *ending)
{
    const size_t length = strlen(string);
    const size_t tail = strlen(ending);
    return length >= tail && strcmp(string + length - tail, ending) == 0;
}

static enum sg_code add_folder(const char *folder, struct found *found, struct sg_err *err)
{
    char **names = NULL;
    size_t count = 0;
    struct sg_text path = {0};
    sg_list_files(folder, ".csv", &names, &count, err);
    for (size_t i = 0; i < count; i++) {
        if (ends_in(names[i], ".env.csv") || strcmp(names[i], SG_TALLY_FILE) == 0)
            continue;
        sg_text_addf(&path, "%s/%s", folder, names[i]);
        found->paths = sg_grow(found->paths, &found->capacity, found->count + 1, sizeof(*found->paths));
        found->paths[found->count++] = sg_copy_string(path.data);
        sg_text_release(&path);
    }
    sg_baseline_files_free(names, count);
    return err->code;
}

static int by_string(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

enum sg_code sg_baseline_files(char ***paths, size_t *count, struct sg_err *err)
{
    struct sg_text root = {0};
    struct sg_text folder = {0};
    struct found found = {0};
    DIR *all = NULL;

    if (sg_home_path(&root, "baselines", err) != SG_DONE)
        goto out;
    all = opendir(root.data);
    if (!all && errno != ENOENT)
        sg_fail(err, SG_SYSTEM, root.data, "cannot be listed: %s", strerror(errno));
    for (const struct dirent *entry; all && err->code == SG_DONE && (entry = readdir(all)) != NULL;) {
        /* A folder of baselines has the key of a GPU for its name; README.md and the like have none. */
        if (!sg_is_name(entry->d_name))
            continue;
        sg_text_addf(&folder, "%s/%s", root.data, entry->d_name);
        add_folder(folder.data, &found, err);
        sg_text_release(&folder);
    }
    if (found.count > 0)
        qsort(found.paths, found.count, sizeof(*found.paths), by_string);
out:
    if (all)
        closedir(all);
    sg_text_release(&root);
    *paths = found.paths;
    *count = found.count;
    return err->code;
}

void sg_baseline_files_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

enum sg_code sg_baseline_path(const char *name, struct sg_text *path, struct sg_err *err)
{
    if (ends_in(name, ".csv")) {
        sg_text_add(path, name);
        return SG_DONE;
    }
    const char *slash = strchr(name, '/');
    if (!slash || slash == name || strchr(slash + 1, '/') || !sg_is_name(slash + 1))
        return sg_fail(err, SG_BAD_USAGE, name, "expected a file that ends in .csv, or GPU/SUITE such as h200/smoke");
    struct sg_text relative = {0};
    sg_text_addf(&relative, "baselines/%s.csv", name);
    sg_home_path(path, relative.data, err);
    sg_text_release(&relative);
    return err->code;
}
