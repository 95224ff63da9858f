#include "results/accepted_place.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "util/paths.h"

/* NULL: not set, or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum sg_code sg_accepted_places(struct sg_names *folders, struct sg_err *err)
{
    const char *given = variable(SG_BASELINES_VARIABLE);
    struct sg_text own = {0};
    if (given) {
        sg_names_add(folders, given);
        return SG_SUCCESS;
    }
    const bool has_here = !variable(SG_HOME_VARIABLE) && sg_is_folder(SG_BASELINES_FOLDER);
    if (has_here)
        sg_names_add(folders, SG_BASELINES_FOLDER);
    if (sg_path_in_home(&own, SG_BASELINES_FOLDER, err) == SG_SUCCESS && !(has_here && same_folder(SG_BASELINES_FOLDER, own.data)))
        sg_names_add(folders, own.data);
    sg_text_release(&own);
    return err->code;
}

enum sg_code sg_accepted_place_new(struct sg_text *folder, struct sg_err *err)
{
    struct sg_names folders = {0};
    bool is_installed = false;
    struct sg_text home = {0};
    if (sg_accepted_places(&folders, err) == SG_SUCCESS && sg_home(&home, &is_installed, err) == SG_SUCCESS) {
        const bool has_other = variable(SG_BASELINES_VARIABLE) || folders.count > 1;
        const bool is_here = folders.count == 0 || (is_installed && !has_other);
        sg_text_add(folder, is_here ? SG_BASELINES_FOLDER : folders.items[0]);
    }
    sg_text_release(&home);
    sg_names_release(&folders);
    return err->code;
}
